//! The Gauss-Newton matrix from sums over rows.

use super::Tiled;
use super::tile::{has_pairs, triangle};

impl Tiled {
    /// $D^\top D - D^\top H (H^\top H + \Lambda^2)^{-1} H^\top D$, summed over outputs, and the L2 penalty.
    pub(super) fn write_matrix(&mut self, scale: f64, matrix: &mut Vec<f64>) {
        let (dim, columns) = (self.topology.dim(), self.output_layer.columns());
        if has_pairs(&self.topology) {
            self.write_products_of_pairs(matrix);
        } else {
            matrix.extend_from_slice(&self.sums.matrix);
        }
        for cross in self.sums.cross.chunks_exact(dim * columns) {
            // With C = U^-T H^T D the subtrahend is C^T C, which is symmetric by construction.
            let solved: Vec<Vec<f64>> =
                cross.chunks_exact(columns).map(|row| self.output_layer.half_solution(row)).collect();
            for i in 0..dim {
                for j in i..dim {
                    let product: f64 = solved[i].iter().zip(&solved[j]).map(|(a, b)| a * b).sum();
                    matrix[i * dim + j] -= product;
                }
            }
        }
        let weights = self.output_layer.rows();
        let size = self.topology.inputs() + 1;
        let has_factors = self.topology.hidden().len() == 1;
        for i in 0..dim {
            for j in i..dim {
                let factor =
                    if has_factors { weights.iter().map(|w| w[i / size] * w[j / size]).sum() } else { 1.0 };
                let penalty = if i == j { self.decay } else { 0.0 };
                let entry = scale * factor * matrix[i * dim + j] + penalty;
                matrix[i * dim + j] = entry;
                matrix[j * dim + i] = entry;
            }
        }
    }

    /// The upper triangle of products of derivatives, which have the order of neurons and then of inputs.
    fn write_products_of_pairs(&self, matrix: &mut Vec<f64>) {
        let (neurons, inputs) = (self.topology.last_hidden(), self.topology.inputs() + 1);
        let dim = neurons * inputs;
        matrix.resize(dim * dim, 0.0);
        let of = |(a, b): (usize, usize), columns: usize| {
            let (low, high) = (a.min(b), a.max(b));
            low * columns - triangle(low) + high
        };
        for (n, m) in (0..neurons).flat_map(|n| (n..neurons).map(move |m| (n, m))) {
            let row = &self.sums.matrix[of((n, m), neurons) * triangle(inputs)..];
            for (i, j) in (0..inputs).flat_map(|i| (0..inputs).map(move |j| (i, j))) {
                matrix[(n * inputs + i) * dim + m * inputs + j] = row[of((i, j), inputs)];
            }
        }
    }
}
