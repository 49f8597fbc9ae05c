//! Scalar products of columns over a tile of rows, added to sums over earlier tiles.
//!
//! A square of columns is kept in registers, so that each loaded block is used several times. How large the
//! square is does not change a sum: each is over the blocks in order, lane by lane, and then over the lanes.

use super::dispatch;
use super::lanes::{Block, Lanes};

dispatch! {
    /// Adds the scalar products of all pairs of columns: `sums[i * n + j]` for `i <= j`, where `n` is the
    /// number of columns.
    pub(crate) fn add_gram(columns: &[Block], blocks: usize, sums: &mut [f64]) {
        gram_generic
    }
}

dispatch! {
    /// Adds the scalar products of each column of `a` with each of `b`: `sums[i * n + j]`, where `n` is the
    /// number of columns of `b`.
    pub(crate) fn add_products(a: &[Block], b: &[Block], blocks: usize, sums: &mut [f64]) {
        products_generic
    }
}

dispatch! {
    /// Writes the products of all pairs of columns, number by number: for each column those with itself and
    /// with the later ones.
    pub(crate) fn multiply_pairs(columns: &[Block], blocks: usize, products: &mut [Block]) {
        pairs_generic
    }
}

/// Sums over the rows of a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Errors {
    /// Squared errors.
    pub(crate) squared: f64,
    /// Squares of the rows' squared errors.
    pub(crate) fourth: f64,
}

dispatch! {
    /// Subtracts from each target, which stand behind the columns in `matrix`, the sum of the columns with
    /// its weights. A run of `weights` may be longer than there are columns.
    pub(crate) fn subtract_outputs(
        matrix: &mut [Block],
        blocks: usize,
        columns: usize,
        weights: &[f64],
    ) -> Errors {
        subtract_generic
    }
}

#[inline(always)]
fn subtract_generic<L: Lanes>(
    matrix: &mut [Block],
    blocks: usize,
    columns: usize,
    weights: &[f64],
) -> Errors {
    let (columns_part, targets) = matrix.split_at_mut(columns * blocks);
    let outputs = targets.len() / blocks;
    let size = weights.len() / outputs;
    for (target, weights) in targets.chunks_exact_mut(blocks).zip(weights.chunks_exact(size)) {
        for (b, y) in target.iter_mut().enumerate() {
            let mut rest = L::load(y);
            for (w, column) in weights.iter().zip(columns_part.chunks_exact(blocks)) {
                rest = L::splat(*w).neg_mul_add(L::load(&column[b]), rest);
            }
            rest.store(y);
        }
    }
    let (mut squared, mut fourth) = (L::splat(0.0), L::splat(0.0));
    for b in 0..blocks {
        let mut row = L::splat(0.0);
        for output in 0..outputs {
            let rest = L::load(&targets[output * blocks + b]);
            row = rest.mul_add(rest, row);
        }
        squared = squared.add(row);
        fourth = row.mul_add(row, fourth);
    }
    Errors { squared: squared.sum(), fourth: fourth.sum() }
}

/// Columns of the square that is kept in registers.
const SIDE: usize = 4;

#[inline(always)]
fn gram_generic<L: Lanes>(columns: &[Block], blocks: usize, sums: &mut [f64]) {
    let n = columns.len() / blocks;
    for i in (0..n).step_by(SIDE) {
        row_of_squares::<L>(
            &columns[i * blocks..],
            &columns[i * blocks..],
            blocks,
            n,
            &mut sums[i * n + i..],
        );
    }
}

#[inline(always)]
fn pairs_generic<L: Lanes>(columns: &[Block], blocks: usize, products: &mut [Block]) {
    let mut products = products.chunks_exact_mut(blocks);
    for first in 0..columns.len() / blocks {
        let (column, others) = (&columns[first * blocks..][..blocks], &columns[first * blocks..]);
        for (other, product) in others.chunks_exact(blocks).zip(&mut products) {
            for ((a, b), to) in column.iter().zip(other).zip(product) {
                L::load(a).mul(L::load(b)).store(to);
            }
        }
    }
}

#[inline(always)]
fn products_generic<L: Lanes>(a: &[Block], b: &[Block], blocks: usize, sums: &mut [f64]) {
    let n = b.len() / blocks;
    for (a, sums) in a.chunks(SIDE * blocks).zip(sums.chunks_mut(SIDE * n)) {
        row_of_squares::<L>(a, b, blocks, n, sums);
    }
}

/// The first columns of `a`, at most four, with all of `b`. Rows of `sums` are `n` apart.
#[inline(always)]
fn row_of_squares<L: Lanes>(a: &[Block], b: &[Block], blocks: usize, n: usize, sums: &mut [f64]) {
    match (a.len() / blocks).min(SIDE) {
        SIDE => squares::<L, SIDE>(a, b, blocks, n, sums),
        3 => squares::<L, 3>(a, b, blocks, n, sums),
        2 => squares::<L, 2>(a, b, blocks, n, sums),
        _ => squares::<L, 1>(a, b, blocks, n, sums),
    }
}

#[inline(always)]
fn squares<L: Lanes, const A: usize>(a: &[Block], b: &[Block], blocks: usize, n: usize, sums: &mut [f64]) {
    for (number, b) in b.chunks(SIDE * blocks).enumerate() {
        let sums = &mut sums[number * SIDE..];
        match b.len() / blocks {
            SIDE => square::<L, A, SIDE>(a, b, blocks, n, sums),
            3 => square::<L, A, 3>(a, b, blocks, n, sums),
            2 => square::<L, A, 2>(a, b, blocks, n, sums),
            _ => square::<L, A, 1>(a, b, blocks, n, sums),
        }
    }
}

#[inline(always)]
fn square<L: Lanes, const A: usize, const B: usize>(
    a: &[Block],
    b: &[Block],
    blocks: usize,
    n: usize,
    sums: &mut [f64],
) {
    let lanes = lanes_of_products::<L, A, B>(a, b, blocks);
    for i in 0..A {
        for j in 0..B {
            sums[i * n + j] += lanes[i][j].sum();
        }
    }
}

/// Scalar products of the first `A` columns of one matrix with the first `B` of another, lane by lane over
/// the blocks in order.
#[inline(always)]
pub(super) fn lanes_of_products<L: Lanes, const A: usize, const B: usize>(
    a: &[Block],
    b: &[Block],
    blocks: usize,
) -> [[L; B]; A] {
    let a: [&[Block]; A] = std::array::from_fn(|i| &a[i * blocks..(i + 1) * blocks]);
    let b: [&[Block]; B] = std::array::from_fn(|j| &b[j * blocks..(j + 1) * blocks]);
    let mut lanes = [[L::splat(0.0); B]; A];
    for block in 0..blocks {
        let mut others = [L::splat(0.0); B];
        for j in 0..B {
            others[j] = L::load(&b[j][block]);
        }
        for i in 0..A {
            let v = L::load(&a[i][block]);
            for j in 0..B {
                lanes[i][j] = v.mul_add(others[j], lanes[i][j]);
            }
        }
    }
    lanes
}
