//! Cells as they are sent to workers: with the file of their data, so that a worker needs nothing else.

use crate::source::Source;
use crate::{Campaign, Cell, Error};
use onefold::files::digest;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use toml::Value;

/// Keys of a cell that its trials do not depend on, and that name other cells or tables.
const OF_TABLES: [&str; 4] = ["versus", "paper", "table", "quick"];

/// The version of onefold, which driver and workers must share.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A cell and its data.
#[derive(Serialize, Deserialize)]
struct Parcel {
    /// A campaign file with this cell alone.
    campaign: String,
    /// Name and content of the file of its data.
    file: Option<(String, Vec<u8>)>,
}

/// A campaign file with one cell.
#[derive(Serialize)]
struct File {
    name: &'static str,
    cell: [toml::Table; 1],
}

/// Everything that a worker needs to run trials of a cell.
///
/// # Errors
///
/// If the file of its data cannot be read, or has changed since the campaign was read.
pub fn pack(cell: &Cell) -> Result<Vec<u8>, Error> {
    let mut table = cell.given.table().clone();
    OF_TABLES.iter().for_each(|key| drop(table.remove(*key)));
    table.insert("name".into(), Value::String(cell.name.clone()));
    table.insert("runs".into(), Value::Integer(1));
    let file = match (&cell.source, cell.data_file()) {
        (Source::File { digest: expected, .. }, Some(path)) => {
            let content = fs::read(path).map_err(|e| Error::input(format!("{}: {e}", path.display())))?;
            if digest(&content) != *expected {
                let message = format!("{}: this file has changed while the campaign is run", path.display());
                return Err(Error::input(message));
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Some((name, content))
        }
        _ => None,
    };
    let campaign = toml::to_string(&File { name: "parcel", cell: [table] })
        .map_err(|e| Error::input(format!("{}: {e}", cell.name)))?;
    postcard::to_stdvec(&(VERSION, Parcel { campaign, file })).map_err(|e| damaged(&e))
}

/// The cell in a parcel.
///
/// # Errors
///
/// If it was packed by another version, or is damaged, or its data cannot be read.
pub fn unpack(parcel: &[u8]) -> Result<Cell, Error> {
    let (version, rest): (String, _) = postcard::take_from_bytes(parcel).map_err(|e| damaged(&e))?;
    if version != VERSION {
        return Err(Error::input(format!(
            "the worker has onefold {VERSION}, but the driver {version}; install the same version on both"
        )));
    }
    let Parcel { campaign, file } = postcard::from_bytes(rest).map_err(|e| damaged(&e))?;
    let Some((name, content)) = file else { return only_cell(&campaign) };
    let folder = tempfile::tempdir()?;
    let name = Path::new(&name).file_name().ok_or_else(|| Error::input("a parcel's file has no name"))?;
    let path = folder.path().join(name);
    fs::write(&path, content)?;
    let mut text: toml::Table = campaign.parse().map_err(|e| damaged(&e))?;
    let cell = text.get_mut("cell").and_then(|cells| cells.get_mut(0)).and_then(Value::as_table_mut);
    let cell = cell.ok_or_else(|| Error::input("a parcel has no cell"))?;
    cell.insert("data".into(), Value::String(path.display().to_string()));
    only_cell(&text.to_string())
}

/// The only cell of a campaign file.
fn only_cell(campaign: &str) -> Result<Cell, Error> {
    let mut campaign = Campaign::parse(campaign, "a parcel")?;
    campaign.cells.pop().ok_or_else(|| Error::input("a parcel has no cell"))
}

fn damaged(reason: &dyn std::fmt::Display) -> Error {
    Error::input(format!("a parcel of a cell is damaged: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "name = \"a\"\n\n[[cell]]\nhidden = \"3\"\nmethod = \"de\"\n";

    #[test]
    fn a_cell_stays_the_same_on_its_way() {
        for rest in [
            "data = \"iris\"\nversus = \"iris/4-3-3/de\"\n",
            "data = \"sinc\"\ndata_seeds = 3\nname = \"x y\"\n",
        ] {
            let cell = only_cell(&format!("{HEAD}{rest}")).unwrap();
            let sent = unpack(&pack(&cell).unwrap()).unwrap();
            assert_eq!((sent.fingerprint(), &sent.name), (cell.fingerprint(), &cell.name));
        }
    }

    #[test]
    fn the_file_of_the_data_comes_along() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        fs::write(&path, "a,b\n1,2\n2,3\n3,5\n4,6\n5,7\n6,9\n").unwrap();
        let text = format!("{HEAD}target = 0.1\ndata = {:?}\n", path.display().to_string());
        let cell = only_cell(&text).unwrap();
        let parcel = pack(&cell).unwrap();
        fs::write(&path, "a,b\n1,2\n").unwrap();
        let message = pack(&cell).unwrap_err().to_string();
        assert!(message.contains("has changed"), "{message}");
        let sent = unpack(&parcel).unwrap();
        assert_eq!((sent.fingerprint(), &sent.name), (cell.fingerprint(), &cell.name));
        assert_eq!(sent.load(0).unwrap().train.inputs, cell.load(0).unwrap().train.inputs);
    }

    #[test]
    fn damaged_parcels_are_refused() {
        let cell = only_cell(&format!("{HEAD}data = \"iris\"\n")).unwrap();
        let parcel = pack(&cell).unwrap();
        assert!(unpack(&parcel[..parcel.len() / 2]).is_err());
        let mut other = parcel.clone();
        other[1] = b'9';
        let message = unpack(&other).unwrap_err().to_string();
        assert!(message.contains("install the same version"), "{message}");
    }
}
