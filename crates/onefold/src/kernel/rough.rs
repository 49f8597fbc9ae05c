//! Sixteen candidates at once over all samples, in single precision, with what is needed to bound the error of that.
//!
//! A lane is a candidate. Hidden outputs are singles; their scalar products are summed in double precision, where products of singles
//! are exact, so that only the outputs themselves are rough.

use super::dispatch;
use super::lanes::{Block, Lanes, WIDTH};
use super::singles::{SingleBlock, Singles, TANH_ERROR, tanh};
use super::spread::{Roughness, spread};
use super::triangle::{Found, Triangle};
use crate::Topology;
use products::accumulate;

mod products;

/// Samples that are worked on at a time: what a neuron receives from them stays in registers, and what it puts out in the nearest cache.
const TILE: usize = 8;
/// Relative error of one rounding to single precision.
const UNIT: f64 = f32::EPSILON as f64 / 2.0;

/// All samples, in tiles; the last one is filled up with zeros.
#[derive(Clone, Debug)]
pub(crate) struct Rough {
    rows: usize,
    /// `inputs[tile * d + i]`
    inputs: Vec<[f32; TILE]>,
    /// `targets[tile * q + output]`
    targets: Vec<[f64; TILE]>,
    /// The largest magnitude of each input, at least that below which roundings are no longer relative.
    largest: Vec<f64>,
    /// The sum of squares of each target.
    pub(crate) squares: Vec<f64>,
    /// Whether the outputs have a bias.
    bias: bool,
}

impl Rough {
    /// From columns of inputs and of targets, of the same length.
    pub(crate) fn new(inputs: &[Vec<f64>], targets: &[Vec<f64>], bias: bool) -> Self {
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
            bias,
        }
    }
}

fn tile(column: &[f64], first: usize) -> [f64; TILE] {
    std::array::from_fn(|i| column.get(first + i).copied().unwrap_or(0.0))
}

/// Buffers, and what was found.
#[derive(Clone, Debug)]
pub(crate) struct RoughWork {
    /// Parameters of the candidates: `parameters[i]` holds parameter `i` of each.
    pub(crate) parameters: Vec<SingleBlock>,
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
    found: Found,
    /// The sum of the squared norms of the columns.
    trace: Block,
    /// For each column a bound on the error of each of its numbers: the sum of the squares of these.
    error: Block,
}

/// What was found for one candidate: its place in `found`, and how rough its columns are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoughFound<'a> {
    pub(crate) found: &'a Found,
    pub(crate) lane: usize,
    /// The sum of the squared norms of the columns.
    pub(crate) trace: f64,
    /// For each column a bound on the error of each of its numbers: the sum of the squares of these.
    pub(crate) error: f64,
}

impl RoughWork {
    pub(crate) fn new(topology: &Topology, rough: &Rough) -> Self {
        let widest = topology.hidden().iter().max().copied().unwrap_or(0);
        let columns = topology.last_hidden() + usize::from(rough.bias);
        let room = |n: usize| vec![Block::ZERO; n];
        let half = Half {
            columns: vec![[Block::ZERO; TILE]; columns],
            triangle: Triangle::new(columns, topology.outputs()),
            parameters: room(topology.dim()),
            errors: [room(widest), room(widest)],
            found: Found::new(topology.outputs()),
            trace: Block::ZERO,
            error: Block::ZERO,
        };
        Self {
            parameters: vec![SingleBlock::ZERO; topology.dim()],
            layers: [(); 2].map(|()| vec![[SingleBlock::ZERO; TILE]; widest]),
            halves: [half.clone(), half],
        }
    }

    /// What was found for the candidate in a lane.
    pub(crate) fn found(&self, lane: usize) -> RoughFound<'_> {
        let (half, lane) = (&self.halves[lane / WIDTH], lane % WIDTH);
        RoughFound { found: &half.found, lane, trace: half.trace[lane], error: half.error[lane] }
    }
}

dispatch! {
    /// Looks at the sixteen candidates in `work.parameters`.
    pub(crate) fn rough(topology: &Topology, rough: &Rough, work: &mut RoughWork) = rough_generic
}

#[cfg(test)]
dispatch! {
    /// `tanh` of every number.
    pub(crate) fn tanh_of_singles(x: &mut SingleBlock) = tanh_generic
}

