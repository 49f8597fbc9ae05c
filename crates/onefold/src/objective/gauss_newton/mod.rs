//! Gradient and Gauss-Newton matrix of the cost of a network by variable projection.
//!
//! With the output weights $W$ always solved by least squares, the residuals $r = P^\perp Y$ are functions of
//! the hidden parameters $\theta$ alone, where $P^\perp$ is the projection onto the orthogonal complement of
//! the columns of $H(\theta)$. Kaufman's Jacobian (1975) keeps the leading term of their derivative,
//!
//! $$ J = -P^\perp \frac{\partial H}{\partial \theta} W, $$
//!
//! which gives the exact gradient $J^\top r$ and a Gauss-Newton matrix $J^\top J$ with one backward pass for
//! each output.

use crate::cancellation::{is_cut_off, poll};
use crate::error::check_size;
use crate::kernel::{
    Block, Factor, Isa, WIDTH, derivatives, earlier_deltas, factorise, gram, last_deltas, layer, project_away,
};
use crate::readout::MIN_RANK_TOLERANCE;
use crate::request::{Derivatives, Slopes};
use crate::rows::{Samples, weigh};
use crate::{Error, Topology};

/// The ridge parameter: its square times $K \lVert W \rVert^2$ is added to the sum of squares, where $K$ is
/// the number of samples.
///
/// After a bottleneck layer, hidden outputs are nearly collinear, and changes of the numerical rank make the
/// cost discontinuous, which stops descents: with the rank-revealing solution, none of 200 descents on
/// two-spirals reached the threshold, with this ridge one in ten. At 1e-5 it changes the costs of sinc; from
/// 1e-6 to 1e-8 it does not.
pub(super) const RIDGE: f64 = 1e-7;

/// The time of slopes and of the linear algebra of the following step, in evaluations.
///
/// An operation count of both, where each kind of operation has the time that was measured with AVX-512 on
/// one machine; `onefold bench --slopes` measures the ratio itself.
pub(crate) fn cost_of_slopes(derivatives: Derivatives, topology: &Topology, rows: usize, bias: bool) -> f64 {
    if derivatives == Derivatives::Gradient {
        return COST_OF_GRADIENT;
    }
    let blocks = rows.div_ceil(WIDTH) as f64;
    let dim = topology.dim() as f64;
    let outputs = topology.outputs() as f64;
    let columns = topology.readout_columns() as f64 + f64::from(u8::from(bias));
    let (passes, residuals) = if topology.hidden().len() == 1 { (1.0, outputs) } else { (outputs, 1.0) };
    let blocks = blocks + (columns / WIDTH as f64).ceil();
    let derivatives = blocks * passes * (0.4 * dim * columns + 0.46 * triangle(dim + residuals));
    let orthogonal = blocks * 1.2 * columns * (columns + outputs);
    (derivatives + orthogonal + 14.0 * dim * dim + 1500.0) / time_of_evaluation(topology, rows, bias)
}

/// The time of an evaluation in nanoseconds, by the same count.
pub(crate) fn time_of_evaluation(topology: &Topology, rows: usize, bias: bool) -> f64 {
    let outputs = topology.outputs() as f64;
    let columns = topology.readout_columns() as f64 + f64::from(u8::from(bias));
    let (dim, neurons) = (topology.dim() as f64, topology.hidden().iter().sum::<usize>() as f64);
    rows.div_ceil(WIDTH) as f64
        * (0.07 * dim + 3.5 * neurons + 1.4 * triangle(columns + outputs) + 0.5 * columns * outputs)
}

fn triangle(n: f64) -> f64 {
    n * (n + 1.0) / 2.0
}

/// The time of a gradient, in evaluations: another forward pass and a backward pass.
const COST_OF_GRADIENT: f64 = 2.0;

/// Workspace for the costs and slopes of one network at a time.
#[derive(Clone, Debug)]
pub(crate) struct GaussNewton {
    isa: Isa,
    rows: usize,
    /// Blocks of a column: the samples, followed by one ridge row per column.
    blocks: usize,
    /// Blocks of the samples alone.
    real: usize,
    inputs: Vec<Block>,
    targets: Vec<Block>,
    /// 1 in the rows of samples, with weights their roots, 0 elsewhere.
    ones: Vec<Block>,
    /// The same with weights, otherwise empty.
    roots: Vec<Block>,
    /// The ridge of each column, that of the bias last.
    ridges: Vec<f64>,
    /// L2 penalty on all parameters.
    decay: f64,
    /// Outputs of each hidden layer except the last one.
    inner: Vec<Vec<Block>>,
    /// Outputs of the last hidden layer.
    last: Vec<Block>,
    /// Backpropagated deltas of the current and of the previous layer.
    deltas: [Vec<Block>; 2],
    /// The orthogonalised columns, and the targets, which become the residuals.
    matrix: Vec<Block>,
    factor: Factor,
    /// Derivatives, and the residuals of one output or of all outputs.
    group: Vec<Block>,
    /// Their scalar products.
    products: Vec<f64>,
    columns: usize,
}

