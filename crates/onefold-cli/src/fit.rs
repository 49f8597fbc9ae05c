//! `onefold fit`.

mod choosing;
mod folds;
mod input;
mod keeping;
mod report;
mod settings;

pub(crate) use folds::summary as summary_of_folds;

use crate::args::FitArgs;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt;
use crate::output;
use crate::progress::Bar;
use choosing::{Chooser, Size};
use input::Input;
use keeping::{Keeping, not_resumed};
use onefold::{Checkpoint, Error, FitSettings, Fitted, Stop, StopReason, Training};
use report::{as_json, conclusion, introduction};
use settings::settings;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Failure> {
    let input = Input::load(args)?;
    let data = &input.data;
    let resumed =
        args.resume.as_deref().map(|path| Checkpoint::load(path).map_err(|e| not_resumed(Some(path), &e)));
    let resumed = resumed.transpose()?;
    let seed = args.seed.or_else(|| resumed.as_ref().map(|c| c.settings.method.common.seed));
    let seed = seed.unwrap_or_else(random_seed);
    if let (Some(k), Some(table)) = (args.table.folds, &input.table) {
        // A number of folds that cannot be is found before anything is printed or trained.
        table.fold(0, k, args.table.seed())?;
    }
    let interrupted = interrupt::flag()?;
    // A table without --hidden: in each fold anew, and then for all rows.
    let chooser = Chooser::needed(args, &input, seed, &interrupted)?;
    let mut validated = None;
    let (size, choice) = match (&chooser, &resumed) {
        (None, _) => (None, None),
        (Some(_), Some(checkpoint)) => (Some(Size::of(&checkpoint.settings)), None),
        (Some(chooser), None) => {
            chooser.check_files()?;
            if !args.json {
                output::print(&input.describe())?;
            }
            if let (Some(k), Some(table)) = (args.table.folds, &input.table) {
                validated = folds::run(args, k, (&input.name, table), None, Some(chooser), &interrupted)?;
                if validated.is_none() {
                    return Ok(ExitCode::from(INTERRUPTED));
                }
            }
            let Some(choice) = chooser.choose(&data.train)? else {
                eprintln!("interrupted while the size of the network was chosen; there is no model yet");
                return Ok(ExitCode::from(INTERRUPTED));
            };
            if !args.json {
                output::print(&choosing::report(&choice, data.train.classification))?;
            }
            (Some(Size::from(&choice)), Some(choice))
        }
    };
    let settings = settings(args, input.builtin(), &data.train, seed, size)?;
    let file = match &args.output {
        Some(path) => Some(path.clone()),
        None if args.json => None,
        None => Some(default_name(&input.source.stem(), &settings)),
    };
    if let Some(path) = &file {
        // Now, not after the run.
        onefold::check_writable(path).map_err(|e| Failure::bad_input(format!("--output {e}")))?;
    }
    let keeping = Keeping::prepare(args, &input.name, data, &settings, resumed.as_ref(), file.as_deref())?;
    let training = Training::new(&input.name, data, &settings)?;
    if !args.json {
        let described = if choice.is_some() { String::new() } else { input.describe() };
        output::print(&(described + &introduction(&settings, data.train.rows())))?;
    }
    if let (Some(k), Some(table), None) = (args.table.folds, &input.table, &validated) {
        let again = chooser.as_ref();
        validated = folds::run(args, k, (&input.name, table), Some(&settings), again, &interrupted)?;
        if validated.is_none() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
    }
    let mut fitted = search(training, &settings.stop, &keeping, &interrupted)?;
    fitted.model.metrics.cross_validation = validated;
    let saved = file.as_deref().map(|path| fitted.model.save(path));
    let file = file.as_deref().filter(|_| matches!(saved, Some(Ok(()))));
    output::print(&if args.json {
        as_json(&input.name, &settings, &fitted, choice.as_ref(), file)
    } else {
        conclusion(&fitted, file)
    })?;
    saved.transpose()?;
    keeping.end(&fitted);
    Ok(match fitted.report.stop {
        StopReason::Observer => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

/// A seed that a person can type again.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(std::process::id()) % 1_000_000
}

/// A name that no file has yet: nothing is overwritten unasked.
fn default_name(data: &str, s: &FitSettings) -> PathBuf {
    let stem = format!("{data}-{}-{}-{}", s.topology, s.method.method(), s.method.common.seed);
    let numbered = (2..).map(|n| format!("{stem}-{n}.json"));
    let mut names = std::iter::once(format!("{stem}.json")).chain(numbered).map(PathBuf::from);
    names.find(|name| !name.exists()).unwrap_or_default()
}

/// Runs with a progress bar; Ctrl-C ends the run with the best so far, a second one ends the program.
fn search(
    training: Training<'_>,
    stop: &Stop,
    keeping: &Keeping<'_>,
    interrupted: &AtomicBool,
) -> Result<Fitted, Failure> {
    let mut bar = Bar::new(stop.threshold, stop.max_evaluations);
    let started = Instant::now();
    let (mut kept, mut failed) = (Duration::ZERO, None);
    let training = match keeping.state.as_deref() {
        Some(state) => training.resume(state),
        None => training,
    };
    let training = training.observe(|progress| {
        bar.update(progress);
        let is_interrupted = interrupted.load(Ordering::Relaxed);
        let is_last = stop.max_seconds.is_some_and(|max| started.elapsed().as_secs_f64() >= max);
        if started.elapsed() >= kept.saturating_add(keeping.every) || is_interrupted || is_last {
            kept = started.elapsed();
            failed = failed.take().or(keeping.save(progress).err());
        }
        if is_interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let fitted = training.run();
    bar.finish();
    if let Some(failure) = failed {
        // The run goes on without it: its result is worth more.
        eprintln!("warning: the checkpoint could not be written: {failure}");
    }
    fitted.map_err(|e| match e {
        Error::State(_) => not_resumed(keeping.from, &e),
        other => other.into(),
    })
}
