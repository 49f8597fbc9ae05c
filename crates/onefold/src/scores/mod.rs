//! Scores of predictions: errors and R² of numbers; accuracy, F1, area under the curve, log loss and
//! calibration of classes. `fit`, `evaluate`, the race between networks and the importance of columns all
//! compute them here.

mod calibration;
mod classes;
mod evaluation;
mod losses;
mod metric;
mod ranking;
mod scale;

pub use evaluation::Evaluation;
pub use metric::Metric;
pub(crate) use scale::Scale;

use serde::{Deserialize, Serialize};

/// The scores of a model on some rows. Where rows have weights, scores are weighted, and counts of rows are
/// not.
///
/// Of classes, log loss, Brier score and calibration are about probabilities: outputs that are scores by
/// least squares and not [probabilities](crate::Model::has_probabilities) are clipped to `[1e-6, 1]` and
/// divided by their sum for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scores {
    /// Rows that were evaluated.
    pub rows: u64,
    /// Mean squared error over rows and outputs; for a classification of the scores or probabilities, against
    /// 1 for the class and 0 for the others.
    pub mse: f64,
    /// Its root.
    pub rmse: f64,
    /// Coefficient of determination, averaged over outputs; none for a classification, or where an
    /// output is constant.
    pub r2: Option<f64>,
    /// Mean absolute error over rows and outputs; none for a classification.
    pub mae: Option<f64>,
    /// Each target, where a regression has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetScore>,
    /// Fraction of rows classified correctly.
    pub accuracy: Option<f64>,
    /// Mean of the recall over the classes that occur in the rows.
    pub balanced_accuracy: Option<f64>,
    /// Macro-averaged F1 over the classes that occur in the rows or in the predictions.
    pub f1: Option<f64>,
    /// Area under the receiver operating characteristic, each class against all others, in the mean over the
    /// classes that occur beside others; of more than 4 million outputs from a random sample of the rows.
    pub auc: Option<f64>,
    /// Average precision, the area under the curve of precision by recall as a sum of steps, in the mean over
    /// the same classes, from the same rows.
    pub average_precision: Option<f64>,
    /// Mean of `-ln p` of the actual class, at most about 36 for a row.
    pub log_loss: Option<f64>,
    /// Brier score: mean of the squared differences between probabilities and classes, summed over classes;
    /// of two classes half of that, which is the squared difference for one of them.
    pub brier: Option<f64>,
    /// Expected calibration error: the rows in ten bins of equal width by the probability of the predicted
    /// class; the mean over rows of the distance of their bin's accuracy from its mean probability.
    pub calibration_error: Option<f64>,
    /// Confusion matrix: a row for each actual class, a column for each predicted class.
    #[serde(default)]
    pub confusion: Option<Vec<Vec<u64>>>,
    /// Each class; empty for a regression.
    #[serde(default)]
    pub classes: Vec<ClassScore>,
}

/// The scores of one target of several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetScore {
    /// The target.
    pub target: String,
    /// Root mean squared error.
    pub rmse: f64,
    /// Mean absolute error.
    pub mae: f64,
    /// Coefficient of determination; none where the target is constant.
    pub r2: Option<f64>,
}

/// The scores of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassScore {
    /// The class.
    pub class: String,
    /// Rows of this class.
    pub rows: u64,
    /// Fraction of correct ones among the rows predicted as this class; none without such rows.
    pub precision: Option<f64>,
    /// Fraction of correct ones among the rows of this class; none without such rows.
    pub recall: Option<f64>,
    /// Harmonic mean of precision and recall, 0 if no prediction is correct; none if the class does not
    /// occur.
    pub f1: Option<f64>,
    /// Area under the curve against all other classes; none if only it or only others occur.
    pub auc: Option<f64>,
    /// Average precision against all other classes; none if only it or only others occur.
    pub average_precision: Option<f64>,
}

impl Scores {
    /// Without confusion matrix and classes, as model files keep them.
    #[must_use]
    pub fn summary(&self) -> Self {
        Self { confusion: None, classes: Vec::new(), ..self.clone() }
    }

    /// What is wrong with those of a file.
    pub(crate) fn check(&self) -> Result<(), String> {
        let is_size = |v: f64| v >= 0.0 && v.is_finite();
        let of_targets = self.targets.iter().flat_map(|target| [target.rmse, target.mae]);
        let sizes = [self.mae, self.log_loss, self.brier].into_iter().flatten();
        if ![self.mse, self.rmse].into_iter().chain(of_targets).chain(sizes).all(is_size) {
            return Err("one of its scores is no number of at least 0".into());
        }
        let Self { accuracy, balanced_accuracy, f1, auc, average_precision, calibration_error, .. } = self;
        let fractions = [accuracy, balanced_accuracy, f1, auc, average_precision, calibration_error];
        if !fractions.into_iter().flatten().all(|v| (0.0..=1.0).contains(v)) {
            return Err("one of its scores does not lie between 0 and 1".into());
        }
        let explained = self.r2.into_iter().chain(self.targets.iter().filter_map(|target| target.r2));
        if explained.into_iter().all(|r2| r2 <= 1.0) { Ok(()) } else { Err("its R² is above 1".into()) }
    }
}

#[cfg(test)]
mod tests;
