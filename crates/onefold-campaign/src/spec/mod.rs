//! The parser of campaign files.

mod cell_file;

pub use cell_file::CellFile;

use super::cell::Cell;
use crate::Error;
use onefold::Builtin;
use onefold::data::TableNotice;
use serde::Deserialize;
use std::collections::HashSet;
use std::path::Path;
use toml::Spanned;

/// A campaign that has passed all checks.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Its name, which is also the default name of its store.
    pub name: String,
    /// Its cells, in the order of the file.
    pub cells: Vec<Cell>,
    /// Cells that were not selected, but that selected ones may be compared with.
    pub others: Vec<Cell>,
    /// What was assumed about the tables of its cells, each with the name of its file.
    pub notices: Vec<(String, TableNotice)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Spanned<String>,
    #[serde(default = "default_runs")]
    runs: usize,
    cell: Vec<Spanned<toml::Table>>,
}

fn default_runs() -> usize {
    50
}

/// The text of a campaign file, for error messages with line numbers.
struct Text<'a> {
    text: &'a str,
    origin: &'a str,
}

impl Text<'_> {
    fn wrong_at(&self, offset: usize, message: &str) -> Error {
        let line = 1 + self.text[..offset.min(self.text.len())].matches('\n').count();
        let words: Vec<&str> = message.split_whitespace().collect();
        Error::input(format!("{} line {line}: {}", self.origin, words.join(" ")))
    }

    /// The offset of a key of the cell that begins at `start`; `start` itself if the key is not found.
    fn offset_of(&self, start: usize, key: Option<&str>) -> usize {
        let Some(key) = key else { return start };
        let mut offset = start;
        for (number, line) in self.text[start..].split_inclusive('\n').enumerate() {
            if number > 0 && line.trim_start().starts_with("[[") {
                break;
            }
            let rest = line.trim_start().strip_prefix(key).map(str::trim_start);
            if rest.is_some_and(|rest| rest.starts_with('=')) {
                return offset;
            }
            offset += line.len();
        }
        start
    }
}

impl Campaign {
    /// Reads and checks a file.
    ///
    /// # Errors
    ///
    /// If the data cannot be read or made.
    pub fn load(path: &Path) -> Result<Self, Error> {
        Self::parse(&super::read(path)?, &path.display().to_string())
    }

    /// Reads and checks the text of a file; `origin` names it in messages.
    ///
    /// # Errors
    ///
    /// The first mistake, with its line.
    pub fn parse(text: &str, origin: &str) -> Result<Self, Error> {
        let at = Text { text, origin };
        let file: File = toml::from_str(text)
            .map_err(|e| at.wrong_at(e.span().map_or(0, |span| span.start), e.message()))?;
        if !is_word(file.name.get_ref()) {
            let message = "the campaign's name must consist of letters, digits and dashes, as its store is named after it";
            return Err(at.wrong_at(file.name.span().start, message));
        }
        if file.cell.is_empty() {
            return Err(at.wrong_at(0, "there is no cell; add one beginning with [[cell]]"));
        }
        let (mut cells, mut starts, mut names) = (Vec::new(), Vec::new(), HashSet::new());
        let mut notices = Vec::new();
        for spanned in file.cell {
            let start = spanned.span().start;
            let cell =
                CellFile::read(spanned.into_inner()).and_then(|cell| cell.resolve(file.runs, &mut notices));
            let cell = cell.map_err(|wrong| {
                at.wrong_at(
                    at.offset_of(start, wrong.key.as_deref()),
                    &format!("in this cell, {}", wrong.message),
                )
            })?;
            if !names.insert(cell.name.clone()) {
                let message = format!("there are two cells named {}; rename one", cell.name);
                return Err(at.wrong_at(start, &message));
            }
            cells.push(cell);
            starts.push(start);
        }
        for (cell, start) in cells.iter().zip(starts) {
            if let Some(other) = cell.versus().filter(|other| !names.contains(*other)) {
                let message = format!("in this cell, versus is {other}, but there is no such cell");
                return Err(at.wrong_at(at.offset_of(start, Some("versus")), &message));
            }
        }
        Ok(Self { name: file.name.into_inner(), cells, others: Vec::new(), notices })
    }

