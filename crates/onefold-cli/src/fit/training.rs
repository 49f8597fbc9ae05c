//! Training with a progress bar and checkpoints; Ctrl-C ends it with the best network so far.

use super::checkpoints::{Checkpoints, not_resumed};
use super::plan::Plan;
use crate::failure::Failure;
use crate::progress::Bar;
use onefold::{Error, FitSettings, Fitted, TrainTest, Training};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Checks everything and takes the memory that is needed.
pub(super) fn prepare<'a>(
    plan: &'a Plan<'_>,
    data: &'a TrainTest,
    settings: &'a FitSettings,
    checkpoints: &'a Checkpoints<'_>,
) -> Result<Training<'a>, Failure> {
    let training = Training::new(&plan.input.name, data, settings)?;
    Ok(match checkpoints.state() {
        Some(state) => training.resume(state),
        None => training,
    })
}

pub(super) fn run<'a>(
    plan: &'a Plan<'_>,
    training: Training<'a>,
    settings: &'a FitSettings,
    checkpoints: &'a Checkpoints<'_>,
) -> Result<Fitted, Failure> {
    let stop = &settings.stop;
    let mut bar = Bar::new(stop.threshold, stop.max_evaluations);
    let started = Instant::now();
    let (mut saved_at, mut failed) = (Duration::ZERO, None);
    let training = training.observe(|progress| {
        bar.update(progress);
        let is_interrupted = plan.is_interrupted();
        let is_last = stop.is_over(progress.run_elapsed);
        if started.elapsed() >= saved_at.saturating_add(checkpoints.every) || is_interrupted || is_last {
            saved_at = started.elapsed();
            failed = failed.take().or(checkpoints.save(progress).err());
        }
        if is_interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let fitted = training.run();
    bar.finish();
    if let Some(failure) = failed {
        // A failed checkpoint does not end the run: its result matters more.
        eprintln!("warning: the checkpoint could not be written: {failure}");
    }
    fitted.map_err(|e| match e {
        Error::State(_) => not_resumed(plan.args.resume.as_deref(), &e),
        other => other.into(),
    })
}
