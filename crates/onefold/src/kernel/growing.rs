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
use gram_schmidt::{carry, orthogonalise};

mod gram_schmidt;
mod proof;

pub(crate) use proof::{Proof, lower_bounds};

/// Samples whose sums are in registers together.
const TILE: usize = 4;
/// Numbers in a strip: about the nearest cache of most processors. Measured: from half to three times as many make no difference.
const ROOM: usize = 32 * 1024 / size_of::<f64>();
/// Least and largest number of rows of a strip.
const HEIGHTS: (usize, usize) = (16, 64);
const _: () = assert!(HEIGHTS.0.is_multiple_of(TILE) && HEIGHTS.1.is_multiple_of(TILE));

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
