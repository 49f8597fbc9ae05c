//! A race between candidates: their losses on held-out rows, collected rung by rung.
//!
//! All candidates are tried on a little, those that are left on more. A candidate is dropped only against
//! another one that is better beyond chance on the same rows, by a paired test, and never because a similar
//! one is bad. Where candidates were trained on fewer rows than there are, one that may still gain from more
//! rows stays.

use super::association::Association;
use super::standings::{RowsTried, Standing, Standings};
use crate::model::{HeldOutErrors, Intervals};
use serde::{Deserialize, Serialize};

/// Standard errors of the difference by which a candidate must be worse to be dropped. The best of many
/// candidates is partly the luckiest, so that two would be too few.
const DROPPED: f64 = 3.0;
/// Number of rows below which no candidate is dropped.
const LEAST_ROWS: usize = 20;

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

/// How many losses a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LossShape {
    pub(super) of_row: usize,
    /// For a classification, the number of temperatures; otherwise 0.
    pub(super) temperatures: usize,
    /// For a regression, the number of targets; otherwise 0.
    pub(super) targets: usize,
}

/// The losses of a candidate on one part of the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Losses {
    /// On each held-out row, once for each temperature where the loss depends on it. Single precision, since
    /// there are many and they are saved, in a unit of the data.
    pub(super) of_rows: Vec<Vec<f32>>,
    /// For a classification, the sum of the log losses for each temperature; the best one counts.
    pub(super) of_temperatures: Vec<f64>,
    /// The mean on the rows that it was trained on.
    pub(super) training: f64,
    /// For a classification, whether each held-out row was classified correctly.
    pub(super) correct: Vec<bool>,
    /// For a regression, the absolute errors of each target on the held-out rows, in units of the data.
    pub(super) errors: Vec<Vec<f32>>,
    /// How predictions depend on the targets of the held-out rows.
    pub(super) association: Association,
    /// Whether the training was cut short.
    pub(super) is_cut_short: bool,
}

impl Losses {
    /// Whether these are losses of this many rows, of this shape.
    pub(super) fn fits(&self, rows: usize, shape: LossShape) -> bool {
        let is_classification = shape.temperatures > 0;
        let found = LossShape {
            of_row: self.of_rows.len(),
            temperatures: self.of_temperatures.len(),
            targets: self.errors.len(),
        };
        found == shape
            && self.of_rows.iter().chain(&self.errors).all(|losses| losses.len() == rows)
            && self.correct.len() == if is_classification { rows } else { 0 }
    }
}

/// The parts of the rows that candidates were tried on, and what is left of the candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Race {
    pub(super) sizes: Vec<Size>,
    parts: Vec<Part>,
    /// The last standing of candidates that were dropped.
    dropped: Vec<Option<Standing>>,
    /// The weight of each row of the race; empty without weights. They belong to the data and are not saved.
    #[serde(skip)]
    weights: Vec<f64>,
    /// What losses and errors in single precision are multiples of; they belong to the data, too.
    #[serde(skip)]
    units: Units,
}

#[derive(Clone, Debug, PartialEq)]
struct Units {
    losses: f64,
    /// For a regression, of the errors of each target.
    errors: Vec<f64>,
}

impl Default for Units {
    fn default() -> Self {
        Self { losses: 1.0, errors: Vec::new() }
    }
}

/// The held-out rows of a part, and the losses of each candidate on them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    rows: Vec<u32>,
    losses: Vec<Option<Losses>>,
}

impl Race {
    /// A race between candidates of these sizes.
    pub(super) fn new(sizes: Vec<Size>) -> Self {
        let dropped = vec![None; sizes.len()];
        Self { sizes, parts: Vec::new(), dropped, weights: Vec::new(), units: Units::default() }
    }

    /// The same race on rows with these weights, if they have some.
    pub(super) fn weighted(mut self, weights: Option<&[f64]>) -> Self {
        self.weights = weights.map_or(Vec::new(), <[f64]>::to_vec);
        self
    }

    /// The same race with losses and errors that are multiples of these.
    pub(super) fn in_units(mut self, losses: f64, errors: &[f64]) -> Self {
        self.units = Units { losses, errors: errors.to_vec() };
        self
    }

    /// Whether a candidate is still in the race.
    pub(super) fn is_left(&self, candidate: usize) -> bool {
        self.dropped[candidate].is_none()
    }

    /// The candidates that are still in the race.
    pub(super) fn left(&self) -> impl Iterator<Item = usize> {
        (0..self.sizes.len()).filter(|i| self.is_left(*i))
    }

