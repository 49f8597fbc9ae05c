//! The result of a selection: what was tried, what was selected, and why.

use crate::model::Intervals;
use crate::scores::Metric;
use crate::settings::OutputLayer;
use crate::{Topology, Training};
use serde::{Deserialize, Serialize};

/// A network that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// Its layers. Without hidden layers it is a baseline: the constant answer or the linear model.
    pub topology: Topology,
    /// Number of parameters, output weights and biases included.
    pub parameters: usize,
    /// Its L2 penalty.
    pub decay: f64,
    /// How its output layer is solved; for a classification by least squares or logistic regression, which
    /// are compared alike, or with all other weights for cross-entropy.
    pub output_layer: OutputLayer,
    /// The [metric](Selection::metric) on held-out rows; with a threshold the mean squared error on the
    /// training rows. Errors of several targets are divided by their standard deviations.
    pub score: f64,
    /// Standard error of the score over rows. None on training rows.
    pub standard_error: Option<f64>,
    /// Fraction of the held-out rows classified correctly, or of their variance explained.
    #[serde(rename = "share")]
    pub fraction: Option<f64>,
    /// Standard deviations by which its predictions depend on the targets of the held-out rows, compared with
    /// all permutations of the targets. None on training rows.
    pub association: Option<f64>,
    /// Number of rows that it was tried on.
    pub rows: usize,
    /// How it compares with the others.
    #[serde(rename = "note")]
    pub verdict: Verdict,
}

/// How a network that was tried compares with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Selected.
    #[serde(rename = "chosen")]
    Selected,
    /// Lowest loss of all.
    Best,
    /// Another decay or output layer is better for this network.
    OtherDecay,
    /// Worse than another one beyond chance.
    Worse,
    /// Within one standard error of the best, but larger than the selected one.
    Larger,
    /// The threshold was not reached.
    #[serde(rename = "missed")]
    NotReached,
}

/// Why a network was selected.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The smallest whose verified training error reaches the threshold.
    #[serde(rename = "target")]
    Threshold,
    /// None reaches the threshold; this one has the lowest error.
    Nearest,
    /// The lowest loss of all.
    Lowest,
    /// The smallest whose loss, and fraction of wrong classes, exceed those of the best by at most one
    /// standard error of the row-wise difference.
    NotWorse {
        /// The best network.
        best: Topology,
        /// Difference of the losses.
        difference: f64,
        /// The standard error of the difference.
        standard_error: f64,
    },
    /// A baseline, because no network is better beyond chance.
    NotBeaten {
        /// The best network; none if the baseline is best.
        best: Option<Topology>,
        /// Difference of the losses.
        difference: f64,
        /// The standard error of the difference.
        standard_error: f64,
    },
}

/// What else is to be known about a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// No network that was tried is larger than the best one.
    LargestIsBest,
    /// The training of the best network was cut short by the effort or the time of the selection.
    CutShort,
    /// More than one network may be the best, and more effort could decide it.
    Undecided,
    /// The best networks were trained again with more restarts.
    Intensified,
}

/// Why a selection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// A network reached the threshold.
    Reached,
    /// More repetitions did not change what is selected.
    Decided,
    /// All rungs of the race, or all widths, were tried.
    List,
    /// The next network would have more parameters than there are target values.
    Rows,
    /// The effort was spent.
    Effort,
    /// It was cancelled.
    Cancelled,
}

/// A selected network after the training of the selection, on all rows of the selection.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Its hidden parameters.
    pub hidden: Vec<f64>,
    /// Whether it is not trained any further. Networks of a classification are compared by probabilities, but
    /// searched for least squares. Where that search was cut short, a longer one gives another network than
    /// the one that was compared: its squared error is lower, but its log loss may be much higher.
    pub is_kept: bool,
}

impl Start {
    /// The training from here, or with these hidden parameters.
    #[must_use]
    pub fn begin<'a>(&self, training: Training<'a>) -> Training<'a> {
        if self.is_kept { training.with_hidden(&self.hidden) } else { training.start_at(&self.hidden) }
    }
}

/// The result of a selection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Selection {
    /// The selected network.
    pub topology: Topology,
    /// L2 penalty, for [`CostSettings::decay`](crate::CostSettings::decay).
    pub decay: f64,
    /// How the output layer is solved: for a classification by logistic regression, or with all other weights
    /// for cross-entropy.
    pub output_layer: OutputLayer,
    /// Temperature by which the scores of classes are divided; 1 for a regression.
    pub temperature: f64,
    /// What the training of the selected network begins with; none if it has no hidden parameters or the
    /// selection was cancelled.
    #[serde(skip)]
    pub start: Option<Start>,
    /// Prediction intervals from the errors of the selected network on held-out rows, for
    /// [`Model::with_intervals`](crate::Model::with_intervals); none for a classification and with a
    /// threshold.
    #[serde(skip)]
    pub intervals: Option<Intervals>,
    /// All networks that were tried, by increasing size.
    pub tried: Vec<Tried>,
    /// Why this network was selected.
    pub reason: Reason,
    /// Why the selection ended.
    pub end: End,
    /// What else is to be known.
    pub notes: Vec<Note>,
    /// What networks were compared by; none if there is a threshold.
    pub metric: Option<Metric>,
    /// Number of rows that networks were compared on: of a large table a sample.
    pub rows: usize,
    /// Number of folds; none if there is a threshold.
    pub folds: Option<usize>,
    /// Number of repetitions of the cross-validation.
    pub repeats: usize,
}
