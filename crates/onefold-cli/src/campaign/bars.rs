//! The progress of a campaign on a terminal.

use crate::failure::Failure;
use crate::output::grouped;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use onefold::Progress;
use onefold::error::shown;
use onefold_campaign::runner::{Event, Job, Plan};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Runs the missing trials of a campaign, and shows progress bars.
pub(crate) fn run(plan: &Plan<'_>) -> Result<(), Failure> {
    let jobs = plan.jobs()?;
    if jobs.is_empty() {
        return Ok(());
    }
    let bars = Bars::new(jobs.iter().map(|job| job.estimate).sum(), plan.threads.min(jobs.len()));
    let done = plan.run(jobs, &|event| match event {
        Event::Progress { worker, job, progress } => bars.show(worker, job, progress),
        Event::Finished { job } => bars.done(job),
        Event::Idle { worker } => bars.idle(worker),
    });
    bars.finish();
    Ok(done?)
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

    fn show(&self, worker: usize, job: &Job<'_>, progress: &Progress<'_>) {
        let Job { cell, seed, .. } = job;
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
