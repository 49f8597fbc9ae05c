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

    /// The resting descent that has reached this cost, if one has.
    pub(super) fn take_best(&mut self, cost: f64) -> Option<Descent> {
        let rung = self.rungs.iter_mut().find(|rung| rung.resting.iter().any(|d| d.cost <= cost))?;
        let best = rung.resting.iter().position(|descent| descent.cost <= cost)?;
        Some(rung.resting.swap_remove(best))
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
