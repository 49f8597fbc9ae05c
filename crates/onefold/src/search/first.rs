//! What is left of a search that was cut off in its first generation.

use super::Search;
use crate::{Evaluations, Population};

/// The best of the candidates that were evaluated before the first generation was cut off.
pub(super) struct FirstGeneration {
    pub(super) best: Vec<f64>,
    pub(super) cost: f64,
    pub(super) evaluations: u64,
}

impl Search<'_> {
    /// The best of the candidates of a first generation that were evaluated before it was cut off.
    pub(super) fn keep_first_generation(&mut self) {
        let costs = &self.evaluations.costs;
        let is_known = |i: &usize| costs[*i] < f64::INFINITY;
        let known = (0..costs.len()).filter(is_known);
        let evaluations = known.clone().count() as u64;
        if let Some(best) = known.min_by(|a, b| costs[*a].total_cmp(&costs[*b])) {
            let best_row = self.optimizer.ask().candidates.row(best).to_vec();
            self.first = Some(FirstGeneration { best: best_row, cost: costs[best], evaluations });
        }
    }

    /// Evaluates the first candidate alone, after a search that was cut off before it had evaluated any.
    pub(super) fn evaluate_one(&mut self) {
        let best = self.optimizer.ask().candidates.row(0).to_vec();
        let mut alone = Population::new(1, best.len());
        alone.row_mut(0).copy_from_slice(&best);
        let mut evaluations = Evaluations::from(self.objective.costs(&alone));
        evaluations.sanitise();
        self.first = Some(FirstGeneration { best, cost: evaluations.costs[0], evaluations: 1 });
    }
}
