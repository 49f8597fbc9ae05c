//! How candidates of a race compare: means of losses, paired differences, and which one to select.

use super::race::{Losses, Size};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Standard errors within which a smaller candidate is no worse than the best.
const NO_WORSE: f64 = 1.0;
/// Standard errors by which another candidate must be better than a baseline that does no more than the
/// constant answer: of hundreds of networks, the best is better by two standard errors quite often, even
/// where there is nothing to learn.
const BEYOND_CHANCE: f64 = 2.5;
/// The same for a baseline against one other candidate, and for the linear model, which has learnt something.
const BEYOND_CHANCE_OF_ONE: f64 = 2.0;
/// Parts from which on differences between them are a part of the standard error.
const LEAST_PARTS: usize = 3;

/// The losses of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Standing {
    /// The mean loss on each row that was tried.
    pub(super) of_rows: Vec<f64>,
    /// The mean loss on each part.
    of_parts: Vec<f64>,
    /// The mean over all parts.
    pub(super) mean: f64,
    pub(super) standard_error: f64,
    /// The mean loss on training rows.
    pub(super) training: f64,
    /// Fraction of rows that were classified correctly.
    pub(super) correct: f64,
    /// The place of the temperature with the least loss.
    pub(super) temperature: usize,
    /// Whether a training was cut short.
    pub(super) is_cut_short: bool,
    /// Number of rows that were tried.
    pub(super) rows: usize,
}

/// A difference of mean losses, and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Difference {
    pub(super) mean: f64,
    pub(super) standard_error: f64,
}

impl Difference {
    /// Whether it is positive by more than this many standard errors.
    pub(super) fn is_above(self, standard_errors: f64) -> bool {
        self.mean > standard_errors * self.standard_error
    }
}

impl Standing {
    /// From the losses on some parts, with their rows; none without parts.
    pub(super) fn new(parts: &[(&[u32], &Losses)]) -> Option<Self> {
        let Losses { of_rows, of_temperatures, .. } = parts.first()?.1;
        let sum = |t: usize| parts.iter().map(|(_, l)| l.of_temperatures[t]).sum::<f64>();
        let temperatures = 0..of_temperatures.len();
        let temperature = temperatures.min_by(|a, b| sum(*a).total_cmp(&sum(*b))).unwrap_or(0);
        let place = temperature.min(of_rows.len() - 1);
        let last = parts.iter().flat_map(|(rows, _)| rows.iter()).max()?;
        let mut sums = vec![(0.0, 0.0); *last as usize + 1];
        for (rows, losses) in parts {
            for (row, loss) in rows.iter().zip(&losses.of_rows[place]) {
                let (sum, count) = &mut sums[*row as usize];
                *sum += f64::from(*loss);
                *count += 1.0;
            }
        }
        let of_rows: Vec<f64> = sums.iter().filter(|(_, n)| *n > 0.0).map(|(sum, n)| sum / n).collect();
        let mean_of =
            |losses: &[f32]| losses.iter().map(|v| f64::from(*v)).sum::<f64>() / losses.len() as f64;
        let of_parts: Vec<f64> = parts.iter().map(|(_, l)| mean_of(&l.of_rows[place])).collect();
        let count = parts.len() as f64;
        let Difference { mean, standard_error } = mean_and_error(&of_rows);
        Some(Self {
            mean,
            standard_error,
            training: parts.iter().map(|(_, l)| l.training).sum::<f64>() / count,
            correct: parts.iter().map(|(_, l)| l.correct).sum::<f64>() / count,
            is_cut_short: parts.iter().any(|(_, l)| l.is_cut_short),
            rows: of_rows.len(),
            of_rows,
            of_parts,
            temperature,
        })
    }

    /// What more rows can make of the loss: the errors on training rows and on others approach each other,
    /// from both sides about equally.
    pub(super) fn limit(&self) -> f64 {
        0.5 * (self.mean + self.training.min(self.mean))
    }

    /// The same without the losses of single rows.
    pub(super) fn summary(&self) -> Self {
        Self { of_rows: Vec::new(), of_parts: Vec::new(), ..self.clone() }
    }
}

/// The standings of all candidates; none for those that are not in the race or were not tried.
pub(super) struct Standings<'a> {
    pub(super) sizes: &'a [Size],
    pub(super) all: Vec<Option<Standing>>,
}

