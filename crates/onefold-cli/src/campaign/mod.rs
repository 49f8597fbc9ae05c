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
pub(crate) const LARGEST: u64 = 4 << 20;

use crate::failure::Failure;
use crate::paths::Input;
use std::path::{Path, PathBuf};

/// What a command on a campaign reads, and none of its outputs may replace: the campaign's file, the data of
/// its cells, and the files of its store.
pub(crate) fn inputs<'a>(
    file: Option<&'a Path>,
    campaign: &'a Campaign,
    store: &'a [PathBuf],
) -> Vec<Input<'a>> {
    let cells = campaign.cells.iter().chain(&campaign.others);
    let data = cells.filter_map(Cell::data_file).map(|path| ("the data of a cell", Some(path)));
    let records = store.iter().map(|path| ("a file of the store", Some(path.as_path())));
    std::iter::once(("the campaign", file)).chain(data).chain(records).collect()
}

/// The folder of records where none is named: `results/` and a name. A link in its place was not named by the
/// user, and may lead anywhere.
pub(crate) fn default_store(name: &str) -> Result<PathBuf, Failure> {
    let results = PathBuf::from("results");
    let folder = results.join(name);
    for path in [&results, &folder] {
        if path.is_symlink() {
            return Err(Failure::bad_input(format!(
                "{}: this is a symbolic link; if you trust it, use --store {}",
                path.display(),
                folder.display()
            )));
        }
    }
    Ok(folder)
}

/// The text of a campaign file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    Ok(onefold::files::read_text(path, "campaign file", LARGEST)?)
}

/// The name of the campaign in the text of a campaign file, if it can be read.
pub(crate) fn name_in(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    table.get("name")?.as_str().map(String::from)
}

/// The built-in campaign: the paper's tables and figure.
pub(crate) const PAPER: &str = include_str!("../../../../experiments/paper.toml");
