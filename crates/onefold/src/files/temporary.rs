//! Temporary files: created exclusively under random names, locked while they are written, and removed by the
//! next run in the same folder where a killed one left them.

use super::plain::open_plain;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

const PREFIX: &str = ".onefold-";
const SUFFIX: &str = ".tmp";
/// Random letters and digits between prefix and suffix.
const RANDOM: usize = 16;
/// A temporary file that another process removes before it is locked is created anew, at most so often.
const ATTEMPTS: usize = 100;

/// The temporary files that this process is writing.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// The folders that this process has looked through.
static SEARCHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A locked temporary file, removed when it is dropped.
#[derive(Debug)]
pub(super) struct Temporary {
    /// Always there until it is persisted.
    file: Option<NamedTempFile>,
    path: PathBuf,
}

impl Temporary {
    /// A temporary file in a folder; a private one can be read by nobody else.
    pub(super) fn create(folder: &Path, is_private: bool) -> io::Result<Self> {
        remove_abandoned(folder);
        for _ in 0..ATTEMPTS {
            // Until it is in the list, none may be removed: it would be left.
            let mut unfinished = locked(&UNFINISHED);
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
            let file = builder.make_in(folder, |path| exclusive(path, is_private))?;
            // Where files cannot be locked, no other process can lock this one in order to remove it.
            let _ = file.as_file().lock();
            if is_at(file.as_file(), file.path()) {
                let path = file.path().to_path_buf();
                unfinished.insert(path.clone());
                return Ok(Self { file: Some(file), path });
            }
        }
        Err(io::Error::other("temporary files are removed while they are created"))
    }

    /// The file itself: its wrapper would name the temporary file in errors.
    pub(super) fn file(&self) -> io::Result<&File> {
        let gone = || io::Error::other("the temporary file is gone");
        self.file.as_ref().map(NamedTempFile::as_file).ok_or_else(gone)
    }

    /// Renames it, and replaces what has that name.
    pub(super) fn replace(mut self, target: &Path) -> io::Result<()> {
        match self.file.take() {
            Some(file) => file.persist(target).map(drop).map_err(|e| e.error),
            None => Ok(()),
        }
    }

    /// Renames it if nothing has that name; whether it did.
    pub(super) fn place(&mut self, target: &Path) -> io::Result<bool> {
        let Some(file) = self.file.take() else { return Ok(false) };
        match file.persist_noclobber(target) {
            Ok(_) => Ok(true),
            Err(e) => {
                self.file = Some(e.file);
                if e.error.kind() == io::ErrorKind::AlreadyExists { Ok(false) } else { Err(e.error) }
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        locked(&UNFINISHED).remove(&self.path);
    }
}

/// Created by the standard library, with the permissions of any other new file: `tempfile` would let nobody
/// else read it.
fn exclusive(path: &Path, is_private: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    options.open(path)
}

/// Whether a path still names this open file.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(open), Ok(found)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (open.dev(), open.ino()) == (found.dev(), found.ino())
    }
    #[cfg(not(unix))]
    {
        open.is_file() && found.is_file()
    }
}

/// Removes all temporary files that this process is writing: for the end of a process that does not return
/// from what it does. Whoever creates another one waits for that end.
pub fn remove_unfinished() {
    let mut unfinished = locked(&UNFINISHED);
    for path in std::mem::take(&mut *unfinished) {
        let _ = fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

/// Removes the temporary files that killed processes left in a folder, once for each folder. Files that
/// another process has locked are being written and stay.
pub fn remove_abandoned(folder: &Path) {
    let Ok(whole) = fs::canonicalize(folder) else { return };
    if !locked(&SEARCHED).insert(whole) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_temporary) {
            remove_if_abandoned(&entry.path());
        }
    }
}

fn is_temporary(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    random.is_some_and(|r| r.len() == RANDOM && r.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn remove_if_abandoned(path: &Path) {
    let Ok(file) = open_plain(path, OpenOptions::new().read(true)) else { return };
    if file.try_lock().is_ok() && is_at(&file, path) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abandoned_files_are_removed_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let abandoned = ".onefold-0123456789abcdEF.tmp";
        let others = [".onefold-0123456789abcdE.tmp", ".onefold-notes", "onefold-0123456789abcdEF.tmp"];
        for name in others.iter().chain([&abandoned]) {
            fs::write(at(name), "x").unwrap();
        }
        let written = Temporary::create(folder.path(), true).unwrap();
        assert!(!at(abandoned).exists());
        assert!(others.iter().all(|name| at(name).exists()));
        assert!(is_temporary(written.path.file_name().unwrap().to_str().unwrap()));
        // One that is being written is locked.
        remove_if_abandoned(&written.path);
        assert!(written.path.exists());
        let path = written.path.clone();
        drop(written);
        assert!(!path.exists() && !locked(&UNFINISHED).contains(&path));
    }

    #[cfg(unix)]
    #[test]
    fn links_with_the_name_of_a_temporary_file_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (link, file) = (folder.path().join(".onefold-0123456789abcdEF.tmp"), folder.path().join("a"));
        fs::write(&file, "x").unwrap();
        std::os::unix::fs::symlink("a", &link).unwrap();
        remove_abandoned(folder.path());
        assert!(file.exists() && fs::symlink_metadata(&link).is_ok());
    }
}
