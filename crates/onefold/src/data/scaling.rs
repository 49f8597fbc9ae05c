//! Input scaling, learnt on training rows only.

use super::Dataset;
use crate::Error;
use crate::error::short;
use serde::{Deserialize, Serialize};

/// How inputs are brought to a common scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Inputs as they are.
    #[default]
    None,
    /// The training rows of each input fill `[-1, 1]`.
    MinMax,
    /// The training rows of each input have mean 0 and standard deviation 1.
    Standard,
    /// Every input divided by this number.
    DivideBy(f64),
}

impl Scaling {
    /// Checks the divisor.
    ///
    /// # Errors
    /// If it is not a finite number other than zero.
    pub fn validate(self) -> Result<(), Error> {
        match self {
            Self::DivideBy(by) if !by.is_normal() => {
                let expected = "must divide by a finite number other than 0";
                Err(Error::setting("scaling", short(by), expected))
            }
            _ => Ok(()),
        }
    }
}

/// A learnt scaling: input `i` becomes `(x - offset[i]) / scale[i]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaler {
    /// Subtracted first, one for each input.
    pub offset: Vec<f64>,
    /// Divided by then, one for each input; never zero.
    pub scale: Vec<f64>,
}

impl Scaler {
    /// Learns from the training rows. A constant input is only centred.
    ///
    /// # Errors
    /// If a divisor is not a finite number other than zero.
    pub fn learn(scaling: Scaling, train: &Dataset) -> Result<Self, Error> {
        scaling.validate()?;
        let (offset, scale) = train.inputs.iter().map(|column| learn_column(scaling, column)).unzip();
        Ok(Self { offset, scale })
    }

    /// One row, scaled.
    #[must_use]
    pub fn apply(&self, input: &[f64]) -> Vec<f64> {
        input.iter().zip(self.offset.iter().zip(&self.scale)).map(|(x, (o, s))| (x - o) / s).collect()
    }

    /// The same data with scaled inputs.
    #[must_use]
    pub fn apply_all(&self, data: &Dataset) -> Dataset {
        let mut data = data.clone();
        for (column, (o, s)) in data.inputs.iter_mut().zip(self.offset.iter().zip(&self.scale)) {
            column.iter_mut().for_each(|x| *x = (*x - o) / s);
        }
        data
    }
}

fn learn_column(scaling: Scaling, column: &[f64]) -> (f64, f64) {
    let n = column.len().max(1) as f64;
    let (offset, scale) = match scaling {
        Scaling::None => (0.0, 1.0),
        Scaling::DivideBy(by) => (0.0, by),
        Scaling::MinMax => {
            let low = column.iter().copied().fold(f64::INFINITY, f64::min);
            let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (f64::midpoint(low, high), (high - low) / 2.0)
        }
        Scaling::Standard => {
            let mean = column.iter().sum::<f64>() / n;
            let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            (mean, variance.sqrt())
        }
    };
    // A constant column has no scale of its own.
    if scale > 0.0 || matches!(scaling, Scaling::DivideBy(_)) { (offset, scale) } else { (offset, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_column(values: &[f64]) -> Dataset {
        Dataset {
            inputs: vec![values.to_vec()],
            outputs: vec![vec![0.0; values.len()]],
            ..Dataset::default()
        }
    }

    #[test]
    fn each_kind_on_training_rows_only() {
        let train = one_column(&[1.0, 2.0, 3.0, 6.0]);
        let scaled = |scaling, x| Scaler::learn(scaling, &train).unwrap().apply(&[x])[0];
        for (scaling, x, expected) in [
            (Scaling::None, 7.0, 7.0),
            (Scaling::MinMax, 1.0, -1.0),
            (Scaling::MinMax, 6.0, 1.0),
            (Scaling::MinMax, 8.5, 2.0),
            (Scaling::Standard, 3.0, 0.0),
            (Scaling::Standard, 3.0 + 3.5_f64.sqrt(), 1.0),
            (Scaling::DivideBy(6.5), 13.0, 2.0),
        ] {
            assert!((scaled(scaling, x) - expected).abs() < 1e-15, "{scaling:?}");
        }
    }

    #[test]
    fn constant_columns_and_bad_divisors() {
        let constant = one_column(&[4.0, 4.0]);
        for scaling in [Scaling::MinMax, Scaling::Standard] {
            assert_eq!(Scaler::learn(scaling, &constant).unwrap().apply(&[4.0]), [0.0]);
        }
        assert!(Scaler::learn(Scaling::DivideBy(0.0), &constant).is_err());
        assert!(Scaler::learn(Scaling::DivideBy(f64::NAN), &constant).is_err());
    }
}
