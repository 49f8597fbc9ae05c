//! `onefold reproduce`.

use crate::args::ReproduceArgs;
use crate::campaign::runner::Plan;
use crate::campaign::store::{self, CAMPAIGN, read_campaign};
use crate::campaign::table::Format;
use crate::campaign::{self, Campaign, PAPER, Store, summary};
use crate::failure::{Failure, INTERRUPTED};
use crate::paths::check_standard_output;
use crate::{interrupt, output, report};
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &ReproduceArgs) -> Result<ExitCode, Failure> {
    let (text, origin) = match &args.campaign {
        Some(path) => (campaign::read(path)?, path.display().to_string()),
        None => (PAPER.into(), "experiments/paper.toml".into()),
    };
    let mut campaign = Campaign::parse(&text, &origin)?;
    campaign.select(args.only.cells.as_deref(), args.only.table.as_deref())?;
    if args.quick {
        campaign.cells.retain(|cell| cell.quick.is_some());
        campaign.cells.iter_mut().for_each(|cell| cell.runs = cell.quick.unwrap_or(cell.runs));
        if campaign.cells.is_empty() {
            return Err(Failure::bad_input("--quick: none of these cells belongs to the quick subset"));
        }
    }
    if let Some(runs) = args.runs {
        campaign.cells.iter_mut().for_each(|cell| cell.runs = cell.runs.min(runs));
    }
    let folder = match &args.store {
        Some(folder) => folder.clone(),
        None => campaign::default_store(&campaign.name)?,
    };
    let inside = read_campaign(&folder)?;
    check_owner(&folder, inside.as_deref(), &campaign.name, &text)?;
    let files = if folder.is_dir() { store::files(&folder)? } else { Vec::new() };
    check_standard_output(&campaign::inputs(args.campaign.as_deref(), &campaign, &files))?;
    let store = Store::open(&folder)?;
    let cancellation = interrupt::cancellation();
    interrupt::keep();
    let plan = Plan {
        campaign: &campaign,
        store: &store,
        threads: threads(args.threads),
        shard: args.shard.unwrap_or((1, 1)),
        cancellation: &cancellation,
        checkpoint_every: args.checkpoint_every,
    };
    let missing = plan.missing()?;
    if inside.as_ref() != Some(&text) {
        onefold::files::write_plain(&folder.join(CAMPAIGN), text.as_bytes())?;
    }
    if missing > 0 {
        output::tell(&format!("{missing} trials to run; records in {}", folder.display()));
    }
    plan.run()?;
    let missing = plan.missing()?;
    if missing > 0 && !interrupt::is_interrupted() {
        output::tell(&format!("{missing} trials are still being run by other processes"));
    }
    let records = Store::read(&folder)?;
    let rows = summary::rows(&campaign, &records);
    let format = if args.json { Format::Json } else { args.format };
    output::print(&report::write(&campaign, &rows, &records, format, None)?)?;
    Ok(if interrupt::is_interrupted() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Checks that the store does not belong to another campaign, and that its campaign file is one of ours if it
/// is to be replaced.
fn check_owner(folder: &Path, inside: Option<&str>, name: &str, text: &str) -> Result<(), Failure> {
    let Some(found) = inside else { return Ok(()) };
    let refused = |reason: &str| Err(Failure::bad_input(format!("--store {}: {reason}", folder.display())));
    match campaign::name_in(found) {
        Some(owner) if owner != name => {
            refused(&format!("this store belongs to the campaign {owner}, not to {name}; use another"))
        }
        None => refused(&format!("its {CAMPAIGN} is not a campaign file; use another folder")),
        _ if found != text && !store::is_store(folder) => refused(&format!(
            "this folder has another {CAMPAIGN} and no records of it, and it would be replaced; use another folder"
        )),
        _ => Ok(()),
    }
}

/// Number of trials run in parallel.
pub(crate) fn threads(given: usize) -> usize {
    let wanted = match given {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n.min(256),
    };
    wanted.min(onefold::resources::most_threads())
}
