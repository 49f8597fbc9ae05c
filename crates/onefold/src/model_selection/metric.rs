//! The metric by which networks are compared, as one loss for each held-out row.
//!
//! A paired test needs losses of single rows. Metrics of all rows together get them by linearisation: the
//! area under the curve by placement values (DeLong et al. 1988), F1 by the jackknife's pseudo-values.

use crate::data::winner;
use crate::{Dataset, Error};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Least probability of a class in a log loss, so that a single row cannot decide.
const LEAST_PROBABILITY: f64 = 1e-9;

/// What a race compares networks by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Mean of `-ln p` of the actual class: the default for a classification.
    LogLoss,
    /// Fraction of rows classified correctly.
    Accuracy,
    /// The same as a mean over classes.
    BalancedAccuracy,
    /// Mean over classes of the harmonic mean of precision and recall.
    MacroF1,
    /// Area under the receiver operating characteristic, as a mean over classes against all others.
    Auc,
    /// Root mean squared error: the default for a regression.
    Rmse,
    /// Mean absolute error.
    Mae,
    /// Coefficient of determination; it orders networks as the squared error does.
    R2,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::LogLoss,
        Self::Accuracy,
        Self::BalancedAccuracy,
        Self::MacroF1,
        Self::Auc,
        Self::Rmse,
        Self::Mae,
        Self::R2,
    ];

    /// The one that is used if none is given.
    #[must_use]
    pub fn default_for(classification: bool) -> Self {
        if classification { Self::LogLoss } else { Self::Rmse }
    }

    /// Whether it is for a classification; otherwise it is for a regression.
    #[must_use]
    pub fn is_for_classes(self) -> bool {
        !matches!(self, Self::Rmse | Self::Mae | Self::R2)
    }

    /// The name on the command line and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LogLoss => "log-loss",
            Self::Accuracy => "accuracy",
            Self::BalancedAccuracy => "balanced-accuracy",
            Self::MacroF1 => "macro-f1",
            Self::Auc => "auc",
            Self::Rmse => "rmse",
            Self::Mae => "mae",
            Self::R2 => "r2",
        }
    }

    /// A loss for each row, whose mean is the metric, or one minus the metric where more is better. `weights`
    /// are factors of the outputs' errors in a regression.
    pub(super) fn losses(self, predicted: &[Vec<f64>], actual: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
        let each = |loss: &dyn Fn(&[f64], &[f64]) -> f64| {
            predicted.iter().zip(actual).map(|(p, y)| loss(p, y)).collect()
        };
        let errors = |p: &[f64], y: &[f64], of: &dyn Fn(f64) -> f64| {
            let weighted = p.iter().zip(y).zip(weights).map(|((p, y), w)| of(w.sqrt() * (p - y)));
            weighted.sum::<f64>() / y.len() as f64
        };
        match self {
            Self::LogLoss => each(&|p, y| -libm::log(p[winner(y)].max(LEAST_PROBABILITY))),
            Self::Accuracy => each(&|p, y| is_wrong(p, y)),
            Self::BalancedAccuracy => balanced(predicted, actual),
            Self::MacroF1 => pseudo_values(predicted, actual),
            Self::Auc => placements(predicted, actual),
            Self::Rmse | Self::R2 => each(&|p, y| errors(p, y, &|e| e * e)),
            Self::Mae => each(&|p, y| errors(p, y, &f64::abs)),
        }
    }
}

/// What losses of a table are measured in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    /// Weights of the outputs' squared errors: several targets have no common unit, so that errors are
    /// divided by variances.
    pub(super) weights: Vec<f64>,
    /// The mean over outputs of their variances, each multiplied by its weight.
    variance: f64,
}

