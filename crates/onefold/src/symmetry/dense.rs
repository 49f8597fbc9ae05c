//! The symmetries of any network of dense layers, its output layer included: a permutation of the neurons of
//! each hidden layer and, where the activation is odd, signs.
//!
//! Unlike the operators on the parameter vector of a search, output weights are not solved for here, so that
//! they count as the outgoing weights of the last hidden layer.

use super::assignment::greatest;
use crate::Error;
use std::cmp::Ordering;

/// Rounds over all layers; a handful are needed.
const ROUNDS: usize = 100;

/// A layer: for each neuron its incoming weights and, optionally, its bias.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseLayer {
    /// Number of inputs.
    pub inputs: usize,
    /// Weights, row by row: all those of a neuron one after the other.
    pub weights: Vec<f64>,
    /// One for each neuron; empty if the layer has none.
    pub biases: Vec<f64>,
}

impl DenseLayer {
    /// Number of neurons.
    #[must_use]
    pub fn width(&self) -> usize {
        self.weights.len() / self.inputs.max(1)
    }

    fn row(&self, n: usize) -> &[f64] {
        &self.weights[n * self.inputs..(n + 1) * self.inputs]
    }

    fn column(&self, n: usize) -> impl Iterator<Item = &f64> {
        self.weights.iter().skip(n).step_by(self.inputs)
    }
}

/// A network of dense layers, from the first hidden layer to the output layer.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseNetwork {
    layers: Vec<DenseLayer>,
    /// Whether the hidden activation is odd, $f(-x) = -f(x)$, as tanh is.
    is_odd: bool,
}

/// One of the symmetric equivalents of a network: what becomes of the neurons of each hidden layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Equivalent {
    /// For each hidden layer, the neurons of the network in the order in which the equivalent has them.
    pub permutations: Vec<Vec<usize>>,
    /// For each hidden layer, the signs of the neurons of the equivalent.
    pub signs: Vec<Vec<f64>>,
}

impl DenseNetwork {
    /// A network of these layers. If the hidden activation `is_odd`, signs are symmetries, too.
    ///
    /// # Errors
    /// If there are no layers, or their sizes do not fit.
    pub fn new(layers: Vec<DenseLayer>, is_odd: bool) -> Result<Self, Error> {
        let wrong = |expected: String| Err(Error::setting("layers", layers.len(), expected));
        if layers.is_empty() {
            return wrong("there must be at least an output layer".into());
        }
        for (number, layer) in layers.iter().enumerate() {
            let width = layer.width();
            if width == 0 || width * layer.inputs != layer.weights.len() {
                return wrong(format!("layer {number} has no complete rows of {} weights", layer.inputs));
            }
            if ![0, width].contains(&layer.biases.len()) {
                return wrong(format!(
                    "layer {number} has {width} neurons, but {} biases",
                    layer.biases.len()
                ));
            }
            if number > 0 && layers[number - 1].width() != layer.inputs {
                return wrong(format!(
                    "layer {number} has {} inputs, but the layer before it has {} neurons",
                    layer.inputs,
                    layers[number - 1].width()
                ));
            }
        }
        Ok(Self { layers, is_odd })
    }

    /// Its layers.
    #[must_use]
    pub fn layers(&self) -> &[DenseLayer] {
        &self.layers
    }

    /// The equivalent that is nearest to `reference`: exactly so with one hidden layer, with more a local
    /// optimum of assigning the layers in turn, each exactly with the others held.
    ///
    /// # Errors
    /// If the networks have other layers.
    pub fn nearest_to(&self, reference: &Self) -> Result<Equivalent, Error> {
        let sizes = |network: &Self| -> Vec<(usize, usize, usize)> {
            let size = |layer: &DenseLayer| (layer.inputs, layer.width(), layer.biases.len());
            network.layers.iter().map(size).collect()
        };
        if sizes(self) != sizes(reference) {
            let (own, other) = (self.widths(), reference.widths());
            let expected = format!("must be those of the reference, {other}, biases included");
            return Err(Error::setting("layers", own, expected));
        }
        let mut moved = self.clone();
        let mut equivalent = self.identity();
        for _ in 0..ROUNDS {
            let mut has_changed = false;
            for hidden in 0..self.layers.len() - 1 {
                if let Some((order, signs)) = moved.assignment(reference, hidden) {
                    moved.rearrange(hidden, &order, &signs);
                    equivalent.then(hidden, &order, &signs);
                    has_changed = true;
                }
            }
            if !has_changed || self.layers.len() <= 2 {
                break;
            }
        }
        Ok(equivalent)
    }

    /// The canonical form, which all equivalents share: signs by the bias, or the last weight that is not
    /// zero, and neurons in the order of their biases, then of their weights.
    #[must_use]
    pub fn canonical(&self) -> Equivalent {
        let mut moved = self.clone();
        let mut equivalent = self.identity();
        for hidden in 0..self.layers.len() - 1 {
            let layer = &moved.layers[hidden];
            let key = |n: usize| layer.biases.get(n).into_iter().chain(layer.row(n).iter().rev());
            let sign = |n: usize| {
                let first = key(n).find(|v| **v != 0.0);
                if self.is_odd && first.is_some_and(|v| *v < 0.0) { -1.0 } else { 1.0 }
            };
            let of_neurons: Vec<f64> = (0..layer.width()).map(sign).collect();
            let mut order: Vec<usize> = (0..layer.width()).collect();
            order.sort_by(|a, b| {
                let of = |n: &usize| key(*n).map(|v| v * of_neurons[*n]).collect::<Vec<f64>>();
                of(a).partial_cmp(&of(b)).unwrap_or(Ordering::Equal)
            });
            let signs: Vec<f64> = order.iter().map(|n| of_neurons[*n]).collect();
            moved.rearrange(hidden, &order, &signs);
            equivalent.then(hidden, &order, &signs);
        }
        equivalent
    }

