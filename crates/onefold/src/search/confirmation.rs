//! When the best cost is recomputed by the most accurate method.

use super::Search;
use crate::optimizer::Best;
use std::time::{Duration, Instant};

/// Seconds of one evaluation above which the best is confirmed in advance: there would be no time for it once
/// the search is cut off.
const SLOW_EVALUATION: f64 = 0.05;
/// Maximum fraction of the time for that.
const MOST_CONFIRMING: f64 = 0.1;

impl Search<'_> {
    /// Confirms the best cost if it has reached the threshold.
    pub(super) fn confirm_threshold(&mut self) {
        let Best { x, cost } = self.optimizer.best();
        if self.verified.is_none() && self.stop.threshold.is_some_and(|threshold| cost <= threshold) {
            self.verified = Some(self.objective.confirm(x, cost));
        }
    }

    /// Confirms the best if evaluations take long, as they did in the last generation, unless confirming has
    /// taken too much of the time already.
    pub(super) fn confirm_in_advance(&mut self, generation: Duration) {
        let is_slow = generation.as_secs_f64() > SLOW_EVALUATION * self.evaluations.costs.len() as f64;
        let most = MOST_CONFIRMING * self.run_elapsed.as_secs_f64();
        if is_slow && self.verified.is_none() && self.confirming.as_secs_f64() <= most {
            let started = Instant::now();
            let Best { x, cost } = self.optimizer.best();
            self.verified = Some(self.objective.confirm(x, cost));
            self.confirming += started.elapsed();
        }
    }
}
