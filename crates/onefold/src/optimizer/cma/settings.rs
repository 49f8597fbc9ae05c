//! What a user chooses.

use crate::Error;
use crate::error::{check_size, short};
use serde::{Deserialize, Serialize};

/// Settings of [`CmaEs`](super::CmaEs). The defaults are the paper's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CmaSettings {
    /// Candidates per generation, `lambda`. Default `4 + floor(3 ln D)`; at least 2.
    pub population: Option<usize>,
    /// Initial step size, `sigma`. Default 0.5, a quarter of the default start interval; positive.
    pub sigma: f64,
    /// Constants and stop rules. Default those of the C reference implementation.
    pub preset: CmaPreset,
    /// What is adapted besides the step size. Default the full matrix.
    pub covariance: Covariance,
    /// The initial mean is uniform in this interval in every coordinate. Default (-1, 1); both ends may be equal.
    pub start: (f64, f64),
    /// Interval that no coordinate may leave, by reflection at its ends. Default none; must contain `start`.
    pub bounds: Option<(f64, f64)>,
    /// Generations that the run will last at most, if that is known: few of them make the C reference's step-size damping smaller.
    /// Default unknown.
    pub horizon: Option<u64>,
    /// Ends when costs differ by no more than this, see [`Termination::TolFun`](crate::Termination). Default the preset's, 1e-12 or
    /// 1e-11; at least 0. [`TolFunHist`](crate::Termination::TolFunHist) has a tenth of it.
    pub tol_fun: Option<f64>,
    /// Ends when the distribution is smaller than this, see [`Termination::TolX`](crate::Termination). Default the preset's, 1e-11; at
    /// least 0. [`TolXStagnation`](crate::Termination::TolXStagnation) has a hundred times as much.
    pub tol_x: Option<f64>,
    /// Seed of all random streams. Default 0.
    pub seed: u64,
}

impl Default for CmaSettings {
    fn default() -> Self {
        Self {
            population: None,
            sigma: 0.5,
            preset: CmaPreset::Reference,
            covariance: Covariance::Full,
            start: (-1.0, 1.0),
            bounds: None,
            horizon: None,
            tol_fun: None,
            tol_x: None,
            seed: 0,
        }
    }
}

/// Which constants and stop rules CMA-ES has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CmaPreset {
    /// Those of Hansen's C reference implementation, which the paper used: no active update.
    #[default]
    Reference,
    /// Those of Hansen's tutorial (arXiv:1604.00772, 2023), Table 1, with active update.
    Tutorial,
    /// Those of pycma 4.5: the tutorial's, with more damping for large populations.
    Pycma,
}

impl CmaPreset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Reference, Self::Tutorial, Self::Pycma];

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Tutorial => "tutorial",
            Self::Pycma => "pycma",
        }
    }
}

/// What CMA-ES adapts besides the step size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covariance {
    /// The full covariance matrix: quadratic memory, cubic time now and then.
    #[default]
    Full,
    /// Its diagonal (sep-CMA-ES, Ros and Hansen 2008): linear memory and time, for very many parameters.
    Diagonal,
}

impl CmaSettings {
    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        if let Some(population) = self.population.filter(|n| *n < 2) {
            return Err(Error::setting("population", population, "CMA-ES needs at least 2 candidates"));
        }
        if !(self.sigma > 0.0 && self.sigma.is_finite()) {
            return Err(Error::setting("sigma", short(self.sigma), "must be positive"));
        }
        for (name, tolerance) in [("tol_fun", self.tol_fun), ("tol_x", self.tol_x)] {
            if let Some(value) = tolerance.filter(|v| !(*v >= 0.0 && v.is_finite())) {
                return Err(Error::setting(name, short(value), "must be a number of at least 0"));
            }
        }
        let (low, high) = self.start;
        if !(low <= high && (high - low).is_finite()) {
            let value = format!("{}..{}", short(low), short(high));
            return Err(Error::setting("start", value, "must be a finite interval, lower end first"));
        }
        if let Some((lower, upper)) = self.bounds
            && !(lower < upper && lower <= low && high <= upper && lower.is_finite() && upper.is_finite())
        {
            let value = format!("{}..{}", short(lower), short(upper));
            let expected =
                format!("must be finite and contain the start interval {}..{}", short(low), short(high));
            return Err(Error::setting("bounds", value, expected));
        }
        Ok(())
    }

    /// Candidates per generation in `dim` dimensions.
    #[must_use]
    pub fn population_in(&self, dim: usize) -> usize {
        self.population.unwrap_or_else(|| 4 + (3.0 * libm::log(dim as f64)) as usize)
    }

    /// Refuses what would need too much memory.
    pub(super) fn check_memory(&self, dim: usize) -> Result<(), Error> {
        let n = self.population_in(dim);
        let what = || format!("a population of {n} candidates with {dim} parameters each");
        check_size(&[2, n, dim], what, "reduce the population")?; // candidates and steps
        if self.covariance == Covariance::Full {
            // The matrix, its eigenvectors, and what the decomposition needs.
            let what = || format!("a covariance matrix of {dim} parameters");
            check_size(&[4, dim, dim], what, "use the diagonal covariance")?;
        }
        Ok(())
    }
}
