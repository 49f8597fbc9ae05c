//! The stopping criteria of a search.

use crate::Error;
use crate::optimizer::Termination;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Stopping criteria. The first one that is met ends the search after a complete generation, except the time,
/// which ends it at once; without any, only the observer, a cancellation or the optimiser ends it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stop {
    /// Stop when the confirmed cost is at most this; `target` in files and on the command line. Default none.
    #[serde(rename = "target", alias = "threshold")]
    pub threshold: Option<f64>,
    /// Maximum number of evaluations; slopes count as the evaluations that take equal time. Default none; at
    /// least one generation.
    pub max_evaluations: Option<u64>,
    /// Stop after this many generations, the initial population included. Default none; at least 1.
    pub max_generations: Option<u64>,
    /// Stop this many seconds after the search was started or resumed. A generation that is not complete then
    /// is discarded, unless it is the first. Default none; positive.
    pub max_seconds: Option<f64>,
    /// Stop after this many generations without improvement of the best cost. Default none; at least 1.
    pub stagnation: Option<u64>,
    /// Stop when no cost of the population exceeds the best by more than this fraction. Default none; at
    /// least 0.
    pub spread: Option<f64>,
}

impl Stop {
    /// Checks every range.
    ///
    /// # Errors
    /// Names the first criterion that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        let number = |name, value: Option<f64>, ok: fn(f64) -> bool, expected: &str| match value {
            Some(v) if !ok(v) => Err(Error::setting(name, v, expected)),
            _ => Ok(()),
        };
        let count = |name, value: Option<u64>| match value {
            Some(0) => Err(Error::setting(name, 0, "must be at least 1")),
            _ => Ok(()),
        };
        number("target", self.threshold, f64::is_finite, "must be a finite number")?;
        number("time", self.max_seconds, |v| v > 0.0 && v.is_finite(), "must be positive")?;
        number("spread", self.spread, |v| v >= 0.0 && v.is_finite(), "must be a number of at least 0")?;
        count("max_evaluations", self.max_evaluations)?;
        count("max_generations", self.max_generations)?;
        count("stagnation", self.stagnation)
    }

    /// Whether the time is over after this long.
    #[must_use]
    pub fn is_over(&self, elapsed: Duration) -> bool {
        self.max_seconds.is_some_and(|max| elapsed.as_secs_f64() >= max)
    }

    /// The first of the criteria that is met, in the order in which a [`Search`](super::Search) asks.
    #[must_use]
    pub fn reason(&self, at: &Standing<'_>) -> Option<StopReason> {
        if is_reached(self.threshold, at.cost) {
            Some(StopReason::Threshold)
        } else if self.max_evaluations.is_some_and(|max| at.evaluations_after_next > max as f64) {
            Some(StopReason::Evaluations)
        } else if self.max_generations.is_some_and(|max| at.generation >= max) {
            Some(StopReason::Generations)
        } else if self.is_over(at.elapsed) {
            Some(StopReason::Time)
        } else if self.stagnation.is_some_and(|max| at.generation - at.improved_at >= max) {
            Some(StopReason::Stagnation)
        } else if self.spread.is_some_and(|spread| has_converged(at.costs, spread)) {
            Some(StopReason::Converged)
        } else {
            None
        }
    }

    /// Whether the budget allows one generation.
    pub(crate) fn check_first_generation(&self, candidates: usize) -> Result<(), Error> {
        match self.max_evaluations {
            Some(max) if max < candidates as u64 => {
                let expected = format!("the first generation alone needs {candidates}");
                Err(Error::setting("max_evaluations", max, expected))
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn is_reached(threshold: Option<f64>, verified: Option<f64>) -> bool {
    matches!((threshold, verified), (Some(threshold), Some(cost)) if cost <= threshold)
}

/// Whether no cost exceeds the lowest by more than this fraction.
fn has_converged(costs: &[f64], spread: f64) -> bool {
    let low = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let high = costs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    high.is_finite() && high - low <= spread * low.abs()
}

/// How far a search has come after a generation, as far as [stopping criteria](Stop::reason) ask.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// Generations done, the initial population included.
    pub generation: u64,
    /// The generation in which the best cost last improved.
    pub improved_at: u64,
    /// Evaluations after another generation, with slopes counted as the evaluations that take equal time.
    pub evaluations_after_next: f64,
    /// The best cost, if it is confirmed.
    pub cost: Option<f64>,
    /// Elapsed time.
    pub elapsed: Duration,
    /// The costs of the population.
    pub costs: &'a [f64],
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The confirmed cost reached the threshold.
    #[serde(rename = "target")]
    Threshold,
    /// Another generation would exceed the evaluation budget.
    Evaluations,
    /// The generation budget is spent.
    Generations,
    /// The time limit is reached.
    Time,
    /// The best has not improved for too many generations.
    Stagnation,
    /// All individuals have nearly the same cost.
    Converged,
    /// The observer or a [`Cancellation`](crate::Cancellation) ended it.
    Observer,
    /// There was nothing to search: there are no hidden layers, or all weights descended from given ones.
    NothingToSearch,
    /// A termination criterion of the optimiser is met; files contain this criterion itself.
    #[serde(untagged)]
    Optimizer(Termination),
}
