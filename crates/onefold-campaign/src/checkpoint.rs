//! Checkpoints of long trials, in a folder of the store: an interrupted trial resumes to the same bits.

use super::store::{CHECKPOINTS, Trace};
use super::trial::{Snapshot, Trial};
use super::{Cell, Store};
use onefold::Progress;
use onefold::checkpoint::LARGEST;
use onefold::files::{read_plain_text, write_plain};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};

/// Time of a trial before its state is first copied.
const FIRST_COPY: Duration = Duration::from_secs(1);
/// The state is copied at most for this fraction of the time, so that there is one to save if a generation is
/// cut off.
const FRACTION_FOR_COPIES: u32 = 100;

/// Saves the checkpoints of one trial.
pub(crate) struct Keeper<'a> {
    store: &'a Store,
    trial: &'a Trial<'a>,
    /// Time between checkpoints.
    every: Duration,
    saved_at: Instant,
    /// A state that is not saved yet.
    copy: Option<Snapshot>,
    copied_at: Instant,
    /// Time after a copy until the next.
    next_copy: Duration,
}

impl<'a> Keeper<'a> {
    pub(crate) fn new(store: &'a Store, trial: &'a Trial<'a>, every: Duration) -> Self {
        let now = Instant::now();
        Self { store, trial, every, saved_at: now, copy: None, copied_at: now, next_copy: FIRST_COPY }
    }

    /// Saves the trial when it is time, and in the last generation.
    pub(crate) fn observe(&mut self, trace: &Trace, progress: &Progress<'_>, is_last: bool) {
        let is_due = self.saved_at.elapsed() > self.every;
        if !is_due && !is_last && self.copied_at.elapsed() < self.next_copy {
            return;
        }
        let started = Instant::now();
        self.copy = Some(self.trial.snapshot(trace, progress));
        self.copied_at = Instant::now();
        self.next_copy = started.elapsed() * FRACTION_FOR_COPIES;
        if is_due || is_last {
            self.end();
        }
    }

    /// Saves the last state that was copied.
    pub(crate) fn end(&mut self) {
        self.saved_at = Instant::now();
        if let Some(text) = self.copy.take().and_then(|copy| copy.to_text()) {
            save(self.store, self.trial.cell, self.trial.seed, &text);
        }
    }
}

/// Saves the state of a trial. A checkpoint that cannot be written is told once, and is not an error: an
/// interrupted trial then starts again, with the same result.
pub(crate) fn save(store: &Store, cell: &Cell, seed: u64, text: &str) {
    static TOLD: Once = Once::new();
    let path = path(store.folder(), cell, seed);
    let Some(folder) = path.parent() else { return };
    let _ = fs::create_dir(folder);
    // A folder that has become a link since the store was opened is not followed.
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    let written = if is_folder {
        write_plain(&path, text.as_bytes()).map_err(|e| e.to_string())
    } else {
        Err(format!("{}: this is not a folder", folder.display()))
    };
    if let Err(reason) = written {
        TOLD.call_once(|| {
            store.tell(&format!(
                "warning: the checkpoint of a trial cannot be written: {reason}; the trials go on"
            ));
        });
    }
}

/// The saved state of a trial, if there is one.
pub(crate) fn load(store: &Store, cell: &Cell, seed: u64) -> Option<String> {
    read_plain_text(&path(store.folder(), cell, seed), "checkpoint", LARGEST).ok()
}

/// Removes the checkpoint of a finished trial.
pub(crate) fn remove(store: &Store, cell: &Cell, seed: u64) {
    let _ = fs::remove_file(path(store.folder(), cell, seed));
}

fn path(store: &Path, cell: &Cell, seed: u64) -> PathBuf {
    store.join(CHECKPOINTS).join(cell.file_name(seed) + ".json")
}
