//! Least squares of eight candidates at once in double precision, over more and more of the samples.
//!
//! Hidden outputs come from a `tanh` that is faster and less exact than that of the full evaluation. Samples
//! are processed in chunks that fit into the first-level cache. The chunks before are represented by their
//! triangular factor, whose rows stand below those of the next chunk: they have the same scalar products as
//! all samples that they summarise. Columns are orthogonalised by modified Gram-Schmidt in their given order.
//! The residual over the samples so far never decreases.

use super::super::lanes::{Block, Lanes, WIDTH, transpose};
use super::super::shape::Shape;
use super::super::tanh::{QUICK_ERROR, SIXTEENTHS, TOGETHER, tanhs_of_sixteenths};
use super::super::{dispatch, poll};
use super::error_bounds::{Perturbed, Rounding, propagate};
use super::triangle::{Solutions, Triangle};
use gram_schmidt::{append_factor, orthogonalise};

mod gram_schmidt;

/// Samples whose sums are in registers together.
const TILE: usize = TOGETHER;
/// Numbers in a chunk: about the first-level cache of most processors. Measured: from half to three times as
/// many make no difference.
const ROOM: usize = 32 * 1024 / size_of::<f64>();
/// Least and largest number of rows of a chunk.
const CHUNKS: (usize, usize) = (16, 64);
const _: () = assert!(CHUNKS.0.is_multiple_of(TILE) && CHUNKS.1.is_multiple_of(TILE));

/// Samples, or quadrature nodes in their place, in the order in which they are processed.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    pub(crate) rows: usize,
    /// Rows of a chunk: a multiple of the tile.
    chunk: usize,
    /// `inputs[row * d + i]`, up to a whole tile.
    inputs: Vec<f64>,
    /// `targets[row * q + output]`
    targets: Vec<f64>,
    /// Factors of the rows of hidden outputs and bias; empty where all are 1.
    scales: Vec<f64>,
    /// The largest magnitude of each input.
    largest: Vec<f64>,
}

impl Samples {
    /// From inputs and targets row by row, with as many rows. Where there are scales, `targets` are
    /// multiplied with them already. `largest` holds the largest magnitude of each input in all samples.
    pub(crate) fn new(
        shape: &Shape,
        mut inputs: Vec<f64>,
        targets: Vec<f64>,
        scales: Vec<f64>,
        largest: Vec<f64>,
    ) -> Self {
        let rows = targets.len() / shape.outputs;
        let columns = shape.columns();
        let fitting = (ROOM / (WIDTH * (columns + shape.outputs))).saturating_sub(columns);
        let chunk = (fitting / TILE * TILE).clamp(CHUNKS.0, CHUNKS.1);
        inputs.resize(rows.next_multiple_of(TILE) * shape.inputs, 0.0);
        Self { rows, chunk, inputs, targets, scales, largest }
    }

    /// The same in chunks of hardly more than this many rows, if that is less.
    pub(crate) fn in_chunks_of(self, rows: usize) -> Self {
        Self { chunk: self.chunk.min(rows.next_multiple_of(TILE)), ..self }
    }

    /// Takes the first of these rows, inputs and targets, in place of its own.
    pub(crate) fn replace<'a>(&mut self, rows: impl Iterator<Item = (&'a [f64], &'a [f64])>) {
        let (d, q) = (self.largest.len(), self.targets.len() / self.rows);
        let own = self.inputs.chunks_exact_mut(d).zip(self.targets.chunks_exact_mut(q));
        for ((input, target), (new_input, new_target)) in own.zip(rows) {
            input.copy_from_slice(new_input);
            target.copy_from_slice(new_target);
        }
    }

    /// Number of chunks.
    pub(crate) fn chunks(&self) -> usize {
        self.rows.div_ceil(self.chunk)
    }

    /// Rows of a chunk.
    pub(crate) fn chunk(&self) -> usize {
        self.chunk
    }
}

/// Candidates, buffers for them, and their solutions.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    /// Parameters of the candidates: `parameters[i]` holds parameter `i` of each.
    pub(crate) parameters: Vec<Block>,
    /// The same in the units of the fast `tanh`.
    scaled: Vec<Block>,
    /// Error bounds of the outputs of the layer before and of the current one.
    errors: [Vec<Block>; 2],
    /// Outputs of the layer before and of the current layer, for one chunk.
    layers: [Vec<Block>; 2],
    /// Columns, then targets: a chunk, and below it the factor of the chunks before.
    matrix: Vec<Block>,
    /// Rows that each of these has room for.
    stride: usize,
    /// Scalar products with the current column.
    products: Vec<Block>,
    triangle: Triangle,
    /// Solutions over the samples that were processed.
    pub(crate) found: Perturbed,
}

