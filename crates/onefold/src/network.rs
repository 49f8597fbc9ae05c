//! The forward pass: over all samples at once with the kernels, and one row at a time in plain arithmetic.

use crate::Topology;
use crate::activation::OutputActivation;
use crate::kernel::{Block, Isa, Layer, Shape, layer};
use crate::rows::Samples;

/// Buffers of one worker's forward passes, allocated once.
#[derive(Clone, Debug)]
pub(crate) struct Forward {
    /// Outputs of the layer before and of the current layer, except the last one.
    inner: [Vec<Block>; 2],
}

impl Forward {
    pub(crate) fn new(topology: &Topology, blocks: usize) -> Self {
        let inner = topology.hidden().split_last().map_or(&[][..], |(_, inner)| inner);
        let widest = inner.iter().max().copied().unwrap_or(0);
        let second = if inner.len() > 1 { widest } else { 0 };
        Self { inner: [second, widest].map(|w| vec![Block::ZERO; w * blocks]) }
    }

    /// Computes the outputs of the last hidden layer for all samples, and with a linear part the inputs
    /// behind them, into `columns`, zero for padding.
    pub(crate) fn run(
        &mut self,
        isa: Isa,
        topology: &Topology,
        theta: &[f64],
        samples: &Samples,
        columns: &mut [Block],
    ) {
        let blocks = samples.blocks;
        let (columns, linear) = columns.split_at_mut(topology.last_hidden() * blocks);
        if topology.has_linear_part() {
            linear.copy_from_slice(&samples.inputs);
        }
        let [mut from, mut to] = self.inner.each_mut();
        for (l, width) in topology.hidden().iter().enumerate() {
            let parameters = &theta[topology.layer(l)];
            let inputs =
                if l == 0 { &samples.inputs[..] } else { &from[..topology.hidden()[l - 1] * blocks] };
            if l + 1 == topology.hidden().len() {
                layer(isa, parameters, inputs, blocks, columns);
            } else {
                layer(isa, parameters, inputs, blocks, &mut to[..width * blocks]);
                std::mem::swap(&mut from, &mut to);
            }
        }
        samples.clear_padding(columns);
    }
}

/// Paper, eq. 2 and 3, one sample, with the standard library's `tanh`: the independent check of the kernels,
/// and what a saved model computes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain<'a> {
    pub(crate) topology: &'a Topology,
    pub(crate) hidden: &'a [f64],
    /// For each output the weights of the last hidden layer, those of the inputs with a linear part, and the
    /// bias if there is one.
    pub(crate) readout: &'a [Vec<f64>],
    pub(crate) activation: OutputActivation,
}

/// Buffers of [`Plain`], allocated once for many samples.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlainWork {
    /// The inputs, then the outputs of one layer after the other; after a run what the output layer sees, and
    /// a one for the bias.
    pub(crate) x: Vec<f64>,
    next: Vec<f64>,
    /// The inputs again, for a linear part.
    inputs: Vec<f64>,
    /// The outputs of the network.
    pub(crate) outputs: Vec<f64>,
}

impl Plain<'_> {
    /// The outputs for one sample of scaled inputs.
    pub(crate) fn outputs(&self, inputs: Vec<f64>) -> Vec<f64> {
        let mut work = PlainWork { x: inputs, ..PlainWork::default() };
        self.run(&mut work);
        work.outputs
    }

    /// Computes the outputs for the scaled inputs that are in `work`.
    pub(crate) fn run(&self, work: &mut PlainWork) {
        let PlainWork { x, next, inputs, outputs } = work;
        inputs.clear();
        if self.topology.has_linear_part() {
            inputs.extend_from_slice(x);
        }
        if self.topology.hidden().is_empty() {
            x.clear();
        }
        for (l, width) in self.topology.hidden().iter().enumerate() {
            next.clear();
            next.extend((0..*width).map(|n| {
                let eta = &self.hidden[self.topology.neuron(l, n)];
                let (shift, weights) = (eta[x.len()], &eta[..x.len()]);
                (weights.iter().zip(&*x).map(|(w, x)| w * x).sum::<f64>() + shift).tanh()
            }));
            std::mem::swap(x, next);
        }
        x.extend_from_slice(inputs);
        x.push(1.0);
        outputs.clear();
        outputs.extend(self.readout.iter().map(|row| row.iter().zip(&*x).map(|(w, x)| w * x).sum::<f64>()));
        self.activation.apply(outputs);
    }

    /// Squared error on scaled samples, summed over samples and outputs in their order; weights are factors.
    pub(crate) fn squared_error(&self, samples: &Samples) -> f64 {
        let (mut sum, mut work) = (0.0, PlainWork::default());
        for row in 0..samples.rows {
            work.x.clear();
            work.x.extend(samples.input(row));
            self.run(&mut work);
            let weight = samples.weight(row);
            samples.target(row).zip(&work.outputs).for_each(|(y, o)| sum += weight * (y - o).powi(2));
        }
        sum
    }
}

/// What the kernels need to know of the hidden layers of a topology and of its output layer without a linear
/// part.
pub(crate) fn shape(topology: &Topology, bias: bool) -> Shape {
    let layer = |(l, neurons): (usize, &usize)| Layer { neurons: *neurons, parameters: topology.layer(l) };
    let hidden = topology.hidden().iter().enumerate().map(layer).collect();
    Shape { inputs: topology.inputs(), hidden, outputs: topology.outputs(), bias }
}
