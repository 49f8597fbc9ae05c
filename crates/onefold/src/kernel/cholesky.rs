//! Cholesky factors of symmetric matrices, row by row in blocks, and solutions with them.

use super::dispatch;
use super::lanes::{Block, Lanes, WIDTH};
use super::{LONG, poll};

/// Blocks of one row of a matrix with `dim` columns.
pub(crate) fn stride(dim: usize) -> usize {
    dim.div_ceil(WIDTH)
}

dispatch! {
    /// Overwrites the upper triangle of a symmetric matrix, whose rows are padded with zeros to whole blocks,
    /// by the `U` with `U^T U = A`; false where there is none, or if it was cut off. Entries below the
    /// diagonal are undefined afterwards.
    pub(crate) fn cholesky(matrix: &mut [Block], dim: usize) -> bool {
        cholesky_generic
    }
}

dispatch! {
    /// Solves `U^T y = b` in place.
    pub(crate) fn solve_lower(u: &[Block], dim: usize, b: &mut [Block]) {
        lower_generic
    }
}

dispatch! {
    /// Solves `U x = y` in place.
    pub(crate) fn solve_upper(u: &[Block], dim: usize, y: &mut [Block]) {
        upper_generic
    }
}

#[inline(always)]
fn cholesky_generic<L: Lanes>(matrix: &mut [Block], dim: usize) -> bool {
    let stride = stride(dim);
    let is_long = dim * dim * stride >= LONG;
    for k in 0..dim {
        if is_long && poll(4 * (dim - k) * stride) {
            return false;
        }
        let (done, rest) = matrix.split_at_mut((k + 1) * stride);
        let row = &mut done[k * stride..];
        let pivot = row[k / WIDTH][k % WIDTH];
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        let root = pivot.sqrt();
        let inverse = L::splat(1.0 / root);
        for block in &mut row[k / WIDTH..] {
            L::load(block).mul(inverse).store(block);
        }
        row[k / WIDTH][k % WIDTH] = root;
        for (i, other) in rest.chunks_exact_mut(stride).enumerate() {
            let i = k + 1 + i;
            let c = L::splat(row[i / WIDTH][i % WIDTH]);
            for b in i / WIDTH..stride {
                c.neg_mul_add(L::load(&row[b]), L::load(&other[b])).store(&mut other[b]);
            }
        }
    }
    true
}

#[inline(always)]
fn lower_generic<L: Lanes>(u: &[Block], dim: usize, b: &mut [Block]) {
    for (k, row) in u.chunks_exact(stride(dim)).enumerate() {
        let first = k / WIDTH;
        let v = b[first][k % WIDTH] / row[first][k % WIDTH];
        b[first][k % WIDTH] = v;
        for lane in k % WIDTH + 1..WIDTH {
            b[first][lane] -= v * row[first][lane];
        }
        let c = L::splat(v);
        for (b, row) in b[first + 1..].iter_mut().zip(&row[first + 1..]) {
            c.neg_mul_add(L::load(row), L::load(b)).store(b);
        }
    }
}

#[inline(always)]
fn upper_generic<L: Lanes>(u: &[Block], dim: usize, y: &mut [Block]) {
    for (k, row) in u.chunks_exact(stride(dim)).enumerate().rev() {
        let first = k / WIDTH;
        let mut sum = 0.0;
        for lane in k % WIDTH + 1..WIDTH {
            sum += row[first][lane] * y[first][lane];
        }
        let mut sums = L::splat(0.0);
        for b in first + 1..y.len() {
            sums = L::load(&row[b]).mul_add(L::load(&y[b]), sums);
        }
        y[first][k % WIDTH] = (y[first][k % WIDTH] - (sum + sums.sum())) / row[first][k % WIDTH];
    }
}
