//! Levenberg-Marquardt steps from one point down to a local minimum, inside a sphere.
//!
//! With slopes $g$ and $A$ at $x$ (see [`Slopes`]) the next point minimises the model of the cost, damped by $\mu$, among all points of
//! the sphere:
//!
//! $$ x' = \arg\min_{\lVert x' \rVert \le R} \; 2 g^\top s + s^\top (A + \mu I) s, \quad s = x' - x. $$
//!
//! Where the free minimiser lies outside, the multiplier of the constraint follows from Newton's method on the secular equation
//! (Moré and Sorensen 1983). The damping follows Nielsen (1999): by how well the model predicted the gain.

use crate::kernel::{Block, Isa, WIDTH, cholesky, solve_lower, solve_upper, stride};
use crate::request::Slopes;
use serde::{Deserialize, Serialize};

/// First damping, as a share of the largest diagonal entry of the matrix.
const FIRST_DAMPING: f64 = 1e-2;
/// The damping falls to no less than this share in one step.
const LEAST_SHRINK: f64 = 0.1;
/// Newton steps on the secular equation; what is left is removed by shortening.
const SECULAR_STEPS: usize = 4;

/// A step is not worth an evaluation when the model promises less than this share of the cost.
const LEAST_GAIN: f64 = 1e-10;

/// One descent, between its steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Descent {
    /// Where it is, and the cost there; infinite before the first evaluation.
    pub(super) x: Vec<f64>,
    pub(super) cost: f64,
    /// The point to be evaluated next.
    pub(super) trial: Vec<f64>,
    /// Steps tried.
    pub(super) steps: u32,
    /// Whether no step promises anything more.
    pub(super) is_down: bool,
    /// Slopes at `x`; empty before they are known, and while the descent rests.
    half_gradient: Vec<f64>,
    matrix: Vec<f64>,
    damping: f64,
    growth: f64,
    /// By how much the trial should lower the cost.
    predicted: f64,
}

impl Descent {
    /// A descent from `start`, whose cost is not known yet.
    pub(super) fn new(start: Vec<f64>) -> Self {
        Self {
            x: start.clone(),
            cost: f64::INFINITY,
            trial: start,
            steps: 0,
            is_down: false,
            half_gradient: Vec::new(),
            matrix: Vec::new(),
            damping: 0.0,
            growth: 2.0,
            predicted: 0.0,
        }
    }

    /// Whether slopes at its place are not known.
    pub(super) fn opens(&self) -> bool {
        self.matrix.is_empty()
    }

    /// Goes to the trial, whose slopes are not known yet.
    pub(super) fn arrive(&mut self, cost: f64) {
        self.cost = cost;
        self.x.copy_from_slice(&self.trial);
        self.steps = self.steps.saturating_add(1);
        self.rest();
    }

    /// The cost above which the trial is of no use.
    pub(super) fn cutoff(&self) -> f64 {
        if self.opens() { f64::INFINITY } else { self.cost }
    }

    /// Gives back the memory of the slopes; they are asked for once more when it goes on.
    pub(super) fn rest(&mut self) {
        self.half_gradient = Vec::new();
        self.matrix = Vec::new();
        self.trial.copy_from_slice(&self.x);
    }

    /// Whether the sizes are those of a descent in `dim` dimensions.
    pub(super) fn has_shape(&self, dim: usize) -> bool {
        let slopes = (self.half_gradient.len(), self.matrix.len());
        self.x.len() == dim && self.trial.len() == dim && (slopes == (dim, dim * dim) || slopes == (0, 0))
    }

