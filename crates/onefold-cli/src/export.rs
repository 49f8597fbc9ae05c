//! `onefold export`.

use crate::failure::Failure;
use crate::output::{self, grouped, percent, short};
use crate::paths::{check_output, check_standard_output};
use crate::values::export_format;
use clap::{Args, ValueEnum};
use onefold::error::shown;
use onefold::export::{ExportFormat, ExportSettings, Inputs, Precision, Rounding};
use onefold::{Error, Model};
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  onefold export iris.json -o iris.onnx              for ONNX Runtime and others
  onefold export iris.json -o iris.h                 one C99 header: iris_predict_row, iris_classify_row
  onefold export iris.json -o net.rs                 a Rust module that also works without std
  onefold export iris.json --format python           a numpy module, to standard output
  onefold export sinc.json -o sinc.h --precision double --name wave
  onefold export iris.json -o iris.h --with-tests    and iris_test.c, a program that checks it
  onefold export iris.json -o iris.h --format c-fixed   a network of integers, for small processors

Exported networks take rows of your table: numbers in its units, words, dates and missing values as they are; they \
are encoded and scaled inside. A function on encoded inputs, in the order that onefold show prints, is there as well; \
with --inputs encoded it is all there is. What rounding changes is measured in the range of the training \
rows and printed; a float export that loses more than a tenth of the model's own error is refused. See \
docs/export.md for tolerances.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExportArgs {
    /// A model file, as `onefold fit` writes it
    model: PathBuf,
    /// What to write [default: by the ending of --output]
    #[arg(long, value_parser = export_format())]
    format: Option<ExportFormat>,
    /// Write to this file instead of standard output; a file of this name is replaced
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The numbers it computes with [default: float; javascript and python double]
    #[arg(long, value_enum)]
    precision: Option<PrecisionArg>,
    /// Name of the network, an identifier; names in C begin with it [default: made of the model file's name]
    #[arg(long)]
    name: Option<String>,
    /// Write it even where rounding to float changes its outputs by more than the model's own error allows:
    /// by more than a tenth of it, or the class of more than one row in a thousand
    #[arg(long)]
    allow_rounding: bool,
    /// What it takes
    #[arg(long, value_enum, default_value = "columns")]
    inputs: InputsArg,
    /// Prediction intervals as well, at this level, such as 0.9; for regressions that have errors of held-out
    /// rows
    #[arg(long, value_name = "LEVEL")]
    interval: Option<f64>,
    /// Also write a program that checks the exported file on rows with known outputs, beside it: FILE_test.*
    #[arg(long, requires = "output")]
    with_tests: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum InputsArg {
    /// The columns of the table, with words, dates and missing values as they are
    Columns,
    /// The encoded inputs of the network alone, in the order that `onefold show` prints
    Encoded,
}

