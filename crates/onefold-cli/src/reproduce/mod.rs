//! `onefold reproduce`.

mod jobs;

use crate::args::{BatchSystem, ReproduceArgs};
use crate::campaign::table::Format;
use crate::campaign::{self, bars};
use crate::failure::{Failure, INTERRUPTED};
use crate::paths::check_standard_output;
use crate::{elsewhere, interrupt, output, report};
use onefold_campaign::runner::Plan;
use onefold_campaign::store::{self, CAMPAIGN, read_campaign};
use onefold_campaign::{Campaign, PAPER, Store, summary};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &ReproduceArgs) -> Result<ExitCode, Failure> {
    let (text, origin) = match &args.campaign {
        Some(path) => (onefold_campaign::read(path)?, path.display().to_string()),
        None => (PAPER.into(), "experiments/paper.toml".into()),
    };
    let mut campaign = campaign::parse(&text, &origin)?;
    campaign.select(args.only.cells.as_deref(), args.only.table.as_deref())?;
    campaign.limit_runs(args.quick, args.runs)?;
    let folder = match &args.store {
        Some(folder) => folder.clone(),
        None => campaign::default_store(&campaign.name)?,
    };
    let inside = read_campaign(&folder)?;
    store::check_owner(&folder, inside.as_deref(), &campaign.name, &text)?;
    let files = if folder.is_dir() { store::files(&folder)? } else { Vec::new() };
    check_standard_output(&campaign::inputs(args.campaign.as_deref(), &campaign, &files))?;
    let system = args.print_jobs.or(args.slurm.then_some(BatchSystem::Slurm));
    if let Some(system) = system {
        output::print(&jobs::script(system, args, &campaign.name, &folder))?;
        return Ok(ExitCode::SUCCESS);
    }
    let left_out = if let Some(engine) = &args.engine.on {
        run_elsewhere(args, engine, &folder)?
    } else {
        run_here(args, &campaign, &text, inside.as_deref(), &folder)?;
        0
    };
    let records = if folder.is_dir() { Store::read(&folder)? } else { Vec::new() };
    let rows = summary::rows(&campaign, &records);
    let format = if args.json { Format::Json } else { args.format };
    output::print(&report::write(&campaign, &rows, &records, format, None)?)?;
    if left_out > 0 {
        return Err(Failure::failed(format!("{left_out} trials were left out; their reasons are above")));
    }
    Ok(if interrupt::is_interrupted() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Runs the missing trials on threads of this process.
fn run_here(
    args: &ReproduceArgs,
    campaign: &Campaign,
    text: &str,
    inside: Option<&str>,
    folder: &Path,
) -> Result<(), Failure> {
    let store = Store::open(folder, output::tell)?;
    let cancellation = interrupt::cancellation();
    interrupt::keep();
    let plan = Plan {
        campaign,
        store: &store,
        threads: threads(args.threads),
        shard: args.shard.unwrap_or((1, 1)),
        cancellation: &cancellation,
        checkpoint_every: args.checkpoint_every,
    };
    let missing = plan.missing()?;
    if inside != Some(text) {
        onefold::files::write_plain(&folder.join(CAMPAIGN), text.as_bytes())?;
    }
    if missing > 0 {
        output::tell(&format!("{missing} trials to run; records in {}", folder.display()));
    }
    bars::run(&plan)?;
    let missing = plan.missing()?;
    if missing > 0 && !interrupt::is_interrupted() {
        tell_elsewhere(missing);
    }
    Ok(())
}

/// Runs the missing trials on an engine; the number of trials that cannot be run.
fn run_elsewhere(args: &ReproduceArgs, engine: &str, folder: &Path) -> Result<usize, Failure> {
    interrupt::keep();
    let options = json!({
        "campaign": args.campaign, "store": folder, "executor": engine,
        "cells": args.only.cells, "table": args.only.table, "quick": args.quick, "runs": args.runs,
        "workers": (args.threads > 0).then_some(args.threads),
        "slice_seconds": args.checkpoint_every.as_secs_f64().clamp(0.1, 10.0),
    });
    let done = elsewhere::run(&args.engine.python, engine, "run_campaign", &options)?;
    if done.elsewhere > 0 {
        tell_elsewhere(done.elsewhere);
    }
    Ok(done.failed)
}

fn tell_elsewhere(missing: usize) {
    output::tell(&format!("{missing} trials are still being run by other processes"));
}

/// Number of trials run in parallel.
pub(crate) fn threads(given: usize) -> usize {
    let wanted = match given {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n.min(256),
    };
    wanted.min(onefold::resources::most_threads())
}
