//! Choices in loading a built-in set, and which set they apply to.

use super::{Builtin, FixedTable, Rows};
use crate::Error;
use crate::data::{BalanceEncoding, SplitRule, SquareEncoding};
use crate::error::{check_size, short};
use serde::{Deserialize, Serialize};

/// Choices in loading a built-in set. `None` stands for the set's own default, which is the paper's where
/// the paper says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuiltinSettings {
    /// Training rows of a regression set. Default 200; at least 1.
    pub samples: Option<usize>,
    /// Test rows of a regression set. Default 200.
    pub test_samples: Option<usize>,
    /// Standard deviation of the noise of a regression set. Default 0.005; at least 0.
    pub noise: Option<f64>,
    /// Seed of a regression set. Default 1.
    pub data_seed: Option<u64>,
    /// Split of a classification set. Default the paper's: 1/1, two-spirals 2/2.
    pub split: Option<SplitRule>,
    /// Encoding of balance. Default raw.
    pub balance: BalanceEncoding,
    /// Encoding of tic-tac-toe. Default x = 0, b = -1, o = 1.
    pub squares: SquareEncoding,
}

impl BuiltinSettings {
    /// Sets the encoding of balance or tic-tac-toe from text, such as `raw` or `x=1,b=0,o=-1`.
    ///
    /// # Errors
    /// If the set has no encodings, or not this one.
    pub fn set_encoding(&mut self, builtin: Builtin, text: &str) -> Result<(), Error> {
        if let Rows::Fixed(FixedTable { set_encoding: Some(set), .. }) = &builtin.set().rows {
            return set(self, text);
        }
        let has_encodings =
            |b: &Builtin| matches!(&b.set().rows, Rows::Fixed(table) if table.set_encoding.is_some());
        let others: Vec<_> = Builtin::ALL.into_iter().filter(has_encodings).map(Builtin::name).collect();
        let expected = format!("{builtin} has no encodings; only {} have", others.join(" and "));
        Err(Error::setting("encoding", format!("\"{text}\""), expected))
    }
}

impl Builtin {
    pub(super) fn check(self, settings: &BuiltinSettings) -> Result<(), Error> {
        let BuiltinSettings { samples, test_samples, noise, data_seed, split, .. } = settings;
        if self.is_regression() {
            if let Some(split) = split {
                let expected =
                    format!("{self} is generated in two parts; choose their numbers of samples instead");
                return Err(Error::setting("split", split, expected));
            }
            if *samples == Some(0) {
                return Err(Error::setting("samples", 0, "must be at least 1"));
            }
            for rows in [samples, test_samples].into_iter().flatten() {
                check_size(
                    &[*rows, 16],
                    || format!("{rows} samples of {self}"),
                    "reduce the number of samples",
                )?;
            }
            if let Some(noise) = noise.filter(|v| !(0.0..=1e100).contains(v)) {
                return Err(Error::setting("noise", short(noise), "must lie between 0 and 1e100"));
            }
            return Ok(());
        }
        if let Some(split) = split.filter(|s| s.train == 0) {
            return Err(Error::setting("split", split, "must train on at least one row in a run"));
        }
        let given = [
            ("samples", samples.map(|v| v.to_string())),
            ("test_samples", test_samples.map(|v| v.to_string())),
            ("noise", noise.map(|v| v.to_string())),
            ("data_seed", data_seed.map(|v| v.to_string())),
        ];
        match given.into_iter().find_map(|(name, value)| value.map(|v| (name, v))) {
            Some((name, value)) => {
                Err(Error::setting(name, value, format!("{self} is a fixed table without it")))
            }
            None => Ok(()),
        }
    }
}
