//! Runs the trials of a campaign that its store does not have yet.

use super::checkpoint::Keeper;
use super::store::Outcome;
use super::{Campaign, Cell, Record, Store};
use crate::failure::Failure;
use crate::output::grouped;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use onefold::{Progress, StopReason, Training};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A trial that is interrupted leaves a checkpoint if it has run this long.
const WORTH_KEEPING: Duration = Duration::from_secs(5);
/// Bars are redrawn at most this often.
const REDRAW: Duration = Duration::from_millis(100);
/// Points of a trace in each decade of evaluations.
const TRACE_PER_DECADE: f64 = 8.0;
/// Evaluations per second that are expected before anything is measured.
const LIKELY_RATE: f64 = 5e5;

/// What is to be run, and how.
pub(crate) struct Plan<'a> {
    pub(crate) campaign: &'a Campaign,
    pub(crate) store: &'a Store,
    pub(crate) threads: usize,
    /// This share of the trials, counted from 1, of so many.
    pub(crate) shard: (usize, usize),
    pub(crate) interrupted: &'a AtomicBool,
    /// A trial leaves a checkpoint this often.
    pub(crate) checkpoint_every: Duration,
}

/// A trial to be run.
struct Job<'a> {
    cell: &'a Cell,
    seed: u64,
    /// Seconds that it will take, as far as one can tell.
    likely: f64,
}

