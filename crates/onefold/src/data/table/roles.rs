//! Which columns are inputs, targets and identifiers, and what is to be learnt.

use super::columns::{Declared, Rules};
use super::matching::no_column;
use super::{Categories, Table, Task};
use crate::error::{Advice, Error, ProblemKind, TableError};
use std::collections::HashSet;
use std::sync::Arc;

impl Table {
    /// Columns by name or by number from 1; a text that is no column may be several, joined by commas.
    fn find(&self, setting: &'static str, texts: &[String]) -> Result<Vec<usize>, Error> {
        let one = |text: &str| {
            let by_name = self.columns.iter().position(|c| c.name == text);
            let number = || text.parse::<usize>().ok().filter(|n| (1..=self.columns.len()).contains(n));
            by_name.or_else(|| number().map(|n| n - 1))
        };
        let mut found = Vec::new();
        for text in texts {
            let parts: Vec<&str> = match one(text) {
                Some(_) => vec![text],
                None => text.split(',').map(str::trim).collect(),
            };
            for part in parts {
                let i = one(part).ok_or_else(|| {
                    let names: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
                    let expected = no_column(&self.name, &names);
                    Error::setting(setting, format!("\"{part}\""), expected)
                })?;
                if found.contains(&i) {
                    return Err(Error::setting(setting, format!("\"{part}\""), "this column is named twice"));
                }
                found.push(i);
            }
        }
        Ok(found)
    }

    /// The column of weights, if there is one.
    fn find_weights(&self) -> Result<Option<usize>, Error> {
        let given = self.settings.weight_column.as_slice();
        match self.find("weight_column", given)?[..] {
            [] => Ok(None),
            [i] => Ok(Some(i)),
            _ => {
                let expected = "must be one column; write the product of several into the table as one";
                Err(Error::setting("weight_column", format!("\"{}\"", given.join(",")), expected))
            }
        }
    }

    /// Why no column is left to learn from.
    fn without_inputs(&self) -> Error {
        let (kind, advice): (_, &'static [Advice]) = match &self.columns[..] {
            [only] if only.name.starts_with(['{', '[']) => {
                (ProblemKind::OtherContents { like: "JSON" }, &[Advice::SaveAsCsv])
            }
            [only] if only.name.starts_with('<') => {
                (ProblemKind::OtherContents { like: "HTML or XML" }, &[Advice::SaveAsCsv])
            }
            [_] => (ProblemKind::NoInputs, &[Advice::Delimiter]),
            _ => (ProblemKind::AllLeftOut, &[]),
        };
        TableError::of(&self.name, kind, advice)
    }

    /// Decides on targets, inputs and task.
    pub(super) fn choose_roles(&mut self) -> Result<(), Error> {
        let ignored = self.find("ignore_column", &self.settings.ignore_column)?;
        self.ids = self.find("id_column", &self.settings.id_column)?;
        self.targets = self.find("target_column", &self.settings.target_column)?;
        self.group_column =
            self.find("group_column", self.settings.group_column.as_slice())?.first().copied();
        self.time_column =
            self.find("split_by_time", self.settings.split_by_time.as_slice())?.first().copied();
        self.weight_column = self.find_weights()?;
        let is_blank = |i: &usize| !self.columns[*i].is_named && self.header && self.columns[*i].is_empty();
        self.blank = (0..self.columns.len()).filter(is_blank).collect();
        let left_out = ignored.iter().chain(&self.ids).chain(&self.blank).chain(&self.group_column);
        let mut taken: HashSet<usize> = left_out.chain(&self.weight_column).copied().collect();
        if let Some(i) = self.targets.iter().find(|i| taken.contains(i)) {
            let name = format!("\"{}\"", self.columns[*i].name);
            let expected = "this column is left out, so it cannot be learnt";
            return Err(Error::setting("target_column", name, expected));
        }
        if self.targets.is_empty() {
            self.targets.extend((0..self.columns.len()).rev().find(|i| !taken.contains(i)));
        }
        taken.extend(&self.targets);
        self.inputs = (0..self.columns.len()).filter(|i| !taken.contains(i)).collect();
        if self.inputs.is_empty() {
            // Nothing else that could be said about such a table would help.
            return Err(self.without_inputs());
        }
        let declared = self.find("text_column", &self.settings.text_column)?;
        for i in 0..self.columns.len() {
            let (is_target, task) = (self.targets.contains(&i), self.settings.task);
            let are_weights = self.weight_column == Some(i);
            let refuses_text = !is_target && self.settings.categories == Categories::Refuse;
            let (decimal, order) = (self.settings.decimal, self.settings.date_order);
            if let Some(column) = Arc::get_mut(&mut self.columns[i]) {
                let has_classes = is_target && task == Some(Task::Classification) && column.texts > 0;
                let declared = if are_weights || is_target && task == Some(Task::Regression) {
                    Some(Declared::Numbers)
                } else if declared.contains(&i) || has_classes {
                    Some(Declared::Text)
                } else {
                    refuses_text.then_some(Declared::Numbers)
                };
                // Dates are no weights, as they are no targets.
                column.decide(Rules { declared, is_target: is_target || are_weights, decimal, order });
            }
        }
        self.settle_decimals();
        self.choose_task();
        self.leave_out()
    }
}
