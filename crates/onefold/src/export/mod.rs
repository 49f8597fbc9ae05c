//! Trained networks for other programs: ONNX, and source text that needs no onefold.
//!
//! Every format takes a row of the table as it is and computes what `onefold predict` does: words, dates and
//! missing values are encoded (`encoding.rs` describes how, once for all formats), inputs scaled, then come
//! hidden layers and readout. Files are ASCII: names of columns and classes are whatever the user's table
//! had, and stand escaped in string literals and comments; identifiers are made of them by `identifiers.rs`.
//!
//! Before a file is written, its arithmetic is carried out on rows in the range of the training rows, and
//! what rounding changes is measured ([`Model::rounding`]); a network that loses too much is refused.

mod c;
mod c_fixed;
mod emulation;
mod encoding;
mod fixed;
mod identifiers;
mod javascript;
mod network;
mod onnx;
mod python;
mod rounding;
mod rust;
mod text;
mod vectors;

pub use rounding::Rounding;

use crate::{Error, Model};
use network::{Layer, Network};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use vectors::Vectors;

/// Declares the formats: for each its name in Rust and the [`Exporter`] in its file.
macro_rules! export_formats {
    ($($(#[$doc:meta])* $variant:ident = $exporter:path,)*) => {
        /// What a model is exported as.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum ExportFormat { $($(#[$doc])* $variant,)* }

        impl ExportFormat {
            /// All formats.
            pub const ALL: [Self; [$(Self::$variant),*].len()] = [$(Self::$variant),*];

            fn exporter(self) -> &'static Exporter {
                match self { $(Self::$variant => &$exporter,)* }
            }
        }
    };
}

// A new format is a file with its `Exporter`, and a line here.
export_formats! {
    /// An ONNX file, opset 17.
    #[default]
    Onnx = onnx::EXPORTER,
    /// One C99 header, valid as C++ too.
    C = c::EXPORTER,
    /// One Rust module for `no_std`, with a `tanh` of its own.
    Rust = rust::EXPORTER,
    /// One ECMAScript module.
    Javascript = javascript::EXPORTER,
    /// One Python module that needs numpy.
    Python = python::EXPORTER,
    /// One C99 header whose network computes with integers alone.
    CFixed = c_fixed::EXPORTER,
}

/// What is particular to a format.
struct Exporter {
    /// The name on the command line.
    name: &'static str,
    /// One line about it.
    description: &'static str,
    /// Endings of its files, the usual one first.
    endings: &'static [&'static str],
    /// The precision unless given: what its users mostly compute in.
    precision: Precision,
    /// Whether it can compute in single precision.
    has_float: bool,
    /// Whether its network computes with integers.
    is_fixed: bool,
    /// Whether it is text.
    is_text: bool,
    write: fn(&Network<'_>) -> Vec<u8>,
    /// The ending of a program that checks its files.
    tests_ending: &'static str,
    /// Writes that program, given rows and the file's name.
    write_tests: fn(&Network<'_>, &Vectors, &str) -> String,
}

impl ExportFormat {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.exporter().name
    }

    /// One line about it.
    #[must_use]
    pub fn description(self) -> &'static str {
        self.exporter().description
    }

    /// How a file of this format is named at its end.
    #[must_use]
    pub fn ending(self) -> &'static str {
        self.exporter().endings.first().copied().unwrap_or("h")
    }

    /// How files of this format may be named at their end, which may stand for its name.
    #[must_use]
    pub fn endings(self) -> &'static [&'static str] {
        self.exporter().endings
    }

    /// The format whose files end like this.
    #[must_use]
    pub fn with_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.exporter().endings.contains(&ending))
    }

    /// The precision where none is asked for: what its users mostly compute in.
    #[must_use]
    pub fn precision(self) -> Precision {
        self.exporter().precision
    }

    /// The name of a program that checks an exported file, made of that file's name without ending.
    #[must_use]
    pub fn tests_name(self, stem: &str) -> String {
        format!("{stem}_test.{}", self.exporter().tests_ending)
    }

    /// Whether its network computes with integers; there is no other precision then.
    #[must_use]
    pub fn is_fixed(self) -> bool {
        self.exporter().is_fixed
    }

    /// Whether it is text, which a terminal can show.
    #[must_use]
    pub fn is_text(self) -> bool {
        self.exporter().is_text
    }
}

impl FromStr for ExportFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let by_name = Self::ALL.into_iter().find(|format| format.name() == name);
        by_name.or_else(|| Self::with_ending(name)).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::setting("format", format!("\"{name}\""), format!("must be one of {names}"))
        })
    }
}

/// The numbers that an exported network computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 32 bits.
    Float,
    /// 64 bits, as onefold itself.
    Double,
}

impl Precision {
    /// Largest relative error of rounding one number: 2⁻²⁴ or 2⁻⁵³.
    #[must_use]
    pub fn unit_roundoff(self) -> f64 {
        match self {
            Self::Float => f64::from(f32::EPSILON) / 2.0,
            Self::Double => f64::EPSILON / 2.0,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Float => "float",
            Self::Double => "double",
        })
    }
}

