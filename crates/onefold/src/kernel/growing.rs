//! Eight candidates at once over a growing part of the samples, in double precision.
//!
//! A lane is a candidate. Hidden outputs come from a `tanh` that is quicker than that of the exact evaluation. Samples come in strips that fit into the nearest cache. What is known of the strips before is carried along as a
//! triangle on top of the next one: its rows have the same scalar products as all samples that went into it. Columns are orthogonalised by modified Gram-Schmidt
//! in their given order; the right-hand sides' residual over the samples so far never shrinks.

use super::dispatch;
use super::lanes::{Block, Lanes, WIDTH};
use super::spread::{Roughness, spread};
use super::tanh::{QUICK_ERROR, SIXTEENTHS, tanh_of_sixteenths};
use super::triangle::{Found, Triangle};
use crate::Topology;

/// Samples whose sums are in registers together.
const TILE: usize = 4;
/// Columns that are worked on at a time.
const GROUP: usize = 4;
/// Numbers in a strip: about the nearest cache of most processors. Measured: from half to three times as many make no difference.
const ROOM: usize = 32 * 1024 / size_of::<f64>();
/// Least and largest number of rows of a strip.
const HEIGHTS: (usize, usize) = (16, 64);
const _: () = assert!(HEIGHTS.0.is_multiple_of(TILE) && HEIGHTS.1.is_multiple_of(TILE));
/// Covers roundings in a bound itself.
const SPARE: f64 = 2e-3;
/// Keeps the inverse of nothing finite.
const TINY: f64 = 1e-290;

/// Samples in the order in which they are looked at.
#[derive(Clone, Debug)]
pub(crate) struct Strips {
    pub(crate) rows: usize,
    /// Rows of a strip: whole tiles.
    height: usize,
    /// `inputs[row * d + i]`, up to a whole tile.
    inputs: Vec<f64>,
    /// `targets[row * q + output]`
    targets: Vec<f64>,
    /// What each row, of hidden outputs and bias, is multiplied with; nothing stands for ones.
    scales: Vec<f64>,
    bias: bool,
    /// The largest magnitude of each input.
    largest: Vec<f64>,
}

impl Strips {
    /// From inputs and targets row by row, with as many rows. Where there are scales, `targets` are multiplied with them already. `largest` holds the
    /// largest magnitude of each input in all samples.
    pub(crate) fn new(
        topology: &Topology,
        mut inputs: Vec<f64>,
        targets: Vec<f64>,
        scales: Vec<f64>,
        bias: bool,
        largest: Vec<f64>,
    ) -> Self {
        let rows = targets.len() / topology.outputs();
        let columns = topology.last_hidden() + usize::from(bias);
        let fitting = (ROOM / (WIDTH * (columns + topology.outputs()))).saturating_sub(columns);
        let height = (fitting / TILE * TILE).clamp(HEIGHTS.0, HEIGHTS.1);
        inputs.resize(rows.next_multiple_of(TILE) * topology.inputs(), 0.0);
        Self { rows, height, inputs, targets, scales, bias, largest }
    }

    /// How many strips there are.
    pub(crate) fn count(&self) -> usize {
        self.rows.div_ceil(self.height)
    }

    /// Rows of a strip.
    pub(crate) fn height(&self) -> usize {
        self.height
    }
}

/// Buffers, and what was found.
#[derive(Clone, Debug)]
pub(crate) struct GrowingWork {
    /// Parameters of the candidates: `parameters[i]` holds parameter `i` of each.
    pub(crate) parameters: Vec<Block>,
    /// The same in units that suit `tanh`.
    scaled: Vec<Block>,
    /// Error bounds of the outputs of the layer before and of the current one.
    errors: [Vec<Block>; 2],
    /// Outputs of the layer before and of the current layer, for one strip.
    layers: [Vec<Block>; 2],
    /// Columns, then targets: a strip, and below it what is left of the strips before.
    matrix: Vec<Block>,
    /// Rows that each of these has room for.
    stride: usize,
    /// Scalar products with the current column.
    products: Vec<Block>,
    triangle: Triangle,
    pub(crate) found: Found,
    /// Squared norms of the columns, over what was looked at.
    pub(crate) norms: Vec<Block>,
    /// For each column a bound on the error of each of its numbers, before it is scaled: the sum of the squares of these.
    pub(crate) error: Block,
}

impl GrowingWork {
    pub(crate) fn new(topology: &Topology, strips: &Strips) -> Self {
        let widest = topology.hidden().iter().max().copied().unwrap_or(0);
        let columns = topology.last_hidden() + usize::from(strips.bias);
        let total = columns + topology.outputs();
        let stride = strips.height + columns;
        let room = |n: usize| vec![Block::ZERO; n];
        Self {
            parameters: room(topology.dim()),
            scaled: room(topology.dim()),
            errors: [room(widest), room(widest)],
            layers: [(); 2].map(|()| room(widest * strips.height)),
            matrix: room(total * stride),
            stride,
            products: room(total),
            triangle: Triangle::new(columns, topology.outputs()),
            found: Found::new(topology.outputs()),
            norms: room(columns),
            error: Block::ZERO,
        }
    }
}