impl Scale {
    pub(super) fn new(data: &Dataset) -> Self {
        let variance = |column: &Vec<f64>| {
            let n = column.len() as f64;
            let mean = column.iter().sum::<f64>() / n;
            column.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n
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
    pub(super) fn score(self, mean: f64, standard_error: f64, scale: &Scale) -> (f64, f64) {
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
    pub(super) fn explained(self, mean: f64, scale: &Scale) -> Option<f64> {
        let explained = matches!(self, Self::Rmse | Self::R2).then(|| scale.explained(mean));
        explained.filter(|fraction| fraction.is_finite())
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let names = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|metric| metric.name() == text);
        found.ok_or_else(|| Error::setting("metric", text, format!("must be one of {names}")))
    }
}

fn is_wrong(predicted: &[f64], actual: &[f64]) -> f64 {
    f64::from(u8::from(winner(predicted) != winner(actual)))
}

/// Wrong answers, each weighted by the inverse frequency of its class.
fn balanced(predicted: &[Vec<f64>], actual: &[Vec<f64>]) -> Vec<f64> {
    let counts = counts(actual);
    let present = counts.iter().filter(|count| **count > 0.0).count() as f64;
    let weight = |y: &Vec<f64>| actual.len() as f64 / (present * counts[winner(y)]);
    predicted.iter().zip(actual).map(|(p, y)| weight(y) * is_wrong(p, y)).collect()
}

/// Rows of each class.
fn counts(actual: &[Vec<f64>]) -> Vec<f64> {
    let mut counts = vec![0.0; actual.first().map_or(0, Vec::len)];
    actual.iter().for_each(|y| counts[winner(y)] += 1.0);
    counts
}

/// Pseudo-values of one minus macro F1: $n \theta - (n - 1) \theta_{-i}$, where $\theta_{-i}$ is without row
/// $i$.
fn pseudo_values(predicted: &[Vec<f64>], actual: &[Vec<f64>]) -> Vec<f64> {
    let classes = actual.first().map_or(0, Vec::len);
    let mut confusion = vec![vec![0.0_f64; classes]; classes];
    let places: Vec<(usize, usize)> =
        predicted.iter().zip(actual).map(|(p, y)| (winner(y), winner(p))).collect();
    places.iter().for_each(|(y, p)| confusion[*y][*p] += 1.0);
    let n = places.len() as f64;
    let all = macro_f1(&confusion);
    let mut without = vec![vec![None; classes]; classes];
    let mut value = |(y, p): &(usize, usize)| {
        let without = *without[*y][*p].get_or_insert_with(|| {
            confusion[*y][*p] -= 1.0;
            let f1 = macro_f1(&confusion);
            confusion[*y][*p] += 1.0;
            f1
        });
        1.0 - (n * all - (n - 1.0) * without)
    };
    places.iter().map(&mut value).collect()
}

/// Mean of F1 over the classes that occur in rows or in predictions.
fn macro_f1(confusion: &[Vec<f64>]) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (class, row) in confusion.iter().enumerate() {
        let actual: f64 = row.iter().sum();
        let predicted: f64 = confusion.iter().map(|row| row[class]).sum();
        if actual + predicted > 0.0 {
            sum += 2.0 * row[class] / (actual + predicted);
            count += 1.0;
        }
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

/// One minus the area under the curve of each class against the others, in the mean over classes that occur
/// with and without: for a row of the class the fraction of others with a higher score, for another row the
/// fraction of the class with a lower one, ties counted half.
fn placements(predicted: &[Vec<f64>], actual: &[Vec<f64>]) -> Vec<f64> {
    let n = actual.len() as f64;
    let mut losses = vec![0.0; actual.len()];
    let counts = counts(actual);
    let usable: Vec<usize> = (0..counts.len()).filter(|k| counts[*k] > 0.0 && counts[*k] < n).collect();
    for class in &usable {
        let score = |i: usize| predicted[i][*class];
        let mut order: Vec<usize> = (0..actual.len()).collect();
        order.sort_by(|a, b| score(*a).total_cmp(&score(*b)));
        let is_own = |i: usize| winner(&actual[i]) == *class;
        let (own, other) = (counts[*class], n - counts[*class]);
        let (mut own_below, mut other_below) = (0.0, 0.0);
        for ties in order.chunk_by(|a, b| score(*a).total_cmp(&score(*b)).is_eq()) {
            let own_here = ties.iter().filter(|i| is_own(**i)).count() as f64;
            let other_here = ties.len() as f64 - own_here;
            for i in ties {
                let fraction = if is_own(*i) {
                    n / own * (other - other_below - 0.5 * other_here) / other
                } else {
                    n / other * (own_below + 0.5 * own_here) / own
                };
                losses[*i] += 0.5 * fraction / usable.len() as f64;
            }
            own_below += own_here;
            other_below += other_here;
        }
    }
    losses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// Random probabilities that are somewhat right.
    fn rows(count: usize, classes: usize) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let mut rng = Rng::stream(1, Purpose::Data, 0, 0);
        let row = |i: usize| {
            let class = (i * i + i / 3) % classes;
            let actual: Vec<f64> = (0..classes).map(|k| f64::from(u8::from(k == class))).collect();
            let scores: Vec<f64> =
                actual.iter().map(|y| (0.3 * y + (8.0 * rng.uniform()).floor() / 8.0) / 1.5).collect();
            (scores, actual)
        };
        (0..count).map(row).unzip()
    }

    #[test]
    fn means_of_losses_are_the_metrics() {
        let (predicted, actual) = rows(200, 3);
        let loss = |metric: Metric| mean(&metric.losses(&predicted, &actual, &[1.0; 3]));
        let wrong = |i: &usize| is_wrong(&predicted[*i], &actual[*i]);
        let of_class = |k: usize| (0..200).filter(|i| winner(&actual[*i]) == k).collect::<Vec<_>>();
        let recalls: Vec<f64> =
            (0..3).map(|k| mean(&of_class(k).iter().map(wrong).collect::<Vec<_>>())).collect();
        assert!((loss(Metric::BalancedAccuracy) - mean(&recalls)).abs() < 1e-12);
        let mut areas = Vec::new();
        for k in [0, 1, 2] {
            let mut lost = 0.0;
            let (own, other): (Vec<usize>, Vec<usize>) = (0..200).partition(|i| winner(&actual[*i]) == k);
            for i in &own {
                for j in &other {
                    let difference = predicted[*j][k] - predicted[*i][k];
                    lost += if difference == 0.0 { 0.5 } else { f64::from(u8::from(difference > 0.0)) };
                }
            }
            areas.push(lost / (own.len() * other.len()) as f64);
        }
        assert!((loss(Metric::Auc) - mean(&areas)).abs() < 1e-12);
        // The jackknife's estimate differs from F1 by its bias, which is of the order of one row.
        let mut confusion = vec![vec![0.0; 3]; 3];
        predicted.iter().zip(&actual).for_each(|(p, y)| confusion[winner(y)][winner(p)] += 1.0);
        assert!((loss(Metric::MacroF1) - (1.0 - macro_f1(&confusion))).abs() < 0.01);
    }

    #[test]
    fn names_are_read_back() {
        for metric in Metric::ALL {
            assert_eq!(metric.name().parse::<Metric>().unwrap(), metric);
        }
        assert!("f1".parse::<Metric>().is_err());
    }
}
