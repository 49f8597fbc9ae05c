//! The paper's ideal operator (eq. 16): the symmetric equivalent nearest to the reference.

use super::assignment::greatest;
use super::{flip, product, swap};
use crate::cancellation::poll;
use crate::rng::Rng;
use crate::{Align, Topology};

/// Rounds over all layers; a handful are needed.
const ROUNDS: usize = 100;

/// Replaces a network by the equivalent one that is nearest to the reference.
///
/// Squared norms do not change under the symmetries, so nearest means the greatest scalar product with the
/// reference. For one hidden layer that is a linear assignment of neurons to places with gains
/// $|\beta_i \cdot \tilde\beta_j|$, the sign of each product telling whether the neuron is flipped: exact in
/// $O(N^3)$, where the paper counts $2^N N!$ candidates. In deeper networks the blocks of neighbouring layers
/// share weights; there the layers are assigned in turn, each exactly with the others held, until nothing
/// changes. That is a local optimum, and random restarts, from other equivalents of the same network, may
/// find a better one.
#[derive(Clone, Debug)]
pub struct Ideal {
    topology: Topology,
    restarts: usize,
}

impl Ideal {
    /// For networks of this topology.
    #[must_use]
    pub fn new(topology: Topology) -> Self {
        Self { topology, restarts: 0 }
    }

    /// The same with so many random restarts for each network with more than one hidden layer.
    #[must_use]
    pub fn with_restarts(self, restarts: usize) -> Self {
        Self { restarts, ..self }
    }

    /// Assigns the neurons of one layer; whether that brought the network nearer.
    fn assign(&self, layer: usize, x: &mut [f64], reference: &[f64]) -> bool {
        let n = self.topology.hidden()[layer];
        let mut products = Vec::with_capacity(n * n);
        for i in 0..n {
            if poll(8 * n) {
                return false;
            }
            products.extend((0..n).map(|j| product(&self.topology, layer, x, i, reference, j)));
        }
        let gains: Vec<f64> = products.iter().map(|p| p.abs()).collect();
        let place = greatest(&gains, n);
        let before: f64 = (0..n).map(|i| products[i * n + i]).sum();
        let after: f64 = place.iter().enumerate().map(|(i, j)| gains[i * n + j]).sum();
        // Equal up to rounding is equal: otherwise ties could alternate for ever.
        if after <= before + 1e-12 * after.abs() {
            return false;
        }
        for (i, j) in place.iter().enumerate() {
            if products[i * n + j] < 0.0 {
                flip(&self.topology, x, layer, i);
            }
        }
        // Neurons to their places, cycle by cycle.
        let mut place = place;
        for i in 0..n {
            while place[i] != i {
                let j = place[i];
                swap(&self.topology, x, layer, i, j);
                place.swap(i, j);
            }
        }
        true
    }

    /// Assigns all layers in turn until nothing changes.
    fn descend(&self, x: &mut [f64], reference: &[f64]) {
        let layers = self.topology.hidden().len();
        for _ in 0..ROUNDS {
            let mut changed = false;
            for layer in 0..layers {
                changed |= self.assign(layer, x, reference);
            }
            if !changed || layers == 1 {
                break;
            }
        }
    }

    /// A random equivalent.
    fn shuffle(&self, x: &mut [f64], rng: &mut Rng) {
        for (layer, width) in self.topology.hidden().iter().enumerate() {
            for n in (0..*width).rev() {
                if rng.below(2) == 1 {
                    flip(&self.topology, x, layer, n);
                }
                let m = rng.below(n + 1);
                if m != n {
                    swap(&self.topology, x, layer, m, n);
                }
            }
        }
    }
}

impl Align for Ideal {
    fn align(&self, x: &mut [f64], reference: &[f64], rng: &mut Rng) {
        self.descend(x, reference);
        if self.topology.hidden().len() == 1 {
            return;
        }
        let nearness = |x: &[f64]| x.iter().zip(reference).map(|(a, b)| a * b).sum::<f64>();
        for _ in 0..self.restarts {
            let mut other = x.to_vec();
            self.shuffle(&mut other, rng);
            self.descend(&mut other, reference);
            if nearness(&other) > nearness(x) * (1.0 + 1e-12) {
                x.copy_from_slice(&other);
            }
        }
    }
}
