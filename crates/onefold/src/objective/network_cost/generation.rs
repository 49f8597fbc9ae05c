//! Costs of a generation: early rejection, then full evaluations, on one thread or several.

use super::super::screening::{Cascade, Part};
use super::sphere::Place;
use super::{Context, Worker};
use crate::Population;

impl Context {
    /// Divides the candidates from `first` on evenly between the workers. Halving with `join` allocates
    /// nothing.
    pub(super) fn costs_in_parallel(
        &self,
        candidates: &Population,
        cutoffs: &[f64],
        first: usize,
        costs: &mut [f64],
        workers: &mut [Worker],
    ) {
        if workers.len() == 1 {
            self.costs(Part { candidates, cutoffs, first, costs }, &mut workers[0]);
            return;
        }
        let half = workers.len() / 2;
        let middle = costs.len() * half / workers.len();
        let (workers, other_workers) = workers.split_at_mut(half);
        let (costs, other_costs) = costs.split_at_mut(middle);
        rayon::join(
            || self.costs_in_parallel(candidates, cutoffs, first, costs, workers),
            || self.costs_in_parallel(candidates, cutoffs, first + middle, other_costs, other_workers),
        );
    }

    /// Costs of a part of the candidates: lower bounds for those that are rejected early, full evaluations
    /// for the others.
    pub(super) fn costs(&self, mut part: Part<'_>, worker: &mut Worker) {
        // No bound is NaN.
        part.costs.fill(f64::NAN);
        if self.settings.early_rejection {
            self.screen(&mut part, &mut worker.cascade);
        }
        for (i, cost) in (part.first..).zip(part.costs).filter(|(_, cost)| cost.is_nan()) {
            let cutoff = if self.settings.early_rejection { part.cutoffs[i] } else { f64::INFINITY };
            *cost = worker.full.cost(self, part.candidates.row(i), cutoff);
        }
    }

    /// Rejects candidates early, by their penalties or by screens. Screens know nothing of the sphere, so
    /// they get only candidates inside.
    fn screen(&self, part: &mut Part<'_>, cascade: &mut Cascade) {
        for i in part.first..part.first + part.costs.len() {
            let cutoff = part.cutoffs[i];
            if cutoff == f64::INFINITY {
                continue;
            }
            match self.sphere.place(part.candidates.row(i)) {
                Place::Inside => cascade.push(i, part),
                Place::Outside(penalty) if penalty > cutoff => part.costs[i - part.first] = penalty,
                Place::Outside(_) | Place::Surface => {}
            }
        }
        cascade.finish(part);
    }
}
