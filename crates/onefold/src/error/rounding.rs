//! What an exported network would lose by rounding.

use super::short;
use std::fmt;

/// What an exported network in single precision would lose by rounding, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundingLoss {
    /// Largest change of an output; infinite where an output is no longer a number.
    pub max: f64,
    /// Root mean square of the changes of the output that loses most beside its error.
    pub rms: f64,
    /// Root mean squared error of that output on the training rows; none for a classification.
    pub error: Option<f64>,
    /// Rows whose class changes, and rows that were tried; none for a regression.
    pub classes: Option<(usize, usize)>,
    /// Where most of it comes from.
    pub cause: RoundingCause,
}

/// Where most of a rounding error comes from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RoundingCause {
    /// The values of a column are large beside what they differ by.
    Column {
        /// Its name.
        name: String,
        /// One of its values.
        near: f64,
        /// The distance of neighbouring numbers there.
        step: f64,
        /// What could be subtracted from the column.
        subtract: f64,
    },
    /// Large weights that cancel, or sums of many terms.
    Sums,
}

impl RoundingCause {
    /// What helps besides double precision.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Column { subtract, .. } if *subtract == 0.0 => None,
            Self::Column { name, subtract, .. } => {
                Some(format!("subtract {subtract} from column {name} and train again"))
            }
            Self::Sums => None,
        }
    }
}

impl fmt::Display for RoundingLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { max, rms, error, classes, cause } = self;
        if max.is_finite() {
            write!(f, "rounding changes its outputs by up to {}", digits(*max, 0))?;
        } else {
            f.write_str("rounding makes some of its outputs infinite or NaN")?;
        }
        if let Some(error) = error.filter(|_| max.is_finite()) {
            let [rms, error] = [*rms, error].map(|v| digits(v, 0));
            write!(f, ", root mean square {rms}, with a training error of {error}")?;
        }
        if let Some((changed, rows)) = classes {
            write!(f, ", and the class of {changed} in {rows} rows")?;
        }
        match cause {
            RoundingCause::Column { name, near, step, .. } => {
                write!(f, " (column {name}: near {} it has steps of {})", digits(*near, 1), digits(*step, 2))
            }
            RoundingCause::Sums => f.write_str(" (its weights are large and cancel)"),
        }
    }
}

/// A number with so many digits behind the first.
fn digits(v: f64, digits: usize) -> String {
    short(format!("{v:.digits$e}").parse().unwrap_or(v))
}
