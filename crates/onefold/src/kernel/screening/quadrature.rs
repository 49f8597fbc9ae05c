//! How well polynomials approximate neurons with one input.
//!
//! The poles of $\tanh$ are $p = \pm \pi i / 2, \pm 3 \pi i / 2, \dots$, and $\tanh s = \sum_p 1 / (s - p)$,
//! the poles taken in pairs of opposite sign. A neuron with weight $w$ and shift $b$ is therefore a sum over
//! poles,
//!
//! $$ \tanh(w u + b) = \sum_p \frac{1}{w (u - z_p)}, \qquad z_p = \frac{p - b}{w}. $$
//!
//! On $[-1, 1]$ the coefficient of degree $j$ of the Chebyshev series of $1 / (u - z)$ has the magnitude
//! $2 q^j / |\sqrt{z^2 - 1}|$, where $q < 1$ solves $1 / q + q = |z - 1| + |z + 1|$. The series truncated
//! before degree $m$ has an error of at most the sum of the coefficients left out,
//!
//! $$ \sum_{j \ge m} \frac{2 q^j}{|\sqrt{z^2 - 1}|} = \frac{2 q^m}{|\sqrt{z^2 - 1}| (1 - q)}, $$
//!
//! and $|w| |\sqrt{z_p^2 - 1}| = \sqrt{|p - b - w| |p - b + w|} \ge |p|$. For the nearest two poles,
//! $\pm \pi i / 2$, together that is at most
//!
//! $$ \frac{8}{\pi} \frac{q^m}{1 - q}, \qquad q = \frac{|w|}{S + \sqrt{S^2 - w^2}}, \quad
//!    2 S = \sqrt{(b + w)^2 + \pi^2 / 4} + \sqrt{(b - w)^2 + \pi^2 / 4}. $$
//!
//! For the other poles $q$ is largest with $b = 0$; with $|w| \le 4$ and $m \ge 32$ they add less than 2e-14
//! in all.

use super::super::dispatch;
use super::super::lanes::{Block, Lanes};
use std::f64::consts::PI;

/// Least degree for which [`approximation_errors`] holds.
pub(crate) const LEAST_DEGREE: usize = 32;
/// Largest weight for which it proves anything.
const LARGEST_WEIGHT: f64 = 4.0;
/// Further poles, and roundings of the neurons' outputs.
const FURTHER: f64 = 1e-13;
/// Error for each unit by which a weight exceeds [`LARGEST_WEIGHT`]: too large for any bound to be positive.
const FORBIDDEN: f64 = 1e100;

dispatch! {
    /// For neurons `tanh(w x + b)` of eight candidates, with `(w, b)` in `parameters` one after the other,
    /// and `x = center + half * u`: the sum over the neurons of the squares of their largest distances on
    /// `[-1, 1]` from polynomials in `u` of a degree below `degree`.
    pub(crate) fn approximation_errors(parameters: &[Block], center: f64, half: f64, degree: usize) -> Block {
        errors_generic
    }
}

#[inline(always)]
fn errors_generic<L: Lanes>(parameters: &[Block], center: f64, half: f64, degree: usize) -> Block {
    let mut sum = L::splat(0.0);
    for neuron in parameters.chunks_exact(2) {
        let (w, b) = (L::load(&neuron[0]), L::load(&neuron[1]));
        let b = w.mul_add(L::splat(center), b);
        let w = w.mul(L::splat(half)).abs();
        let pole = L::splat(PI * PI / 4.0);
        let (above, below) = (b.add(w), b.sub(w));
        let s = above.mul_add(above, pole).sqrt().add(below.mul_add(below, pole).sqrt()).mul(L::splat(0.5));
        let q = w.div(s.add(w.neg_mul_add(w, s.mul(s)).sqrt()));
        let (mut power, mut square) = (L::splat(8.0 / PI), q);
        let mut left = degree;
        while left > 0 {
            if left % 2 == 1 {
                power = power.mul(square);
            }
            square = square.mul(square);
            left /= 2;
        }
        let excess = w.sub(w.capped(L::splat(LARGEST_WEIGHT)));
        let error = power.div(L::splat(1.0).sub(q)).add(L::splat(FURTHER));
        let error = excess.mul_add(L::splat(FORBIDDEN), error);
        sum = error.mul_add(error, sum);
    }
    let mut out = Block::ZERO;
    sum.store(&mut out);
    out
}
