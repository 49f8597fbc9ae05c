//! Optimisers with an ask-and-tell interface, independent of networks, threads and files.

mod adaptive;
mod cma;
mod common;
#[cfg(test)]
mod contract;
mod differential_evolution;
mod growing_sample;
mod local;
mod restarts;
mod strategy;

pub use adaptive::{AdaptiveDe, AdaptiveSettings, Variant};
pub use cma::{CmaEs, CmaPreset, CmaSettings, Covariance};
pub use common::CommonSettings;
pub use differential_evolution::{DeSettings, DifferentialEvolution};
pub use growing_sample::GrowingSample;
pub(crate) use growing_sample::halvings_of_first_sample;
pub use local::{Descent, Lbfgs, LevenbergMarquardt, LocalSearch, LocalSettings, Optimum, Position};
pub use restarts::{Attempt, Regime, Restart, RestartRule, Restarts};
pub use strategy::{Crossover, Mutation, Reference, Weight};

pub use crate::rng::Rng;

use crate::{Derivatives, Error, Evaluations, Population, Request};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An optimiser: proposes candidates, and updates its state from their costs.
pub trait Optimizer: Send {
    /// The candidates to be evaluated next. A second call before [`tell`](Self::tell) returns the same ones.
    fn ask(&mut self) -> Request<'_>;

    /// Passes the evaluations of the last [`ask`](Self::ask). An optimiser may move slopes out of
    /// `evaluations` instead of copying them, so that their content is unspecified afterwards.
    ///
    /// Costs must not be NaN: [`search`](fn@crate::search) calls [`Evaluations::sanitise`] first, and so
    /// must whoever calls `tell` otherwise.
    fn tell(&mut self, evaluations: &mut Evaluations);

    /// The derivatives that it requests in any generation.
    fn derivatives(&self) -> Option<Derivatives> {
        None
    }

    /// Begins at this point, before anything was asked: the first descent or the initial mean is there, or the
    /// initial population contains it. A state saved before the first generation may not have the point.
    fn start_at(&mut self, point: &[f64]);

    /// The best point so far.
    fn best(&self) -> Best<'_>;

    /// The current population and its costs, for observers.
    fn population(&self) -> (&Population, &[f64]);

    /// The termination criterion of the method that is met, if any.
    fn finished(&self) -> Option<Termination> {
        None
    }

    /// The restarts so far.
    fn restarts(&self) -> &[Restart] {
        &[]
    }

    /// The distinct local optima found, up to symmetry, best first.
    fn optima(&self) -> &[Optimum] {
        &[]
    }

    /// The complete state of the optimiser, except its settings.
    fn save(&self) -> Vec<u8>;

    /// Restores the state of an optimiser with the same settings. It then continues to the same bits.
    ///
    /// # Errors
    /// If `saved` is from another method or other settings, or is damaged; the state is then unchanged.
    fn restore(&mut self, saved: &[u8]) -> Result<(), Error>;
}

/// A point and its cost.
#[derive(Clone, Copy, Debug)]
pub struct Best<'a> {
    /// The point.
    pub x: &'a [f64],
    /// Its cost, infinite before the first evaluation.
    pub cost: f64,
}

/// Replaces a point by a symmetric equivalent, usually one nearer to a reference.
pub trait Align: Send + Sync {
    /// Replaces `x` by an equivalent point that is not farther from `reference`, unless the implementation
    /// documents otherwise.
    fn align(&self, x: &mut [f64], reference: &[f64], rng: &mut Rng);
}

/// The termination criterion of an optimiser that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Termination {
    /// All costs of this generation and the best ones of the last generations are equal within a tolerance.
    TolFun,
    /// The best costs of the last generations are equal within a tolerance.
    TolFunHist,
    /// The distribution has become smaller than a tolerance in every coordinate.
    TolX,
    /// The distribution has become much wider than initially: the initial step size was far too small, or the
    /// cost has no minimum.
    TolUpX,
    /// The mean has not moved for a tenth of all generations.
    TolXStagnation,
    /// Median and best cost have not improved over many generations.
    Stagnation,
    /// Most costs of a generation were exactly equal, in several generations in a row.
    FlatFitness,
    /// The covariance matrix is too ill-conditioned for floating-point arithmetic.
    ConditionNumber,
    /// A step along a principal axis no longer changes the mean.
    NoEffectAxis,
    /// A step along a coordinate no longer changes the mean.
    NoEffectCoordinate,
    /// The default maximum number of generations for this dimension is reached.
    Generations,
    /// A parameter of the distribution is no longer finite.
    NotFinite,
    /// The run has used the evaluations that its restart rule allotted to it.
    Allotment,
    /// All local optima have probably been found.
    AllOptima,
    /// Too many descents in a row without improvement.
    Patience,
    /// The evaluations that the method's schedules are made for are used up.
    Horizon,
    /// The next restart would need a population thousands of times the first one, or one that does not fit
    /// into memory.
    PopulationTooLarge,
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TolFun => "all costs are equal within the tolerance",
            Self::TolFunHist => "the best cost no longer changes",
            Self::TolX => "the search distribution is smaller than the tolerance",
            Self::TolUpX => "the search distribution diverged",
            Self::TolXStagnation => "the mean no longer moves",
            Self::Stagnation => "costs no longer improve",
            Self::FlatFitness => "most costs are exactly equal",
            Self::ConditionNumber => "the covariance matrix is too ill-conditioned",
            Self::NoEffectAxis => "steps along a principal axis no longer have an effect",
            Self::NoEffectCoordinate => "steps along a coordinate no longer have an effect",
            Self::Generations => "the default maximum number of generations is reached",
            Self::NotFinite => "the search distribution is no longer finite",
            Self::Allotment => "the evaluations of this restart are used up",
            Self::AllOptima => "all local optima have probably been found",
            Self::Patience => "too many descents in a row without improvement",
            Self::Horizon => "the evaluations of its schedule are used up",
            Self::PopulationTooLarge => "the next restart would need too large a population",
        })
    }
}
