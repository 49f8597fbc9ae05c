//! `onefold fit`: resolve, select, cross-validate, train, report.

mod checkpoints;
mod folds;
mod input;
mod keeping;
mod plan;
mod race_view;
mod report;
mod selection;
mod selection_keeper;
mod selection_report;
mod time;
mod training;

use crate::args::FitArgs;
use crate::failure::{Failure, INTERRUPTED};
use crate::paths::{is_same, numbered};
use crate::{interrupt, output};
use checkpoints::Checkpoints;
use keeping::Kept;
use onefold::files::write_new;
use onefold::model_selection::End;
use onefold::{FitSettings, Model};
use plan::Plan;
use report::{as_json, conclusion, introduction, rounding_warning, times};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use time::Step;

/// Characters of the data's name in the name of a model file: a file name has at most 255 bytes.
const LONGEST_STEM: usize = 40;

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    if let Some(limit) = args.time {
        interrupt::limit_time(limit);
    }
    let plan = Plan::resolve(args)?;
    interrupt::keep();
    let network = selection::network(&plan)?;
    let settings = plan.settings(&plan.input.data.train, network.selected.as_ref())?;
    // With a given network, whatever can be refused is refused before anything is printed.
    let is_selected = network.selection.as_ref().is_none_or(|selection| selection.end != End::Cancelled);
    let checkpoints = if is_selected {
        Checkpoints::of(&plan, &settings, network.intervals.as_ref())?
    } else {
        // The checkpoint is that of the selection, which can be resumed.
        Checkpoints::none(&plan.input.name, &plan.input.data, &settings)
    };
    let start = network.selected.as_ref().and_then(|selected| selected.start.as_ref());
    let training = training::prepare(&plan, &plan.input.data, &settings, &checkpoints, start)?;
    let described = if network.selection.is_some() { String::new() } else { plan.input.describe() };
    plan.print(&(described + &introduction(&settings)));
    if let Some(warning) = rounding_warning(&settings, &plan.input.data.train) {
        output::tell(&warning);
    }
    let validated = folds::validate(&plan, &settings)?;
    let was_interrupted = interrupt::is_interrupted();
    let mut fitted = training::run(&plan, training, &settings, &checkpoints, &Step::training())?;
    // A training that had just ended by itself is complete, unless the selection before it was interrupted.
    let is_cut_short = was_interrupted || fitted.is_interrupted();
    let is_interrupted = interrupt::is_interrupted() && is_cut_short;
    let is_file = args.output.as_ref().is_none_or(|path| !path.exists() || path.is_file());
    if is_file {
        interrupt::finish();
    }
    // Folds of the whole table say more than those of the selection, in which the best network was chosen.
    let (scores, of_folds) = validated.map_or((None, None), |v| (Some(v.scores), v.intervals));
    let intervals = of_folds.or_else(|| network.intervals.clone());
    let data = &plan.input.data;
    fitted.model = fitted.model.with_rounding_on(&data.train);
    fitted.model = fitted.model.with_cross_validation(scores).with_intervals(intervals);
    let kept = save(&plan, &settings, &fitted.model);
    if !kept.is_to_be_printed() {
        interrupt::report();
    }
    let last = if args.json {
        let report = as_json(&plan.input.name, &settings, &fitted, network.selection.as_ref(), kept.file());
        kept.as_json(report, &fitted.model)
    } else {
        let is_selected = network.selection.is_some();
        let times = is_selected.then(|| times(started.elapsed(), network.time, &fitted));
        conclusion(&fitted, &times.unwrap_or_default(), kept.file()) + &kept.text(&fitted.model)
    };
    let printed = plan.unprinted.take().map_or_else(|| output::print_to_its_end(&last), Err);
    kept.failure(printed.is_ok())?;
    output::unless_closed(printed)?;
    checkpoints.end(&fitted);
    Ok(if is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Writes the model; with `--json` but without `--output`, nowhere. What was not named is not replaced, not
/// even a file that another run has written in the meantime.
fn save(plan: &Plan<'_>, settings: &FitSettings, model: &Model) -> Kept {
    let (wanted, saved) = match &plan.args.output {
        Some(path) => (path.clone(), model.save(path).map(|()| path.clone())),
        None if plan.args.json => return Kept::Nowhere,
        None => {
            let mut names = default_names(plan, settings).peekable();
            let first = names.peek().cloned().unwrap_or_default();
            (first, write_new(names, model.to_json().as_bytes()))
        }
    };
    saved.map_or_else(|reason| Kept::elsewhere(model, &wanted, reason), Kept::File)
}

/// The names of a model file that the user did not name; the first that is free will be taken, and not that
/// of the checkpoint.
fn default_names(plan: &Plan<'_>, s: &FitSettings) -> impl Iterator<Item = PathBuf> {
    let data: String = plan.input.source.stem().chars().take(LONGEST_STEM).collect();
    let stem = format!("{data}-{}-{}-{}", s.topology, s.method.method(), s.method.common.seed);
    let checkpoint = plan.args.checkpoint.clone();
    numbered(stem).filter(move |name| !is_same(Some(name), checkpoint.as_deref()))
}
