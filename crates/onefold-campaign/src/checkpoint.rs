//! Checkpoints of long trials, in a folder of the store: an interrupted trial resumes to the same bits.

use super::store::{CHECKPOINTS, Trace};
use super::{Cell, Store};
use onefold::checkpoint::LARGEST;
use onefold::files::{read_plain_text, write_plain};
use onefold::{Checkpoint, FitSettings, Progress, TrainTest};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::PathBuf;
use std::sync::Once;
use std::time::{Duration, Instant};

/// Time of a trial before its state is first copied.
const FIRST_COPY: Duration = Duration::from_secs(1);
/// The state is copied at most for this fraction of the time, so that there is one to save if a generation is
/// cut off.
const FRACTION_FOR_COPIES: u32 = 100;

/// The content of a checkpoint file.
#[derive(Serialize, Deserialize)]
struct File {
    trace: Trace,
    checkpoint: Checkpoint,
}

/// Saves and loads the checkpoint of one trial.
pub(crate) struct Keeper<'a> {
    store: &'a Store,
    path: PathBuf,
    name: &'a str,
    data: &'a TrainTest,
    settings: &'a FitSettings,
    /// Time between checkpoints.
    pub(crate) every: Duration,
    saved_at: Instant,
    /// A state that is not saved yet.
    copy: Option<File>,
    copied_at: Instant,
    /// Time after a copy until the next.
    next_copy: Duration,
}

impl<'a> Keeper<'a> {
    pub(crate) fn new(
        store: &'a Store,
        cell: &'a Cell,
        seed: u64,
        data: &'a TrainTest,
        settings: &'a FitSettings,
    ) -> Self {
        let path = store.folder().join(CHECKPOINTS).join(cell.file_name(seed) + ".json");
        let now = Instant::now();
        Self {
            store,
            path,
            name: cell.source.name(),
            data,
            settings,
            every: Duration::MAX,
            saved_at: now,
            copy: None,
            copied_at: now,
            next_copy: FIRST_COPY,
        }
    }

    /// Saves the trial when it is time, and in the last generation.
    pub(crate) fn observe(&mut self, trace: &Trace, progress: &Progress<'_>, is_last: bool) {
        let is_due = self.saved_at.elapsed() > self.every;
        if !is_due && !is_last && self.copied_at.elapsed() < self.next_copy {
            return;
        }
        let started = Instant::now();
        let checkpoint = Checkpoint::new(self.name, self.data, self.settings, progress);
        self.copy = Some(File { trace: trace.clone(), checkpoint });
        self.copied_at = Instant::now();
        self.next_copy = started.elapsed() * FRACTION_FOR_COPIES;
        if is_due || is_last {
            self.end();
        }
    }

    /// Saves the last state that was copied. A checkpoint that cannot be written is told once, and is not an
    /// error: an interrupted trial then starts again, with the same result.
    pub(crate) fn end(&mut self) {
        static TOLD: Once = Once::new();
        self.saved_at = Instant::now();
        let Some(copy) = self.copy.take() else { return };
        let (Ok(text), Some(folder)) = (serde_json::to_string(&copy), self.path.parent()) else { return };
        let _ = fs::create_dir(folder);
        // A folder that has become a link since the store was opened is not followed.
        let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
        let written = if is_folder {
            write_plain(&self.path, text.as_bytes()).map_err(|e| e.to_string())
        } else {
            Err(format!("{}: this is not a folder", folder.display()))
        };
        if let Err(reason) = written {
            TOLD.call_once(|| {
                self.store.tell(&format!(
                    "warning: the checkpoint of a trial cannot be written: {reason}; the trials go on"
                ));
            });
        }
    }

    /// The trace and the state of an interrupted trial, if the file is complete and belongs to this trial.
    pub(crate) fn load(&self) -> Option<(Trace, Vec<u8>)> {
        let text = read_plain_text(&self.path, "checkpoint", LARGEST).ok()?;
        let File { trace, checkpoint } = serde_json::from_str(&text).ok()?;
        checkpoint.check(self.name, self.data, self.settings).ok()?;
        Some((trace, checkpoint.state().ok()?))
    }

    /// Removes the checkpoint of a finished trial.
    pub(crate) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}
