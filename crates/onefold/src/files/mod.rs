//! Files that are whole or not there, and say what they are.

mod columnar;
mod compressed;
mod data_file;
mod plain;
mod temporary;
mod whole;

pub(crate) use compressed::Decompressed;
pub use data_file::DataFile;
pub use plain::open_plain;
pub use temporary::{remove_abandoned, remove_unfinished};
pub use whole::{WholeFile, check_writable, folder_of, write_new, write_plain, write_whole};

use crate::error::{Error, check_size};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, Read as _};
use std::ops::RangeInclusive;
use std::path::Path;

/// The largest model file, and the most that is read from a device or pipe.
pub const LARGEST: u64 = 64 << 20;
/// So much of a file is looked at before the rest is read.
const HEAD: u64 = 1 << 16;

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
    read_opened(file, path, what, limit)
}

/// The same, of a file in a folder that may come from a stranger, as [`open_plain`] opens it.
///
/// # Errors
/// As [`read_text`], and what stands in its place.
pub fn read_plain_text(path: &Path, what: &str, limit: u64) -> Result<String, Error> {
    let failed = |e: std::io::Error| Error::Model { path: path.into(), reason: e.to_string() };
    let file = open_plain(path, fs::OpenOptions::new().read(true)).map_err(failed)?;
    read_opened(file, path, what, limit)
}

fn read_opened(file: fs::File, path: &Path, what: &str, limit: u64) -> Result<String, Error> {
    let failed = |reason| Error::Model { path: path.into(), reason };
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
    if !text.trim_start().starts_with(['{', '[']) {
        return Err(format!("this is not a {what}"));
    }
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

/// Sixteen digits that change with any of the bytes (FNV-1a). They tell data and settings apart; they are
/// no protection against malice.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    let mut hash = Fnv::default();
    hash.add(bytes);
    hash.text()
}

/// The [`digest`] of a file, which is read piece by piece.
///
/// # Errors
/// If it cannot be read.
pub fn digest_of(path: &Path) -> std::io::Result<String> {
    let mut file = std::io::BufReader::with_capacity(1 << 16, fs::File::open(path)?);
    let mut hash = Fnv::default();
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(hash.text());
        }
        hash.add(bytes);
        let count = bytes.len();
        file.consume(count);
    }
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
