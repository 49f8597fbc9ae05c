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
use crate::paths::{is_same, numbered};
use checkpoints::Checkpoints;
use onefold::files::write_new;
use onefold::{Error, FitSettings, Model, StopReason};
use plan::Plan;
use report::{as_json, conclusion, introduction};
use std::path::PathBuf;
use std::process::ExitCode;

/// Characters of the data's name in the name of a model file: a file name has at most 255 bytes.
const LONGEST_STEM: usize = 40;

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Failure> {
    let plan = Plan::resolve(args)?;
    let Some(network) = selection::network(&plan)? else { return Ok(ExitCode::from(INTERRUPTED)) };
    let settings = plan.settings(&plan.input.data.train, network.size)?;
    // With a given network, whatever can be refused is refused before anything is printed.
    let checkpoints = Checkpoints::of(&plan, &settings)?;
    let training = training::prepare(&plan, &plan.input.data, &settings, &checkpoints)?;
    let described = if network.selection.is_some() { String::new() } else { plan.input.describe() };
    plan.print(&(described + &introduction(&settings, plan.input.data.train.rows())))?;
    let Some(validated) = folds::validate(&plan, &settings)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let mut fitted = training::run(&plan, training, &settings, &checkpoints)?;
    fitted.model = fitted.model.with_cross_validation(validated);
    let saved = save(&plan, &settings, &fitted.model);
    let file = saved.as_ref().and_then(|saved| saved.as_deref().ok());
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

/// Writes the model; returns its file, none with `--json` but without `--output`. What was not named is not
/// replaced, not even a file that another run has written in the meantime.
fn save(plan: &Plan<'_>, settings: &FitSettings, model: &Model) -> Option<Result<PathBuf, Error>> {
    match &plan.args.output {
        Some(path) => Some(model.save(path).map(|()| path.clone())),
        None if plan.args.json => None,
        None => Some(write_new(default_names(plan, settings), model.to_json().as_bytes())),
    }
}

/// The names of a model file that the user did not name; the first that is free will be taken, and not that
/// of the checkpoint.
fn default_names(plan: &Plan<'_>, s: &FitSettings) -> impl Iterator<Item = PathBuf> {
    let data: String = plan.input.source.stem().chars().take(LONGEST_STEM).collect();
    let stem = format!("{data}-{}-{}-{}", s.topology, s.method.method(), s.method.common.seed);
    let checkpoint = plan.args.checkpoint.clone();
    numbered(stem).filter(move |name| !is_same(Some(name), checkpoint.as_deref()))
}