#[cfg(test)]
#[inline(always)]
fn tanh_generic<L: Lanes>(x: &mut SingleBlock) {
    tanh(L::Singles::load(x)).store(x);
}

#[inline(always)]
fn rough_generic<L: Lanes>(topology: &Topology, rough: &Rough, work: &mut RoughWork) {
    for half in &mut work.halves {
        half.triangle.factor.fill(Block::ZERO);
        half.triangle.with_targets.fill(Block::ZERO);
    }
    let tiles = rough.inputs.chunks_exact(topology.inputs());
    for (number, (inputs, targets)) in tiles.zip(rough.targets.chunks_exact(topology.outputs())).enumerate() {
        forward::<L>(topology, inputs, work);
        for half in &mut work.halves {
            // Rows behind the last sample count for nothing.
            let filled = (rough.rows - number * TILE).min(TILE);
            for column in &mut half.columns[topology.last_hidden()..] {
                column.fill(Block::splat(1.0));
            }
            if filled < TILE {
                half.columns.iter_mut().for_each(|column| column[filled..].fill(Block::ZERO));
            }
            accumulate::<L>(targets, half);
        }
    }
    for half in &mut work.halves {
        solve::<L>(rough, half);
    }
    errors::<L>(topology, rough, work);
}

/// A tile of samples through all hidden layers.
#[inline(always)]
fn forward<L: Lanes>(topology: &Topology, inputs: &[[f32; TILE]], work: &mut RoughWork) {
    let last = topology.hidden().len() - 1;
    let [from, to] = &mut work.layers;
    let (mut from, mut to) = (from, to);
    let [low, high] = &mut work.halves;
    for (l, neurons) in topology.hidden().iter().enumerate() {
        let parameters = &work.parameters[topology.layer(l)];
        let size = parameters.len() / neurons;
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

/// Residuals, weights and the trace of the inverse, from the scalar products.
#[inline(always)]
fn solve<L: Lanes>(rough: &Rough, half: &mut Half) {
    let Half { triangle, found, .. } = half;
    let Triangle { factor, with_targets, inverse, .. } = triangle;
    let total = inverse.len();
    let mut trace = L::splat(0.0);
    for k in 0..total {
        trace = trace.add(L::load(&factor[k * total + k]));
    }
    trace.store(&mut half.trace);
    for k in 0..total {
        let one_by = L::splat(1.0).div(L::load(&factor[k * total + k]));
        one_by.store(&mut inverse[k]);
        let (done, rest) = factor.split_at_mut((k + 1) * total);
        let row = &mut done[k * total..];
        for i in k + 1..total {
            let share = L::load(&row[i]).mul(one_by);
            let to = &mut rest[(i - k - 1) * total..][..total];
            for j in i..total {
                share.neg_mul_add(L::load(&row[j]), L::load(&to[j])).store(&mut to[j]);
            }
            for target in with_targets.chunks_exact_mut(total) {
                share.neg_mul_add(L::load(&target[k]), L::load(&target[i])).store(&mut target[i]);
            }
        }
        for v in &mut row[k + 1..] {
            L::load(v).mul(one_by).store(v);
        }
    }
    for (t, target) in with_targets.chunks_exact_mut(total).enumerate() {
        let mut squares = L::splat(rough.squares[t]);
        for (v, inverse) in target.iter_mut().zip(inverse.iter()) {
            let product = L::load(v);
            let share = product.mul(L::load(inverse));
            squares = share.neg_mul_add(product, squares);
            share.store(v);
        }
        squares.store(&mut found.squares[t]);
    }
    triangle.sizes::<L>(found);
}

/// How far hidden outputs can be from those of the exact evaluation.
#[inline(always)]
fn errors<L: Lanes>(topology: &Topology, rough: &Rough, work: &mut RoughWork) {
    let RoughWork { parameters, halves: [low, high], .. } = work;
    for (i, block) in parameters.iter().enumerate() {
        let [a, b] = L::Singles::load(block).widen();
        a.store(&mut low.parameters[i]);
        b.store(&mut high.parameters[i]);
    }
    let roughness = Roughness { unit: UNIT, tanh: TANH_ERROR, largest: &rough.largest };
    for half in [low, high] {
        spread::<L>(topology, &half.parameters, roughness, &mut half.errors).store(&mut half.error);
    }
}