    /// Adds the results of a part: its held-out rows, and the losses of the candidates in the race.
    pub(super) fn add(&mut self, rows: &[usize], losses: Vec<Option<Losses>>) {
        self.parts.push(Part { rows: rows.iter().map(|row| *row as u32).collect(), losses });
    }

    /// Forgets all losses, because candidates will be trained on more rows; those that were dropped stay so.
    pub(super) fn begin_larger_sample(&mut self) {
        self.parts.clear();
    }

    /// Whether all parts of a saved race fit each other, with this many rows, and losses of a shape.
    pub(super) fn has_shape(&self, rows: usize, shape: LossShape) -> bool {
        let count = self.sizes.len();
        self.dropped.len() == count
            && self.parts.iter().all(|part| {
                part.losses.len() == count
                    && part.rows.iter().all(|row| (*row as usize) < rows)
                    && part.losses.iter().flatten().all(|losses| losses.fits(part.rows.len(), shape))
            })
    }

    /// Whether nothing was tried yet.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Forgets what these candidates did in all but the last parts, because they were trained in another way
    /// there. Candidates that could not be trained in all of the last parts keep the former ones instead.
    pub(super) fn keep_last_parts(&mut self, candidates: &[usize], parts: usize) {
        let first = self.parts.len().saturating_sub(parts);
        let (former, last) = self.parts.split_at_mut(first);
        for candidate in candidates {
            let is_complete = last.iter().all(|part| part.losses[*candidate].is_some());
            let forgotten = if is_complete { &mut *former } else { &mut *last };
            forgotten.iter_mut().for_each(|part| part.losses[*candidate] = None);
        }
    }

    /// Prediction intervals from the errors of a candidate on held-out rows; none for a classification.
    pub(super) fn intervals(&self, candidate: usize) -> Option<Intervals> {
        let parts = || self.parts.iter().filter_map(|part| Some((part, part.losses[candidate].as_ref()?)));
        let mut errors = HeldOutErrors::new(parts().next()?.1.errors.len());
        let mut rows: Vec<u32> = Vec::new();
        for (part, losses) in parts() {
            rows.extend(&part.rows);
            for (target, of_target) in losses.errors.iter().enumerate() {
                let unit = self.units.errors.get(target).copied().unwrap_or(1.0);
                errors.extend(target, of_target.iter().map(|error| f64::from(*error) * unit));
            }
        }
        rows.sort_unstable();
        rows.dedup();
        errors.intervals_of(rows.len())
    }

