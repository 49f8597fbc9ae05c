//! Messages about rows that are not like those of training.

use crate::output::tell;
use onefold::data::{TableRow, TableSchema};

/// So many lines with unknown words are listed.
const MOST_LINES: usize = 20;

/// Counts of rows that were not like those of training, for messages after the answers.
#[derive(Default)]
pub(crate) struct Notes {
    /// Rows with words that training did not have.
    pub(crate) unknown: u64,
    /// The first such word: its column and the word.
    first: Option<(String, String)>,
    /// The first lines with such words.
    lines: Vec<String>,
    /// Whether the model does not say how often the known words occurred.
    has_equal_shares: bool,
    pub(crate) incomplete: u64,
    /// Rows without a value that all training rows had.
    filled: u64,
    /// The first one: its line and the column.
    first_filled: Option<(u64, String)>,
}

impl Notes {
    pub(crate) fn new(schema: &TableSchema) -> Self {
        Self { has_equal_shares: schema.lacks_shares(), ..Self::default() }
    }

    pub(crate) fn count(&mut self, row: &TableRow) {
        if let Some(column) = row.filled.first() {
            self.filled += 1;
            self.first_filled.get_or_insert_with(|| (row.line, column.clone()));
        }
        let Some(first) = row.unknown.first() else { return };
        self.unknown += 1;
        self.first.get_or_insert_with(|| first.clone());
        if self.lines.len() < MOST_LINES {
            self.lines.push(row.line.to_string());
        }
    }

    /// Adds those of later rows.
    pub(crate) fn append(&mut self, later: Self) {
        self.unknown += later.unknown;
        self.incomplete += later.incomplete;
        self.filled += later.filled;
        self.first_filled = self.first_filled.take().or(later.first_filled);
        self.first = self.first.take().or(later.first);
        let room = MOST_LINES - self.lines.len();
        self.lines.extend(later.lines.into_iter().take(room));
    }

    pub(crate) fn print(&self) {
        self.messages().iter().for_each(|message| tell(&format!("note: {message}")));
    }

    /// What is to be said.
    pub(crate) fn messages(&self) -> Vec<String> {
        let mut messages = Vec::new();
        if let Some((line, column)) = &self.first_filled {
            let rows =
                if self.filled == 1 { "1 row lacks".into() } else { format!("{} rows lack", self.filled) };
            messages.push(format!(
                "{rows} a value that all training rows had, the first in line {line}: column {column}; the \
                 mean or the most frequent text of the training rows stands for it"
            ));
        }
        if let Some((column, word)) = &self.first {
            let more = self.unknown - self.lines.len() as u64;
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let average = if self.has_equal_shares {
                "the average of the known words stands for them, all counted equally, as the model file is of an \
                 older version and does not say how often each occurred"
            } else {
                "the average of the training rows stands for them"
            };
            let (rows, lines) = if self.unknown == 1 { ("row has", "line") } else { ("rows have", "lines") };
            messages.push(format!(
                "{} {rows} words that training did not, the first in line {}: \"{word}\" in column \
                 {column}; {average} ({lines} {}{more})",
                self.unknown,
                self.lines.first().map_or("", String::as_str),
                self.lines.join(", "),
            ));
        }
        if self.incomplete > 0 {
            let (rows, get) = if self.incomplete == 1 { ("row has", "gets") } else { ("rows have", "get") };
            messages.push(format!(
                "{} {rows} missing values, as the model's training left out, and {get} no prediction",
                self.incomplete
            ));
        }
        messages
    }
}
