//! Files that are whole or not there, and say what they are.

use crate::error::{Error, ProblemKind, TableError};
use serde_json::Value;
use std::fs;
use std::io::{Read as _, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// A device or pipe that gives more than this never ends, as far as we care.
const LARGEST: u64 = 1 << 28;

/// Opens a file of data to be read.
pub(crate) fn open(path: &Path) -> Result<fs::File, Error> {
    let wrong = |kind| TableError::of(&path.display().to_string(), kind, &[]);
    if path.is_dir() {
        return Err(wrong(ProblemKind::Directory));
    }
    fs::File::open(path).map_err(|e| wrong(ProblemKind::Unreadable { reason: e.to_string() }))
}

/// The text of a file; `what` it should be, for messages.
pub(crate) fn read_text(path: &Path, what: &str) -> Result<String, Error> {
    let failed = |reason| Error::Model { path: path.into(), reason };
    if path.is_dir() {
        return Err(failed(format!("this is a directory, not a {what}")));
    }
    let mut text = String::new();
    let file = fs::File::open(path).map_err(|e| failed(e.to_string()))?;
    let limit = file.metadata().ok().filter(fs::Metadata::is_file).map_or(LARGEST, |m| m.len());
    file.take(limit.saturating_add(1)).read_to_string(&mut text).map_err(|e| match e.kind() {
        std::io::ErrorKind::InvalidData => failed(format!("this is not a {what}: it is not text")),
        _ => failed(e.to_string()),
    })?;
    if text.len() as u64 > limit {
        return Err(failed(format!("this is not a {what}: it is larger than any")));
    }
    Ok(text)
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

/// Writes a file under a temporary name beside it and renames it. A link is followed; a pipe or device is written to directly.
///
/// # Errors
/// If that cannot be done; nothing is left behind then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |e: std::io::Error| Error::Write { path: path.into(), reason: e.to_string() };
    let Some((target, temporary)) = check_writable(path)? else {
        return fs::OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut f| f.write_all(bytes))
            .map_err(failed);
    };
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, &target));
    written.map_err(|e| {
        let _ = fs::remove_file(&temporary);
        failed(e)
    })
}

/// A file that is written piece by piece and is there when it is finished, or not at all. A pipe or device is written to directly.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    file: std::io::BufWriter<fs::File>,
    /// Where it is to be, and the name it has until then.
    renamed: Option<(PathBuf, PathBuf)>,
}

impl WholeFile {
    /// Begins to write a file.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let renamed = check_writable(path)?;
        let opened = match &renamed {
            Some((_, temporary)) => fs::File::create(temporary),
            None => fs::OpenOptions::new().write(true).open(path),
        };
        let file = opened.map_err(|e| Error::Write { path: path.into(), reason: e.to_string() })?;
        Ok(Self { path: path.into(), file: std::io::BufWriter::new(file), renamed })
    }

    /// Puts the file where it belongs.
    ///
    /// # Errors
    /// If that cannot be done; nothing is left behind then.
    pub fn finish(mut self) -> Result<(), Error> {
        let mut done = self.file.flush();
        if let Some((target, temporary)) = &self.renamed {
            done = done.and_then(|()| self.file.get_ref().sync_all());
            done = done.and_then(|()| fs::rename(temporary, target));
        }
        let done = done.map_err(|e| self.failed(&e));
        if done.is_ok() {
            self.renamed = None;
        }
        done
    }

    /// The error of a write that failed.
    #[must_use]
    pub fn failed(&self, e: &std::io::Error) -> Error {
        Error::Write { path: self.path.clone(), reason: e.to_string() }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some((_, temporary)) = &self.renamed {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Finds out whether [`write_whole`] can write a file, without changing anything: the file it would replace and the temporary name
/// it would use, or none for a pipe or device.
///
/// # Errors
/// Says why the file cannot be written.
pub fn check_writable(path: &Path) -> Result<Option<(PathBuf, PathBuf)>, Error> {
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
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".tmp-{}", std::process::id()));
    let temporary = target.with_file_name(name);
    fs::File::create(&temporary).and_then(|_| fs::remove_file(&temporary)).map_err(|e| {
        let folder = target.parent().is_some_and(|p| !p.as_os_str().is_empty() && !p.exists());
        if folder { refused("its folder does not exist") } else { refused(&e.to_string()) }
    })?;
    Ok(Some((target, temporary)))
}
