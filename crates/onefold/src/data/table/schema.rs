//! What must be known to encode later rows like those of training: names, kinds, categories and means.

use super::columns::{Column, differs};
use super::field::{Field, check_number, is_missing, is_missing_number, read_field};
use super::{Categories, Missing};
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
    /// What becomes of rows with empty fields.
    #[serde(default)]
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
}

/// An input column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputColumn {
    /// Its name.
    pub name: String,
    /// Its number in the table, from 1.
    pub number: usize,
    /// What it holds, and how that becomes numbers.
    pub kind: InputKind,
}

/// What an input column holds, and how that becomes numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum InputKind {
    /// Numbers as they are.
    Number {
        /// What stands for a missing one; none if rows without it are refused or left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mean: Option<f64>,
    },
    /// One input for each of these categories, 1 where it stands and 0 elsewhere.
    OneHot {
        /// The categories, in alphabetical order. Model files call them words.
        #[serde(rename = "words", alias = "categories")]
        categories: Vec<String>,
        /// The share of each in the training rows, which stands for a text that is none of them. Files of
        /// older versions do not have it; all shares are then equal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shares: Option<Vec<f64>>,
    },
    /// The place of a category in this list, from 0.
    Ordinal {
        /// The categories, in alphabetical order. Model files call them words.
        #[serde(rename = "words", alias = "categories")]
        categories: Vec<String>,
        /// The mean place in the training rows, which stands for a text that is none of them. Files of older
        /// versions do not have it; the middle of the list is then taken.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mean: Option<f64>,
    },
}

impl InputKind {
    /// The mean of the training rows' encodings, which stands for a text that none of them has. None for
    /// numbers.
    #[must_use]
    pub fn average(&self) -> Option<Vec<f64>> {
        match self {
            Self::Number { .. } => None,
            Self::OneHot { shares: Some(shares), .. } => Some(shares.clone()),
            Self::OneHot { categories, shares: None } => {
                Some(vec![1.0 / categories.len() as f64; categories.len()])
            }
            Self::Ordinal { mean: Some(mean), .. } => Some(vec![*mean]),
            Self::Ordinal { categories, mean: None } => {
                Some(vec![categories.len().saturating_sub(1) as f64 / 2.0])
            }
        }
    }

    /// The place of a text among the categories.
    pub(super) fn place(&self, text: &str) -> Option<usize> {
        match self {
            Self::Number { .. } => None,
            Self::OneHot { categories, .. } | Self::Ordinal { categories, .. } => {
                categories.binary_search_by(|category| category.as_str().cmp(text)).ok()
            }
        }
    }

    /// Whether it holds text and does not say how often each category occurs.
    fn lacks_shares(&self) -> bool {
        matches!(self, Self::OneHot { shares: None, .. } | Self::Ordinal { mean: None, .. })
    }

    /// What is wrong with its numbers, when they were read from a file.
    fn check(&self, name: &str) -> Result<(), String> {
        match self {
            Self::Number { mean: Some(mean) } if !mean.is_finite() => {
                return Err(format!("the mean of its column {name} is not a finite number"));
            }
            Self::OneHot { categories, .. } | Self::Ordinal { categories, .. }
                if categories.is_empty() || !categories.is_sorted_by(|a, b| a < b) =>
            {
                return Err(format!("the words of its column {name} are not in order"));
            }
            _ => {}
        }
        let are_right = match self {
            Self::OneHot { categories, shares: Some(shares) } => {
                shares.len() == categories.len()
                    && shares.iter().all(|share| (0.0..=1.0).contains(share))
                    && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-6
            }
            Self::Ordinal { categories, mean: Some(mean) } => {
                (0.0..=categories.len() as f64 - 1.0).contains(mean)
            }
            _ => true,
        };
        if are_right {
            Ok(())
        } else {
            Err(format!("the shares of the words of its column {name} are wrong"))
        }
    }
}

impl InputColumn {
    /// Number of inputs that it becomes.
    #[must_use]
    pub fn width(&self) -> usize {
        match &self.kind {
            InputKind::OneHot { categories, .. } => categories.len(),
            _ => 1,
        }
    }

