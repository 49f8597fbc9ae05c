//! Lower bounds from what a look found.

use super::super::dispatch;
use super::super::lanes::{Block, Lanes};
use super::GrowingWork;

/// Covers roundings in a bound itself.
const SPARE: f64 = 2e-3;

/// What a lower bound depends on besides what was found; the derivation is in `objective/screening/growing.rs`.
#[derive(Clone, Debug)]
pub(crate) struct Proof {
    /// Number of samples, also where few stand for many.
    pub(crate) rows: f64,
    /// Error of a column, and of the targets, relative to its norm: of the factorisations, here and in the full evaluation.
    pub(crate) relative: f64,
    /// Error of each number of a column where nodes stand for samples.
    pub(crate) of_nodes: f64,
    /// How much longer than the targets weights can be, with columns of length one.
    pub(crate) largest_weights: f64,
    /// Norms of the targets.
    pub(crate) norms: Vec<f64>,
    /// Squares of the targets that no network can explain.
    pub(crate) rest: Vec<f64>,
}

dispatch! {
    /// Lower bounds of the sums of squared residuals of the full evaluation, zero where nothing is proved. `errors`: errors of columns besides those that the
    /// look knows of, as a sum of squares.
    pub(crate) fn lower_bounds(proof: &Proof, errors: &Block, work: &GrowingWork) -> Block = bounds_generic
}

#[inline(always)]
fn bounds_generic<L: Lanes>(proof: &Proof, errors: &Block, work: &GrowingWork) -> Block {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let (rows, spare) = (L::splat(proof.rows.sqrt()), L::splat(1.0 + SPARE));
    let columns = (work.norms.len() as f64).sqrt();
    let relative = L::splat(columns * proof.relative);
    let absolute = L::load(errors).sqrt().add(L::load(&work.error).sqrt());
    let absolute = absolute.add(L::splat(columns * proof.of_nodes)).mul(rows);
    // Whatever the weights are.
    let error = relative.mul_add(rows, absolute).mul(spare);
    let squared = error.mul(error).mul(L::splat(2.0));
    let kept = squared.neg_mul_add(L::load(&work.found.inverse_trace), one).sqrt();
    // For weights from columns that keep their share. A NaN that is lost here is in the residuals too.
    let mut shortest = L::splat(f64::INFINITY);
    for norm in &work.norms {
        shortest = L::load(norm).capped(shortest);
    }
    let by_share = absolute.div(shortest.sqrt()).add(relative).mul(spare);
    let by_share = by_share.mul_add(L::splat(proof.largest_weights), L::splat(proof.relative));
    let mut sum = zero;
    for (t, norm) in proof.norms.iter().enumerate() {
        let residual = L::load(&work.found.squares[t]).add(L::splat(proof.rest[t])).sqrt();
        let weights = L::load(&work.found.weights[t]).sqrt();
        let lost = error.mul_add(weights, L::splat(proof.relative * norm));
        let least = residual.mul(kept).sub(lost).at_least(zero);
        let least = by_share.neg_mul_add(L::splat(*norm), residual).at_least(least);
        sum = least.mul_add(least, sum);
    }
    let mut out = Block::ZERO;
    sum.store(&mut out);
    out
}
