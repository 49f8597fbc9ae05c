//! Settings of the network cost.

use crate::Error;
use crate::readout::{DEFAULT_RANK_TOLERANCE, check_tolerance};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Maximum number of threads, above that of any machine: a guard against typing errors.
const MAX_THREADS: usize = 256;

/// Radius of the hypersphere beyond which a penalty is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Radius {
    /// The square root of the dimension, as in the paper.
    #[default]
    SqrtDim,
    /// A given radius.
    Fixed(f64),
    /// No penalty.
    Off,
}

impl Radius {
    /// The radius in `dim` dimensions; infinite without a penalty.
    #[must_use]
    pub fn of(self, dim: usize) -> f64 {
        match self {
            Self::SqrtDim => (dim as f64).sqrt(),
            Self::Fixed(radius) => radius,
            Self::Off => f64::INFINITY,
        }
    }
}

impl FromStr for Radius {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "off" => Ok(Self::Off),
            "sqrt-dim" => Ok(Self::SqrtDim),
            _ => text.parse().map(Self::Fixed).map_err(|_| "expected sqrt-dim, a number, or off"),
        }
    }
}

/// Settings of [`NetworkCost`](crate::NetworkCost).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CostSettings {
    /// Penalty per unit of distance outside the sphere. Default 50, as in the paper; at least 0.
    pub penalty_weight: f64,
    /// Radius of the sphere. Default [`Radius::SqrtDim`], as in the paper.
    pub penalty_radius: Radius,
    /// L2 penalty on all weights except output biases: this factor times the sum of squares of the hidden
    /// parameters and output weights is added to the mean squared error, and the output weights minimise the
    /// sum of both. Default 0; at least 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub decay: f64,
    /// A column of the least-squares problem is dropped if at most this fraction of its squared norm remains
    /// after projecting out the others. Default [`DEFAULT_RANK_TOLERANCE`]; from 1e-26 to below 1.
    pub rank_tolerance: f64,
    /// Whether each output has a bias. Default false, as in the paper.
    pub output_bias: bool,
    /// Whether to reject candidates early that provably exceed their cutoffs. Default true. The results do
    /// not depend on it.
    pub early_rejection: bool,
    /// Worker threads, 0 for one per core. Default 1. The results do not depend on it.
    pub threads: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Default for CostSettings {
    fn default() -> Self {
        Self {
            penalty_weight: 50.0,
            penalty_radius: Radius::SqrtDim,
            decay: 0.0,
            rank_tolerance: DEFAULT_RANK_TOLERANCE,
            output_bias: false,
            early_rejection: true,
            threads: 1,
        }
    }
}

impl CostSettings {
    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        if !(self.penalty_weight >= 0.0 && self.penalty_weight.is_finite()) {
            return Err(Error::setting(
                "penalty_weight",
                self.penalty_weight,
                "must be a number of at least 0",
            ));
        }
        if let Radius::Fixed(radius) = self.penalty_radius
            && !(radius > 0.0 && radius.is_finite())
        {
            return Err(Error::setting(
                "penalty_radius",
                radius,
                "must be positive (or \"sqrt-dim\", or \"off\")",
            ));
        }
        if !(self.decay >= 0.0 && self.decay.is_finite()) {
            return Err(Error::setting("decay", self.decay, "must be a number of at least 0"));
        }
        if self.threads > MAX_THREADS {
            let expected = format!("must be at most {MAX_THREADS} (0 means one per core)");
            return Err(Error::setting("threads", self.threads, expected));
        }
        check_tolerance(self.rank_tolerance)
    }
}
