//! Modified Gram-Schmidt on a chunk of samples, with the triangular factor of the chunks before appended to
//! it.

use super::super::super::lanes::{Block, Lanes};
use super::super::super::{LONG, poll};
use super::Work;

/// Columns that are processed at a time.
const GROUP: usize = 4;
/// Keeps the inverse of zero finite.
const TINY: f64 = 1e-290;

/// Writes the factor of the chunks before below the chunk: row `k` of the unit triangle times the norm of
/// column `k`.
#[inline(always)]
pub(super) fn append_factor<L: Lanes>(padded: usize, work: &mut Work) {
    let Work { matrix, stride, triangle, .. } = work;
    let n = triangle.inverse.len();
    for k in 0..n {
        let norm = L::splat(1.0).div(L::load(&triangle.inverse[k])).sqrt();
        norm.store(&mut matrix[k * *stride + padded + k]);
        for j in k + 1..n {
            L::load(&triangle.factor[k * n + j]).mul(norm).store(&mut matrix[j * *stride + padded + k]);
        }
        for (t, target) in triangle.with_targets.chunks_exact(n).enumerate() {
            L::load(&target[k]).mul(norm).store(&mut matrix[(n + t) * *stride + padded + k]);
        }
    }
}

/// Modified Gram-Schmidt. In the pass that projects one column out of the others, their scalar products with
/// the next one are summed up.
#[inline(always)]
pub(super) fn orthogonalise<L: Lanes>(padded: usize, is_appended: bool, work: &mut Work) {
    let Work { matrix, stride, products, triangle, found, .. } = work;
    let (solutions, norms) = (&mut found.solutions, &mut found.norms);
    let (n, total, stride) = (triangle.inverse.len(), products.len(), *stride);
    // The appended triangle has `k + 1` rows in column `k`.
    let rows = |k: usize| padded + if is_appended { k + 1 } else { 0 };
    {
        let (q, others) = matrix.split_at_mut(stride);
        let q = &q[..rows(0)];
        norm::<L>(q).store(&mut products[0]);
        products_with::<L>(q, others, stride, &mut products[1..]);
    }
    norms.fill(Block::ZERO);
    let is_long = n * total * padded >= LONG;
    for k in 0..n {
        if is_long && poll(8 * total * padded) {
            return;
        }
        let left = L::load(&products[k]);
        L::load(&norms[k]).add(left).store(&mut norms[k]);
        let inverse = L::splat(1.0).div(left.add(L::splat(TINY)));
        inverse.store(&mut triangle.inverse[k]);
        for j in k + 1..total {
            let product = L::load(&products[j]);
            let coefficient = product.mul(inverse);
            coefficient.store(&mut products[j]);
            if j < n {
                coefficient.store(&mut triangle.factor[k * n + j]);
                coefficient.mul_add(product, L::load(&norms[j])).store(&mut norms[j]);
            } else {
                coefficient.store(&mut triangle.with_targets[(j - n) * n + k]);
            }
        }
        let (done, rest) = matrix.split_at_mut((k + 1) * stride);
        let q = &done[k * stride..][..rows(k)];
        if k + 1 < n {
            let (next, others) = rest.split_at_mut(stride);
            let next = &mut next[..rows(k + 1)];
            subtract::<L>(q, L::load(&products[k + 1]), next);
            norm::<L>(next).store(&mut products[k + 1]);
            subtract_and_multiply::<L>(q, next, others, stride, &mut products[k + 2..]);
        } else {
            for (t, target) in rest.chunks_exact_mut(stride).enumerate() {
                let target = &mut target[..rows(k)];
                subtract::<L>(q, L::load(&products[n + t]), target);
                let squares = &mut solutions.squares[t];
                L::load(squares).add(norm::<L>(target)).store(squares);
            }
        }
    }
}

