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
        for l in 0..self.topology.hidden().len() {
            next.clear();
            let of_neurons = self.hidden[self.topology.layer(l)].chunks_exact(x.len() + 1);
            scalar_products(of_neurons, x, |eta, sum| next.push((sum + eta[x.len()]).tanh()));
            std::mem::swap(x, next);
        }
        x.extend_from_slice(inputs);
        x.push(1.0);
        outputs.clear();
        scalar_products(self.readout.iter().map(Vec::as_slice), x, |_, sum| outputs.push(sum));
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

/// Rows of weights whose products are computed at a time: each addition waits for the one before it.
const TOGETHER: usize = 4;

/// Calls `add` with each row of weights and its scalar product with `x`, the sum of the terms in their order;
/// a row may be shorter than `x`, or longer.
fn scalar_products<'a>(
    mut rows: impl Iterator<Item = &'a [f64]>,
    x: &[f64],
    mut add: impl FnMut(&'a [f64], f64),
) {
    // As a sum over an iterator begins.
    let zero: f64 = std::iter::empty::<f64>().sum();
    while let Some(first) = rows.next() {
        let mut count = 1;
        let mut others = || rows.next().inspect(|_| count += 1).unwrap_or(first);
        let group: [&[f64]; TOGETHER] = std::array::from_fn(|k| if k == 0 { first } else { others() });
        let shortest = group.iter().map(|row| row.len()).min().unwrap_or(0).min(x.len());
        let (mut sums, common) = ([zero; TOGETHER], group.map(|row| &row[..shortest]));
        for (i, x) in x[..shortest].iter().enumerate() {
            sums.iter_mut().zip(common).for_each(|(sum, row)| *sum += row[i] * x);
        }
        for (row, mut sum) in group.into_iter().zip(sums).take(count) {
            row.iter().zip(x).skip(shortest).for_each(|(w, x)| sum += w * x);
            add(row, sum);
        }
    }
}

/// What the kernels need to know of the hidden layers of a topology and of its output layer without a linear
/// part.
pub(crate) fn shape(topology: &Topology, bias: bool) -> Shape {
    let layer = |(l, neurons): (usize, &usize)| Layer { neurons: *neurons, parameters: topology.layer(l) };
    let hidden = topology.hidden().iter().enumerate().map(layer).collect();
    Shape { inputs: topology.inputs(), hidden, outputs: topology.outputs(), bias }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalar_products_have_the_bits_of_sums_in_order() {
        let mut rng = crate::rng::Streams::new(1, crate::rng::Purpose::Start, 0).of(0);
        let mut random = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.between(-1.0, 1.0)).collect() };
        for (count, length, longer) in [(0, 3, 0), (1, 0, 0), (3, 5, 1), (4, 7, 0), (9, 20, 1), (6, 4, 0)] {
            let x = random(5);
            let rows: Vec<Vec<f64>> = (0..count).map(|i| random(length + longer * (i % 2))).collect();
            let mut found = Vec::new();
            scalar_products(rows.iter().map(Vec::as_slice), &x, |row, sum| found.push((row.to_vec(), sum)));
            let sum = |row: &Vec<f64>| row.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>();
            let expected: Vec<_> = rows.iter().map(|row| (row.clone(), sum(row))).collect();
            assert_eq!(found.len(), count);
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!((&found.0, found.1.to_bits()), (&expected.0, expected.1.to_bits()));
            }
        }
    }
}
