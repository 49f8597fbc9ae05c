//! The paper's Algorithm 1.

use super::{flip, product, swap};
use crate::rng::Rng;
use crate::{Align, Topology};

/// Symmetry breaking as the paper proposes it: one random operator, applied if it brings the network nearer
/// to the reference.
#[derive(Clone, Debug)]
pub struct Heuristic {
    topology: Topology,
}

impl Heuristic {
    /// For networks of this topology.
    #[must_use]
    pub fn new(topology: Topology) -> Self {
        Self { topology }
    }

    /// The paper compares squared distances; all squared norms cancel, and what remains are scalar products
    /// of blocks: $D_1 - D_2 = -4 \beta_n \cdot \tilde\beta_n$ for a flip and
    /// $2 (\beta_n - \beta_m) \cdot (\tilde\beta_m - \tilde\beta_n)$ for a swap.
    #[inline]
    fn product(&self, layer: usize, x: &[f64], a: usize, y: &[f64], b: usize) -> f64 {
        product(&self.topology, layer, x, a, y, b)
    }
}

impl Align for Heuristic {
    fn align(&self, x: &mut [f64], reference: &[f64], rng: &mut Rng) {
        let permute = rng.below(2) == 1;
        let layer = rng.below(self.topology.hidden().len());
        let width = self.topology.hidden()[layer];
        let n = rng.below(width);
        if permute {
            let m = rng.below(width);
            if m == n {
                return;
            }
            let stay = self.product(layer, x, n, reference, n) + self.product(layer, x, m, reference, m);
            let change = self.product(layer, x, n, reference, m) + self.product(layer, x, m, reference, n);
            if change > stay {
                swap(&self.topology, x, layer, m, n);
            }
        } else if self.product(layer, x, n, reference, n) < 0.0 {
            flip(&self.topology, x, layer, n);
        }
    }
}
