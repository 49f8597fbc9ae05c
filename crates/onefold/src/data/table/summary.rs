//! What a table holds, for people.

use super::calendar;
use super::columns::{Column, Meaning};
use super::{Table, Task};

/// What a table holds.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSummary {
    /// Rows of the file.
    pub rows: usize,
    /// Rows that are used: not left out for missing values or a weight of zero.
    pub used: usize,
    /// Rows without missing values that are left out because their weight is zero.
    pub weightless: usize,
    /// What separates fields.
    pub delimiter: char,
    /// Whether the first line holds names.
    pub header: bool,
    /// What is learnt.
    pub task: Task,
    /// Its columns, in their order.
    pub columns: Vec<ColumnSummary>,
    /// For a classification the classes, with the number of rows of each.
    pub classes: Vec<(String, usize)>,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// What it is used for.
    pub role: Role,
    /// What stands in it.
    pub contents: Contents,
    /// Rows without a value.
    pub missing: usize,
}

/// What a column is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To learn from.
    Input,
    /// To be learnt.
    Target,
    /// To identify rows.
    Id,
    /// How much each row counts.
    Weight,
    /// For nothing.
    Ignored,
}

/// What stands in a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// Numbers.
    Numbers {
        /// The smallest one of the used rows.
        low: f64,
        /// The largest one of the used rows.
        high: f64,
        /// Number of different ones, where there are at most 1000.
        different: Option<usize>,
        /// Whether all of them are whole.
        whole: bool,
    },
    /// Dates and times.
    Dates {
        /// The first one of the used rows.
        first: String,
        /// The last one of the used rows.
        last: String,
    },
    /// Text, with or without numbers among it.
    Text {
        /// Number of different ones, where there are at most 1000.
        different: Option<usize>,
    },
    /// Nothing.
    Nothing,
}

impl Table {
    /// What it holds.
    #[must_use]
    pub fn summary(&self) -> TableSummary {
        let role = |i: &usize| {
            if self.targets.contains(i) {
                Role::Target
            } else if self.inputs.binary_search(i).is_ok() {
                Role::Input
            } else if self.weight_column == Some(*i) {
                Role::Weight
            } else if self.ids.contains(i) {
                Role::Id
            } else {
                Role::Ignored
            }
        };
        let columns =
            self.columns.iter().enumerate().filter(|(i, _)| !self.blank.contains(i)).map(|(i, c)| {
                ColumnSummary {
                    name: c.name.clone(),
                    role: role(&i),
                    contents: self.contents(c),
                    missing: c.missing.count,
                }
            });
        let counts = match self.task {
            Task::Classification => self.columns[self.targets[0]].counts(&self.rows),
            Task::Regression => Vec::new(),
        };
        TableSummary {
            rows: self.all_rows,
            used: self.rows.len(),
            weightless: self.weightless,
            delimiter: self.delimiter,
            header: self.header,
            task: self.task,
            columns: columns.collect(),
            classes: self.classes.iter().map(|(name, code)| (name.clone(), counts[*code])).collect(),
        }
    }

    fn contents(&self, column: &Column) -> Contents {
        if column.is_empty() {
            return Contents::Nothing;
        }
        if column.has_text() {
            return Contents::Text { different: column.different() };
        }
        let (mut low, mut high, mut whole) = (f64::INFINITY, f64::NEG_INFINITY, true);
        for v in self.rows.iter().map(|row| column.number(*row)).filter(|v| !v.is_nan()) {
            low = low.min(v);
            high = high.max(v);
            whole &= v.fract() == 0.0;
        }
        if let Meaning::Dates(_) = column.meaning {
            let clock = if column.has_clocks() { "1970-01-01 " } else { "" };
            let shown = |seconds: f64| calendar::iso(seconds).trim_start_matches(clock).to_string();
            return Contents::Dates { first: shown(low), last: shown(high) };
        }
        Contents::Numbers { low, high, different: column.different(), whole }
    }
}