impl InputsArg {
    fn resolve(self) -> Inputs {
        match self {
            Self::Columns => Inputs::Columns,
            Self::Encoded => Inputs::Encoded,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PrecisionArg {
    /// 32 bits
    Float,
    /// 64 bits, as onefold itself
    Double,
}

pub(crate) fn run(args: &ExportArgs) -> Result<(), Failure> {
    let format = match args.format {
        Some(format) => format,
        None => format_of(args.output.as_deref())?,
    };
    let precision = args.precision.map(|precision| match precision {
        PrecisionArg::Float => Precision::Float,
        PrecisionArg::Double => Precision::Double,
    });
    let name = args.name.clone().unwrap_or_else(|| {
        let stem = args.model.file_stem().unwrap_or_default();
        ExportSettings::identifier(&stem.to_string_lossy())
    });
    let model = Model::load(&args.model)?;
    let inputs = args.inputs.resolve();
    let (allow_rounding, interval) = (args.allow_rounding, args.interval);
    let settings = ExportSettings { format, precision, name, allow_rounding, inputs, interval };
    let (bytes, rounding) = model.export_with_rounding(&settings).map_err(|e| with_flags(e, format))?;
    let inputs = [("the model", Some(args.model.as_path()))];
    let Some(path) = &args.output else {
        check_standard_output(&inputs)?;
        return print(format, &bytes);
    };
    check_output(path, &inputs)?;
    let tests = if args.with_tests { Some(tests(&model, &settings, path)?) } else { None };
    if let Some((beside, _)) = &tests {
        check_output(beside, &[("the model", Some(args.model.as_path())), ("--output", Some(path))])?;
    }
    onefold::files::write_whole(path, &bytes)?;
    if let Some((beside, bytes)) = &tests {
        onefold::files::write_whole(beside, bytes)?;
    }
    Ok(output::print(&format!(
        "{}  {}, {}, {} bytes; {}\n",
        shown(&path.to_string_lossy()),
        model.topology(),
        if format.is_fixed() {
            "integers".into()
        } else {
            precision.unwrap_or(format.precision()).to_string()
        },
        grouped(bytes.len() as u64),
        changes(&rounding),
    ))?)
}

/// The program that checks a file, and where it is written: in the same folder.
fn tests(model: &Model, settings: &ExportSettings, path: &Path) -> Result<(PathBuf, Vec<u8>), Failure> {
    let [file, stem] = [path.file_name(), path.file_stem()].map(|n| n.unwrap_or_default().to_string_lossy());
    let bytes = model.export_tests(settings, &file).map_err(|e| with_flags(e, settings.format))?;
    Ok((path.with_file_name(settings.format.tests_name(&stem)), bytes))
}

/// What rounding changes, as it was measured.
fn changes(rounding: &Rounding) -> String {
    let mut text = format!("rounding changes its outputs by up to {}", rounded_up(rounding.largest()));
    match rounding.classes {
        Some(0) => text += ", and no class",
        Some(changed) => {
            let _ = write!(text, ", and the class of {changed} in {} rows", grouped(rounding.rows as u64));
        }
        None if rounding.of_error < 0.001 => text += ", less than 0.1 % of its error",
        None if rounding.of_error < 1.0 => {
            let _ = write!(text, ", root mean square {} of its error", percent(rounding.of_error));
        }
        None => {
            let _ = write!(text, ", root mean square {:.0} times its error", rounding.of_error);
        }
    }
    if !rounding.is_in_training_range {
        text += " (tried within three scales of the offsets of its inputs, as the model has no ranges of its training rows)";
    }
    text
}

/// A number with one digit, and not less than it is.
fn rounded_up(v: f64) -> String {
    let value = |text: &str| text.parse::<f64>().unwrap_or(v);
    let nearest = format!("{v:.0e}");
    let up = match nearest.split_once('e') {
        // As text, since a quotient by a power of ten is rounded itself.
        Some((digit, power)) if value(&nearest) < v => value(&format!("{}e{power}", value(digit) + 1.0)),
        _ => value(&nearest),
    };
    short(up)
}

/// A network that loses too much, with the flags to use.
fn with_flags(error: Error, format: ExportFormat) -> Failure {
    match error {
        Error::Rounding { loss } if format.is_fixed() => Failure::bad_input(format!(
            "--format {}: {loss}; use --format c, or accept it with --allow-rounding",
            format.name()
        )),
        Error::Rounding { loss } => {
            let advice = loss.cause.advice().map_or(String::new(), |advice| format!(", {advice}"));
            Failure::bad_input(format!(
                "--precision float: {loss}; use --precision double{advice}, or accept it with --allow-rounding"
            ))
        }
        Error::Interval(why) => Failure::bad_input(format!("--interval: {why}")),
        other => other.into(),
    }
}

fn print(format: ExportFormat, bytes: &[u8]) -> Result<(), Failure> {
    if !format.is_text() && std::io::stdout().is_terminal() {
        let message =
            format!("--format {}: this is no text for a terminal; name a file with --output", format.name());
        return Err(Failure::bad_input(message));
    }
    output::print_bytes(bytes)?;
    Ok(())
}

fn format_of(path: Option<&Path>) -> Result<ExportFormat, Failure> {
    let names = ExportFormat::ALL.map(ExportFormat::name).join(", ");
    let Some(path) = path else {
        return Err(Failure::bad_input(format!("say with --format what to write: {names}")));
    };
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    ExportFormat::with_ending(ending).ok_or_else(|| {
        let formats = ExportFormat::ALL.into_iter().filter(|format| !format.is_fixed());
        let endings = formats.map(ExportFormat::ending).collect::<Vec<_>>().join(", ");
        Failure::bad_input(format!(
            "--output {}: the ending must be one of {endings}, unless --format says what to write",
            path.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_digit_is_not_less_than_the_number() {
        for (v, expected) in [
            (0.0, "0"),
            (3e-7, "3e-7"),
            (3.0001e-7, "4e-7"),
            (3e-7_f64.next_up(), "4e-7"),
            (2.5, "3"),
            (9.2e-5, "1e-4"),
            (0.0951, "0.1"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(rounded_up(v), expected, "{v:e}");
        }
    }
}