    /// This equivalent of the network; it must be one of a network with the same layers.
    ///
    /// # Errors
    /// If it is one of a network with other layers.
    pub fn apply(&self, equivalent: &Equivalent) -> Result<Self, Error> {
        let widths: Vec<usize> = self.layers[..self.layers.len() - 1].iter().map(DenseLayer::width).collect();
        let is_permutation = |(order, width): (&Vec<usize>, &usize)| {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            sorted.into_iter().eq(0..*width)
        };
        let Equivalent { permutations, signs } = equivalent;
        let fits = permutations.len() == widths.len()
            && permutations.iter().zip(&widths).all(is_permutation)
            && signs.iter().map(Vec::len).eq(widths.iter().copied());
        if !fits {
            let expected = "must be one for each hidden layer, of all its neurons, with their signs";
            return Err(Error::setting("permutations", format!("{permutations:?}"), expected));
        }
        let mut moved = self.clone();
        for (hidden, (order, signs)) in permutations.iter().zip(signs).enumerate() {
            moved.rearrange(hidden, order, signs);
        }
        Ok(moved)
    }

    fn widths(&self) -> String {
        let mut widths = vec![self.layers[0].inputs.to_string()];
        widths.extend(self.layers.iter().map(|layer| layer.width().to_string()));
        widths.join("-")
    }

    fn identity(&self) -> Equivalent {
        let hidden = &self.layers[..self.layers.len() - 1];
        Equivalent {
            permutations: hidden.iter().map(|layer| (0..layer.width()).collect()).collect(),
            signs: hidden.iter().map(|layer| vec![1.0; layer.width()]).collect(),
        }
    }

    /// The order and signs of a hidden layer with the greatest scalar product with the reference, all other
    /// layers held; none if it has them already.
    fn assignment(&self, reference: &Self, hidden: usize) -> Option<(Vec<usize>, Vec<f64>)> {
        let (own, next) = (&self.layers[hidden], &self.layers[hidden + 1]);
        let (other, other_next) = (&reference.layers[hidden], &reference.layers[hidden + 1]);
        let n = own.width();
        let product = |i: usize, j: usize| {
            let biases = own.biases.get(i).zip(other.biases.get(j)).map_or(0.0, |(a, b)| a * b);
            let incoming: f64 = own.row(i).iter().zip(other.row(j)).map(|(a, b)| a * b).sum();
            let outgoing: f64 = next.column(i).zip(other_next.column(j)).map(|(a, b)| a * b).sum();
            biases + incoming + outgoing
        };
        let products: Vec<f64> = (0..n * n).map(|at| product(at / n, at % n)).collect();
        let gain = |p: &f64| if self.is_odd { p.abs() } else { *p };
        let gains: Vec<f64> = products.iter().map(gain).collect();
        let place = greatest(&gains, n);
        let before: f64 = (0..n).map(|i| products[i * n + i]).sum();
        let after: f64 = place.iter().enumerate().map(|(i, j)| gains[i * n + j]).sum();
        // Equal up to rounding is equal: otherwise ties could alternate for ever.
        if after <= before + 1e-12 * after.abs() {
            return None;
        }
        let (mut order, mut signs) = (vec![0; n], vec![1.0; n]);
        for (i, j) in place.iter().enumerate() {
            order[*j] = i;
            signs[*j] = if self.is_odd && products[i * n + j] < 0.0 { -1.0 } else { 1.0 };
        }
        Some((order, signs))
    }

    /// Rearranges the neurons of a hidden layer: at place `j` neuron `order[j]`, with sign `signs[j]`.
    fn rearrange(&mut self, hidden: usize, order: &[usize], signs: &[f64]) {
        let layer = &self.layers[hidden];
        let row = |(n, sign): (&usize, &f64)| layer.row(*n).iter().map(|w| w * sign).collect::<Vec<_>>();
        let weights = order.iter().zip(signs).flat_map(row).collect();
        let biases = if layer.biases.is_empty() {
            Vec::new()
        } else {
            order.iter().zip(signs).map(|(n, sign)| layer.biases[*n] * sign).collect()
        };
        let next = &self.layers[hidden + 1];
        let outgoing = |m: usize| order.iter().zip(signs).map(move |(n, sign)| next.row(m)[*n] * sign);
        let next_weights = (0..next.width()).flat_map(outgoing).collect();
        (self.layers[hidden].weights, self.layers[hidden].biases) = (weights, biases);
        self.layers[hidden + 1].weights = next_weights;
    }
}

impl Equivalent {
    /// Rearranges a hidden layer further.
    fn then(&mut self, hidden: usize, order: &[usize], signs: &[f64]) {
        let (before, signs_before) = (&self.permutations[hidden], &self.signs[hidden]);
        let permutation = order.iter().map(|n| before[*n]).collect();
        let signs = order.iter().zip(signs).map(|(n, sign)| signs_before[*n] * sign).collect();
        (self.permutations[hidden], self.signs[hidden]) = (permutation, signs);
    }
}

#[cfg(test)]
mod tests;
