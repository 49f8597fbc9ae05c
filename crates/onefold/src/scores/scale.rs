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
    /// Powers of two near the standard deviations of the outputs. Losses and errors that are kept in single
    /// precision are divided by them, so that targets of any size have some; this changes no digit.
    pub(crate) units: Vec<f64>,
}

/// The power of two that is nearest in order of magnitude; 1 for what is no size.
fn power_of_two(size: f64) -> f64 {
    if size.is_normal() && size > 0.0 { 2.0_f64.powi(size.log2().round() as i32) } else { 1.0 }
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
        let variance = scaled.sum::<f64>() / weights.len() as f64;
        let unit = |variance: &f64| if data.classification { 1.0 } else { power_of_two(variance.sqrt()) };
        Self { variance, units: variances.iter().map(unit).collect(), weights }
    }

    /// The unit of the losses of a metric.
    pub(crate) fn unit_of_losses(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Rmse | Metric::R2 => power_of_two(self.variance),
            Metric::Mae => power_of_two(self.variance.sqrt()),
            _ => 1.0,
        }
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
