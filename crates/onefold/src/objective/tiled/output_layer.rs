//! Output weights from the normal equations.

use crate::kernel::{Block, Isa, WIDTH, cholesky, solve_lower, solve_upper, stride};

/// Output weights, solved from sums over rows.
#[derive(Clone, Debug)]
pub(super) struct OutputLayer {
    isa: Isa,
    outputs: usize,
    /// Columns without the bias: neurons of the last hidden layer, and the inputs with a linear part.
    width: usize,
    /// For each column the factor of the number of rows that is added to the diagonal.
    ridges: Vec<f64>,
    /// For each output one weight per such column, and its bias or zero.
    pub(super) weights: Vec<f64>,
    /// The Cholesky factor of the scaled normal equations.
    factor: Vec<Block>,
    /// The square root of each column's diagonal entry.
    scales: Vec<f64>,
    vector: Vec<Block>,
}

impl OutputLayer {
    pub(super) fn new(isa: Isa, outputs: usize, width: usize, ridges: Vec<f64>) -> Self {
        let columns = ridges.len();
        Self {
            isa,
            outputs,
            width,
            weights: vec![0.0; outputs * (width + 1)],
            factor: vec![Block::ZERO; columns * stride(columns)],
            scales: vec![0.0; columns],
            vector: vec![Block::ZERO; stride(columns)],
            ridges,
        }
    }

    /// Solves for the weights, given scalar products of columns and targets; false if they are not finite or
    /// the equations cannot be solved.
    pub(super) fn solve(&mut self, normal: &[f64], rows: f64) -> bool {
        let columns = self.ridges.len();
        let total = columns + self.outputs;
        for i in 0..columns {
            self.scales[i] = (normal[i * total + i] + rows * self.ridges[i]).sqrt();
        }
        // Rounding can make the equations of collinear columns indefinite.
        [0.0, 1e-14, 1e-13, 1e-12].iter().any(|shift| self.factorise(normal, *shift))
            && self.solve_all(normal)
    }

    /// The Cholesky factor of the equations, scaled to a diagonal of ones and this shift: the condition
    /// number is then nearly as small as scaling can make it.
    fn factorise(&mut self, normal: &[f64], shift: f64) -> bool {
        let columns = self.ridges.len();
        let total = columns + self.outputs;
        for i in 0..columns {
            let row = &mut self.factor[i * stride(columns)..][..stride(columns)];
            row.fill(Block::ZERO);
            for j in 0..columns {
                let product = normal[i.min(j) * total + i.max(j)];
                row[j / WIDTH][j % WIDTH] =
                    if i == j { 1.0 + shift } else { product / (self.scales[i] * self.scales[j]) };
            }
        }
        cholesky(self.isa, &mut self.factor, columns)
    }

    fn solve_all(&mut self, normal: &[f64]) -> bool {
        let columns = self.ridges.len();
        let total = columns + self.outputs;
        for output in 0..self.outputs {
            let right: Vec<f64> = (0..columns).map(|i| normal[i * total + columns + output]).collect();
            let solution = self.solution(&right);
            let weights = &mut self.weights[output * (self.width + 1)..][..columns];
            weights.copy_from_slice(&solution);
        }
        self.weights.iter().all(|w| w.is_finite())
    }

    /// The solution of the normal equations for another right-hand side.
    pub(super) fn solution(&mut self, right: &[f64]) -> Vec<f64> {
        let columns = self.ridges.len();
        self.fill(right);
        solve_lower(self.isa, &self.factor, columns, &mut self.vector);
        solve_upper(self.isa, &self.factor, columns, &mut self.vector);
        (0..columns).map(|i| self.vector[i / WIDTH][i % WIDTH] / self.scales[i]).collect()
    }

    /// `U^-T` times a scaled right-hand side, where `U` is the Cholesky factor of the scaled equations.
    pub(super) fn half_solution(&mut self, right: &[f64]) -> Vec<f64> {
        self.fill(right);
        solve_lower(self.isa, &self.factor, right.len(), &mut self.vector);
        (0..right.len()).map(|i| self.vector[i / WIDTH][i % WIDTH]).collect()
    }

    fn fill(&mut self, right: &[f64]) {
        self.vector.fill(Block::ZERO);
        for (i, (v, scale)) in right.iter().zip(&self.scales).enumerate() {
            self.vector[i / WIDTH][i % WIDTH] = v / scale;
        }
    }

    /// The least share of its squared norm that a column keeps after projecting out those before it.
    pub(super) fn least_share(&self) -> f64 {
        let columns = self.columns();
        let pivot = |i: usize| self.factor[i * stride(columns) + i / WIDTH][i % WIDTH];
        (0..columns).map(|i| pivot(i).powi(2)).fold(1.0, f64::min)
    }

    /// Hidden outputs, the inputs with a linear part, and the bias if there is one.
    pub(super) fn columns(&self) -> usize {
        self.ridges.len()
    }

    /// The sum of squares with ridge, from the equations alone: inexact where most of the targets is
    /// explained.
    pub(super) fn expected_squares(&self, normal: &[f64]) -> f64 {
        let columns = self.ridges.len();
        let total = columns + self.outputs;
        let of_output = |(output, weights): (usize, &[f64])| {
            let target = columns + output;
            let explained: f64 = (0..columns).map(|i| weights[i] * normal[i * total + target]).sum();
            normal[target * total + target] - explained
        };
        self.weights.chunks_exact(self.width + 1).enumerate().map(of_output).sum()
    }

    /// The weights of each output, its bias last if there is one.
    pub(super) fn rows(&self) -> Vec<Vec<f64>> {
        let columns = self.ridges.len();
        self.weights.chunks_exact(self.width + 1).map(|row| row[..columns].to_vec()).collect()
    }

    /// What the ridge adds to the sum of squares.
    pub(super) fn ridge_penalty(&self, rows: f64) -> f64 {
        let of_output = |weights: &[f64]| -> f64 {
            weights.iter().zip(&self.ridges).map(|(w, ridge)| w * w * ridge).sum()
        };
        rows * self.weights.chunks_exact(self.width + 1).map(of_output).sum::<f64>()
    }
}
