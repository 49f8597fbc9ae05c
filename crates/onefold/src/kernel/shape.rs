//! What the kernels know of a network: the sizes of its layers, and where their parameters are.

use std::ops::Range;

/// Hidden layers of tanh neurons and a linear output layer, whose weights are solved for by least squares.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) inputs: usize,
    /// At least one.
    pub(crate) hidden: Vec<Layer>,
    pub(crate) outputs: usize,
    /// Whether each output has a bias.
    pub(crate) bias: bool,
}

/// One hidden layer. Its parameters stand one neuron after the other: the weights, then the shift.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) neurons: usize,
    /// Their place among the parameters of the network.
    pub(crate) parameters: Range<usize>,
}

impl Shape {
    /// Number of hidden parameters.
    pub(crate) fn dim(&self) -> usize {
        self.hidden[self.hidden.len() - 1].parameters.end
    }

    /// Number of neurons of the last hidden layer.
    pub(crate) fn last_hidden(&self) -> usize {
        self.hidden[self.hidden.len() - 1].neurons
    }

    /// Number of neurons of the largest hidden layer.
    pub(crate) fn widest(&self) -> usize {
        self.hidden.iter().map(|layer| layer.neurons).max().unwrap_or(0)
    }

    /// Columns of the least-squares problem: outputs of the last hidden layer, and ones for a bias.
    pub(crate) fn columns(&self) -> usize {
        self.last_hidden() + usize::from(self.bias)
    }
}
