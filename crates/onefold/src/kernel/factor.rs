//! Modified Gram-Schmidt with column pivoting, right-hand sides carried along.
//!
//! Applied to the matrix with its right-hand sides appended, modified Gram-Schmidt is backward stable for least squares
//! (Björck 1967), unlike normal equations. Columns are chosen by the *share* of their squared norm that is left after
//! projecting out the columns already kept; when no share exceeds the tolerance the remaining columns are dropped.

use super::dispatch;
use super::lanes::{Block, Lanes};

/// What a factorisation leaves behind besides the residuals: enough to solve for the weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    /// Kept columns in the order in which they were chosen.
    pub(crate) kept: Vec<usize>,
    /// Smallest share among the kept columns.
    pub(crate) least_share: f64,
    /// `coefficients[k * (columns + targets) + j]`: what was subtracted of the `k`-th kept column from column `j`.
    pub(crate) coefficients: Vec<f64>,
    original: Vec<f64>,
    left: Vec<f64>,
}

impl Factor {
    /// Makes room for `columns` columns and `targets` right-hand sides.
    pub(crate) fn reserve(&mut self, columns: usize, targets: usize) {
        self.kept.reserve(columns);
        self.coefficients.resize(columns * (columns + targets), 0.0);
        self.original.resize(columns, 0.0);
        self.left.resize(columns, 0.0);
    }
}

dispatch! {
    /// Orthogonalises the first `columns` columns of `matrix` in place, subtracts from the remaining ones (the right-hand
    /// sides) their projections, and returns the sum of squares of what is left of these; infinity where a column
    /// is not finite.
    pub(crate) fn factorise(
        matrix: &mut [Block], blocks: usize, columns: usize, tolerance: f64, factor: &mut Factor
    ) -> f64 = factorise_generic
}

#[inline(always)]
fn factorise_generic<L: Lanes>(
    matrix: &mut [Block],
    blocks: usize,
    columns: usize,
    tolerance: f64,
    factor: &mut Factor,
) -> f64 {
    let total = matrix.len() / blocks;
    factor.kept.clear();
    factor.least_share = 1.0;
    for (j, column) in matrix.chunks_exact(blocks).take(columns).enumerate() {
        let norm = dot::<L>(column, column);
        if !norm.is_finite() {
            return f64::INFINITY;
        }
        factor.original[j] = norm;
        factor.left[j] = norm;
    }
    while let Some((pivot, share)) = next_pivot(factor) {
        if share <= tolerance {
            break;
        }
        let row = factor.kept.len() * total;
        factor.kept.push(pivot);
        factor.least_share = factor.least_share.min(share);
        let norm = factor.left[pivot];
        for j in 0..total {
            if factor.kept.contains(&j) {
                continue;
            }
            let (q, column) = two_columns(matrix, blocks, pivot, j);
            let c = dot::<L>(q, column) / norm;
            factor.coefficients[row + j] = c;
            let left = subtract::<L>(c, q, column);
            if j < columns {
                factor.left[j] = left;
            }
        }
    }
    matrix[columns * blocks..].chunks_exact(blocks).map(|rest| dot::<L>(rest, rest)).sum()
}

/// The column that keeps the largest share of its squared norm, and that share. Equal shares, as at the start, are
/// decided by what is left, so that the order of the columns does not matter.
fn next_pivot(factor: &Factor) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for (j, (left, original)) in factor.left.iter().zip(&factor.original).enumerate() {
        if *original > 0.0 && !factor.kept.contains(&j) {
            let share = left / original;
            if best.is_none_or(|(k, largest)| share > largest || (share >= largest && *left > factor.left[k]))
            {
                best = Some((j, share));
            }
        }
    }
    best
}

/// Column `a` to read and column `b != a` to write.
#[inline(always)]
fn two_columns(matrix: &mut [Block], blocks: usize, a: usize, b: usize) -> (&[Block], &mut [Block]) {
    let (low, high) = matrix.split_at_mut(a.max(b) * blocks);
    let (low, high) = (&mut low[a.min(b) * blocks..][..blocks], &mut high[..blocks]);
    if a < b { (low, high) } else { (high, low) }
}

#[inline(always)]
fn dot<L: Lanes>(a: &[Block], b: &[Block]) -> f64 {
    let mut sums = [L::splat(0.0); 4];
    let (a, b) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (a, b) in a.0.iter().zip(b.0) {
        for i in 0..4 {
            sums[i] = L::load(&a[i]).mul_add(L::load(&b[i]), sums[i]);
        }
    }
    for ((a, b), sum) in a.1.iter().zip(b.1).zip(&mut sums) {
        *sum = L::load(a).mul_add(L::load(b), *sum);
    }
    sums[0].add(sums[1]).add(sums[2].add(sums[3])).sum()
}

/// `column -= c * q`; returns the new squared norm, added up as in [`dot`].
#[inline(always)]
fn subtract<L: Lanes>(c: f64, q: &[Block], column: &mut [Block]) -> f64 {
    let c = L::splat(c);
    let mut sums = [L::splat(0.0); 4];
    let (q, column) = (q.as_chunks::<4>(), column.as_chunks_mut::<4>());
    for (q, column) in q.0.iter().zip(column.0) {
        for i in 0..4 {
            let v = c.neg_mul_add(L::load(&q[i]), L::load(&column[i]));
            v.store(&mut column[i]);
            sums[i] = v.mul_add(v, sums[i]);
        }
    }
    for ((q, column), sum) in q.1.iter().zip(column.1).zip(&mut sums) {
        let v = c.neg_mul_add(L::load(q), L::load(column));
        v.store(column);
        *sum = v.mul_add(v, *sum);
    }
    sums[0].add(sums[1]).add(sums[2].add(sums[3])).sum()
}
