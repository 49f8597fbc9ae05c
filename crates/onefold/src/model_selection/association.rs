//! Whether predictions for held-out rows depend on their targets: a permutation test.
//!
//! If the targets are independent of the inputs, every assignment of the held-out targets $y_j$ to the
//! predictions $f_i$ is equally likely. The statistic is $S = \sum_i \langle f_i, y_i \rangle$, with the
//! targets of a classification one-hot, so that $S$ is the sum of the probabilities of the actual classes.
//! Its mean and its variance over all permutations are known exactly (Hoeffding 1951): with centred columns,
//! the mean is zero and
//!
//! $$ \operatorname{Var} S = \frac{1}{n-1}
//! \sum_{k,l} \Big(\sum_i f_{ik} f_{il}\Big)\Big(\sum_i y_{ik} y_{il}\Big). $$
//!
//! Where a class is rare, or probabilities are too certain, this shows a relation long before the loss does,
//! whose differences are dominated by a few rows.

use serde::{Deserialize, Serialize};

/// The statistic on one part of the rows, without its mean, and its variance over permutations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Association {
    deviation: f64,
    variance: f64,
}

impl Association {
    /// Of predictions and targets, row by row, with weights of the outputs, and of the rows if they have
    /// some. These belong to the targets, and are permuted with them: in place of $y_i$ there is
    /// $w_i (y_i - \bar y)$ with the weighted mean.
    pub(super) fn new(
        predicted: &[Vec<f64>],
        actual: &[Vec<f64>],
        weights: &[f64],
        of_rows: Option<&[f64]>,
    ) -> Self {
        let rows = predicted.len() as f64;
        if predicted.len() < 2 {
            return Self::default();
        }
        let (predicted, mut actual) = (centred(predicted, weights, None), centred(actual, weights, of_rows));
        if let Some(of_rows) = of_rows {
            // In units of their mean, so that a part counts by its rows.
            let mean = of_rows.iter().sum::<f64>() / rows;
            let weigh =
                |column: &mut Vec<f64>| column.iter_mut().zip(of_rows).for_each(|(y, w)| *y *= w / mean);
            actual.iter_mut().for_each(weigh);
        }
        let products = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut variance = 0.0;
        for (f, y) in predicted.iter().zip(&actual) {
            let of_pairs = predicted.iter().zip(&actual).map(|(g, z)| products(f, g) * products(y, z));
            variance += of_pairs.sum::<f64>();
        }
        let deviation = predicted.iter().zip(&actual).map(|(f, y)| products(f, y)).sum();
        Self { deviation, variance: variance / (rows - 1.0) }
    }

    /// By how many standard deviations the statistic exceeds its mean over permutations. Rows that were
    /// predicted `repeats` times count once.
    pub(super) fn standard_score(parts: impl Iterator<Item = Self>, repeats: f64) -> f64 {
        let (mut deviation, mut variance) = (0.0, 0.0);
        for part in parts {
            deviation += part.deviation;
            variance += part.variance;
        }
        let score = deviation / (repeats * variance).sqrt();
        if score.is_finite() { score } else { 0.0 }
    }
}

/// The columns of some rows, each minus its mean and times the root of its weight.
fn centred(rows: &[Vec<f64>], weights: &[f64], of_rows: Option<&[f64]>) -> Vec<Vec<f64>> {
    let total = of_rows.map_or(rows.len() as f64, |weights| weights.iter().sum());
    let column = |(k, weight): (usize, &f64)| {
        let value = |(i, row): (usize, &Vec<f64>)| of_rows.map_or(1.0, |weights| weights[i]) * row[k];
        let mean = rows.iter().enumerate().map(value).sum::<f64>() / total;
        rows.iter().map(|row| weight.sqrt() * (row[k] - mean)).collect()
    };
    weights.iter().enumerate().map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};

    fn rows(count: usize, outputs: usize, stream: u64) -> Vec<Vec<f64>> {
        let mut rng = Rng::stream(1, Purpose::Data, stream, 0);
        (0..count).map(|_| (0..outputs).map(|_| rng.between(-1.0, 1.0)).collect()).collect()
    }

    #[test]
    fn mean_and_variance_are_those_of_all_permutations() {
        let (predicted, actual, weights) = (rows(6, 2, 0), rows(6, 2, 1), [1.0, 3.0]);
        let of = |order: &[usize]| {
            let permuted: Vec<Vec<f64>> = order.iter().map(|i| actual[*i].clone()).collect();
            Association::new(&predicted, &permuted, &weights, None)
        };
        let mut all = Vec::new();
        permutations(&mut (0..6).collect::<Vec<_>>(), 0, &mut |order| all.push(of(order).deviation));
        let count = all.len() as f64;
        assert!((count - 720.0).abs() < 1e-9);
        assert!((all.iter().sum::<f64>() / count).abs() < 1e-12);
        let variance = all.iter().map(|v| v * v).sum::<f64>() / count;
        let expected = of(&[0, 1, 2, 3, 4, 5]).variance;
        assert!((variance / expected - 1.0).abs() < 1e-9, "{variance} {expected}");
    }

    #[test]
    fn weights_are_permuted_with_the_targets() {
        let (predicted, actual, of_outputs) = (rows(6, 2, 0), rows(6, 2, 1), [1.0, 3.0]);
        let weights = [1.0, 4.0, 0.5, 2.0, 1.0, 3.0];
        let mut all = Vec::new();
        permutations(&mut (0..6).collect::<Vec<_>>(), 0, &mut |order| {
            let permuted: Vec<Vec<f64>> = order.iter().map(|i| actual[*i].clone()).collect();
            let of_rows: Vec<f64> = order.iter().map(|i| weights[*i]).collect();
            all.push(Association::new(&predicted, &permuted, &of_outputs, Some(&of_rows)));
        });
        let count = all.len() as f64;
        assert!((all.iter().map(|a| a.deviation).sum::<f64>() / count).abs() < 1e-12);
        let variance = all.iter().map(|a| a.deviation.powi(2)).sum::<f64>() / count;
        assert!((variance / all[0].variance - 1.0).abs() < 1e-9, "{variance} {}", all[0].variance);
    }

    fn permutations(order: &mut Vec<usize>, first: usize, visit: &mut impl FnMut(&[usize])) {
        if first == order.len() {
            visit(order);
        }
        for i in first..order.len() {
            order.swap(first, i);
            permutations(order, first + 1, visit);
            order.swap(first, i);
        }
    }

    #[test]
    fn related_rows_have_high_scores_and_others_do_not() {
        let (predicted, noise) = (rows(200, 1, 0), rows(200, 1, 1));
        let related: Vec<Vec<f64>> =
            predicted.iter().zip(&noise).map(|(f, e)| vec![0.5 * f[0] + e[0]]).collect();
        let score = |actual: &[Vec<f64>], repeats: u8| {
            let parts = (0..repeats).map(|_| Association::new(&predicted, actual, &[1.0], None));
            Association::standard_score(parts, f64::from(repeats))
        };
        assert!(score(&related, 1) > 5.0 && score(&noise, 1).abs() < 3.0);
        assert!((score(&related, 3) - score(&related, 1)).abs() < 1e-9, "repetitions are no new rows");
        let constant = vec![vec![1.0]; 200];
        let of_constant = Association::new(&constant, &noise, &[1.0], None);
        assert_eq!(Association::standard_score([of_constant].into_iter(), 1.0).to_bits(), 0);
    }
}
