//! What is wrong with a table, as values: where, what, and what would help.

mod kind;
mod severity;

pub(crate) use kind::list;
pub use kind::{Advice, ProblemKind};

use super::{Error, shown};
use std::fmt::{self, Write as _};

/// Most problems of one table that are listed; further ones are counted.
pub(crate) const MOST_LISTED: usize = 20;
/// So many are kept while a table is read, the first ones, before the worst of them are listed.
const MOST_KEPT: usize = 10 * MOST_LISTED;

/// A table that cannot be used, with everything that was found wrong with it.
///
/// `Display` names settings by their fields. A program with other names for them (flags, say) writes the
/// message with [`message`](Self::message) instead.
#[derive(Clone, Debug, PartialEq)]
pub struct TableError {
    /// The file, or what stands for it in messages.
    pub table: String,
    /// The problems, the worst ones first: what cannot be read at all, lines, columns, fields, missing
    /// values; those that are equally bad by line. At most 20 are kept.
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
    /// Number of further fields of the column that are wrong in the same way and not listed.
    pub also: usize,
    /// What would help, any one of these.
    pub advice: &'static [Advice],
}

impl TableError {
    pub(crate) fn new(table: &str) -> Self {
        Self { table: table.into(), problems: Vec::new(), more: 0 }
    }

    /// An error of the table as a whole.
    pub(crate) fn of(table: &str, kind: ProblemKind, advice: &'static [Advice]) -> Error {
        let problem = TableProblem { line: None, column: None, kind, also: 0, advice };
        Error::Table(Self { problems: vec![problem], ..Self::new(table) })
    }

    /// Adds a problem; `make` is called only where it will be listed.
    pub(crate) fn add(&mut self, line: Option<u64>, make: impl FnOnce() -> TableProblem) {
        let place = self.problems.partition_point(|p| p.line <= line);
        if place < MOST_KEPT {
            self.problems.insert(place, make());
            self.keep(MOST_KEPT);
        } else {
            self.more += 1;
        }
    }

    /// Keeps the first ones, and counts the others.
    fn keep(&mut self, most: usize) {
        if self.problems.len() > most {
            self.more += self.problems.drain(most..).map(|problem| 1 + problem.also).sum::<usize>();
        }
    }

    /// Adds the problems of later lines.
    pub(crate) fn append(&mut self, later: Self) {
        self.more += later.more;
        later.problems.into_iter().for_each(|problem| self.add(problem.line, || problem));
    }

    /// This error, if there is a problem.
    pub(crate) fn check(mut self) -> Result<(), Error> {
        self.problems.sort_by_key(|problem| problem.kind.severity());
        self.keep(MOST_LISTED);
        if self.problems.is_empty() { Ok(()) } else { Err(Error::Table(self)) }
    }

    /// The message, with `advise` for what would help: one sentence for one problem, a list for several.
    #[must_use]
    pub fn message(&self, advise: impl Fn(Advice) -> String) -> String {
        let advised = |problem: &TableProblem| {
            let parts: Vec<String> = problem.advice.iter().map(|a| advise(*a)).collect();
            let advice = if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", or ")) };
            format!("{}{advice}", described(problem))
        };
        if let ([problem], 0) = (&self.problems[..], self.more) {
            let place = problem.place();
            let space = if place.is_empty() { "" } else { " " };
            return shown(&format!("{}{space}{place}: {}", self.table, advised(problem))).into_owned();
        }
        let count = self.problems.iter().map(|problem| 1 + problem.also).sum::<usize>() + self.more;
        let mut text = format!("{} has {count} problems:", shown(&self.table));
        let mut said: Vec<&[Advice]> = Vec::new();
        for problem in &self.problems {
            let place = problem.place();
            let colon = if place.is_empty() { "" } else { ": " };
            // The same advice once is enough.
            let is_new = !said.contains(&problem.advice);
            let what = if is_new { advised(problem) } else { described(problem) };
            said.push(problem.advice);
            let _ = write!(text, "\n  {}", shown(&format!("{place}{colon}{what}")));
        }
        if self.more > 0 {
            let _ = write!(text, "\n  and {} more", self.more);
        }
        text
    }
}

/// What is wrong, and how often it is in the column.
fn described(problem: &TableProblem) -> String {
    match problem.also {
        0 => problem.kind.to_string(),
        also => format!("{} (and {also} more in this column)", problem.kind),
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