impl Standings<'_> {
    fn mean(&self, candidate: usize) -> f64 {
        self.all[candidate].as_ref().map_or(f64::INFINITY, |standing| standing.mean)
    }

    /// The candidates by increasing loss; of equal ones the smaller first.
    pub(super) fn by_loss(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.all.len()).filter(|i| self.all[*i].is_some()).collect();
        order.sort_by(|a, b| self.mean(*a).total_cmp(&self.mean(*b)).then_with(|| self.by_size(*a, *b)));
        order
    }

    /// How much worse one candidate is than another. The standard error is that over rows, or over parts if
    /// it is larger: rows of a part share a training, and its luck.
    pub(super) fn above(&self, candidate: usize, other: usize) -> Difference {
        let (Some(a), Some(b)) = (&self.all[candidate], &self.all[other]) else {
            return Difference { mean: 0.0, standard_error: f64::INFINITY };
        };
        let differences = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let mut result = mean_and_error(&differences(&a.of_rows, &b.of_rows));
        if a.of_parts.len() >= LEAST_PARTS {
            let over_parts = mean_and_error(&differences(&a.of_parts, &b.of_parts)).standard_error;
            result.standard_error = result.standard_error.max(over_parts);
        }
        result
    }

    /// The candidate with the lowest loss.
    pub(super) fn best(&self) -> Option<usize> {
        self.by_loss().first().copied()
    }

    /// The smallest candidate that is no worse than the best; of those of its size the best one. A baseline
    /// that a network does not beat beyond chance is no worse.
    pub(super) fn smallest_no_worse(&self) -> Option<usize> {
        let best = self.best()?;
        let smallest_of_all = self.sizes.iter().map(|size| size.parameters).min();
        let is_constant = |i: usize| Some(self.sizes[i].parameters) == smallest_of_all;
        let limit = |i: usize| match (self.sizes[i].is_baseline, self.sizes[best].is_baseline) {
            (true, false) if is_constant(i) => BEYOND_CHANCE,
            (true, _) => BEYOND_CHANCE_OF_ONE,
            (false, _) => NO_WORSE,
        };
        let is_no_worse = |i: &usize| *i == best || !self.above(*i, best).is_above(limit(*i));
        let order = self.by_loss();
        let smallest = order.iter().copied().filter(is_no_worse).min_by(|a, b| self.by_size(*a, *b))?;
        let has_its_size = |i: &usize| self.sizes[*i].parameters == self.sizes[smallest].parameters;
        order.into_iter().find(has_its_size)
    }

    /// Fewer parameters first, of equal ones the larger decay.
    fn by_size(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (&self.sizes[a], &self.sizes[b]);
        a.parameters.cmp(&b.parameters).then_with(|| b.decay.total_cmp(&a.decay))
    }
}

fn mean_and_error(values: &[f64]) -> Difference {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Difference { mean, standard_error: (squares / (n - 1.0).max(1.0) / n).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(parameters: usize, decay: f64, is_baseline: bool) -> Size {
        Size { parameters, decay, is_baseline }
    }

    /// A candidate whose losses differ from a common pattern by this much in the mean, and on every other row
    /// by more.
    fn standing(mean: f64) -> Option<Standing> {
        let value =
            |i: u32| (f64::from(i % 7) + mean + if i.is_multiple_of(2) { 0.1 } else { -0.1 } * mean) as f32;
        let of_rows = vec![(0..100).map(value).collect()];
        let losses =
            Losses { of_rows, of_temperatures: Vec::new(), training: 0.0, correct: 0.0, is_cut_short: false };
        Standing::new(&[(&(0..100).collect::<Vec<_>>(), &losses)])
    }

    #[test]
    fn a_baseline_is_selected_unless_it_is_beaten_beyond_chance() {
        let sizes = [size(2, 0.0, true), size(10, 0.0, false)];
        let selected = |means: [f64; 2]| {
            Standings { sizes: &sizes, all: means.map(standing).to_vec() }.smallest_no_worse()
        };
        assert_eq!(selected([0.5, 0.5]), Some(0));
        assert_eq!(selected([0.5, 0.3]), Some(1));
    }

    #[test]
    fn of_the_smallest_size_the_best_decay_is_selected() {
        let sizes = [size(5, 0.0, false), size(5, 0.1, false), size(9, 0.0, false)];
        let means = [0.5, 0.500_001, 0.499_999_9];
        let mut standings = Standings { sizes: &sizes, all: means.map(standing).to_vec() };
        assert_eq!((standings.best(), standings.smallest_no_worse()), (Some(2), Some(2)));
        // Noise of single rows hides the difference.
        let noisy = standings.all[2].as_mut().unwrap();
        noisy.of_rows.iter_mut().enumerate().for_each(|(i, v)| *v += if i < 50 { 0.1 } else { -0.1 });
        assert_eq!(standings.smallest_no_worse(), Some(0));
    }

    #[test]
    fn rows_that_are_tried_again_count_once_and_the_best_temperature_counts() {
        let losses = |of_rows: Vec<Vec<f32>>| Losses {
            of_temperatures: of_rows.iter().map(|losses| f64::from(losses.iter().sum::<f32>())).collect(),
            of_rows,
            training: 0.0,
            correct: 0.5,
            is_cut_short: false,
        };
        let first = losses(vec![vec![1.0, 2.0, 3.0], vec![1.0, 1.0, 1.0]]);
        let second = losses(vec![vec![1.0, 1.0], vec![3.0, 1.0]]);
        let standing = Standing::new(&[(&[0, 1, 2], &first), (&[2, 3], &second)]).unwrap();
        assert_eq!((standing.temperature, standing.rows, standing.correct), (1, 4, 0.5));
        assert_eq!(standing.of_rows, [1.0, 1.0, 2.0, 1.0]);
        assert!((standing.mean - 1.25).abs() < 1e-12);
    }
}
