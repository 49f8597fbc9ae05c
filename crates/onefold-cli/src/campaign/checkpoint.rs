//! Checkpoints of long trials, beside the store: a trial that was cut off continues to the same bits.

use super::store::Trace;
use super::{Cell, Store};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::PathBuf;

/// A trial on its way.
#[derive(Serialize, Deserialize)]
struct File {
    version: String,
    cell: String,
    seed: u64,
    settings: String,
    trace: Trace,
    /// The state of the search, two hexadecimal digits for each byte.
    state: String,
}

/// Where a trial's checkpoint is.
fn path(store: &Store, cell: &Cell, seed: u64) -> PathBuf {
    store.folder().join(".checkpoints").join(cell.file_name(seed) + ".json")
}

/// Saves a trial. A checkpoint that cannot be written costs time, not results, so that is no failure.
pub(crate) fn save(store: &Store, cell: &Cell, seed: u64, trace: &[(u64, f64)], state: &[u8]) {
    use std::fmt::Write as _;
    let mut hex = String::with_capacity(2 * state.len());
    for byte in state {
        let _ = write!(hex, "{byte:02x}");
    }
    let file = File {
        version: env!("CARGO_PKG_VERSION").into(),
        cell: cell.name.clone(),
        seed,
        settings: cell.fingerprint(),
        trace: trace.to_vec(),
        state: hex,
    };
    if let Ok(text) = serde_json::to_string(&file) {
        let _ = fs::create_dir_all(store.folder().join(".checkpoints"));
        let _ = onefold::write_whole(&path(store, cell, seed), text.as_bytes());
    }
}

/// The trace and the state of a trial that was cut off, if they fit.
pub(crate) fn load(store: &Store, cell: &Cell, seed: u64) -> Option<(Trace, Vec<u8>)> {
    let text = fs::read_to_string(path(store, cell, seed)).ok()?;
    let file: File = serde_json::from_str(&text).ok()?;
    let is_this = file.version == env!("CARGO_PKG_VERSION")
        && file.cell == cell.name
        && file.seed == seed
        && file.settings == cell.fingerprint();
    let digits = file.state.as_bytes();
    let bytes: Option<Vec<u8>> =
        digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect();
    if is_this && digits.len().is_multiple_of(2) { bytes.map(|state| (file.trace, state)) } else { None }
}

/// Removes a trial's checkpoint.
pub(crate) fn remove(store: &Store, cell: &Cell, seed: u64) {
    let _ = fs::remove_file(path(store, cell, seed));
}
