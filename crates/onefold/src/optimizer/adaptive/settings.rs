//! Settings, with the defaults of each variant's paper.

use crate::Error;
use crate::error::short;
use crate::optimizer::CommonSettings;
use serde::{Deserialize, Serialize};

/// The minimum population: `current-to-pbest/1` needs this many different individuals.
pub(super) const LEAST: usize = 4;

/// The variant of adaptive Differential Evolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// JADE with archive: Zhang and Sanderson, IEEE Transactions on Evolutionary Computation 13(5), 2009.
    Jade,
    /// SHADE: Tanabe and Fukunaga, CEC 2013.
    #[default]
    Shade,
    /// L-SHADE: Tanabe and Fukunaga, CEC 2014.
    LShade,
    /// jSO: Brest, Maučec and Bošković, CEC 2017.
    Jso,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Jade, Self::Shade, Self::LShade, Self::Jso];

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Jade => "jade",
            Self::Shade => "shade",
            Self::LShade => "l-shade",
            Self::Jso => "jso",
        }
    }

    /// Whether the population is reduced with the evaluations used, so that their total must be known in
    /// advance.
    #[must_use]
    pub fn needs_horizon(self) -> bool {
        matches!(self, Self::LShade | Self::Jso)
    }

    /// The population of its paper in `dim` dimensions.
    ///
    /// JADE: 30 up to 10 dimensions, 100 at 30, 400 from 100 on, interpolated between. SHADE: 100. L-SHADE:
    /// `18 D`. jSO: `25 ln(D) sqrt(D)`. At least 4.
    #[must_use]
    pub fn default_population(self, dim: usize) -> usize {
        let d = dim as f64;
        let n = match self {
            Self::Jade if dim <= 10 => 30,
            Self::Jade => 100 + (300 * dim.clamp(30, 100).saturating_sub(30)) / 70,
            Self::Shade => 100,
            Self::LShade => dim.saturating_mul(18),
            Self::Jso => (25.0 * libm::log(d) * d.sqrt()).round() as usize,
        };
        n.max(LEAST)
    }

    fn default_memory(self) -> usize {
        match self {
            Self::Jade => 1,
            Self::Shade => 100,
            Self::LShade => 6,
            Self::Jso => 5,
        }
    }

    fn default_best_fraction(self) -> f64 {
        match self {
            Self::Jade => 0.05,
            Self::Shade => 0.2,
            Self::LShade => 0.11,
            Self::Jso => 0.25,
        }
    }

    fn default_archive_rate(self) -> f64 {
        match self {
            Self::Jade | Self::Shade | Self::Jso => 1.0,
            Self::LShade => 2.6,
        }
    }
}

/// Settings of [`AdaptiveDe`](super::AdaptiveDe). The defaults are those of the variant's paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdaptiveSettings {
    /// Number of stored pairs of `F` and `CR`. Default 100 for SHADE, 6 for L-SHADE, 5 for jSO including the
    /// constant one; at least 1, at least 2 for jSO, and always 1 for JADE.
    pub memory: Option<usize>,
    /// Fraction `p` of the population that counts as best, at least two individuals. Default 0.05 for JADE,
    /// 0.11 for L-SHADE, 0.25 for jSO, which halves it linearly until its end, and 0.2 for SHADE, where it is
    /// the maximum of a random fraction; above 0 and at most 1.
    pub best_share: Option<f64>,
    /// Size of the archive as a multiple of the population. Default 1, for L-SHADE 2.6; from 0 to 100.
    pub archive_rate: Option<f64>,
    /// Total evaluations of the run, for L-SHADE and jSO; the others ignore it. Default `10000 D`, as in
    /// their papers; at least the population.
    pub horizon: Option<u64>,
}

impl Variant {
    /// Initial population in `dim` dimensions: the paper's unless given, and at least 4.
    #[must_use]
    pub fn population(self, common: &CommonSettings, dim: usize) -> usize {
        common.population.unwrap_or_else(|| self.default_population(dim))
    }
}

impl AdaptiveSettings {
    /// Total evaluations for the schedules; none for variants without schedules.
    #[must_use]
    pub fn horizon(&self, variant: Variant, dim: usize) -> Option<u64> {
        let horizon = || self.horizon.unwrap_or_else(|| (dim as u64).saturating_mul(10_000));
        variant.needs_horizon().then(horizon)
    }

    pub(super) fn memory_size(&self, variant: Variant) -> usize {
        self.memory.unwrap_or_else(|| variant.default_memory())
    }

    /// Fraction `p` of the population that counts as best.
    pub(super) fn best_fraction(&self, variant: Variant) -> f64 {
        self.best_share.unwrap_or_else(|| variant.default_best_fraction())
    }

    /// Size of the archive for this population.
    pub(super) fn archive_size(&self, variant: Variant, population: usize) -> usize {
        let rate = self.archive_rate.unwrap_or_else(|| variant.default_archive_rate());
        (rate * population as f64).round() as usize
    }

    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self, variant: Variant, common: &CommonSettings) -> Result<(), Error> {
        let name = variant.name();
        if let Some(population) = common.population.filter(|n| *n < LEAST) {
            let expected = format!("{name} needs at least {LEAST} individuals");
            return Err(Error::setting("population", population, expected));
        }
        if let Some(memory) = self.memory {
            let wrong = match variant {
                Variant::Jade => (memory != 1).then_some("must be 1 with jade"),
                Variant::Jso => {
                    (memory < 2).then_some("must be at least 2 with jso, where one pair is constant")
                }
                Variant::Shade | Variant::LShade => (memory < 1).then_some("must be at least 1"),
            };
            if let Some(expected) = wrong.or((memory > 1_000_000).then_some("must be at most a million")) {
                return Err(Error::setting("memory", memory, expected));
            }
        }
        if let Some(fraction) = self.best_share.filter(|p| !(*p > 0.0 && *p <= 1.0)) {
            return Err(Error::setting("best_share", short(fraction), "must lie above 0 and be at most 1"));
        }
        if let Some(rate) = self.archive_rate.filter(|r| !(0.0..=100.0).contains(r)) {
            return Err(Error::setting("archive_rate", short(rate), "must lie between 0 and 100"));
        }
        common.check_intervals(false)
    }

    /// Checks the horizon, whose default depends on the dimension.
    pub(super) fn check_horizon(&self, variant: Variant, population: usize, dim: usize) -> Result<(), Error> {
        match self.horizon(variant, dim) {
            Some(horizon) if horizon < population as u64 => {
                let expected = format!("the first generation alone needs {population}");
                Err(Error::setting("horizon", horizon, expected))
            }
            _ => Ok(()),
        }
    }
}
