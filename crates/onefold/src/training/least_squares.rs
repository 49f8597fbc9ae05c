//! The training of a network without hidden layers, or from given hidden parameters: nothing is searched.

use super::Training;
use crate::{Error, Report, StopReason};
use std::time::Instant;

impl Training<'_> {
    /// The report of the one network that there is.
    pub(super) fn least_squares(&mut self) -> Result<Report, Error> {
        if self.saved.is_some() {
            let reason = "there is nothing to search or to resume: the network has no hidden layers, or they are given";
            return Err(Error::State(reason.into()));
        }
        let started = Instant::now();
        let best = self.given.clone().unwrap_or_default();
        let solved = self.cost.cost.solve(&best);
        let cost = (solved.mse + solved.penalty) * self.cost.unit();
        Ok(Report {
            best,
            cost,
            verified_cost: cost,
            // Told by the stored model, as after a search.
            reached: false,
            evaluations: 1,
            slopes: 0,
            evaluation_equivalents: 1.0,
            generations: 1,
            seconds: started.elapsed().as_secs_f64(),
            stop: StopReason::NothingToSearch,
            restarts: Vec::new(),
            optima: Vec::new(),
        })
    }
}
