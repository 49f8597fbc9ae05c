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

impl Crossover {
    /// Calls `take` for each coordinate that comes from the mutant.
    pub(super) fn choose(self, dim: usize, rate: f64, rng: &mut LongRng, mut take: impl FnMut(usize)) {
        let start = rng.below(dim);
        match self {
            Self::Binomial => {
                for d in 0..dim {
                    if rng.uniform() < rate || d == start {
                        take(d);
                    }
                }
            }
            Self::Exponential => {
                for step in 0..dim {
                    take((start + step) % dim);
                    if rng.uniform() >= rate {
                        break;
                    }
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
        let mut taken = 0;
        for _ in 0..20_000 {
            let mut one = 0;
            crossover.choose(dim, rate, &mut rng, |_| one += 1);
            assert!(one >= 1);
            taken += one;
        }
        f64::from(taken) / 20_000.0
    }

    #[test]
    fn binomial_takes_the_rate_and_one_more_by_force() {
        // One forced coordinate, the other nine with probability CR.
        assert!((mean_taken(Crossover::Binomial, 10, 0.9) - 9.1).abs() < 0.05);
        assert!((mean_taken(Crossover::Binomial, 10, 0.0) - 1.0).abs() < 1e-12);
        assert!((mean_taken(Crossover::Binomial, 10, 1.0) - 10.0).abs() < 1e-12);
    }

    #[test]
    fn exponential_run_length_is_geometric() {
        let expected: f64 = (0..10).map(|k| 0.8_f64.powi(k)).sum();
        assert!((mean_taken(Crossover::Exponential, 10, 0.8) - expected).abs() < 0.1);
        assert!((mean_taken(Crossover::Exponential, 10, 0.0) - 1.0).abs() < 1e-12);
    }
}