    /// How the candidates compare that are in the race and were tried on all rows that any was tried on.
    pub(super) fn standings(&self) -> Standings<'_> {
        let tried = RowsTried::new(self.parts.iter().flat_map(|part| &part.rows));
        let of = |candidate: usize| {
            let parts: Vec<_> = (self.parts.iter().enumerate())
                .filter_map(|(i, part)| Some((i, &part.rows[..], part.losses[candidate].as_ref()?)))
                .collect();
            Standing::new(&parts, &tried, &self.weights, self.units.losses)
                .filter(|standing| standing.rows == tried.count)
        };
        let all = (0..self.sizes.len()).map(|i| if self.is_left(i) { of(i) } else { None });
        Standings { sizes: &self.sizes, all: all.collect() }
    }

    /// The last standing of a candidate: that of now, or when it was dropped; none if it was not tried.
    pub(super) fn last_standing<'a>(
        &'a self,
        candidate: usize,
        now: &'a Standings<'_>,
    ) -> Option<&'a Standing> {
        self.dropped[candidate].as_ref().or(now.all[candidate].as_ref())
    }

    /// Drops candidates that are worse than another one beyond chance, but none of the best `keep`: with few
    /// trainings, luck in the choice of starts does not show in the differences of rows. `is_sample` says
    /// that candidates were trained on fewer rows than there are.
    pub(super) fn drop_worse(&mut self, keep: usize, is_sample: bool) {
        let standings = self.standings();
        let order = standings.by_loss();
        let mut dropped = Vec::new();
        for place in keep.max(1)..order.len() {
            let candidate = order[place];
            let Some(standing) = &standings.all[candidate] else { continue };
            if self.sizes[candidate].is_baseline || standing.of_rows.len() < LEAST_ROWS {
                continue;
            }
            let is_better = |other: usize| {
                let is_fair = || {
                    !is_sample
                        || self.sizes[other].is_at_least(&self.sizes[candidate])
                        || standings.all[other].as_ref().is_some_and(|o| standing.limit() > o.mean)
                };
                is_fair() && standings.above(candidate, other).is_above(DROPPED)
            };
            if order[..place].iter().any(|other| is_better(*other)) {
                dropped.push((candidate, standing.summary()));
            }
        }
        for (candidate, standing) in dropped {
            self.parts.iter_mut().for_each(|part| part.losses[candidate] = None);
            self.dropped[candidate] = Some(standing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};

    fn size(parameters: usize, decay: f64) -> Size {
        Size { parameters, decay, is_baseline: false }
    }

    /// A race on 100 rows with these mean losses; the noise of a row is mostly common to all candidates.
    fn race(sizes: &[Size], means: &[f64], training: f64, is_sample: bool) -> Race {
        let rows: Vec<usize> = (0..100).collect();
        let mut race = Race::new(sizes.to_vec());
        let losses = |(i, mean): (usize, &f64)| {
            let own = &mut Rng::stream(1, Purpose::Data, i as u64, 0);
            let common = &mut Rng::stream(2, Purpose::Data, 0, 0);
            let noise = rows.iter().map(|_| common.between(-1.0, 1.0) + 0.1 * own.between(-1.0, 1.0));
            let of_rows = vec![noise.map(|v| (mean + v) as f32).collect()];
            Some(Losses {
                of_rows,
                of_temperatures: Vec::new(),
                training,
                correct: Vec::new(),
                errors: Vec::new(),
                association: Association::default(),
                is_cut_short: false,
            })
        };
        race.add(&rows, means.iter().enumerate().map(losses).collect());
        race.drop_worse(1, is_sample);
        race
    }

    #[test]
    fn a_candidate_is_dropped_only_if_another_is_better_beyond_chance() {
        let sizes = [size(5, 0.0), size(10, 0.0), size(20, 0.0), size(40, 0.0)];
        let race = race(&sizes, &[1.0, 0.5, 0.505, 0.6], 0.0, false);
        assert_eq!(race.left().collect::<Vec<_>>(), [1, 2]);
        let now = race.standings();
        let is_shown = |candidate| race.last_standing(candidate, &now).is_some();
        assert!((0..race.sizes.len()).all(is_shown), "what was dropped is still shown");
    }

    #[test]
    fn the_best_ones_stay_whatever_the_test_says() {
        let sizes = [size(5, 0.0), size(10, 0.0), size(20, 0.0), size(40, 0.0)];
        let mut race = race(&sizes, &[0.5; 4], 0.0, false);
        race.begin_larger_sample();
        let of = |loss: f32| Losses {
            of_rows: vec![(0..50).map(|i| loss + 0.01 * i as f32).collect()],
            of_temperatures: Vec::new(),
            training: 0.0,
            correct: Vec::new(),
            errors: Vec::new(),
            association: Association::default(),
            is_cut_short: false,
        };
        let rows: Vec<usize> = (0..50).collect();
        race.add(&rows, vec![Some(of(4.0)), Some(of(3.0)), Some(of(2.0)), Some(of(1.0))]);
        race.drop_worse(2, false);
        assert_eq!(race.left().collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn on_a_sample_those_stay_that_may_gain_from_more_rows() {
        let sizes = [size(5, 0.0), size(10, 0.0), size(20, 0.0), size(10, 1e-2)];
        let means = [1.0, 0.5, 0.7, 0.8];
        let left = |training, is_sample| race(&sizes, &means, training, is_sample).left().collect::<Vec<_>>();
        // The second is larger than the first and the last; the third fits its training rows better than it
        // does others, so that more rows would help it.
        assert_eq!(left(0.1, true), [1, 2]);
        assert_eq!(left(0.65, true), [1]);
        assert_eq!(left(0.1, false), [1]);
    }

    #[test]
    fn few_rows_drop_nobody() {
        let mut race = Race::new(vec![size(1, 0.0), size(2, 0.0)]);
        let of = |loss: f32| {
            Some(Losses {
                of_rows: vec![vec![loss; 3]],
                of_temperatures: Vec::new(),
                training: 0.0,
                correct: Vec::new(),
                errors: Vec::new(),
                association: Association::default(),
                is_cut_short: false,
            })
        };
        race.add(&[0, 1, 2], vec![of(0.0), of(1.0)]);
        race.drop_worse(1, false);
        assert_eq!(race.left().count(), 2);
    }
}
