//! Files that are whole or not there, and say what they are.

use crate::error::{Error, ProblemKind, TableError, check_size};
use serde_json::Value;
use std::fs;
use std::io::{self, BufWriter, Read as _, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The largest model file, and the most that is read from a device or pipe.
pub const LARGEST: u64 = 256 << 20;
/// So much of a file is looked at before the rest is read.
const HEAD: u64 = 1 << 16;

/// Opens a file of data to be read.
pub(crate) fn open(path: &Path) -> Result<fs::File, Error> {
    let wrong = |kind| TableError::of(&path.display().to_string(), kind, &[]);
    if path.is_dir() {
        return Err(wrong(ProblemKind::Directory));
    }
    fs::File::open(path).map_err(|e| wrong(ProblemKind::Unreadable { reason: e.to_string() }))
}

/// The text of a file of at most `limit` bytes; `what` it should be, for messages. Of a device or pipe, at
/// most [`LARGEST`] bytes are read.
///
/// # Errors
/// If it cannot be read, is not text, or is larger.
pub fn read_text(path: &Path, what: &str, limit: u64) -> Result<String, Error> {
    let failed = |reason| Error::Model { path: path.into(), reason };
    if path.is_dir() {
        return Err(failed(format!("this is a directory, not a {what}")));
    }
    if is_named_pipe(path) {
        return Err(failed(format!("this is a named pipe, not a {what}")));
    }
    let file = fs::File::open(path).map_err(|e| failed(e.to_string()))?;
    let size = file.metadata().ok().filter(fs::Metadata::is_file).map(|m| m.len());
    let limit = if size.is_some() { limit } else { limit.min(LARGEST) };
    let too_large = || failed(format!("this is not a {what}: it is larger than {} MiB", limit >> 20));
    if size.is_some_and(|size| size > limit) {
        return Err(too_large());
    }
    let not_text = || failed(format!("this is not a {what}: it is not text"));
    let (mut bytes, mut rest) = (Vec::new(), file.take(limit.saturating_add(1)));
    (&mut rest).take(HEAD).read_to_end(&mut bytes).map_err(|e| failed(e.to_string()))?;
    if bytes.contains(&0) || std::str::from_utf8(&bytes).is_err_and(|e| e.error_len().is_some()) {
        return Err(not_text());
    }
    let size = usize::try_from(size.unwrap_or(0)).unwrap_or(usize::MAX);
    check_size(&[size.div_ceil(8)], || format!("this {what}"), "free some memory")
        .map_err(|e| failed(e.to_string()))?;
    rest.read_to_end(&mut bytes).map_err(|e| failed(e.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    String::from_utf8(bytes).map_err(|_| not_text())
}

/// Whether opening a file would wait for another program. The pipes of a shell are no such files.
fn is_named_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let is_of_shell = path.starts_with("/dev") || path.starts_with("/proc");
        !is_of_shell && fs::metadata(path).is_ok_and(|m| m.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Checks that a JSON text says it has this format and one of these versions, and returns it parsed.
pub(crate) fn check_head(
    text: &str,
    format: &str,
    versions: RangeInclusive<u64>,
    what: &str,
) -> Result<Value, String> {
    let wrong = if text.contains(format) {
        format!("the {what} is damaged")
    } else {
        format!("this is not a {what}")
    };
    let head: Value = serde_json::from_str(text).map_err(|e| format!("{wrong}: {e}"))?;
    if head.get("format").and_then(Value::as_str) != Some(format) {
        return Err(format!("this is not a {what}: it does not say \"format\": \"{format}\""));
    }
    match head.get("format_version").and_then(Value::as_u64) {
        Some(found) if versions.contains(&found) => Ok(head),
        Some(0) => Err(format!("the {what} is damaged: there is no format version 0")),
        Some(found) => Err(format!(
            "it has format version {found}, and this onefold reads version {}; use {} one",
            versions.end(),
            if found > *versions.end() { "a newer" } else { "an older" }
        )),
        None => Err(format!("the {what} is damaged: it has no format_version")),
    }
}

/// Writes a file under a temporary name beside it and renames it. A link is followed; a pipe or device is
/// written to directly.
///
/// # Errors
/// If that cannot be done; nothing is left behind then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes).map_err(|e| file.failed(&e))?;
    file.finish()
}

/// A file that is written piece by piece and is there when it is finished, or not at all. A pipe or device is
/// written to directly.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    output: BufWriter<Output>,
}

/// What is written to until the file is finished.
#[derive(Debug)]
enum Output {
    /// Removed when it is dropped; and the file that it will replace.
    Temporary(NamedTempFile, PathBuf),
    Direct(fs::File),
}

impl WholeFile {
    /// Begins to write a file.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let output = match replaced_by(path)? {
            Some(target) => Output::Temporary(temporary(path, &target)?, target),
            None => {
                Output::Direct(fs::OpenOptions::new().write(true).open(path).map_err(|e| failed(path, &e))?)
            }
        };
        Ok(Self { path: path.into(), output: BufWriter::new(output) })
    }

    /// Puts the file where it belongs.
    ///
    /// # Errors
    /// If that cannot be done; nothing is left behind then.
    pub fn finish(self) -> Result<(), Error> {
        let Self { path, output } = self;
        match output.into_inner().map_err(|e| failed(&path, e.error()))? {
            Output::Direct(_) => Ok(()),
            Output::Temporary(file, target) => {
                file.as_file().sync_all().map_err(|e| failed(&path, &e))?;
                file.persist(target).map_err(|e| failed(&path, &e.error))?;
                Ok(())
            }
        }
    }

    /// The error of a write that failed.
    #[must_use]
    pub fn failed(&self, e: &io::Error) -> Error {
        failed(&self.path, e)
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            // The file itself: its wrapper would name the temporary file in errors.
            Self::Temporary(file, _) => file.as_file_mut().write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary(file, _) => file.as_file_mut().flush(),
            Self::Direct(file) => file.flush(),
        }
    }
}

