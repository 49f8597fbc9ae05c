//! Normal equations with an explicit residual, for problems that are well conditioned.
//!
//! Normal equations are fast, but lose half of the digits, and a residual computed from them alone can be
//! lower than that of any weights. Here only the weights come from them; the cost is the sum of squares of
//! `Y - H W`, computed from the columns, so it is the cost of actual weights. They are used only if every
//! column keeps a share of its squared norm above a [`GUARD`]: then the cost exceeds the minimum by about
//! 1e-9 of itself at most. Otherwise the orthogonal factorisation is used.

use super::dispatch;
use super::lanes::{Block, Lanes};
use super::pivots::Pivots;
use super::products::lanes_of_products;
use super::{LONG, poll};

/// Least share of its squared norm that each column must keep for normal equations to be trusted, unless the
/// rank tolerance demands more.
///
/// The relative error of their weights is `1e-16 / share`, in directions that contribute to the columns'
/// combination only with the square root of the share, and the cost depends on such errors quadratically.
pub(crate) const GUARD: f64 = 1e-9;

/// Columns that are processed at a time.
const GROUP: usize = 4;

dispatch! {
    /// Scalar products of all pairs of columns: `products[i * total + j]` for `i <= j`.
    pub(crate) fn gram(matrix: &[Block], blocks: usize, products: &mut [f64]) {
        gram_generic
    }
}

dispatch! {
    /// Sum of squares of `Y - H W`, where `matrix` holds the columns `H` and then the targets `Y`, and
    /// `weights` one run for each target.
    pub(crate) fn residual(matrix: &[Block], blocks: usize, columns: usize, weights: &[f64]) -> f64 {
        residual_generic
    }
}

#[inline(always)]
fn gram_generic<L: Lanes>(matrix: &[Block], blocks: usize, products: &mut [f64]) {
    let total = matrix.len() / blocks;
    let is_long = total * total * blocks >= LONG;
    // Two columns against four at a time: eight independent sums from six loads.
    for i in (0..total).step_by(2) {
        if is_long && poll(16 * (total - i) * blocks) {
            return;
        }
        let pair = &matrix[i * blocks..];
        for j in (i..total).step_by(GROUP) {
            let group = &matrix[j * blocks..];
            let place = i * total + j;
            match ((total - i).min(2), (total - j).min(GROUP)) {
                (2, GROUP) => products_of::<L, 2, GROUP>(pair, group, blocks, total, &mut products[place..]),
                (2, 3) => products_of::<L, 2, 3>(pair, group, blocks, total, &mut products[place..]),
                (2, 2) => products_of::<L, 2, 2>(pair, group, blocks, total, &mut products[place..]),
                (2, _) => products_of::<L, 2, 1>(pair, group, blocks, total, &mut products[place..]),
                (_, _) => products_of::<L, 1, 1>(pair, group, blocks, total, &mut products[place..]),
            }
        }
    }
}

/// Writes the scalar products of the first `A` columns of one matrix with the first `B` of another, in rows
/// `total` apart.
#[inline(always)]
fn products_of<L: Lanes, const A: usize, const B: usize>(
    a: &[Block],
    b: &[Block],
    blocks: usize,
    total: usize,
    products: &mut [f64],
) {
    let lanes = lanes_of_products::<L, A, B>(a, b, blocks);
    for i in 0..A {
        for j in 0..B {
            products[i * total + j] = lanes[i][j].sum();
        }
    }
}

#[inline(always)]
fn residual_generic<L: Lanes>(matrix: &[Block], blocks: usize, columns: usize, weights: &[f64]) -> f64 {
    let (columns_part, targets) = matrix.split_at(columns * blocks);
    let mut total = 0.0;
    for (target, weights) in targets.chunks_exact(blocks).zip(weights.chunks_exact(columns)) {
        let mut sum = L::splat(0.0);
        for (b, y) in target.iter().enumerate() {
            let mut rest = L::load(y);
            for (w, column) in weights.iter().zip(columns_part.chunks_exact(blocks)) {
                rest = L::splat(*w).neg_mul_add(L::load(&column[b]), rest);
            }
            sum = rest.mul_add(rest, sum);
        }
        total += sum.sum();
    }
    total
}

/// Normal equations and room for their solution.
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    columns: usize,
    total: usize,
    pivots: Pivots,
    /// Scalar products of all pairs of columns and targets; overwritten by the elimination.
    pub(crate) products: Vec<f64>,
    /// One run of weights for each target.
    pub(crate) weights: Vec<f64>,
}

impl Normal {
    /// Makes room for `columns` columns and `targets` right-hand sides.
    pub(crate) fn new(columns: usize, targets: usize) -> Self {
        let total = columns + targets;
        Self {
            columns,
            total,
            pivots: Pivots::new(columns),
            products: vec![0.0; total * total],
            weights: vec![0.0; columns * targets],
        }
    }
}

dispatch! {
    /// Solves for the weights and returns the least share; none where a share is not above `guard`.
    pub(crate) fn solve_normal(normal: &mut Normal, guard: f64) -> Option<f64> {
        solve_generic
    }
}

/// Elimination with pivots by share. Whole rows are updated, the entries already eliminated too: that is
/// faster than to leave them out.
#[inline(always)]
fn solve_generic<L: Lanes>(normal: &mut Normal, guard: f64) -> Option<f64> {
    let Normal { columns, total, pivots, products, weights } = normal;
    let (columns, total) = (*columns, *total);
    for i in 1..columns {
        for j in 0..i {
            products[i * total + j] = products[j * total + i];
        }
    }
    pivots.start((0..columns).map(|j| products[j * total + j]));
    let mut least_share: f64 = 1.0;
    let is_long = columns * columns * total >= LONG;
    for k in 0..columns {
        if is_long && poll((columns - k) * total) {
            return None;
        }
        let (place, share) = pivots.next(k)?;
        if share.is_nan() || share <= guard {
            return None;
        }
        least_share = least_share.min(share);
        pivots.exchange(k, place);
        let pivot = pivots.order[k];
        let inverse = 1.0 / pivots.left[k];
        for m in k + 1..columns {
            let i = pivots.order[m];
            let (from, to) = two_rows(products, total, pivot, i);
            let c = from[i] * inverse;
            to.iter_mut().zip(from).for_each(|(to, from)| *to -= c * from);
            pivots.left[m] = to[i];
        }
        products[pivot * total + pivot] = inverse;
    }
    for (t, weights) in weights.chunks_exact_mut(columns).enumerate() {
        for k in (0..columns).rev() {
            let pivot = pivots.order[k];
            let row = &products[pivot * total..(pivot + 1) * total];
            let later: f64 = pivots.order[k + 1..].iter().map(|j| row[*j] * weights[*j]).sum();
            weights[pivot] = (row[columns + t] - later) * row[pivot];
        }
    }
    Some(least_share)
}

/// Row `a` to read and row `b != a` to write.
#[inline(always)]
fn two_rows(matrix: &mut [f64], width: usize, a: usize, b: usize) -> (&[f64], &mut [f64]) {
    let (low, high) = matrix.split_at_mut(a.max(b) * width);
    let (low, high) = (&mut low[a.min(b) * width..][..width], &mut high[..width]);
    if a < b { (low, high) } else { (high, low) }
}
