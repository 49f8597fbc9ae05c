//! The built-in data sets, with the paper's settings for each.

mod rows;
mod settings;

pub use settings::BuiltinSettings;

use super::classification::ClassColumn;
use super::{SplitRule, classification, regression};
use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Declares the sets: for each its name in Rust and its description in [`Set`].
macro_rules! builtin_sets {
    ($($(#[$doc:meta])* $variant:ident = $set:path,)*) => {
        /// A data set that comes with the library.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Builtin { $($(#[$doc])* $variant,)* }

        impl Builtin {
            /// All of them.
            pub const ALL: [Self; [$(Self::$variant),*].len()] = [$(Self::$variant),*];

            fn set(self) -> &'static Set {
                match self { $(Self::$variant => &$set,)* }
            }
        }
    };
}

// A new set is a `Set` where its rows are made, and a line here.
builtin_sets! {
    /// Regression: `(x + 0.5)² (0.1 + (x - 0.65)²)`, the paper's formula with its misprint corrected.
    Syn5 = regression::SYN5,
    /// The same as the paper prints it: `(x + 0.5)² (0.1 + (x + 0.65)²)`, which leaves the interval that
    /// the paper states.
    Syn5Printed = regression::SYN5_PRINTED,
    /// Regression: `sin(10x) / (10x)`.
    Sinc = regression::SINC,
    /// Regression: `x/2 + sin(10x) / (10x)`.
    Incsinc = regression::INCSINC,
    /// Regression: `sin(5r) / (15r)` with `r² = x1² + x2²`.
    Sinc2d = regression::SINC2D,
    /// Classification of flowers, the UCI file.
    Iris = classification::IRIS,
    /// The same with Fisher's original values in two rows.
    IrisFisher = classification::IRIS_FISHER,
    /// Classification: has x won this final position?
    TicTacToe = classification::TIC_TAC_TOE,
    /// Classification: to which side does the scale tip?
    Balance = classification::BALANCE,
    /// Classification: on which of two intertwined spirals does the point lie?
    TwoSpirals = classification::TWO_SPIRALS,
}

/// What is particular to a set.
pub(super) struct Set {
    /// The name on the command line.
    pub(super) name: &'static str,
    /// One line about it.
    pub(super) description: &'static str,
    /// The error at which a search stops: the paper's.
    pub(super) threshold: f64,
    /// Widths of the hidden layers unless given: the first network that the paper lists.
    pub(super) hidden: &'static str,
    /// The set of the paper's tables that this is another version of.
    pub(super) variant_of: Option<Builtin>,
    /// Where its rows come from.
    pub(super) rows: Rows,
}

/// Where the rows of a set come from.
pub(super) enum Rows {
    /// A function of uniform inputs, with noise.
    Generated {
        function: fn(&[f64]) -> f64,
        inputs: usize,
        /// Number of the random streams of its training rows; the test rows have the next one.
        stream: u64,
    },
    /// A fixed table.
    Fixed(FixedTable),
}

type SetEncoding = fn(&mut BuiltinSettings, &str) -> Result<(), Error>;

/// A table of texts, and how they become numbers.
pub(super) struct FixedTable {
    /// Its fields, in the order of the classic file.
    pub(super) records: fn() -> Vec<Vec<String>>,
    pub(super) class: ClassColumn,
    pub(super) inputs: &'static [&'static str],
    pub(super) classes: &'static [&'static str],
    /// The number of a field.
    pub(super) encode: fn(&BuiltinSettings, &str) -> f64,
    /// Reads another encoding, where there are several.
    pub(super) set_encoding: Option<SetEncoding>,
    /// The paper's split, in the reading that gives its numbers.
    pub(super) split: SplitRule,
}

impl Builtin {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.set().name
    }

    /// One line about it.
    #[must_use]
    pub fn description(self) -> &'static str {
        self.set().description
    }

    /// The set of the paper's tables that this is another version of.
    #[must_use]
    pub fn variant_of(self) -> Option<Self> {
        self.set().variant_of
    }

    /// Whether it is generated from a formula, with noise.
    #[must_use]
    pub fn is_regression(self) -> bool {
        matches!(self.set().rows, Rows::Generated { .. })
    }

    /// The paper's error threshold.
    #[must_use]
    pub fn threshold(self) -> f64 {
        self.set().threshold
    }

    /// Widths of the hidden layers unless given: the first network that the paper lists.
    #[must_use]
    pub fn default_hidden(self) -> &'static str {
        self.set().hidden
    }

    /// The paper's split, in the reading that gives its numbers; none for the generated sets.
    #[must_use]
    pub fn split(self) -> Option<SplitRule> {
        match &self.set().rows {
            Rows::Generated { .. } => None,
            Rows::Fixed(table) => Some(table.split),
        }
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
