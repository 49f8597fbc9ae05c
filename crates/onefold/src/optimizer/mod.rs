//! Optimisers that propose and learn: they know nothing of networks, threads or files.

mod differential_evolution;
mod strategy;

pub use differential_evolution::{DeSettings, DifferentialEvolution};
pub use strategy::{Crossover, Mutation, Weight};

use crate::{Population, Rng};

/// Proposes candidates, then learns their costs.
pub trait Optimizer {
    /// The candidates to be evaluated next. Called again before [`tell`](Self::tell), it returns the same ones.
    fn ask(&mut self) -> Ask<'_>;

    /// The costs of the candidates of the last [`ask`](Self::ask), in order; above its cutoff a cost need not be exact.
    fn tell(&mut self, costs: &[f64]);

    /// The best point told so far.
    fn best(&self) -> Best<'_>;

    /// The current population and its costs, for observers.
    fn population(&self) -> (&Population, &[f64]);
}

/// A batch of candidates.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The candidates.
    pub candidates: &'a Population,
    /// For each candidate, the cost above which the optimiser has no use for an exact value.
    pub cutoffs: &'a [f64],
}

/// A point and its cost.
#[derive(Clone, Copy, Debug)]
pub struct Best<'a> {
    /// The point.
    pub x: &'a [f64],
    /// Its cost, infinite before the first evaluation.
    pub cost: f64,
}

/// Replaces a point by a symmetric equivalent nearer to a reference.
pub trait Align: Send + Sync {
    /// Changes `x` into an equivalent point that is not farther from `reference`.
    fn align(&self, x: &mut [f64], reference: &[f64], rng: &mut Rng);
}
