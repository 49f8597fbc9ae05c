//! Prediction intervals from errors on held-out rows.
//!
//! With $n$ held-out rows whose absolute errors are $e_1 \le \ldots \le e_n$, the interval of a new
//! prediction at a level $q$ is the prediction plus and minus $e_k$ with $k = \lceil (n + 1) q \rceil$: a new
//! row that is like these has an error of at most $e_k$ with a probability of at least $q$, were the network
//! the same (split conformal prediction, Papadopoulos et al. 2002). The errors are those of networks trained
//! on other folds, as in cross-conformal prediction (Vovk 2015), around the network that is trained on all
//! rows.

use super::Model;
use crate::Error;
use crate::error::NoInterval;
use serde::{Deserialize, Serialize};

/// The levels whose half-widths are kept, in thousandths.
fn levels() -> impl Iterator<Item = u64> {
    let coarse = (50..500).step_by(50);
    coarse.chain((500..1000).step_by(10)).chain([975, 995, 999])
}

/// Half-widths of prediction intervals of a regression; a model keeps them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intervals {
    /// Number of held-out rows whose errors they come from.
    pub rows: u64,
    /// The levels, in increasing order; the last one is that of the largest error.
    pub levels: Vec<f64>,
    /// For each target the half-width at each level.
    pub half_widths: Vec<Vec<f64>>,
}

/// Absolute errors of each target on held-out rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldOutErrors {
    of_targets: Vec<Vec<f64>>,
}

impl HeldOutErrors {
    /// Of this many targets.
    pub(crate) fn new(targets: usize) -> Self {
        Self { of_targets: vec![Vec::new(); targets] }
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, predicted: &[f64], actual: &[f64]) {
        let both = predicted.iter().zip(actual);
        self.of_targets.iter_mut().zip(both).for_each(|(errors, (p, y))| errors.push((p - y).abs()));
    }

    /// Adds errors of one target.
    pub(crate) fn extend(&mut self, target: usize, errors: impl Iterator<Item = f64>) {
        self.of_targets[target].extend(errors);
    }

    /// The intervals, where each row was held out once.
    pub(crate) fn intervals(self) -> Option<Intervals> {
        let rows = self.of_targets.first().map_or(0, Vec::len);
        self.intervals_of(rows)
    }

    /// The intervals where the errors are those of so many different rows, each held out equally often; none
    /// without rows, or where an error is no number.
    pub(crate) fn intervals_of(mut self, rows: usize) -> Option<Intervals> {
        let errors = self.of_targets.first().map_or(0, Vec::len);
        let is_finite = self.of_targets.iter().flatten().all(|error| error.is_finite());
        if rows == 0 || errors < rows || !is_finite {
            return None;
        }
        self.of_targets.iter_mut().for_each(|errors| errors.sort_by(f64::total_cmp));
        // In thousandths, so that ranks are exact.
        let rank = |level: u64| ((rows as u64 + 1) * level).div_ceil(1000);
        let mut all: Vec<u64> = levels().filter(|level| rank(*level) <= rows as u64).collect();
        all.sort_unstable();
        // Of several errors of each row the same quantile is taken.
        let place = |rank: u64| (rank * errors as u64).div_ceil(rows as u64) as usize - 1;
        let last = rows as f64 / (rows as f64 + 1.0);
        let half_widths = |errors: &Vec<f64>| -> Vec<f64> {
            let at = all.iter().map(|level| errors[place(rank(*level))]);
            at.chain(errors.last().copied()).collect()
        };
        Some(Intervals {
            rows: rows as u64,
            half_widths: self.of_targets.iter().map(half_widths).collect(),
            levels: all.iter().map(|level| *level as f64 / 1000.0).chain([last]).collect(),
        })
    }
}

impl Intervals {
    /// The half-width of the interval of each target at a level between 0 and 1: that of the lowest level
    /// kept that is at least as high.
    ///
    /// # Errors
    /// If the level is not above 0 and below 1, or too high for the number of held-out rows.
    pub fn half_widths(&self, level: f64) -> Result<Vec<f64>, Error> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::setting("interval", level, "must be above 0 and below 1, such as 0.9"));
        }
        let Some(place) = self.levels.iter().position(|kept| *kept >= level) else {
            return Err(Error::Interval(NoInterval::TooFewRows { level, rows: self.rows }));
        };
        Ok(self.half_widths.iter().map(|of_target| of_target[place]).collect())
    }

    /// What is wrong with those of a file.
    pub(super) fn check(&self, outputs: usize, classification: bool) -> Result<(), String> {
        let is_level = |level: &f64| *level > 0.0 && *level < 1.0;
        let is_sorted = |values: &[f64]| values.is_sorted_by(|a, b| a <= b);
        let is_right = |widths: &Vec<f64>| {
            widths.len() == self.levels.len()
                && is_sorted(widths)
                && widths.iter().all(|width| *width >= 0.0 && width.is_finite())
        };
        let fits = !classification
            && self.rows > 0
            && !self.levels.is_empty()
            && self.levels.iter().all(is_level)
            && is_sorted(&self.levels)
            && self.half_widths.len() == outputs
            && self.half_widths.iter().all(is_right);
        if fits { Ok(()) } else { Err("its prediction intervals do not fit".into()) }
    }
}

