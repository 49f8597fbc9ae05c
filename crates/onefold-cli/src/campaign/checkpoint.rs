//! Checkpoints of long trials, in a folder of the store: an interrupted trial resumes to the same bits.

use super::store::{CHECKPOINTS, Trace};
use super::{Cell, Store};
use onefold::files::{open_plain, write_plain};
use onefold::{Checkpoint, FitSettings, Progress, TrainTest};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::BufReader;
use std::path::PathBuf;

/// The content of a checkpoint file.
#[derive(Serialize, Deserialize)]
struct File {
    trace: Trace,
    checkpoint: Checkpoint,
}

/// Saves and loads the checkpoint of one trial.
pub(crate) struct Keeper<'a> {
    path: PathBuf,
    name: &'a str,
    data: &'a TrainTest,
    settings: &'a FitSettings,
}

impl<'a> Keeper<'a> {
    pub(crate) fn new(
        store: &Store,
        cell: &'a Cell,
        seed: u64,
        data: &'a TrainTest,
        settings: &'a FitSettings,
    ) -> Self {
        let path = store.folder().join(CHECKPOINTS).join(cell.file_name(seed) + ".json");
        Self { path, name: cell.source.name(), data, settings }
    }

    /// Saves the trial. A checkpoint that cannot be written is not an error: an interrupted trial then starts
    /// again, with the same result.
    pub(crate) fn save(&self, trace: &Trace, progress: &Progress<'_>) {
        let checkpoint = Checkpoint::new(self.name, self.data, self.settings, progress);
        if let (Ok(text), Some(folder)) =
            (serde_json::to_string(&File { trace: trace.clone(), checkpoint }), self.path.parent())
        {
            let _ = fs::create_dir(folder);
            // A folder that has become a link since the store was opened is not followed.
            if fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
                let _ = write_plain(&self.path, text.as_bytes());
            }
        }
    }

    /// The trace and the state of an interrupted trial, if the file is complete and belongs to this trial.
    pub(crate) fn load(&self) -> Option<(Trace, Vec<u8>)> {
        let file = open_plain(&self.path, fs::OpenOptions::new().read(true)).ok()?;
        let File { trace, checkpoint } = serde_json::from_reader(BufReader::new(file)).ok()?;
        checkpoint.check(self.name, self.data, self.settings).ok()?;
        Some((trace, checkpoint.state().ok()?))
    }

    /// Removes the checkpoint of a finished trial.
    pub(crate) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}
