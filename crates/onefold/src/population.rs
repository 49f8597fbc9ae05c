//! Many points of equal dimension in one buffer.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Points of equal dimension, one after the other in one row-major buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Population {
    dim: usize,
    values: Vec<f64>,
}

impl Population {
    /// `len` points at the origin of a space with `dim` dimensions.
    ///
    /// # Panics
    /// If `dim` is zero.
    #[must_use]
    pub fn new(len: usize, dim: usize) -> Self {
        assert!(dim > 0, "a point needs at least one coordinate");
        Self { dim, values: vec![0.0; len * dim] }
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() / self.dim
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Dimension of every point.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Point `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.dim..(i + 1) * self.dim]
    }

    /// Point `i`, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.dim..(i + 1) * self.dim]
    }

    /// Some neighbours, one after the other.
    pub(crate) fn some_rows(&self, rows: Range<usize>) -> &[f64] {
        &self.values[rows.start * self.dim..rows.end * self.dim]
    }

    /// Some neighbours, one after the other, to be changed.
    pub(crate) fn some_rows_mut(&mut self, rows: Range<usize>) -> &mut [f64] {
        &mut self.values[rows.start * self.dim..rows.end * self.dim]
    }

    /// Whether the buffer holds whole points; a population that was read from a file need not.
    pub(crate) fn has_shape(&self, len: usize, dim: usize) -> bool {
        self.dim == dim && len.checked_mul(dim) == Some(self.values.len())
    }

    /// Changes the number of points: the last ones are dropped, new ones are at the origin.
    pub(crate) fn resize(&mut self, len: usize) {
        self.values.resize(len * self.dim, 0.0);
    }

    /// Adds a point at the end.
    pub(crate) fn push(&mut self, point: &[f64]) {
        debug_assert_eq!(point.len(), self.dim);
        self.values.extend_from_slice(point);
    }

    /// Removes point `i`; those after it move up.
    pub(crate) fn remove(&mut self, i: usize) {
        self.values.drain(i * self.dim..(i + 1) * self.dim);
    }

    /// All points in order.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.dim)
    }

    /// All points in order, to be changed.
    pub fn rows_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [f64]> {
        self.values.chunks_exact_mut(self.dim)
    }
}
