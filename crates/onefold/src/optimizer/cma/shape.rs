//! The covariance matrix `C = B D² Bᵀ`, full or diagonal, and its decomposition.

use super::Covariance;
use crate::cancellation::poll;
use crate::kernel::{Block, EigenWork, Isa, add_outer_products, combine, eigen, to_blocks};
use serde::{Deserialize, Serialize};

/// Maximum condition number of the matrix after a decomposition.
const LARGEST_CONDITION: f64 = 1e15;
/// Multiplications between two polls for cancellation, roughly.
const AT_ONCE: usize = 1 << 20;
/// Vectors that are added to the matrix at once, at most.
const TOGETHER: usize = 32;

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

/// Workspace.
#[derive(Clone, Debug)]
pub(super) struct Work {
    isa: Isa,
    eigen: EigenWork,
    values: Vec<f64>,
    vectors: Vec<f64>,
    /// The axes that candidates are drawn with, or vectors that are added to the matrix, in whole blocks.
    blocks: Vec<Block>,
    /// Their coefficients.
    coefficients: Vec<f64>,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            isa: Isa::detect(),
            eigen: EigenWork::default(),
            values: Vec::new(),
            vectors: Vec::new(),
            blocks: Vec::new(),
            coefficients: Vec::new(),
        }
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

    /// Prepares the workspace for [`stretch`](Self::stretch).
    pub(super) fn prepare(&self, work: &mut Work) {
        to_blocks(self.axes.chunks_exact(self.dim), &mut work.blocks);
    }

    /// `y = B D z` (eq. 39).
    pub(super) fn stretch(&self, z: &[f64], y: &mut [f64], work: &mut Work) {
        if !self.is_full() {
            y.iter_mut().zip(z).zip(&self.lengths).for_each(|((y, z), d)| *y = d * z);
            return;
        }
        work.coefficients.clear();
        work.coefficients.extend(z.iter().zip(&self.lengths).map(|(z, d)| d * z));
        combine(work.isa, &work.coefficients, &work.blocks, y);
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

    /// `C <- C + weight · v vᵀ` for several vectors, in their order. False if it was cut off.
    pub(super) fn add<'a>(
        &mut self,
        weighted: impl IntoIterator<Item = (f64, &'a [f64])>,
        work: &mut Work,
    ) -> bool {
        let mut weighted = weighted.into_iter().peekable();
        let together = (AT_ONCE / self.work()).clamp(1, TOGETHER);
        let Work { isa, blocks, coefficients, .. } = work;
        while weighted.peek().is_some() {
            coefficients.clear();
            let some = weighted.by_ref().take(together).inspect(|(weight, _)| coefficients.push(*weight));
            if self.is_full() {
                to_blocks(some.map(|(_, v)| v), blocks);
                add_outer_products(*isa, coefficients, blocks, self.dim, &mut self.c);
            } else {
                for (weight, v) in some {
                    self.c.iter_mut().zip(v).for_each(|(c, v)| *c += weight * v * v);
                }
            }
            if poll(coefficients.len() * self.work()) {
                return false;
            }
        }
        true
    }

    /// Updates the decomposition. A matrix that is not positive definite is repaired by adding a multiple of
    /// the unit matrix; if that is impossible, the result is false and nothing is changed.
    pub(super) fn decompose(&mut self, work: &mut Work) -> bool {
        let Work { isa, eigen: workspace, values: eigenvalues, vectors, .. } = work;
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
        let vectors = [[1.0, 2.0, -1.0, 0.5], [0.0, 1.0, 3.0, -2.0], [5.0, 0.1, 0.2, 0.3]];
        shape.add(vectors.iter().map(|v| (0.7, &v[..])), &mut Work::default());
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
            diagonal.add([(3.0, &[1.0, 2.0, -1.0, 0.5][..])], &mut Work::default());
            diagonal
        }] {
            let mut work = Work::default();
            assert!(shape.decompose(&mut work));
            let z = [0.3, -1.2, 0.7, 2.0];
            let (mut y, mut white) = ([0.0; 4], [0.0; 4]);
            shape.prepare(&mut work);
            shape.stretch(&z, &mut y, &mut work);
            let squared = shape.whiten(&y, &mut white);
            let expected: f64 = z.iter().map(|v| v * v).sum();
            assert!((squared - expected).abs() < 1e-12);
            assert!((white.iter().map(|v| v * v).sum::<f64>() - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_shifted_or_refused() {
        let mut shape = example();
        shape.add([(-2.0, &[5.0, 0.1, 0.2, 0.3][..])], &mut Work::default());
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
