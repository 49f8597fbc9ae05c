//! Least squares of eight candidates at once, over a subset of the samples.

use super::super::factor::{Scale, project_out};
use super::super::lanes::{Block, Lanes, WIDTH, transpose};
use super::super::shape::Shape;
use super::super::tanh::tanh;
use super::super::{LONG, dispatch, poll};

/// The subset, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    pub(crate) rows: usize,
    /// `inputs[row * d + i]`
    pub(crate) inputs: Vec<f64>,
    /// `targets[output * rows + row]`
    pub(crate) targets: Vec<f64>,
}

/// Candidates, and buffers for them.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    /// Parameters of the candidates: `parameters[i]` holds parameter `i` of each.
    pub(super) parameters: Vec<Block>,
    /// Outputs of the layer before and of the current layer, for one sample.
    layers: [Vec<Block>; 2],
    /// Columns of the least-squares problems, then their targets, one block for each sample.
    matrix: Vec<Block>,
    /// Squared norms of the columns.
    original: Vec<Block>,
    /// Squared norms of what is left of columns and targets after projections.
    left: Vec<Block>,
    /// Coefficients of the last projection.
    used: Vec<Block>,
}

impl Work {
    pub(crate) fn new(shape: &Shape, samples: &Samples) -> Self {
        let columns = shape.columns();
        let total = columns + shape.outputs;
        Self {
            parameters: vec![Block::ZERO; shape.dim()],
            layers: [(); 2].map(|()| vec![Block::ZERO; shape.widest()]),
            matrix: vec![Block::ZERO; total * samples.rows],
            original: vec![Block::ZERO; columns],
            left: vec![Block::ZERO; total],
            used: vec![Block::ZERO; total],
        }
    }

    /// Takes over the parameters of the candidates.
    pub(crate) fn load(&mut self, candidates: &[&[f64]; WIDTH]) {
        transpose(candidates, &mut self.parameters);
    }
}

/// The solutions for all candidates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Sum of squared residuals over the subset and all outputs.
    pub(crate) squares: Block,
    /// Smallest share of its squared norm that a column had left: the measure of how exact the squares are.
    pub(crate) least_share: Block,
}

/// Every lane is a least-squares problem of its own.
#[derive(Clone, Copy)]
struct EachLane<L> {
    inverse: L,
}

impl<L: Lanes> Scale<L> for EachLane<L> {
    #[inline(always)]
    fn scale(self, products: L) -> L {
        products.mul(self.inverse)
    }
}

dispatch! {
    /// Solves the least-squares problems of the eight candidates in `work.parameters`.
    pub(crate) fn solve(shape: &Shape, samples: &Samples, work: &mut Work) -> Found {
        solve_generic
    }
}

#[inline(always)]
fn solve_generic<L: Lanes>(shape: &Shape, samples: &Samples, work: &mut Work) -> Found {
    let rows = samples.rows;
    for (row, input) in samples.inputs.chunks_exact(shape.inputs).enumerate() {
        forward::<L>(shape, input, row, rows, work);
    }
    let (outputs, columns) = (shape.last_hidden(), shape.columns());
    if shape.bias {
        work.matrix[outputs * rows..(outputs + 1) * rows].fill(Block::splat(1.0));
    }
    for (block, target) in work.matrix[columns * rows..].iter_mut().zip(&samples.targets) {
        *block = Block::splat(*target);
    }
    for (column, norm) in work.matrix.chunks_exact(rows).zip(&mut work.original) {
        let mut sum = L::splat(0.0);
        for block in column {
            let v = L::load(block);
            sum = v.mul_add(v, sum);
        }
        sum.store(norm);
    }
    work.left[..columns].copy_from_slice(&work.original);
    let mut least_share = Block::splat(1.0);
    let is_long = columns * columns * rows >= LONG;
    for k in 0..columns {
        if is_long && poll(8 * (columns - k) * rows) {
            break;
        }
        for lane in 0..WIDTH {
            let share = work.left[k][lane] / work.original[k][lane];
            // The share of a zero column is NaN and counts as zero.
            least_share[lane] = if share > 0.0 { share.min(least_share[lane]) } else { 0.0 };
        }
        let (done, rest) = work.matrix.split_at_mut((k + 1) * rows);
        let inverse = L::splat(1.0).div(L::load(&work.left[k]));
        let (used, left) = (&mut work.used, &mut work.left[k + 1..]);
        project_out::<L>(&done[k * rows..], rest, EachLane { inverse }, used, left);
    }
    let mut squares = L::splat(0.0);
    for target in &work.left[columns..] {
        squares = squares.add(L::load(target));
    }
    let mut found = Found { squares: Block::ZERO, least_share };
    squares.store(&mut found.squares);
    found
}

/// One sample through all hidden layers; the operations and their order are those of the layer kernel.
#[inline(always)]
fn forward<L: Lanes>(shape: &Shape, input: &[f64], row: usize, rows: usize, work: &mut Work) {
    let last = shape.hidden.len() - 1;
    let [from, to] = &mut work.layers;
    let (mut from, mut to) = (from, to);
    for (l, layer) in shape.hidden.iter().enumerate() {
        let parameters = &work.parameters[layer.parameters.clone()];
        let size = parameters.len() / layer.neurons;
        for (n, eta) in parameters.chunks_exact(size).enumerate() {
            let mut sum = L::load(&eta[size - 1]);
            if l == 0 {
                for (w, x) in eta.iter().zip(input) {
                    sum = L::load(w).mul_add(L::splat(*x), sum);
                }
            } else {
                for (w, x) in eta[..size - 1].iter().zip(from.iter()) {
                    sum = L::load(w).mul_add(L::load(x), sum);
                }
            }
            let y = tanh(sum);
            if l == last {
                y.store(&mut work.matrix[n * rows + row]);
            } else {
                y.store(&mut to[n]);
            }
        }
        std::mem::swap(&mut from, &mut to);
    }
}
