//! How candidates of a race compare: means of losses, paired differences, and which one to select.

use super::association::Association;
use super::race::{Losses, Size};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Standard errors within which a smaller candidate is no worse than the best.
pub(super) const NO_WORSE: f64 = 1.0;
/// Standard deviations by which the predictions of the best network must depend on the targets, or the
/// constant answer is no worse: of hundreds of networks, the best exceeds two quite often, even where there
/// is nothing to learn.
const DEPENDENT: f64 = 4.0;
/// The same for the linear model.
const DEPENDENT_IF_LINEAR: f64 = 2.0;
/// With fewer rows than this, permutations within folds are so few that no predictions, however good, depend
/// on the targets by that much. What part of the constant answer's loss is explained counts there, too.
const FEW_ROWS: usize = 50;
/// Standard errors within which a linear model that has learnt something is no worse than the best network.
const NO_WORSE_IF_LINEAR: f64 = 2.0;
/// Parts from which on differences between them are a part of the standard error.
const LEAST_PARTS: usize = 3;

/// The losses of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Standing {
    /// The mean loss on each row that was tried.
    pub(super) of_rows: Vec<f64>,
    /// The places of the parts that were tried, and the mean loss on each.
    of_parts: Vec<(usize, f64)>,
    /// The mean over all parts.
    pub(super) mean: f64,
    pub(super) standard_error: f64,
    /// The mean loss on training rows.
    pub(super) training: f64,
    /// For a classification, the fraction of wrong classes on each row that was tried.
    wrong: Vec<f64>,
    /// Fraction of rows that were classified correctly.
    pub(super) correct: f64,
    /// The place of the temperature with the least loss.
    pub(super) temperature: usize,
    /// How many standard deviations the predictions depend on the targets by.
    pub(super) association: f64,
    /// Whether a training was cut short.
    pub(super) is_cut_short: bool,
    /// Number of rows that were tried.
    pub(super) rows: usize,
    /// The weight of each row that was tried; empty without weights.
    #[serde(skip)]
    weights: Vec<f64>,
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
    /// From the losses on some parts, with their places and rows, and the weights of all rows of the race, if
    /// they have some; none without parts. `tried` has the rows of these parts, and may have more. Losses are
    /// multiples of `unit`.
    pub(super) fn new(
        parts: &[(usize, &[u32], &Losses)],
        tried: &RowsTried,
        weights: &[f64],
        unit: f64,
    ) -> Option<Self> {
        let Losses { of_rows, of_temperatures, .. } = parts.first()?.2;
        let sum = |t: usize| parts.iter().map(|(.., l)| l.of_temperatures[t]).sum::<f64>();
        let temperatures = 0..of_temperatures.len();
        let temperature = temperatures.min_by(|a, b| sum(*a).total_cmp(&sum(*b))).unwrap_or(0);
        let place = temperature.min(of_rows.len() - 1);
        let of_rows = tried.means(parts, |losses, i| f64::from(losses.of_rows[place][i]) * unit);
        let is_classification = !of_temperatures.is_empty();
        let is_wrong = |losses: &Losses, i: usize| f64::from(u8::from(!losses.correct[i]));
        let wrong = if is_classification { tried.means(parts, is_wrong) } else { Vec::new() };
        let weights_of = |rows: &[u32]| -> Vec<f64> {
            if weights.is_empty() { Vec::new() } else { rows.iter().map(|r| weights[*r as usize]).collect() }
        };
        let mean_of = |rows: &[u32], losses: &[f32]| {
            weighted_mean(&losses.iter().map(|v| f64::from(*v) * unit).collect::<Vec<_>>(), &weights_of(rows))
        };
        let of_parts =
            parts.iter().map(|(part, rows, l)| (*part, mean_of(rows, &l.of_rows[place]))).collect();
        let weights = if weights.is_empty() { Vec::new() } else { weights_of(&rows_of(parts)) };
        let count = parts.len() as f64;
        let tried: usize = parts.iter().map(|(_, rows, _)| rows.len()).sum();
        let repeats = tried as f64 / of_rows.len() as f64;
        let Difference { mean, standard_error } = mean_and_error(&of_rows, &weights);
        Some(Self {
            mean,
            standard_error,
            training: parts.iter().map(|(.., l)| l.training).sum::<f64>() / count,
            correct: 1.0 - if wrong.is_empty() { 0.0 } else { weighted_mean(&wrong, &weights) },
            wrong,
            weights,
            association: Association::standard_score(parts.iter().map(|(.., l)| l.association), repeats),
            is_cut_short: parts.iter().any(|(.., l)| l.is_cut_short),
            rows: of_rows.len(),
            of_rows,
            of_parts,
            temperature,
        })
    }

    /// The part of the constant answer's loss that is explained, as standard deviations from nothing: the
    /// root of the part as a correlation by Fisher's transformation. Zero unless there are few rows.
    fn explained(&self, constant: &Self) -> f64 {
        let part = 1.0 - self.mean / constant.mean;
        if self.rows >= FEW_ROWS || self.rows <= 3 || !part.is_finite() {
            return 0.0;
        }
        let correlation = part.max(0.0).sqrt().min(1.0 - f64::EPSILON);
        libm::atanh(correlation) * (self.rows as f64 - 3.0).sqrt()
    }

    /// What more rows can make of the loss: the errors on training rows and on others approach each other,
    /// from both sides about equally.
    pub(super) fn limit(&self) -> f64 {
        0.5 * (self.mean + self.training.min(self.mean))
    }

    /// The same without the losses of single rows.
    pub(super) fn summary(&self) -> Self {
        let (of_rows, of_parts) = (Vec::new(), Vec::new());
        Self { of_rows, of_parts, wrong: Vec::new(), weights: Vec::new(), ..self.clone() }
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

    /// The candidates by decreasing dependence of their predictions on the targets; of equal ones the smaller
    /// first.
    pub(super) fn by_association(&self) -> Vec<usize> {
        let association = |i: usize| self.all[i].as_ref().map_or(0.0, |standing| standing.association);
        let mut order = self.by_loss();
        order.sort_by(|a, b| association(*b).total_cmp(&association(*a)).then_with(|| self.by_size(*a, *b)));
        order
    }

    /// How much worse one candidate is than another. The standard error is that over rows, or over parts if
    /// it is larger: rows of a part share a training, and its luck.
    pub(super) fn above(&self, candidate: usize, other: usize) -> Difference {
        let (Some(a), Some(b)) = (&self.all[candidate], &self.all[other]) else {
            return Difference { mean: 0.0, standard_error: f64::INFINITY };
        };
        let of_same = |(part, loss): &(usize, f64)| {
            let other = b.of_parts.iter().find(|(other, _)| other == part)?;
            Some(loss - other.1)
        };
        let of_parts: Vec<f64> = a.of_parts.iter().filter_map(of_same).collect();
        let mut result = mean_and_error(&differences(&a.of_rows, &b.of_rows), &a.weights);
        if of_parts.len() >= LEAST_PARTS {
            result.standard_error = result.standard_error.max(mean_and_error(&of_parts, &[]).standard_error);
        }
        result
    }

    /// Whether a candidate is worse than another by more than this many standard errors of its loss, or, for
    /// a classification, of its fraction of wrong classes: probabilities that are too certain can hide in the
    /// loss what classes show.
    pub(super) fn is_worse(&self, candidate: usize, other: usize, standard_errors: f64) -> bool {
        let (Some(a), Some(b)) = (&self.all[candidate], &self.all[other]) else { return false };
        self.above(candidate, other).is_above(standard_errors)
            || !a.wrong.is_empty()
                && mean_and_error(&differences(&a.wrong, &b.wrong), &a.weights).is_above(standard_errors)
    }

    /// The candidate with the lowest loss.
    pub(super) fn best(&self) -> Option<usize> {
        self.by_loss().first().copied()
    }

    /// The smallest candidate that is no worse than the best; of those of its size the best one. A baseline
    /// that the best does not beat beyond chance is no worse, and then no network is selected, even if it has
    /// fewer parameters than the linear model.
    pub(super) fn smallest_no_worse(&self) -> Option<usize> {
        let best = self.best()?;
        let smallest_of_all = self.sizes.iter().map(|size| size.parameters).min();
        let is_constant = |i: usize| Some(self.sizes[i].parameters) == smallest_of_all;
        let constant = (0..self.all.len()).filter(|i| is_constant(*i)).find_map(|i| self.all[i].as_ref());
        let is_dependent = |i: usize, limit: f64| {
            let explains = |of: &Standing| constant.is_some_and(|constant| of.explained(constant) > limit);
            self.all[i].as_ref().is_some_and(|of| of.association > limit || explains(of))
        };
        let dependent = if self.sizes[best].is_baseline { DEPENDENT_IF_LINEAR } else { DEPENDENT };
        let limit = |i: usize| match self.sizes[i].is_baseline {
            true if is_constant(i) && !is_dependent(best, dependent) => f64::INFINITY,
            true if is_dependent(i, DEPENDENT_IF_LINEAR) => NO_WORSE_IF_LINEAR,
            _ => NO_WORSE,
        };
        let is_no_worse = |i: &usize| *i == best || !self.is_worse(*i, best, limit(*i));
        let (baselines, networks): (Vec<usize>, Vec<usize>) = self
            .best_of_each_size()
            .into_iter()
            .filter(is_no_worse)
            .partition(|i| self.sizes[*i].is_baseline);
        let eligible = if baselines.is_empty() { networks } else { baselines };
        eligible.into_iter().min_by(|a, b| self.by_size(*a, *b))
    }

    /// The candidates with the lowest loss among those with as many parameters, baselines and networks apart.
    /// Another decay may have a higher loss and yet be no worse beyond chance, since its losses scatter more.
    fn best_of_each_size(&self) -> Vec<usize> {
        let mut seen = Vec::new();
        let is_first = |i: &usize| {
            let size = (self.sizes[*i].parameters, self.sizes[*i].is_baseline);
            let is_new = !seen.contains(&size);
            seen.push(size);
            is_new
        };
        self.by_loss().into_iter().filter(is_first).collect()
    }

    /// Fewer parameters first, of equal ones the larger decay.
    fn by_size(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (&self.sizes[a], &self.sizes[b]);
        a.parameters.cmp(&b.parameters).then_with(|| b.decay.total_cmp(&a.decay))
    }
}

