//! What losses of a table are measured in.

use super::Metric;
use crate::Dataset;

/// What losses of a table are measured in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    /// Weights of the outputs' squared errors: several targets have no common unit, so that errors are
    /// divided by variances.
    pub(crate) weights: Vec<f64>,
    /// The mean over outputs of their variances, each multiplied by its weight.
    variance: f64,
}

impl Scale {
    pub(crate) fn new(data: &Dataset) -> Self {
        let variance = |column: &Vec<f64>| {
            let mean = data.mean(|row| column[row]);
            data.mean(|row| (column[row] - mean).powi(2))
        };
        let variances: Vec<f64> = data.outputs.iter().map(variance).collect();
        let is_scaled = !data.classification && variances.len() > 1;
        let weight = |v: &f64| if is_scaled && *v > 0.0 { 1.0 / v } else { 1.0 };
        let weights: Vec<f64> = variances.iter().map(weight).collect();
        let scaled = variances.iter().zip(&weights).map(|(v, w)| v * w);
        Self { variance: scaled.sum::<f64>() / weights.len() as f64, weights }
    }

    /// The fraction of the variance that is explained where this is the mean squared error.
    fn explained(&self, mean: f64) -> f64 {
        1.0 - mean / self.variance
    }
}

impl Metric {
    /// The metric, and its standard error, for a mean loss and its standard error.
    pub(crate) fn score(self, mean: f64, standard_error: f64, scale: &Scale) -> (f64, f64) {
        match self {
            Self::LogLoss | Self::Mae => (mean, standard_error),
            Self::Rmse => (mean.sqrt(), standard_error / (2.0 * mean.sqrt().max(f64::MIN_POSITIVE))),
            Self::R2 => (scale.explained(mean), standard_error / scale.variance),
            Self::Accuracy | Self::BalancedAccuracy | Self::MacroF1 | Self::Auc => {
                (1.0 - mean, standard_error)
            }
        }
    }

    /// The fraction of the variance explained, where the loss is the squared error.
    pub(crate) fn explained(self, mean: f64, scale: &Scale) -> Option<f64> {
        let explained = matches!(self, Self::Rmse | Self::R2).then(|| scale.explained(mean));
        explained.filter(|fraction| fraction.is_finite())
    }
}
