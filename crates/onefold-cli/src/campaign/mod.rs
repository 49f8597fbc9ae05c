//! Campaigns as commands use them: their files, progress bars and tables.

pub(crate) mod bars;
pub(crate) mod table;

use crate::failure::{Failure, print_notices};
use crate::paths::Input;
use onefold_campaign::{Campaign, Cell};
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

/// Reads and checks the text of a campaign file, and says what was assumed about its tables.
pub(crate) fn parse(text: &str, origin: &str) -> Result<Campaign, Failure> {
    let campaign = Campaign::parse(text, origin)?;
    for (file, notice) in &campaign.notices {
        print_notices(file, std::slice::from_ref(notice));
    }
    Ok(campaign)
}

/// Reads and checks a campaign file.
pub(crate) fn load(path: &Path) -> Result<Campaign, Failure> {
    parse(&onefold_campaign::read(path)?, &path.display().to_string())
}
