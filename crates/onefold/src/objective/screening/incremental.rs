//! The incremental screen: least squares in double precision on more and more of the samples.
//!
//! Bound: as for the subset screen, the least sum of squares over the samples processed so far is at most
//! that over all of them. No more samples are processed than it takes to exceed the cutoffs of all candidates
//! of the batch.
//!
//! The order of the samples decides how soon that is, and nothing else. Those come first on which candidates
//! that were evaluated in full had the largest residuals (`residuals.rs`). A first screen has only a quarter
//! of the samples, so that batches of the second, with all samples, consist of candidates that need more.
//!
//! The factorisation is exact for columns $\hat H$ at a distance $\eta$ from those of the full evaluation, so
//! both bounds of `error_bounds.rs` apply, and the larger one counts. With $K$ samples, $n$ columns, an error
//! of at most $e_j$ in each number of column $j$ (rounding, and a faster `tanh`) and relative errors $\rho$
//! of the factorisations here and in the full evaluation,
//!
//! $$ \eta \le \sqrt{K} \Bigl( \sqrt{\textstyle \sum_j e_j^2} + \sqrt{n} \, \rho \Bigr), $$
//!
//! since no hidden output is larger than 1. The targets have an error of $\rho \lVert y \rVert$, which is
//! subtracted too.

use super::error_bounds::{largest_weights, of_cost, target_norms};
use super::{Batch, LARGEST_BATCH, Problem, Screen};
use crate::kernel::screening::error_bounds::{ErrorModel, lower_bounds};
use crate::kernel::screening::incremental::{Samples, Work, solve};
use crate::kernel::{Block, Isa, Shape, WIDTH};
use std::sync::Arc;

/// About the time that this screen takes as a fraction of a full evaluation, with a little to spare, if it
/// processes as many rows as there are samples.
const PRICE: f64 = 0.6;
/// Fewer candidates than this take less time to evaluate than to screen.
pub(super) const FEWEST: usize = WIDTH / 2;
/// No more samples are processed when residuals exceed cutoffs by this fraction: then the bound nearly always
/// exceeds them too.
const MARGIN: f64 = 0.002;
/// The first screen has one sample in this many,
const FIRST: usize = 4;
/// in this many chunks, and takes as long as a full evaluation of as many samples and these, at most.
const CHUNKS_OF_FIRST: usize = 3;
const FIXED_OF_FIRST: usize = 24;

/// The incremental screen, with the buffers of one worker.
#[derive(Clone, Debug)]
pub(super) struct Incremental {
    setup: Arc<Setup>,
    rows: Arc<Rows>,
    /// The rows, or the first of them, in the order in which they are processed.
    samples: Samples,
    work: Work,
    price: f64,
}

/// All samples in their own order.
#[derive(Debug)]
struct Rows {
    /// `inputs[row * d + i]`
    inputs: Vec<f64>,
    /// `targets[row * q + output]`
    targets: Vec<f64>,
}

/// What samples, or quadrature nodes in their place, prove.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) isa: Isa,
    shape: Shape,
    model: ErrorModel,
    /// Number of squares in the full sum.
    terms: f64,
    pub(super) price: f64,
}

impl Incremental {
    /// None where there are no more samples than columns, or numbers are out of range.
    pub(super) fn new(problem: Problem<'_>) -> Option<Self> {
        Self::of_rows(problem, problem.data.rows(), None)
    }

    /// With a part of the samples; none where that part is hardly more than there are columns.
    pub(super) fn of_first(problem: Problem<'_>) -> Option<Self> {
        let rows = problem.data.rows() / FIRST;
        let chunk = rows.div_ceil(CHUNKS_OF_FIRST);
        if chunk <= problem.shape.columns() {
            return None;
        }
        let price = (rows + FIXED_OF_FIRST) as f64 / problem.data.rows() as f64;
        Some(Self { price, ..Self::of_rows(problem, rows, Some(chunk))? })
    }