impl GaussNewton {
    /// Allocates the memory for networks of this topology.
    ///
    /// `decay` is an L2 penalty on all weights except the bias.
    pub(crate) fn new(
        isa: Isa,
        topology: &Topology,
        samples: &Samples,
        bias: bool,
        decay: f64,
    ) -> Result<Self, Error> {
        let (dim, outputs) = (topology.dim(), topology.outputs());
        let penalised = topology.readout_columns();
        let columns = penalised + usize::from(bias);
        let blocks = samples.blocks + columns.div_ceil(WIDTH);
        let widths: usize = topology.hidden().iter().sum();
        let what = || format!("derivatives of a network {topology} on {} rows", samples.rows);
        let advice = "use fewer neurons or rows, or a method without derivatives";
        let linear = penalised - topology.last_hidden();
        let numbers = topology.inputs() + linear + 3 * outputs + 4 * widths + dim;
        check_size(&[WIDTH * blocks, numbers], what, advice)?;
        check_size(&[dim + 1, dim + 1], what, advice)?;
        let widest = topology.hidden().iter().max().copied().unwrap_or(0);
        let inner = topology.hidden().split_last().map_or(&[][..], |(_, inner)| inner);
        let longer = |short: &[Block]| {
            let runs = short.chunks_exact(samples.blocks);
            runs.flat_map(|run| run.iter().copied().chain(vec![Block::ZERO; blocks - samples.blocks]))
                .collect()
        };
        let residuals = if inner.is_empty() { outputs } else { 1 };
        let mut ones = vec![Block::ZERO; blocks];
        samples.ones(&mut ones[..samples.blocks]);
        weigh(&samples.roots, &mut ones[..samples.blocks]);
        let roots = if samples.roots.is_empty() { Vec::new() } else { ones.clone() };
        let mut targets: Vec<Block> = longer(&samples.targets);
        weigh(&roots, &mut targets);
        Ok(Self {
            isa,
            rows: samples.rows,
            blocks,
            real: samples.blocks,
            inputs: longer(&samples.inputs),
            targets,
            ones,
            roots,
            ridges: (0..columns)
                .map(|n| {
                    let decay = if n < penalised { decay * outputs as f64 } else { 0.0 };
                    RIDGE.max(decay.sqrt()) * (samples.rows as f64).sqrt()
                })
                .collect(),
            decay,
            inner: inner.iter().map(|width| vec![Block::ZERO; width * blocks]).collect(),
            last: vec![Block::ZERO; topology.last_hidden() * blocks],
            deltas: [widest, widest].map(|width| vec![Block::ZERO; width * blocks]),
            matrix: vec![Block::ZERO; (columns + outputs) * blocks],
            factor: Factor::new(columns, outputs),
            group: vec![Block::ZERO; (dim + residuals) * blocks],
            products: vec![0.0; (dim + residuals) * (dim + residuals)],
            columns,
        })
    }

    /// The mean squared error at `theta`, including ridge and L2 penalty.
    pub(crate) fn cost(&mut self, topology: &Topology, theta: &[f64]) -> f64 {
        let (isa, blocks) = (self.isa, self.blocks);
        for (l, _) in topology.hidden().iter().enumerate() {
            let parameters = &theta[topology.layer(l)];
            let (before, here) = self.inner.split_at_mut(l);
            let inputs = before.last().unwrap_or(&self.inputs);
            layer(isa, parameters, inputs, blocks, here.first_mut().unwrap_or(&mut self.last));
        }
        let (columns, targets) = self.matrix.split_at_mut(self.columns * blocks);
        let (hidden, others) = columns.split_at_mut(self.last.len());
        hidden.copy_from_slice(&self.last);
        clear(hidden, &self.ones, self.real);
        let linear = if topology.has_linear_part() { self.inputs.len() } else { 0 };
        let (linear, bias) = others.split_at_mut(linear);
        linear.copy_from_slice(&self.inputs[..linear.len()]);
        if !bias.is_empty() {
            bias.copy_from_slice(&self.ones);
        }
        weigh(&self.roots, hidden);
        weigh(&self.roots, linear);
        for (n, column) in columns.chunks_exact_mut(blocks).enumerate() {
            column[self.real + n / WIDTH][n % WIDTH] = self.ridges[n];
        }
        targets.copy_from_slice(&self.targets);
        let squared = factorise(isa, &mut self.matrix, blocks, MIN_RANK_TOLERANCE, &mut self.factor);
        let squares: f64 = if self.decay > 0.0 { theta.iter().map(|v| v * v).sum() } else { 0.0 };
        squared / (self.rows * topology.outputs()) as f64 + self.decay * squares
    }

