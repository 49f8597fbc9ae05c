//! Scaling of inputs and targets, learnt on training rows only.

use super::Dataset;
use crate::Error;
use crate::error::short;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

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

impl FromStr for Scaling {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(Self::None),
            "min-max" => Ok(Self::MinMax),
            "standard" => Ok(Self::Standard),
            _ => text
                .parse()
                .map(Self::DivideBy)
                .map_err(|_| "expected none, min-max, standard, or a number to divide by"),
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
    /// Learns from the training rows, by their weights. A constant input is only centred.
    ///
    /// # Errors
    /// If a divisor is not a finite number other than zero.
    pub fn learn(scaling: Scaling, train: &Dataset) -> Result<Self, Error> {
        scaling.validate()?;
        let (offset, scale) =
            train.inputs.iter().map(|column| learn_column(scaling, &column.values(), train)).unzip();
        Ok(Self { offset, scale })
    }

    /// One row, scaled.
    #[must_use]
    pub fn apply(&self, input: &[f64]) -> Vec<f64> {
        let mut scaled = input.to_vec();
        self.scale(&mut scaled);
        scaled
    }

    /// Scales one row.
    pub(crate) fn scale(&self, input: &mut [f64]) {
        input.iter_mut().zip(self.offset.iter().zip(&self.scale)).for_each(|(x, (o, s))| *x = (*x - o) / s);
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

/// Standard deviation about the mean, also where squares are too small for `f64`.
fn deviation(column: &[f64], mean: f64, rows: &Dataset) -> f64 {
    let variance = rows.mean(|row| (column[row] - mean).powi(2));
    if variance > 1e-290 {
        return variance.sqrt();
    }
    let most = column.iter().map(|x| (x - mean).abs()).fold(0.0, f64::max);
    if !most.is_normal() {
        return 0.0;
    }
    most * rows.mean(|row| ((column[row] - mean) / most).powi(2)).sqrt()
}

/// Mean and standard deviation of a column of these rows, by their weights.
fn mean_and_deviation(column: &[f64], rows: &Dataset) -> (f64, f64) {
    let mean = rows.mean(|row| column[row]);
    let spread = deviation(column, mean, rows);
    // Numbers that differ by much less than their size lose digits in the sum; the differences have them.
    let rest = rows.mean(|row| column[row] - mean);
    if rest.abs() <= 1e-6 * spread {
        return (mean, spread);
    }
    let mean = mean + rest;
    (mean, deviation(column, mean, rows))
}

fn learn_column(scaling: Scaling, column: &[f64], rows: &Dataset) -> (f64, f64) {
    let (offset, scale) = match scaling {
        Scaling::None => (0.0, 1.0),
        Scaling::DivideBy(by) => (0.0, by),
        Scaling::MinMax => {
            let low = column.iter().copied().fold(f64::INFINITY, f64::min);
            let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (f64::midpoint(low, high), (high - low) / 2.0)
        }
        Scaling::Standard => mean_and_deviation(column, rows),
    };
    // A constant column has no scale of its own.
    if scale > 0.0 || matches!(scaling, Scaling::DivideBy(_)) { (offset, scale) } else { (offset, 1.0) }
}

/// How the targets of a regression are brought to a common scale for the search. Classes are never scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetScaling {
    /// Targets as they are.
    #[default]
    None,
    /// The training rows of each target have mean 0 and standard deviation 1 in the search; the model's
    /// output weights undo it.
    Standard,
}

/// A learnt scaling of targets: the search sees `(y - offset[i]) / scale[i]`, and the model's output weights
/// undo it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetScaler {
    /// Subtracted first, one for each output.
    pub offset: Vec<f64>,
    /// Divided by then, one for each output; never zero.
    pub scale: Vec<f64>,
}

impl TargetScaler {
    /// Learns from the training rows; none where targets stay as they are.
    #[must_use]
    pub fn learn(scaling: TargetScaling, train: &Dataset) -> Option<Self> {
        if scaling == TargetScaling::None || train.classification {
            return None;
        }
        let (offset, scale) = train.outputs.iter().map(|c| learn_column(Scaling::Standard, c, train)).unzip();
        Some(Self { offset, scale })
    }

    /// Output weights for targets as they are, made of such for scaled ones; `columns` is their number
    /// without a bias. There is a bias at the end of each row then.
    pub(crate) fn unscale(&self, readout: &mut [Vec<f64>], columns: usize) {
        for (row, (o, s)) in readout.iter_mut().zip(self.offset.iter().zip(&self.scale)) {
            row.resize(columns + 1, 0.0);
            row.iter_mut().for_each(|w| *w *= s);
            row[columns] += o;
        }
    }

    /// A mean squared error of 1 in the search, in the units of the data. With several outputs there is no
    /// such factor, and it is 1.
    #[must_use]
    pub fn unit(&self) -> f64 {
        match self.scale[..] {
            [scale] => scale * scale,
            _ => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_column(values: &[f64]) -> Dataset {
        Dataset {
            inputs: vec![values.to_vec().into()],
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
    fn very_small_numbers_have_a_scale_of_their_own() {
        let tiny = one_column(&[1e-200, 3e-200]);
        let scaled = Scaler::learn(Scaling::Standard, &tiny).unwrap().apply(&[3e-200]);
        assert!((scaled[0] - 1.0).abs() < 1e-12, "{scaled:?}");
    }

    #[test]
    fn large_offsets_do_not_spoil_the_scale() {
        for offset in [1e9, 1e12, 1e15] {
            let column: Vec<f64> = (0..1000).map(|i| offset + 0.25 * f64::from(i % 7)).collect();
            let (mean, deviation) = mean_and_deviation(&column, &one_column(&column));
            assert!((mean - offset - 0.75).abs() <= 0.13, "{offset}: {mean}");
            assert!((deviation - 0.5).abs() < 0.02, "{offset}: {deviation}");
        }
    }

    #[test]
    fn targets_are_scaled_and_the_readout_undoes_it() {
        let mut data = one_column(&[0.0; 2]);
        data.outputs = vec![vec![10.0, 30.0]];
        assert_eq!(TargetScaler::learn(TargetScaling::None, &data), None);
        let scaler = TargetScaler::learn(TargetScaling::Standard, &data).unwrap();
        assert_eq!((scaler.offset[0], scaler.scale[0], scaler.unit()), (20.0, 10.0, 100.0));
        let mut readout = [vec![0.5, 2.0]];
        scaler.unscale(&mut readout, 2);
        assert_eq!(readout, [vec![5.0, 20.0, 20.0]]);
        let mut with_bias = [vec![0.5, 2.0, 0.1]];
        scaler.unscale(&mut with_bias, 2);
        assert_eq!(with_bias, [vec![5.0, 20.0, 21.0]]);
        data.classification = true;
        assert_eq!(TargetScaler::learn(TargetScaling::Standard, &data), None);
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
