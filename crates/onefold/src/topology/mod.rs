//! Layers and widths, and the place of each parameter.
//!
//! This is the only place that knows the layout of the parameter vector
//! $\theta = (\lambda^2, \ldots, \lambda^{L-1})$, with $\lambda^l = (\eta^l_1, \ldots, \eta^l_{N_l})$ and
//! $\eta^l_n = (w^l_n, \tau^l_n)$, and of the blocks $\beta^l_n$ on which symmetries act.

mod text;

use crate::Error;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Widest layer that is accepted; a guard against typing errors, not a limit of the method.
const MAX_WIDTH: usize = 1_000_000;

/// The layers of a network from inputs to outputs, such as `1-5-1` or `2-3-1-3-1`, and whether it has a
/// linear part: weights from each input to each output beside the hidden layers, as in `2-5-1+linear`.
///
/// Without hidden layers, `2-1+linear` is the linear model, and `2-1` has a constant output: its bias.
///
/// ```
/// let topology: onefold::Topology = "2-3-1-3-1".parse()?;
/// assert_eq!(topology.dim(), 3 * 3 + 1 * 4 + 3 * 2); // the output weights are solved for, not searched
/// assert_eq!(topology.hidden(), [3, 1, 3]);
/// assert_eq!(topology.with_linear_part(true).to_string(), "2-3-1-3-1+linear");
/// # Ok::<(), onefold::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Topology {
    widths: Vec<usize>,
    /// Where each hidden layer's parameters begin.
    offsets: Vec<usize>,
    dim: usize,
    linear_part: bool,
}

impl Topology {
    /// A network with these layer widths, inputs first, and without a linear part.
    ///
    /// # Errors
    /// If there are fewer than two layers, a width is zero, or the network is absurdly large.
    pub fn new(widths: &[usize]) -> Result<Self, Error> {
        Self::of(widths, false)
    }

    fn of(widths: &[usize], linear_part: bool) -> Result<Self, Error> {
        let text = text::join(widths) + text::suffix(linear_part);
        let wrong = |reason: &str| Err(Error::Topology { text: text.clone(), reason: reason.into() });
        if widths.len() < 2 {
            return wrong("it needs inputs and outputs, and mostly hidden layers between them, as in 1-5-1");
        }
        if let Some(layer) = widths.iter().position(|w| *w == 0) {
            return wrong(&format!("layer {} of {} has no neurons", layer + 1, widths.len()));
        }
        if widths.iter().any(|w| *w > MAX_WIDTH) {
            return wrong(&format!("a layer may have at most {MAX_WIDTH} neurons"));
        }
        let mut offsets = Vec::with_capacity(widths.len() - 2);
        let mut dim: usize = 0;
        for pair in widths[..widths.len() - 1].windows(2) {
            offsets.push(dim);
            match (pair[0] + 1).checked_mul(pair[1]).and_then(|n| n.checked_add(dim)) {
                Some(sum) if sum <= 1 << 32 => dim = sum,
                _ => return wrong("it has more than 2^32 parameters"),
            }
        }
        Ok(Self { widths: widths.to_vec(), offsets, dim, linear_part })
    }

    /// The same layers with or without a linear part.
    #[must_use]
    pub fn with_linear_part(mut self, linear_part: bool) -> Self {
        self.linear_part = linear_part;
        self
    }

    /// Whether there are weights from each input to each output, beside the hidden layers.
    #[must_use]
    pub fn has_linear_part(&self) -> bool {
        self.linear_part
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.widths[0]
    }

