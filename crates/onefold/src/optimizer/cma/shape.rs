//! The covariance matrix `C = B D² Bᵀ`, full or diagonal, and its decomposition.

use super::Covariance;
use crate::kernel::{EigenWork, Isa, eigen};
use serde::{Deserialize, Serialize};

/// Maximum condition number of the matrix after a decomposition.
const LARGEST_CONDITION: f64 = 1e15;

/// The covariance matrix, and the decomposition that candidates are drawn with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Shape {
    dim: usize,
    /// The lower triangle of a square row-major matrix, or the diagonal.
    c: Vec<f64>,
    /// Eigenvectors, one per row; empty for a diagonal covariance.
    axes: Vec<f64>,
    /// Square roots of the eigenvalues.
    lengths: Vec<f64>,
}

/// Workspace of a decomposition.
#[derive(Clone, Debug)]
pub(super) struct Work {
    isa: Isa,
    eigen: EigenWork,
    values: Vec<f64>,
    vectors: Vec<f64>,
}

impl Default for Work {
    fn default() -> Self {
        Self { isa: Isa::detect(), eigen: EigenWork::default(), values: Vec::new(), vectors: Vec::new() }
    }
}

impl Shape {
    /// The unit matrix.
    pub(super) fn sphere(dim: usize, covariance: Covariance) -> Self {
        let unit = |size: usize| {
            let mut square = vec![0.0; size];
            square.iter_mut().step_by(dim + 1).for_each(|v| *v = 1.0);
            square
        };
        match covariance {
            Covariance::Full => {
                Self { dim, c: unit(dim * dim), axes: unit(dim * dim), lengths: vec![1.0; dim] }
            }
            Covariance::Diagonal => {
                Self { dim, c: vec![1.0; dim], axes: Vec::new(), lengths: vec![1.0; dim] }
            }
        }
    }

    fn is_full(&self) -> bool {
        !self.axes.is_empty()
    }

