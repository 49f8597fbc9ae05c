//! Runs the trials of a campaign that are not in its store yet.

use super::checkpoint::Keeper;
use super::store::Outcome;
use super::{Campaign, Cell, Record, Store};
use crate::failure::Failure;
use crate::output::grouped;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use onefold::error::shown;
use onefold::{Cancellation, Progress, StopReason, Training};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The stack of a thread, whatever the environment says.
const STACK: usize = 2 << 20;

/// An interrupted trial writes a checkpoint if it has run at least this long.
const MIN_CHECKPOINT_AGE: Duration = Duration::from_secs(5);
/// Minimum time between redraws of a progress bar.
const REDRAW: Duration = Duration::from_millis(100);
/// Points of a trace per decade of evaluations.
const TRACE_PER_DECADE: f64 = 8.0;
/// Assumed evaluations per second of a cell without finished trials.
const ASSUMED_RATE: f64 = 5e5;

/// The trials to run, and how to run them.
pub(crate) struct Plan<'a> {
    pub(crate) campaign: &'a Campaign,
    pub(crate) store: &'a Store,
    pub(crate) threads: usize,
    /// The part of the trials to run, from 1, and the number of parts.
    pub(crate) shard: (usize, usize),
    /// Ctrl-C.
    pub(crate) cancellation: &'a Cancellation,
    /// Time between checkpoints of a trial.
    pub(crate) checkpoint_every: Duration,
}

/// A trial to be run.
struct Job<'a> {
    cell: &'a Cell,
    seed: u64,
    /// Estimated seconds of work.
    estimate: f64,
}

impl Plan<'_> {
    /// Number of missing trials of this shard. Records made with other settings are an error.
    pub(crate) fn missing(&self) -> Result<usize, Failure> {
        self.store.refresh()?;
        Ok(self.jobs()?.len())
    }

    /// Runs until all trials are done or Ctrl-C is pressed. Trials claimed by another process are skipped.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let jobs = self.jobs()?;
        if jobs.is_empty() {
            return Ok(());
        }
        let threads = self.threads.min(jobs.len());
        let bars = Bars::new(jobs.iter().map(|job| job.estimate).sum(), threads);
        let queue = Mutex::new(jobs.into_iter());
        let failure = Mutex::new(None);
        let work = |worker: usize| {
            loop {
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let (Some(job), false) = (job, self.cancellation.is_requested()) else { break };
                if let Err(e) = self.trial(&job, worker, &bars) {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                    break;
                }
                bars.done(&job);
            }
            bars.idle(worker);
        };
        std::thread::scope(|scope| {
            for worker in 1..threads {
                // Where the system does not allow so many threads, there are fewer.
                if std::thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || work(worker))
                    .is_err()
                {
                    break;
                }
            }
            work(0);
        });
        bars.finish();
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// The missing trials of this shard, longest first.
    fn jobs(&self) -> Result<Vec<Job<'_>>, Failure> {
        let mut jobs = Vec::new();
        let all =
            self.campaign.cells.iter().flat_map(|cell| (0..cell.runs as u64).map(move |seed| (cell, seed)));
        let (shard, shards) = self.shard;
        for (cell, seed) in all.enumerate().filter(|(i, _)| i % shards == shard - 1).map(|(_, job)| job) {
            if !self.store.has(cell, seed)? {
                let measured = self.store.mean_seconds(&cell.name);
                let estimate = measured.unwrap_or(cell.expected_evaluations() / ASSUMED_RATE);
                jobs.push(Job { cell, seed, estimate });
            }
        }
        jobs.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        Ok(jobs)
    }

    fn trial(&self, job: &Job<'_>, worker: usize, bars: &Bars) -> Result<(), Failure> {
        let Job { cell, seed, .. } = job;
        let Some(_claim) = self.store.claim(cell, *seed)? else { return Ok(()) };
        let data = cell.load(*seed)?;
        let mut settings = cell.settings.clone();
        settings.method.common.seed = *seed;
        settings.cost.threads = 1;
        let mut keeper = Keeper::new(self.store, cell, *seed, &data, &settings);
        keeper.every = self.checkpoint_every;
        let (mut trace, saved) = match keeper.load() {
            Some((trace, state)) => (trace, Some(state)),
            None => (Vec::new(), None),
        };
        let started = Instant::now();
        let mut drawn_at = Duration::ZERO;
        let mut fitted = |saved: Option<&[u8]>, trace: &mut Vec<(u64, f64)>| {
            let mut training = Training::new(cell.source.name(), &data, &settings)?;
            if let Some(saved) = saved {
                training = training.resume(saved);
            }
            let training = training.observe(|progress| {
                extend_trace(trace, progress);
                let elapsed = started.elapsed();
                if elapsed > drawn_at + REDRAW {
                    drawn_at = elapsed;
                    bars.show(worker, cell, *seed, progress);
                }
                let is_last = self.cancellation.is_requested() && elapsed > MIN_CHECKPOINT_AGE;
                keeper.observe(trace, progress, is_last);
                ControlFlow::Continue(())
            });
            training.cancel_by(&self.cancellation.for_part()).run()
        };
        let mut result = fitted(saved.as_deref(), &mut trace);
        if saved.is_some() && matches!(result, Err(onefold::Error::State(_))) {
            // The checkpoint cannot be resumed: start again.
            trace.clear();
            result = fitted(None, &mut trace);
        }
        if started.elapsed() > MIN_CHECKPOINT_AGE {
            keeper.end();
        }
        let fitted = result?;
        if fitted.report.stop == StopReason::Observer {
            return Ok(());
        }
        trace.push((fitted.report.evaluation_equivalents as u64, fitted.report.cost));
        trace.dedup_by_key(|point| point.0);
        self.store.append(&Record::new(Outcome { cell, seed: *seed, fitted: &fitted, trace }))?;
        keeper.remove();
        Ok(())
    }
}

