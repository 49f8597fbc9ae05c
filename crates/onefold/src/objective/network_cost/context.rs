//! What the evaluation of a candidate needs: the problem, which all threads share, and the buffers of each.

use super::super::cost_settings::CostSettings;
use super::super::gauss_newton::GaussNewton;
use super::super::screening::{Cascade, Problem};
use super::super::tiled::Tiled;
use super::full::FullEvaluation;
use super::sphere::Sphere;
use crate::error::check_size;
use crate::kernel::Isa;
use crate::network::shape;
use crate::rows::Samples;
use crate::{Dataset, Derivatives, Error, Topology};

/// What all workers read.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) isa: Isa,
    pub(super) topology: Topology,
    /// The rows in memory: all of a small table, a random sample of a large one, or none.
    pub(super) samples: Samples,
    pub(super) sphere: Sphere,
    pub(super) settings: CostSettings,
    /// Number of squared errors that the mean over all rows is over.
    pub(super) terms: f64,
    /// Multiplications of a full evaluation, for [`poll`](crate::cancellation::poll).
    pub(super) work: usize,
}

/// What one thread needs for itself.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    pub(super) cascade: Cascade,
    pub(super) full: FullEvaluation,
}

/// Multiplications of a full evaluation, roughly.
pub(super) fn work(topology: &Topology, rows: usize) -> usize {
    let columns = topology.readout_columns() + topology.outputs();
    let of_row = topology.dim().saturating_add(columns.saturating_mul(columns));
    rows.saturating_mul(of_row) / 4
}

pub(super) fn check_memory(context: &Context, rows: usize, threads: usize) -> Result<(), Error> {
    let topology = &context.topology;
    let what = || format!("a network {topology} on {rows} rows with {threads} threads");
    let advice = "use fewer neurons, rows or threads";
    let total = context.total_columns();
    check_size(&[threads, total, 2 * total], what, advice)?;
    check_size(&[threads, context.resident_bytes(rows).div_ceil(8)], what, advice)
}

impl Worker {
    pub(super) fn new(context: &Context, data: &Dataset) -> Result<Self, Error> {
        let Context { isa, topology, settings, .. } = context;
        // Screens do not know of a linear part or of weights, and without hidden layers there is nothing to
        // reject.
        let has_screens = topology.dim() > 0 && !topology.has_linear_part() && data.weights.is_none();
        let cascade = if settings.early_rejection && has_screens {
            let shape = shape(topology, settings.output_bias);
            // With a decay, weights are limited by that, not by rank.
            let tolerance = if settings.decay > 0.0 { 0.0 } else { settings.rank_tolerance };
            Cascade::new(Problem { isa: *isa, shape: &shape, data, tolerance })
        } else {
            Cascade::none()
        };
        let gauss_newton = (settings.decay > 0.0).then(|| context.gauss_newton()).transpose()?;
        Ok(Self { cascade, full: FullEvaluation::new(context, gauss_newton) })
    }
}

impl Context {
    /// Columns of the least-squares problem of the output layer.
    pub(super) fn total_columns(&self) -> usize {
        let topology = &self.topology;
        topology.readout_columns() + usize::from(self.settings.output_bias) + topology.outputs()
    }

    /// Bytes of the hidden outputs of so many rows, for one thread.
    pub(super) fn resident_bytes(&self, rows: usize) -> usize {
        let widest = self.topology.hidden().iter().max().copied().unwrap_or(0);
        (rows + 8).saturating_mul(8 * (self.total_columns() + 2 * widest))
    }

    pub(super) fn tiled(&self, derivatives: Derivatives, threads: usize) -> Result<Tiled, Error> {
        let CostSettings { output_bias, decay, .. } = self.settings;
        Tiled::new(self.isa, &self.topology, output_bias, decay, derivatives, threads)
    }

    pub(super) fn gauss_newton(&self) -> Result<GaussNewton, Error> {
        let CostSettings { output_bias, decay, .. } = self.settings;
        GaussNewton::new(self.isa, &self.topology, &self.samples, output_bias, decay)
    }
}
