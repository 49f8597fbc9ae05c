//! Repairs the last line of a file of records.

use super::Tell;
use super::record::{NOT_A_RECORD, may_be_partial, parse};
use crate::Error;
use onefold::files::{open_plain, write_new};
use std::fs::OpenOptions;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Repairs a last line without a line break: a complete record gets one, a partial record is moved to a file
/// beside it. A file with a line that is not a record is not ours: it stays as it is, and is an error.
pub(super) fn repair(path: &Path, tell: Tell) -> Result<(), Error> {
    let failed = |e: io::Error| Error::input(format!("{}: {e}", path.display()));
    let mut file = match open_plain(path, OpenOptions::new().read(true).write(true)) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(failed(e)),
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    let start = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let (complete, last) = bytes.split_at(start);
    for (number, line) in complete.split_inclusive(|b| *b == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() {
            parse(line).map_err(|reason| not_ours(path, number + 1, &reason))?;
        }
    }
    if last.is_empty() {
        return Ok(());
    }
    if parse(last).is_ok() || last.trim_ascii().is_empty() {
        file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(b"\n")).map_err(failed)?;
    } else if may_be_partial(last) {
        let kept = write_new(cut_names(path), last)?;
        file.set_len(start as u64).map_err(failed)?;
        tell(&format!(
            "note: {} ended in a part of a record, which is kept in {}; its trial will be run again",
            path.display(),
            kept.display()
        ));
    } else {
        let number = 1 + complete.split_inclusive(|b| *b == b'\n').count();
        return Err(not_ours(path, number, NOT_A_RECORD));
    }
    file.sync_data().map_err(failed)
}

fn not_ours(path: &Path, number: usize, reason: &str) -> Error {
    Error::input(format!("{} line {number}: {reason}", path.display()))
}

/// Names for what is cut off: `trials.jsonl.cut-1` and so on, which are not read as records.
fn cut_names(path: &Path) -> impl Iterator<Item = PathBuf> {
    (1_u64..).map(move |n| {
        let mut name = path.as_os_str().to_os_string();
        name.push(format!(".cut-{n}"));
        name.into()
    })
}
