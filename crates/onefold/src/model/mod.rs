//! Trained models: prediction, evaluation and model files.

use crate::data::winner;
use crate::files::{check_head, read_text, write_whole};
use crate::network::plain;
use crate::{
    Builtin, BuiltinSettings, Dataset, Error, FitSettings, Scaler, Split, SplitKind, SplitRule, StopReason,
    TableSchema, TableSettings, TargetScaler, Topology,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

mod check;

use check::check_numbers;

/// First field of every model file.
const FORMAT: &str = "onefold-model";
/// Version of the file format that this version of the library writes.
/// (2: tables, target scaling, cross-validation; 1 lacks them and is read as well).
const FORMAT_VERSION: u32 = 2;

/// A trained network with everything needed to use it.
///
/// Predictions are made in plain `f64` arithmetic with the standard library's `tanh`, one row at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    format: String,
    format_version: u32,
    /// Version of onefold that made it.
    pub made_by: String,
    /// Layers.
    pub topology: Topology,
    /// Weights and biases of the hidden neurons, in the order of [`Topology::neuron`].
    pub hidden: Vec<f64>,
    /// For each output the weights of the last hidden layer, followed by the bias if the network has one.
    pub readout: Vec<Vec<f64>>,
    /// Scaling of the inputs.
    pub scaler: Scaler,
    /// Names of the inputs.
    pub input_names: Vec<String>,
    /// Names of the outputs, or the classes.
    pub output_names: Vec<String>,
    /// Whether the outputs are scores of classes; the largest one is predicted.
    pub classification: bool,
    /// Errors and accuracies.
    pub metrics: Metrics,
    /// How rows of a table become inputs, if it was trained on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableSchema>,
    /// How it was made.
    pub origin: Origin,
}

/// Errors and accuracies of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// Mean squared error over training rows and outputs.
    pub train_mse: f64,
    /// The same over test rows, if there are any.
    pub test_mse: Option<f64>,
    /// Fraction of training rows classified correctly.
    pub train_accuracy: Option<f64>,
    /// Fraction of test rows classified correctly.
    pub test_accuracy: Option<f64>,
    /// Results of cross-validation with the same settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_validation: Option<CrossValidation>,
}

/// Errors and accuracies on the held-out folds of a cross-validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossValidation {
    /// Seed of the folds.
    pub seed: u64,
    /// Mean squared error of each fold.
    pub mse: Vec<f64>,
    /// Fraction of rows classified correctly in each fold; empty for a regression.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accuracy: Vec<f64>,
}

impl CrossValidation {
    /// Mean and standard deviation over folds (with n - 1 in the denominator).
    #[must_use]
    pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        (mean, (squares / (n - 1.0).max(1.0)).sqrt())
    }
}

/// How a model was made: all that is needed to reproduce it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Name of the data.
    pub data: String,
    /// How a built-in data set was loaded: size, noise, data seed, split, encoding.
    pub data_settings: Option<BuiltinSettings>,
    /// How a table was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_settings: Option<TableSettings>,
    /// Which rows of a table are training rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<Split>,
    /// The scaling of targets in the search, already reversed in the output weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_scaler: Option<TargetScaler>,
    /// Whether the threshold was reached.
    pub reached: bool,
    /// Why the search ended.
    pub stop: StopReason,
    /// Candidates evaluated.
    pub evaluations: u64,
    /// Candidates whose slopes were computed.
    #[serde(default, skip_serializing_if = "crate::settings::is_default")]
    pub slopes: u64,
    /// Cost in the search; in the units of the data, or of scaled targets if there are several.
    pub cost: f64,
    /// The same by a plain forward pass.
    pub verified_cost: f64,
    /// Columns of the least-squares problem that were kept.
    pub rank: usize,
    /// Smallest fraction of its squared norm that a kept column had left after projecting out the others: a
    /// measure of collinearity of the hidden outputs.
    pub least_share: f64,
    /// All settings, including the seed.
    pub settings: FitSettings,
}

impl Model {
    /// The built-in data set that it was trained on. The syn5 of version 0.1.0 is [`Builtin::Syn5Printed`].
    #[must_use]
    pub fn builtin(&self) -> Option<Builtin> {
        let named = self.origin.data.parse().ok();
        if named == Some(Builtin::Syn5) && self.is_of_0_1_0() { Some(Builtin::Syn5Printed) } else { named }
    }

    /// How that data set was loaded, with the defaults of the version that made the model.
    #[must_use]
    pub fn data_settings(&self) -> Option<BuiltinSettings> {
        let mut settings = self.origin.data_settings.clone()?;
        if self.builtin() == Some(Builtin::TwoSpirals) && self.is_of_0_1_0() {
            settings.split.get_or_insert(SplitRule { train: 2, test: 2, kind: SplitKind::Shifted });
        }
        Some(settings)
    }

