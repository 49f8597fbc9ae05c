//! How a trial vector is built: mutation, its weight, crossover, and repair of coordinates out of bounds.

use crate::Population;
use crate::cancellation::poll;
use crate::kernel::{CrossingWork, Isa, cross};
use crate::rng::{LongRng, Purpose, Streams};
use serde::{Deserialize, Serialize};

/// The mutation strategy. `r1`, `r2`, ... are different random individuals other than the parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mutation {
    /// `r1 + F (r2 - r3)`, eq. 9 of the paper.
    #[default]
    Rand1,
    /// `best + F (r1 - r2)`
    Best1,
    /// `parent + F (best - parent) + F (r1 - r2)`
    CurrentToBest1,
    /// `r1 + F (r2 - r3) + F (r4 - r5)`
    Rand2,
    /// `best + F (r1 - r2) + F (r3 - r4)`
    Best2,
}

impl Mutation {
    /// Number of individuals drawn besides parent and best.
    #[must_use]
    pub fn drawn(self) -> usize {
        match self {
            Self::Best1 | Self::CurrentToBest1 => 2,
            Self::Rand1 => 3,
            Self::Best2 => 4,
            Self::Rand2 => 5,
        }
    }

    /// The name in the literature, such as `rand/1`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rand1 => "rand/1",
            Self::Best1 => "best/1",
            Self::CurrentToBest1 => "current-to-best/1",
            Self::Rand2 => "rand/2",
            Self::Best2 => "best/2",
        }
    }
}

/// The crossover: which coordinates of a trial vector come from the mutant; at least one always does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crossover {
    /// Each with probability `CR`.
    #[default]
    Binomial,
    /// A run of consecutive coordinates (cyclic), extended with probability `CR`.
    Exponential,
}

/// The weight `F` of difference vectors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Constant.
    Fixed(f64),
    /// Drawn uniformly from this interval once per generation.
    DitherGeneration(f64, f64),
    /// Drawn uniformly from this interval for each trial vector.
    DitherTrial(f64, f64),
}

impl Weight {
    pub(super) fn range(self) -> (f64, f64) {
        match self {
            Self::Fixed(f) => (f, f),
            Self::DitherGeneration(low, high) | Self::DitherTrial(low, high) => (low, high),
        }
    }

    /// The weight common to all trial vectors of a generation, if there is one.
    pub(super) fn draw_for_generation(self, rng: &mut LongRng) -> f64 {
        match self {
            Self::DitherGeneration(low, high) => rng.between(low, high),
            Self::Fixed(f) | Self::DitherTrial(f, _) => f,
        }
    }

    /// The weight of one trial vector, given that of its generation.
    pub(super) fn draw_for_trial(self, generation: f64, rng: &mut LongRng) -> f64 {
        match self {
            Self::DitherTrial(low, high) => rng.between(low, high),
            Self::Fixed(_) | Self::DitherGeneration(..) => generation,
        }
    }
}

/// `base + f (a - b)`
pub(super) fn mutate(trial: &mut [f64], base: &[f64], f: f64, a: &[f64], b: &[f64]) {
    for (((v, base), a), b) in trial.iter_mut().zip(base).zip(a).zip(b) {
        *v = base + f * (a - b);
    }
}

/// Adds `f (a - b)`.
pub(super) fn mutate_further(trial: &mut [f64], f: f64, a: &[f64], b: &[f64]) {
    for ((v, a), b) in trial.iter_mut().zip(a).zip(b) {
        *v += f * (a - b);
    }
}

/// Crossover of the trial vectors of a generation. Binomial crossover handles eight at a time, with SIMD
/// random numbers.
#[derive(Debug)]
pub(super) struct Crossing {
    isa: Isa,
    crossover: Crossover,
    pending: CrossingWork,
    first: usize,
}

impl Crossing {
    pub(super) fn new(crossover: Crossover) -> Self {
        Self { isa: Isa::detect(), crossover, pending: CrossingWork::default(), first: 0 }
    }

    /// Crosses trial vector `i`, which holds the mutant, with its parent. Binomial crossover is deferred
    /// until eight are pending. Trial vectors must be pushed in order.
    pub(super) fn push(
        &mut self,
        i: usize,
        rate: f64,
        mut rng: LongRng,
        trials: &mut Population,
        parents: &Population,
    ) {
        let dim = trials.dim();
        let start = rng.below(dim);
        match self.crossover {
            Crossover::Binomial => {
                if self.pending.count() == 0 {
                    self.first = i;
                }
                if self.pending.push(rng.into_state(), rate, start) {
                    self.finish(trials, parents);
                }
            }
            Crossover::Exponential => {
                let (trial, parent) = (trials.row_mut(i), parents.row(i));
                let mut length = 1;
                while length < dim && rng.uniform() < rate {
                    length += 1;
                }
                for step in length..dim {
                    let d = (start + step) % dim;
                    trial[d] = parent[d];
                }
            }
        }
    }

