//! The data of a cell.

use onefold::{Builtin, BuiltinSettings, Error, Split, Table, TableSettings, TrainTest};
use serde_json::{Value, json};
use std::sync::Arc;

/// Where the data of a cell comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A built-in set.
    Builtin {
        /// The set.
        builtin: Builtin,
        /// How it is made.
        settings: BuiltinSettings,
        /// The noisy sample of a generated set that each trial uses.
        samples: NoisySamples,
    },
    /// A file, read once.
    File {
        /// Its name without folder and extension.
        stem: String,
        /// The training and test rows of each trial.
        rows: Rows,
        /// Digest of its content.
        digest: String,
        /// How it is read.
        settings: TableSettings,
    },
}

/// The training and test rows of each trial on a file.
#[derive(Clone, Debug)]
pub enum Rows {
    /// The same in every trial.
    Split {
        /// How they are divided.
        split: Split,
        /// The rows.
        data: Arc<TrainTest>,
    },
    /// One fold tests and the others train; the fold is the trial's seed modulo the number of folds.
    Folds {
        /// All rows.
        table: Arc<Table>,
        /// Number of folds.
        folds: usize,
        /// Seed of the division.
        seed: u64,
    },
}

impl Rows {
    /// The rows of the trial with this seed.
    ///
    /// # Errors
    ///
    /// If the table cannot be divided so.
    pub fn of_trial(&self, trial: u64) -> Result<Arc<TrainTest>, Error> {
        match self {
            Self::Split { data, .. } => Ok(Arc::clone(data)),
            Self::Folds { table, folds, seed } => {
                let fold = trial % (*folds).max(1) as u64;
                Ok(Arc::new(table.fold(fold as usize, *folds, *seed)?))
            }
        }
    }
}

/// The noisy sample of a generated set that each trial uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoisySamples {
    /// The same in every trial, given by the data seed.
    One,
    /// A new one in each trial: data seed 1 + seed.
    PerTrial,
    /// A fixed number of samples in rotation: data seed 1 + seed mod this number.
    InTurn(u64),
}

impl Source {
    /// Its name in tables and figures.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Builtin { builtin, .. } => builtin.name(),
            Self::File { stem, .. } => stem,
        }
    }

    /// Adds the settings that determine the data of a trial.
    pub(crate) fn add_readings(&self, readings: &mut Value) {
        let mut set = |name: &str, value: Value| readings[name] = value;
        match self {
            Self::Builtin { builtin, settings, samples } => {
                if let Some(split) = settings.split.or(builtin.split()) {
                    set("split", json!(split.to_string()));
                } else {
                    set("samples", json!(settings.samples.unwrap_or(200)));
                    set("noise", json!(settings.noise.unwrap_or(0.005)));
                    let data_seed = match samples {
                        NoisySamples::One => json!(settings.data_seed.unwrap_or(1)),
                        NoisySamples::PerTrial => json!("run"),
                        NoisySamples::InTurn(count) => json!(format!("1..{count}")),
                    };
                    set("data_seed", data_seed);
                }
                match builtin {
                    // The formula's name in the records of version 0.1.0.
                    Builtin::Syn5 => set("formula", json!("corrected")),
                    Builtin::Balance => set("encoding", json!(settings.balance)),
                    Builtin::TicTacToe => set("encoding", json!(settings.squares)),
                    _ => {}
                }
            }
            Self::File { rows, digest, settings, .. } => {
                match rows {
                    Rows::Split { split, .. } => set("split", json!(split.to_string())),
                    Rows::Folds { folds, seed, .. } => {
                        set("folds", json!(folds));
                        set("split_seed", json!(seed));
                    }
                }
                set("file", json!(digest));
                set("table", json!(settings));
            }
        }
    }
}
