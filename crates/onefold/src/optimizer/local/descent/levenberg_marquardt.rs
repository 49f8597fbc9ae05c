//! Levenberg-Marquardt descents.
//!
//! With half of the gradient $g$ and the Gauss-Newton matrix $A$ at $x$ (see [`Slopes`]), the next point
//! minimises the quadratic model of the cost, damped by $\mu$, among all points of the sphere:
//!
//! $$ x' = \arg\min_{\lVert x' \rVert \le R} \; 2 g^\top s + s^\top (A + \mu I) s, \quad s = x' - x. $$
//!
//! If the unconstrained minimiser is outside, the Lagrange multiplier of the constraint is computed by
//! Newton's method on the secular equation (Moré and Sorensen 1983). The damping is updated as by Nielsen
//! (1999), from the ratio of actual to predicted decrease.

use super::{Descent, Position, dot, norm};
use crate::cancellation::poll;
use crate::kernel::{Block, Isa, WIDTH, cholesky, solve_lower, solve_upper, stride};
use crate::request::{Derivatives, Slopes};
use serde::{Deserialize, Serialize};

/// Initial damping, as a fraction of the largest diagonal entry of the matrix.
const FIRST_DAMPING: f64 = 1e-2;
/// Minimum factor by which the damping shrinks in one step.
const LEAST_SHRINK: f64 = 0.1;
/// Newton steps on the secular equation; a remaining excess of the radius is removed by scaling.
const SECULAR_STEPS: usize = 4;

/// A descent has converged when the predicted decrease is at most this fraction of the cost.
const LEAST_GAIN: f64 = 1e-10;

/// A descent by Levenberg-Marquardt steps, which need the Gauss-Newton matrix: few steps, each of which takes
/// time in proportion to the square of the dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevenbergMarquardt {
    at: Position,
    /// Slopes at `x`; empty before they are known, and while the descent is paused.
    half_gradient: Vec<f64>,
    matrix: Vec<f64>,
    damping: f64,
    growth: f64,
    /// Predicted decrease of the cost at `trial`.
    predicted: f64,
}

impl Descent for LevenbergMarquardt {
    const NAME: &'static str = "local-search";
    const DERIVATIVES: Derivatives = Derivatives::Matrix;
    const SLOW_STEPS: u32 = 3;
    type Work = Work;

    fn work(dim: usize) -> Work {
        Work::new(dim)
    }

    fn numbers_per_dimension(dim: usize) -> usize {
        4 * dim
    }

    fn new(start: Vec<f64>) -> Self {
        Self {
            at: Position::new(start),
            half_gradient: Vec::new(),
            matrix: Vec::new(),
            damping: 0.0,
            growth: 2.0,
            predicted: 0.0,
        }
    }

    fn position(&self) -> &Position {
        &self.at
    }

    fn position_mut(&mut self) -> &mut Position {
        &mut self.at
    }

    fn needs_slopes(&self) -> bool {
        self.matrix.is_empty()
    }

    fn discard_slopes(&mut self) {
        self.half_gradient = Vec::new();
        self.matrix = Vec::new();
        self.at.trial.copy_from_slice(&self.at.x);
    }

    fn has_shape(&self, dim: usize) -> bool {
        let slopes = (self.half_gradient.len(), self.matrix.len());
        self.at.has_shape(dim) && (slopes == (dim, dim * dim) || slopes == (0, 0))
    }

    fn learn(&mut self, cost: f64, slopes: &mut Slopes, radius: f64, work: &mut Work) {
        let needed_slopes = self.needs_slopes();
        if needed_slopes && !cost.is_finite() {
            self.at.has_converged = true;
            return;
        }
        if needed_slopes || cost < self.at.cost {
            let gain_ratio = (self.at.cost - cost) / self.predicted;
            self.at.cost = cost;
            self.at.x.copy_from_slice(&self.at.trial);
            std::mem::swap(&mut self.half_gradient, &mut slopes.half_gradient);
            std::mem::swap(&mut self.matrix, &mut slopes.matrix);
            if !needed_slopes {
                let shrink = 1.0 - (2.0 * gain_ratio - 1.0).powi(3);
                self.damping *= shrink.clamp(LEAST_SHRINK, 2.0);
                self.growth = 2.0;
            } else if self.at.steps == 0 {
                let dim = self.at.x.len();
                let largest = (0..dim).map(|i| self.matrix[i * dim + i]).fold(0.0, f64::max);
                self.damping = FIRST_DAMPING * largest;
            }
        } else {
            self.damping *= self.growth;
            self.growth *= 2.0;
        }
        self.at.steps = self.at.steps.saturating_add(u32::from(!needed_slopes));
        self.at.has_converged = !self.propose(radius, work);
    }
}

