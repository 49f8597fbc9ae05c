//! Metrics as one loss for each row.
//!
//! A paired test needs losses of single rows. Metrics of all rows together get them by linearisation: the
//! area under the curve by placement values (DeLong et al. 1988), F1 by the jackknife's pseudo-values.

use super::Metric;
use super::classes::{counts, is_wrong, macro_f1, total, weight};
use super::ranking::pairs_in_wrong_order;
use crate::data::winner;

/// Least probability of a class in a log loss, so that a single row cannot decide.
const LEAST_PROBABILITY: f64 = 1e-9;

impl Metric {
    /// A loss for each row, whose mean is the metric, or one minus the metric where more is better. `weights`
    /// are factors of the outputs' errors in a regression; with weights of rows, the mean is weighted by
    /// them.
    pub(crate) fn losses(
        self,
        predicted: &[Vec<f64>],
        actual: &[Vec<f64>],
        weights: &[f64],
        of_rows: Option<&[f64]>,
    ) -> Vec<f64> {
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
            Self::BalancedAccuracy => balanced(predicted, actual, of_rows),
            Self::MacroF1 => pseudo_values(predicted, actual, of_rows),
            Self::Auc => placements(predicted, actual, of_rows),
            Self::Rmse | Self::R2 => each(&|p, y| errors(p, y, &|e| e * e)),
            Self::Mae => each(&|p, y| errors(p, y, &f64::abs)),
        }
    }
}

/// Wrong answers, each weighted by the inverse frequency of its class.
fn balanced(predicted: &[Vec<f64>], actual: &[Vec<f64>], of_rows: Option<&[f64]>) -> Vec<f64> {
    let counts = counts(actual, of_rows);
    let present = counts.iter().filter(|count| **count > 0.0).count() as f64;
    let weight = |y: &Vec<f64>| total(of_rows, actual.len()) / (present * counts[winner(y)]);
    predicted.iter().zip(actual).map(|(p, y)| weight(y) * is_wrong(p, y)).collect()
}

/// Pseudo-values of one minus macro F1: $(n \theta - (n - w_i) \theta_{-i}) / w_i$, where $\theta_{-i}$ is
/// without row $i$, $w_i$ its weight, and $n$ the sum of all weights.
fn pseudo_values(predicted: &[Vec<f64>], actual: &[Vec<f64>], of_rows: Option<&[f64]>) -> Vec<f64> {
    let classes = actual.first().map_or(0, Vec::len);
    let mut confusion = vec![vec![0.0_f64; classes]; classes];
    let places: Vec<(usize, usize)> =
        predicted.iter().zip(actual).map(|(p, y)| (winner(y), winner(p))).collect();
    places.iter().enumerate().for_each(|(row, (y, p))| confusion[*y][*p] += weight(of_rows, row));
    let n = total(of_rows, places.len());
    let all = macro_f1(&confusion);
    // For each place the last one, and the weight of the row that it is without.
    let mut known = vec![vec![(f64::NAN, 0.0); classes]; classes];
    let mut value = |(row, (y, p)): (usize, &(usize, usize))| {
        let weight = weight(of_rows, row);
        if known[*y][*p].0.to_bits() != weight.to_bits() {
            let before = confusion[*y][*p];
            // Not less than nothing after rounding.
            confusion[*y][*p] = (before - weight).max(0.0);
            known[*y][*p] = (weight, macro_f1(&confusion));
            confusion[*y][*p] = before;
        }
        let without = known[*y][*p].1;
        1.0 - (n * all - (n - weight) * without) / weight
    };
    places.iter().enumerate().map(&mut value).collect()
}

