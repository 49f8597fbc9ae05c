//! What can be wrong with a campaign, its store or a trial.

use std::path::PathBuf;

/// What is wrong with a campaign, its store or a trial.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the library.
    #[error(transparent)]
    Library(#[from] onefold::Error),
    /// A record cannot be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
    /// A mistake in what was given: one sentence that says what, where, and what to do.
    #[error("{0}")]
    Input(String),
    /// A folder cannot be used as a store.
    #[error("store {}: {reason}", folder.display())]
    Store {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A range of populations that cannot be tried.
    #[error("populations from {low} to {high}: must be a range from {least} or above to at most {most}")]
    Populations {
        /// The smallest.
        low: usize,
        /// The largest.
        high: usize,
        /// The smallest that the method can use.
        least: usize,
        /// The largest that is allowed.
        most: usize,
    },
    /// There is no such table in a campaign.
    #[error("table {name}: must be one of {}", known.join(", "))]
    UnknownTable {
        /// The name that was given.
        name: String,
        /// The names of the campaign's tables.
        known: Vec<String>,
    },
    /// The quick subset was asked for, and no cell belongs to it.
    #[error("quick: none of these cells belongs to the quick subset")]
    NotQuick,
    /// A trial of the store was run with other settings than the campaign has.
    #[error(
        "{}: seed {seed} of {cell} was run with other settings: {difference}; use another store, or remove its records",
        folder.display()
    )]
    OtherSettings {
        /// The folder of the store.
        folder: PathBuf,
        /// The trial's cell.
        cell: String,
        /// The trial's seed.
        seed: u64,
        /// The first setting that differs.
        difference: String,
    },
}

impl Error {
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }
}
