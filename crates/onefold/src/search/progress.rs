//! What is seen of a search: its progress after each generation, and a report at its end.

use super::StopReason;
use crate::optimizer::{Best, Optimum, Restart};
use crate::saved::encode;
use crate::{Optimizer, Population};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What an observer sees after each generation.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// Generations done; 1 after the initial population.
    pub generation: u64,
    /// Candidates evaluated so far, the initial population included.
    pub evaluations: u64,
    /// The same, with slopes counted as the evaluations that take as long.
    pub evaluation_equivalents: f64,
    /// Elapsed time across resumes.
    pub elapsed: Duration,
    /// The same since the search was started or resumed, as [`Stop::is_over`](super::Stop::is_over) sees it after this
    /// generation.
    pub run_elapsed: Duration,
    /// The best so far.
    pub best: Best<'a>,
    /// The population.
    pub population: &'a Population,
    /// Its costs as the optimiser knows them, before they are multiplied by the unit.
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

    /// The state of the search, from which [`Search::resume`](super::Search::resume) continues to the same result as if it had never stopped.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        encode(NAME, &(self.counters, self.optimizer.save()))
    }
}

/// How saved states are told apart.
pub(super) const NAME: &str = "search";

/// What a search counts.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counters {
    pub(super) generation: u64,
    pub(super) evaluations: u64,
    /// Candidates whose slopes were asked for.
    pub(super) slopes: u64,
    /// Generation in which the best cost last improved.
    pub(super) improved_at: u64,
    /// Elapsed seconds across resumes.
    pub(super) seconds: f64,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The best point.
    pub best: Vec<f64>,
    /// Its cost as the search saw it.
    pub cost: f64,
    /// Its cost by the objective's most trustworthy computation.
    pub verified_cost: f64,
    /// Whether there is a threshold and the verified cost is at most that.
    pub reached: bool,
    /// Candidates evaluated, the initial population included.
    pub evaluations: u64,
    /// Candidates whose slopes were computed.
    pub slopes: u64,
    /// Evaluations, with slopes counted as the evaluations that take as long.
    pub evaluation_equivalents: f64,
    /// Generations done, the initial population included.
    pub generations: u64,
    /// Elapsed seconds across resumes.
    pub seconds: f64,
    /// Why it ended.
    pub stop: StopReason,
    /// The runs that ended before that and were followed by another one.
    pub restarts: Vec<Restart>,
    /// The distinct local optima that were found, up to symmetry, best first; none where the method does not look
    /// for them.
    pub optima: Vec<Optimum>,
}
