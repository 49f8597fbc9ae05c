//! Modified Gram-Schmidt with column pivoting, right-hand sides carried along.
//!
//! Applied to the matrix with its right-hand sides appended, modified Gram-Schmidt is backward stable for
//! least squares (Björck 1967), unlike normal equations. Columns are chosen by the *share* of their squared
//! norm that is left after projecting out the columns already kept; when no share exceeds the tolerance the
//! remaining columns are dropped.

use super::dispatch;
use super::lanes::{Block, Lanes};
use super::pivots::Pivots;
use super::{LONG, poll};

/// Columns that are processed at a time: enough independent sums to hide the latency of multiply-adds.
const GROUP: usize = 4;

/// The result of a factorisation besides the residuals: enough to solve for the weights.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    /// Columns in the order in which they now stand; the first [`rank`](Self::rank) are the kept ones.
    pub(crate) pivots: Pivots,
    /// Number of columns kept.
    pub(crate) rank: usize,
    /// Smallest share among the kept columns.
    pub(crate) least_share: f64,
    /// `coefficients[k * total + j]`: the multiple of the column at place `k` that was subtracted from the
    /// one at place `j`.
    pub(crate) coefficients: Vec<f64>,
    /// Squared norms of columns and targets, by place.
    norms: Vec<f64>,
    /// Coefficients and sums of squares from [`project_out`], by place.
    used: Vec<Block>,
    squares: Vec<Block>,
}

impl Factor {
    /// Makes room for `columns` columns and `targets` right-hand sides.
    pub(crate) fn new(columns: usize, targets: usize) -> Self {
        let total = columns + targets;
        Self {
            pivots: Pivots::new(columns),
            rank: 0,
            least_share: 1.0,
            coefficients: vec![0.0; columns * total],
            norms: vec![0.0; total],
            used: vec![Block::ZERO; total.max(GROUP)],
            squares: vec![Block::ZERO; total.max(GROUP)],
        }
    }

    /// The weights of the columns for one target, by back-substitution in the order of elimination; zero for
    /// columns that were dropped.
    pub(crate) fn weights(&self, target: usize) -> Vec<f64> {
        let (columns, total) = (self.pivots.order.len(), self.norms.len());
        // By places first, then back to the columns' own numbers.
        let mut placed = vec![0.0; self.rank];
        for k in (0..self.rank).rev() {
            let row = &self.coefficients[k * total..(k + 1) * total];
            let later: f64 = (k + 1..self.rank).map(|j| row[j] * placed[j]).sum();
            placed[k] = row[columns + target] - later;
        }
        let mut weights = vec![0.0; columns];
        self.pivots.order.iter().zip(placed).for_each(|(column, w)| weights[*column] = w);
        weights
    }

    /// Brings the column at place `p` to place `k` in every list.
    fn exchange(&mut self, k: usize, p: usize) {
        self.pivots.exchange(k, p);
        let total = self.norms.len();
        for step in 0..k {
            self.coefficients.swap(step * total + k, step * total + p);
        }
    }
}

dispatch! {
    /// Orthogonalises the first columns of `matrix` in place, subtracts from the remaining ones (the
    /// right-hand sides) their projections, and returns the sum of squares of what is left of these; infinity
    /// where a column is not finite.
    pub(crate) fn factorise(matrix: &mut [Block], blocks: usize, tolerance: f64, factor: &mut Factor) -> f64 {
        factorise_generic
    }
}

#[inline(always)]
fn factorise_generic<L: Lanes>(
    matrix: &mut [Block],
    blocks: usize,
    tolerance: f64,
    factor: &mut Factor,
) -> f64 {
    let (columns, total) = (factor.pivots.order.len(), factor.norms.len());
    factor.rank = 0;
    factor.least_share = 1.0;
    norms::<L>(matrix, blocks, &mut factor.norms);
    if !factor.norms[..columns].iter().all(|norm| norm.is_finite()) {
        return f64::INFINITY;
    }
    factor.pivots.start(factor.norms[..columns].iter().copied());
    let is_long = columns * total * blocks >= LONG;
    for k in 0..columns {
        if is_long && poll(8 * (total - k) * blocks) {
            return f64::NAN;
        }
        let Some((pivot, share)) = factor.pivots.next(k) else { break };
        if share <= tolerance {
            break;
        }
        if pivot != k {
            factor.exchange(k, pivot);
            let (low, high) = matrix.split_at_mut(pivot * blocks);
            low[k * blocks..][..blocks].swap_with_slice(&mut high[..blocks]);
        }
        factor.rank = k + 1;
        factor.least_share = factor.least_share.min(share);
        let (done, rest) = matrix.split_at_mut((k + 1) * blocks);
        let q = &done[k * blocks..];
        let inverse = 1.0 / factor.pivots.left[k];
        let (used, squares) = (&mut factor.used[k + 1..total], &mut factor.squares[k + 1..total]);
        project_out::<L>(q, rest, AcrossLanes { inverse }, used, squares);
        for j in k + 1..total {
            factor.coefficients[k * total + j] = factor.used[j][0];
            factor.norms[j] = L::load(&factor.squares[j]).sum();
        }
        factor.pivots.left[k + 1..].copy_from_slice(&factor.norms[k + 1..columns]);
    }
    factor.norms[columns..].iter().sum()
}

