//! All weights of a classification's network, trained for the least cross-entropy.

use super::Training;
use super::stored::Stored;
use crate::cancellation::is_cut_off;
use crate::objective::CrossEntropy;
use crate::optimizer::{Descent as _, Lbfgs};
use crate::request::Slopes;
use crate::{Cancellation, Error, StopReason};
use std::time::Instant;

/// Evaluations after which the training of a model ends.
const MOST_EVALUATIONS: u64 = 2000;
/// A descent ends when this many steps have decreased the cost by less than this fraction of it.
const SLOW_STEPS: u64 = 20;
const LEAST_DECREASE: f64 = 1e-4;

/// The descent of all weights on the cross-entropy, after the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossEntropyDescent {
    /// The mean cross-entropy of the training rows with the L2 penalty, at the end.
    pub cost: f64,
    /// Evaluations, each with the gradient. They are not part of the [`Report`](crate::Report).
    pub evaluations: u64,
}

/// What a descent led to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Descended {
    pub(crate) point: Vec<f64>,
    /// The cost of the point; infinite if it was cancelled before the first evaluation.
    pub(crate) cost: f64,
    /// Evaluations of the cost with its gradient.
    pub(crate) evaluations: u64,
    /// Why it ended before the minimum, if it did.
    pub(crate) cut_short: Option<StopReason>,
}

/// Descends from a point by limited-memory BFGS, with at most so many evaluations. It ends where the cost
/// hardly decreases, and what was reached so far counts where it is cancelled.
pub(crate) fn descend(
    cost: &mut CrossEntropy<'_>,
    start: Vec<f64>,
    most_evaluations: u64,
    cancellation: &Cancellation,
) -> Descended {
    let _scope = cancellation.enter();
    let (mut descent, mut slopes) = (Lbfgs::new(start), Slopes::default());
    let (mut evaluations, mut before) = (0, f64::INFINITY);
    let mut cut_short = None;
    while !descent.position().has_converged && cut_short.is_none() {
        let found = cost.cost(&descent.position().trial, &mut slopes);
        if is_cut_off() || cancellation.is_cancelled() {
            cut_short = Some(StopReason::Observer);
            break;
        }
        evaluations += 1;
        descent.learn(found, &mut slopes, f64::INFINITY, &mut ());
        if evaluations % SLOW_STEPS == 0 {
            let now = descent.position().cost;
            if before - now < LEAST_DECREASE * now.abs() {
                break;
            }
            before = now;
        }
        if evaluations >= most_evaluations {
            cut_short = Some(StopReason::Evaluations);
        }
    }
    let at = descent.position();
    Descended { point: at.x.clone(), cost: at.cost, evaluations, cut_short }
}

impl Training<'_> {
    /// Trains all weights for the least cross-entropy, from those of a logistic output layer on. Where it is
    /// cut short, the weights so far are kept, and the reason is returned, too; `started` is when the run
    /// was.
    pub(super) fn descend_on_cross_entropy(
        &self,
        stored: &mut Stored,
        started: Instant,
    ) -> Result<(CrossEntropyDescent, Option<StopReason>), Error> {
        let settings = self.settings;
        let (train, bias, pool) = (&self.data.train, settings.cost.output_bias, self.cost.cost.pool());
        let mut cost = CrossEntropy::new(train, &stored.scaler, &settings.topology, bias, pool)?;
        cost.penalty = settings.logistic_penalty();
        let start = CrossEntropy::point(&stored.hidden, &stored.readout);
        let limit = settings.stop.max_seconds.and_then(|seconds| {
            let limit = std::time::Duration::try_from_secs_f64(seconds).ok()?;
            started.checked_add(limit)
        });
        let cancellation =
            limit.map_or_else(|| self.cancellation.clone(), |limit| self.cancellation.until(limit));
        let descended = descend(&mut cost, start, MOST_EVALUATIONS, &cancellation);
        (stored.hidden, stored.readout) = cost.network(&descended.point);
        let reason = if self.cancellation.is_requested() { StopReason::Observer } else { StopReason::Time };
        let is_cancelled = descended.cut_short == Some(StopReason::Observer);
        let Descended { cost, evaluations, .. } = descended;
        Ok((CrossEntropyDescent { cost, evaluations }, is_cancelled.then_some(reason)))
    }
}

#[cfg(test)]
mod tests;
