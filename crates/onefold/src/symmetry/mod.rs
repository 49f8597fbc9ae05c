//! The symmetries of tanh networks, and ways to break them.
//!
//! Two operators leave the function of a network unchanged (paper, eq. 12 and 13). The point symmetry $O^l_n$ negates
//! everything that enters and leaves neuron $n$ of layer $l$, since $w \tanh(x) = -w \tanh(-x)$; the permutation $P^l_{j,k}$ exchanges
//! two neurons of one layer. Both keep the length of the parameter vector. Outgoing weights of the last hidden layer
//! are solved for and follow by themselves.

mod heuristic;

pub use heuristic::Heuristic;

use crate::Topology;

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
