//! What must be known to encode later rows like those of training: names, kinds, categories and means.

mod kind;
mod learning;

pub use kind::InputKind;
pub(super) use kind::number;
pub(super) use learning::learn;

use super::Missing;
use super::notation::Notation;
use crate::error::ProblemKind;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How the columns of a table become inputs and outputs; a model keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSchema {
    /// Whether the names come from the table's first line. Columns of other tables are then found by name.
    pub header: bool,
    /// Number of columns of the table.
    pub columns: usize,
    /// The columns that are inputs, in their order.
    pub inputs: Vec<InputColumn>,
    /// The columns that are targets.
    pub targets: Vec<TableColumn>,
    /// The columns that identify rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<TableColumn>,
    /// The column with the weights of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<TableColumn>,
    /// What becomes of rows with empty fields.
    #[serde(default = "refuse")]
    pub missing: Missing,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its number in the table, from 1.
    pub number: usize,
    /// How its numbers are written, if not plainly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<Notation>,
}

impl TableColumn {
    pub(super) fn new(name: &str, number: usize) -> Self {
        Self { name: name.into(), number, notation: None }
    }
}

/// An input column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputColumn {
    /// Its name.
    pub name: String,
    /// Its number in the table, from 1.
    pub number: usize,
    /// Whether it has one more input, 1 where a value is missing and 0 elsewhere. Training rows that have a
    /// value and such that have none decide on it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub indicator: bool,
    /// What it holds, and how that becomes numbers.
    pub kind: InputKind,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// What files of versions before the setting mean.
fn refuse() -> Missing {
    Missing::Refuse
}

impl InputColumn {
    /// Number of inputs that it becomes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.kind.width() + usize::from(self.indicator)
    }

    /// Appends what a field becomes.
    pub(super) fn encode(
        &self,
        text: &str,
        missing: Missing,
        out: &mut Vec<f64>,
    ) -> Result<Encoded, ProblemKind> {
        let text = text.trim();
        if self.kind.is_missing(text) {
            return Ok(match self.filling(missing) {
                Some(filling) => {
                    out.extend(filling);
                    out.extend(self.indicator.then_some(1.0));
                    let is_new = !self.indicator && missing == Missing::Indicate;
                    if is_new { Encoded::Filled } else { Encoded::Known }
                }
                None => Encoded::Missing,
            });
        }
        let place = match &self.kind {
            kind @ (InputKind::Number { .. } | InputKind::Date { .. }) => {
                kind.push_number(kind.number(text)?, out);
                out.extend(self.indicator.then_some(0.0));
                return Ok(Encoded::Known);
            }
            kind => kind.place(text),
        };
        match (&self.kind, place) {
            (InputKind::OneHot { .. }, Some(place)) => {
                out.extend((0..self.kind.width()).map(|k| f64::from(u8::from(k == place))));
            }
            (_, Some(place)) => out.push(place as f64),
            (kind, None) => out.extend(kind.average().unwrap_or_default()),
        }
        out.extend(self.indicator.then_some(0.0));
        let has_other = matches!(self.kind, InputKind::OneHot { other: Some(_), .. });
        Ok(if place.is_some() || has_other { Encoded::Known } else { Encoded::UnknownCategory })
    }

    /// The inputs of a number, of a text as it stands in a table, or of a missing value; none if there are
    /// none.
    pub(crate) fn inputs_of(&self, value: &FieldValue, missing: Missing) -> Option<Vec<f64>> {
        let mut inputs = Vec::new();
        let text = match value {
            FieldValue::Number(v) => {
                self.kind.push_number(*v, &mut inputs);
                inputs.extend(self.indicator.then_some(0.0));
                return Some(inputs);
            }
            FieldValue::Text(text) => text,
            FieldValue::Missing => "",
        };
        let encoded = self.encode(text, missing, &mut inputs).ok()?;
        (encoded != Encoded::Missing).then_some(inputs)
    }

    /// What stands for a missing value, without the indicator; none if the row is refused or left out.
    pub(crate) fn filling(&self, missing: Missing) -> Option<Vec<f64>> {
        let is_number = matches!(self.kind, InputKind::Number { .. } | InputKind::Date { .. });
        if missing == Missing::Indicate || is_number { self.kind.filling() } else { None }
    }
}

/// The value of a field, where numbers are numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FieldValue {
    Number(f64),
    Text(String),
    Missing,
}

/// What became of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoded {
    Known,
    /// It is missing where no training row lacks a value, and was filled in.
    Filled,
    /// A text that the training rows did not have, now their mean.
    UnknownCategory,
    /// Nothing was appended.
    Missing,
}

impl TableSchema {
    /// Number of inputs that all columns become.
    #[must_use]
    pub fn width(&self) -> usize {
        self.inputs.iter().map(InputColumn::width).sum()
    }

    /// Whether it has text columns whose categories' shares are not known, as in files of older versions.
    #[must_use]
    pub fn lacks_shares(&self) -> bool {
        self.inputs.iter().any(|column| column.kind.lacks_shares())
    }

    /// Names of the inputs: those of the columns, with the category where there is one input for each.
    #[must_use]
    pub fn input_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for InputColumn { name, kind, indicator, .. } in &self.inputs {
            names.extend(kind.input_names(name));
            names.extend(indicator.then(|| format!("{name} is missing")));
        }
        names
    }

    /// For a model that was not made from a table: one column of numbers for each input, and the targets
    /// after them.
    #[must_use]
    pub fn of_names(inputs: &[String], outputs: &[String], classification: bool) -> Self {
        let column = |(i, name): (usize, &String)| InputColumn {
            name: name.clone(),
            number: i + 1,
            indicator: false,
            kind: InputKind::Number { mean: None, notation: None },
        };
        let class = ["class".to_string()];
        let targets = if classification { &class[..] } else { outputs };
        let target = |(i, name): (usize, &String)| TableColumn::new(name, inputs.len() + i + 1);
        Self {
            header: true,
            columns: inputs.len() + targets.len(),
            inputs: inputs.iter().enumerate().map(column).collect(),
            targets: targets.iter().enumerate().map(target).collect(),
            ids: Vec::new(),
            weight: None,
            missing: Missing::Refuse,
        }
    }

    /// What is wrong with one that was read from a file.
    pub(crate) fn check(&self, inputs: usize, outputs: usize, classification: bool) -> Result<(), String> {
        let of_inputs = self.inputs.iter().map(|c| (&c.name, c.number));
        let of_targets = self.targets.iter().map(|c| (&c.name, c.number));
        let of_ids = self.ids.iter().map(|c| (&c.name, c.number));
        let (mut names, mut numbers) = (HashSet::new(), HashSet::new());
        for (name, number) in of_inputs.chain(of_targets) {
            if number == 0 || number > self.columns || !numbers.insert(number) {
                return Err(format!("its table has no column {number}, or twice"));
            }
            if !names.insert(name) {
                return Err(format!("its table has the column {name} twice"));
            }
        }
        if of_ids.into_iter().any(|(_, number)| number == 0 || number > self.columns) {
            return Err("its table has no such column of identifiers".into());
        }
        for InputColumn { name, kind, .. } in &self.inputs {
            kind.check(name)?;
        }
        let width = self.inputs.iter().try_fold(0_usize, |sum, c| sum.checked_add(c.width()));
        if width != Some(inputs) {
            return Err(format!("the columns of its table do not make {inputs} inputs"));
        }
        let expected = if classification { 1 } else { outputs };
        if self.targets.len() != expected {
            return Err(format!("its table has {} targets instead of {expected}", self.targets.len()));
        }
        Ok(())
    }
}
