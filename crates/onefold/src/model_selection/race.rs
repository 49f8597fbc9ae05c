//! A race between candidates: losses on held-out rows, collected rung by rung.
//!
//! All candidates are tried on a few rows, those that are left on more. A candidate is dropped only against
//! another one that is better beyond chance on the same rows, by a paired test, and never because a similar
//! one is bad. Where candidates were trained on fewer rows than there are, larger ones are not dropped
//! against smaller ones: they may need more rows.

use serde::{Deserialize, Serialize};

/// Standard errors of the difference by which a candidate must be worse to be dropped. The best of many
/// candidates is partly the luckiest, so that two would be too few.
const DROPPED: f64 = 3.0;
/// Number of rows below which no candidate is dropped.
const LEAST_ROWS: usize = 20;
/// Standard errors within which a smaller candidate is no worse than the best.
const NO_WORSE: f64 = 1.0;
/// Standard errors by which the best must be better than a baseline.
const BEYOND_CHANCE: f64 = 2.0;

/// What candidates are compared by if their losses do not differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Size {
    /// Number of parameters.
    pub(super) parameters: usize,
    /// L2 penalty.
    pub(super) decay: f64,
    /// Whether it is a baseline: the constant answer or the linear model.
    pub(super) is_baseline: bool,
}

impl Size {
    /// Whether this candidate can represent at least as much as another one.
    fn is_at_least(&self, other: &Self) -> bool {
        self.parameters >= other.parameters && self.decay <= other.decay
    }
}

/// Why a candidate is no longer in the race.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Drop {
    /// The better candidate.
    pub(super) by: usize,
    /// The rows on which it was better.
    pub(super) rows: usize,
}

/// The candidates, and their losses on the rows that all of them in the race have been tried on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Race {
    sizes: Vec<Size>,
    /// For each candidate the sum of losses on each row; empty before the first.
    losses: Vec<Vec<f64>>,
    /// How often each row has been tried.
    counts: Vec<u32>,
    dropped: Vec<Option<Drop>>,
}

/// A difference of mean losses, and its standard error over rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Difference {
    pub(super) mean: f64,
    pub(super) standard_error: f64,
}

impl Race {
    /// A race between candidates of these sizes on this many rows.
    pub(super) fn new(sizes: Vec<Size>, rows: usize) -> Self {
        let count = sizes.len();
        Self { sizes, losses: vec![Vec::new(); count], counts: vec![0; rows], dropped: vec![None; count] }
    }

    /// The candidates that are still in the race.
    pub(super) fn left(&self) -> impl Iterator<Item = usize> {
        (0..self.sizes.len()).filter(|i| self.dropped[*i].is_none())
    }

    /// Why a candidate was dropped; none if it is in the race.
    pub(super) fn dropped(&self, candidate: usize) -> Option<Drop> {
        self.dropped[candidate]
    }

    /// Adds the results of a rung: the rows that were tried, and for each candidate in the race its losses on
    /// them. Candidates that have none leave the race with what they have.
    pub(super) fn add(&mut self, rows: &[usize], mut losses: impl FnMut(usize) -> Option<Vec<f64>>) {
        for candidate in 0..self.sizes.len() {
            if self.dropped[candidate].is_some() {
                continue;
            }
            let Some(of_candidate) = losses(candidate) else { continue };
            let sums = &mut self.losses[candidate];
            sums.resize(self.counts.len(), 0.0);
            rows.iter().zip(of_candidate).for_each(|(row, loss)| sums[*row] += loss);
        }
        rows.iter().for_each(|row| self.counts[*row] += 1);
    }

    /// The mean loss of a candidate on the rows that were tried, and its standard error.
    pub(super) fn score(&self, candidate: usize) -> Difference {
        mean_and_error(self.means(candidate))
    }

    /// How much worse one candidate is than another.
    pub(super) fn above(&self, candidate: usize, other: usize) -> Difference {
        mean_and_error(self.means(candidate).zip(self.means(other)).map(|(a, b)| a - b))
    }

    /// Mean losses on the rows that were tried.
    fn means(&self, candidate: usize) -> impl Iterator<Item = f64> + Clone {
        let tried = self.losses[candidate].iter().zip(&self.counts).filter(|(_, count)| **count > 0);
        tried.map(|(sum, count)| sum / f64::from(*count))
    }

    /// Number of rows that were tried.
    pub(super) fn rows(&self) -> usize {
        self.counts.iter().filter(|count| **count > 0).count()
    }

    /// The candidate in the race with the lowest mean loss, the smallest of equal ones.
    pub(super) fn best(&self) -> Option<usize> {
        let mean = |i: &usize| self.score(*i).mean;
        let tried = self.left().filter(|i| !self.losses[*i].is_empty());
        tried.min_by(|a, b| mean(a).total_cmp(&mean(b)).then_with(|| self.by_size(*a, *b)))
    }

