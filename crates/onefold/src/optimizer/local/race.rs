//! Asynchronous successive halving of descents (Li et al. 2020), depth first.
//!
//! After 30, 60, 120 and 240 steps (the *rungs*) a descent is compared with the costs of others after the
//! same number of steps. Only the best quarter continues; the others are paused, and resumed if they belong
//! to the best quarter later. Most starts lead to poor optima, and most of these have a high cost early on.

use super::descent::Descent;
use serde::{Deserialize, Serialize};

/// Steps after which descents are compared.
const RUNGS: [u32; 4] = [30, 60, 120, 240];
/// Reduction factor: the best fraction `1 / REDUCTION` continues.
const REDUCTION: usize = 4;
/// Number of latest costs stored at each rung.
const MEMORY: usize = 256;
/// Maximum number of paused descents at each rung; the worst ones are discarded.
const MAX_PAUSED: usize = 64;

/// The costs and paused descents of one rung.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Rung<D> {
    costs: Vec<f64>,
    /// Index of the oldest cost, which the next one replaces once the memory is full.
    oldest: usize,
    paused: Vec<D>,
}

impl<D> Default for Rung<D> {
    fn default() -> Self {
        Self { costs: Vec::new(), oldest: 0, paused: Vec::new() }
    }
}

impl<D> Default for Race<D> {
    fn default() -> Self {
        Self { rungs: std::array::from_fn(|_| Rung::default()) }
    }
}

impl<D> Rung<D> {
    fn record(&mut self, cost: f64) {
        if self.costs.len() < MEMORY {
            self.costs.push(cost);
        } else {
            self.costs[self.oldest] = cost;
            self.oldest = (self.oldest + 1) % MEMORY;
        }
    }

    /// Whether a cost belongs to the best fraction.
    fn is_good(&self, cost: f64) -> bool {
        let better = self.costs.iter().filter(|c| **c < cost).count();
        better * REDUCTION < self.costs.len().max(1)
    }
}

/// The state of all rungs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "D: Descent")]
pub(super) struct Race<D> {
    rungs: [Rung<D>; RUNGS.len()],
}

impl<D: Descent> Race<D> {
    /// Returns the descent if it continues; otherwise pauses it. Called after each step.
    pub(super) fn after_step(&mut self, mut descent: D) -> Option<D> {
        let Some(number) = RUNGS.iter().position(|steps| *steps == descent.position().steps) else {
            return Some(descent);
        };
        let rung = &mut self.rungs[number];
        rung.record(descent.position().cost);
        if rung.is_good(descent.position().cost) {
            return Some(descent);
        }
        descent.discard_slopes();
        rung.paused.push(descent);
        if rung.paused.len() > MAX_PAUSED {
            let worst = (0..rung.paused.len())
                .max_by(|a, b| rung.paused[*a].position().cost.total_cmp(&rung.paused[*b].position().cost))
                .unwrap_or(0);
            rung.paused.swap_remove(worst);
        }
        None
    }

    /// Records the final cost of a descent at every rung that it did not reach.
    pub(super) fn ended(&mut self, descent: &D) {
        for (rung, steps) in self.rungs.iter_mut().zip(RUNGS) {
            if steps > descent.position().steps {
                rung.record(descent.position().cost);
            }
        }
    }

    /// Resumes a paused descent that now belongs to the best fraction, from the highest rung that has one.
    pub(super) fn resume(&mut self) -> Option<D> {
        for rung in self.rungs.iter_mut().rev() {
            let best = (0..rung.paused.len())
                .min_by(|a, b| rung.paused[*a].position().cost.total_cmp(&rung.paused[*b].position().cost));
            if let Some(best) = best.filter(|i| rung.is_good(rung.paused[*i].position().cost)) {
                return Some(rung.paused.swap_remove(best));
            }
        }
        None
    }

    /// The paused descents.
    pub(super) fn paused(&self) -> impl Iterator<Item = &D> {
        self.rungs.iter().flat_map(|rung| &rung.paused)
    }

    /// Whether a state read from a file has valid sizes.
    pub(super) fn has_shape(&self, dim: usize) -> bool {
        let fits = |rung: &Rung<D>| {
            rung.costs.len() <= MEMORY
                && rung.oldest < MEMORY
                && rung.paused.len() <= MAX_PAUSED
                && rung.paused.iter().all(|descent| descent.has_shape(dim))
        };
        self.rungs.iter().all(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::super::descent::LevenbergMarquardt;
    use super::*;

    /// A descent after this number of steps.
    fn at(steps: u32, cost: f64) -> LevenbergMarquardt {
        let mut descent = LevenbergMarquardt::new(vec![cost]);
        let position = descent.position_mut();
        (position.steps, position.cost) = (steps, cost);
        descent
    }

    #[test]
    fn worse_descents_are_paused_and_resumed_when_they_belong_to_the_best_quarter() {
        let mut race = Race::default();
        assert!(race.after_step(at(29, 9.0)).is_some(), "no comparison between rungs");
        assert!(race.after_step(at(30, 5.0)).is_some(), "the first one has no competitors");
        assert!(race.after_step(at(30, 7.0)).is_none(), "the second of two is not in the best quarter");
        assert!(race.resume().is_none());
        (0..3).for_each(|_| assert!(race.after_step(at(30, 8.0)).is_none()));
        let resumed = race.resume().map(|descent| descent.position().cost);
        assert_eq!(resumed, Some(7.0), "with five costs, one may be lower");
        assert!(race.resume().is_none(), "two costs are lower than those of the others");
    }

    #[test]
    fn descents_that_ended_count_at_the_rungs_they_never_reached() {
        let mut race = Race::default();
        race.ended(&at(40, 1.0));
        assert!(race.after_step(at(30, 2.0)).is_some(), "the ended descent does not count at rung 30");
        assert!(race.after_step(at(60, 2.0)).is_none(), "its lower cost counts at rung 60");
        assert!(race.resume().is_none());
    }
}
