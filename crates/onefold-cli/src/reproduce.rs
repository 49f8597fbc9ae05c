//! `onefold reproduce`.

use crate::args::ReproduceArgs;
use crate::campaign::runner::Plan;
use crate::campaign::table::{self, Format};
use crate::campaign::{self, Campaign, PAPER, Store, summary};
use crate::failure::{Failure, INTERRUPTED};
use crate::{output, report};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) fn run(args: &ReproduceArgs) -> Result<ExitCode, Failure> {
    let (text, origin) = match &args.campaign {
        Some(path) => (campaign::read(path)?, path.display().to_string()),
        None => (PAPER.into(), "experiments/paper.toml".into()),
    };
    let mut campaign = Campaign::parse(&text, &origin)?;
    campaign.select(args.cells.as_deref(), args.table.as_deref())?;
    if args.quick {
        campaign.cells.retain(|cell| cell.quick.is_some());
        campaign.cells.iter_mut().for_each(|cell| cell.runs = cell.quick.unwrap_or(cell.runs));
        if campaign.cells.is_empty() {
            return Err(Failure::bad_input("--quick: none of these cells says how many quick runs it has"));
        }
    }
    if let Some(runs) = args.runs {
        campaign.cells.iter_mut().for_each(|cell| cell.runs = cell.runs.min(runs));
    }
    let folder = args.store.clone().unwrap_or_else(|| PathBuf::from("results").join(&campaign.name));
    let store = Store::open(&folder)?;
    onefold::write_whole(&folder.join(report::CAMPAIGN), text.as_bytes())?;
    let interrupted = interruption()?;
    let threads = threads(args.threads);
    let shard = args.shard.unwrap_or((1, 1));
    let checkpoint_every = args.checkpoint_every;
    Plan { campaign: &campaign, store: &store, threads, shard, interrupted: &interrupted, checkpoint_every }
        .run()?;
    let rows = summary::rows(&campaign, &Store::read(&folder)?);
    output::print(&table::write(&rows, if args.json { Format::Json } else { args.format }))?;
    Ok(if interrupted.load(Ordering::Relaxed) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// A flag that Ctrl-C raises; a second one ends the program.
pub(crate) fn interruption() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            std::process::exit(INTERRUPTED.into());
        }
    })
    .map_err(|e| Failure::bad_input(e.to_string()))?;
    Ok(interrupted)
}

/// Trials at a time.
pub(crate) fn threads(given: usize) -> usize {
    match given {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n.min(256),
    }
}
