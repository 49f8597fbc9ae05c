//! Validation of model files: everything that a prediction relies on.

use super::{Metrics, Model};
use crate::scores::Scores;
use serde_json::Value;
use std::collections::HashSet;

/// Finds numbers that JSON cannot represent: NaN and infinity are written as null.
pub(super) fn check_numbers(file: &Value) -> Result<(), String> {
    let is_number = |what: String, value: &Value| match value {
        Value::Number(_) => Ok(()),
        Value::Null => Err(format!("{what} is null, so it was no finite number")),
        _ => Err(format!("{what} is not a number")),
    };
    let list = |what: &str, value: Option<&Value>| -> Result<(), String> {
        let Some(values) = value.and_then(Value::as_array) else {
            return Err(format!("it has no list of {what}s"));
        };
        values.iter().enumerate().try_for_each(|(i, v)| is_number(format!("{what} {}", i + 1), v))
    };
    list("hidden parameter", file.get("hidden"))?;
    let rows = file.get("readout").and_then(Value::as_array).ok_or("it has no readout")?;
    for (i, row) in rows.iter().enumerate() {
        list(&format!("readout {} weight", i + 1), Some(row))?;
    }
    for part in ["offset", "scale"] {
        list(&format!("scaler {part}"), file.get("scaler").and_then(|s| s.get(part)))?;
    }
    Ok(())
}

impl Model {
    /// What is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        self.check_sizes()?;
        let is_finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
        let scaler = &self.scaler;
        if ![&self.hidden, &scaler.offset, &scaler.scale]
            .into_iter()
            .chain(&self.readout)
            .all(|v| is_finite(v))
        {
            return Err("not all its weights are finite numbers".into());
        }
        if scaler.scale.iter().any(|s| !s.is_normal()) {
            return Err("its scaler divides by zero".into());
        }
        if self.classification {
            if self.output_names.len() < 2 {
                return Err("it has only one class".into());
            }
            let mut seen = HashSet::new();
            if let Some(twice) = self.output_names.iter().find(|n| !seen.insert(*n)) {
                return Err(format!("it has the class {twice} twice"));
            }
        }
        if self.has_probabilities() && !self.classification {
            return Err("it is a regression, and its outputs are probabilities of classes".into());
        }
        self.check_metrics()?;
        if self
            .training_rows
            .as_ref()
            .is_some_and(|r| !r.fits(self.topology.inputs(), self.topology.outputs()))
        {
            return Err("its ranges or errors of training rows do not fit".into());
        }
        if let Some(intervals) = &self.intervals {
            intervals.check(self.topology.outputs(), self.classification)?;
        }
        let o = &self.origin;
        if o.settings.topology != self.topology {
            return Err(format!("it is a {}, and was trained as {}", self.topology, o.settings.topology));
        }
        if o.rank > self.readout[0].len() {
            return Err("its readout has a larger rank than columns".into());
        }
        if let Some(t) = &o.target_scaler
            && (t.offset.len() != self.readout.len()
                || t.scale.len() != self.readout.len()
                || !is_finite(&t.offset)
                || t.scale.iter().any(|s| !s.is_normal()))
        {
            return Err("its target scaler does not fit".into());
        }
        match &self.table {
            Some(table) => table.check(self.topology.inputs(), self.topology.outputs(), self.classification),
            None => Ok(()),
        }
    }

    fn check_sizes(&self) -> Result<(), String> {
        let t = &self.topology;
        let width = self.readout.first().map_or(0, Vec::len);
        let columns = t.readout_columns();
        for (what, found, expected) in [
            ("hidden parameters", self.hidden.len(), t.dim()),
            ("readout rows", self.readout.len(), t.outputs()),
            ("input names", self.input_names.len(), t.inputs()),
            ("output names", self.output_names.len(), t.outputs()),
            ("scaler offsets", self.scaler.offset.len(), t.inputs()),
            ("scaler scales", self.scaler.scale.len(), t.inputs()),
            ("readout columns", width, (columns + usize::from(width == columns + 1)).max(1)),
        ] {
            if found != expected {
                return Err(format!("it has {found} {what}, and {t} needs {expected}"));
            }
        }
        if self.readout.iter().any(|row| row.len() != width) {
            return Err("its readout rows differ in length".into());
        }
        Ok(())
    }

    fn check_metrics(&self) -> Result<(), String> {
        let Metrics { train_mse, test_mse, train_accuracy, test_accuracy, cross_validation, train, test } =
            &self.metrics;
        let folds = cross_validation.as_ref();
        let mut errors = [*train_mse, *test_mse]
            .into_iter()
            .flatten()
            .chain(folds.into_iter().flat_map(|f| f.mse.clone()));
        let mut shares = [*train_accuracy, *test_accuracy]
            .into_iter()
            .flatten()
            .chain(folds.into_iter().flat_map(|f| f.accuracy.clone()));
        if errors.any(|mse| !(mse >= 0.0 && mse.is_finite())) {
            return Err("one of its errors is no number of at least 0".into());
        }
        if shares.any(|share| !(0.0..=1.0).contains(&share)) {
            return Err("one of its accuracies does not lie between 0 and 1".into());
        }
        let held_out = folds.and_then(|folds| folds.scores.as_ref());
        train.iter().chain(test).chain(held_out).try_for_each(Scores::check)
    }
}
