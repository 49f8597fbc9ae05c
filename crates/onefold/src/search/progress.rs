//! The progress of a search after each generation, and the report at its end.

use super::stop::is_reached;
use super::{Search, StopReason};
use crate::optimizer::{Best, Optimum, Restart};
use crate::saved::encode;
use crate::{Optimizer, Population};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The state of a search after a generation, for observers.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// Generations done; 1 after the initial population.
    pub generation: u64,
    /// Candidates evaluated so far, the initial population included.
    pub evaluations: u64,
    /// The same, with slopes counted as the evaluations that take equal time.
    pub evaluation_equivalents: f64,
    /// Elapsed time across resumes.
    pub elapsed: Duration,
    /// The same since the search was started or resumed, as [`Stop::is_over`](super::Stop::is_over) sees it
    /// after this generation.
    pub run_elapsed: Duration,
    /// The best so far.
    pub best: Best<'a>,
    /// The population.
    pub population: &'a Population,
    /// Its costs in the search, before they are multiplied by `unit`.
    pub(super) costs: &'a [f64],
    pub(super) unit: f64,
    pub(super) counters: Counters,
    pub(super) optimizer: &'a dyn Optimizer,
}

impl Progress<'_> {
    /// The costs of the population.
    pub fn costs(&self) -> impl Iterator<Item = f64> {
        self.costs.iter().map(|cost| cost * self.unit)
    }

    /// The state of the search, from which [`Search::resume`](super::Search::resume) continues to the same
    /// result as if it had never stopped.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        encode(NAME, &(self.counters, self.optimizer.save()))
    }
}

/// Identifies saved states of a search.
pub(super) const NAME: &str = "search";

/// The counters of a search.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counters {
    pub(super) generation: u64,
    pub(super) evaluations: u64,
    /// Candidates whose slopes were requested.
    pub(super) slopes: u64,
    /// Generation in which the best cost last improved.
    pub(super) improved_at: u64,
    /// Elapsed seconds across resumes.
    pub(super) seconds: f64,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The best point.
    pub best: Vec<f64>,
    /// Its cost in the search.
    pub cost: f64,
    /// Its confirmed cost, see [`Objective::confirm`](crate::Objective::confirm).
    pub verified_cost: f64,
    /// Whether there is a threshold and the verified cost is at most that.
    pub reached: bool,
    /// Candidates evaluated, the initial population included.
    pub evaluations: u64,
    /// Candidates whose slopes were computed.
    pub slopes: u64,
    /// Evaluations, with slopes counted as the evaluations that take equal time.
    pub evaluation_equivalents: f64,
    /// Generations done, the initial population included.
    pub generations: u64,
    /// Elapsed seconds across resumes.
    pub seconds: f64,
    /// Why it ended.
    pub stop: StopReason,
    /// The restarts of a method with restarts.
    pub restarts: Vec<Restart>,
    /// The distinct local optima found, up to symmetry, best first; empty for methods without local descents.
    pub optima: Vec<Optimum>,
}

impl Search<'_> {
    /// The report of a search that has ended.
    pub(super) fn report(self, stop: StopReason) -> Report {
        let Best { x, cost } = match &self.first {
            Some(first) => Best { x: &first.best, cost: first.cost },
            None => self.optimizer.best(),
        };
        let verified_cost = self.verified.unwrap_or_else(|| self.objective.confirm(x, cost));
        let mut restarts = self.optimizer.restarts().to_vec();
        restarts.iter_mut().for_each(|restart| restart.cost *= self.unit);
        let mut optima = self.optimizer.optima().to_vec();
        optima.iter_mut().for_each(|optimum| optimum.cost *= self.unit);
        let evaluations = self.first.as_ref().map_or(self.counters.evaluations, |first| first.evaluations);
        Report {
            best: x.to_vec(),
            cost: cost * self.unit,
            verified_cost: verified_cost * self.unit,
            reached: is_reached(self.stop.threshold, Some(verified_cost)),
            evaluations,
            slopes: self.counters.slopes,
            evaluation_equivalents: self.equivalents().max(evaluations as f64),
            generations: self.counters.generation,
            seconds: self.seconds(),
            stop,
            restarts,
            optima,
        }
    }

    fn seconds(&self) -> f64 {
        self.seconds_before + self.started.elapsed().as_secs_f64()
    }
}
