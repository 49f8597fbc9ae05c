//! What the bounds of several screens have in common: how rounding errors propagate through the layers, and
//! lower bounds from least-squares problems whose columns have errors (derived in
//! `objective/screening/error_bounds.rs`).

use super::super::dispatch;
use super::super::lanes::{Block, Lanes};
use super::super::shape::Shape;
pub(crate) use super::triangle::Solutions;

/// Precision with which a network is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding<'a> {
    /// Relative error of one rounding.
    pub(super) unit: f64,
    /// Absolute error of one `tanh`.
    pub(super) tanh: f64,
    /// The largest magnitude of each input.
    pub(super) largest: &'a [f64],
}

/// For eight networks, bounds on the differences between outputs of the last hidden layer and those of the
/// full evaluation: the sum over the neurons of their squares. The slope of `tanh` is at most 1, so it does
/// not increase an error. `errors` is room for two layers.
#[inline(always)]
pub(super) fn propagate<L: Lanes>(
    shape: &Shape,
    parameters: &[Block],
    rounding: Rounding,
    errors: &mut [Vec<Block>; 2],
) -> L {
    for (l, layer) in shape.hidden.iter().enumerate() {
        let parameters = &parameters[layer.parameters.clone()];
        let size = parameters.len() / layer.neurons;
        // Each weight, each input and each sum is rounded once.
        let roundings = L::splat((size + 3) as f64 * rounding.unit);
        for (n, eta) in parameters.chunks_exact(size).enumerate() {
            let mut sum = L::load(&eta[size - 1]).abs();
            let mut inherited = L::splat(0.0);
            for (j, w) in eta[..size - 1].iter().enumerate() {
                let w = L::load(w).abs();
                // Hidden outputs are at most 1.
                sum = w.mul_add(L::splat(if l == 0 { rounding.largest[j] } else { 1.0 }), sum);
                if l > 0 {
                    inherited = w.mul_add(L::load(&errors[0][j]), inherited);
                }
            }
            sum.mul_add(roundings, inherited).add(L::splat(rounding.tanh)).store(&mut errors[1][n]);
        }
        errors.swap(0, 1);
    }
    let mut sum = L::splat(0.0);
    for error in &errors[0][..shape.last_hidden()] {
        let error = L::load(error);
        sum = error.mul_add(error, sum);
    }
    sum
}

/// Covers roundings in the bound itself.
const SPARE: f64 = 2e-3;

/// Least squares of eight candidates with columns that have errors.
#[derive(Clone, Debug)]
pub(crate) struct Perturbed {
    pub(crate) solutions: Solutions,
    /// Squared norms of the columns.
    pub(crate) norms: Vec<Block>,
    /// For each column a bound on the error of each of its numbers: the sum of the squares of these.
    pub(crate) error: Block,
}

/// What a lower bound depends on besides the solutions.
#[derive(Clone, Debug)]
pub(crate) struct ErrorModel {
    /// Number of samples of the full evaluation.
    pub(crate) rows: f64,
    /// Error of a column, and of the targets, relative to its norm: of the factorisations, here and in the
    /// full evaluation.
    pub(crate) relative: f64,
    /// Error of each number of a column where quadrature nodes replace samples, besides the approximation
    /// errors.
    pub(crate) of_nodes: f64,
    /// Largest ratio of the norms of weights and targets in the full evaluation, with columns of length one.
    pub(crate) largest_weights: f64,
    /// Norms of the targets.
    pub(crate) target_norms: Vec<f64>,
    /// For each target, the squared norm of the part that no network can explain.
    pub(crate) unexplained: Vec<f64>,
}

dispatch! {
    /// Lower bounds of the sums of squared residuals of the full evaluation, zero where nothing is proved.
    /// `errors`: a bound on each number's error for each column, as a sum of squares, besides those in
    /// `found`.
    pub(crate) fn lower_bounds(model: &ErrorModel, errors: &Block, found: &Perturbed) -> Block {
        lower_bounds_generic
    }
}

#[inline(always)]
fn lower_bounds_generic<L: Lanes>(model: &ErrorModel, errors: &Block, found: &Perturbed) -> Block {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let (rows, spare) = (L::splat(model.rows.sqrt()), L::splat(1.0 + SPARE));
    let columns = (found.norms.len() as f64).sqrt();
    let relative = L::splat(columns * model.relative);
    let absolute = L::load(errors).sqrt().add(L::load(&found.error).sqrt());
    let absolute = absolute.add(L::splat(columns * model.of_nodes)).mul(rows);
    // For any weights: the lemma on perturbed columns.
    let error = relative.mul_add(rows, absolute).mul(spare);
    let squared = error.mul(error).mul(L::splat(2.0));
    let kept = squared.neg_mul_add(L::load(&found.solutions.inverse_trace), one).sqrt();
    // For weights that the rank tolerance limits. If a norm is NaN, so are the residuals.
    let mut shortest = L::splat(f64::INFINITY);
    for norm in &found.norms {
        shortest = L::load(norm).capped(shortest);
    }
    let limited = absolute.div(shortest.sqrt()).add(relative).mul(spare);
    let limited = limited.mul_add(L::splat(model.largest_weights), L::splat(model.relative));
    let mut sum = zero;
    for (t, norm) in model.target_norms.iter().enumerate() {
        let residual = L::load(&found.solutions.squares[t]).add(L::splat(model.unexplained[t])).sqrt();
        let weights = L::load(&found.solutions.weights[t]).sqrt();
        let lost = error.mul_add(weights, L::splat(model.relative * norm));
        let least = residual.mul(kept).sub(lost).at_least(zero);
        let least = limited.neg_mul_add(L::splat(*norm), residual).at_least(least);
        sum = least.mul_add(least, sum);
    }
    let mut out = Block::ZERO;
    sum.store(&mut out);
    out
}