impl Plan<'_> {
    /// How many trials of this shard are missing; refuses a store that was made with other settings.
    pub(crate) fn missing(&self) -> Result<usize, Failure> {
        self.store.refresh()?;
        Ok(self.jobs()?.len())
    }

    /// Runs until everything is done or Ctrl-C is pressed. Trials that another process is at are left to it.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let jobs = self.jobs()?;
        if jobs.is_empty() {
            return Ok(());
        }
        let bars = Bars::new(jobs.iter().map(|job| job.likely).sum(), self.threads.min(jobs.len()));
        let queue = Mutex::new(jobs.into_iter());
        let failure = Mutex::new(None);
        std::thread::scope(|scope| {
            for worker in 0..self.threads {
                let (bars, queue, failure) = (&bars, &queue, &failure);
                scope.spawn(move || {
                    loop {
                        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                        let (Some(job), false) = (job, self.interrupted.load(Ordering::Relaxed)) else {
                            break;
                        };
                        if let Err(e) = self.trial(&job, worker, bars) {
                            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                            break;
                        }
                        bars.done(&job);
                    }
                    bars.idle(worker);
                });
            }
        });
        bars.finish();
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// The trials of this shard that are missing, longest first.
    fn jobs(&self) -> Result<Vec<Job<'_>>, Failure> {
        let mut jobs = Vec::new();
        let all =
            self.campaign.cells.iter().flat_map(|cell| (0..cell.runs as u64).map(move |seed| (cell, seed)));
        let (share, of) = self.shard;
        for (cell, seed) in all.enumerate().filter(|(i, _)| i % of == share - 1).map(|(_, job)| job) {
            if !self.store.has(cell, seed)? {
                let likely = self.store.mean_seconds(&cell.name);
                let likely = likely.unwrap_or(cell.expected_evaluations() / LIKELY_RATE);
                jobs.push(Job { cell, seed, likely });
            }
        }
        jobs.sort_by(|a, b| b.likely.total_cmp(&a.likely));
        Ok(jobs)
    }

    fn trial(&self, job: &Job<'_>, worker: usize, bars: &Bars) -> Result<(), Failure> {
        let Job { cell, seed, .. } = job;
        let Some(_claim) = self.store.claim(cell, *seed)? else { return Ok(()) };
        let data = cell.load(*seed)?;
        let mut settings = cell.settings.clone();
        settings.method.common.seed = *seed;
        settings.cost.threads = 1;
        let keeper = Keeper::new(self.store, cell, *seed, &data, &settings);
        let (mut trace, saved) = match keeper.load() {
            Some((trace, state)) => (trace, Some(state)),
            None => (Vec::new(), None),
        };
        let started = Instant::now();
        let mut kept = Duration::ZERO;
        let mut drawn = Duration::ZERO;
        let mut fitted = |saved: Option<&[u8]>, trace: &mut Vec<(u64, f64)>| {
            let mut training = Training::new(cell.source.name(), &data, &settings)?;
            if let Some(saved) = saved {
                training = training.resume(saved);
            }
            let training = training.observe(|progress| {
                follow(trace, progress);
                let elapsed = started.elapsed();
                if elapsed > drawn + REDRAW {
                    drawn = elapsed;
                    bars.show(worker, cell, *seed, progress);
                }
                let is_interrupted = self.interrupted.load(Ordering::Relaxed);
                if elapsed > kept + self.checkpoint_every || (is_interrupted && elapsed > WORTH_KEEPING) {
                    kept = elapsed;
                    keeper.save(trace, progress);
                }
                if is_interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            training.run()
        };
        let mut result = fitted(saved.as_deref(), &mut trace);
        if saved.is_some() && matches!(result, Err(onefold::Error::State(_))) {
            // A checkpoint that cannot be continued is as good as none.
            trace.clear();
            result = fitted(None, &mut trace);
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

/// Notes the best cost whenever the evaluations pass the next mark of a logarithmic scale.
fn follow(trace: &mut Vec<(u64, f64)>, progress: &Progress<'_>) {
    let effort = progress.evaluation_equivalents as u64;
    let mark = |evaluations: u64| ((evaluations as f64).log10() * TRACE_PER_DECADE).floor();
    if trace.last().is_none_or(|last| mark(effort) > mark(last.0)) && progress.best.cost.is_finite() {
        trace.push((effort, progress.best.cost));
    }
}

/// One bar for each worker and one for the whole, on a terminal only.
struct Bars {
    all: MultiProgress,
    workers: Vec<ProgressBar>,
    whole: ProgressBar,
    state: Mutex<State>,
    started: Instant,
    threads: usize,
}

/// What the time to go is made of.
struct State {
    /// Likely seconds of work done, and of all.
    done: f64,
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
        let whole = bar("{bar:20.green/dim} {msg}", 1000);
        let state = Mutex::new(State { done: 0.0, total, trials: 0 });
        Self { all, workers, whole, state, started: Instant::now(), threads }
    }

    fn show(&self, worker: usize, cell: &Cell, seed: u64, progress: &Progress<'_>) {
        let Some(bar) = self.workers.get(worker) else { return };
        let target = cell.settings.stop.threshold.unwrap_or(0.0).max(1e-300);
        let share = progress.evaluation_equivalents / cell.expected_evaluations().max(1.0);
        bar.set_position((1000.0 * share.min(1.0)) as u64);
        bar.set_message(format!(
            "{} seed {seed}  {} evaluations  error {:.2e} of {target:.0e}",
            cell.name,
            grouped(progress.evaluations),
            progress.best.cost
        ));
        self.show_whole();
    }

    /// The time to go: likely seconds that are left, corrected by how the past ones came out.
    fn show_whole(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = self.started.elapsed().as_secs_f64();
        let left = (state.total - state.done).max(0.0);
        let pace = if state.done > 0.0 { elapsed / state.done } else { 1.0 / self.threads as f64 };
        self.whole.set_position((1000.0 * state.done / state.total.max(1e-9)) as u64);
        self.whole.set_message(format!(
            "{} trials done, about {} to go",
            state.trials,
            humantime::format_duration(Duration::from_secs((left * pace).ceil() as u64))
        ));
    }

    fn done(&self, job: &Job<'_>) {
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.done += job.likely;
            state.trials += 1;
        }
        self.show_whole();
    }

    fn idle(&self, worker: usize) {
        if let Some(bar) = self.workers.get(worker) {
            bar.finish_and_clear();
        }
    }

    fn finish(&self) {
        self.whole.finish_and_clear();
        let _ = self.all.clear();
    }
}
