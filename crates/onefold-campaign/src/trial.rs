//! One trial: its data, its search, and the record that it leaves.

use crate::store::{Outcome, Trace};
use crate::{Cell, Error, Record};
use onefold::{Cancellation, Checkpoint, FitSettings, Progress, StopReason, TrainTest, Training};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Points of a trace per decade of evaluations.
const TRACE_PER_DECADE: f64 = 8.0;

/// A trial, ready to be run.
pub(crate) struct Trial<'a> {
    pub(crate) cell: &'a Cell,
    pub(crate) seed: u64,
    data: Arc<TrainTest>,
    settings: FitSettings,
}

/// The state of an unfinished trial, as it is saved and sent.
#[derive(Serialize, Deserialize)]
pub(crate) struct Snapshot {
    trace: Trace,
    checkpoint: Checkpoint,
}

/// Sees every generation of a trial, and may end it.
pub(crate) type Watch<'a> = dyn FnMut(&Trace, &Progress<'_>) -> ControlFlow<()> + 'a;

impl<'a> Trial<'a> {
    pub(crate) fn new(cell: &'a Cell, seed: u64, threads: usize) -> Result<Self, Error> {
        let data = cell.load(seed)?;
        let mut settings = cell.settings.clone();
        settings.method.common.seed = seed;
        settings.cost.threads = threads;
        Ok(Self { cell, seed, data, settings })
    }

    /// Its state after a generation.
    pub(crate) fn snapshot(&self, trace: &Trace, progress: &Progress<'_>) -> Snapshot {
        let checkpoint = Checkpoint::new(self.cell.source.name(), &self.data, &self.settings, progress);
        Snapshot { trace: trace.clone(), checkpoint }
    }

    /// Runs it from its beginning, or from a state of it; a state of another trial, or a damaged one, is
    /// ignored, with the same result. None if `watch` or the cancellation ended it.
    pub(crate) fn run(
        &self,
        saved: Option<Snapshot>,
        cancellation: &Cancellation,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Record>, Error> {
        let (mut trace, saved) = match saved.and_then(|saved| self.state(saved)) {
            Some((trace, state)) => (trace, Some(state)),
            None => (Vec::new(), None),
        };
        let mut fit = |saved: Option<&[u8]>, trace: &mut Trace| {
            let mut training = Training::new(self.cell.source.name(), &self.data, &self.settings)?;
            if let Some(saved) = saved {
                training = training.resume(saved);
            }
            let training = training.observe(|progress| {
                extend_trace(trace, progress);
                watch(trace, progress)
            });
            training.cancel_by(&cancellation.for_part()).run()
        };
        let mut result = fit(saved.as_deref(), &mut trace);
        if saved.is_some() && matches!(result, Err(onefold::Error::State(_))) {
            // The state cannot be resumed: start again.
            trace.clear();
            result = fit(None, &mut trace);
        }
        let fitted = result?;
        if fitted.report.stop == StopReason::Observer {
            return Ok(None);
        }
        trace.push((fitted.report.evaluation_equivalents as u64, fitted.report.cost));
        trace.dedup_by_key(|point| point.0);
        Ok(Some(Record::new(Outcome { cell: self.cell, seed: self.seed, fitted: &fitted, trace })))
    }

    /// The trace and the state of the search, if they belong to this trial.
    fn state(&self, saved: Snapshot) -> Option<(Trace, Vec<u8>)> {
        let Snapshot { trace, checkpoint } = saved;
        checkpoint.check(self.cell.source.name(), &self.data, &self.settings).ok()?;
        Some((trace, checkpoint.state().ok()?))
    }
}

impl Snapshot {
    pub(crate) fn to_text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    pub(crate) fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// Adds the best cost to the trace whenever the evaluations pass the next point of a logarithmic scale.
fn extend_trace(trace: &mut Trace, progress: &Progress<'_>) {
    let effort = progress.evaluation_equivalents as u64;
    let bin = |evaluations: u64| ((evaluations as f64).log10() * TRACE_PER_DECADE).floor();
    if trace.last().is_none_or(|last| bin(effort) > bin(last.0)) && progress.best.cost.is_finite() {
        trace.push((effort, progress.best.cost));
    }
}
