//! Tables from files: comma-separated values with numbers and text, to inputs and outputs.
//!
//! A file is read once, from its beginning to its end, so that it may also come through a pipe. What is kept
//! of it are its columns: eight bytes for each number, two for each field of a column with few different
//! texts. Everything that is wrong with it is collected and reported in one error.

mod booleans;
mod calendar;
mod checks;
mod columns;
mod cursor;
mod date_text;
mod dates;
mod days;
mod delimiter;
mod field;
mod header;
mod leaks;
mod leaving_out;
mod lines;
mod matching;
mod notation;
mod notice;
mod parts;
mod pieces;
mod reading;
mod records;
mod relating;
mod roles;
mod row_parts;
mod rows;
mod schema;
mod source;
mod summary;
mod task;
mod votes;

pub use calendar::DatePart;
pub(crate) use calendar::iso;
pub use dates::DateOrder;
pub(crate) use dates::seconds_of;
pub(crate) use field::{EMPTY, MARKS};
pub use notation::{Decimal, Notation};
pub use notice::TableNotice;
pub use rows::{RowSettings, TableRow, TableRows};
pub(crate) use schema::FieldValue;
pub use schema::{InputColumn, InputKind, TableColumn, TableSchema};
pub use source::{Table, TableSource};
pub use summary::{ColumnSummary, Contents, Role, TableSummary};

use super::{ClassWeights, Dataset, Split};
use crate::Error;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How a file becomes a data set.
///
/// Model files and the fingerprints of campaign cells hold these settings under the names that they had when
/// they were introduced, so these are what is written; both names are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TableSettings {
    /// What separates fields. Default: whichever of comma, semicolon, tab and bar occurs most often in the
    /// first line, and equally often in the lines after it.
    pub delimiter: Option<char>,
    /// Whether the first line holds names. Default: if it has a word above a column of numbers, or one that
    /// its column does not have again; a [notice](Table::notices) says where that is no more than likely.
    pub header: Option<bool>,
    /// Target columns by name, or by number from 1; several may be joined by commas. Default the last column.
    #[serde(rename = "targets", alias = "target_column")]
    pub target_column: Vec<String>,
    /// Columns to leave out, by name or by number from 1, several joined by commas. Default none.
    #[serde(rename = "ignore", alias = "ignore_column")]
    pub ignore_column: Vec<String>,
    /// Columns that identify rows: left out like those of `ignore_column`, but shown beside predictions.
    /// Default none.
    #[serde(rename = "ids", alias = "id_column", skip_serializing_if = "Vec::is_empty")]
    pub id_column: Vec<String>,
    /// Columns of text, by name or by number from 1, several joined by commas: their numbers are categories,
    /// too. Default: columns in which words outnumber numbers, among the fields and the different ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text_column: Vec<String>,
    /// Column of groups: rows with the same value all train or all test. It is no input. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_column: Option<String>,
    /// Column of numbers, dates or times by which rows are ordered: later ones test. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split_by_time: Option<String>,
    /// Column with the weight of each row, a number of at least 0. It is no input. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_column: Option<String>,
    /// Weights of classes, factors of those of the training rows. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_weight: Option<ClassWeights>,
    /// Whether training rows that are the same in all columns that are used become one row with the sum of
    /// their weights, see [`Dataset::merged`]. Default false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub merge_duplicates: bool,
    /// What is to be learnt. Default: classification if a target holds text, or numbers that look like
    /// labels: two different ones, or at most ten different whole numbers close together; otherwise
    /// regression.
    pub task: Option<Task>,
    /// How text columns become inputs. Default one input for each category.
    #[serde(rename = "words", alias = "categories")]
    pub categories: Categories,
    /// What becomes of rows with empty fields. Default they are filled in, with an input that says where.
    pub missing: Missing,
    /// What separates the fraction of a number. Default: what every number of a column can be read with; a
    /// [notice](Table::notices) says so where numbers are not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<Decimal>,
    /// Whether day or month comes first in dates like 03/04/2021. Default: what every date of a column can be
    /// read with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_order: Option<DateOrder>,
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

/// How a text column becomes inputs; its different texts are the categories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Categories {
    /// One input for each category of the training rows, 1 where it stands and 0 elsewhere. A text that they
    /// do not have is the mean of the training rows.
    #[default]
    OneHot,
    /// One input with the category's place in alphabetical order, from 0. A text that the table does not have
    /// is the mean of the training rows.
    Ordinal,
    /// The table is refused, with the places of the texts.
    Refuse,
}

/// What becomes of rows with empty fields. A missing target is never made up: such a row is left out, or
/// refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The mean of the column's numbers in the training rows, or the most frequent text, and one more input
    /// that is 1 where the value is missing, if it is in a training row.
    #[default]
    Indicate,
    /// The table is refused, with the places of the empty fields.
    Refuse,
    /// The row is left out.
    Drop,
    /// The mean of the column's numbers in the training rows. Rows without a text are left out.
    Mean,
}

/// Most classes, and most different texts of a column without words that are kept as texts.
const MOST_CATEGORIES: usize = 1000;
/// Most different texts of a column with words; more are identifiers.
const MOST_TEXTS: usize = 20_000;
/// Most categories of a text column that have an input of their own.
const MOST_KEPT: usize = 50;
/// Largest number that is accepted, so that its square and a sum of squares are finite.
const LARGEST: f64 = 1e150;

impl Dataset {
    /// Reads a file; all its rows count as training rows.
    ///
    /// # Errors
    /// Says everything that is wrong, with lines and columns.
    pub fn from_csv(path: &Path, settings: &TableSettings) -> Result<Self, Error> {
        Ok(Table::read(path, settings)?.split(&Split::All)?.train)
    }
}

#[cfg(test)]
mod tests;
