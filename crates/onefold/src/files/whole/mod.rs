//! Files that are complete or absent.

use super::temporary::Temporary;
use super::{is_named_pipe, plain};
use crate::error::Error;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file under a temporary name beside it and renames it, with the permissions of the file that it
/// replaces, if there is one. A link is followed; a pipe or device is written to directly.
///
/// # Errors
/// If that cannot be done; nothing is left behind then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes).map_err(|e| file.failed(&e))?;
    file.finish()
}

/// The same for a file whose folder was named, and not the file itself: a link, pipe or device in its place
/// is an error.
///
/// # Errors
/// If that cannot be done; nothing is left behind then.
pub fn write_plain(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Ok(found) = fs::symlink_metadata(path) {
        plain::check(&found).map_err(|e| failed(path, &e))?;
    }
    // Renamed to this very name, so that a link that is put there now is replaced and not followed.
    let temporary = temporary(path, path)?;
    let mut file =
        WholeFile { path: path.into(), output: BufWriter::new(Output::Temporary(temporary.into())) };
    file.write_all(bytes).map_err(|e| file.failed(&e))?;
    file.finish()
}

/// Writes a file under the first of these names, all in one folder, that nothing has; returns that name.
///
/// # Errors
/// If that cannot be done; nothing is left behind then.
pub fn write_new(names: impl IntoIterator<Item = PathBuf>, bytes: &[u8]) -> Result<PathBuf, Error> {
    let mut names = names.into_iter().peekable();
    let none = || Error::Write { path: PathBuf::new(), reason: "no name is free".into() };
    let first = names.peek().ok_or_else(none)?.clone();
    let fail = |e: io::Error| failed(&first, &e);
    let mut temporary = create(&first, folder_of(&first), false)?;
    let mut file = temporary.file().map_err(fail)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(fail)?;
    for name in names {
        if temporary.place(&name).map_err(|e| failed(&name, &e))? {
            return Ok(name);
        }
    }
    Err(none())
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
    Temporary(Box<Replacement>),
    Direct(fs::File),
}

/// A temporary file and the file that it will replace.
#[derive(Debug)]
struct Replacement {
    file: Temporary,
    target: PathBuf,
    replaced: Option<fs::Metadata>,
}

impl WholeFile {
    /// Begins to write a file.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let output = match replaced_by(path)? {
            Some(target) => Output::Temporary(temporary(path, &target)?.into()),
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
            Output::Temporary(made) => made.finish().map_err(|e| failed(&path, &e)),
        }
    }

    /// The error of a write that failed.
    #[must_use]
    pub fn failed(&self, e: &io::Error) -> Error {
        failed(&self.path, e)
    }
}

impl Replacement {
    fn finish(self) -> io::Result<()> {
        let file = self.file.file()?;
        if let Some(replaced) = &self.replaced {
            keep_permissions(file, replaced)?;
        }
        file.sync_all()?;
        self.file.replace(&self.target)
    }
}

/// Gives a file owner, group and permissions of the one that it replaces, as far as the operating system
/// allows.
#[cfg(unix)]
fn keep_permissions(file: &fs::File, replaced: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let made = file.metadata()?;
    if made.uid() != replaced.uid() {
        let _ = fchown(file, Some(replaced.uid()), None);
    }
    let has_group = made.gid() == replaced.gid() || fchown(file, None, Some(replaced.gid())).is_ok();
    // What one group may do is not granted to another.
    let mode = replaced.mode() & if has_group { 0o777 } else { 0o707 };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_permissions(file: &fs::File, replaced: &fs::Metadata) -> io::Result<()> {
    file.set_permissions(replaced.permissions())
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
            Self::Temporary(made) => made.file.file()?.write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary(made) => made.file.file()?.flush(),
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
    match fs::metadata(path) {
        Ok(_) if is_named_pipe(path) => Err(refused("this is a named pipe; name a file")),
        Ok(found) if !found.is_file() => Ok(None),
        Ok(found) if found.permissions().readonly() => Err(refused("this file is read-only; name another")),
        Ok(_) => fs::canonicalize(path).map(Some).map_err(|e| failed(path, &e)),
        Err(_) if path.is_symlink() => {
            Err(refused("this is a link to a file that cannot be found; remove the link, or name the file"))
        }
        Err(e) if e.kind() == io::ErrorKind::InvalidFilename => Err(failed(path, &e)),
        Err(_) => Ok(Some(path.into())),
    }
}

/// A temporary file beside `target`, which it will replace; `path` is named in errors.
fn temporary(path: &Path, target: &Path) -> Result<Replacement, Error> {
    let replaced = fs::symlink_metadata(target).ok();
    let file = create(path, folder_of(target), replaced.is_some())?;
    Ok(Replacement { file, target: target.into(), replaced })
}

fn create(path: &Path, folder: &Path, is_private: bool) -> Result<Temporary, Error> {
    Temporary::create(folder, is_private).map_err(|e| {
        if folder.exists() {
            failed(path, &e)
        } else {
            Error::Write { path: path.into(), reason: "its folder does not exist".into() }
        }
    })
}

/// The folder that a file is in; the current one for a name alone.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests;