    /// Keeps the cells that match: `*` in a pattern matches any text, slashes included; tables are separated
    /// by commas.
    ///
    /// # Errors
    ///
    /// If there is no such table, or no cell matches.
    pub fn select(&mut self, pattern: Option<&str>, table: Option<&str>) -> Result<(), Error> {
        if let Some(tables) = table {
            let requested: Vec<&str> = tables.split(',').map(str::trim).collect();
            let mut known: Vec<&str> = Vec::new();
            for cell in &self.cells {
                if !known.contains(&cell.table.as_str()) {
                    known.push(&cell.table);
                }
            }
            if let Some(unknown) = requested.iter().find(|name| !known.contains(name)) {
                return Err(Error::UnknownTable {
                    name: (*unknown).into(),
                    known: known.iter().map(ToString::to_string).collect(),
                });
            }
            self.keep(|cell| requested.contains(&cell.table.as_str()));
        }
        if let Some(pattern) = pattern {
            let names: Vec<_> = self.cells.iter().map(|c| c.name.clone()).collect();
            self.keep(|cell| matches(pattern, &cell.name));
            if self.cells.is_empty() {
                let hint = nearest(&names, pattern).map_or(String::new(), |n| format!("; did you mean {n}?"));
                return Err(Error::input(format!("no cell matches {pattern}{hint}")));
            }
        }
        Ok(())
    }

    /// Keeps only the cells and runs of the quick subset, if that is asked for, and at most this many runs of
    /// each cell.
    ///
    /// # Errors
    ///
    /// If no cell belongs to the quick subset.
    pub fn limit_runs(&mut self, quick: bool, runs: Option<usize>) -> Result<(), Error> {
        if quick {
            self.cells.retain(|cell| cell.quick.is_some());
            self.cells.iter_mut().for_each(|cell| cell.runs = cell.quick.unwrap_or(cell.runs));
            if self.cells.is_empty() {
                return Err(Error::NotQuick);
            }
        }
        if let Some(runs) = runs {
            self.cells.iter_mut().for_each(|cell| cell.runs = cell.runs.min(runs));
        }
        Ok(())
    }

    fn keep(&mut self, is_selected: impl Fn(&Cell) -> bool) {
        let (selected, others): (Vec<_>, Vec<_>) = self.cells.drain(..).partition(is_selected);
        self.cells = selected;
        self.others.extend(others);
    }
}

/// Whether a folder can have this name on all systems.
fn is_word(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
}

/// The name that is most similar to a text.
fn nearest<'a>(names: &'a [String], text: &str) -> Option<&'a String> {
    names.iter().max_by(|a, b| strsim::jaro_winkler(a, text).total_cmp(&strsim::jaro_winkler(b, text)))
}

/// The message about the name of a data set that is not built in.
#[must_use]
pub fn unknown_dataset(name: &str) -> String {
    let nearest = Builtin::ALL
        .iter()
        .map(|b| (b.name(), strsim::jaro_winkler(&name.to_lowercase(), b.name())))
        .filter(|(_, similarity)| *similarity > 0.7)
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let hint = match nearest {
        Some((nearest, _)) => format!("did you mean {nearest}?"),
        None => format!("the built-in ones are {}", Builtin::ALL.map(Builtin::name).join(", ")),
    };
    format!("there is no data set \"{name}\"; {hint}")
}

/// Whether `name` matches a pattern in which `*` matches any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, rest)) => match name.strip_prefix(head) {
            None => false,
            Some(tail) => {
                (0..=tail.len()).filter(|i| tail.is_char_boundary(*i)).any(|i| matches(rest, &tail[i..]))
            }
        },
    }
}

#[cfg(test)]
mod tests;
