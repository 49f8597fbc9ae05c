//! The symmetries of tanh networks, and ways to break them.
//!
//! Two operators leave the function of a network unchanged (paper, eq. 12 and 13). The point symmetry $O^l_n$
//! negates everything that enters and leaves neuron $n$ of layer $l$, since $w \tanh(x) = -w \tanh(-x)$; the
//! permutation $P^l_{j,k}$ exchanges two neurons of one layer. Both keep the length of the parameter vector.
//! Outgoing weights of the last hidden layer are solved for and follow by themselves.

mod assignment;
mod canonical;
mod dense;
mod heuristic;
mod ideal;

pub use canonical::Canonical;
pub use dense::{DenseLayer, DenseNetwork, Equivalent};
pub use heuristic::Heuristic;
pub use ideal::Ideal;

use crate::{Align, Error, Topology};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which [`Align`] breaks the symmetries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// None.
    None,
    /// The paper's Algorithm 1: one random operator at a time, towards the best.
    #[default]
    Heuristic,
    /// The equivalent nearest to the best, the paper's ideal.
    Ideal,
    /// One form for all equivalents, whatever the best.
    Canonical,
}

impl Alignment {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::None, Self::Heuristic, Self::Ideal, Self::Canonical];

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Heuristic => "heuristic",
            Self::Ideal => "ideal",
            Self::Canonical => "canonical",
        }
    }

    /// The `Align` for networks of this topology.
    #[must_use]
    pub fn build(self, topology: &Topology) -> Option<Box<dyn Align>> {
        match self {
            Self::None => None,
            Self::Heuristic => Some(Box::new(Heuristic::new(topology.clone()))),
            Self::Ideal => Some(Box::new(Ideal::new(topology.clone()))),
            Self::Canonical => Some(Box::new(Canonical::new(topology.clone()))),
        }
    }
}

impl fmt::Display for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Alignment {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|a| a.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|a| a.name()).collect();
            Error::setting("align", format!("\"{name}\""), format!("must be one of {}", names.join(", ")))
        })
    }
}

/// Scalar product of block `a` of `x` with block `b` of `y`, both in hidden layer `layer`: its own parameters
/// and its outgoing weights.
#[inline]
fn product(topology: &Topology, layer: usize, x: &[f64], a: usize, y: &[f64], b: usize) -> f64 {
    let own = x[topology.neuron(layer, a)].iter().zip(&y[topology.neuron(layer, b)]);
    let mut sum = own.map(|(x, y)| x * y).sum::<f64>();
    for (i, j) in topology.outgoing(layer, a).zip(topology.outgoing(layer, b)) {
        sum += x[i] * y[j];
    }
    sum
}

/// Applies the point symmetry `O` to neuron `n` of hidden layer `layer` (both counted from 0), in place.
pub fn flip(topology: &Topology, theta: &mut [f64], layer: usize, n: usize) {
    for i in topology.block(layer, n) {
        theta[i] = -theta[i];
    }
}

/// Applies the permutation `P` to neurons `j` and `k` of hidden layer `layer` (counted from 0), in place.
pub fn swap(topology: &Topology, theta: &mut [f64], layer: usize, j: usize, k: usize) {
    for (a, b) in topology.block(layer, j).zip(topology.block(layer, k)) {
        theta.swap(a, b);
    }
}
