//! The built-in data sets, with the paper's settings for each.

use super::classification::{
    BalanceEncoding, ClassColumn, SquareEncoding, balance_text, iris_text, read, tic_tac_toe_text,
    two_spirals_text,
};
use super::regression::{self, generate};
use super::{Dataset, Scaling, SplitKind, SplitRule, TrainTest};
use crate::Error;
use crate::error::{check_size, short};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};
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
        let wrong = |expected: &str| Err(Error::setting("encoding", format!("\"{text}\""), expected));
        match builtin {
            Builtin::TicTacToe => self.squares = text.parse()?,
            Builtin::Balance => {
                self.balance = match text {
                    "centred" => BalanceEncoding::Centred,
                    "raw" => BalanceEncoding::Raw,
                    "from-zero" => BalanceEncoding::FromZero,
                    _ => return wrong("balance has centred, raw and from-zero"),
                }
            }
            _ => return wrong(&format!("{builtin} has no encodings; only balance and tic-tac-toe do")),
        }
        Ok(())
    }
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

    /// Training and test rows.
    ///
    /// # Errors
    /// If a setting is out of range or does not apply to this set.
    pub fn load(self, settings: &BuiltinSettings) -> Result<TrainTest, Error> {
        self.check(settings)?;
        if let Some((f, dim, part)) = self.formula() {
            let noise = settings.noise.unwrap_or(5e-3);
            let seed = settings.data_seed.unwrap_or(1);
            let rows = |part, n: Option<usize>| generate(f, dim, n.unwrap_or(200), noise, seed, part);
            let (train, test) = (rows(part, settings.samples), rows(part + 1, settings.test_samples));
            return Ok(TrainTest { train, test, settings: Some(settings.clone()), table: None });
        }
        let split = settings.split.or(self.split()).ok_or_else(|| Error::Data("no split".into()))?;
        let data = split.apply(&self.all_rows(settings));
        if data.train.rows() == 0 {
            return Err(Error::setting("split", split, format!("leaves no row of {self} to train on")));
        }
        Ok(TrainTest { settings: Some(settings.clone()), ..data })
    }

    /// All rows in the order of [`text`](Self::text), training and test rows together.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn rows(self, settings: &BuiltinSettings) -> Result<Dataset, Error> {
        if !self.is_regression() {
            self.check(settings)?;
            return Ok(self.all_rows(settings));
        }
        let TrainTest { mut train, test, .. } = self.load(settings)?;
        train.inputs.iter_mut().zip(test.inputs).for_each(|(all, more)| all.extend(more));
        train.outputs.iter_mut().zip(test.outputs).for_each(|(all, more)| all.extend(more));
        Ok(train)
    }

    /// The set as text, one row per line without a header: the classic file of a classification set, or the
    /// training and then the test rows of a generated one.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn text(self, settings: &BuiltinSettings) -> Result<String, Error> {
        self.check(settings)?;
        Ok(match self {
            Self::Iris | Self::IrisFisher => iris_text(self == Self::IrisFisher),
            Self::TicTacToe => tic_tac_toe_text(),
            Self::Balance => balance_text(),
            Self::TwoSpirals => two_spirals_text(),
            _ => {
                let TrainTest { train, test, .. } = self.load(settings)?;
                let mut text = String::new();
                for data in [train, test] {
                    for row in 0..data.rows() {
                        for v in data.input(row) {
                            let _ = write!(text, "{v},");
                        }
                        let _ = writeln!(text, "{}", data.outputs[0][row]);
                    }
                }
                text
            }
        })
    }

    fn all_rows(self, settings: &BuiltinSettings) -> Dataset {
        // The texts are our own and tested, so every field is a number.
        let number = |field: &str| field.parse().unwrap_or(f64::NAN);
        match self {
            Self::TicTacToe => {
                let names = [
                    "top-left",
                    "top",
                    "top-right",
                    "left",
                    "middle",
                    "right",
                    "bottom-left",
                    "bottom",
                    "bottom-right",
                ];
                let SquareEncoding { x, o, b } = settings.squares;
                read(&tic_tac_toe_text(), ClassColumn::Last, &names, &["positive", "negative"], |field| {
                    match field {
                        "x" => x,
                        "o" => o,
                        _ => b,
                    }
                })
            }
            Self::Balance => {
                let names = ["left-weight", "left-distance", "right-weight", "right-distance"];
                read(&balance_text(), ClassColumn::First, &names, &["L", "B", "R"], |field| {
                    match settings.balance {
                        BalanceEncoding::Centred => (number(field) - 3.0) / 2.0,
                        BalanceEncoding::Raw => number(field),
                        BalanceEncoding::FromZero => number(field) - 1.0,
                    }
                })
            }
            Self::TwoSpirals => {
                read(&two_spirals_text(), ClassColumn::Last, &["x1", "x2"], &["1", "0"], number)
            }
            _ => {
                let names = ["sepal-length", "sepal-width", "petal-length", "petal-width"];
                let classes = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"];
                read(&iris_text(self == Self::IrisFisher), ClassColumn::Last, &names, &classes, number)
            }
        }
    }

    fn check(self, settings: &BuiltinSettings) -> Result<(), Error> {
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