/// Adds the best cost to the trace whenever the evaluations pass the next point of a logarithmic scale.
fn extend_trace(trace: &mut Vec<(u64, f64)>, progress: &Progress<'_>) {
    let effort = progress.evaluation_equivalents as u64;
    let bin = |evaluations: u64| ((evaluations as f64).log10() * TRACE_PER_DECADE).floor();
    if trace.last().is_none_or(|last| bin(effort) > bin(last.0)) && progress.best.cost.is_finite() {
        trace.push((effort, progress.best.cost));
    }
}

/// A progress bar for each worker and one for the campaign, on a terminal only.
struct Bars {
    all: MultiProgress,
    workers: Vec<ProgressBar>,
    overall: ProgressBar,
    state: Mutex<State>,
    started: Instant,
    threads: usize,
}

/// The numbers from which the remaining time is estimated.
struct State {
    /// Estimated seconds of the finished trials.
    done: f64,
    /// Estimated seconds of all trials.
    total: f64,
    trials: usize,
}

impl Bars {
    fn new(total: f64, threads: usize) -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let bar = |template: &str, length: u64| {
            let bar = all.add(ProgressBar::new(length));
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("━╸─"));
            }
            bar
        };
        let workers = (0..threads).map(|_| bar("{bar:20.cyan/dim} {msg}", 1000)).collect();
        let overall = bar("{bar:20.green/dim} {msg}", 1000);
        let state = Mutex::new(State { done: 0.0, total, trials: 0 });
        Self { all, workers, overall, state, started: Instant::now(), threads }
    }

    fn show(&self, worker: usize, cell: &Cell, seed: u64, progress: &Progress<'_>) {
        let Some(bar) = self.workers.get(worker) else { return };
        let threshold = cell.settings.stop.threshold.unwrap_or(0.0).max(1e-300);
        let fraction = progress.evaluation_equivalents / cell.expected_evaluations().max(1.0);
        bar.set_position((1000.0 * fraction.min(1.0)) as u64);
        bar.set_message(format!(
            "{} seed {seed}  {} evaluations  error {:.2e}, target {threshold:.0e}",
            shown(&cell.name),
            grouped(progress.evaluations),
            progress.best.cost
        ));
        self.show_overall();
    }

    /// Estimates the remaining time: the estimated seconds of the remaining trials, multiplied by the
    /// measured ratio of elapsed to estimated seconds.
    fn show_overall(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = self.started.elapsed().as_secs_f64();
        let remaining = (state.total - state.done).max(0.0);
        let ratio = if state.done > 0.0 { elapsed / state.done } else { 1.0 / self.threads as f64 };
        self.overall.set_position((1000.0 * state.done / state.total.max(1e-9)) as u64);
        self.overall.set_message(format!(
            "{} trials done, about {} remaining",
            state.trials,
            humantime::format_duration(Duration::from_secs((remaining * ratio).ceil() as u64))
        ));
    }

    fn done(&self, job: &Job<'_>) {
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.done += job.estimate;
            state.trials += 1;
        }
        self.show_overall();
    }

    fn idle(&self, worker: usize) {
        if let Some(bar) = self.workers.get(worker) {
            bar.finish_and_clear();
        }
    }

    fn finish(&self) {
        self.overall.finish_and_clear();
        let _ = self.all.clear();
    }
}
