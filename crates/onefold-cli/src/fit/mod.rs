//! `onefold fit`: resolve, select, cross-validate, train, report.

mod checkpoints;
mod folds;
mod input;
mod plan;
mod report;
mod selection;
mod training;

pub(crate) use folds::summary as summary_of_folds;

use crate::args::FitArgs;
use crate::failure::{Failure, INTERRUPTED};
use crate::output;
use crate::paths::is_same;
use checkpoints::Checkpoints;
use onefold::{FitSettings, StopReason};
use plan::Plan;
use report::{as_json, conclusion, introduction, rounding_warning};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Failure> {
    let plan = Plan::resolve(args)?;
    let Some(network) = selection::network(&plan)? else { return Ok(ExitCode::from(INTERRUPTED)) };
    let settings = plan.settings(&plan.input.data.train, network.size)?;
    // With a given network, whatever can be refused is refused before anything is printed.
    let checkpoints = Checkpoints::of(&plan, &settings)?;
    let training = training::prepare(&plan, &plan.input.data, &settings, &checkpoints)?;
    let described = if network.selection.is_some() { String::new() } else { plan.input.describe() };
    plan.print(&(described + &introduction(&settings, plan.input.data.train.rows())))?;
    if let Some(warning) = rounding_warning(&settings, &plan.input.data.train) {
        eprintln!("{warning}");
    }
    let Some(validated) = folds::validate(&plan, &settings)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let mut fitted = training::run(&plan, training, &settings, &checkpoints)?;
    fitted.model = fitted.model.with_cross_validation(validated);
    let file = output_file(&plan, &settings);
    let saved = file.as_deref().map(|path| fitted.model.save(path));
    let file = file.as_deref().filter(|_| matches!(saved, Some(Ok(()))));
    output::print(&if args.json {
        as_json(&plan.input.name, &settings, &fitted, network.selection.as_ref(), file)
    } else {
        conclusion(&fitted, file)
    })?;
    saved.transpose()?;
    checkpoints.end(&fitted);
    Ok(match fitted.report.stop {
        StopReason::Observer => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

/// The file that the model is written to; none with `--json` but without `--output`.
fn output_file(plan: &Plan<'_>, settings: &FitSettings) -> Option<PathBuf> {
    match &plan.args.output {
        Some(path) => Some(path.clone()),
        None if plan.args.json => None,
        None => Some(default_name(&plan.input.source.stem(), settings, plan.args.checkpoint.as_deref())),
    }
}

/// A file name that is not in use, not even by the checkpoint: nothing is overwritten unless named.
fn default_name(data: &str, s: &FitSettings, checkpoint: Option<&Path>) -> PathBuf {
    let stem = format!("{data}-{}-{}-{}", s.topology, s.method.method(), s.method.common.seed);
    let numbered = (2..).map(|n| format!("{stem}-{n}.json"));
    let mut names = std::iter::once(format!("{stem}.json")).chain(numbered).map(PathBuf::from);
    let is_free = |name: &PathBuf| !name.exists() && !is_same(Some(name), checkpoint);
    names.find(is_free).unwrap_or_default()
}
