//! The folder of a store, and what may be in it.

use crate::Error;
use crate::{LARGEST, name_in};
use onefold::files::read_plain_text;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The name of the campaign's file inside its store.
pub const CAMPAIGN: &str = "campaign.toml";
/// The folder of checkpoints inside a store.
pub(crate) const CHECKPOINTS: &str = ".checkpoints";
/// The folder of lock files inside a store.
pub(super) const LOCKS: &str = ".locks";

/// The files of a store that hold its records, and its campaign if that is there.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files: Vec<PathBuf> =
        entries(folder)?.into_iter().filter(|path| is_records(path) || path.ends_with(CAMPAIGN)).collect();
    files.sort();
    Ok(files)
}

/// The files of records.
pub(super) fn records(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    Ok(files(folder)?.into_iter().filter(|path| is_records(path)).collect())
}

/// Whether a campaign was run in this folder.
#[must_use]
pub fn is_store(folder: &Path) -> bool {
    records(folder).is_ok_and(|files| !files.is_empty())
}

fn is_records(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "jsonl")
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let all = fs::read_dir(folder).map_err(|e| wrong(folder, &e.to_string()))?;
    Ok(all.filter_map(|entry| entry.ok().map(|e| e.path())).collect())
}

/// Refuses a store in which a link, pipe or device stands in place of a file or folder.
pub(super) fn check(folder: &Path) -> Result<(), Error> {
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
pub(super) fn create(store: &Path, name: &str) -> Result<(), Error> {
    let path = store.join(name);
    let made = fs::create_dir(&path);
    if is_folder(&path)? {
        return Ok(());
    }
    made.map_err(|e| wrong(&path, &e.to_string()))
}

/// Whether this is a folder and not absent; anything else is an error.
fn is_folder(path: &Path) -> Result<bool, Error> {
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
///
/// # Errors
///
/// If it is a link, or cannot be read.
pub fn read_campaign(folder: &Path) -> Result<Option<String>, Error> {
    let path = folder.join(CAMPAIGN);
    match fs::symlink_metadata(&path) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        _ => Ok(Some(read_plain_text(&path, "campaign file", LARGEST)?)),
    }
}

/// Checks that a store does not belong to another campaign than the one with this name and text, and that its
/// campaign file, whose text is `inside`, is one of ours if it is to be replaced.
///
/// # Errors
///
/// Says why the folder cannot be the campaign's store.
pub fn check_owner(folder: &Path, inside: Option<&str>, name: &str, text: &str) -> Result<(), Error> {
    let Some(found) = inside else { return Ok(()) };
    let refused = |reason: &str| Err(Error::Store { folder: folder.into(), reason: reason.into() });
    match name_in(found) {
        Some(owner) if owner != name => {
            refused(&format!("this store belongs to the campaign {owner}, not to {name}; use another"))
        }
        None => refused(&format!("its {CAMPAIGN} is not a campaign file; use another folder")),
        _ if found != text && !is_store(folder) => refused(&format!(
            "this folder has another {CAMPAIGN} and no records of it, and it would be replaced; use another folder"
        )),
        _ => Ok(()),
    }
}

fn link(path: &Path) -> Error {
    wrong(path, "this is a symbolic link, and links inside a store are not followed; remove it")
}

fn wrong(path: &Path, reason: &str) -> Error {
    Error::input(format!("{}: {reason}", path.display()))
}