dispatch! {
    /// Looks at the eight candidates in `work.parameters`, until the sum of squared residuals of each is more than `enough`.
    pub(crate) fn grow(topology: &Topology, strips: &Strips, enough: &Block, work: &mut GrowingWork) = grow_generic
}

#[inline(always)]
fn grow_generic<L: Lanes>(topology: &Topology, strips: &Strips, enough: &Block, work: &mut GrowingWork) {
    work.found.squares.fill(Block::ZERO);
    for (scaled, parameter) in work.scaled.iter_mut().zip(&work.parameters) {
        L::load(parameter).mul(L::splat(SIXTEENTHS)).store(scaled);
    }
    for first in (0..strips.rows).step_by(strips.height) {
        let rows = (strips.rows - first).min(strips.height);
        let padded = rows.next_multiple_of(TILE);
        forward::<L>(topology, strips, first, padded, work);
        complete::<L>(topology, strips, first..first + rows, padded, work);
        let carried = first > 0;
        if carried {
            carry::<L>(padded, work);
        }
        orthogonalise::<L>(padded, carried, work);
        let sum = |lane: usize| work.found.squares.iter().map(|square| square[lane]).sum::<f64>();
        if (0..WIDTH).all(|lane| sum(lane) > enough[lane]) {
            break;
        }
    }
    work.triangle.sizes::<L>(&mut work.found);
    let roughness = Roughness { unit: f64::EPSILON, tanh: QUICK_ERROR, largest: &strips.largest };
    spread::<L>(topology, &work.parameters, roughness, &mut work.errors).store(&mut work.error);
}

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

/// A strip through all hidden layers.
#[inline(always)]
fn forward<L: Lanes>(
    topology: &Topology,
    strips: &Strips,
    first: usize,
    padded: usize,
    work: &mut GrowingWork,
) {
    let (last, inputs) = (topology.hidden().len() - 1, topology.inputs());
    let [from, to] = &mut work.layers;
    let (mut from, mut to) = (from, to);
    for (l, neurons) in topology.hidden().iter().enumerate() {
        let parameters = &work.scaled[topology.layer(l)];
        let size = parameters.len() / neurons;
        for (n, eta) in parameters.chunks_exact(size).enumerate() {
            let (weights, shift) = eta.split_at(size - 1);
            let shift = L::load(&shift[0]);
            let out = if l == last {
                &mut work.matrix[n * work.stride..][..padded]
            } else {
                &mut to[n * padded..][..padded]
            };
            for (tile, out) in out.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
                let start = tile * TILE;
                let mut sums = [shift; TILE];
                if l == 0 {
                    let x = &strips.inputs[(first + start) * inputs..][..TILE * inputs];
                    for (i, w) in weights.iter().enumerate() {
                        let w = L::load(w);
                        for row in 0..TILE {
                            sums[row] = w.mul_add(L::splat(x[row * inputs + i]), sums[row]);
                        }
                    }
                } else {
                    for (i, w) in weights.iter().enumerate() {
                        let (w, x) = (L::load(w), &from[i * padded + start..][..TILE]);
                        for row in 0..TILE {
                            sums[row] = w.mul_add(L::load(&x[row]), sums[row]);
                        }
                    }
                }
                for row in 0..TILE {
                    tanh_of_sixteenths(sums[row]).store(&mut out[row]);
                }
            }
        }
        std::mem::swap(&mut from, &mut to);
    }
}

/// Bias, scales, targets, and nothing in the rows behind the last sample.
#[inline(always)]
fn complete<L: Lanes>(
    topology: &Topology,
    strips: &Strips,
    range: std::ops::Range<usize>,
    padded: usize,
    work: &mut GrowingWork,
) {
    let (outputs, targets) = (topology.last_hidden(), topology.outputs());
    let rows = range.len();
    let columns = outputs + usize::from(strips.bias);
    let (hidden, others) = work.matrix.split_at_mut(outputs * work.stride);
    let (bias, of_targets) = others.split_at_mut((columns - outputs) * work.stride);
    if !strips.scales.is_empty() {
        for column in hidden.chunks_exact_mut(work.stride) {
            for (block, scale) in column.iter_mut().zip(&strips.scales[range.clone()]) {
                L::load(block).mul(L::splat(*scale)).store(block);
            }
        }
    }
    for column in bias.chunks_exact_mut(work.stride) {
        column[..rows].fill(Block::splat(1.0));
        for (block, scale) in column.iter_mut().zip(strips.scales.get(range.clone()).unwrap_or_default()) {
            *block = Block::splat(*scale);
        }
    }
    for (t, column) in of_targets.chunks_exact_mut(work.stride).enumerate() {
        for (block, row) in column.iter_mut().zip(range.clone()) {
            *block = Block::splat(strips.targets[row * targets + t]);
        }
    }
    for column in work.matrix.chunks_exact_mut(work.stride) {
        column[rows..padded].fill(Block::ZERO);
    }
}

/// Writes what is left of the strips before below the strip: row `k` of the triangle, times the norm of column `k`.
#[inline(always)]
fn carry<L: Lanes>(padded: usize, work: &mut GrowingWork) {
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
fn orthogonalise<L: Lanes>(padded: usize, carried: bool, work: &mut GrowingWork) {
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