/// What an exported model takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inputs {
    /// The columns of the table, with words, dates and missing values; source text has the function on
    /// encoded inputs as well.
    #[default]
    Columns,
    /// The inputs of the network alone: numbers, as [`Model::predict`] takes them.
    Encoded,
}

/// How a model is exported.
///
/// ```
/// # use onefold::{Builtin, FitSettings, Method, fit};
/// use onefold::export::{ExportFormat, ExportSettings};
/// # let data = Builtin::Iris.load(&Default::default())?;
/// # let mut settings = FitSettings::for_builtin(Builtin::Iris, None, Method::DE_SB)?;
/// # settings.stop.max_generations = Some(3);
/// # let model = fit("iris", &data, &settings)?.model;
///
/// let header = model.export(&ExportSettings {
///     format: ExportFormat::C,
///     name: "iris".into(),
///     ..ExportSettings::default()
/// })?;
/// let header = String::from_utf8(header).expect("source text is ASCII");
/// assert!(header.contains("static inline int iris_classify(const float in[])"));
/// # Ok::<(), onefold::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExportSettings {
    /// What it becomes; ONNX unless said otherwise.
    pub format: ExportFormat,
    /// The numbers it computes with; none for [`ExportFormat::precision`]. JavaScript has doubles only.
    pub precision: Option<Precision>,
    /// Name of the network in the file, an identifier; `model` unless said otherwise. In C all names begin
    /// with it.
    pub name: String,
    /// Whether single precision may change the outputs by more than the model's own error allows, see
    /// [`Rounding::is_too_much`]. Default false: then it is refused.
    pub allow_rounding: bool,
    /// What it takes: the columns of the table unless said otherwise.
    pub inputs: Inputs,
    /// The level of prediction intervals that it gives as well, such as 0.9; for regressions that have the
    /// errors of held-out rows. None unless said otherwise.
    pub interval: Option<f64>,
}

impl Default for ExportSettings {
    fn default() -> Self {
        Self {
            format: ExportFormat::default(),
            precision: None,
            name: "model".into(),
            allow_rounding: false,
            inputs: Inputs::default(),
            interval: None,
        }
    }
}

impl ExportSettings {
    /// An identifier made of any text, such as a file's name.
    ///
    /// ```
    /// assert_eq!(onefold::export::ExportSettings::identifier("2 spirals.v1"), "model_2_spirals_v1");
    /// ```
    #[must_use]
    pub fn identifier(text: &str) -> String {
        let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        match name.trim_matches('_') {
            "" => "model".into(),
            name if name.starts_with(|c: char| c.is_ascii_alphabetic()) => name.into(),
            name => format!("model_{name}"),
        }
    }
}

impl Model {
    /// The model as a file for other programs.
    ///
    /// # Errors
    /// If the name is no identifier, the format has no such precision, a parameter does not fit it, or
    /// rounding changes the outputs by too much.
    pub fn export(&self, settings: &ExportSettings) -> Result<Vec<u8>, Error> {
        self.export_with_rounding(settings).map(|(bytes, _)| bytes)
    }

    /// The same, and by how much rounding changes the outputs.
    ///
    /// # Errors
    /// As [`export`](Self::export).
    pub fn export_with_rounding(&self, settings: &ExportSettings) -> Result<(Vec<u8>, Rounding), Error> {
        let network = Network::new(self, settings)?;
        let rounding = Rounding::measure(&network);
        let may_lose = network.precision == Precision::Float || network.fixed.is_some();
        if may_lose && !settings.allow_rounding {
            rounding.check(self)?;
        }
        Ok(((settings.format.exporter().write)(&network), rounding))
    }

    /// A program that checks an exported file on rows with known outputs: numbers at the ends of their
    /// ranges, words that were in training and such that were not, missing values. It ends with an exit code
    /// other than 0 where an output differs by more than rounding. `file` is the name of the exported file,
    /// which stands in the same folder.
    ///
    /// # Errors
    /// As [`export`](Self::export), or if a program cannot name the file.
    pub fn export_tests(&self, settings: &ExportSettings, file: &str) -> Result<Vec<u8>, Error> {
        let is_plain = |c: char| matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '/' | ':');
        if !file.chars().all(is_plain) || file.trim() != file || file.is_empty() {
            let expected = "must be the plain name of a file, in ASCII, for tests that name it";
            return Err(Error::setting("output", format!("{file:?}"), expected));
        }
        let network = Network::new(self, settings)?;
        let vectors = Vectors::new(&network, &Rounding::measure(&network));
        Ok((settings.format.exporter().write_tests)(&network, &vectors, file).into_bytes())
    }

    /// By how much rounding changes the outputs of an exported network, measured.
    ///
    /// # Errors
    /// If the name is no identifier, the format has no such precision, or a parameter does not fit it.
    pub fn rounding(&self, settings: &ExportSettings) -> Result<Rounding, Error> {
        Ok(Rounding::measure(&Network::new(self, settings)?))
    }
}

#[cfg(test)]
mod tests;
