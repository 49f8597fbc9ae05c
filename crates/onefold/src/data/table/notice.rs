//! What was assumed about a table, or is remarkable in it, and what would change it.

use super::dates::DateOrder;
use super::notation::{Decimal, Notation};
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
    /// Whole numbers with zeros in front, which are read without them.
    LeadingZeros {
        /// Name of the column.
        column: String,
        /// Line of the first one.
        line: u64,
        /// The first one.
        text: String,
    },
    /// A column of text that is left out, as most rows have a text of their own in it, like identifiers.
    LikeIdentifiers {
        /// Name of the column.
        column: String,
        /// Number of different texts, where there are not too many to count.
        different: Option<usize>,
        /// Number of rows that have one.
        rows: usize,
    },
    /// Columns without any value, which are left out.
    EmptyColumns {
        /// Their names.
        columns: Vec<String>,
    },
    /// Columns of numbers that are not written plainly.
    NumbersAsWritten {
        /// Their names.
        columns: Vec<String>,
        /// How they are written.
        notation: Notation,
        /// The first such number, and its line.
        first: (u64, String),
        /// Whether only other columns tell what separates the fraction.
        by_others: bool,
    },
    /// Columns of dates that could have another order, but for some of them.
    OrderOfDates {
        /// Their names.
        columns: Vec<String>,
        /// The order of all.
        order: DateOrder,
    },
    /// A column that counts the rows.
    RowNumber {
        /// Name of the column.
        column: String,
    },
    /// A column that nearly determines the target by itself.
    NearlyTarget {
        /// Name of the column.
        column: String,
        /// Name of the target.
        target: String,
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
            Self::LeadingZeros { column, line, text } => format!(
                "line {line}, column {column}: {text} is read as a number; if it is a code, {}",
                advise(Advice::TextColumn)
            ),
            Self::EmptyLines { count } => {
                format!("{count} empty lines are skipped; write a missing value as \"\" to have a row for it")
            }
            other => other.about_columns(advise),
        }
    }

    /// The message about how columns are read, used or left out.
    fn about_columns(&self, advise: impl Fn(Advice) -> String) -> String {
        match self {
            Self::LikeIdentifiers { column, different, rows } => {
                let different = different.map_or("too many".into(), |n| n.to_string());
                format!(
                    "column {column} is left out, as it has {different} different texts in {rows} rows, like \
                     identifiers; to use it, {}",
                    advise(Advice::TextColumn)
                )
            }
            Self::EmptyColumns { columns } => format!("{} without any value: left out", of_columns(columns)),
            Self::NumbersAsWritten { columns, notation, first: (line, text), by_others } => {
                let decimal = if notation.decimal == Decimal::Comma { "comma" } else { "point" };
                let sign =
                    notation.sign.as_ref().map_or(String::new(), |sign| format!(" and the sign {sign}"));
                let why = if *by_others { ", as in other columns" } else { "" };
                let other = advise(Advice::Decimal);
                let columns = of_columns(columns);
                format!(
                    "{columns}: numbers read with a decimal {decimal}{sign}, as {text} in line {line}{why}; \
                     otherwise {other}"
                )
            }
            Self::OrderOfDates { columns, order } => {
                let order = if *order == DateOrder::DayFirst { "day" } else { "month" };
                let other = advise(Advice::DateOrder);
                format!("{}: dates read with the {order} first; otherwise {other}", of_columns(columns))
            }
            Self::RowNumber { column } => format!(
                "column {column} counts the rows and may leak; if new rows do not go on with it, {}",
                advise(Advice::IgnoreColumn)
            ),
            Self::NearlyTarget { column, target } => format!(
                "column {column} nearly determines {target} by itself and may leak; if it is not known before \
                 {target} is, {}",
                advise(Advice::IgnoreColumn)
            ),
            _ => String::new(),
        }
    }
}

fn of_columns(names: &[String]) -> String {
    format!("column{} {}", if names.len() == 1 { "" } else { "s" }, list(names))
}

impl fmt::Display for TableNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(|advice| advice.to_string()))
    }
}
