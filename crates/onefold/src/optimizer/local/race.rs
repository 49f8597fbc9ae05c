//! Which descents are worth going on with: asynchronous successive halving (Li et al. 2020), depth first.
//!
//! After 30, 60, 120 and 240 steps a descent is compared with what others had reached after as many. Only the best quarter goes on; the others
//! rest, and are taken up again should they belong to the best quarter later. Most starts lead to poor optima, and most of these show it early.

use super::descent::Descent;
use serde::{Deserialize, Serialize};

/// Steps after which descents are compared.
const RUNGS: [u32; 4] = [30, 60, 120, 240];
/// One in so many goes on.
const SHARE: usize = 4;
/// Costs that are remembered at each rung, the latest ones.
const MEMORY: usize = 256;
/// Descents that may rest at each rung; the worst ones are given up.
const RESTING: usize = 64;

/// What is known at one rung.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Rung {
    costs: Vec<f64>,
    /// Where the next cost goes once the memory is full.
    oldest: usize,
    resting: Vec<Descent>,
}

impl Rung {
    fn record(&mut self, cost: f64) {
        if self.costs.len() < MEMORY {
            self.costs.push(cost);
        } else {
            self.costs[self.oldest] = cost;
            self.oldest = (self.oldest + 1) % MEMORY;
        }
    }

    /// Whether a cost belongs to the best ones here.
    fn is_good(&self, cost: f64) -> bool {
        let better = self.costs.iter().filter(|c| **c < cost).count();
        better * SHARE < self.costs.len().max(1)
    }
}

/// What is known at all rungs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Race {
    rungs: [Rung; RUNGS.len()],
}

impl Race {
    /// The descent again if it should go on; otherwise it rests. Called after each step.
    pub(super) fn after_step(&mut self, mut descent: Descent) -> Option<Descent> {
        let Some(number) = RUNGS.iter().position(|steps| *steps == descent.steps) else {
            return Some(descent);
        };
        let rung = &mut self.rungs[number];
        rung.record(descent.cost);
        if rung.is_good(descent.cost) {
            return Some(descent);
        }
        descent.rest();
        rung.resting.push(descent);
        if rung.resting.len() > RESTING {
            let worst = (0..rung.resting.len())
                .max_by(|a, b| rung.resting[*a].cost.total_cmp(&rung.resting[*b].cost))
                .unwrap_or(0);
            rung.resting.swap_remove(worst);
        }
        None
    }

    /// Remembers where a descent ended, at every rung that it did not reach.
    pub(super) fn ended(&mut self, descent: &Descent) {
        for (rung, steps) in self.rungs.iter_mut().zip(RUNGS) {
            if steps > descent.steps {
                rung.record(descent.cost);
            }
        }
    }

    /// A resting descent that belongs to the best by now, from the highest rung that has one.
    pub(super) fn take_up(&mut self) -> Option<Descent> {
        for rung in self.rungs.iter_mut().rev() {
            let best = (0..rung.resting.len())
                .min_by(|a, b| rung.resting[*a].cost.total_cmp(&rung.resting[*b].cost));
            if let Some(best) = best.filter(|i| rung.is_good(rung.resting[*i].cost)) {
                return Some(rung.resting.swap_remove(best));
            }
        }
        None
    }

    /// Those that rest.
    #[cfg(test)]
    pub(super) fn resting(&self) -> impl Iterator<Item = &Descent> {
        self.rungs.iter().flat_map(|rung| &rung.resting)
    }

    /// Whether a state that was read from a file fits.
    pub(super) fn has_shape(&self, dim: usize) -> bool {
        let fits = |rung: &Rung| {
            rung.costs.len() <= MEMORY
                && rung.oldest < MEMORY
                && rung.resting.len() <= RESTING
                && rung.resting.iter().all(|descent| descent.has_shape(dim))
        };
        self.rungs.iter().all(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A descent after so many steps.
    fn at(steps: u32, cost: f64) -> Descent {
        let mut descent = Descent::new(vec![cost]);
        (descent.steps, descent.cost) = (steps, cost);
        descent
    }

    #[test]
    fn those_that_fall_behind_rest_and_are_taken_up_when_they_lead_again() {
        let mut race = Race::default();
        assert!(race.after_step(at(29, 9.0)).is_some(), "between rungs nothing is compared");
        assert!(race.after_step(at(30, 5.0)).is_some(), "the first one has nobody to fall behind");
        assert!(race.after_step(at(30, 7.0)).is_none(), "the second of two is not among the best quarter");
        assert!(race.take_up().is_none());
        (0..3).for_each(|_| assert!(race.after_step(at(30, 8.0)).is_none()));
        let taken = race.take_up().map(|descent| descent.cost);
        assert_eq!(taken, Some(7.0), "of five, one may be better");
        assert!(race.take_up().is_none(), "the others are behind both");
    }

    #[test]
    fn descents_that_ended_count_at_the_rungs_they_never_reached() {
        let mut race = Race::default();
        race.ended(&at(40, 1.0));
        assert!(race.after_step(at(30, 2.0)).is_some(), "it had passed this one before");
        assert!(race.after_step(at(60, 2.0)).is_none(), "it would be ahead here");
        assert!(race.take_up().is_none());
    }
}
