//! `onefold tune`: the population size of a cell as the paper chose it.

use crate::args::TuneArgs;
use crate::campaign::{self, bars, default_store, inputs};
use crate::failure::{Failure, INTERRUPTED};
use crate::output::{self, table};
use crate::paths::{check_output, check_standard_output};
use crate::reproduce::threads;
use crate::{elsewhere, interrupt};
use onefold::error::shown;
use onefold_campaign::runner::Plan;
use onefold_campaign::statistics::wilson;
use onefold_campaign::store::files;
use onefold_campaign::tuning::Standing;
use onefold_campaign::{Campaign, PAPER, Store, Tuning};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

pub(crate) fn run(args: &TuneArgs) -> Result<ExitCode, Failure> {
    let mut campaign = match &args.campaign {
        Some(path) => campaign::load(path)?,
        None => campaign::parse(PAPER, "experiments/paper.toml")?,
    };
    let mut tuning = Tuning::new(&mut campaign, &args.cell, args.runs, (args.from, args.to))?;
    let folder = match &args.store {
        Some(folder) => folder.clone(),
        None => default_store("tune")?,
    };
    let store = Store::open(&folder, output::tell)?;
    check_outputs(args, &campaign, &files(&folder)?)?;
    interrupt::keep();
    if let Some(engine) = &args.engine.on {
        run_elsewhere(args, engine, &folder)?;
        // The trials are in the store: the same decisions without running any.
        while tuning.next_campaign(&Store::read_results(&folder)?).is_some() {}
    } else {
        while !interrupt::is_interrupted()
            && let Some(campaign) = tuning.next_campaign(&Store::read_results(&folder)?)
        {
            run_here(args, &campaign, &store)?;
        }
    }
    if interrupt::is_interrupted() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let standings = tuning.standings(&Store::read_results(&folder)?);
    output::print(&report(&tuning.cell().name, &standings))?;
    let Some(selected) = standings.iter().find(|standing| standing.is_selected) else {
        output::print("none of these populations reached the target in every run; try a larger --to\n")?;
        return Ok(ExitCode::FAILURE);
    };
    let text = tuning.file(selected.population)?;
    match &args.output {
        Some(path) => onefold::files::write_whole(path, text.as_bytes())?,
        None => output::print(&format!("\n{text}"))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses an output that cannot be written, or that would replace what is read.
fn check_outputs(args: &TuneArgs, campaign: &Campaign, store: &[PathBuf]) -> Result<(), Failure> {
    let inputs = inputs(args.campaign.as_deref(), campaign, store);
    check_standard_output(&inputs)?;
    args.output.as_deref().map_or(Ok(()), |path| check_output(path, &inputs))
}

/// Runs the missing trials of a campaign on threads of this process.
fn run_here(args: &TuneArgs, campaign: &Campaign, store: &Store) -> Result<(), Failure> {
    let plan = Plan {
        campaign,
        store,
        threads: threads(args.threads),
        shard: (1, 1),
        cancellation: &interrupt::cancellation(),
        checkpoint_every: Duration::from_secs(60),
    };
    bars::run(&plan)
}

/// Runs all trials of the tuning on an engine.
fn run_elsewhere(args: &TuneArgs, engine: &str, folder: &Path) -> Result<(), Failure> {
    let options = json!({
        "cell": args.cell, "campaign": args.campaign, "store": folder, "executor": engine,
        "runs": args.runs, "smallest": args.from, "largest": args.to,
        "workers": (args.threads > 0).then_some(args.threads),
    });
    elsewhere::run(&args.engine.python, engine, "tune", &options)?;
    Ok(())
}

fn report(cell: &str, standings: &[Standing]) -> String {
    let mut lines = vec![["population", "runs", "reached", "evaluations", ""].map(String::from).to_vec()];
    for standing in standings {
        let evaluations = standing.evaluations;
        let evaluations = evaluations.map_or("–".into(), |(mean, sd)| format!("{mean:.2e} ± {sd:.1e}"));
        let remark = match &standing.dropped {
            Some(reason) => reason.clone(),
            None if standing.is_selected => "selected".into(),
            None => "not significantly worse".into(),
        };
        let numbers = [standing.population, standing.runs, standing.reached].map(|n| n.to_string());
        lines.push(numbers.into_iter().chain([evaluations, remark]).collect());
    }
    let mut text = format!("{}\n{}", shown(cell), table(&lines, &[true, true, true, false, false]));
    if let Some(Standing { population, runs, reached, .. }) = standings.iter().find(|s| s.is_selected) {
        let (low, _) = wilson(*reached, *runs);
        let _ = writeln!(
            text,
            "population {population}: {reached} of {runs} runs reached the target; with 95 % confidence at least {:.0} % of all runs do",
            100.0 * low
        );
    }
    text
}