    /// The output weights of the last [`cost`](Self::cost), one row for each output.
    pub(crate) fn weights(&self, outputs: usize) -> Vec<Vec<f64>> {
        (0..outputs).map(|output| self.factor.weights(output)).collect()
    }

    /// The slopes of the last [`cost`](Self::cost), at the same `theta`; of no use if it is cut off.
    pub(crate) fn slopes(&mut self, topology: &Topology, theta: &[f64], slopes: &mut Slopes) {
        let (isa, blocks, dim) = (self.isa, self.blocks, topology.dim());
        let scale = 1.0 / (self.rows * topology.outputs()) as f64;
        slopes.half_gradient.clear();
        slopes.half_gradient.resize(dim, 0.0);
        slopes.matrix.clear();
        slopes.matrix.resize(dim * dim, 0.0);
        let weights = self.weights(topology.outputs());
        if topology.hidden().len() == 1 {
            // The derivatives for different outputs differ only by the weight of the neuron: one projection
            // suffices.
            self.derive(topology, theta, &vec![1.0; topology.last_hidden()]);
            let columns = dim + topology.outputs();
            let residuals = &self.matrix[self.columns * blocks..];
            self.group[dim * blocks..].copy_from_slice(residuals);
            gram(isa, &self.group, blocks, &mut self.products);
            let size = topology.inputs() + 1;
            for (i, row) in self.products.chunks_exact(columns).take(dim).enumerate() {
                if poll(4 * (dim - i) * weights.len()) {
                    return;
                }
                for (output, weights) in weights.iter().enumerate() {
                    slopes.half_gradient[i] -= scale * weights[i / size] * row[dim + output];
                }
                for j in i..dim {
                    let both: f64 = weights.iter().map(|w| w[i / size] * w[j / size]).sum();
                    slopes.matrix[i * dim + j] = scale * both * row[j];
                }
            }
        } else {
            for (output, weights) in weights.iter().enumerate() {
                if is_cut_off() {
                    return;
                }
                self.derive(topology, theta, weights);
                let residual = &self.matrix[(self.columns + output) * blocks..][..blocks];
                self.group[dim * blocks..].copy_from_slice(residual);
                gram(isa, &self.group, blocks, &mut self.products);
                for (i, row) in self.products.chunks_exact(dim + 1).take(dim).enumerate() {
                    slopes.half_gradient[i] -= scale * row[dim];
                    let entries = &mut slopes.matrix[i * dim..][i..dim];
                    entries.iter_mut().zip(&row[i..]).for_each(|(entry, product)| *entry += scale * product);
                }
            }
        }
        if self.decay > 0.0 {
            for (i, v) in theta.iter().enumerate() {
                slopes.half_gradient[i] += self.decay * v;
                slopes.matrix[i * dim + i] += self.decay;
            }
        }
        for i in 1..dim {
            if poll(i) {
                return;
            }
            for j in 0..i {
                slopes.matrix[i * dim + j] = slopes.matrix[j * dim + i];
            }
        }
    }
}

impl GaussNewton {
    /// Fills the group with the derivatives with respect to all parameters of the hidden outputs' weighted
    /// sum, projected onto the orthogonal complement of the columns.
    fn derive(&mut self, topology: &Topology, theta: &[f64], weights: &[f64]) {
        let (isa, blocks) = (self.isa, self.blocks);
        let derived = &mut self.group[..topology.dim() * blocks];
        let [here, before] = &mut self.deltas;
        last_deltas(isa, weights, &self.last, blocks, &mut here[..self.last.len()]);
        // Derivatives are linear in the deltas.
        weigh(&self.roots, &mut here[..self.last.len()]);
        for l in (0..topology.hidden().len()).rev() {
            let inputs = if l == 0 { &self.inputs } else { &self.inner[l - 1] };
            let range = topology.layer(l);
            let deltas = &here[..topology.hidden()[l] * blocks];
            derivatives(isa, deltas, inputs, blocks, &mut derived[range.start * blocks..range.end * blocks]);
            if l > 0 {
                earlier_deltas(isa, &theta[range], deltas, inputs, blocks, &mut before[..inputs.len()]);
                std::mem::swap(here, before);
            }
        }
        clear(derived, &self.ones, self.real);
        project_away(isa, &self.matrix, blocks, &mut self.factor, derived);
    }
}

/// Sets rows that belong to no sample to zero.
fn clear(columns: &mut [Block], ones: &[Block], real: usize) {
    for column in columns.chunks_exact_mut(ones.len()) {
        for (block, ones) in column[real - 1..].iter_mut().zip(&ones[real - 1..]) {
            for (v, keep) in block.iter_mut().zip(**ones) {
                *v = if keep == 0.0 { 0.0 } else { *v };
            }
        }
    }
}

#[cfg(test)]
mod tests;
