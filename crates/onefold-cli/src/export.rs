//! `onefold export`.

use crate::failure::Failure;
use crate::output::{self, grouped};
use crate::paths::{check_output, check_standard_output};
use crate::values::export_format;
use clap::{Args, ValueEnum};
use onefold::Model;
use onefold::error::shown;
use onefold::export::{ExportFormat, ExportSettings, Precision};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  onefold export iris.json -o iris.onnx              for ONNX Runtime and others
  onefold export iris.json -o iris.h                 one C99 header: iris_predict, iris_classify
  onefold export iris.json -o net.rs                 a Rust module that also works without std
  onefold export iris.json --format python           a numpy module, to standard output
  onefold export sinc.json -o sinc.h --precision double --name wave

Scaling is included: exported networks take numbers in the units of your table. Text columns are encoded as numbers
first, in the order that onefold show prints. See docs/export.md for tolerances.";

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
    let bytes = model.export(&ExportSettings { format, precision, name })?;
    let inputs = [("the model", Some(args.model.as_path()))];
    let Some(path) = &args.output else {
        check_standard_output(&inputs)?;
        return print(format, &bytes);
    };
    check_output(path, &inputs)?;
    onefold::files::write_whole(path, &bytes)?;
    let precision = precision.unwrap_or(format.precision());
    let rounding = model.rounding(precision);
    // Ten times as good as the model itself is good enough.
    let poor = precision == Precision::Float && rounding > 0.1 * model.metrics().train_mse.sqrt();
    Ok(output::print(&format!(
        "{}  {}, {precision}, {} bytes; rounding changes its outputs by about {rounding:.0e}{}\n",
        shown(&path.to_string_lossy()),
        model.topology(),
        grouped(bytes.len() as u64),
        if poor { ", much for this model: consider --precision double" } else { "" },
    ))?)
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
        let endings = ExportFormat::ALL.map(ExportFormat::ending).join(", ");
        Failure::bad_input(format!(
            "--output {}: the ending must be one of {endings}, unless --format says what to write",
            path.display()
        ))
    })
}
