//! How a trial is built: mutation, its weight, crossover, and the repair of what leaves the bounds.

use crate::Population;
use crate::rng::{LongRng, Purpose, Streams};
use serde::{Deserialize, Serialize};

/// How the mutant is built. `r1`, `r2`, ... are different individuals, none of them the parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mutation {
    /// `r1 + F (r2 - r3)`: the paper's, eq. 9.
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
    /// Individuals drawn besides parent and best.
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

/// Which coordinates of a trial come from the mutant; at least one always does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crossover {
    /// Each with probability `CR`.
    #[default]
    Binomial,
    /// A run of neighbours (the last followed by the first), prolonged with probability `CR`.
    Exponential,
}

/// The weight `F` of difference vectors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Always the same.
    Fixed(f64),
    /// Drawn uniformly from this interval once per generation.
    DitherGeneration(f64, f64),
    /// Drawn uniformly from this interval for each trial.
    DitherTrial(f64, f64),
}

impl Weight {
    pub(super) fn range(self) -> (f64, f64) {
        match self {
            Self::Fixed(f) => (f, f),
            Self::DitherGeneration(low, high) | Self::DitherTrial(low, high) => (low, high),
        }
    }

    /// The weight that all trials of a generation share, where they share one.
    pub(super) fn draw_for_generation(self, rng: &mut LongRng) -> f64 {
        match self {
            Self::DitherGeneration(low, high) => rng.between(low, high),
            Self::Fixed(f) | Self::DitherTrial(f, _) => f,
        }
    }

    /// The weight of one trial, given the one of its generation.
    pub(super) fn draw_for_trial(self, generation: f64, rng: &mut LongRng) -> f64 {
        match self {
            Self::DitherTrial(low, high) => rng.between(low, high),
            Self::Fixed(_) | Self::DitherGeneration(..) => generation,
        }
    }
}

/// Makes a trial of the mutant's coordinates.
#[inline]
pub(super) fn mutate(trial: &mut [f64], mutant: impl Fn(usize) -> f64) {
    trial.iter_mut().enumerate().for_each(|(d, v)| *v = mutant(d));
}

/// Coordinates that are drawn for at a time.
const RUN: usize = 64;

impl Crossover {
    /// Gives the coordinates of a trial that do not come from the mutant, which it is before, back to the parent.
    pub(super) fn cross(self, trial: &mut [f64], parent: &[f64], rate: f64, rng: &mut LongRng) {
        let dim = trial.len();
        let start = rng.below(dim);
        match self {
            Self::Binomial => {
                let forced = trial[start];
                for (trial, parent) in trial.chunks_mut(RUN).zip(parent.chunks(RUN)) {
                    // All draws first, and no branch on any: each would be mispredicted with the probability that it is rare.
                    let mut taken = [0_u64; RUN];
                    for taken in &mut taken[..trial.len()] {
                        *taken = u64::from(rng.uniform() < rate).wrapping_neg();
                    }
                    for ((v, p), taken) in trial.iter_mut().zip(parent).zip(taken) {
                        *v = f64::from_bits(v.to_bits() & taken | p.to_bits() & !taken);
                    }
                }
                trial[start] = forced;
            }
            Self::Exponential => {
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
}

/// Makes every individual uniform in an interval.
pub(super) fn fill_at_random(individuals: &mut Population, (low, high): (f64, f64), seed: u64) {
    let streams = Streams::new(seed, Purpose::Start, 0);
    for (i, row) in individuals.rows_mut().enumerate() {
        let mut rng = streams.long(i);
        row.iter_mut().for_each(|v| *v = rng.between(low, high));
    }
}

/// Moves a coordinate that crossed a bound to half way between parent and bound.
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

/// What individuals are aligned to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reference {
    /// The best individual, as in the paper.
    #[default]
    Best,
    /// The mean of the population.
    Mean,
    /// One of the best tenth, drawn anew in each generation.
    Elite,
}

impl Reference {
    /// Whether it is the paper's.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean number of coordinates taken over many draws.
    fn mean_taken(crossover: Crossover, dim: usize, rate: f64) -> f64 {
        let mut rng = Streams::new(3, Purpose::Propose, 0).long(0);
        let (parent, mut taken) = (vec![0.0; dim], 0.0);
        for _ in 0..20_000 {
            let mut trial = vec![1.0; dim];
            crossover.cross(&mut trial, &parent, rate, &mut rng);
            let one: f64 = trial.iter().sum();
            assert!(one >= 1.0);
            taken += one;
        }
        taken / 20_000.0
    }

    #[test]
    fn binomial_takes_the_rate_and_one_more_by_force() {
        // One forced coordinate, the other nine with probability CR.
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
