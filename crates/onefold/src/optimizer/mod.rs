//! Optimisers that propose and learn: they know nothing of networks, threads or files.

mod adaptive;
mod cma;
mod common;
#[cfg(test)]
mod contract;
mod differential_evolution;
mod local;
mod restarts;
mod strategy;

pub use adaptive::{AdaptiveDe, AdaptiveSettings, Variant};
pub use cma::{CmaEs, CmaPreset, CmaSettings, Covariance};
pub use common::CommonSettings;
pub use differential_evolution::{DeSettings, DifferentialEvolution};
pub use local::{LocalSearch, LocalSettings, Optimum};
pub use restarts::{Attempt, Regime, Restart, RestartRule, Restarts};
pub use strategy::{Crossover, Mutation, Reference, Weight};

pub use crate::rng::Rng;

use crate::{Error, Evaluations, Population, Request};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Proposes candidates, then learns their costs.
pub trait Optimizer: Send {
    /// The candidates to be evaluated next. Called again before [`tell`](Self::tell), it returns the same ones.
    fn ask(&mut self) -> Request<'_>;

    /// The answer to the last [`ask`](Self::ask). What is left in `evaluations` afterwards does not matter: an
    /// optimiser may take slopes out of it rather than copy them.
    fn tell(&mut self, evaluations: &mut Evaluations);

    /// Whether it ever asks for slopes.
    fn asks_for_slopes(&self) -> bool {
        false
    }

    /// The best point told so far.
    fn best(&self) -> Best<'_>;

    /// The current population and its costs, for observers.
    fn population(&self) -> (&Population, &[f64]);

    /// Why going on is of no use, where the method itself can tell.
    fn finished(&self) -> Option<Termination> {
        None
    }

    /// What has ended and begun anew so far.
    fn restarts(&self) -> &[Restart] {
        &[]
    }

    /// The distinct local optima that were found, up to symmetry, best first.
    fn optima(&self) -> &[Optimum] {
        &[]
    }

    /// Everything that the future depends on, besides the settings.
    fn save(&self) -> Vec<u8>;

    /// Continues where another optimiser with the same settings was saved, to the same bits.
    ///
    /// # Errors
    /// If `saved` comes from another method or other settings, or is damaged; nothing is changed then.
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

/// Replaces a point by a symmetric equivalent, as a rule one nearer to a reference.
pub trait Align: Send + Sync {
    /// Changes `x` into an equivalent point: one that is not farther from `reference`, unless the implementation says otherwise.
    fn align(&self, x: &mut [f64], reference: &[f64], rng: &mut Rng);
}

/// Why an optimiser is of no more use.
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
    /// The distribution has become much wider than it was at the start: that was far too narrow, or the cost has no minimum.
    TolUpX,
    /// The mean has stood still for a tenth of all generations.
    TolXStagnation,
    /// Median and best cost have not improved over a long time.
    Stagnation,
    /// Most costs of a generation were exactly equal, in several generations running.
    FlatFitness,
    /// The longest and the shortest axis of the distribution differ so much that arithmetic no longer holds.
    ConditionNumber,
    /// A step along a main axis no longer changes the mean.
    NoEffectAxis,
    /// A step along a coordinate no longer changes the mean.
    NoEffectCoordinate,
    /// The usual number of generations for this dimension is over.
    Generations,
    /// The distribution left the range of floating-point numbers.
    NotFinite,
    /// The run used the evaluations that its restart rule allotted to it.
    Allotment,
    /// All local optima have probably been found, and the best of them is the answer.
    AllOptima,
    /// Many descents in a row have found nothing better.
    Patience,
    /// The evaluations are spent that the method's schedules were made for.
    Horizon,
    /// The next restart would need a population that is thousands of times the first one, or does not fit into memory.
    PopulationTooLarge,
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TolFun => "all costs became equal",
            Self::TolFunHist => "the best cost no longer changes",
            Self::TolX => "the search distribution became too small to move",
            Self::TolUpX => "the search distribution grew beyond all measure",
            Self::TolXStagnation => "the mean stands still",
            Self::Stagnation => "costs no longer improve",
            Self::FlatFitness => "most costs are exactly equal",
            Self::ConditionNumber => "the search distribution became too elongated",
            Self::NoEffectAxis => "steps along a main axis no longer have an effect",
            Self::NoEffectCoordinate => "steps along a coordinate no longer have an effect",
            Self::Generations => "the usual number of generations is over",
            Self::NotFinite => "the search distribution left the range of numbers",
            Self::Allotment => "its share of the evaluations is used",
            Self::AllOptima => "all local optima have probably been found",
            Self::Patience => "many descents in a row have found nothing better",
            Self::Horizon => "the evaluations that its schedule was made for are spent",
            Self::PopulationTooLarge => "the next restart would need too large a population",
        })
    }
}
