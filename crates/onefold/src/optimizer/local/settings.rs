//! Settings of a [`LocalSearch`](super::LocalSearch).

use crate::Error;
use crate::optimizer::CommonSettings;
use crate::optimizer::common::shown_interval;
use serde::{Deserialize, Serialize};

/// Settings of [`LocalSearch`](super::LocalSearch).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LocalSettings {
    /// Whether descents that are worse than others are paused (asynchronous successive halving). Default
    /// true.
    pub race: bool,
    /// Fraction of the starts that recombine known optima instead of being random. Default 0; from 0 to 1.
    pub recombination: f64,
    /// Maximum number of steps of a descent. Default 300; at least 1.
    pub max_steps: u32,
    /// Ends the search after this many descents in a row without an improvement of at least 0.1 %; in
    /// training only without a [threshold](crate::Stop::threshold). Default none; at least 1.
    pub patience: Option<u64>,
    /// The same for training with a threshold. Default none: the search continues until it is reached; at
    /// least 1.
    pub patience_with_threshold: Option<u64>,
    /// A cost at or below which no slopes are computed, since the search will end there. Default none.
    #[serde(rename = "target", alias = "threshold")]
    pub threshold: Option<f64>,
    /// Radius of the sphere around the origin that contains all points. Default the square root of the
    /// dimension; positive.
    pub radius: Option<f64>,
}

impl Default for LocalSettings {
    fn default() -> Self {
        Self {
            race: true,
            recombination: 0.0,
            max_steps: 300,
            patience: None,
            patience_with_threshold: None,
            threshold: None,
            radius: None,
        }
    }
}

impl LocalSettings {
    /// Multistart: a sequence of random starts, each with one complete descent.
    #[must_use]
    pub fn multistart() -> Self {
        Self { race: false, recombination: 0.0, ..Self::default() }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self, common: &CommonSettings) -> Result<(), Error> {
        if common.population == Some(0) {
            return Err(Error::setting("population", 0, "must be at least 1"));
        }
        if let Some((low, high)) = common.bounds {
            let expected = "must be left out with local descents, which stay inside the sphere instead";
            return Err(Error::setting("bounds", shown_interval(low, high), expected));
        }
        if !(0.0..=1.0).contains(&self.recombination) {
            return Err(Error::setting("recombination", self.recombination, "must lie between 0 and 1"));
        }
        if self.max_steps == 0 {
            return Err(Error::setting("max_steps", 0, "must be at least 1"));
        }
        for (name, patience) in
            [("patience", self.patience), ("patience_with_threshold", self.patience_with_threshold)]
        {
            if patience == Some(0) {
                return Err(Error::setting(name, 0, "must be at least 1"));
            }
        }
        if let Some(radius) = self.radius.filter(|radius| radius.is_nan() || *radius <= 0.0) {
            return Err(Error::setting("radius", radius, "must be positive"));
        }
        common.check_intervals(false)
    }

    /// Candidates per start, the best of which is used: unless given, 5 with successive halving and otherwise
    /// 1.
    #[must_use]
    pub fn population(&self, common: &CommonSettings) -> usize {
        common.population.unwrap_or(if self.race { 5 } else { 1 })
    }
}
