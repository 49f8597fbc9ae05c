//! Tables from files: comma-separated values with numbers and words, to inputs and outputs.
//!
//! A file is read once, from its beginning to its end, so that it may also come through a pipe. What is kept of it are its columns:
//! eight bytes for each number, two for each field of a column with few different texts.

mod columns;
mod lines;
mod parts;
mod rows;
mod schema;
mod source;
mod summary;

pub use rows::{RowSettings, TableRow, TableRows};
pub use schema::{InputColumn, InputKind, TableColumn, TableSchema};
pub use source::{Table, TableSource};
pub use summary::{ColumnSummary, Contents, Role, TableSummary};

use super::{Dataset, Partition};
use crate::Error;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How a file becomes a data set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TableSettings {
    /// What separates fields. Default: whichever of comma, semicolon, tab and bar occurs most often in the first line.
    pub delimiter: Option<char>,
    /// Whether the first line holds names. Default: if it has words and no numbers, and either there are only numbers below one of
    /// them, or none of them occurs twice or again in its own column.
    pub header: Option<bool>,
    /// Target columns by name, or by number from 1; several may be joined by commas. Default the last column.
    pub targets: Vec<String>,
    /// Columns to leave out, by name or by number from 1, several joined by commas. Default none.
    pub ignore: Vec<String>,
    /// Columns that identify rows: left out like those of `ignore`, but shown beside predictions. Default none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// What is to be learnt. Default: classification if there is one target and it holds words, otherwise regression.
    pub task: Option<Task>,
    /// How input columns of words become numbers. Default one column for each word.
    pub words: Words,
    /// What becomes of rows with empty fields. Default they are refused.
    pub missing: Missing,
}

/// What is to be learnt from a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Numbers.
    Regression,
    /// Classes.
    Classification,
}

/// How an input column of words becomes numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Words {
    /// One column for each word of the training rows, 1 where it stands and 0 elsewhere. A word that they do not have is 0 everywhere.
    #[default]
    OneHot,
    /// One column with the word's place in alphabetical order, from 0. A word that the table does not have is refused.
    Ordinal,
    /// The table is refused, with the place of the first word.
    Refuse,
}

/// What becomes of rows with empty fields. A missing target or word is never made up: with `Mean`, too, such a row is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The table is refused, with the place of the first one.
    #[default]
    Refuse,
    /// The row is left out.
    Drop,
    /// The mean of the column's numbers in the training rows.
    Mean,
}

/// Most different words that a column may have, to tell words from identifiers.
const MOST_WORDS: usize = 1000;
/// Largest number that is accepted, so that its square and a sum of squares are finite.
const LARGEST: f64 = 1e150;
/// What stands for a missing value.
const EMPTY: [&str; 6] = ["", "?", "NA", "N/A", "nan", "null"];

/// What a field says.
enum Field<'a> {
    Number(f64),
    Word(&'a str),
    Missing,
}

fn is_missing(text: &str) -> bool {
    EMPTY.iter().any(|empty| empty.eq_ignore_ascii_case(text))
}

fn read_field(text: &str) -> Field<'_> {
    let text = text.trim();
    if is_missing(text) {
        return Field::Missing;
    }
    match text.parse::<f64>() {
        Ok(v) => Field::Number(v),
        Err(_) => Field::Word(text),
    }
}

/// Whether a word is a number but for a comma in the place of the point; whole numbers are, too.
fn has_decimal_comma(word: &str) -> bool {
    word.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// What is wrong with a number, where something is.
fn check_number(v: f64, text: &str) -> Result<(), String> {
    if !v.is_finite() {
        return Err(format!("{text} is not a finite number"));
    }
    if v.abs() > LARGEST {
        return Err(format!("{text} is too large; at most {LARGEST:e} is accepted"));
    }
    Ok(())
}

/// Names as a list for messages, the first of many.
fn list_of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(20);
    let text = names.take(20).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{text} and {more} more") } else { text }
}

impl Dataset {
    /// Reads a file; all its rows count as training rows.
    ///
    /// # Errors
    /// Says what is wrong, with line and column.
    pub fn from_csv(path: &Path, settings: &TableSettings) -> Result<Self, Error> {
        Ok(Table::read(path, settings)?.split(&Partition::All)?.train)
    }
}

#[cfg(test)]
mod tests;