    /// What the evaluation of the trial gave; `slopes` only count when `cost` is no more than the cutoff.
    pub(super) fn learn(&mut self, cost: f64, slopes: &mut Slopes, radius: f64, work: &mut Work) {
        let opens = self.opens();
        if opens && !cost.is_finite() {
            self.is_down = true;
            return;
        }
        if opens || cost < self.cost {
            let gain = (self.cost - cost) / self.predicted;
            self.cost = cost;
            self.x.copy_from_slice(&self.trial);
            std::mem::swap(&mut self.half_gradient, &mut slopes.half_gradient);
            std::mem::swap(&mut self.matrix, &mut slopes.matrix);
            if !opens {
                let shrink = 1.0 - (2.0 * gain - 1.0).powi(3);
                self.damping *= shrink.clamp(LEAST_SHRINK, 2.0);
                self.growth = 2.0;
            } else if self.steps == 0 {
                let dim = self.x.len();
                let largest = (0..dim).map(|i| self.matrix[i * dim + i]).fold(0.0, f64::max);
                self.damping = FIRST_DAMPING * largest;
            }
        } else {
            self.damping *= self.growth;
            self.growth *= 2.0;
        }
        self.steps = self.steps.saturating_add(u32::from(!opens));
        self.is_down = !self.propose(radius, work);
    }

    /// Sets the trial to the next point; false where there is none that promises anything.
    fn propose(&mut self, radius: f64, work: &mut Work) -> bool {
        let dim = self.x.len();
        // Towards x' itself: (A + (mu + lambda) I) x' = (A + mu I) x - g.
        let mut right = vec![0.0; dim];
        for (i, right) in right.iter_mut().enumerate() {
            *right = dot(self.row(i), &self.x) + self.damping * self.x[i] - self.half_gradient[i];
        }
        let mut lambda = 0.0;
        for step in 0..=SECULAR_STEPS {
            if !work.factorise(&self.matrix, self.damping + lambda, dim) {
                return false;
            }
            work.solve(&right, &mut self.trial);
            let length = norm(&self.trial);
            if !length.is_finite() {
                return false;
            }
            if length <= radius {
                break;
            }
            if step == SECULAR_STEPS || length <= radius * (1.0 + 1e-9) {
                let shorter = radius / length * (1.0 - 1e-12);
                self.trial.iter_mut().for_each(|v| *v *= shorter);
                break;
            }
            let lower = work.lower_length(&self.trial);
            lambda += (length / lower).powi(2) * (length - radius) / radius;
        }
        let s: Vec<f64> = self.trial.iter().zip(&self.x).map(|(t, x)| t - x).collect();
        let square: f64 = (0..dim).map(|i| s[i] * dot(self.row(i), &s)).sum();
        self.predicted = -(2.0 * dot(&self.half_gradient, &s) + square);
        self.predicted > LEAST_GAIN * self.cost
    }

    fn row(&self, i: usize) -> &[f64] {
        let dim = self.x.len();
        &self.matrix[i * dim..(i + 1) * dim]
    }
}

/// Room for the linear algebra of a step.
#[derive(Clone, Debug)]
pub(super) struct Work {
    isa: Isa,
    factor: Vec<Block>,
    vector: Vec<Block>,
}

impl Work {
    pub(super) fn new(dim: usize) -> Self {
        let blocks = stride(dim);
        let (factor, vector) = (vec![Block::ZERO; dim * blocks], vec![Block::ZERO; blocks]);
        Self { isa: Isa::detect(), factor, vector }
    }

    /// Prepares to solve with `A + shift I`; false where that is not positive definite.
    fn factorise(&mut self, matrix: &[f64], shift: f64, dim: usize) -> bool {
        let rows = matrix.chunks_exact(dim).zip(self.factor.chunks_exact_mut(stride(dim)));
        for (i, (row, to)) in rows.enumerate() {
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

/// Copies numbers into blocks, the rest zero.
fn fill(blocks: &mut [Block], values: &[f64]) {
    for (block, values) in blocks.iter_mut().zip(values.chunks(WIDTH)) {
        *block = Block::ZERO;
        block[..values.len()].copy_from_slice(values);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

#[cfg(test)]
mod tests;