/// Finds out whether [`write_whole`] can write a file, without changing anything.
///
/// # Errors
/// Says why the file cannot be written.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    match replaced_by(path)? {
        Some(target) => temporary(path, &target).map(drop),
        None => Ok(()),
    }
}

fn failed(path: &Path, e: &io::Error) -> Error {
    Error::Write { path: path.into(), reason: e.to_string() }
}

/// The file that a new one replaces, with links followed; none for a pipe or device.
fn replaced_by(path: &Path) -> Result<Option<PathBuf>, Error> {
    let refused = |reason: &str| Error::Write { path: path.into(), reason: reason.into() };
    let ends_in_slash = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    if path.is_dir() || path.file_name().is_none() || ends_in_slash {
        return Err(refused("this is a directory; name a file"));
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    if let Ok(metadata) = fs::metadata(&target) {
        if !metadata.is_file() {
            return Ok(None);
        }
        if metadata.permissions().readonly() {
            return Err(refused("this file is read-only; name another"));
        }
    }
    Ok(Some(target))
}

/// A temporary file beside `target`.
fn temporary(path: &Path, target: &Path) -> Result<NamedTempFile, Error> {
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Created by the standard library, with the permissions of any other new file: `tempfile` would let
    // nobody else read it.
    let made = tempfile::Builder::new().prefix(".onefold-").make_in(folder, |p| fs::File::create_new(p));
    made.map_err(|e| {
        if folder.exists() {
            failed(path, &e)
        } else {
            Error::Write { path: path.into(), reason: "its folder does not exist".into() }
        }
    })
}

/// Sixteen digits that change with any of the bytes (FNV-1a). They tell data and settings apart; they are
/// no protection against malice.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    let mut hash = Fnv::default();
    hash.add(bytes);
    hash.text()
}

/// The FNV-1a hash of bytes.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(crate) fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn files_are_there_when_they_are_finished_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        check_writable(&path).unwrap();
        assert!(names(folder.path()).is_empty());
        write_whole(&path, b"old").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (b"old".to_vec(), 2));
        drop(file);
        assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (b"old".to_vec(), 1));
        write_whole(&path, b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (b"new".to_vec(), 1));
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_a_new_file_and_links_stay_links() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [plain, whole, link] = ["plain", "whole", "link"].map(|name| folder.path().join(name));
        fs::write(&plain, b"x").unwrap();
        write_whole(&whole, b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&whole), mode(&plain));
        symlink("whole", &link).unwrap();
        write_whole(&link, b"y").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&whole).unwrap(), b"y");
    }

    #[test]
    fn what_cannot_be_written_is_said_without_temporary_names() {
        let folder = tempfile::tempdir().unwrap();
        let reason = |path: &Path| match check_writable(path) {
            Err(Error::Write { reason, .. }) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason(folder.path()), "this is a directory; name a file");
        assert_eq!(reason(&folder.path().join("none/a.txt")), "its folder does not exist");
        assert!(check_writable(&folder.path().join("x".repeat(250))).is_ok());
        #[cfg(unix)]
        assert_eq!(reason(Path::new("/proc/a.txt")), "No such file or directory (os error 2)");
    }
}
