//! Records of a store.

use super::Seeds;
use onefold_cli::fuzzing::{opens_store, records};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The first byte of an input says whether the store is also opened for writing, and the format of its table.
pub(crate) const CHOICES: usize = 1;

/// Shortened records of the paper's campaign.
const TRIALS: &str = include_str!("../../seeds/trials.jsonl");

pub(crate) fn seeds() -> Seeds {
    let lines: Vec<&str> = TRIALS.lines().collect();
    let two = [lines[0], "\n", lines[1], "\n"].concat();
    // As a copy may leave it, and as a killed process may.
    let without_line_end = two.trim_end().to_string();
    let partial = [lines[2], "\n", &lines[3][..lines[3].len() / 2]].concat();
    let merged = [&lines[0][..40], lines[1], "\r\n\n", lines[2], "\n"].concat();
    [two, without_line_end, partial, merged].map(String::into_bytes).into()
}

thread_local! {
    /// Where the store is; in memory if possible, since every input is written to it.
    static FOLDER: TempDir = {
        let memory = Path::new("/dev/shm");
        let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        made.expect("a temporary folder")
    };
}

/// Whether bytes after the first are accepted as the records of a store.
///
/// # Panics
///
/// Where opening the store for writing loses a record or changes a complete line.
#[must_use]
pub fn store(bytes: &[u8]) -> bool {
    let (choices, lines) = bytes.split_at(CHOICES.min(bytes.len()));
    let folder: PathBuf = FOLDER.with(|folder| folder.path().into());
    let file = folder.join("trials.jsonl");
    std::fs::write(&file, lines).expect("a temporary file");
    let before = records(&folder);
    let choice = choices.first().copied().unwrap_or(0);
    if let Some(records) = &before {
        records.tabulate(choice / 4);
    }
    if choice % 4 == 1 {
        let is_open = opens_store(&folder);
        let now = std::fs::read(&file).expect("a temporary file");
        let complete = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        assert!(now.starts_with(&lines[..complete]), "opening a store keeps its complete lines");
        assert!(!is_open || records(&folder) == before, "opening a store keeps its records");
        assert!(is_open || now == lines, "a refused store is unchanged");
        // Locks, and what is left of a partial record.
        std::fs::remove_dir_all(&folder)
            .and_then(|()| std::fs::create_dir(&folder))
            .expect("a temporary folder");
    }
    before.is_some_and(|records| records.count() > 0)
}