/// Rows that were tried, in order.
pub(super) struct RowsTried {
    /// How many there are.
    pub(super) count: usize,
    /// The place among them of each row of the race up to the last one.
    places: Vec<u32>,
}

impl RowsTried {
    /// Of these rows, some of which may be the same.
    pub(super) fn new<'a>(rows: impl Iterator<Item = &'a u32> + Clone) -> Self {
        let mut places = vec![0; rows.clone().max().map_or(0, |last| *last as usize + 1)];
        rows.for_each(|row| places[*row as usize] = 1);
        let mut count = 0;
        for place in &mut places {
            (*place, count) = (count, count + *place);
        }
        Self { count: count as usize, places }
    }

    /// The mean of a value on each row of some parts, in the order of the rows.
    fn means(&self, parts: &[(usize, &[u32], &Losses)], value: impl Fn(&Losses, usize) -> f64) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.count];
        for (_, rows, losses) in parts {
            for (i, row) in rows.iter().enumerate() {
                let (sum, count) = &mut sums[self.places[*row as usize] as usize];
                *sum += value(losses, i);
                *count += 1.0;
            }
        }
        sums.iter().filter(|(_, n)| *n > 0.0).map(|(sum, n)| sum / n).collect()
    }
}

/// The rows that were tried, in order.
fn rows_of(parts: &[(usize, &[u32], &Losses)]) -> Vec<u32> {
    let mut rows: Vec<u32> = parts.iter().flat_map(|(_, rows, _)| rows.iter().copied()).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

fn differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// A mean, weighted if there are weights.
fn weighted_mean(values: &[f64], weights: &[f64]) -> f64 {
    if weights.is_empty() {
        return values.iter().sum::<f64>() / values.len() as f64;
    }
    values.iter().zip(weights).map(|(v, w)| w * v).sum::<f64>() / weights.iter().sum::<f64>()
}

/// A mean and its standard error. A row of a large weight is one observation: the more the weights differ,
/// the larger is the error.
fn mean_and_error(values: &[f64], weights: &[f64]) -> Difference {
    let n = values.len() as f64;
    let mean = weighted_mean(values, weights);
    let squares: f64 = if weights.is_empty() {
        values.iter().map(|v| (v - mean).powi(2)).sum()
    } else {
        // In units of the mean weight.
        let of_one = weights.iter().sum::<f64>() / n;
        values.iter().zip(weights).map(|(v, w)| (w / of_one * (v - mean)).powi(2)).sum()
    };
    Difference { mean, standard_error: (squares / (n - 1.0).max(1.0) / n).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_parts(parts: &[(usize, &[u32], &Losses)], weights: &[f64]) -> Option<Standing> {
        let rows = parts.iter().flat_map(|(_, rows, _)| rows.iter());
        Standing::new(parts, &RowsTried::new(rows), weights, 1.0)
    }

    fn size(parameters: usize, decay: f64, is_baseline: bool) -> Size {
        Size { parameters, decay, is_baseline }
    }

    /// A candidate whose losses differ from a common pattern by this much in the mean, and on every other row
    /// by more.
    fn standing(mean: f64) -> Option<Standing> {
        standing_with(mean, Association::default())
    }

    fn standing_with(mean: f64, association: Association) -> Option<Standing> {
        let value =
            |i: u32| (f64::from(i % 7) + mean + if i.is_multiple_of(2) { 0.1 } else { -0.1 } * mean) as f32;
        let of_rows = vec![(0..100).map(value).collect()];
        let losses = Losses {
            of_rows,
            of_temperatures: Vec::new(),
            training: 0.0,
            correct: Vec::new(),
            errors: Vec::new(),
            association,
            is_cut_short: false,
        };
        of_parts(&[(0, &(0..100).collect::<Vec<_>>(), &losses)], &[])
    }

    #[test]
    fn a_baseline_is_selected_unless_it_is_beaten_beyond_chance() {
        let sizes = [size(2, 0.0, true), size(5, 0.0, true), size(10, 0.0, false)];
        let with_small_network = [size(2, 0.0, true), size(14, 0.0, true), size(11, 0.0, false)];
        let rows: Vec<Vec<f64>> = (0..100).map(|i| vec![f64::from(i)]).collect();
        let dependent = Association::new(&rows, &rows, &[1.0], None);
        let selected_of = |sizes: &[Size], means: [f64; 3], association: Association| {
            let all = means.map(|mean| standing_with(mean, association)).to_vec();
            Standings { sizes, all }.smallest_no_worse()
        };
        let selected = |means, association| selected_of(&sizes, means, association);
        assert_eq!(selected([0.5, 0.5, 0.5], dependent), Some(0));
        assert_eq!(selected([0.5, 0.3, 0.3], dependent), Some(1));
        assert_eq!(selected([0.5, 0.5, 0.3], dependent), Some(2));
        // Its loss is lower, but its predictions do not depend on the targets.
        assert_eq!(selected([0.5, 0.5, 0.3], Association::default()), Some(0));
        // The linear model is not beaten by a network with fewer parameters that does as well.
        assert_eq!(selected_of(&with_small_network, [0.5, 0.3, 0.3], dependent), Some(1));
        assert_eq!(selected_of(&with_small_network, [0.5, 0.5, 0.3], dependent), Some(2));
    }

    #[test]
    fn parts_are_compared_with_the_same_parts() {
        let losses = |of_rows: Vec<f32>| Losses {
            of_rows: vec![of_rows],
            of_temperatures: Vec::new(),
            training: 0.0,
            correct: Vec::new(),
            errors: Vec::new(),
            association: Association::default(),
            is_cut_short: false,
        };
        let (rows, sizes) = ([0, 1, 2], [size(1, 0.0, false), size(2, 0.0, false)]);
        // Differences between parts are large, those of the two candidates on the same part are not.
        let all: Vec<Losses> = [1.0, 5.0, 9.0].map(|l| losses(vec![l, l + 0.1, l + 0.2])).into();
        let of = |places: [usize; 3], more: f64| {
            let mut all = all.clone();
            all.iter_mut().for_each(|l| l.of_rows[0].iter_mut().for_each(|v| *v += more as f32));
            let parts = places.iter().zip(&all).map(|(place, l)| (*place, &rows[..], l));
            of_parts(&parts.collect::<Vec<_>>(), &[])
        };
        let error = |other: Option<Standing>| {
            Standings { sizes: &sizes, all: vec![of([0, 1, 2], 0.0), other] }.above(1, 0).standard_error
        };
        assert!(error(of([0, 1, 2], 0.5)) < 1e-6);
        assert!(error(of([3, 4, 5], 0.5)) < 1e-6, "other parts are compared by rows alone");
        assert!(error(of([1, 2, 0], 0.5)) > 1.0);
    }

    #[test]
    fn by_association_a_nearly_constant_network_comes_after_one_that_has_learnt_something() {
        let rows: Vec<Vec<f64>> = (0..100).map(|i| vec![f64::from(i)]).collect();
        let dependent = Association::new(&rows, &rows, &[1.0], None);
        let sizes = [size(2, 0.0, true), size(10, 0.0, false), size(5, 0.1, false), size(20, 0.0, false)];
        let none = Association::default();
        let of = [(0.5, none), (0.5, none), (0.49, none), (0.6, dependent)];
        let all = of.map(|(mean, association)| standing_with(mean, association)).to_vec();
        let standings = Standings { sizes: &sizes, all };
        assert_eq!(standings.by_loss(), [2, 0, 1, 3]);
        assert_eq!(standings.by_association(), [3, 0, 2, 1]);
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

    /// A decay with a higher loss that scatters more is within its standard error, but says nothing of the
    /// size.
    #[test]
    fn a_size_is_no_worse_if_its_best_decay_is() {
        let sizes = [size(5, 0.0, false), size(5, 0.1, false), size(9, 0.0, false)];
        let mut standings = Standings { sizes: &sizes, all: [0.5, 0.51, 0.4].map(standing).to_vec() };
        let noisy = standings.all[1].as_mut().unwrap();
        noisy.of_rows.iter_mut().enumerate().for_each(|(i, v)| *v += if i % 2 == 0 { 3.0 } else { -3.0 });
        assert!(standings.is_worse(0, 2, NO_WORSE) && !standings.is_worse(1, 2, NO_WORSE));
        assert_eq!(standings.smallest_no_worse(), Some(2));
    }

    #[test]
    fn rows_that_are_tried_again_count_once_and_the_best_temperature_counts() {
        let losses = |of_rows: Vec<Vec<f32>>| Losses {
            correct: vec![true, false, true][..of_rows[0].len()].to_vec(),
            errors: Vec::new(),
            of_temperatures: of_rows.iter().map(|losses| f64::from(losses.iter().sum::<f32>())).collect(),
            of_rows,
            training: 0.0,
            association: Association::default(),
            is_cut_short: false,
        };
        let first = losses(vec![vec![1.0, 2.0, 3.0], vec![1.0, 1.0, 1.0]]);
        let second = losses(vec![vec![1.0, 1.0], vec![3.0, 1.0]]);
        let parts: [(usize, &[u32], &Losses); 2] = [(0, &[0, 1, 2], &first), (1, &[2, 3], &second)];
        let standing = of_parts(&parts, &[]).unwrap();
        assert_eq!((standing.temperature, standing.rows), (1, 4));
        assert!((standing.correct - 0.5).abs() < 1e-12);
        assert_eq!(standing.wrong, [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(standing.of_rows, [1.0, 1.0, 2.0, 1.0]);
        assert!((standing.mean - 1.25).abs() < 1e-12);
        // The third row counts twice.
        let weighted = of_parts(&parts, &[1.0, 1.0, 2.0, 1.0]).unwrap();
        assert!((weighted.mean - 7.0 / 5.0).abs() < 1e-12 && (weighted.correct - 3.0 / 5.0).abs() < 1e-12);
        let equal = of_parts(&parts, &[3.0; 4]).unwrap();
        assert!((equal.mean - standing.mean).abs() < 1e-12);
        assert!((equal.standard_error - standing.standard_error).abs() < 1e-12);
        assert!(weighted.standard_error > standing.standard_error);
    }
}
