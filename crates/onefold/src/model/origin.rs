//! Where a model comes from, and how well it does.

use crate::data::{BuiltinSettings, Split, TableSettings, TargetScaler};
use crate::scores::Scores;
use crate::search::StopReason;
use crate::settings::FitSettings;
use serde::{Deserialize, Serialize};

/// Errors and accuracies of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// Mean squared error over training rows and outputs; none where nobody has measured it, as of an average
    /// of networks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_mse: Option<f64>,
    /// The same over test rows, where there are any.
    pub test_mse: Option<f64>,
    /// Share of training rows classified correctly.
    pub train_accuracy: Option<f64>,
    /// Share of test rows classified correctly.
    pub test_accuracy: Option<f64>,
    /// How well networks like it did that were trained on other folds than they were tested on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_validation: Option<CrossValidation>,
    /// All scores on the training rows, without confusion matrix and classes; none unless
    /// [asked for](crate::Training::with_scores), as `fit` of the command does, and in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train: Option<Scores>,
    /// The same on test rows, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Scores>,
}

/// How well networks did on the folds that they were not trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossValidation {
    /// Seed of the folds.
    pub seed: u64,
    /// Mean squared error of each fold.
    pub mse: Vec<f64>,
    /// Share of rows classified correctly in each fold; empty for a regression.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accuracy: Vec<f64>,
    /// All scores on the held-out rows of all folds together, without confusion matrix and classes; none in
    /// older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
}

impl CrossValidation {
    /// Mean and standard deviation over folds (with one less than their number in the denominator).
    #[must_use]
    pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        (mean, (squares / (n - 1.0).max(1.0)).sqrt())
    }
}

/// How a model was made: enough to make it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// What it was trained on, in words.
    pub data: String,
    /// How that data was loaded, where it is built in: size, noise, data seed, split, encoding.
    pub data_settings: Option<BuiltinSettings>,
    /// How it was read, where it is a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_settings: Option<TableSettings>,
    /// Which rows of a table trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<Split>,
    /// Whether training rows had weights: errors and accuracies of the training are then weighted.
    #[serde(default, skip_serializing_if = "crate::settings::is_default")]
    pub weighted: bool,
    /// The scaling of targets that the search saw; the readout has undone it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_scaler: Option<TargetScaler>,
    /// Whether the target was reached.
    pub reached: bool,
    /// Why the search ended.
    pub stop: StopReason,
    /// Candidates evaluated.
    pub evaluations: u64,
    /// Candidates whose slopes were computed.
    #[serde(default, skip_serializing_if = "crate::settings::is_default")]
    pub slopes: u64,
    /// Cost as the search saw it; in the units of the data, but of scaled targets where these are several.
    pub cost: f64,
    /// The same by a plain forward pass.
    pub verified_cost: f64,
    /// Columns of the least-squares problem that were kept.
    pub rank: usize,
    /// Smallest share of its squared norm that a kept column had left: how near to collinear the hidden
    /// outputs are.
    pub least_share: f64,
    /// All settings, the seed among them.
    pub settings: FitSettings,
}
