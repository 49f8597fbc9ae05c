//! Costs of a generation: early rejection, then full evaluations, on one thread or several.

use super::super::screening::Part;
use super::sphere::Place;
use super::{Context, Worker};
use crate::Population;
use crate::cancellation::{Cancellation, is_cut_off, poll};
use crate::request::{Request, Slopes};

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
        let cancellation = Cancellation::current();
        rayon::join(
            || self.costs_in_parallel(candidates, cutoffs, first, costs, workers),
            || {
                // Another thread, perhaps.
                let _scope = cancellation.enter();
                self.costs_in_parallel(candidates, cutoffs, first + middle, other_costs, other_workers);
            },
        );
    }

    /// Costs of a part of the candidates: lower bounds for those that are rejected early, full evaluations
    /// for the others. If it is cut off, costs that are not known are NaN.
    pub(super) fn costs(&self, mut part: Part<'_>, worker: &mut Worker) {
        let Worker { cascade, full } = worker;
        part.costs.fill(f64::NAN);
        for i in part.first..part.first + part.costs.len() {
            if poll(self.work) {
                break;
            }
            let theta = part.candidates.row(i);
            let cutoff = if self.settings.early_rejection { part.cutoffs[i] } else { f64::INFINITY };
            let cost = &mut part.costs[i - part.first];
            match self.sphere.place(theta) {
                Place::Inside => {
                    *cost = PENDING;
                    if cutoff < f64::INFINITY {
                        cascade.push(i, &mut part);
                    }
                }
                // Screens know nothing of the sphere, so they get only candidates inside.
                Place::Outside(penalty) if penalty > cutoff => *cost = penalty,
                Place::Outside(_) | Place::Surface => {
                    let computed = full.cost(self, theta, cutoff);
                    if !is_cut_off() {
                        *cost = computed;
                    }
                }
            }
        }
        if is_cut_off() {
            cascade.clear();
        } else {
            cascade.finish(&mut part);
        }
        for (i, cost) in (part.first..).zip(part.costs).filter(|(_, cost)| **cost == PENDING) {
            *cost = unless_cut_off(self.work, || full.error(self, part.candidates.row(i)));
            if self.settings.decay == 0.0 && !is_cut_off() {
                cascade.learn(|squares| full.readout.squared_residuals(squares));
            }
        }
    }

    /// Costs of all candidates, and slopes of those for which they are requested. If it is cut off, costs
    /// that are not known are NaN.
    pub(super) fn costs_with_slopes(
        &self,
        request: &Request<'_>,
        costs: &mut [f64],
        slopes: &mut [Slopes],
        worker: &mut Worker,
    ) {
        for (i, (cost, slopes)) in costs.iter_mut().zip(slopes).enumerate() {
            let compute = || worker.full.cost_with_slopes(self, request, i, slopes);
            *cost = unless_cut_off(self.work, compute);
        }
    }
}

/// A cost, or NaN if its computation is cut off.
fn unless_cut_off(work: usize, compute: impl FnOnce() -> f64) -> f64 {
    if is_cut_off() {
        return f64::NAN;
    }
    let cost = compute();
    if poll(work) { f64::NAN } else { cost }
}

/// Stands for the cost of a candidate inside the sphere that is not known yet. No cost is negative.
const PENDING: f64 = f64::NEG_INFINITY;
