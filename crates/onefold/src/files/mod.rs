//! Files that are whole or not there, and say what they are.

mod plain;
mod temporary;
mod whole;

pub use plain::open_plain;
pub use temporary::{remove_abandoned, remove_unfinished};
pub use whole::{WholeFile, check_writable, write_new, write_plain, write_whole};

use crate::error::{Error, ProblemKind, TableError};
use serde_json::Value;
use std::fs;
use std::io::{self, Read as _};
use std::ops::RangeInclusive;
use std::path::Path;

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
        io::ErrorKind::InvalidData => failed(format!("this is not a {what}: it is not text")),
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
