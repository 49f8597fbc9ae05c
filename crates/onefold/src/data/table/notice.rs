//! What was assumed about a table, or is remarkable in it, and what would change it.

use crate::error::{Advice, list};
use std::fmt;

/// An assumption about a table, or something in it that may not be what was meant.
///
/// `Display` names settings by their fields. A program with other names for them (flags, say) writes the
/// message with [`message`](Self::message) instead.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TableNotice {
    /// The first line could be a row, and was taken for names.
    TakenForNames {
        /// Its fields.
        fields: Vec<String>,
    },
    /// The first line could be names, and was taken for a row.
    TakenForRow {
        /// Its fields.
        fields: Vec<String>,
    },
    /// The first line has names, which the model does not know, so that columns are found by number.
    NamesNotUsed {
        /// The names.
        fields: Vec<String>,
    },
    /// Two characters separate every line into equally many fields.
    TwoDelimiters {
        /// The one that was used.
        used: char,
        /// The other one.
        other: char,
    },
    /// A target of few different numbers, which were taken for classes.
    TakenForClasses {
        /// Name of the column.
        column: String,
        /// Number of different numbers.
        different: usize,
    },
    /// Whole numbers with more digits than an `f64` has.
    Rounded {
        /// Name of the column.
        column: String,
        /// Line of the first one.
        line: u64,
        /// The first one.
        text: String,
    },
    /// A column with a text of its own in most rows, as identifiers, dates and measures with units are.
    MostlyDifferent {
        /// Name of the column.
        column: String,
        /// Number of different texts.
        different: usize,
        /// Number of rows that have one.
        rows: usize,
    },
    /// Empty lines in a table of one column, which are not rows.
    EmptyLines {
        /// How many.
        count: u64,
    },
}

impl TableNotice {
    /// The message, with `advise` for what would change it.
    #[must_use]
    pub fn message(&self, advise: impl Fn(Advice) -> String) -> String {
        let shown = |fields: &[String]| {
            let shorter = |f: &String| f.chars().take(40).collect::<String>();
            list(&fields.iter().map(shorter).collect::<Vec<_>>())
        };
        match self {
            Self::TakenForNames { fields } => format!(
                "the first line ({}) is taken for column names; if it is data, {}",
                shown(fields),
                advise(Advice::Header)
            ),
            Self::TakenForRow { fields } => format!(
                "the first line ({}) is taken for data; if it holds column names, {}",
                shown(fields),
                advise(Advice::Names)
            ),
            Self::NamesNotUsed { fields } => format!(
                "the first line ({}) is taken for column names; the model was trained without, so columns are \
                 found by their order; if the line is data, {}",
                shown(fields),
                advise(Advice::Header)
            ),
            Self::TwoDelimiters { used, other } => format!(
                "{used:?} is taken for the delimiter, but {other:?} would do as well; {}",
                advise(Advice::Delimiter)
            ),
            Self::TakenForClasses { column, different } => format!(
                "the {different} different numbers of the target {column} are taken for classes; if they are \
                 quantities, {}",
                advise(Advice::Regression)
            ),
            Self::Rounded { column, line, text } => format!(
                "line {line}, column {column}: {text} is rounded, as it has more digits than are computed \
                 with; if it identifies the row, {}",
                advise(Advice::IdColumn)
            ),
            Self::MostlyDifferent { column, different, rows } => format!(
                "column {column} has {different} different texts in {rows} rows, as identifiers, dates and \
                 numbers with units have; if so, {}",
                advise(Advice::IgnoreColumn)
            ),
            Self::EmptyLines { count } => {
                format!("{count} empty lines are skipped; write a missing value as \"\" to have a row for it")
            }
        }
    }
}

impl fmt::Display for TableNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(|advice| advice.to_string()))
    }
}
