//! The full evaluation of a candidate.

use super::super::gauss_newton::GaussNewton;
use super::Context;
use crate::network::Forward;
use crate::readout::Readout;
use crate::request::{Request, Slopes};
use crate::rows::weigh;

/// One worker's buffers for full evaluations.
#[derive(Clone, Debug)]
pub(super) struct FullEvaluation {
    forward: Forward,
    pub(super) readout: Readout,
    /// Parameters of a candidate that was outside of the sphere.
    pulled_in: Vec<f64>,
    /// Made when slopes are first asked for, or at once where it computes all costs: with a decay.
    pub(super) gauss_newton: Option<GaussNewton>,
}

impl FullEvaluation {
    pub(super) fn new(context: &Context, gauss_newton: Option<GaussNewton>) -> Self {
        let Context { isa, topology, samples, settings, .. } = context;
        let columns = topology.readout_columns() + usize::from(settings.output_bias);
        let tolerance = settings.rank_tolerance;
        Self {
            forward: Forward::new(topology, samples.blocks),
            readout: Readout::new(*isa, tolerance, samples.blocks, columns, topology.outputs()),
            pulled_in: vec![0.0; topology.dim()],
            gauss_newton,
        }
    }

    /// The cost, penalty included; if that alone is above the cutoff, the penalty.
    pub(super) fn cost(&mut self, context: &Context, theta: &[f64], cutoff: f64) -> f64 {
        let mut inside = std::mem::take(&mut self.pulled_in);
        let cost = match context.sphere.pull_in(theta, &mut inside) {
            None => self.error(context, theta),
            Some(penalty) if penalty > cutoff => penalty,
            Some(penalty) => self.error(context, &inside) + penalty,
        };
        self.pulled_in = inside;
        cost
    }

    /// The mean squared error, with the penalty for squares of weights if there is a decay.
    pub(super) fn error(&mut self, context: &Context, hidden: &[f64]) -> f64 {
        match &mut self.gauss_newton {
            Some(gauss_newton) if context.settings.decay > 0.0 => {
                gauss_newton.cost(&context.topology, hidden)
            }
            _ => self.squared_error(context, hidden) / context.terms,
        }
    }

    /// The sum of squared errors over samples and outputs.
    pub(super) fn squared_error(&mut self, context: &Context, hidden: &[f64]) -> f64 {
        self.fill_columns(context, hidden);
        self.readout.residual()
    }

    /// Sets up the least-squares problem of these parameters.
    pub(super) fn fill_columns(&mut self, context: &Context, hidden: &[f64]) {
        let Context { isa, topology, samples, settings, .. } = context;
        let (columns, targets) = self.readout.fill();
        let (columns, bias) = columns.split_at_mut(topology.readout_columns() * samples.blocks);
        self.forward.run(*isa, topology, hidden, samples, columns);
        if settings.output_bias {
            samples.ones(bias);
        }
        targets.copy_from_slice(&samples.targets);
        [columns, bias, targets].into_iter().for_each(|part| weigh(&samples.roots, part));
    }

    /// The cost of a candidate inside the sphere, and its slopes where they are requested.
    pub(super) fn cost_with_slopes(
        &mut self,
        context: &Context,
        request: &Request<'_>,
        candidate: usize,
        slopes: &mut Slopes,
    ) -> f64 {
        let Some(gauss_newton) = &mut self.gauss_newton else { return f64::INFINITY };
        let theta = request.candidates.row(candidate);
        let cost = gauss_newton.cost(&context.topology, theta);
        if request.wants_slopes(candidate, cost) {
            gauss_newton.slopes(&context.topology, theta, slopes);
        }
        cost
    }
}
