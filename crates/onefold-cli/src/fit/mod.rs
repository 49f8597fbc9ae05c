//! `onefold fit`: resolve, select, cross-validate, train, report.

mod checkpoints;
mod folds;
mod input;
mod keeping;
mod plan;
mod report;
mod selection;
mod time;
mod training;

pub(crate) use folds::summary as summary_of_folds;

use crate::args::FitArgs;
use crate::failure::{Failure, INTERRUPTED};
use crate::paths::is_same;
use crate::{interrupt, output};
use checkpoints::Checkpoints;
use keeping::Kept;
use onefold::FitSettings;
use plan::Plan;
use report::{as_json, conclusion, introduction, rounding_warning};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use time::Step;

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Failure> {
    if let Some(limit) = args.time {
        interrupt::limit_time(limit);
    }
    let plan = Plan::resolve(args)?;
    interrupt::keep();
    let network = selection::network(&plan)?;
    let settings = plan.settings(&plan.input.data.train, network.size)?;
    // With a given network, whatever can be refused is refused before anything is printed.
    let checkpoints = Checkpoints::of(&plan, &settings)?;
    let training = training::prepare(&plan, &plan.input.data, &settings, &checkpoints)?;
    let described =
        if plan.selects_size() && plan.resumed.is_none() { String::new() } else { plan.input.describe() };
    plan.print(&(described + &introduction(&settings, plan.input.data.train.rows())))?;
    if let Some(warning) = rounding_warning(&settings, &plan.input.data.train) {
        eprintln!("{warning}");
    }
    let Some(validated) = folds::validate(&plan, &settings)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let mut fitted = training::run(&plan, training, &settings, &checkpoints, &Step::training())?;
    interrupt::finish();
    fitted.model = fitted.model.with_cross_validation(validated);
    let file = output_file(&plan, &settings);
    let kept = Kept::save(&fitted.model, file.as_deref());
    let printed = output::print(&if args.json {
        let report = as_json(&plan.input.name, &settings, &fitted, network.selection.as_ref(), kept.file());
        kept.as_json(report, &fitted.model)
    } else {
        conclusion(&fitted, kept.file()) + &kept.text(&fitted.model)
    });
    kept.failure()?;
    printed?;
    checkpoints.end(&fitted);
    Ok(if interrupt::is_interrupted() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
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
