//! Splits in the paper's format `a/b`: `a` rows to train, the next `b` to test, and so on.

use super::{Dataset, TrainTest};
use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Where the pattern of an `a/b` split starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SplitKind {
    /// The paper's words: the first `a` rows train, the following `b` test, and so on.
    #[default]
    Strict,
    /// Row `k`, counted from 1, trains when `k mod (a + b) < a`: this gives the counts that the paper prints.
    Shifted,
}

impl SplitKind {
    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Shifted => "shifted",
        }
    }
}

/// An `a/b` split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitRule {
    /// Rows in a run of training rows, `a`.
    pub train: usize,
    /// Rows in a run of test rows, `b`.
    pub test: usize,
    /// Where the pattern starts.
    pub kind: SplitKind,
}

impl SplitRule {
    /// Whether row `i`, counted from 0, trains.
    #[must_use]
    pub fn trains(&self, i: usize) -> bool {
        let k = match self.kind {
            SplitKind::Strict => i,
            SplitKind::Shifted => i + 1,
        };
        k % (self.train + self.test) < self.train
    }

    /// The two parts of `data`.
    #[must_use]
    pub fn apply(&self, data: &Dataset) -> TrainTest {
        let (train, test): (Vec<usize>, Vec<usize>) = (0..data.rows()).partition(|i| self.trains(*i));
        TrainTest { train: data.select(&train), test: data.select(&test), ..TrainTest::default() }
    }
}

/// Reads `a/b` as a strict split.
impl FromStr for SplitRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::setting(
                "split",
                format!("\"{text}\""),
                "must be two counts such as 1/1 or 2/1, the first at least 1",
            )
        };
        let (a, b) = text.split_once('/').ok_or_else(wrong)?;
        let (train, test) = (a.trim().parse().map_err(|_| wrong())?, b.trim().parse().map_err(|_| wrong())?);
        if train == 0 || train > 1_000_000_000 || test > 1_000_000_000 {
            return Err(wrong());
        }
        Ok(Self { train, test, kind: SplitKind::Strict })
    }
}

impl fmt::Display for SplitRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            SplitKind::Strict => "strict",
            SplitKind::Shifted => "shifted",
        };
        write!(f, "{}/{} {kind}", self.train, self.test)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_and_shifted_counts() {
        let count = |text: &str, kind, rows| {
            let rule = SplitRule { kind, ..text.parse().unwrap() };
            let train = (0..rows).filter(|i| rule.trains(*i)).count();
            (train, rows - train)
        };
        // The paper prints 75/75, 479/479, 312/313 and 97/97.
        for (kind, balance, spirals) in
            [(SplitKind::Strict, (313, 312), (98, 96)), (SplitKind::Shifted, (312, 313), (97, 97))]
        {
            assert_eq!(count("1/1", kind, 150), (75, 75));
            assert_eq!(count("1/1", kind, 958), (479, 479));
            assert_eq!(count("1/1", kind, 625), balance);
            assert_eq!(count("2/2", kind, 194), spirals);
        }
        assert_eq!(count("3/0", SplitKind::Strict, 7), (7, 0));
    }

    #[test]
    fn bad_splits() {
        for text in ["", "1", "0/1", "a/b", "1/-1", "1/1/1", "99999999999999999999/1"] {
            assert!(text.parse::<SplitRule>().is_err(), "{text}");
        }
    }
}
