//! Reads the records of a store, also those that other processes add.

use super::folder;
use super::record::{NOT_A_RECORD, Record, may_be_partial, parse};
use crate::failure::Failure;
use onefold::files::open_plain;
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// The records read so far.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) records: HashMap<(String, u64), Record>,
    /// Bytes and lines read of each file.
    read: HashMap<PathBuf, (u64, usize)>,
}

impl Seen {
    pub(super) fn refresh(&mut self, folder: &Path) -> Result<(), Failure> {
        let failed = |path: &Path, e: std::io::Error| Failure::bad_input(format!("{}: {e}", path.display()));
        for path in folder::records(folder)? {
            self.read_new(&path).map_err(|e| failed(&path, e))??;
        }
        Ok(())
    }

    /// Reads the complete lines added to a file; the last line may still be partial.
    fn read_new(&mut self, path: &Path) -> std::io::Result<Result<(), Failure>> {
        let (offset, lines) = self.read.get(path).copied().unwrap_or_default();
        let mut file = open_plain(path, OpenOptions::new().read(true))?;
        if file.metadata()?.len() <= offset {
            return Ok(Ok(()));
        }
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let complete = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let mut number = lines;
        for line in bytes[..complete].split_inclusive(|b| *b == b'\n') {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match parse(line) {
                // Of a trial recorded twice, as after merging stores, the first record counts.
                Ok(record) => drop(self.records.entry((record.cell.clone(), record.seed)).or_insert(record)),
                Err(reason) => {
                    let message = format!("{} line {number}: {reason}", path.display());
                    return Ok(Err(Failure::bad_input(message)));
                }
            }
        }
        // A complete record without a line end, as a copy may leave it.
        let last = &bytes[complete..];
        if let Ok(record) = parse(last) {
            self.records.entry((record.cell.clone(), record.seed)).or_insert(record);
        } else if !may_be_partial(last) {
            let message = format!("{} line {}: {NOT_A_RECORD}", path.display(), number + 1);
            return Ok(Err(Failure::bad_input(message)));
        }
        self.read.insert(path.into(), (offset + complete as u64, number));
        Ok(Ok(()))
    }
}