impl LevenbergMarquardt {
    /// Computes the next `trial`; false if its predicted decrease is too small or the linear system cannot be
    /// solved.
    fn propose(&mut self, radius: f64, work: &mut Work) -> bool {
        let dim = self.at.x.len();
        // Solves for x' instead of the step: (A + (mu + lambda) I) x' = (A + mu I) x - g.
        let mut right = vec![0.0; dim];
        for (i, right) in right.iter_mut().enumerate() {
            *right = dot(self.row(i), &self.at.x) + self.damping * self.at.x[i] - self.half_gradient[i];
        }
        let mut lambda = 0.0;
        for step in 0..=SECULAR_STEPS {
            if !work.factorise(&self.matrix, self.damping + lambda, dim) {
                return false;
            }
            work.solve(&right, &mut self.at.trial);
            let length = norm(&self.at.trial);
            if !length.is_finite() {
                return false;
            }
            if length <= radius {
                break;
            }
            if step == SECULAR_STEPS || length <= radius * (1.0 + 1e-9) {
                let shorter = radius / length * (1.0 - 1e-12);
                self.at.trial.iter_mut().for_each(|v| *v *= shorter);
                break;
            }
            let lower = work.lower_length(&self.at.trial);
            lambda += (length / lower).powi(2) * (length - radius) / radius;
        }
        let s: Vec<f64> = self.at.trial.iter().zip(&self.at.x).map(|(t, x)| t - x).collect();
        let square: f64 = (0..dim).map(|i| s[i] * dot(self.row(i), &s)).sum();
        self.predicted = -(2.0 * dot(&self.half_gradient, &s) + square);
        self.predicted > LEAST_GAIN * self.at.cost
    }

    fn row(&self, i: usize) -> &[f64] {
        let dim = self.at.x.len();
        &self.matrix[i * dim..(i + 1) * dim]
    }
}

/// Workspace for the linear algebra of a step.
#[derive(Clone, Debug)]
pub struct Work {
    isa: Isa,
    factor: Vec<Block>,
    vector: Vec<Block>,
}

impl Work {
    fn new(dim: usize) -> Self {
        let blocks = stride(dim);
        let (factor, vector) = (vec![Block::ZERO; dim * blocks], vec![Block::ZERO; blocks]);
        Self { isa: Isa::detect(), factor, vector }
    }

    /// Cholesky factorisation of `A + shift I`; false if that is not positive definite.
    fn factorise(&mut self, matrix: &[f64], shift: f64, dim: usize) -> bool {
        let rows = matrix.chunks_exact(dim).zip(self.factor.chunks_exact_mut(stride(dim)));
        for (i, (row, to)) in rows.enumerate() {
            if poll(dim) {
                return false;
            }
            fill(to, row);
            to[i / WIDTH][i % WIDTH] += shift;
        }
        cholesky(self.isa, &mut self.factor, dim)
    }

    fn solve(&mut self, right: &[f64], x: &mut [f64]) {
        fill(&mut self.vector, right);
        solve_lower(self.isa, &self.factor, x.len(), &mut self.vector);
        solve_upper(self.isa, &self.factor, x.len(), &mut self.vector);
        x.iter_mut().zip(self.vector.iter().flat_map(|block| block.iter())).for_each(|(x, v)| *x = *v);
    }

    /// The length of `U^-T x`.
    fn lower_length(&mut self, x: &[f64]) -> f64 {
        fill(&mut self.vector, x);
        solve_lower(self.isa, &self.factor, x.len(), &mut self.vector);
        let numbers = self.vector.iter().flat_map(|block| block.iter());
        numbers.take(x.len()).map(|v| v * v).sum::<f64>().sqrt()
    }
}

/// Copies numbers into blocks, padded with zeros.
fn fill(blocks: &mut [Block], values: &[f64]) {
    for (block, values) in blocks.iter_mut().zip(values.chunks(WIDTH)) {
        *block = Block::ZERO;
        block[..values.len()].copy_from_slice(values);
    }
}
