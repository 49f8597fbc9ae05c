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

/// The text of a campaign file.
pub(crate) fn read(path: &std::path::Path) -> Result<String, crate::failure::Failure> {
    std::fs::read_to_string(path)
        .map_err(|e| crate::failure::Failure::bad_input(format!("{}: {e}", path.display())))
}

/// The name of the campaign in the text of a campaign file, if it can be read.
pub(crate) fn name_in(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    table.get("name")?.as_str().map(String::from)
}

/// The built-in campaign: the paper's tables and figure.
pub(crate) const PAPER: &str = include_str!("../../../../experiments/paper.toml");
