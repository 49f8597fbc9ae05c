//! A form that all equivalents of a network share, whatever the reference: the strategy that the paper argues
//! against.

use super::{flip, swap};
use crate::rng::Rng;
use crate::{Align, Topology};
use std::cmp::Ordering;

/// Brings every network into its canonical form: shifts positive, neurons of a layer in the order of their
/// shifts.
///
/// All equivalents have the same form, so no mirror images are left. But near the border between two forms,
/// neighbouring networks can have canonical forms far apart, which is why the paper aligns to the best
/// network instead. This `Align` does not look at the reference, and may move a network away from it.
#[derive(Clone, Debug)]
pub struct Canonical {
    topology: Topology,
}

impl Canonical {
    /// For networks of this topology.
    #[must_use]
    pub fn new(topology: Topology) -> Self {
        Self { topology }
    }

    /// Sign of a neuron: that of its shift, or of its first weight that is not zero.
    fn is_negative(&self, x: &[f64], layer: usize, n: usize) -> bool {
        let eta = &x[self.topology.neuron(layer, n)];
        eta.iter().rev().find(|v| **v != 0.0).is_some_and(|v| *v < 0.0)
    }

    /// Whether neuron `a` comes after neuron `b`: by shift, then by weights.
    fn is_after(&self, x: &[f64], layer: usize, a: usize, b: usize) -> bool {
        let key = |n: usize| x[self.topology.neuron(layer, n)].iter().rev();
        let order = key(a).zip(key(b)).map(|(a, b)| a.partial_cmp(b)).find(|o| *o != Some(Ordering::Equal));
        order == Some(Some(Ordering::Greater))
    }
}

impl Align for Canonical {
    fn align(&self, x: &mut [f64], _reference: &[f64], _rng: &mut Rng) {
        // From the first layer on: what enters a layer is settled before its own neurons are compared.
        for (layer, width) in self.topology.hidden().iter().enumerate() {
            for n in 0..*width {
                if self.is_negative(x, layer, n) {
                    flip(&self.topology, x, layer, n);
                }
            }
            for n in 1..*width {
                let mut m = n;
                while m > 0 && self.is_after(x, layer, m - 1, m) {
                    swap(&self.topology, x, layer, m - 1, m);
                    m -= 1;
                }
            }
        }
    }
}
