//! What a [`LocalSearch`](super::LocalSearch) can be told.

use crate::Error;
use serde::{Deserialize, Serialize};

/// Settings of [`LocalSearch`](super::LocalSearch).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LocalSettings {
    /// Points that are evaluated for each start; the best one is descended from. Default 5; at least 1.
    pub candidates: usize,
    /// Whether descents that fall behind others must rest. Default true.
    pub race: bool,
    /// Share of the starts that recombine optima already found, instead of being drawn anew. Default 0; from 0 to 1.
    pub recombination: f64,
    /// Steps after which a descent ends in any case. Default 300; at least 1.
    pub max_steps: u32,
    /// Ends the search after this many descents in a row without an improvement by a thousandth. Default none; at least 1.
    pub patience: Option<u64>,
    /// A cost at which a descent needs no further slopes, since the search will end there. Default none.
    #[serde(rename = "target", alias = "threshold")]
    pub threshold: Option<f64>,
    /// Starts are uniform in this interval in every coordinate. Default (-1, 1).
    pub start: (f64, f64),
    /// No point is farther from the origin than this. Default none: the root of the dimension; positive.
    pub radius: Option<f64>,
    /// Seed of all random streams. Default 0.
    pub seed: u64,
}

impl Default for LocalSettings {
    fn default() -> Self {
        Self {
            candidates: 5,
            race: true,
            recombination: 0.0,
            max_steps: 300,
            patience: None,
            threshold: None,
            start: (-1.0, 1.0),
            radius: None,
            seed: 0,
        }
    }
}

impl LocalSettings {
    /// One random start after the other, each descended from to its end.
    #[must_use]
    pub fn multistart() -> Self {
        Self { candidates: 1, race: false, recombination: 0.0, ..Self::default() }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        if self.candidates == 0 {
            return Err(Error::setting("population", 0, "must be at least 1"));
        }
        if !(0.0..=1.0).contains(&self.recombination) {
            return Err(Error::setting("recombination", self.recombination, "must lie between 0 and 1"));
        }
        if self.max_steps == 0 {
            return Err(Error::setting("max_steps", 0, "must be at least 1"));
        }
        if self.patience == Some(0) {
            return Err(Error::setting("patience", 0, "must be at least 1"));
        }
        let (low, high) = self.start;
        if !(low < high && (high - low).is_finite()) {
            let expected = "must be a finite interval, lower end first";
            return Err(Error::setting("start", format!("{low}..{high}"), expected));
        }
        match self.radius {
            Some(radius) if radius.is_nan() || radius <= 0.0 => {
                Err(Error::setting("radius", radius, "must be positive"))
            }
            _ => Ok(()),
        }
    }
}
