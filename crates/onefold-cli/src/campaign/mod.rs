//! Campaigns: many trials of many cells, described by a file, run on all cores, and recorded in a store.

pub(crate) mod cell;
pub(crate) mod checkpoint;
pub(crate) mod prediction;
pub(crate) mod runner;
pub(crate) mod spec;
pub(crate) mod statistics;
pub(crate) mod store;
pub(crate) mod summary;
pub(crate) mod table;

pub(crate) use cell::Cell;
pub(crate) use spec::Campaign;
pub(crate) use store::{Record, Store};

/// The largest campaign file.
const LARGEST: u64 = 16 << 20;

/// The text of a campaign file.
pub(crate) fn read(path: &std::path::Path) -> Result<String, crate::failure::Failure> {
    Ok(onefold::files::read_text(path, "campaign file", LARGEST)?)
}

/// The name of the campaign in the text of a campaign file, if it can be read.
pub(crate) fn name_in(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    table.get("name")?.as_str().map(String::from)
}

/// The built-in campaign: the paper's tables and figure.
pub(crate) const PAPER: &str = include_str!("../../../../experiments/paper.toml");
