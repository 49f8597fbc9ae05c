//! What is minimised: [`Objective`], and [`NetworkCost`] for networks.

mod cost_settings;
mod network_cost;
mod pace;
mod screening;
mod slopes;

pub use cost_settings::{CostSettings, Radius};
pub use network_cost::{NetworkCost, Profile};
pub use slopes::Slopes;

use crate::{Error, Population};

/// Something to be minimised. One call per generation.
pub trait Objective {
    /// Dimension of the search space.
    fn dim(&self) -> usize;

    /// Writes the cost of each candidate.
    ///
    /// A candidate whose cost is above its cutoff may get any value above the cutoff: whoever asks has no use for more,
    /// and the objective may stop early. A cost that is NaN or infinite counts as infinity.
    fn evaluate(&mut self, candidates: &Population, cutoffs: &[f64], costs: &mut [f64]);

    /// Makes ready for [`evaluate_with_slopes`](Self::evaluate_with_slopes), once before it is first called.
    ///
    /// # Errors
    /// If the objective cannot tell slopes, which is the default, or lacks the memory.
    fn prepare_slopes(&mut self) -> Result<(), Error> {
        Err(Error::Slopes)
    }

    /// As [`evaluate`](Self::evaluate), and for each candidate whose cost is at most its cutoff and above `enough` its slopes too.
    fn evaluate_with_slopes(
        &mut self,
        candidates: &Population,
        cutoffs: &[f64],
        enough: f64,
        costs: &mut [f64],
        slopes: &mut [Slopes],
    ) {
        let _ = (enough, slopes);
        self.evaluate(candidates, cutoffs, costs);
    }

    /// Evaluations of a candidate that take as long as its slopes, about.
    fn price_of_slopes(&self) -> f64 {
        0.0
    }

    /// The cost of a candidate once more, by the most trustworthy computation there is. A target only counts as reached
    /// when this value reaches it. The default trusts `cost`.
    fn confirm(&mut self, candidate: &[f64], cost: f64) -> f64 {
        let _ = candidate;
        cost
    }
}

/// Any function of a slice as an [`Objective`].
///
/// ```
/// use onefold::{Function, Objective, Population};
/// let mut sphere = Function::new(3, |x: &[f64]| x.iter().map(|v| v * v).sum());
/// let mut costs = [f64::NAN; 2];
/// sphere.evaluate(&Population::new(2, 3), &[f64::INFINITY; 2], &mut costs);
/// assert_eq!(costs, [0.0, 0.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Function<F> {
    dim: usize,
    f: F,
}

impl<F: FnMut(&[f64]) -> f64> Function<F> {
    /// `f` on a space with `dim` dimensions.
    pub fn new(dim: usize, f: F) -> Self {
        Self { dim, f }
    }
}

impl<F: FnMut(&[f64]) -> f64> Objective for Function<F> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn evaluate(&mut self, candidates: &Population, _cutoffs: &[f64], costs: &mut [f64]) {
        for (candidate, cost) in candidates.rows().zip(costs) {
            *cost = (self.f)(candidate);
        }
    }
}
