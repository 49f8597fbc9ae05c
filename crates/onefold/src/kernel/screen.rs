//! A lower bound of the cost of eight candidates at once, from a few of the samples.
//!
//! Here a lane is a candidate, not a sample: there are no sums across lanes, no padding, and eight small least-squares problems
//! cost hardly more than one. The residual over a subset of the samples never exceeds the residual over all of them.

use super::dispatch;
use super::factor::{Scale, project_out};
use super::lanes::{Block, Lanes, WIDTH};
use super::tanh::tanh;
use crate::Topology;

/// The samples that a screen looks at, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub(crate) rows: usize,
    /// `inputs[row * d + i]`
    pub(crate) inputs: Vec<f64>,
    /// `targets[output * rows + row]`
    pub(crate) targets: Vec<f64>,
    /// Whether the outputs have a bias.
    pub(crate) bias: bool,
}

/// Buffers of a screen.
#[derive(Clone, Debug)]
pub(crate) struct ScreenWork {
    /// Parameters of the candidates: `parameters[i]` holds parameter `i` of each.
    pub(crate) parameters: Vec<Block>,
    /// Outputs of the layer before and of the current layer, for one sample.
    layers: [Vec<Block>; 2],
    /// Columns of the least-squares problems, then their targets, one block for each sample.
    matrix: Vec<Block>,
    original: Vec<Block>,
    left: Vec<Block>,
    used: Vec<Block>,
}

impl ScreenWork {
    pub(crate) fn new(topology: &Topology, probe: &Probe) -> Self {
        let widest = topology.hidden().iter().max().copied().unwrap_or(0);
        let columns = topology.last_hidden() + usize::from(probe.bias);
        let total = columns + topology.outputs();
        Self {
            parameters: vec![Block::ZERO; topology.dim()],
            layers: [(); 2].map(|()| vec![Block::ZERO; widest]),
            matrix: vec![Block::ZERO; total * probe.rows],
            original: vec![Block::ZERO; columns],
            left: vec![Block::ZERO; total],
            used: vec![Block::ZERO; total],
        }
    }
}

/// What a screen found for each candidate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screened {
    /// Sum of squared residuals over the probe's samples and all outputs.
    pub(crate) squares: Block,
    /// Smallest share of its squared norm that a column had left: how far the squares can be trusted.
    pub(crate) least_share: Block,
}

/// Every lane is a problem of its own.
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
    /// Screens the eight candidates in `work.parameters`.
    pub(crate) fn screen(topology: &Topology, probe: &Probe, work: &mut ScreenWork) -> Screened = screen_generic
}

#[inline(always)]
fn screen_generic<L: Lanes>(topology: &Topology, probe: &Probe, work: &mut ScreenWork) -> Screened {
    let rows = probe.rows;
    let inputs = topology.inputs();
    for (row, input) in probe.inputs.chunks_exact(inputs).enumerate() {
        forward::<L>(topology, input, row, rows, work);
    }
    let outputs = topology.last_hidden();
    if probe.bias {
        work.matrix[outputs * rows..(outputs + 1) * rows].fill(Block::splat(1.0));
    }
    let columns = outputs + usize::from(probe.bias);
    for (block, target) in work.matrix[columns * rows..].iter_mut().zip(&probe.targets) {
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
    for k in 0..columns {
        for lane in 0..WIDTH {
            let share = work.left[k][lane] / work.original[k][lane];
            // NaN, the share of a zero column, counts as nothing left.
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
    let mut out = Screened { squares: Block::ZERO, least_share };
    squares.store(&mut out.squares);
    out
}

/// One sample through all hidden layers; the operations and their order are those of the layer kernel.
#[inline(always)]
fn forward<L: Lanes>(topology: &Topology, input: &[f64], row: usize, rows: usize, work: &mut ScreenWork) {
    let last = topology.hidden().len() - 1;
    let [from, to] = &mut work.layers;
    let (mut from, mut to) = (from, to);
    for (l, width) in topology.hidden().iter().enumerate() {
        let parameters = &work.parameters[topology.layer(l)];
        let size = parameters.len() / width;
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
