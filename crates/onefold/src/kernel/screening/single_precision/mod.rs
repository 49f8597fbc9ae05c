//! Least squares of sixteen candidates at once over all samples, with hidden outputs in single precision.
//!
//! Scalar products are summed in double precision, in which products of two single-precision numbers are
//! exact, so that only the hidden outputs themselves have single-precision errors. These errors are bounded
//! along with the solutions.

use super::super::lanes::{Block, Lanes, WIDTH};
use super::super::shape::Shape;
use super::super::singles::{SINGLES, SingleBlock, Singles, TANH_ERROR, tanh};
use super::super::{LONG, dispatch, poll};
use super::error_bounds::{Rounding, propagate};
use super::triangle::{Solutions, Triangle};
use products::accumulate;
use std::ops::Deref;

mod products;

/// Samples that are processed at a time: a neuron's sums for them stay in registers, and its outputs in the
/// first-level cache.
const TILE: usize = 8;
/// Relative error of one rounding to single precision.
const UNIT: f64 = f32::EPSILON as f64 / 2.0;

/// All samples, in tiles; the last one is filled up with zeros.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    rows: usize,
    /// `inputs[tile * d + i]`
    inputs: Vec<[f32; TILE]>,
    /// `targets[tile * q + output]`
    targets: Vec<[f64; TILE]>,
    /// The largest magnitude of each input, at least the smallest normal number: below that roundings are no
    /// longer relative.
    largest: Vec<f64>,
    /// The sum of squares of each target.
    pub(crate) squares: Vec<f64>,
}

impl Samples {
    /// From columns of inputs and of targets, of the same length.
    pub(crate) fn new(inputs: &[impl Deref<Target = [f64]>], targets: &[Vec<f64>]) -> Self {
        let rows = targets[0].len();
        let starts = || (0..rows).step_by(TILE);
        Self {
            rows,
            inputs: starts()
                .flat_map(|first| inputs.iter().map(move |c| tile(c, first).map(|v| v as f32)))
                .collect(),
            targets: starts().flat_map(|first| targets.iter().map(move |c| tile(c, first))).collect(),
            largest: inputs
                .iter()
                .map(|c| c.iter().fold(f64::from(f32::MIN_POSITIVE), |a, v| a.max(v.abs())))
                .collect(),
            squares: targets.iter().map(|c| c.iter().map(|v| v * v).sum()).collect(),
        }
    }
}

fn tile(column: &[f64], first: usize) -> [f64; TILE] {
    std::array::from_fn(|i| column.get(first + i).copied().unwrap_or(0.0))
}

/// Candidates, buffers for them, and their solutions.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    /// Parameters of the candidates: `parameters[i]` holds parameter `i` of each.
    parameters: Vec<SingleBlock>,
    /// Outputs of the layer before and of the current layer, for one tile.
    layers: [Vec<[SingleBlock; TILE]>; 2],
    halves: [Half; 2],
}

/// Eight of the candidates.
#[derive(Clone, Debug)]
struct Half {
    /// Columns of the least-squares problem, for one tile.
    columns: Vec<[Block; TILE]>,
    /// Scalar products of columns, and of targets and columns; then their factor.
    triangle: Triangle,
    parameters: Vec<Block>,
    /// Error bounds of the outputs of the layer before and of the current one.
    errors: [Vec<Block>; 2],
    solutions: Solutions,
    /// The sum of the squared norms of the columns.
    trace: Block,
    /// For each column a bound on the error of each of its numbers: the sum of the squares of these.
    error: Block,
}

/// The solution of one candidate, and the errors of its columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    /// Solutions of eight candidates.
    pub(crate) solutions: &'a Solutions,
    /// Which of them is this one.
    pub(crate) lane: usize,
    /// The sum of the squared norms of the columns.
    pub(crate) trace: f64,
    /// For each column a bound on the error of each of its numbers: the sum of the squares of these.
    pub(crate) error: f64,
}

impl Work {
    pub(crate) fn new(shape: &Shape) -> Self {
        let (widest, columns) = (shape.widest(), shape.columns());
        let room = |n: usize| vec![Block::ZERO; n];
        let half = Half {
            columns: vec![[Block::ZERO; TILE]; columns],
            triangle: Triangle::new(columns, shape.outputs),
            parameters: room(shape.dim()),
            errors: [room(widest), room(widest)],
            solutions: Solutions::new(shape.outputs),
            trace: Block::ZERO,
            error: Block::ZERO,
        };
        Self {
            parameters: vec![SingleBlock::ZERO; shape.dim()],
            layers: [(); 2].map(|()| vec![[SingleBlock::ZERO; TILE]; widest]),
            halves: [half.clone(), half],
        }
    }

    /// Takes over the candidates, rounded to single precision.
    pub(crate) fn load(&mut self, candidates: &[&[f64]; SINGLES]) {
        for (i, block) in self.parameters.iter_mut().enumerate() {
            block.0 = std::array::from_fn(|lane| candidates[lane][i] as f32);
        }
    }

    /// The solution of the candidate in a lane.
    pub(crate) fn found(&self, lane: usize) -> Found<'_> {
        let (half, lane) = (&self.halves[lane / WIDTH], lane % WIDTH);
        Found { solutions: &half.solutions, lane, trace: half.trace[lane], error: half.error[lane] }
    }
}

dispatch! {
    /// Solves the least-squares problems of the sixteen candidates in `work`.
    pub(crate) fn solve(shape: &Shape, samples: &Samples, work: &mut Work) {
        solve_generic
    }
}

