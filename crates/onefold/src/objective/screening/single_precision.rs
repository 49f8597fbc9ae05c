//! The single-precision screen: least squares on all samples, with hidden outputs in single precision.
//!
//! Bound: that of `error_bounds.rs` for any weights,
//!
//! $$ \lVert H w - y \rVert \ge \hat r \sqrt{1 - \eta^2 / \sigma^2} - \eta \lVert \hat w \rVert, $$
//!
//! where $\hat H$ has the hidden outputs in single precision, and $\eta$ is their distance from those of the
//! full evaluation, rounding errors of all layers included. With $K$ samples and an error of at most $e_j$ in
//! each number of column $j$, $\eta^2 \le K \sum_j e_j^2$. The bound is within a thousandth of the residual
//! unless columns are so nearly collinear that output weights are in the thousands.
//!
//! $\hat r$, $\hat w$ and the trace that bounds $\sigma^{-2}$ come from an elimination in double precision.
//! It is exact for a matrix of scalar products whose entries differ from the right ones by at most $\delta$
//! times the norms of the two columns. With $B^2 = \lVert \hat H \rVert_F^2$ and
//! $A = \lVert y \rVert + B \lVert \hat w \rVert$, that changes $\hat r^2$ by at most $2 \delta A^2$ and
//! $\sigma^2$ by at most $2 \delta B^2$; both are subtracted.

use super::error_bounds::of_cost;
use super::{Batch, LARGEST_BATCH, Problem, Screen};
use crate::data::Column;
use crate::kernel::screening::single_precision::{Found, Samples, Work, solve};
use crate::kernel::{Isa, SINGLES, Shape};
use std::sync::Arc;

/// About the time that this screen takes as a fraction of a full evaluation, with a little to spare.
const PRICE: f64 = 0.5;
/// Data with larger inputs is not screened: these, or their products with tiny weights, may be out of the
/// range of single precision.
const LARGEST: f64 = 1e30;
/// Covers roundings in the bound itself.
const SPARE: f64 = 1e-3;

/// The single-precision screen, with the buffers of one worker.
#[derive(Clone, Debug)]
pub(super) struct SinglePrecision {
    setup: Arc<Setup>,
    work: Work,
}

#[derive(Debug)]
struct Setup {
    isa: Isa,
    shape: Shape,
    samples: Samples,
    rows: f64,
    /// Number of squares in the full sum.
    terms: f64,
    /// Relative error of scalar products and of their elimination, $\delta$.
    rounding: f64,
}

impl SinglePrecision {
    /// None where there are no more samples than columns, or numbers are out of range.
    pub(super) fn new(problem: Problem<'_>) -> Option<Self> {
        let Problem { isa, shape, data, .. } = problem;
        let (rows, columns) = (data.rows(), shape.columns());
        let samples = Samples::new(&data.inputs, &data.outputs);
        // What overflows or nearly vanishes, in double or in single precision, proves nothing.
        let is_usable = |square: &f64| *square == 0.0 || (1e-280..f64::MAX).contains(square);
        let is_small = |column: &Column| column.iter().all(|x| x.abs() <= LARGEST);
        if rows <= columns || !samples.squares.iter().all(is_usable) || !data.inputs.iter().all(is_small) {
            return None;
        }
        Some(Self {
            work: Work::new(shape),
            setup: Arc::new(Setup {
                isa,
                shape: shape.clone(),
                samples,
                rows: rows as f64,
                terms: problem.terms(),
                rounding: (rows + 8 * (columns + shape.outputs + 2)) as f64 * f64::EPSILON,
            }),
        })
    }
}

impl Screen for SinglePrecision {
    fn batch(&self) -> usize {
        SINGLES
    }

    fn fewest(&self) -> usize {
        SINGLES / 2
    }

    fn price(&self) -> f64 {
        PRICE
    }

    fn bounds(&mut self, batch: &Batch<'_>, bounds: &mut [f64; LARGEST_BATCH]) {
        let Setup { isa, shape, samples, .. } = &*self.setup;
        self.work.load(&batch.parameters());
        solve(*isa, shape, samples, &mut self.work);
        *bounds = std::array::from_fn(|lane| self.setup.bound(&self.work.found(lane)));
    }

    fn boxed_clone(&self) -> Box<dyn Screen> {
        Box::new(self.clone())
    }
}

impl Setup {
    fn bound(&self, found: &Found<'_>) -> f64 {
        let Found { solutions, lane, trace, error } = *found;
        let delta = self.rounding;
        // Lower bound of the squared least singular value, and upper bound of the squared error of the
        // columns.
        let least = (1.0 - SPARE) / solutions.inverse_trace[lane] - 2.0 * delta * trace;
        let error = (1.0 + SPARE) * self.rows * error;
        // A NaN proves nothing.
        if !(least > 2.0 * error && least > 2.0 * delta * trace) {
            return 0.0;
        }
        let kept = (1.0 - error / least).sqrt();
        let mut sum = 0.0;
        for (t, squares) in self.samples.squares.iter().enumerate() {
            let weights = (1.0 + SPARE) * solutions.weights[t][lane];
            let reach = squares.sqrt() + (weights * trace).sqrt();
            let left = solutions.squares[t][lane] - 2.0 * delta * reach * reach;
            let norm = left.max(0.0).sqrt() * kept - (error * weights).sqrt();
            if norm > 0.0 {
                sum += norm * norm;
            }
        }
        of_cost(sum, self.terms)
    }
}
