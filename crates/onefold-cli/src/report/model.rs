//! `onefold report MODEL DATA`: the page about a model.

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::output;
use crate::paths::{check_output, check_standard_output};
use crate::predict::{check_fits, settings_for};
use crate::source::{Source, watched};
use onefold::files::{DataFile, write_whole};
use onefold::{Error, Model};
use onefold_report::{About, Rows, model_page};
use std::io::Read;
use std::path::Path;

pub(super) fn run(args: &ReportArgs, data: &str) -> Result<(), Failure> {
    if let Some(flag) = args.campaign_flag() {
        return Err(Failure::bad_input(format!("{flag} is for campaigns, not for a model; leave it out")));
    }
    let is_page = |path: &Path| {
        path.extension().is_some_and(|e| ["html", "htm"].iter().any(|h| e.eq_ignore_ascii_case(h)))
    };
    if let Some(path) = args.output.as_deref().filter(|path| !is_page(path)) {
        return Err(Failure::bad_input(format!(
            "--output {}: the page about a model is HTML; let the name end in .html",
            path.display()
        )));
    }
    let model = Model::load(&args.subject)?;
    let source = Source::find(data)?;
    let inputs = [("the model", Some(args.subject.as_path())), ("the data", source.file())];
    match &args.output {
        Some(path) => check_output(path, &inputs)?,
        None => check_standard_output(&inputs)?,
    }
    let rows = rows_of(args, &model, &source)?;
    let html = model_page(&model, &rows, &about(args, &source)).map_err(Failure::bad_input)?;
    match &args.output {
        Some(path) => Ok(write_whole(path, html.as_bytes())?),
        None => Ok(output::print_bytes(html.as_bytes())?),
    }
}

fn rows_of(args: &ReportArgs, model: &Model, source: &Source) -> Result<Rows, Failure> {
    let settings = args.lines.rows(true);
    let name = source.name();
    match source {
        Source::Builtin(builtin) => {
            args.lines.overrides().for_builtin(*builtin)?;
            let settings = settings_for(model, *builtin);
            check_fits(model, *builtin, &builtin.rows(&settings)?)?;
            Ok(Rows::of_builtin(model, *builtin, &settings)?)
        }
        Source::File(path) => {
            Ok(Rows::read(model, &name, &settings, || Ok::<_, Error>(watched(DataFile::open(path)?)))?)
        }
        Source::StandardInput => {
            // It may be read twice.
            let mut bytes = Vec::new();
            source.open()?.read_to_end(&mut bytes)?;
            Ok(Rows::read(model, &name, &settings, || Ok::<_, Error>(bytes.as_slice()))?)
        }
    }
}

fn about(args: &ReportArgs, source: &Source) -> About {
    let name = |path: &Path| path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let model = name(&args.subject);
    let output = args.output.as_deref().map_or(String::new(), |path| format!(" -o {}", name(path)));
    About {
        written: std::fs::metadata(&args.subject).and_then(|m| m.modified()).ok().and_then(output::date),
        command: Some(format!("onefold report {model} {}{output}", source.name())),
        model: Some(model),
    }
}
