//! Trained models: prediction, evaluation and model files.

use crate::data::{Scaler, SplitKind, SplitRule, TableSchema};
use crate::files::{LARGEST, check_head, read_text, write_whole};
use crate::{Builtin, BuiltinSettings, Error, Topology, TrainTest};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

mod check;
mod intervals;
mod origin;
mod prediction;
mod score;
mod training_rows;

pub use crate::activation::OutputActivation;
pub use intervals::Intervals;
pub use origin::{CrossValidation, Metrics, Origin};
pub use training_rows::{Change, Changes, InputRange, TrainingRows};

pub(crate) use intervals::HeldOutErrors;
pub(crate) use score::Score;

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
    made_by: String,
    /// Layers.
    topology: Topology,
    /// Weights and shifts of the hidden neurons, in the order of [`Topology::neuron`].
    hidden: Vec<f64>,
    /// For each output the weights of the last hidden layer, with a linear part those of the scaled inputs,
    /// and a bias at the end where the network has one.
    readout: Vec<Vec<f64>>,
    /// What becomes of the sums of the output layer.
    #[serde(default, skip_serializing_if = "crate::settings::is_default")]
    output_activation: OutputActivation,
    /// Scaling of the inputs.
    scaler: Scaler,
    /// Names of the inputs.
    input_names: Vec<String>,
    /// Names of the outputs, or the classes.
    output_names: Vec<String>,
    /// Whether the outputs stand for classes; the largest one wins.
    classification: bool,
    /// How well it does.
    metrics: Metrics,
    /// What its training rows were like; files of 0.2.0 and before lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    training_rows: Option<TrainingRows>,
    /// Prediction intervals of a regression that was trained with held-out rows; files of 0.2.0 and before
    /// lack them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    intervals: Option<Intervals>,
    /// How rows of a table become inputs, where it was trained on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<TableSchema>,
    /// Where it came from.
    origin: Origin,
}

/// What training leaves, besides the data.
pub(crate) struct Parts {
    pub(crate) hidden: Vec<f64>,
    pub(crate) readout: Vec<Vec<f64>>,
    pub(crate) activation: OutputActivation,
    pub(crate) scaler: Scaler,
    pub(crate) origin: Origin,
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

    /// The model of a network that was trained on these rows, with its errors on them and, if they are
    /// wanted, all scores.
    pub(crate) fn new(parts: Parts, data: &TrainTest, pool: Option<&ThreadPool>, wants_scores: bool) -> Self {
        let Parts { hidden, readout, activation, scaler, origin } = parts;
        let TrainTest { train, test, table, .. } = data;
        let mut model = Self {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            made_by: format!("onefold {}", env!("CARGO_PKG_VERSION")),
            topology: origin.settings.topology.clone(),
            hidden,
            readout,
            output_activation: activation,
            scaler,
            input_names: train.input_names.clone(),
            output_names: train.output_names.clone(),
            classification: train.classification,
            metrics: Metrics::default(),
            training_rows: None,
            intervals: None,
            table: table.as_deref().map(|t| t.schema.clone()),
            origin,
        };
        let [(on_train, scores_of_train), (on_test, scores_of_test)] =
            [train, test].map(|rows| model.score_and_scores(rows, pool, wants_scores));
        let accuracy =
            |score: &Option<Score>| score.as_ref().map(|s| s.accuracy).filter(|_| train.classification);
        model.metrics = Metrics {
            train_mse: on_train.as_ref().map(|score| score.mse),
            train_accuracy: accuracy(&on_train),
            test_mse: on_test.as_ref().map(|score| score.mse),
            test_accuracy: accuracy(&on_test),
            cross_validation: None,
            train: scores_of_train,
            test: scores_of_test,
        };
        model.training_rows = on_train.map(|score| TrainingRows::new(train, score.mse_of_outputs));
        model
    }

    /// The same model with this verified cost, which was not known before its errors were.
    pub(crate) fn with_verified_cost(mut self, cost: f64) -> Self {
        self.origin.verified_cost = cost;
        self
    }

    /// The same model, with the result of a cross-validation of networks like it.
    #[must_use]
    pub fn with_cross_validation(mut self, scores: Option<CrossValidation>) -> Self {
        self.metrics.cross_validation = scores;
        self
    }

    /// For tests of what no trained model has: hidden parameters, output weights, scaling, names of outputs.
    #[cfg(test)]
    pub(crate) fn parts_mut(&mut self) -> (&mut Vec<f64>, &mut Vec<Vec<f64>>, &mut Scaler, &mut Vec<String>) {
        (&mut self.hidden, &mut self.readout, &mut self.scaler, &mut self.output_names)
    }

    /// Version of onefold that made it.
    #[must_use]
    pub fn made_by(&self) -> &str {
        &self.made_by
    }

    /// Layers.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Weights and shifts of the hidden neurons, in the order of [`Topology::neuron`].
    #[must_use]
    pub fn hidden(&self) -> &[f64] {
        &self.hidden
    }

    /// For each output the weights of the last hidden layer, with a linear part those of the scaled inputs,
    /// and a bias at the end where the network has one.
    #[must_use]
    pub fn readout(&self) -> &[Vec<f64>] {
        &self.readout
    }

    /// What becomes of the sums of the output layer.
    #[must_use]
    pub fn output_activation(&self) -> OutputActivation {
        self.output_activation
    }

    /// Whether the outputs are probabilities of the classes: positive numbers with the sum 1.
    #[must_use]
    pub fn has_probabilities(&self) -> bool {
        self.output_activation == OutputActivation::Softmax
    }

    /// Scaling of the inputs.
    #[must_use]
    pub fn scaler(&self) -> &Scaler {
        &self.scaler
    }

    /// Names of the inputs.
    #[must_use]
    pub fn input_names(&self) -> &[String] {
        &self.input_names
    }

    /// Names of the outputs, or the classes.
    #[must_use]
    pub fn output_names(&self) -> &[String] {
        &self.output_names
    }

    /// Whether the outputs stand for classes; the largest one is predicted.
    #[must_use]
    pub fn is_classification(&self) -> bool {
        self.classification
    }

    /// Its errors and accuracies.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// What its training rows were like; none in files of 0.2.0 and before.
    #[must_use]
    pub fn training_rows(&self) -> Option<&TrainingRows> {
        self.training_rows.as_ref()
    }

    /// The same model with what exported arithmetic changes on its training rows.
    #[must_use]
    pub(crate) fn with_changes(mut self, changes: Changes) -> Self {
        if let Some(rows) = &mut self.training_rows {
            rows.changes = Some(changes);
        }
        self
    }

    /// How rows of a table become inputs, where it was trained on one; see also [`schema`](Self::schema).
    #[must_use]
    pub fn table(&self) -> Option<&TableSchema> {
        self.table.as_ref()
    }

    /// How it was made.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Number of parameters, hidden and output weights included.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.hidden.len() + self.readout.iter().map(Vec::len).sum::<usize>()
    }

    /// Whether the outputs have biases.
    #[must_use]
    pub fn has_output_bias(&self) -> bool {
        self.readout[0].len() > self.topology.readout_columns()
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
        self.hidden.iter().map(|v| v * v).fold(0.0, |sum, square| sum + square).sqrt()
    }

    /// Loads a model file.
    ///
    /// # Errors
    /// If the file cannot be read, is not a model, is damaged, or has a newer format.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = read_text(path, "model file", LARGEST)?;
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