/// One minus the area under the curve of each class against the others, in the mean over classes that occur
/// with and without: for a row of the class the fraction of others with a higher score, for another row the
/// fraction of the class with a lower one, ties counted half.
fn placements(predicted: &[Vec<f64>], actual: &[Vec<f64>], of_rows: Option<&[f64]>) -> Vec<f64> {
    let n = total(of_rows, actual.len());
    let mut losses = vec![0.0; actual.len()];
    let counts = counts(actual, of_rows);
    let present = counts.iter().filter(|count| **count > 0.0).count();
    let usable: Vec<usize> = (0..counts.len()).filter(|k| counts[*k] > 0.0 && present > 1).collect();
    for class in &usable {
        let of_class: Vec<f64> = predicted.iter().map(|p| p[*class]).collect();
        let is_own: Vec<bool> = actual.iter().map(|y| winner(y) == *class).collect();
        let (own, other) = (counts[*class], n - counts[*class]);
        for (i, pairs) in pairs_in_wrong_order(&of_class, &is_own, of_rows).into_iter().enumerate() {
            let fraction = if is_own[i] { n / own * pairs / other } else { n / other * pairs / own };
            losses[i] += 0.5 * fraction / usable.len() as f64;
        }
    }
    losses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};
    use crate::scores::Evaluation;

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
    fn means_of_losses_are_the_scores() {
        let (predicted, actual) = rows(200, 3);
        let classes = ["a", "b", "c"].map(String::from);
        let mut evaluation = Evaluation::new(3, Some(&classes));
        predicted.iter().zip(&actual).for_each(|(p, y)| evaluation.add(p, y));
        let scores = evaluation.scores().unwrap();
        for (metric, tolerance) in [
            (Metric::Accuracy, 1e-12),
            (Metric::BalancedAccuracy, 1e-12),
            (Metric::Auc, 1e-12),
            // The jackknife's estimate differs from F1 by its bias, which is of the order of one row.
            (Metric::MacroF1, 0.01),
        ] {
            let loss = mean(&metric.losses(&predicted, &actual, &[1.0; 3], None));
            let score = metric.of(&scores).unwrap();
            assert!((loss - (1.0 - score)).abs() < tolerance, "{metric}: {loss} and {score}");
        }
    }

    #[test]
    fn weights_are_as_good_as_repetitions() {
        let (predicted, actual) = rows(60, 3);
        let weights: Vec<f64> = (0..60).map(|i| f64::from(1 + (i + i / 4) % 4)).collect();
        let repeated: Vec<usize> = (0..60).flat_map(|i| vec![i; weights[i] as usize]).collect();
        let [more_predicted, more_actual] =
            [&predicted, &actual].map(|all| repeated.iter().map(|i| all[*i].clone()).collect::<Vec<_>>());
        for metric in Metric::ALL {
            let of_outputs = [1.0, 0.5, 2.0];
            let losses = metric.losses(&predicted, &actual, &of_outputs, Some(&weights));
            let weighted: f64 = losses.iter().zip(&weights).map(|(loss, w)| loss * w).sum();
            let found = weighted / weights.iter().sum::<f64>();
            let expected = mean(&metric.losses(&more_predicted, &more_actual, &of_outputs, None));
            // The jackknife is without a row and all its repetitions, or without one of them.
            let tolerance = if metric == Metric::MacroF1 { 0.02 } else { 1e-12 };
            assert!((found - expected).abs() < tolerance, "{metric}: {found} {expected}");
            let ones = metric.losses(&predicted, &actual, &of_outputs, Some(&[1.0; 60]));
            assert_eq!(ones, metric.losses(&predicted, &actual, &of_outputs, None), "{metric}");
        }
    }

    #[test]
    fn losses_of_numbers_are_errors() {
        let (predicted, actual) = rows(50, 2);
        let mut evaluation = Evaluation::new(2, None);
        predicted.iter().zip(&actual).for_each(|(p, y)| evaluation.add(p, y));
        let scores = evaluation.scores().unwrap();
        let loss = |metric: Metric| mean(&metric.losses(&predicted, &actual, &[1.0; 2], None));
        assert!((loss(Metric::Rmse).sqrt() - scores.rmse).abs() < 1e-12);
        assert!((loss(Metric::Mae) - scores.mae.unwrap()).abs() < 1e-12);
    }
}
