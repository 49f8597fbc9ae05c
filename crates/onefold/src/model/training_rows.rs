//! What the training rows were like, as far as an export needs to know.

use crate::Dataset;
use crate::data::Column;
use serde::{Deserialize, Serialize};

/// What the training rows were like: where an exported network will mostly be used, and how exact it must be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRows {
    /// The values of each input.
    pub inputs: Vec<InputRange>,
    /// Mean squared error of each output.
    pub mse: Vec<f64>,
    /// What exported arithmetic changes on them, if it was
    /// [measured](crate::Model::with_rounding_on).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
}

/// What exported arithmetic changes on rows, in either precision; none where the network does not fit it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// In single precision.
    pub float: Option<Change>,
    /// In double precision.
    pub double: Option<Change>,
}

/// What exported arithmetic changes on rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The largest change of each output.
    pub max: Vec<f64>,
    /// Root mean square of the changes of each output.
    pub rms: Vec<f64>,
    /// Fraction of the rows whose class changes.
    pub classes: f64,
}

/// The values of an input.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputRange {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// Whether all of them are whole numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
}

impl InputRange {
    /// The value at a fraction of the range, from 0 to 1.
    pub(crate) fn at(&self, fraction: f64) -> f64 {
        let Self { low, high, whole } = *self;
        let value =
            if whole { (low + fraction * (high - low + 1.0)).floor() } else { low + fraction * (high - low) };
        value.clamp(low, high)
    }
}

impl TrainingRows {
    /// Those of a model with this mean squared error of each output.
    pub(super) fn new(train: &Dataset, mse: Vec<f64>) -> Self {
        let range = |column: &Column| {
            let column = column.values();
            InputRange {
                low: column.iter().copied().fold(f64::INFINITY, f64::min),
                high: column.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                whole: column.iter().all(|x| x.fract() == 0.0),
            }
        };
        Self { inputs: train.inputs.iter().map(range).collect(), mse, changes: None }
    }

    /// Whether it can be that of a network with this many inputs and outputs.
    pub(super) fn fits(&self, inputs: usize, outputs: usize) -> bool {
        let is_range = |r: &InputRange| r.low.is_finite() && r.high.is_finite() && r.low <= r.high;
        self.inputs.len() == inputs
            && self.mse.len() == outputs
            && self.inputs.iter().all(is_range)
            && self.mse.iter().all(|mse| *mse >= 0.0 && mse.is_finite())
            && self.changes.iter().flat_map(|c| c.float.iter().chain(&c.double)).all(|c| c.fits(outputs))
    }
}

impl Change {
    fn fits(&self, outputs: usize) -> bool {
        let is_size = |v: &f64| *v >= 0.0 && v.is_finite();
        self.max.len() == outputs
            && self.rms.len() == outputs
            && self.max.iter().chain(&self.rms).all(is_size)
            && (0.0..=1.0).contains(&self.classes)
    }
}
