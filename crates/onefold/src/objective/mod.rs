//! Objective functions: the trait [`Objective`], and [`NetworkCost`] for networks.

mod cost_settings;
mod cross_entropy;
mod gauss_newton;
mod network_cost;
mod pace;
mod screening;
mod tiled;

pub use cost_settings::{CostSettings, Radius};
pub(crate) use cross_entropy::{CrossEntropy, time_of_cross_entropy};
pub(crate) use gauss_newton::{cost_of_slopes, time_of_evaluation};
pub use network_cost::{NetworkCost, Profile};

pub use crate::readout::{DEFAULT_RANK_TOLERANCE, MIN_RANK_TOLERANCE};
pub use crate::request::Slopes;

use crate::cancellation::{check, poll};
use crate::{Derivatives, Error, Evaluations, Population, Request};
use std::time::{Duration, Instant};

/// A function to be minimised, evaluated one generation at a time.
pub trait Objective {
    /// Dimension of the search space.
    fn dim(&self) -> usize;

    /// Evaluates a request: writes the cost of each candidate and, if requested, its slopes. `evaluations`
    /// has [the sizes](Evaluations::make_room) for them.
    ///
    /// A candidate whose cost is above its cutoff may get any value above the cutoff: the optimiser does not
    /// need the exact value, and the objective may reject it early. NaN or infinite costs count as infinity.
    /// A search that is cut off uses none of the costs, except in its first generation.
    fn evaluate(&mut self, request: &Request<'_>, evaluations: &mut Evaluations);

    /// Called once, before slopes are first requested.
    ///
    /// # Errors
    /// If the objective has no slopes, which is the default, or not enough memory for them.
    fn prepare_slopes(&mut self, derivatives: Derivatives) -> Result<(), Error> {
        let _ = derivatives;
        Err(Error::Slopes)
    }

    /// The approximate time of the slopes of a candidate, in evaluations.
    fn cost_of_slopes(&self) -> f64 {
        0.0
    }

    /// Recomputes the cost of a candidate by the most accurate method available. A threshold counts as
    /// reached only if this value reaches it. The default returns `cost`.
    fn confirm(&mut self, candidate: &[f64], cost: f64) -> f64 {
        let _ = candidate;
        cost
    }

    /// The exact costs of some candidates.
    fn costs(&mut self, candidates: &Population) -> Vec<f64> {
        self.answer(&Request::costs(candidates, &vec![f64::INFINITY; candidates.len()])).costs
    }

    /// As [`evaluate`](Self::evaluate), but allocates the result.
    fn answer(&mut self, request: &Request<'_>) -> Evaluations {
        let mut evaluations = Evaluations::default();
        evaluations.make_room(request);
        self.evaluate(request, &mut evaluations);
        evaluations
    }
}

/// Any function of a slice as an [`Objective`].
///
/// ```
/// use onefold::{Function, Objective, Population};
/// let mut sphere = Function::new(3, |x: &[f64]| x.iter().map(|v| v * v).sum());
/// assert_eq!(sphere.costs(&Population::new(2, 3)), [0.0, 0.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Function<F> {
    dim: usize,
    f: F,
    /// Whether a call took long in the last generation, or none was timed yet.
    is_slow: bool,
}

impl<F: FnMut(&[f64]) -> f64> Function<F> {
    /// `f` on a space with `dim` dimensions.
    pub fn new(dim: usize, f: F) -> Self {
        Self { dim, f, is_slow: true }
    }
}

impl<F: FnMut(&[f64]) -> f64> Objective for Function<F> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn evaluate(&mut self, request: &Request<'_>, evaluations: &mut Evaluations) {
        let started = Instant::now();
        for (candidate, cost) in request.candidates.rows().zip(&mut evaluations.costs) {
            let is_cut_off = if self.is_slow { check() } else { poll(OF_FUNCTION) };
            *cost = if is_cut_off { f64::NAN } else { (self.f)(candidate) };
        }
        self.is_slow = started.elapsed() > SLOW_CALL * request.candidates.len() as u32;
    }
}

/// Calls that take longer are not begun after the time is over.
const SLOW_CALL: Duration = Duration::from_micros(20);
/// Assumed work of a call of an unknown function, for [`poll`].
const OF_FUNCTION: usize = 4000;