impl Model {
    /// The same model with prediction intervals.
    #[must_use]
    pub fn with_intervals(mut self, intervals: Option<Intervals>) -> Self {
        self.intervals = intervals.filter(|i| i.check(self.topology.outputs(), self.classification).is_ok());
        self
    }

    /// What its prediction intervals are made of; none for a classification, and where no rows were held out.
    #[must_use]
    pub fn intervals(&self) -> Option<&Intervals> {
        self.intervals.as_ref()
    }

    /// By how much predictions of each target may be off, so that an interval of the prediction plus and
    /// minus that contains the fraction `level` of new rows; the same for all rows.
    ///
    /// # Errors
    /// If the level is not above 0 and below 1, or there is [no such interval](NoInterval).
    pub fn half_widths(&self, level: f64) -> Result<Vec<f64>, Error> {
        if self.classification {
            return Err(Error::Interval(NoInterval::Classes));
        }
        self.intervals.as_ref().ok_or(Error::Interval(NoInterval::NoErrors))?.half_widths(level)
    }

    /// The prediction interval of each target for one row of unscaled inputs: its lower and its upper end.
    ///
    /// # Errors
    /// As [`half_widths`](Self::half_widths).
    ///
    /// # Panics
    /// As [`predict`](Self::predict).
    pub fn predict_interval(&self, input: &[f64], level: f64) -> Result<Vec<(f64, f64)>, Error> {
        let ends = |(y, half): (f64, f64)| (y - half, y + half);
        let half_widths = self.half_widths(level)?;
        Ok(self.predict(input).into_iter().zip(half_widths).map(ends).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(errors: &[f64], rows: usize) -> Intervals {
        let mut held_out = HeldOutErrors::new(1);
        held_out.extend(0, errors.iter().copied());
        held_out.intervals_of(rows).unwrap()
    }

    #[test]
    fn half_widths_are_order_statistics_with_one_more_row() {
        // Of 99 rows, the interval at 0.9 must contain 90 of 100.
        let errors: Vec<f64> = (1..=99).rev().map(f64::from).collect();
        let of_99 = intervals(&errors, 99);
        for (level, expected) in [(0.9, 90.0), (0.5, 50.0), (0.95, 95.0), (0.99, 99.0), (0.05, 5.0)] {
            assert_eq!(of_99.half_widths(level).unwrap(), [expected], "{level}");
        }
        assert_eq!(of_99.half_widths(0.901).unwrap(), [91.0], "the next level that is kept");
        let message = of_99.half_widths(0.995).unwrap_err().to_string();
        assert!(message.contains("at least 199") && message.contains("at most 0.99"), "{message}");
        let of_100 = intervals(&(1..=100).map(f64::from).collect::<Vec<_>>(), 100);
        assert_eq!(of_100.half_widths(0.9).unwrap(), [91.0]);
        for level in [0.0, 1.0, -0.5, f64::NAN, 90.0] {
            assert!(matches!(of_100.half_widths(level), Err(Error::Setting { .. })), "{level}");
        }
        assert_eq!(intervals(&[3.0], 1).half_widths(0.5).unwrap(), [3.0]);
    }

    #[test]
    fn repetitions_do_not_count_as_rows() {
        let errors: Vec<f64> = (1..=99).flat_map(|e| [f64::from(e); 3]).collect();
        let repeated = intervals(&errors, 99);
        assert_eq!(repeated.half_widths(0.9).unwrap(), [90.0]);
        assert!(repeated.half_widths(0.995).is_err() && repeated.rows == 99);
    }

    #[test]
    fn errors_that_are_no_numbers_make_no_intervals() {
        let mut held_out = HeldOutErrors::new(1);
        assert_eq!(held_out.clone().intervals(), None);
        held_out.add(&[f64::INFINITY], &[1.0]);
        assert_eq!(held_out.intervals(), None);
    }
}
