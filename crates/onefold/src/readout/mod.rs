//! The linear output layer, solved by least squares.
//!
//! Given the outputs $H$ of the last hidden layer over all samples and the targets $Y$, the output weights
//! minimise $\lVert Y - H W \rVert^2$. Hidden outputs are often nearly collinear (behind a bottleneck of one
//! neuron all columns are functions of one number), so the rank is part of the problem's definition. Columns
//! are taken one by one, each time the one that keeps the largest share of its squared norm after projecting
//! out those already taken; once no share exceeds the tolerance, the other columns are dropped and get weight
//! zero. Dropping columns can only increase the cost.

mod logistic;

pub(crate) use logistic::{Logistic, PRECISE, Regression, SeenRows};

use crate::Error;
use crate::kernel::{Block, Factor, GUARD, Isa, Normal, WIDTH, factorise, gram, residual, solve_normal};

/// Smallest allowed rank tolerance: below it the factorisation would take rounding noise for directions.
pub const MIN_RANK_TOLERANCE: f64 = 1e-26;

/// Rank tolerance unless set otherwise.
///
/// With a large tolerance the cost is discontinuous where the rank changes, and runs can get stuck there;
/// with a small one output weights grow until rounding errors of the hidden outputs are visible in the cost.
/// At 1e-13 no run of sinc2d got stuck, and the search's cost agreed with a plain forward pass to 1e-8 in
/// every run of sinc (see PAPER.md).
pub const DEFAULT_RANK_TOLERANCE: f64 = 1e-13;

/// The least-squares problem of one worker, with its buffers.
#[derive(Clone, Debug)]
pub(crate) struct Readout {
    isa: Isa,
    tolerance: f64,
    blocks: usize,
    columns: usize,
    targets: usize,
    /// Columns, then targets; overwritten by the factorisation.
    matrix: Vec<Block>,
    factor: Factor,
    normal: Normal,
    /// The least share, if normal equations were used last time.
    well_conditioned: Option<f64>,
}

/// Output weights and how they were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Solution {
    /// One row for each output.
    pub(crate) weights: Vec<Vec<f64>>,
    /// Number of columns kept.
    pub(crate) rank: usize,
    /// Smallest share of its squared norm that a kept column had left.
    pub(crate) least_share: f64,
}

pub(crate) fn check_tolerance(tolerance: f64) -> Result<(), Error> {
    if (MIN_RANK_TOLERANCE..1.0).contains(&tolerance) {
        return Ok(());
    }
    Err(Error::setting(
        "rank_tolerance",
        tolerance,
        format!("must be at least {MIN_RANK_TOLERANCE:e} and below 1"),
    ))
}

impl Readout {
    pub(crate) fn new(isa: Isa, tolerance: f64, blocks: usize, columns: usize, targets: usize) -> Self {
        let matrix = vec![Block::ZERO; (columns + targets) * blocks];
        Self {
            isa,
            tolerance,
            blocks,
            columns,
            targets,
            matrix,
            factor: Factor::new(columns, targets),
            normal: Normal::new(columns, targets),
            well_conditioned: None,
        }
    }

    /// The columns and the targets, to be filled before [`residual`](Self::residual).
    pub(crate) fn fill(&mut self) -> (&mut [Block], &mut [Block]) {
        self.matrix.split_at_mut(self.columns * self.blocks)
    }

    /// Sum of squared residuals over samples and outputs; infinity where a column is not finite.
    pub(crate) fn residual(&mut self) -> f64 {
        let Self { isa, matrix, blocks, columns, normal, .. } = self;
        self.well_conditioned = None;
        // With more columns than samples some are linearly dependent.
        if *columns <= *blocks * WIDTH {
            gram(*isa, matrix, *blocks, &mut normal.products);
            // Well above the tolerance, so that rounding in the scalar products cannot change the rank.
            self.well_conditioned = solve_normal(*isa, normal, GUARD.max(10.0 * self.tolerance));
        }
        if self.well_conditioned.is_some() {
            return residual(*isa, matrix, *blocks, *columns, &normal.weights);
        }
        factorise(*isa, matrix, *blocks, self.tolerance, &mut self.factor)
    }

    /// Squared residuals of the last [`residual`](Self::residual), for each sample the sum over the outputs.
    pub(crate) fn squared_residuals(&self, squares: &mut [f64]) {
        squares.fill(0.0);
        let (columns, targets) = self.matrix.split_at(self.columns * self.blocks);
        for (t, target) in targets.chunks_exact(self.blocks).enumerate() {
            for (b, (block, squares)) in target.iter().zip(squares.chunks_mut(WIDTH)).enumerate() {
                let mut rest = **block;
                // The factorisation has left the residuals in place of the targets.
                if self.well_conditioned.is_some() {
                    let weights = &self.normal.weights[t * self.columns..][..self.columns];
                    for (w, column) in weights.iter().zip(columns.chunks_exact(self.blocks)) {
                        rest.iter_mut().zip(*column[b]).for_each(|(rest, v)| *rest -= w * v);
                    }
                }
                squares.iter_mut().zip(rest).for_each(|(square, rest)| *square += rest * rest);
            }
        }
    }

    /// The weights that belong to the last [`residual`](Self::residual): by normal equations, or by
    /// back-substitution in the order of elimination.
    pub(crate) fn solve(&self) -> Solution {
        if let Some(least_share) = self.well_conditioned {
            let weights = self.normal.weights.chunks_exact(self.columns).map(<[f64]>::to_vec).collect();
            return Solution { weights, rank: self.columns, least_share };
        }
        Solution {
            weights: (0..self.targets).map(|target| self.factor.weights(target)).collect(),
            rank: self.factor.rank,
            least_share: self.factor.least_share,
        }
    }
}

#[cfg(test)]
mod tests;