    /// Number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.widths[self.widths.len() - 1]
    }

    /// Widths of the hidden layers, first to last.
    #[must_use]
    pub fn hidden(&self) -> &[usize] {
        &self.widths[1..self.widths.len() - 1]
    }

    /// Width of the last hidden layer; 0 without hidden layers.
    #[must_use]
    pub fn last_hidden(&self) -> usize {
        self.hidden().last().copied().unwrap_or(0)
    }

    /// Number of columns of the least-squares problem, without a bias: the outputs of the last hidden layer
    /// and, with a linear part, then the inputs.
    #[must_use]
    pub fn readout_columns(&self) -> usize {
        self.last_hidden() + if self.linear_part { self.inputs() } else { 0 }
    }

    /// Number of all parameters, those solved by least squares included.
    #[must_use]
    pub fn parameters(&self, output_bias: bool) -> usize {
        self.dim + (self.readout_columns() + usize::from(output_bias)) * self.outputs()
    }

    /// Dimension `D` of the search space: weights and shifts of all hidden neurons; 0 without hidden layers.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Parameters `lambda` of hidden layer `layer` (0 is the first).
    #[inline]
    #[must_use]
    pub fn layer(&self, layer: usize) -> Range<usize> {
        let end = self.offsets.get(layer + 1).copied().unwrap_or(self.dim);
        self.offsets[layer]..end
    }

    /// Parameters `eta = (w, tau)` of neuron `n` in hidden layer `layer`; the shift `tau` is the last.
    #[inline]
    #[must_use]
    pub fn neuron(&self, layer: usize, n: usize) -> Range<usize> {
        let size = self.widths[layer] + 1;
        let start = self.offsets[layer] + n * size;
        start..start + size
    }

    /// Number of inputs of hidden layer `layer`.
    pub(crate) fn layer_inputs(&self, layer: usize) -> usize {
        self.widths[layer]
    }

    /// For every parameter, the fan-in of its neuron, with the shift counted as an input.
    pub(crate) fn fan_in(&self) -> impl Iterator<Item = usize> {
        let layers = self.widths.windows(2).take(self.offsets.len());
        layers.flat_map(|pair| std::iter::repeat_n(pair[0] + 1, (pair[0] + 1) * pair[1]))
    }

    /// Indices of the weights of neuron `n` of hidden layer `layer` in the following hidden layer; none for
    /// the last hidden layer, as output weights are solved for.
    #[inline]
    pub fn outgoing(&self, layer: usize, n: usize) -> impl Iterator<Item = usize> + use<> {
        let (range, step) = self.following(layer);
        // Not `step_by`, which begins with a division: there are many of these iterators, and they are short.
        let mut next = range.start + n;
        std::iter::from_fn(move || {
            let i = next;
            next += step;
            (i < range.end).then_some(i)
        })
    }

    /// The parameters of the following hidden layer, none for the last, and how many each of its neurons has.
    #[inline]
    fn following(&self, layer: usize) -> (Range<usize>, usize) {
        let range = if layer + 1 < self.offsets.len() { self.layer(layer + 1) } else { 0..0 };
        (range, self.widths[layer + 1] + 1)
    }

    /// All indices of the block `beta` of neuron `n` in hidden layer `layer`: its own parameters and its
    /// outgoing weights.
    #[inline]
    pub fn block(&self, layer: usize, n: usize) -> impl Iterator<Item = usize> + use<> {
        self.neuron(layer, n).chain(self.outgoing(layer, n))
    }

    /// Number of networks that compute the same function through sign flips and swaps of hidden neurons:
    /// the product of `2^N N!` over hidden layers (infinity when it exceeds the range of `f64`). A linear
    /// part has no such symmetries.
    #[must_use]
    pub fn symmetric_equivalents(&self) -> f64 {
        self.hidden().iter().flat_map(|n| 1..=*n).map(|k| 2.0 * k as f64).product()
    }
}

impl Topology {
    /// Checks that it has as many inputs and outputs as the data.
    pub(crate) fn check_fits(&self, inputs: usize, outputs: usize) -> Result<(), Error> {
        for (what, of_network, of_data) in
            [("inputs", self.inputs(), inputs), ("outputs", self.outputs(), outputs)]
        {
            if of_network != of_data {
                return Err(Error::Mismatch { topology: self.to_string(), what, of_network, of_data });
            }
        }
        Ok(())
    }

    /// Checks that the output layer has anything to be solved for.
    pub(crate) fn check_columns(&self, output_bias: bool) -> Result<(), Error> {
        if self.readout_columns() > 0 || output_bias {
            return Ok(());
        }
        let expected = "a network without hidden layers needs output biases or a linear part, as its outputs \
                        would always be 0";
        Err(Error::setting("output_bias", "no", expected))
    }
}

#[cfg(test)]
mod tests;
