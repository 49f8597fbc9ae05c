//! Campaigns: many trials of many cells, described by a file, run in parallel, and recorded in a store.
//!
//! The command `onefold` and the Python package run campaigns by this crate. It prints nothing and parses no
//! arguments: what a user should see comes back as a value, an [`Error`] or a call of an observer.
//!
//! # Map
//!
//! - A [`Campaign`] is read from a file; each of its [`Cell`]s has the settings of its trials.
//! - A [`Store`] holds a [`Record`] of every finished trial; [`runner`] runs those that are missing, with
//!   checkpoints of long ones.
//! - [`task`] is the same for workers elsewhere: a driver lists missing trials and alone writes to the store,
//!   workers run trials of cells that were sent to them as a [`parcel`].
//! - [`tuning`] finds the population of a cell by campaigns that anything may run.
//! - [`summary`] makes the rows of tables from records, by [`statistics`].

pub mod cell;
mod checkpoint;
mod error;
pub mod parcel;
mod prediction;
pub mod runner;
pub mod source;
pub mod spec;
pub mod statistics;
pub mod store;
pub mod summary;
pub mod task;
mod trial;
pub mod tuning;

pub use cell::Cell;
pub use error::Error;
pub use spec::Campaign;
pub use store::{Record, Store};
pub use tuning::Tuning;

use std::path::Path;

/// The largest campaign file.
const LARGEST: u64 = 4 << 20;

/// The built-in campaign: the paper's tables and figure.
pub const PAPER: &str = include_str!("../../../experiments/paper.toml");

/// The text of a campaign file.
///
/// # Errors
///
/// If it cannot be read, or is no text.
pub fn read(path: &Path) -> Result<String, Error> {
    Ok(onefold::files::read_text(path, "campaign file", LARGEST)?)
}

/// The name of the campaign in the text of a campaign file, if it can be read.
#[must_use]
pub fn name_in(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    table.get("name")?.as_str().map(String::from)
}
