//! Trained networks for other programs: ONNX, and source text that needs no onefold.
//!
//! Every format computes what [`Model::predict`] computes: inputs scaled, hidden layers, readout. Files are
//! ASCII: names of columns and classes are whatever the user's table had, and stand escaped in string
//! literals and comments only, never as identifiers.

mod c;
mod javascript;
mod onnx;
mod python;
mod rust;
mod text;

use crate::{Error, Model};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

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
    /// Whether it is text.
    is_text: bool,
    write: fn(&Network<'_>) -> Vec<u8>,
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
        self.exporter().endings[0]
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

    /// Whether it is text, which a terminal can show.
    #[must_use]
    pub fn is_text(self) -> bool {
        self.exporter().is_text
    }
}

impl FromStr for ExportFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
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
}

impl Default for ExportSettings {
    fn default() -> Self {
        Self { format: ExportFormat::default(), precision: None, name: "model".into() }
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
    /// If the name is no identifier, the format has no such precision, or a parameter does not fit it.
    pub fn export(&self, settings: &ExportSettings) -> Result<Vec<u8>, Error> {
        let network = Network::new(self, settings)?;
        Ok((settings.format.exporter().write)(&network))
    }

    /// About how much rounding to this precision changes an output: the unit roundoff times the largest sum
    /// of magnitudes of an output's weights. Nearly collinear hidden neurons have large weights that cancel,
    /// and then `float` is not enough.
    #[must_use]
    pub fn rounding(&self, precision: Precision) -> f64 {
        let sums = self.readout().iter().map(|row| row.iter().map(|w| w.abs()).sum::<f64>());
        precision.unit_roundoff() * sums.fold(0.0, f64::max)
    }
}

/// What all formats write.
struct Network<'a> {
    model: &'a Model,
    name: &'a str,
    precision: Precision,
    /// Offsets and scales of the inputs; none where they change nothing.
    scaler: Option<[&'a [f64]; 2]>,
    hidden: Vec<Layer<'a>>,
    readout: Layer<'a>,
}

/// Weights of each neuron, and what is added to each; nothing where a readout has no bias.
struct Layer<'a> {
    weights: Vec<&'a [f64]>,
    shifts: Vec<f64>,
}

impl<'a> Layer<'a> {
    /// Rows of `inputs` weights, with or without a shift behind them.
    fn new(inputs: usize, rows: impl Iterator<Item = &'a [f64]>) -> Self {
        let (weights, shifts): (Vec<_>, Vec<_>) = rows.map(|row| row.split_at(inputs)).unzip();
        Self { weights, shifts: shifts.concat() }
    }

    fn inputs(&self) -> usize {
        self.weights[0].len()
    }

    fn neurons(&self) -> usize {
        self.weights.len()
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.weights.iter().copied().flatten().chain(&self.shifts).copied()
    }
}

impl<'a> Network<'a> {
    fn new(model: &'a Model, settings: &'a ExportSettings) -> Result<Self, Error> {
        let name = settings.name.as_str();
        if name != ExportSettings::identifier(name) {
            let expected = "must be an identifier: letters, digits and underscores, a letter first and no underscore last";
            return Err(Error::setting("name", format!("{name:?}"), expected));
        }
        let precision = settings.precision.unwrap_or(settings.format.precision());
        let Exporter { name: of_format, has_float, .. } = settings.format.exporter();
        if precision == Precision::Float && !has_float {
            let expected = format!("{of_format} computes in double; leave it out");
            return Err(Error::setting("precision", precision, expected));
        }
        let (topology, scaler) = (model.topology(), model.scaler());
        let (hidden, readout) = (model.hidden(), model.readout());
        let mut inputs = topology.inputs();
        let mut layers = Vec::new();
        for (l, width) in topology.hidden().iter().enumerate() {
            layers.push(Layer::new(inputs, (0..*width).map(|n| &hidden[topology.neuron(l, n)])));
            inputs = *width;
        }
        let one = 1_f64.to_bits();
        let plain =
            scaler.offset.iter().all(|o| *o == 0.0) && scaler.scale.iter().all(|s| s.to_bits() == one);
        let network = Self {
            model,
            name,
            precision,
            scaler: (!plain).then_some([&scaler.offset[..], &scaler.scale[..]]),
            hidden: layers,
            readout: Layer::new(inputs, readout.iter().map(Vec::as_slice)),
        };
        network.check().map(|()| network)
    }

    /// Every number must be one in the precision asked for, and no divisor may vanish in it.
    fn check(&self) -> Result<(), Error> {
        let layers = self.hidden.iter().chain([&self.readout]);
        let scales = self.scaler.map_or(&[][..], |[_, scale]| scale);
        let offsets = self.scaler.map_or(&[][..], |[offset, _]| offset);
        let mut numbers = layers.flat_map(Layer::numbers).chain(offsets.iter().chain(scales).copied());
        let wrong = numbers.find(|v| !self.rounded(*v).is_finite());
        match wrong.or(scales.iter().copied().find(|v| self.rounded(*v) == 0.0)) {
            None => Ok(()),
            Some(v) if v.is_finite() => Err(Error::setting(
                "precision",
                self.precision,
                format!("the model's {v:e} does not fit it; use double"),
            )),
            Some(value) => Err(Error::InfiniteWeight { value }),
        }
    }

    /// A number as the exported network has it.
    fn rounded(&self, v: f64) -> f64 {
        match self.precision {
            Precision::Float => f64::from(v as f32),
            Precision::Double => v,
        }
    }

    fn inputs(&self) -> usize {
        self.model.topology().inputs()
    }

    fn outputs(&self) -> usize {
        self.model.topology().outputs()
    }
}

#[cfg(test)]
mod tests;
