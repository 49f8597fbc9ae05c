//! The settings that every optimiser has.

use crate::Error;
use crate::error::short;
use serde::{Deserialize, Serialize};

/// The settings that every optimiser has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CommonSettings {
    /// Candidates per generation, with restarts those of the first run; for local descents, candidates per
    /// start. Default the optimiser's own.
    pub population: Option<usize>,
    /// Interval of the initial population, or of the initial mean, in every coordinate. Default (-1, 1).
    pub start: (f64, f64),
    /// Interval that no coordinate may leave. Default none; must contain `start`.
    pub bounds: Option<(f64, f64)>,
    /// Seed of all random streams. Default 0.
    pub seed: u64,
}

impl Default for CommonSettings {
    fn default() -> Self {
        Self { population: None, start: (-1.0, 1.0), bounds: None, seed: 0 }
    }
}

impl CommonSettings {
    /// Default settings with this seed.
    #[must_use]
    pub fn with_seed(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }

    /// Default settings with this population.
    #[must_use]
    pub fn with_population(population: usize) -> Self {
        Self { population: Some(population), ..Self::default() }
    }

    /// Checks the intervals. The start interval may be a single point if `allows_point`.
    pub(super) fn check_intervals(&self, allows_point: bool) -> Result<(), Error> {
        let (low, high) = self.start;
        let is_interval = low < high || (allows_point && low <= high);
        if !(is_interval && (high - low).is_finite()) {
            let expected = "must be a finite interval, lower end first";
            return Err(Error::setting("start", interval(low, high), expected));
        }
        if let Some((lower, upper)) = self.bounds
            && !(lower < upper && lower <= low && high <= upper && lower.is_finite() && upper.is_finite())
        {
            let expected = format!("must be finite and contain the start interval {}", interval(low, high));
            return Err(Error::setting("bounds", interval(lower, upper), expected));
        }
        Ok(())
    }
}

fn interval(low: f64, high: f64) -> String {
    format!("{}..{}", short(low), short(high))
}

/// A number or an interval, as a user would type it.
pub(super) fn shown_interval(low: f64, high: f64) -> String {
    if low.to_bits() == high.to_bits() { short(low) } else { interval(low, high) }
}

/// Checks that the dimension is not zero.
pub(super) fn check_dimension(dim: usize) -> Result<(), Error> {
    if dim == 0 { Err(Error::setting("dim", dim, "must be at least 1")) } else { Ok(()) }
}