impl Work {
    pub(crate) fn new(shape: &Shape, samples: &Samples) -> Self {
        let widest = shape.widest();
        let columns = shape.columns();
        let total = columns + shape.outputs;
        let stride = samples.chunk + columns;
        let room = |n: usize| vec![Block::ZERO; n];
        Self {
            parameters: room(shape.dim()),
            scaled: room(shape.dim()),
            errors: [room(widest), room(widest)],
            layers: [(); 2].map(|()| room(widest * samples.chunk)),
            matrix: room(total * stride),
            stride,
            products: room(total),
            triangle: Triangle::new(columns, shape.outputs),
            found: Perturbed {
                solutions: Solutions::new(shape.outputs),
                norms: room(columns),
                error: Block::ZERO,
            },
        }
    }

    /// Takes over the parameters of the candidates.
    pub(crate) fn load(&mut self, candidates: &[&[f64]; WIDTH]) {
        transpose(candidates, &mut self.parameters);
    }
}

dispatch! {
    /// Solves the least-squares problems of the eight candidates in `work.parameters` over as many samples as
    /// it takes until the sum of squared residuals of each is more than `enough`.
    pub(crate) fn solve(shape: &Shape, samples: &Samples, enough: &Block, work: &mut Work) {
        solve_generic
    }
}

#[inline(always)]
fn solve_generic<L: Lanes>(shape: &Shape, samples: &Samples, enough: &Block, work: &mut Work) {
    work.found.solutions.squares.fill(Block::ZERO);
    for (scaled, parameter) in work.scaled.iter_mut().zip(&work.parameters) {
        L::load(parameter).mul(L::splat(SIXTEENTHS)).store(scaled);
    }
    for first in (0..samples.rows).step_by(samples.chunk) {
        let rows = (samples.rows - first).min(samples.chunk);
        if poll(8 * rows * (shape.dim() + shape.columns() * shape.columns())) {
            return;
        }
        let padded = rows.next_multiple_of(TILE);
        forward::<L>(shape, samples, first, padded, work);
        complete::<L>(shape, samples, first..first + rows, padded, work);
        let is_appended = first > 0;
        if is_appended {
            append_factor::<L>(padded, work);
        }
        orthogonalise::<L>(padded, is_appended, work);
        let sum = |lane: usize| work.found.solutions.squares.iter().map(|square| square[lane]).sum::<f64>();
        if (0..WIDTH).all(|lane| sum(lane) > enough[lane]) {
            break;
        }
    }
    work.triangle.back_substitute::<L>(&mut work.found.solutions);
    let rounding = Rounding { unit: f64::EPSILON, tanh: QUICK_ERROR, largest: &samples.largest };
    propagate::<L>(shape, &work.parameters, rounding, &mut work.errors).store(&mut work.found.error);
}

/// A chunk through all hidden layers.
#[inline(always)]
fn forward<L: Lanes>(shape: &Shape, samples: &Samples, first: usize, padded: usize, work: &mut Work) {
    let (last, inputs) = (shape.hidden.len() - 1, shape.inputs);
    let [from, to] = &mut work.layers;
    let (mut from, mut to) = (from, to);
    for (l, layer) in shape.hidden.iter().enumerate() {
        let parameters = &work.scaled[layer.parameters.clone()];
        let size = parameters.len() / layer.neurons;
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
                    let x = &samples.inputs[(first + start) * inputs..][..TILE * inputs];
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
                let outputs = tanhs_of_sixteenths(sums);
                for row in 0..TILE {
                    outputs[row].store(&mut out[row]);
                }
            }
        }
        std::mem::swap(&mut from, &mut to);
    }
}

/// Bias, scales, targets, and zeros in the rows behind the last sample.
#[inline(always)]
fn complete<L: Lanes>(
    shape: &Shape,
    samples: &Samples,
    range: std::ops::Range<usize>,
    padded: usize,
    work: &mut Work,
) {
    let (outputs, targets) = (shape.last_hidden(), shape.outputs);
    let (rows, columns) = (range.len(), shape.columns());
    let (hidden, others) = work.matrix.split_at_mut(outputs * work.stride);
    let (bias, of_targets) = others.split_at_mut((columns - outputs) * work.stride);
    if !samples.scales.is_empty() {
        for column in hidden.chunks_exact_mut(work.stride) {
            for (block, scale) in column.iter_mut().zip(&samples.scales[range.clone()]) {
                L::load(block).mul(L::splat(*scale)).store(block);
            }
        }
    }
    for column in bias.chunks_exact_mut(work.stride) {
        column[..rows].fill(Block::splat(1.0));
        for (block, scale) in column.iter_mut().zip(samples.scales.get(range.clone()).unwrap_or_default()) {
            *block = Block::splat(*scale);
        }
    }
    for (t, column) in of_targets.chunks_exact_mut(work.stride).enumerate() {
        for (block, row) in column.iter_mut().zip(range.clone()) {
            *block = Block::splat(samples.targets[row * targets + t]);
        }
    }
    for column in work.matrix.chunks_exact_mut(work.stride) {
        column[rows..padded].fill(Block::ZERO);
    }
}
