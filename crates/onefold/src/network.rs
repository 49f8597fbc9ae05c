//! The forward pass: over all samples at once with the kernels, and one row at a time in plain arithmetic.

use crate::kernel::{Block, Isa, Layer, Shape, WIDTH, layer};
use crate::{Dataset, Topology};

/// A training set in the layout of the kernels: consecutive blocks for each input and each output, padded
/// with zeros.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    pub(crate) rows: usize,
    pub(crate) blocks: usize,
    pub(crate) inputs: Vec<Block>,
    pub(crate) targets: Vec<Block>,
    /// One for each real sample of the last block, zero for padding.
    last: Block,
}

impl Samples {
    pub(crate) fn new(data: &Dataset) -> Self {
        let rows = data.rows();
        let blocks = rows.div_ceil(WIDTH);
        let filled = rows - (blocks.max(1) - 1) * WIDTH;
        Self {
            rows,
            blocks,
            inputs: to_blocks(&data.inputs, blocks),
            targets: to_blocks(&data.outputs, blocks),
            last: Block(std::array::from_fn(|i| f64::from(u8::from(i < filled)))),
        }
    }

    /// Writes the inputs of sample `row`.
    fn input(&self, row: usize, inputs: &mut Vec<f64>) {
        inputs.clear();
        inputs.extend(self.inputs.chunks_exact(self.blocks).map(|c| c[row / WIDTH][row % WIDTH]));
    }

    /// Squared error of a network in plain arithmetic, summed over samples and outputs.
    pub(crate) fn plain_squared_error(
        &self,
        topology: &Topology,
        theta: &[f64],
        readout: &[Vec<f64>],
    ) -> f64 {
        let mut input = Vec::new();
        let mut sum = 0.0;
        for row in 0..self.rows {
            self.input(row, &mut input);
            let output = plain(topology, theta, readout, &input);
            for (target, y) in self.targets.chunks_exact(self.blocks).zip(output) {
                sum += (target[row / WIDTH][row % WIDTH] - y).powi(2);
            }
        }
        sum
    }

    /// Sets what belongs to no sample to zero.
    pub(crate) fn clear_padding(&self, columns: &mut [Block]) {
        for column in columns.chunks_exact_mut(self.blocks) {
            for (v, keep) in column[self.blocks - 1].iter_mut().zip(*self.last) {
                *v *= keep;
            }
        }
    }

    /// The column of ones that an output bias multiplies.
    pub(crate) fn ones(&self, column: &mut [Block]) {
        column.fill(Block::splat(1.0));
        column[self.blocks - 1] = self.last;
    }
}

fn to_blocks(columns: &[Vec<f64>], blocks: usize) -> Vec<Block> {
    let mut all = vec![Block::ZERO; columns.len() * blocks];
    for (column, run) in columns.iter().zip(all.chunks_exact_mut(blocks.max(1))) {
        for (block, values) in run.iter_mut().zip(column.chunks(WIDTH)) {
            block[..values.len()].copy_from_slice(values);
        }
    }
    all
}

/// Buffers of one worker's forward passes, allocated once.
#[derive(Clone, Debug)]
pub(crate) struct Forward {
    /// Outputs of the layer before and of the current layer, except the last one.
    inner: [Vec<Block>; 2],
}

impl Forward {
    pub(crate) fn new(topology: &Topology, blocks: usize) -> Self {
        let inner = &topology.hidden()[..topology.hidden().len() - 1];
        let widest = inner.iter().max().copied().unwrap_or(0);
        let second = if inner.len() > 1 { widest } else { 0 };
        Self { inner: [second, widest].map(|w| vec![Block::ZERO; w * blocks]) }
    }

    /// Computes the outputs of the last hidden layer for all samples into `columns`, zero for padding.
    pub(crate) fn run(
        &mut self,
        isa: Isa,
        topology: &Topology,
        theta: &[f64],
        samples: &Samples,
        columns: &mut [Block],
    ) {
        let blocks = samples.blocks;
        let last = topology.hidden().len() - 1;
        let [mut from, mut to] = self.inner.each_mut();
        for (l, width) in topology.hidden().iter().enumerate() {
            let parameters = &theta[topology.layer(l)];
            let inputs =
                if l == 0 { &samples.inputs[..] } else { &from[..topology.hidden()[l - 1] * blocks] };
            if l == last {
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
/// and what a saved model computes. A readout row one longer than the last hidden layer ends in an output
/// bias.
pub(crate) fn plain(topology: &Topology, theta: &[f64], readout: &[Vec<f64>], input: &[f64]) -> Vec<f64> {
    let mut x = input.to_vec();
    for (l, width) in topology.hidden().iter().enumerate() {
        x = (0..*width)
            .map(|n| {
                let eta = &theta[topology.neuron(l, n)];
                let (shift, weights) = (eta[x.len()], &eta[..x.len()]);
                (weights.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() + shift).tanh()
            })
            .collect();
    }
    x.push(1.0);
    readout.iter().map(|row| row.iter().zip(&x).map(|(w, x)| w * x).sum()).collect()
}

/// What the kernels need to know of a topology.
pub(crate) fn shape(topology: &Topology, bias: bool) -> Shape {
    let layer = |(l, neurons): (usize, &usize)| Layer { neurons: *neurons, parameters: topology.layer(l) };
    let hidden = topology.hidden().iter().enumerate().map(layer).collect();
    Shape { inputs: topology.inputs(), hidden, outputs: topology.outputs(), bias }
}
