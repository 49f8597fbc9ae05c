//! Modified Gram-Schmidt on a strip of samples and what is carried along from the strips before.

use super::super::lanes::{Block, Lanes};
use super::GrowingWork;

/// Columns that are worked on at a time.
const GROUP: usize = 4;
/// Keeps the inverse of nothing finite.
const TINY: f64 = 1e-290;

/// Writes what is left of the strips before below the strip: row `k` of the triangle, times the norm of column `k`.
#[inline(always)]
pub(super) fn carry<L: Lanes>(padded: usize, work: &mut GrowingWork) {
    let GrowingWork { matrix, stride, triangle, .. } = work;
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

/// Modified Gram-Schmidt. While one column is taken out of the others, their scalar products with the next are summed up.
#[inline(always)]
pub(super) fn orthogonalise<L: Lanes>(padded: usize, carried: bool, work: &mut GrowingWork) {
    let GrowingWork { matrix, stride, products, triangle, found, norms, .. } = work;
    let (n, total, stride) = (triangle.inverse.len(), products.len(), *stride);
    // Of the carried rows, column `k` has `k + 1`.
    let rows = |k: usize| padded + if carried { k + 1 } else { 0 };
    {
        let (q, others) = matrix.split_at_mut(stride);
        let q = &q[..rows(0)];
        norm::<L>(q).store(&mut products[0]);
        products_with::<L>(q, others, stride, &mut products[1..]);
    }
    norms.fill(Block::ZERO);
    for k in 0..n {
        let left = L::load(&products[k]);
        L::load(&norms[k]).add(left).store(&mut norms[k]);
        let inverse = L::splat(1.0).div(left.add(L::splat(TINY)));
        inverse.store(&mut triangle.inverse[k]);
        for j in k + 1..total {
            let product = L::load(&products[j]);
            let share = product.mul(inverse);
            share.store(&mut products[j]);
            if j < n {
                share.store(&mut triangle.factor[k * n + j]);
                share.mul_add(product, L::load(&norms[j])).store(&mut norms[j]);
            } else {
                share.store(&mut triangle.with_targets[(j - n) * n + k]);
            }
        }
        let (done, rest) = matrix.split_at_mut((k + 1) * stride);
        let q = &done[k * stride..][..rows(k)];
        if k + 1 < n {
            let (next, others) = rest.split_at_mut(stride);
            let next = &mut next[..rows(k + 1)];
            take_out::<L>(q, L::load(&products[k + 1]), next);
            norm::<L>(next).store(&mut products[k + 1]);
            take_out_and_multiply::<L>(q, next, others, stride, &mut products[k + 2..]);
        } else {
            for (t, target) in rest.chunks_exact_mut(stride).enumerate() {
                let target = &mut target[..rows(k)];
                take_out::<L>(q, L::load(&products[n + t]), target);
                let squares = &mut found.squares[t];
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

#[inline(always)]
fn take_out<L: Lanes>(q: &[Block], share: L, column: &mut [Block]) {
    for (block, q) in column.iter_mut().zip(q) {
        share.neg_mul_add(L::load(q), L::load(block)).store(block);
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

/// Takes `q` out of columns, whose shares of it are in `products`, and replaces these by the scalar products with `next`.
#[inline(always)]
fn take_out_and_multiply<L: Lanes>(
    q: &[Block],
    next: &[Block],
    columns: &mut [Block],
    stride: usize,
    products: &mut [Block],
) {
    for (group, products) in columns.chunks_mut(GROUP * stride).zip(products.chunks_mut(GROUP)) {
        match products.len() {
            GROUP => group_out::<L, GROUP>(q, next, group, stride, products),
            3 => group_out::<L, 3>(q, next, group, stride, products),
            2 => group_out::<L, 2>(q, next, group, stride, products),
            _ => group_out::<L, 1>(q, next, group, stride, products),
        }
    }
}

#[inline(always)]
fn group_out<L: Lanes, const C: usize>(
    q: &[Block],
    next: &[Block],
    group: &mut [Block],
    stride: usize,
    products: &mut [Block],
) {
    let mut columns = group.chunks_mut(stride);
    let columns: [&mut [Block]; C] =
        std::array::from_fn(|_| &mut columns.next().unwrap_or_default()[..next.len()]);
    let (mut shares, mut sums) = ([L::splat(0.0); C], [L::splat(0.0); C]);
    for i in 0..C {
        shares[i] = L::load(&products[i]);
    }
    for row in 0..q.len() {
        let (v, w) = (L::load(&q[row]), L::load(&next[row]));
        for i in 0..C {
            let rest = shares[i].neg_mul_add(v, L::load(&columns[i][row]));
            rest.store(&mut columns[i][row]);
            sums[i] = rest.mul_add(w, sums[i]);
        }
    }
    // The next column has one more carried row.
    for row in q.len()..next.len() {
        for i in 0..C {
            sums[i] = L::load(&next[row]).mul_add(L::load(&columns[i][row]), sums[i]);
        }
    }
    for i in 0..C {
        sums[i].store(&mut products[i]);
    }
}
