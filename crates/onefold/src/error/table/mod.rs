//! What is wrong with a table, as values: where, what, and what would help.

mod kind;

pub(crate) use kind::list;
pub use kind::{Advice, ProblemKind};

use super::{Error, shown};
use std::fmt::{self, Write as _};

/// Most problems of one table that are listed; further ones are counted.
pub(crate) const MOST_LISTED: usize = 20;

/// A table that cannot be used, with everything that was found wrong with it.
///
/// `Display` names settings by their fields. A program with other names for them (flags, say) writes the
/// message with [`message`](Self::message) instead.
#[derive(Clone, Debug, PartialEq)]
pub struct TableError {
    /// The file, or what stands for it in messages.
    pub table: String,
    /// The problems: first those of the whole table, then by line. At most 20 are kept.
    pub problems: Vec<TableProblem>,
    /// Number of problems that are not listed.
    pub more: usize,
}

/// One thing that is wrong with a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableProblem {
    /// Line of the file, from 1; none if it is about the table or a column as a whole.
    pub line: Option<u64>,
    /// Name of the column, or its number from 1 where the file gives it no name.
    pub column: Option<String>,
    /// What is wrong.
    pub kind: ProblemKind,
    /// What would help, any one of these.
    pub advice: &'static [Advice],
}

impl TableError {
    pub(crate) fn new(table: &str) -> Self {
        Self { table: table.into(), problems: Vec::new(), more: 0 }
    }

    /// An error of the table as a whole.
    pub(crate) fn of(table: &str, kind: ProblemKind, advice: &'static [Advice]) -> Error {
        let problem = TableProblem { line: None, column: None, kind, advice };
        Error::Table(Self { problems: vec![problem], ..Self::new(table) })
    }

    /// Adds a problem; `make` is called only where it will be listed.
    pub(crate) fn add(&mut self, line: Option<u64>, make: impl FnOnce() -> TableProblem) {
        let place = self.problems.partition_point(|p| p.line <= line);
        if place < MOST_LISTED {
            self.problems.insert(place, make());
        }
        if place == MOST_LISTED || self.problems.len() > MOST_LISTED {
            self.problems.truncate(MOST_LISTED);
            self.more += 1;
        }
    }

    /// Adds the problems of later lines.
    pub(crate) fn append(&mut self, later: Self) {
        self.more += later.more;
        later.problems.into_iter().for_each(|problem| self.add(problem.line, || problem));
    }

    /// This error, if there is a problem.
    pub(crate) fn check(self) -> Result<(), Error> {
        if self.problems.is_empty() { Ok(()) } else { Err(Error::Table(self)) }
    }

    /// The message, with `advise` for what would help: one sentence for one problem, a list for several.
    #[must_use]
    pub fn message(&self, advise: impl Fn(Advice) -> String) -> String {
        let advised = |problem: &TableProblem| {
            let parts: Vec<String> = problem.advice.iter().map(|a| advise(*a)).collect();
            let advice = if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", or ")) };
            format!("{}{advice}", problem.kind)
        };
        if let ([problem], 0) = (&self.problems[..], self.more) {
            let place = problem.place();
            let space = if place.is_empty() { "" } else { " " };
            return shown(&format!("{}{space}{place}: {}", self.table, advised(problem))).into_owned();
        }
        let mut text = format!("{} has {} problems:", shown(&self.table), self.problems.len() + self.more);
        let mut said: Vec<&[Advice]> = Vec::new();
        for problem in &self.problems {
            let place = problem.place();
            let colon = if place.is_empty() { "" } else { ": " };
            // The same advice once is enough.
            let is_new = !said.contains(&problem.advice);
            let what = if is_new { advised(problem) } else { problem.kind.to_string() };
            said.push(problem.advice);
            let _ = write!(text, "\n  {}", shown(&format!("{place}{colon}{what}")));
        }
        if self.more > 0 {
            let _ = write!(text, "\n  and {} more", self.more);
        }
        text
    }
}

impl TableProblem {
    /// Line and column, as far as they are known.
    fn place(&self) -> String {
        match (self.line, &self.column) {
            (Some(line), Some(column)) => format!("line {line}, column {column}"),
            (Some(line), None) => format!("line {line}"),
            (None, Some(column)) => format!("column {column}"),
            (None, None) => String::new(),
        }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(|advice| advice.to_string()))
    }
}

impl std::error::Error for TableError {}

#[cfg(test)]
mod tests;
