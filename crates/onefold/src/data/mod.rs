//! Data sets: the built-in ones, tables from files, splits into training and test rows, and input scaling.

mod builtin;
mod class_weights;
mod classification;
mod column;
mod order;
mod regression;
mod related;
mod scaling;
mod split;
mod split_rule;
mod table;
mod variation;
mod weights;

pub use builtin::{Builtin, BuiltinSettings};
pub use class_weights::ClassWeights;
pub use classification::{BalanceEncoding, SquareEncoding};
pub use column::{Column, Numbers};
pub(crate) use order::{in_order, key};
pub use related::Related;
pub use scaling::{Scaler, Scaling, TargetScaler, TargetScaling};
pub use split::Split;
pub(crate) use split::{folds, stratified};
pub use split_rule::{SplitKind, SplitRule};
pub use table::{
    Categories, ColumnSummary, Contents, DateOrder, DatePart, Decimal, InputColumn, InputKind, Missing,
    Notation, Role, RowSettings, Table, TableColumn, TableNotice, TableRow, TableRows, TableSchema,
    TableSettings, TableSource, TableSummary, Task,
};
pub(crate) use table::{EMPTY, FieldValue, MARKS, iso, seconds_of};
pub(crate) use variation::{variation_of_input, variation_of_target};

use crate::error::{DatasetProblem, Error};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Rows of numbers: inputs and outputs, stored by column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    /// One column for each input.
    pub inputs: Vec<Column>,
    /// One vector for each output; for a classification 1 in the column of the row's class and 0 in the
    /// others.
    pub outputs: Vec<Vec<f64>>,
    /// Names of the inputs.
    pub input_names: Vec<String>,
    /// Names of the outputs; for a classification the classes.
    pub output_names: Vec<String>,
    /// Whether the outputs stand for classes.
    pub classification: bool,
    /// How much each row counts, positive numbers, see [`with_weights`](Self::with_weights); none where all
    /// count the same.
    pub weights: Option<Vec<f64>>,
}

/// Rows to train on and rows to test with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainTest {
    /// Training rows.
    pub train: Dataset,
    /// Test rows.
    pub test: Dataset,
    /// How a built-in set was loaded.
    pub settings: Option<BuiltinSettings>,
    /// How a table became these rows.
    pub table: Option<Box<TableSource>>,
}

impl Dataset {
    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.outputs.first().map_or(0, Vec::len)
    }

    /// The inputs of one row.
    #[must_use]
    pub fn input(&self, row: usize) -> Vec<f64> {
        self.inputs.iter().map(|column| column.get(row)).collect()
    }

    /// The outputs of one row.
    #[must_use]
    pub fn output(&self, row: usize) -> Vec<f64> {
        self.outputs.iter().map(|column| column[row]).collect()
    }

    /// The rows with these indices, in this order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let pick = |columns: &[Vec<f64>]| -> Vec<Vec<f64>> {
            columns.iter().map(|column| rows.iter().map(|r| column[*r]).collect()).collect()
        };
        Self {
            inputs: self.inputs.iter().map(|column| column.select(rows)).collect(),
            outputs: pick(&self.outputs),
            input_names: self.input_names.clone(),
            output_names: self.output_names.clone(),
            classification: self.classification,
            weights: self.weights.as_ref().map(|weights| rows.iter().map(|r| weights[*r]).collect()),
        }
    }

    /// Whether a network can be trained on it.
    pub(crate) fn check_usable(&self) -> Result<(), Error> {
        let wrong =
            |column: Option<&String>, row, problem| Error::Dataset { column: column.cloned(), row, problem };
        let rows = self.rows();
        if self.inputs.is_empty() || self.outputs.is_empty() || rows == 0 {
            return Err(wrong(None, None, DatasetProblem::NoRows));
        }
        if self.inputs.len() != self.input_names.len() || self.outputs.len() != self.output_names.len() {
            return Err(wrong(None, None, DatasetProblem::NameCount));
        }
        let inputs = self.inputs.iter().map(Column::values);
        let columns = inputs.chain(self.outputs.iter().map(|column| Cow::Borrowed(&column[..])));
        for (column, name) in columns.zip(self.input_names.iter().chain(&self.output_names)) {
            if column.len() != rows {
                let problem = DatasetProblem::RowCount { found: column.len(), expected: rows };
                return Err(wrong(Some(name), None, problem));
            }
            if let Some(row) = column.iter().position(|v| !v.is_finite()) {
                let problem = DatasetProblem::NotFinite { value: column[row] };
                return Err(wrong(Some(name), Some(row + 1), problem));
            }
        }
        self.check_weights()
    }

    /// Whether squares of what its columns vary by are numbers; names the first column where they are not.
    pub(crate) fn check_variation(&self) -> Result<(), Error> {
        let wrong =
            |name: &String, problem| Error::Dataset { column: Some(name.clone()), row: None, problem };
        let inputs = self
            .inputs
            .iter()
            .zip(&self.input_names)
            .map(|(c, name)| (variation_of_input(&c.values()), name));
        let outputs =
            self.outputs.iter().zip(&self.output_names).map(|(c, name)| (variation_of_target(c), name));
        let mut problems = inputs.chain(outputs).filter_map(|(problem, name)| Some((problem?, name)));
        problems.next().map_or(Ok(()), |(problem, name)| Err(wrong(name, problem)))
    }
}

impl<'a> From<&'a Dataset> for Cow<'a, Dataset> {
    fn from(data: &'a Dataset) -> Self {
        Self::Borrowed(data)
    }
}

impl From<Dataset> for Cow<'_, Dataset> {
    fn from(data: Dataset) -> Self {
        Self::Owned(data)
    }
}

/// Squared error of one row, summed over its outputs. Every mean squared error in the units of the data adds
/// up these sums in the order of the rows, so that all of them are the same bits.
pub(crate) fn squared_error(predicted: &[f64], actual: &[f64]) -> f64 {
    predicted.iter().zip(actual).map(|(p, y)| (y - p).powi(2)).sum()
}

/// Index of the largest value, the first one on a tie: the winner takes all.
pub(crate) fn winner(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, v) in values.iter().enumerate() {
        if *v > values[best] {
            best = i;
        }
    }
    best
}