    /// Crosses the pending trial vectors.
    pub(super) fn finish(&mut self, trials: &mut Population, parents: &Population) {
        let rows = self.first..self.first + self.pending.count();
        cross(self.isa, &mut self.pending, trials.some_rows_mut(rows.clone()), parents.some_rows(rows));
    }
}

/// Draws every coordinate of every individual uniformly from an interval. The first one is a given point, if
/// there is one.
pub(super) fn fill_at_random(
    individuals: &mut Population,
    (low, high): (f64, f64),
    given: Option<&[f64]>,
    seed: u64,
) {
    let streams = Streams::new(seed, Purpose::Start, 0);
    for (i, row) in individuals.rows_mut().enumerate() {
        if poll(4 * row.len()) {
            return;
        }
        let mut rng = streams.long(i);
        row.iter_mut().for_each(|v| *v = rng.between(low, high));
    }
    if let Some(given) = given {
        individuals.row_mut(0).copy_from_slice(given);
    }
}

/// Moves a coordinate out of bounds to the midpoint between parent and bound.
pub(super) fn repair(trial: &mut [f64], parent: &[f64], bounds: Option<(f64, f64)>) {
    let Some((low, high)) = bounds else { return };
    for (v, p) in trial.iter_mut().zip(parent) {
        if *v < low {
            *v = f64::midpoint(*p, low);
        } else if *v > high {
            *v = f64::midpoint(*p, high);
        }
    }
}

/// The reference that individuals are aligned to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reference {
    /// The best individual, as in the paper.
    #[default]
    Best,
    /// The mean of the population.
    Mean,
    /// A random one of the best tenth, another one in each generation.
    Elite,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean number of coordinates that come from the mutant.
    fn mean_taken(crossover: Crossover, dim: usize, rate: f64) -> f64 {
        let streams = Streams::new(3, Purpose::Propose, 0);
        let (parents, mut trials) = (Population::new(20_003, dim), Population::new(20_003, dim));
        trials.rows_mut().for_each(|row| row.fill(1.0));
        let mut crossing = Crossing::new(crossover);
        for i in 0..trials.len() {
            crossing.push(i, rate, streams.long(i), &mut trials, &parents);
        }
        crossing.finish(&mut trials, &parents);
        let mut taken = 0.0;
        for trial in trials.rows() {
            let one: f64 = trial.iter().sum();
            assert!(one >= 1.0);
            taken += one;
        }
        taken / trials.len() as f64
    }

    #[test]
    fn eight_at_a_time_give_the_same_as_one_at_a_time() {
        let streams = Streams::new(5, Purpose::Propose, 7);
        for (dim, rate) in [(1, 0.5), (10, 0.9), (64, 0.3), (130, 0.9), (61, 1.0), (61, 0.0), (9, 1e-300)] {
            let (mut parents, mut trials) = (Population::new(19, dim), Population::new(19, dim));
            parents.rows_mut().enumerate().for_each(|(i, row)| row.fill(-1.0 - i as f64));
            trials.rows_mut().enumerate().for_each(|(i, row)| row.fill(1.0 + i as f64));
            let mut expected = trials.clone();
            for (i, row) in expected.rows_mut().enumerate() {
                let mut rng = streams.long(i);
                let start = rng.below(dim);
                for (d, v) in row.iter_mut().enumerate() {
                    if rng.uniform() >= rate && d != start {
                        *v = parents.row(i)[d];
                    }
                }
            }
            for isa in Isa::available() {
                let mut trials = trials.clone();
                let mut crossing = Crossing { isa, ..Crossing::new(Crossover::Binomial) };
                for i in 0..19 {
                    crossing.push(i, rate, streams.long(i), &mut trials, &parents);
                }
                crossing.finish(&mut trials, &parents);
                assert_eq!(trials, expected, "{dim} {rate} {}", isa.name());
            }
        }
    }

    #[test]
    fn binomial_takes_each_coordinate_at_the_rate_and_one_always() {
        // One coordinate always, the other nine with probability CR.
        assert!((mean_taken(Crossover::Binomial, 10, 0.9) - 9.1).abs() < 0.05);
        assert!((mean_taken(Crossover::Binomial, 10, 0.0) - 1.0).abs() < 1e-12);
        assert!((mean_taken(Crossover::Binomial, 10, 1.0) - 10.0).abs() < 1e-12);
        assert!((mean_taken(Crossover::Binomial, 200, 0.9) - 180.1).abs() < 0.2);
    }

    #[test]
    fn exponential_run_length_is_geometric() {
        let expected: f64 = (0..10).map(|k| 0.8_f64.powi(k)).sum();
        assert!((mean_taken(Crossover::Exponential, 10, 0.8) - expected).abs() < 0.1);
        assert!((mean_taken(Crossover::Exponential, 10, 0.0) - 1.0).abs() < 1e-12);
    }
}
