//! Layers and widths, and the place of each parameter.
//!
//! This is the only place that knows the layout of the parameter vector
//! $\theta = (\lambda^2, \ldots, \lambda^{L-1})$, with $\lambda^l = (\eta^l_1, \ldots, \eta^l_{N_l})$ and
//! $\eta^l_n = (w^l_n, \tau^l_n)$, and of the blocks $\beta^l_n$ on which symmetries act.

use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Widest layer that is accepted; a guard against typing errors, not a limit of the method.
const MAX_WIDTH: usize = 1_000_000;

/// The layers of a network from inputs to outputs, such as `1-5-1` or `2-3-1-3-1`.
///
/// ```
/// let topology: onefold::Topology = "2-3-1-3-1".parse()?;
/// assert_eq!(topology.dim(), 3 * 3 + 1 * 4 + 3 * 2); // the output weights are solved for, not searched
/// assert_eq!(topology.hidden(), [3, 1, 3]);
/// # Ok::<(), onefold::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Topology {
    widths: Vec<usize>,
    /// Where each hidden layer's parameters begin.
    offsets: Vec<usize>,
    dim: usize,
}

impl Topology {
    /// A network with these layer widths, inputs first.
    ///
    /// # Errors
    /// If there are fewer than three layers, a width is zero, or the network is absurdly large.
    pub fn new(widths: &[usize]) -> Result<Self, Error> {
        let text = join(widths);
        let wrong = |reason: &str| Err(Error::Topology { text: text.clone(), reason: reason.into() });
        if widths.len() < 3 {
            return wrong("it needs inputs, at least one hidden layer and outputs, as in 1-5-1");
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
        Ok(Self { widths: widths.to_vec(), offsets, dim })
    }

    /// A network with `inputs`, the hidden layers written in `hidden` (such as `5` or `3-1-3`), and
    /// `outputs`.
    ///
    /// # Errors
    /// If `hidden` is not a list of positive numbers.
    pub fn with_hidden(inputs: usize, hidden: &str, outputs: usize) -> Result<Self, Error> {
        let mut widths = parse_widths(hidden, "5 or 3-1-3")?;
        if let Some(layer) = widths.iter().position(|w| *w == 0) {
            let reason = format!("hidden layer {} of {} has no neurons", layer + 1, widths.len());
            return Err(Error::Topology { text: hidden.into(), reason });
        }
        widths.insert(0, inputs);
        widths.push(outputs);
        Self::new(&widths)
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

    /// Width of the last hidden layer: the number of columns of the least-squares problem, without a bias.
    #[must_use]
    pub fn last_hidden(&self) -> usize {
        self.widths[self.widths.len() - 2]
    }

    /// Dimension `D` of the search space: weights and shifts of all hidden neurons.
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
    /// the product of `2^N N!` over hidden layers (infinity when it exceeds the range of `f64`).
    #[must_use]
    pub fn symmetric_equivalents(&self) -> f64 {
        self.hidden().iter().flat_map(|n| 1..=*n).map(|k| 2.0 * k as f64).product()
    }
}

impl FromStr for Topology {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::new(&parse_widths(text, "1-5-1")?)
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
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&join(&self.widths))
    }
}

impl TryFrom<String> for Topology {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Topology> for String {
    fn from(topology: Topology) -> Self {
        topology.to_string()
    }
}

fn parse_widths(text: &str, example: &str) -> Result<Vec<usize>, Error> {
    text.split('-')
        .map(|part| {
            part.trim().parse().map_err(|_| Error::Topology {
                text: text.into(),
                reason: format!(
                    "\"{part}\" is not a layer width; write numbers joined by dashes, such as {example}"
                ),
            })
        })
        .collect()
}

fn join(widths: &[usize]) -> String {
    widths.iter().map(ToString::to_string).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests;