    /// Appends what a field becomes.
    pub(super) fn encode(&self, text: &str, out: &mut Vec<f64>) -> Result<Encoded, ProblemKind> {
        let text = text.trim();
        let is_empty = match self.kind {
            InputKind::Number { .. } => is_missing_number(text),
            _ => is_missing(text),
        };
        if is_empty {
            return Ok(match self.kind {
                InputKind::Number { mean: Some(mean) } => {
                    out.push(mean);
                    Encoded::Known
                }
                _ => Encoded::Missing,
            });
        }
        let place = match &self.kind {
            InputKind::Number { .. } => {
                let Field::Number(v) = read_field(text) else {
                    return Err(ProblemKind::NotANumber { text: text.into() });
                };
                check_number(v, text)?;
                out.push(v);
                return Ok(Encoded::Known);
            }
            kind => kind.place(text),
        };
        match (&self.kind, place) {
            (InputKind::Ordinal { .. }, Some(place)) => out.push(place as f64),
            (kind, Some(place)) => {
                out.extend((0..self.width()).map(|k| f64::from(u8::from(k == place))));
                debug_assert!(matches!(kind, InputKind::OneHot { .. }), "numbers have no places");
            }
            (kind, None) => out.extend(kind.average().unwrap_or_default()),
        }
        Ok(if place.is_some() { Encoded::Known } else { Encoded::UnknownCategory })
    }
}

/// What became of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoded {
    Known,
    /// A text that the training rows did not have, now their mean.
    UnknownCategory,
    /// Nothing was appended.
    Missing,
}

/// An input column as the training rows have it; none if it is the same in all of them.
pub(super) fn learn(
    column: &Column,
    number: usize,
    (how, missing): (Categories, Missing),
    (train, all): (&[usize], &[usize]),
) -> Option<InputColumn> {
    let named = |kind| Some(InputColumn { name: column.name.clone(), number, kind });
    if column.has_text() {
        let counts = column.counts(if how == Categories::Ordinal { all } else { train });
        let mut found: Vec<String> =
            (0..counts.len()).filter(|c| counts[*c] > 0).map(|c| column.text(c).to_string()).collect();
        found.sort();
        let in_train = column.counts(train);
        if in_train.iter().filter(|n| **n > 0).count() < 2 {
            return None;
        }
        let mut shares = vec![0.0; found.len()];
        let rows = in_train.iter().sum::<usize>() as f64;
        for (code, n) in in_train.iter().enumerate().filter(|(_, n)| **n > 0) {
            if let Ok(place) = found.binary_search_by(|category| category.as_str().cmp(column.text(code))) {
                shares[place] = *n as f64 / rows;
            }
        }
        return named(match how {
            Categories::Ordinal => {
                let mean = shares.iter().enumerate().map(|(place, share)| place as f64 * share).sum();
                InputKind::Ordinal { categories: found, mean: Some(mean) }
            }
            _ => InputKind::OneHot { categories: found, shares: Some(shares) },
        });
    }
    let (mut sum, mut count, mut first, mut varies) = (0.0, 0_usize, f64::NAN, false);
    for v in train.iter().map(|row| column.number(*row)).filter(|v| !v.is_nan()) {
        if count == 0 {
            first = v;
        }
        varies |= differs(v, first);
        sum += v;
        count += 1;
    }
    if !varies {
        return None;
    }
    named(InputKind::Number { mean: (missing == Missing::Mean).then_some(sum / count as f64) })
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
        for InputColumn { name, kind, .. } in &self.inputs {
            match kind {
                InputKind::OneHot { categories, .. } => {
                    names.extend(categories.iter().map(|w| format!("{name}={w}")));
                }
                _ => names.push(name.clone()),
            }
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
            kind: InputKind::Number { mean: None },
        };
        let class = ["class".to_string()];
        let targets = if classification { &class[..] } else { outputs };
        let target =
            |(i, name): (usize, &String)| TableColumn { name: name.clone(), number: inputs.len() + i + 1 };
        Self {
            header: true,
            columns: inputs.len() + targets.len(),
            inputs: inputs.iter().enumerate().map(column).collect(),
            targets: targets.iter().enumerate().map(target).collect(),
            ids: Vec::new(),
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
