//! The subset screen: least squares on a few of the samples.
//!
//! Bound: for any weights, the sum of squared residuals over a subset is at most that over all samples, since
//! squares are not negative. So the least sum over the subset is at most the least sum over all samples, and
//! a candidate whose cutoff is below the former is rejected.
//!
//! Hidden outputs are computed as in the full evaluation. Modified Gram-Schmidt with the targets appended to
//! the columns is backward stable, and a column that keeps a share $s$ of its squared norm multiplies the
//! rounding errors of the residual by $1 / \sqrt s$ at most. The norm of the residual is therefore reduced by
//!
//! $$ \frac{64 \, \varepsilon \, n \lVert y \rVert}{\sqrt{s}}, $$
//!
//! where $\varepsilon$ is the distance from 1 to the next number, $n$ the number of columns, $y$ all targets
//! of the subset and $s$ the least share of all columns. Where several columns are nearly collinear with one
//! another, $1 / \sqrt s$ is an estimate and not proved; `examples/decisions` compares the decisions with
//! those of full evaluations, and has found none that differs.

use super::error_bounds::of_cost;
use super::{Batch, LARGEST_BATCH, Problem, Screen};
use crate::Dataset;
use crate::kernel::screening::subset::{Found, Samples, Work, solve};
use crate::kernel::{Isa, Shape, WIDTH};
use std::sync::Arc;

/// More samples than this would not stay in the cache.
const MOST_ROWS: usize = 512;

/// The subset screen, with the buffers of one worker.
#[derive(Clone, Debug)]
pub(super) struct Subset {
    setup: Arc<Setup>,
    work: Work,
}

#[derive(Debug)]
struct Setup {
    isa: Isa,
    shape: Shape,
    samples: Samples,
    /// Bound on the rounding error of the residual's norm, times the square root of the least share.
    rounding: f64,
    /// Number of squares in the full sum.
    terms: f64,
    price: f64,
}

impl Subset {
    /// Uses one sample in 48, but at least eight more than there are columns; none where that is more than a
    /// third of all samples.
    pub(super) fn new(problem: Problem<'_>) -> Option<Self> {
        let Problem { isa, shape, data, .. } = problem;
        let columns = shape.columns();
        let rows = (data.rows() / 48).max(columns + 8).min(MOST_ROWS);
        if 3 * rows > data.rows() || rows <= columns {
            return None;
        }
        let subset = data.select(&spread_out(data, rows));
        let samples = Samples {
            rows,
            inputs: (0..rows).flat_map(|row| subset.input(row)).collect(),
            targets: subset.outputs.concat(),
        };
        let norm = samples.targets.iter().map(|y| y * y).sum::<f64>().sqrt();
        Some(Self {
            work: Work::new(shape, &samples),
            setup: Arc::new(Setup {
                isa,
                shape: shape.clone(),
                samples,
                rounding: 64.0 * f64::EPSILON * columns as f64 * norm,
                terms: problem.terms(),
                price: 1.25 * rows as f64 / data.rows() as f64,
            }),
        })
    }
}

impl Screen for Subset {
    fn batch(&self) -> usize {
        WIDTH
    }

    fn fewest(&self) -> usize {
        1
    }

    fn price(&self) -> f64 {
        self.setup.price
    }

    fn bounds(&mut self, batch: &Batch<'_>, bounds: &mut [f64; LARGEST_BATCH]) {
        let Setup { isa, shape, samples, rounding, terms, .. } = &*self.setup;
        self.work.load(&batch.parameters());
        let Found { squares, least_share } = solve(*isa, shape, samples, &mut self.work);
        for lane in 0..WIDTH {
            let norm = squares[lane].sqrt() - rounding / least_share[lane].sqrt();
            // A NaN or a share of zero proves nothing.
            bounds[lane] = if norm > 0.0 { of_cost(norm * norm, *terms) } else { 0.0 };
        }
    }

    fn boxed_clone(&self) -> Box<dyn Screen> {
        Box::new(self.clone())
    }
}

/// Indices of `count` samples, each as far as possible from those before it: a subset that covers the inputs.
fn spread_out(data: &Dataset, count: usize) -> Vec<usize> {
    let distance = |a: usize, b: usize| data.inputs.iter().map(|c| (c[a] - c[b]).powi(2)).sum::<f64>();
    let mut nearest = vec![f64::INFINITY; data.rows()];
    let mut chosen = vec![0];
    while chosen.len() < count {
        let last = chosen[chosen.len() - 1];
        let mut farthest = 0;
        nearest[last] = f64::NEG_INFINITY;
        for row in 0..data.rows() {
            nearest[row] = nearest[row].min(distance(row, last));
            if nearest[row] > nearest[farthest] {
                farthest = row;
            }
        }
        chosen.push(farthest);
    }
    chosen
}