    fn is_of_0_1_0(&self) -> bool {
        self.made_by == "onefold 0.1.0"
    }

    pub(crate) fn new(
        topology: Topology,
        hidden: Vec<f64>,
        readout: Vec<Vec<f64>>,
        scaler: Scaler,
        train: &Dataset,
        origin: Origin,
    ) -> Self {
        Self {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            made_by: format!("onefold {}", env!("CARGO_PKG_VERSION")),
            topology,
            hidden,
            readout,
            scaler,
            input_names: train.input_names.clone(),
            output_names: train.output_names.clone(),
            classification: train.classification,
            metrics: Metrics {
                train_mse: f64::NAN,
                test_mse: None,
                train_accuracy: None,
                test_accuracy: None,
                cross_validation: None,
            },
            table: None,
            origin,
        }
    }

    /// The outputs for one row of unscaled inputs.
    ///
    /// # Panics
    /// If the number of inputs differs from that of the network.
    #[must_use]
    pub fn predict(&self, input: &[f64]) -> Vec<f64> {
        assert_eq!(input.len(), self.topology.inputs(), "inputs of a row");
        plain(&self.topology, &self.hidden, &self.readout, &self.scaler.apply(input))
    }

    /// The predicted class for one row of unscaled inputs; none for a regression.
    ///
    /// # Panics
    /// As [`predict`](Self::predict).
    #[must_use]
    pub fn classify(&self, input: &[f64]) -> Option<&str> {
        self.classification.then(|| self.output_names[winner(&self.predict(input))].as_str())
    }

    /// The class with the largest of these outputs; none for a regression.
    #[must_use]
    pub fn winner(&self, outputs: &[f64]) -> Option<&str> {
        self.output_names.get(winner(outputs)).filter(|_| self.classification).map(String::as_str)
    }

    /// Mean squared error and, for a classification, accuracy over all rows of `data`; none without rows.
    #[must_use]
    pub fn score(&self, data: &Dataset) -> Option<(f64, Option<f64>)> {
        let (mut squared, mut correct) = (0.0, 0);
        for row in 0..data.rows() {
            let (predicted, output) = (self.predict(&data.input(row)), data.output(row));
            squared += predicted.iter().zip(&output).map(|(p, y)| (y - p).powi(2)).sum::<f64>();
            correct += usize::from(winner(&predicted) == winner(&output));
        }
        let rows = data.rows() as f64;
        (rows > 0.0).then(|| {
            (squared / (rows * data.outputs.len() as f64), self.classification.then(|| correct as f64 / rows))
        })
    }

    /// Number of parameters, hidden and output weights included.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.hidden.len() + self.readout.iter().map(Vec::len).sum::<usize>()
    }

    /// Whether the outputs have biases.
    #[must_use]
    pub fn has_output_bias(&self) -> bool {
        self.readout[0].len() > self.topology.last_hidden()
    }

    /// The file's text.
    ///
    /// # Panics
    /// Never: all parts can be written as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a model is plain data") + "\n"
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// One sentence on what is wrong with it.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let head = check_head(text, FORMAT, 1..=u64::from(FORMAT_VERSION), "model file")?;
        let damaged = |e: String| format!("the model file is damaged: {e}");
        check_numbers(&head).map_err(damaged)?;
        let mut model: Self = serde_json::from_value(head).map_err(|e| damaged(e.to_string()))?;
        model.check().map_err(damaged)?;
        model.format_version = FORMAT_VERSION;
        Ok(model)
    }

    /// How rows of a table become inputs: as in training, or for a built-in set one column for each input.
    #[must_use]
    pub fn schema(&self) -> Cow<'_, TableSchema> {
        match &self.table {
            Some(schema) => Cow::Borrowed(schema),
            None => {
                Cow::Owned(TableSchema::of_names(&self.input_names, &self.output_names, self.classification))
            }
        }
    }

    /// The classes, for a classification.
    #[must_use]
    pub fn classes(&self) -> Option<&[String]> {
        self.classification.then_some(&self.output_names)
    }

    /// Euclidean norm of the hidden parameters.
    #[must_use]
    pub fn norm(&self) -> f64 {
        self.hidden.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    /// Loads a model file.
    ///
    /// # Errors
    /// If the file cannot be read, is not a model, is damaged, or has a newer format.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = read_text(path, "model file")?;
        Self::from_json(&text).map_err(|reason| Error::Model { path: path.into(), reason })
    }

    /// Saves a model file atomically: written to a temporary file, which is then renamed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        write_whole(path, self.to_json().as_bytes())
    }
}

#[cfg(test)]
mod tests;