/// The sum of squares, in four sums at once.
#[inline(always)]
fn norm<L: Lanes>(column: &[Block]) -> L {
    let (fours, rest) = column.as_chunks::<4>();
    let mut sums = [L::splat(0.0); 4];
    for four in fours {
        for i in 0..4 {
            let v = L::load(&four[i]);
            sums[i] = v.mul_add(v, sums[i]);
        }
    }
    for (i, block) in rest.iter().enumerate() {
        let v = L::load(block);
        sums[i] = v.mul_add(v, sums[i]);
    }
    sums[0].add(sums[1]).add(sums[2].add(sums[3]))
}

/// `column - coefficient * q`, in place.
#[inline(always)]
fn subtract<L: Lanes>(q: &[Block], coefficient: L, column: &mut [Block]) {
    for (block, q) in column.iter_mut().zip(q) {
        coefficient.neg_mul_add(L::load(q), L::load(block)).store(block);
    }
}

/// Scalar products of `q` with columns that are `stride` apart.
#[inline(always)]
fn products_with<L: Lanes>(q: &[Block], columns: &[Block], stride: usize, products: &mut [Block]) {
    for (group, products) in columns.chunks(GROUP * stride).zip(products.chunks_mut(GROUP)) {
        match products.len() {
            GROUP => group_products::<L, GROUP>(q, group, stride, products),
            3 => group_products::<L, 3>(q, group, stride, products),
            2 => group_products::<L, 2>(q, group, stride, products),
            _ => group_products::<L, 1>(q, group, stride, products),
        }
    }
}

#[inline(always)]
fn group_products<L: Lanes, const C: usize>(
    q: &[Block],
    group: &[Block],
    stride: usize,
    products: &mut [Block],
) {
    let columns: [&[Block]; C] = std::array::from_fn(|i| &group[i * stride..][..q.len()]);
    let mut sums = [L::splat(0.0); C];
    for row in 0..q.len() {
        let v = L::load(&q[row]);
        for i in 0..C {
            sums[i] = v.mul_add(L::load(&columns[i][row]), sums[i]);
        }
    }
    for i in 0..C {
        sums[i].store(&mut products[i]);
    }
}

/// Subtracts from columns their multiples of `q`, whose coefficients are in `products`, and replaces these by
/// the scalar products of the columns with `next`.
#[inline(always)]
fn subtract_and_multiply<L: Lanes>(
    q: &[Block],
    next: &[Block],
    columns: &mut [Block],
    stride: usize,
    products: &mut [Block],
) {
    for (group, products) in columns.chunks_mut(GROUP * stride).zip(products.chunks_mut(GROUP)) {
        match products.len() {
            GROUP => subtract_group::<L, GROUP>(q, next, group, stride, products),
            3 => subtract_group::<L, 3>(q, next, group, stride, products),
            2 => subtract_group::<L, 2>(q, next, group, stride, products),
            _ => subtract_group::<L, 1>(q, next, group, stride, products),
        }
    }
}

#[inline(always)]
fn subtract_group<L: Lanes, const C: usize>(
    q: &[Block],
    next: &[Block],
    group: &mut [Block],
    stride: usize,
    products: &mut [Block],
) {
    let mut columns = group.chunks_mut(stride);
    let columns: [&mut [Block]; C] =
        std::array::from_fn(|_| &mut columns.next().unwrap_or_default()[..next.len()]);
    let (mut coefficients, mut sums) = ([L::splat(0.0); C], [L::splat(0.0); C]);
    for i in 0..C {
        coefficients[i] = L::load(&products[i]);
    }
    for row in 0..q.len() {
        let (v, w) = (L::load(&q[row]), L::load(&next[row]));
        for i in 0..C {
            let rest = coefficients[i].neg_mul_add(v, L::load(&columns[i][row]));
            rest.store(&mut columns[i][row]);
            sums[i] = rest.mul_add(w, sums[i]);
        }
    }
    // The next column has one more row of the appended triangle.
    for row in q.len()..next.len() {
        for i in 0..C {
            sums[i] = L::load(&next[row]).mul_add(L::load(&columns[i][row]), sums[i]);
        }
    }
    for i in 0..C {
        sums[i].store(&mut products[i]);
    }
}