    /// Drops candidates that are worse than the best beyond chance. `is_final` says that candidates were
    /// trained on as many rows as there are; otherwise they are compared only with larger ones.
    pub(super) fn drop_worse(&mut self, is_final: bool) {
        let rows = self.rows();
        if rows < LEAST_ROWS {
            return;
        }
        let mut by_loss: Vec<(usize, f64)> =
            self.left().filter(|i| !self.losses[*i].is_empty()).map(|i| (i, self.score(i).mean)).collect();
        by_loss.sort_by(|a, b| a.1.total_cmp(&b.1));
        for place in 1..by_loss.len() {
            let candidate = by_loss[place].0;
            let better = by_loss[..place].iter().map(|(i, _)| *i).find(|other| {
                (is_final || self.sizes[*other].is_at_least(&self.sizes[candidate]))
                    && self.above(candidate, *other).is_above(DROPPED)
            });
            // Baselines are shown to the end.
            if let Some(by) = better.filter(|_| !self.sizes[candidate].is_baseline) {
                self.dropped[candidate] = Some(Drop { by, rows });
            }
        }
    }

    /// The smallest candidate that is no worse than the best, or the smallest baseline that the best does not
    /// beat beyond chance.
    pub(super) fn smallest_no_worse(&self) -> Option<usize> {
        let best = self.best()?;
        let is_no_worse = |i: &usize| {
            let limit = if self.sizes[*i].is_baseline { BEYOND_CHANCE } else { NO_WORSE };
            *i == best || !self.above(*i, best).is_above(limit)
        };
        let tried = self.left().filter(|i| !self.losses[*i].is_empty());
        tried.filter(is_no_worse).min_by(|a, b| self.by_size(*a, *b))
    }

    /// Fewer parameters first, of equal ones the larger decay.
    fn by_size(&self, a: usize, b: usize) -> std::cmp::Ordering {
        let (a, b) = (&self.sizes[a], &self.sizes[b]);
        a.parameters.cmp(&b.parameters).then_with(|| b.decay.total_cmp(&a.decay))
    }
}

impl Difference {
    /// Whether it is positive by more than this many standard errors.
    fn is_above(self, standard_errors: f64) -> bool {
        self.mean > standard_errors * self.standard_error
    }
}

fn mean_and_error(values: impl Iterator<Item = f64> + Clone) -> Difference {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let squares: f64 = values.map(|v| (v - mean).powi(2)).sum();
    Difference { mean, standard_error: (squares / (n - 1.0).max(1.0) / n).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};

    fn size(parameters: usize, decay: f64) -> Size {
        Size { parameters, decay, is_baseline: false }
    }

    /// A race on 100 rows with these mean losses; the noise of a row is mostly common to all candidates.
    fn race(sizes: &[Size], means: &[f64], is_final: bool) -> Race {
        let rows: Vec<usize> = (0..100).collect();
        let mut race = Race::new(sizes.to_vec(), 100);
        let losses = |i: usize| {
            let own = Rng::stream(1, Purpose::Data, i as u64, 0);
            let common = Rng::stream(2, Purpose::Data, 0, 0);
            let (mut own, mut common) = (own, common);
            let noise = rows.iter().map(|_| common.between(-1.0, 1.0) + 0.1 * own.between(-1.0, 1.0));
            Some(noise.map(|v| means[i] + v).collect())
        };
        race.add(&rows, losses);
        race.drop_worse(is_final);
        race
    }

    #[test]
    fn a_candidate_is_dropped_only_if_another_is_better_beyond_chance() {
        let sizes = [size(5, 0.0), size(10, 0.0), size(20, 0.0), size(40, 0.0)];
        let race = race(&sizes, &[1.0, 0.5, 0.505, 0.6], true);
        assert_eq!(race.left().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(race.dropped(0), Some(Drop { by: 1, rows: 100 }));
        assert_eq!(race.smallest_no_worse(), Some(1));
    }

    #[test]
    fn larger_ones_stay_until_they_had_all_rows() {
        let sizes = [size(5, 0.0), size(10, 0.0), size(20, 0.0), size(10, 1e-2)];
        let means = [1.0, 0.5, 0.7, 0.8];
        let left = |is_final| race(&sizes, &means, is_final).left().collect::<Vec<_>>();
        // The second is larger than the first, and has less decay than the last.
        assert_eq!(left(false), [1, 2]);
        assert_eq!(left(true), [1]);
    }

    #[test]
    fn a_baseline_is_given_unless_it_is_beaten_beyond_chance() {
        let baseline = Size { parameters: 2, decay: 0.0, is_baseline: true };
        let sizes = [baseline, size(10, 0.0)];
        let chosen = |means: &[f64]| race(&sizes, means, true).smallest_no_worse();
        assert_eq!(chosen(&[0.5, 0.5]), Some(0));
        assert_eq!(chosen(&[0.5, 0.3]), Some(1));
        assert!(race(&sizes, &[0.5, 0.3], true).dropped(0).is_none(), "it is shown to the end");
    }

    #[test]
    fn few_rows_drop_nobody_and_rows_that_are_tried_again_count_once() {
        let mut race = Race::new(vec![size(1, 0.0), size(2, 0.0)], 30);
        race.add(&[0, 1, 2], |i| Some(vec![i as f64; 3]));
        race.drop_worse(true);
        assert_eq!(race.left().count(), 2);
        race.add(&[2, 3], |i| Some(vec![3.0 * i as f64; 2]));
        assert_eq!(race.rows(), 4);
        assert_eq!(race.score(1).mean, (1.0 + 1.0 + 2.0 + 3.0) / 4.0);
        assert_eq!(race.best(), Some(0));
    }
}