    /// Whether all parts have the same sizes as those of `other`.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.dim == other.dim
            && self.c.len() == other.c.len()
            && self.axes.len() == other.axes.len()
            && self.lengths.len() == other.lengths.len()
            && self.lengths.iter().all(|d| *d > 0.0 && d.is_finite())
    }

    /// Variance of coordinate `i`, without the step size.
    pub(super) fn variance(&self, i: usize) -> f64 {
        self.c[if self.is_full() { i * (self.dim + 1) } else { i }]
    }

    /// Multiplications to stretch, to whiten or to add a vector, roughly.
    pub(super) fn work(&self) -> usize {
        self.c.len() + 8 * self.dim
    }

    /// `y = B D z` (eq. 39).
    pub(super) fn stretch(&self, z: &[f64], y: &mut [f64]) {
        if !self.is_full() {
            y.iter_mut().zip(z).zip(&self.lengths).for_each(|((y, z), d)| *y = d * z);
            return;
        }
        y.fill(0.0);
        for ((axis, z), d) in self.axes.chunks_exact(self.dim).zip(z).zip(&self.lengths) {
            let length = d * z;
            y.iter_mut().zip(axis).for_each(|(y, a)| *y += length * a);
        }
    }

    /// `out = C^(-1/2) y = B D⁻¹ Bᵀ y`, with the decomposition that candidates were drawn with; returns its
    /// squared length.
    pub(super) fn whiten(&self, y: &[f64], out: &mut [f64]) -> f64 {
        if !self.is_full() {
            out.iter_mut().zip(y).zip(&self.lengths).for_each(|((o, y), d)| *o = y / d);
            return out.iter().map(|v| v * v).sum();
        }
        out.fill(0.0);
        let mut squared = 0.0;
        for (axis, d) in self.axes.chunks_exact(self.dim).zip(&self.lengths) {
            let length = axis.iter().zip(y).map(|(a, y)| a * y).sum::<f64>() / d;
            squared += length * length;
            out.iter_mut().zip(axis).for_each(|(o, a)| *o += length * a);
        }
        squared
    }

    /// `C <- keep · C`.
    pub(super) fn decay(&mut self, keep: f64) {
        self.c.iter_mut().for_each(|v| *v *= keep);
    }

    /// `C <- C + weight · v vᵀ`.
    pub(super) fn add(&mut self, weight: f64, v: &[f64]) {
        if !self.is_full() {
            self.c.iter_mut().zip(v).for_each(|(c, v)| *c += weight * v * v);
            return;
        }
        for (i, (row, vi)) in self.c.chunks_exact_mut(self.dim).zip(v).enumerate() {
            let scale = weight * vi;
            row[..=i].iter_mut().zip(v).for_each(|(c, v)| *c += scale * v);
        }
    }

    /// Updates the decomposition. A matrix that is not positive definite is repaired by adding a multiple of
    /// the unit matrix; if that is impossible, the result is false and nothing is changed.
    pub(super) fn decompose(&mut self, work: &mut Work) -> bool {
        let Work { isa, eigen: workspace, values: eigenvalues, vectors } = work;
        eigenvalues.resize(self.dim, 0.0);
        vectors.resize(self.axes.len(), 0.0);
        if self.is_full() {
            if !eigen(*isa, &self.c, eigenvalues, vectors, workspace) {
                return false;
            }
        } else if self.c.iter().all(|v| v.is_finite()) {
            eigenvalues.copy_from_slice(&self.c);
        } else {
            return false;
        }
        let largest = eigenvalues.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let smallest = eigenvalues.iter().copied().fold(f64::INFINITY, f64::min);
        if largest <= 0.0 {
            return false;
        }
        self.axes.copy_from_slice(vectors);
        let shift = (largest / LARGEST_CONDITION - smallest).max(0.0);
        if shift > 0.0 {
            let n = if self.is_full() { self.dim + 1 } else { 1 };
            self.c.iter_mut().step_by(n).for_each(|v| *v += shift);
        }
        self.lengths.iter_mut().zip(&*eigenvalues).for_each(|(d, e)| *d = (e + shift).sqrt());
        true
    }

    /// Largest and smallest eigenvalue of the last decomposition.
    pub(super) fn extremes(&self) -> (f64, f64) {
        let largest = self.lengths.iter().copied().fold(0.0, f64::max);
        let smallest = self.lengths.iter().copied().fold(f64::INFINITY, f64::min);
        (largest * largest, smallest * smallest)
    }

    /// Whether a step of `factor` standard deviations along principal axis `j` leaves `mean` unchanged.
    pub(super) fn has_no_effect(&self, j: usize, mean: &[f64], factor: f64) -> bool {
        let step = factor * self.lengths[j];
        if self.is_full() {
            let axis = &self.axes[j * self.dim..][..self.dim];
            mean.iter().zip(axis).all(|(m, a)| (m + step * a).to_bits() == m.to_bits())
        } else {
            (mean[j] + step).to_bits() == mean[j].to_bits()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Shape {
        let mut shape = Shape::sphere(4, Covariance::Full);
        shape.decay(0.3);
        for v in [[1.0, 2.0, -1.0, 0.5], [0.0, 1.0, 3.0, -2.0], [5.0, 0.1, 0.2, 0.3]] {
            shape.add(0.7, &v);
        }
        shape
    }

    #[test]
    fn axes_and_lengths_reproduce_the_matrix() {
        let mut shape = example();
        let c = shape.c.clone();
        assert!(shape.decompose(&mut Work::default()));
        for i in 0..4 {
            for j in 0..=i {
                let sum: f64 = (0..4)
                    .map(|k| shape.axes[k * 4 + i] * shape.axes[k * 4 + j] * shape.lengths[k].powi(2))
                    .sum();
                assert!((sum - c[i * 4 + j]).abs() < 1e-12, "{i} {j}");
            }
        }
    }

    #[test]
    fn whitening_undoes_stretching_up_to_rotation() {
        for mut shape in [example(), {
            let mut diagonal = Shape::sphere(4, Covariance::Diagonal);
            diagonal.add(3.0, &[1.0, 2.0, -1.0, 0.5]);
            diagonal
        }] {
            assert!(shape.decompose(&mut Work::default()));
            let z = [0.3, -1.2, 0.7, 2.0];
            let (mut y, mut white) = ([0.0; 4], [0.0; 4]);
            shape.stretch(&z, &mut y);
            let squared = shape.whiten(&y, &mut white);
            let expected: f64 = z.iter().map(|v| v * v).sum();
            assert!((squared - expected).abs() < 1e-12);
            assert!((white.iter().map(|v| v * v).sum::<f64>() - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_shifted_or_refused() {
        let mut shape = example();
        shape.add(-2.0, &[5.0, 0.1, 0.2, 0.3]);
        assert!(shape.decompose(&mut Work::default()));
        assert!(shape.lengths.iter().all(|d| *d > 0.0 && d.is_finite()));
        let before = shape.clone();
        shape.c[0] = f64::NAN;
        assert!(!shape.decompose(&mut Work::default()));
        assert_eq!(shape.axes, before.axes);
        let mut negative = Shape::sphere(3, Covariance::Diagonal);
        negative.decay(-1.0);
        assert!(!negative.decompose(&mut Work::default()));
    }
}