dispatch! {
    /// Subtracts from further columns their projections on the columns that `factor` kept, the first ones of
    /// `matrix`.
    pub(crate) fn project_away(matrix: &[Block], blocks: usize, factor: &mut Factor, columns: &mut [Block]) {
        away_generic
    }
}

#[inline(always)]
fn away_generic<L: Lanes>(matrix: &[Block], blocks: usize, factor: &mut Factor, columns: &mut [Block]) {
    let Factor { pivots, rank, used, squares, .. } = factor;
    let is_long = *rank * columns.len() >= LONG;
    for group in columns.chunks_mut(GROUP * blocks) {
        if is_long && poll(8 * *rank * group.len()) {
            return;
        }
        for (q, left) in matrix.chunks_exact(blocks).zip(&pivots.left).take(*rank) {
            // A group has at most as many columns as these lists have room for.
            project_out::<L>(q, group, AcrossLanes { inverse: 1.0 / left }, used, squares);
        }
    }
}

/// Squared norms of all columns.
#[inline(always)]
fn norms<L: Lanes>(matrix: &[Block], blocks: usize, norms: &mut [f64]) {
    for (group, norms) in matrix.chunks(GROUP * blocks).zip(norms.chunks_mut(GROUP)) {
        let columns: [&[Block]; GROUP] =
            std::array::from_fn(|i| group.get(i * blocks..(i + 1) * blocks).unwrap_or(&group[..blocks]));
        let mut sums = [L::splat(0.0); GROUP];
        for b in 0..blocks {
            for i in 0..GROUP {
                let v = L::load(&columns[i][b]);
                sums[i] = v.mul_add(v, sums[i]);
            }
        }
        for (norm, sum) in norms.iter_mut().zip(sums) {
            *norm = sum.sum();
        }
    }
}

/// How sums of products become the coefficient of a projection.
pub(super) trait Scale<L>: Copy {
    fn scale(self, products: L) -> L;
}

/// All lanes belong to one least-squares problem: the sums of the lanes are added up.
#[derive(Clone, Copy)]
struct AcrossLanes {
    inverse: f64,
}

impl<L: Lanes> Scale<L> for AcrossLanes {
    #[inline(always)]
    fn scale(self, products: L) -> L {
        L::splat(products.sum() * self.inverse)
    }
}

/// Subtracts from each column its projection on `q`. Writes for each column the coefficient of `q`, and, lane
/// by lane, the sums of the squares of what is left.
// A trait `Scale` rather than a closure, because closures do not inherit the target features of the function
// around them.
#[inline(always)]
pub(super) fn project_out<L: Lanes>(
    q: &[Block],
    columns: &mut [Block],
    scale: impl Scale<L>,
    used: &mut [Block],
    squares: &mut [Block],
) {
    for ((group, used), squares) in
        columns.chunks_mut(GROUP * q.len()).zip(used.chunks_mut(GROUP)).zip(squares.chunks_mut(GROUP))
    {
        match group.len() / q.len() {
            GROUP => project_group::<L, GROUP>(q, group, scale, used, squares),
            3 => project_group::<L, 3>(q, group, scale, used, squares),
            2 => project_group::<L, 2>(q, group, scale, used, squares),
            _ => project_group::<L, 1>(q, group, scale, used, squares),
        }
    }
}

#[inline(always)]
fn project_group<L: Lanes, const C: usize>(
    q: &[Block],
    group: &mut [Block],
    scale: impl Scale<L>,
    used: &mut [Block],
    squares: &mut [Block],
) {
    let blocks = q.len();
    let mut rest = group.chunks_exact_mut(blocks);
    let columns: [&mut [Block]; C] = std::array::from_fn(|_| rest.next().unwrap_or_default());
    let mut sums = [L::splat(0.0); C];
    for b in 0..blocks {
        let v = L::load(&q[b]);
        for i in 0..C {
            sums[i] = v.mul_add(L::load(&columns[i][b]), sums[i]);
        }
    }
    let mut c = [L::splat(0.0); C];
    for i in 0..C {
        c[i] = scale.scale(sums[i]);
        c[i].store(&mut used[i]);
        sums[i] = L::splat(0.0);
    }
    for b in 0..blocks {
        let v = L::load(&q[b]);
        for i in 0..C {
            let rest = c[i].neg_mul_add(v, L::load(&columns[i][b]));
            rest.store(&mut columns[i][b]);
            sums[i] = rest.mul_add(rest, sums[i]);
        }
    }
    for i in 0..C {
        sums[i].store(&mut squares[i]);
    }
}
