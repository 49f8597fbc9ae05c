//! Settings of CMA-ES.

use crate::Error;
use crate::error::{check_size, short};
use crate::optimizer::CommonSettings;
use serde::{Deserialize, Serialize};

/// Settings of [`CmaEs`](super::CmaEs). The defaults are the paper's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CmaSettings {
    /// Initial step size, `sigma`. Default 0.5, a quarter of the default start interval; positive.
    pub sigma: f64,
    /// Strategy constants and termination criteria. Default those of the C reference implementation.
    pub preset: CmaPreset,
    /// Form of the covariance matrix. Default full.
    pub covariance: Covariance,
    /// Maximum number of generations, if known: a small number reduces the step-size damping of the C
    /// reference. Default unknown.
    pub horizon: Option<u64>,
    /// Ends when costs differ by no more than this, see
    /// [`Termination::TolFun`](crate::optimizer::Termination). Default the preset's, 1e-12 or 1e-11; at
    /// least 0. [`TolFunHist`](crate::optimizer::Termination::TolFunHist) has a tenth of it.
    pub tol_fun: Option<f64>,
    /// Ends when the distribution is smaller than this, see
    /// [`Termination::TolX`](crate::optimizer::Termination). Default the preset's, 1e-11; at least 0.
    /// [`TolXStagnation`](crate::optimizer::Termination::TolXStagnation) has a hundred times as much.
    pub tol_x: Option<f64>,
}

impl Default for CmaSettings {
    fn default() -> Self {
        Self {
            sigma: 0.5,
            preset: CmaPreset::Reference,
            covariance: Covariance::Full,
            horizon: None,
            tol_fun: None,
            tol_x: None,
        }
    }
}

/// The strategy constants and termination criteria of CMA-ES.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CmaPreset {
    /// Those of Hansen's C reference implementation, which the paper used: no active update.
    #[default]
    Reference,
    /// Those of Hansen's tutorial (arXiv:1604.00772, 2023), Table 1, with active update.
    Tutorial,
    /// Those of pycma 4.5: as the tutorial, with more damping for large populations.
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

/// The form of the covariance matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covariance {
    /// The full covariance matrix: quadratic memory, and a decomposition in cubic time every few generations.
    #[default]
    Full,
    /// Only its diagonal (sep-CMA-ES, Ros and Hansen 2008): linear memory and time, for high dimensions.
    Diagonal,
}

impl CmaSettings {
    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self, common: &CommonSettings) -> Result<(), Error> {
        if let Some(population) = common.population.filter(|n| *n < 2) {
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
        common.check_intervals(true)
    }

    /// Candidates per generation in `dim` dimensions, `lambda`: `4 + floor(3 ln D)` unless given, and at
    /// least 2.
    #[must_use]
    pub fn population(common: &CommonSettings, dim: usize) -> usize {
        common.population.unwrap_or_else(|| 4 + (3.0 * libm::log(dim as f64)) as usize)
    }

    /// Checks that the memory needed is available.
    pub(super) fn check_memory(&self, common: &CommonSettings, dim: usize) -> Result<(), Error> {
        let n = Self::population(common, dim);
        let what = || format!("a population of {n} candidates with {dim} parameters each");
        check_size(&[2, n, dim], what, "reduce the population")?; // candidates and steps
        if self.covariance == Covariance::Full {
            // The matrix, its eigenvectors, and the workspace of the decomposition.
            let what = || format!("a covariance matrix of {dim} parameters");
            check_size(&[4, dim, dim], what, "use the diagonal covariance")?;
        }
        Ok(())
    }
}
