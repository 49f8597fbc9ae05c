//! How errors of hidden outputs spread through the layers.

use super::lanes::{Block, Lanes};
use crate::Topology;

/// How roughly a network is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Roughness<'a> {
    /// Relative error of one rounding.
    pub(super) unit: f64,
    /// Absolute error of one `tanh`.
    pub(super) tanh: f64,
    /// The largest magnitude of each input.
    pub(super) largest: &'a [f64],
}

/// For eight networks: how far each hidden output of the last layer can be from that of the exact evaluation, the sum of the squares of that. `tanh` never makes an
/// error larger. `errors` is room for two layers.
#[inline(always)]
pub(super) fn spread<L: Lanes>(
    topology: &Topology,
    parameters: &[Block],
    roughness: Roughness,
    errors: &mut [Vec<Block>; 2],
) -> L {
    for (l, neurons) in topology.hidden().iter().enumerate() {
        let parameters = &parameters[topology.layer(l)];
        let size = parameters.len() / neurons;
        // Each weight, each input and each sum is rounded once.
        let roundings = L::splat((size + 3) as f64 * roughness.unit);
        for (n, eta) in parameters.chunks_exact(size).enumerate() {
            let mut sum = L::load(&eta[size - 1]).abs();
            let mut carried = L::splat(0.0);
            for (j, w) in eta[..size - 1].iter().enumerate() {
                let w = L::load(w).abs();
                // Hidden outputs are at most 1.
                sum = w.mul_add(L::splat(if l == 0 { roughness.largest[j] } else { 1.0 }), sum);
                if l > 0 {
                    carried = w.mul_add(L::load(&errors[0][j]), carried);
                }
            }
            sum.mul_add(roundings, carried).add(L::splat(roughness.tanh)).store(&mut errors[1][n]);
        }
        errors.swap(0, 1);
    }
    let mut sum = L::splat(0.0);
    for error in &errors[0][..topology.last_hidden()] {
        let error = L::load(error);
        sum = error.mul_add(error, sum);
    }
    sum
}
