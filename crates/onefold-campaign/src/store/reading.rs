//! Reads the records of a store, also those that other processes add.

use super::folder;
use super::record::{NOT_A_RECORD, Record, may_be_partial, parse};
use crate::Error;
use onefold::files::open_plain;
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// The longest line, which is one record.
const LONGEST_LINE: u64 = 16 << 20;

/// What is kept of the records read so far.
pub(super) struct Seen<T> {
    pub(super) records: HashMap<(String, u64), T>,
    /// Bytes and lines read of each file.
    read: HashMap<PathBuf, (u64, usize)>,
    keep: fn(Record) -> T,
}

impl<T> Seen<T> {
    pub(super) fn new(keep: fn(Record) -> T) -> Self {
        Self { records: HashMap::new(), read: HashMap::new(), keep }
    }

    pub(super) fn refresh(&mut self, folder: &Path) -> Result<(), Error> {
        let failed = |path: &Path, e: std::io::Error| Error::input(format!("{}: {e}", path.display()));
        for path in folder::records(folder)? {
            self.read_new(&path).map_err(|e| failed(&path, e))??;
        }
        Ok(())
    }

    /// Reads the complete lines added to a file; the last line may still be partial.
    fn read_new(&mut self, path: &Path) -> std::io::Result<Result<(), Error>> {
        let (offset, lines) = self.read.get(path).copied().unwrap_or_default();
        let mut file = open_plain(path, OpenOptions::new().read(true))?;
        if file.metadata()?.len() <= offset {
            return Ok(Ok(()));
        }
        file.seek(SeekFrom::Start(offset))?;
        let (mut file, mut line) = (BufReader::new(file), Vec::new());
        let (mut complete, mut number) = (offset, lines);
        loop {
            line.clear();
            (&mut file).take(LONGEST_LINE + 1).read_until(b'\n', &mut line)?;
            let wrong =
                |reason: &str| Error::input(format!("{} line {}: {reason}", path.display(), number + 1));
            if line.len() as u64 > LONGEST_LINE {
                let reason = format!("this line is longer than {} MiB", LONGEST_LINE >> 20);
                return Ok(Err(wrong(&reason)));
            }
            let is_complete = line.ends_with(b"\n");
            match parse(&line) {
                // Of a trial recorded twice, as after merging stores, the first record counts.
                Ok(record) => {
                    let key = (record.cell.clone(), record.seed);
                    self.records.entry(key).or_insert_with(|| (self.keep)(record));
                }
                Err(reason) if is_complete && !line.trim_ascii().is_empty() => {
                    return Ok(Err(wrong(&reason)));
                }
                Err(_) if !is_complete && !may_be_partial(&line) => return Ok(Err(wrong(NOT_A_RECORD))),
                Err(_) => {}
            }
            // The last line may be partial, or a complete record without a line end, as a copy may leave it.
            if !is_complete {
                self.read.insert(path.into(), (complete, number));
                return Ok(Ok(()));
            }
            complete += line.len() as u64;
            number += 1;
        }
    }
}
