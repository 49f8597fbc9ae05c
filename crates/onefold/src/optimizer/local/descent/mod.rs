//! Descents to a local minimum, inside a sphere.

mod lbfgs;
mod levenberg_marquardt;

pub use lbfgs::Lbfgs;
pub use levenberg_marquardt::LevenbergMarquardt;

use crate::request::{Derivatives, Slopes};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// A descent as [`LocalSearch`](super::LocalSearch) uses it: the state between two steps of an algorithm.
///
/// The search evaluates [`Position::trial`] and passes the result to [`learn`](Self::learn), until the
/// descent has converged.
pub trait Descent: Clone + Debug + PartialEq + Send + Serialize + DeserializeOwned + 'static {
    /// Identifies saved states of searches with such descents.
    const NAME: &'static str;
    /// The derivatives that it needs.
    const DERIVATIVES: Derivatives;
    /// Steps in a row with little gain after which a descent on a sample of the rows ends.
    const SLOW_STEPS: u32;
    /// Buffers that all descents of a search share.
    type Work: Send;

    /// Buffers for `dim` dimensions.
    fn work(dim: usize) -> Self::Work;

    /// The numbers that a search keeps in memory for each dimension, roughly.
    fn numbers_per_dimension(dim: usize) -> usize;

    /// A descent from `start`, which is not evaluated yet.
    fn new(start: Vec<f64>) -> Self;

    /// A descent from the same point on other rows.
    #[must_use]
    fn on_other_rows(&self) -> Self {
        Self::new(self.position().x.clone())
    }

    /// Where the descent is.
    fn position(&self) -> &Position;

    /// Where the descent is, to be changed.
    fn position_mut(&mut self) -> &mut Position;

    /// Whether the slopes at the current point are not known.
    fn needs_slopes(&self) -> bool;

    /// Frees the memory of the slopes; they are requested again when the descent is resumed.
    fn discard_slopes(&mut self);

    /// Accepts or rejects the trial point and proposes the next one; `slopes` are used only if `cost` is at
    /// most the [cutoff](Self::cutoff).
    fn learn(&mut self, cost: f64, slopes: &mut Slopes, radius: f64, work: &mut Self::Work);

    /// Whether the sizes are those of a descent in `dim` dimensions.
    fn has_shape(&self, dim: usize) -> bool;

    /// The cost above which the step to the trial point is rejected.
    fn cutoff(&self) -> f64 {
        if self.needs_slopes() { f64::INFINITY } else { self.position().cost }
    }

    /// Accepts the step to the trial point, whose slopes are not known.
    fn accept_without_slopes(&mut self, cost: f64) {
        let position = self.position_mut();
        position.cost = cost;
        position.x.copy_from_slice(&position.trial);
        position.steps = position.steps.saturating_add(1);
        self.discard_slopes();
    }
}

/// Where a descent is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// The current point.
    pub x: Vec<f64>,
    /// Its cost; infinite before the first evaluation.
    pub cost: f64,
    /// The point to be evaluated next.
    pub trial: Vec<f64>,
    /// Number of steps tried.
    pub steps: u32,
    /// Whether no step with a sufficient predicted decrease is left.
    pub has_converged: bool,
}

impl Position {
    fn new(start: Vec<f64>) -> Self {
        Self { x: start.clone(), cost: f64::INFINITY, trial: start, steps: 0, has_converged: false }
    }

    fn has_shape(&self, dim: usize) -> bool {
        self.x.len() == dim && self.trial.len() == dim
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

#[cfg(test)]
mod tests;
