//! What becomes of the sums of the output layer.

use serde::{Deserialize, Serialize};

/// What becomes of the sums of the output layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputActivation {
    /// They are the outputs.
    #[default]
    Identity,
    /// The outputs are probabilities of the classes: exponentials of the sums, divided by their sum.
    Softmax,
}

impl OutputActivation {
    /// Turns sums into outputs.
    pub(crate) fn apply(self, sums: &mut [f64]) {
        if self == Self::Softmax {
            softmax(sums);
        }
    }
}

/// Turns scores into probabilities: the same bits on all machines. A NaN or an infinite largest score makes
/// all of them NaN.
pub(crate) fn softmax(scores: &mut [f64]) {
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = libm::exp(*score - highest));
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|power| *power /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};

    #[test]
    fn probabilities_are_positive_add_up_to_one_and_keep_the_order_of_scores() {
        let mut rng = Rng::stream(3, Purpose::Data, 0, 0);
        for count in 2..40 {
            let size = 10_f64.powf(rng.between(-3.0, 2.0));
            let scores: Vec<f64> = (0..count).map(|_| size * rng.between(-1.0, 1.0)).collect();
            let mut probabilities = scores.clone();
            softmax(&mut probabilities);
            assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let exact: f64 = scores.iter().map(|s| s.exp()).sum();
            for (i, (p, s)) in probabilities.iter().zip(&scores).enumerate() {
                assert!(*p > 0.0 && (p - s.exp() / exact).abs() < 1e-14);
                for (q, t) in probabilities[..i].iter().zip(&scores) {
                    assert!((p <= q) == (s <= t) || p.to_bits() == q.to_bits());
                }
            }
        }
    }

    #[test]
    fn large_scores_do_not_overflow_and_bad_ones_make_all_nan() {
        let mut scores = [1e300, -1e300, 1e300];
        softmax(&mut scores);
        assert_eq!(scores.map(f64::to_bits), [0.5, 0.0, 0.5].map(f64::to_bits));
        let mut scores = [3.0, f64::NEG_INFINITY];
        softmax(&mut scores);
        assert_eq!(scores.map(f64::to_bits), [1.0, 0.0].map(f64::to_bits));
        for bad in [[f64::NAN, 1.0], [1.0, f64::NAN], [f64::INFINITY, 1.0], [f64::NEG_INFINITY; 2]] {
            let mut scores = bad;
            softmax(&mut scores);
            assert!(scores.iter().all(|p| p.is_nan()), "{bad:?}");
        }
    }
}
