//! Training with a progress bar and checkpoints; Ctrl-C ends it with the best network so far.

use super::checkpoints::{Checkpoints, not_resumed};
use super::plan::Plan;
use super::time::Step;
use crate::failure::Failure;
use crate::progress::Bar;
use onefold::model_selection::Start;
use onefold::{Error, FitSettings, Fitted, StopReason, TrainTest, Training};
use std::ops::ControlFlow;

/// Checks everything and takes the memory that is needed. Begins with `start`, if it is given.
pub(super) fn prepare<'a>(
    plan: &'a Plan<'_>,
    data: &'a TrainTest,
    settings: &'a FitSettings,
    checkpoints: &'a Checkpoints<'_>,
    start: Option<&Start>,
) -> Result<Training<'a>, Failure> {
    let training = Training::new(&plan.input.name, data, settings)?.continue_after_threshold().with_scores();
    Ok(match (checkpoints.state(), start) {
        (Some(state), _) => training.resume(state),
        (None, Some(start)) => start.begin(training),
        (None, None) => training,
    })
}

pub(super) fn run<'a>(
    plan: &'a Plan<'_>,
    training: Training<'a>,
    settings: &'a FitSettings,
    checkpoints: &'a Checkpoints<'_>,
    step: &'a Step,
) -> Result<Fitted, Failure> {
    let stop = &settings.stop;
    let mut bar = Bar::new(stop.threshold, stop.max_evaluations);
    let mut keeper = checkpoints.keeper(&bar);
    let training = training.cancel_by(&step.cancellation).observe(|progress| {
        bar.update(progress);
        keeper.observe(progress, step.cancellation.is_cancelled() || stop.is_over(progress.run_elapsed));
        ControlFlow::Continue(())
    });
    let fitted = training.run();
    let is_complete = |fitted: &Fitted| fitted.report.stop == StopReason::NothingToSearch;
    if !fitted.as_ref().is_ok_and(is_complete) {
        keeper.end();
    }
    bar.finish();
    fitted.map_err(|e| match e {
        Error::State(_) => not_resumed(plan.args.resume.as_deref(), &e),
        other => other.into(),
    })
}