    fn of_rows(problem: Problem<'_>, count: usize, chunk: Option<usize>) -> Option<Self> {
        let Problem { shape, data, .. } = problem;
        let order = scattered(data.rows());
        let rows = Rows {
            inputs: (0..data.rows()).flat_map(|row| data.input(row)).collect(),
            targets: (0..data.rows()).flat_map(|row| data.outputs.iter().map(move |c| c[row])).collect(),
        };
        let (inputs, targets) = (vec![0.0; count * shape.inputs], vec![0.0; count * shape.outputs]);
        let mut samples = Samples::new(shape, inputs, targets, Vec::new(), largest_inputs(problem));
        if let Some(chunk) = chunk {
            samples = samples.in_chunks_of(chunk);
        }
        let setup = Setup::new(problem, &samples, 0.0, vec![0.0; data.outputs.len()])?;
        let work = Work::new(shape, &samples);
        let price = setup.price;
        let mut screen = Self { setup: Arc::new(setup), rows: Arc::new(rows), samples, work, price };
        screen.reorder(&order);
        Some(screen)
    }
}

/// The largest magnitude of each input.
pub(super) fn largest_inputs(problem: Problem<'_>) -> Vec<f64> {
    problem.data.inputs.iter().map(|c| c.iter().fold(0.0, |a: f64, v| a.max(v.abs()))).collect()
}

impl Screen for Incremental {
    fn batch(&self) -> usize {
        WIDTH
    }

    fn fewest(&self) -> usize {
        FEWEST
    }

    fn price(&self) -> f64 {
        self.price
    }

    fn bounds(&mut self, batch: &Batch<'_>, bounds: &mut [f64; LARGEST_BATCH]) {
        self.work.load(&batch.parameters());
        let found = self.setup.bounds(&self.samples, &batch.cutoffs(), &Block::ZERO, &mut self.work);
        bounds[..WIDTH].copy_from_slice(&found);
    }

    fn reorder(&mut self, order: &[usize]) {
        let Rows { inputs, targets } = &*self.rows;
        let Shape { inputs: d, outputs: q, .. } = self.setup.shape;
        self.samples.replace(order.iter().map(|row| (&inputs[row * d..][..d], &targets[row * q..][..q])));
    }

    fn boxed_clone(&self) -> Box<dyn Screen> {
        Box::new(self.clone())
    }
}

impl Setup {
    /// `of_nodes` and `unexplained` are those of the [`ErrorModel`].
    pub(super) fn new(
        problem: Problem<'_>,
        samples: &Samples,
        of_nodes: f64,
        unexplained: Vec<f64>,
    ) -> Option<Self> {
        let Problem { isa, shape, data, .. } = problem;
        let (rows, columns) = (data.rows(), shape.columns());
        if rows <= columns {
            return None;
        }
        let summed = samples.chunks() * (samples.chunk() + columns) + rows / WIDTH + WIDTH;
        let model = ErrorModel {
            rows: rows as f64,
            relative: (summed * (columns + shape.outputs)) as f64 * f64::EPSILON,
            of_nodes,
            largest_weights: largest_weights(problem),
            target_norms: target_norms(problem)?,
            unexplained,
        };
        let price = PRICE * samples.rows as f64 / rows as f64;
        Some(Self { isa, shape: shape.clone(), model, terms: problem.terms(), price })
    }

    /// Lower bounds of the costs of the candidates in `work`. `errors`: for each candidate, the sum of the
    /// squares of further errors of its columns' numbers.
    pub(super) fn bounds(
        &self,
        samples: &Samples,
        cutoffs: &[f64; WIDTH],
        errors: &Block,
        work: &mut Work,
    ) -> [f64; WIDTH] {
        let unexplained: f64 = self.model.unexplained.iter().sum();
        let enough = cutoffs.map(|cutoff| (1.0 + MARGIN) * cutoff * self.terms - unexplained);
        solve(self.isa, &self.shape, samples, &Block(enough), work);
        lower_bounds(self.isa, &self.model, errors, &work.found).map(|squares| of_cost(squares, self.terms))
    }
}

/// All numbers below `count`, in an order of which every prefix is spread over all of them: multiples of a
/// number without common divisor, about the golden section, modulo `count`.
fn scattered(count: usize) -> Vec<usize> {
    let common = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = (count as f64 * 0.618_033_988_749_894_9) as usize;
    let step = (golden..=count).find(|step| common(*step, count) == 1).unwrap_or(1);
    (0..count).map(|i| i * step % count).collect()
}
