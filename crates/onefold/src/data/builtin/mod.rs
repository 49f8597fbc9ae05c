//! The built-in data sets, with the paper's settings for each.

mod rows;
mod settings;

pub use settings::BuiltinSettings;

use super::{Scaling, SplitKind, SplitRule, regression};
use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A data set that comes with the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Builtin {
    /// Regression: `(x + 0.5)² (0.1 + (x - 0.65)²)`, the paper's formula with its misprint corrected.
    Syn5,
    /// The same as the paper prints it: `(x + 0.5)² (0.1 + (x + 0.65)²)`, which leaves the interval that
    /// the paper states.
    Syn5Printed,
    /// Regression: `sin(10x) / (10x)`.
    Sinc,
    /// Regression: `x/2 + sin(10x) / (10x)`.
    Incsinc,
    /// Regression: `sin(5r) / (15r)` with `r² = x1² + x2²`.
    Sinc2d,
    /// Classification of flowers, the UCI file.
    Iris,
    /// The same with Fisher's original values in two rows.
    IrisFisher,
    /// Classification: has x won this final position?
    TicTacToe,
    /// Classification: to which side does the scale tip?
    Balance,
    /// Classification: on which of two intertwined spirals does the point lie?
    TwoSpirals,
}

impl Builtin {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Syn5,
        Self::Syn5Printed,
        Self::Sinc,
        Self::Incsinc,
        Self::Sinc2d,
        Self::Iris,
        Self::IrisFisher,
        Self::TicTacToe,
        Self::Balance,
        Self::TwoSpirals,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Syn5 => "syn5",
            Self::Syn5Printed => "syn5-printed",
            Self::Sinc => "sinc",
            Self::Incsinc => "incsinc",
            Self::Sinc2d => "sinc2d",
            Self::Iris => "iris",
            Self::IrisFisher => "iris-fisher",
            Self::TicTacToe => "tic-tac-toe",
            Self::Balance => "balance",
            Self::TwoSpirals => "two-spirals",
        }
    }

    /// One line about it.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Syn5 => "(x+0.5)² (0.1+(x-0.65)²) with noise",
            Self::Syn5Printed => "(x+0.5)² (0.1+(x+0.65)²) with noise, as the paper prints it",
            Self::Sinc => "sin(10x) / (10x) with noise",
            Self::Incsinc => "x/2 + sin(10x) / (10x) with noise",
            Self::Sinc2d => "sin(5r) / (15r), r² = x1² + x2², with noise",
            Self::Iris => "three species of iris by four lengths (UCI file)",
            Self::IrisFisher => "the same with Fisher's values in rows 35 and 38",
            Self::TicTacToe => "final positions: has x won?",
            Self::Balance => "two weights at two distances: left, balanced or right",
            Self::TwoSpirals => "two intertwined spirals of 97 points each",
        }
    }

    /// The set of the paper's tables that this is another version of.
    #[must_use]
    pub fn variant_of(self) -> Option<Self> {
        match self {
            Self::Syn5Printed => Some(Self::Syn5),
            Self::IrisFisher => Some(Self::Iris),
            _ => None,
        }
    }

    /// Whether it is generated from a formula, with noise.
    #[must_use]
    pub fn is_regression(self) -> bool {
        self.formula().is_some()
    }

    fn formula(self) -> Option<(regression::Target, usize, u64)> {
        match self {
            Self::Syn5 => Some((regression::syn5, 1, 0)),
            Self::Syn5Printed => Some((regression::syn5_printed, 1, 0)),
            Self::Sinc => Some((regression::sinc, 1, 2)),
            Self::Incsinc => Some((regression::incsinc, 1, 4)),
            Self::Sinc2d => Some((regression::sinc2d, 2, 6)),
            _ => None,
        }
    }

    /// The paper's error threshold.
    #[must_use]
    pub fn target(self) -> f64 {
        match self {
            Self::Syn5 | Self::Syn5Printed | Self::Sinc | Self::Incsinc | Self::Sinc2d => 5e-5,
            Self::Iris | Self::IrisFisher => 0.011,
            Self::TicTacToe => 0.08,
            Self::Balance => 0.001,
            Self::TwoSpirals => 0.07,
        }
    }

    /// Input scaling that reproduces the paper's numbers: none, every table is used as it is.
    #[must_use]
    pub fn scaling(self) -> Scaling {
        Scaling::None
    }

    /// The paper's split, in the reading that gives its numbers; none for the generated sets.
    #[must_use]
    pub fn split(self) -> Option<SplitRule> {
        let (run, kind) = match self {
            Self::Iris | Self::IrisFisher | Self::TicTacToe => (1, SplitKind::Strict),
            Self::Balance => (1, SplitKind::Shifted),
            Self::TwoSpirals => (2, SplitKind::Strict),
            _ => return None,
        };
        Some(SplitRule { train: run, test: run, kind })
    }
}

impl fmt::Display for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Builtin {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|b| b.name() == name);
        found.ok_or_else(|| Error::UnknownDataset { name: name.into() })
    }
}

#[cfg(test)]
mod tests;