#[inline(always)]
fn solve_generic<L: Lanes>(shape: &Shape, samples: &Samples, work: &mut Work) {
    for half in &mut work.halves {
        half.triangle.factor.fill(Block::ZERO);
        half.triangle.with_targets.fill(Block::ZERO);
    }
    let of_tile = 2 * TILE * (shape.dim() + shape.columns() * shape.columns());
    let is_long = of_tile * samples.rows >= LONG;
    let tiles = samples.inputs.chunks_exact(shape.inputs);
    for (number, (inputs, targets)) in tiles.zip(samples.targets.chunks_exact(shape.outputs)).enumerate() {
        if is_long && poll(8 * of_tile) {
            return;
        }
        forward::<L>(shape, inputs, work);
        for half in &mut work.halves {
            // Rows behind the last sample are zero.
            let filled = (samples.rows - number * TILE).min(TILE);
            for column in &mut half.columns[shape.last_hidden()..] {
                column.fill(Block::splat(1.0));
            }
            if filled < TILE {
                half.columns.iter_mut().for_each(|column| column[filled..].fill(Block::ZERO));
            }
            accumulate::<L>(targets, half);
        }
    }
    for half in &mut work.halves {
        eliminate::<L>(samples, half);
    }
    errors::<L>(shape, samples, work);
}

/// A tile of samples through all hidden layers.
#[inline(always)]
fn forward<L: Lanes>(shape: &Shape, inputs: &[[f32; TILE]], work: &mut Work) {
    let last = shape.hidden.len() - 1;
    let [from, to] = &mut work.layers;
    let (mut from, mut to) = (from, to);
    let [low, high] = &mut work.halves;
    for (l, layer) in shape.hidden.iter().enumerate() {
        let parameters = &work.parameters[layer.parameters.clone()];
        let size = parameters.len() / layer.neurons;
        for (n, eta) in parameters.chunks_exact(size).enumerate() {
            let (weights, shift) = eta.split_at(size - 1);
            let shift = L::Singles::load(&shift[0]);
            let mut sums = [shift; TILE];
            if l == 0 {
                for (w, x) in weights.iter().zip(inputs) {
                    let w = L::Singles::load(w);
                    for row in 0..TILE {
                        sums[row] = w.mul_add(L::Singles::splat(x[row]), sums[row]);
                    }
                }
            } else {
                for (w, x) in weights.iter().zip(from.iter()) {
                    let w = L::Singles::load(w);
                    for row in 0..TILE {
                        sums[row] = w.mul_add(L::Singles::load(&x[row]), sums[row]);
                    }
                }
            }
            if l == last {
                let (low, high) = (&mut low.columns[n], &mut high.columns[n]);
                for row in 0..TILE {
                    let [a, b] = tanh(sums[row]).widen();
                    a.store(&mut low[row]);
                    b.store(&mut high[row]);
                }
            } else {
                let to = &mut to[n];
                for row in 0..TILE {
                    tanh(sums[row]).store(&mut to[row]);
                }
            }
        }
        std::mem::swap(&mut from, &mut to);
    }
}

/// Residuals, weights and the trace of the inverse from the scalar products, by elimination.
#[inline(always)]
fn eliminate<L: Lanes>(samples: &Samples, half: &mut Half) {
    let Half { triangle, solutions, .. } = half;
    let Triangle { factor, with_targets, inverse, .. } = triangle;
    let total = inverse.len();
    let mut trace = L::splat(0.0);
    for k in 0..total {
        trace = trace.add(L::load(&factor[k * total + k]));
    }
    trace.store(&mut half.trace);
    let is_long = total * total * total >= LONG;
    for k in 0..total {
        if is_long && poll(4 * (total - k) * (total - k)) {
            return;
        }
        let one_by = L::splat(1.0).div(L::load(&factor[k * total + k]));
        one_by.store(&mut inverse[k]);
        let (done, rest) = factor.split_at_mut((k + 1) * total);
        let row = &mut done[k * total..];
        for i in k + 1..total {
            let coefficient = L::load(&row[i]).mul(one_by);
            let to = &mut rest[(i - k - 1) * total..][..total];
            for j in i..total {
                coefficient.neg_mul_add(L::load(&row[j]), L::load(&to[j])).store(&mut to[j]);
            }
            for target in with_targets.chunks_exact_mut(total) {
                coefficient.neg_mul_add(L::load(&target[k]), L::load(&target[i])).store(&mut target[i]);
            }
        }
        for v in &mut row[k + 1..] {
            L::load(v).mul(one_by).store(v);
        }
    }
    for (t, target) in with_targets.chunks_exact_mut(total).enumerate() {
        let mut squares = L::splat(samples.squares[t]);
        for (v, inverse) in target.iter_mut().zip(inverse.iter()) {
            let product = L::load(v);
            let coefficient = product.mul(L::load(inverse));
            squares = coefficient.neg_mul_add(product, squares);
            coefficient.store(v);
        }
        squares.store(&mut solutions.squares[t]);
    }
    triangle.back_substitute::<L>(solutions);
}

/// Bounds on the errors of hidden outputs.
#[inline(always)]
fn errors<L: Lanes>(shape: &Shape, samples: &Samples, work: &mut Work) {
    let Work { parameters, halves: [low, high], .. } = work;
    for (i, block) in parameters.iter().enumerate() {
        let [a, b] = L::Singles::load(block).widen();
        a.store(&mut low.parameters[i]);
        b.store(&mut high.parameters[i]);
    }
    let rounding = Rounding { unit: UNIT, tanh: TANH_ERROR, largest: &samples.largest };
    for half in [low, high] {
        propagate::<L>(shape, &half.parameters, rounding, &mut half.errors).store(&mut half.error);
    }
}
