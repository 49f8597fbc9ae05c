//! Costs and slopes by tiles of rows.

use super::super::tiled::{Rows, Tiled, Wanted};
use super::{Context, NetworkCost};
use crate::request::{Evaluations, Request, Slopes};
use crate::rows::Source;

impl NetworkCost<'_> {
    /// Costs by tiles of rows, slopes where they are requested, and standard errors of costs on a sample.
    pub(super) fn evaluate_in_tiles(&mut self, request: &Request<'_>, evaluations: &mut Evaluations) {
        let Some(mut tiled) = self.tiled.take() else { return };
        // Workers need all rows in memory.
        let source = if request.halvings == 0 || !self.workers.is_empty() {
            self.all_rows()
        } else {
            if self.halvings != Some(request.halvings) {
                self.context.samples = self.columns.sample(request.halvings);
                self.halvings = Some(request.halvings);
            }
            Source::Samples(&self.context.samples)
        };
        let rows = Rows { source, pool: self.pool.as_ref() };
        evaluations.standard_errors.clear();
        let mut slopes = evaluations.slopes.iter_mut();
        for (i, cost) in evaluations.costs.iter_mut().enumerate() {
            *cost = self.context.tiled_cost(&mut tiled, rows, request, i, slopes.next());
            evaluations.standard_errors.push(tiled.standard_error(rows));
        }
        self.tiled = Some(tiled);
    }
}

impl Context {
    /// The cost of a candidate by tiles of rows, and its slopes where they are requested.
    fn tiled_cost(
        &self,
        tiled: &mut Tiled,
        rows: Rows<'_>,
        request: &Request<'_>,
        candidate: usize,
        slopes: Option<&mut Slopes>,
    ) -> f64 {
        let (theta, cutoff) = (request.candidates.row(candidate), request.cutoffs[candidate]);
        // Descents stay inside the sphere, up to rounding.
        if let (Some(above), Some(slopes)) = (request.slopes, slopes) {
            return tiled.cost(rows, theta, Some(Wanted { cutoff, above, slopes }));
        }
        let mut inside = theta.to_vec();
        match self.sphere.pull_in(theta, &mut inside) {
            Some(penalty) if penalty > cutoff => penalty,
            Some(penalty) => tiled.cost(rows, &inside, None) + penalty,
            None => tiled.cost(rows, theta, None),
        }
    }
}
