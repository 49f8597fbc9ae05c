//! The folder of a store, and what may be in it.

use crate::campaign::LARGEST;
use crate::failure::Failure;
use onefold::files::read_plain_text;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The name of the campaign's file inside its store.
pub(crate) const CAMPAIGN: &str = "campaign.toml";
/// The folder of checkpoints inside a store.
pub(crate) const CHECKPOINTS: &str = ".checkpoints";
/// The folder of lock files inside a store.
pub(super) const LOCKS: &str = ".locks";

/// The files of a store that hold its records, and its campaign if that is there.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> =
        entries(folder)?.into_iter().filter(|path| is_records(path) || path.ends_with(CAMPAIGN)).collect();
    files.sort();
    Ok(files)
}

/// The files of records.
pub(super) fn records(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    Ok(files(folder)?.into_iter().filter(|path| is_records(path)).collect())
}

/// Whether a campaign was run in this folder.
pub(crate) fn is_store(folder: &Path) -> bool {
    records(folder).is_ok_and(|files| !files.is_empty())
}

fn is_records(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "jsonl")
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let all = fs::read_dir(folder).map_err(|e| wrong(folder, &e.to_string()))?;
    Ok(all.filter_map(|entry| entry.ok().map(|e| e.path())).collect())
}

/// Refuses a store in which a link, pipe or device stands in place of a file or folder.
pub(super) fn check(folder: &Path) -> Result<(), Failure> {
    let mut all = files(folder)?;
    for name in [LOCKS, CHECKPOINTS] {
        let inside = folder.join(name);
        if is_folder(&inside)? {
            all.extend(entries(&inside)?);
        }
    }
    for path in all {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => return Err(link(&path)),
            Ok(found) if !found.is_file() => {
                return Err(wrong(&path, "this is not a file, as it is in a store; remove it"));
            }
            // Another process may have removed it.
            _ => {}
        }
    }
    Ok(())
}

/// Creates a folder inside a store, unless it is there.
pub(super) fn create(store: &Path, name: &str) -> Result<(), Failure> {
    let path = store.join(name);
    let made = fs::create_dir(&path);
    if is_folder(&path)? {
        return Ok(());
    }
    made.map_err(|e| wrong(&path, &e.to_string()))
}

/// Whether this is a folder and not absent; anything else is an error.
fn is_folder(path: &Path) -> Result<bool, Failure> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(link(path)),
        Ok(found) if !found.is_dir() => {
            Err(wrong(path, "this is not a folder, as it is in a store; remove it"))
        }
        Ok(_) => Ok(true),
        Err(_) => Ok(false),
    }
}

/// The text of the campaign's file inside a store, if it is there.
pub(crate) fn read_campaign(folder: &Path) -> Result<Option<String>, Failure> {
    let path = folder.join(CAMPAIGN);
    match fs::symlink_metadata(&path) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        _ => Ok(Some(read_plain_text(&path, "campaign file", LARGEST)?)),
    }
}

fn link(path: &Path) -> Failure {
    wrong(path, "this is a symbolic link, and links inside a store are not followed; remove it")
}

fn wrong(path: &Path, reason: &str) -> Failure {
    Failure::bad_input(format!("{}: {reason}", path.display()))
}
