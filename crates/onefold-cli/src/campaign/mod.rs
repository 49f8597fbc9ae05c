//! Campaigns: many trials of many cells, described by a file, run on all cores, kept in a store.

pub(crate) mod checkpoint;
pub(crate) mod runner;
pub(crate) mod spec;
pub(crate) mod statistics;
pub(crate) mod store;
pub(crate) mod summary;
pub(crate) mod table;

pub(crate) use spec::{Campaign, Cell};
pub(crate) use store::{Record, Store};

/// The campaign that is built in: the paper's tables and figure.
pub(crate) const PAPER: &str = include_str!("../../../../experiments/paper.toml");
