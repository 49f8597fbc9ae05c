//! Runs the trials of a campaign that are not in its store yet.

use super::checkpoint::{self, Keeper};
use super::trial::{Snapshot, Trial};
use super::{Campaign, Cell, Store};
use crate::Error;
use onefold::{Cancellation, Progress};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The stack of a thread, whatever the environment says.
const STACK: usize = 2 << 20;

/// An interrupted trial writes a checkpoint if it has run at least this long.
const MIN_CHECKPOINT_AGE: Duration = Duration::from_secs(5);
/// Minimum time between two reports of a trial's progress.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// Assumed evaluations per second of a cell without finished trials.
const ASSUMED_RATE: f64 = 5e5;

/// The trials to run, and how to run them.
pub struct Plan<'a> {
    /// The campaign.
    pub campaign: &'a Campaign,
    /// Its store.
    pub store: &'a Store,
    /// Trials at a time.
    pub threads: usize,
    /// The part of the trials to run, from 1, and the number of parts.
    pub shard: (usize, usize),
    /// Ctrl-C.
    pub cancellation: &'a Cancellation,
    /// Time between checkpoints of a trial.
    pub checkpoint_every: Duration,
}

/// A trial to be run.
pub struct Job<'a> {
    /// Its cell.
    pub cell: &'a Cell,
    /// Its seed.
    pub seed: u64,
    /// Estimated seconds of work.
    pub estimate: f64,
}

/// What an observer is told while trials are run.
pub enum Event<'a> {
    /// A trial is being run.
    Progress {
        /// The thread, from 0.
        worker: usize,
        /// The trial.
        job: &'a Job<'a>,
        /// How far it is.
        progress: &'a Progress<'a>,
    },
    /// A trial is done, or another process has claimed it.
    Finished {
        /// The trial.
        job: &'a Job<'a>,
    },
    /// A thread has ended.
    Idle {
        /// The thread, from 0.
        worker: usize,
    },
}

impl Plan<'_> {
    /// Number of missing trials of this shard. Records made with other settings are an error.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or has records made with other settings.
    pub fn missing(&self) -> Result<usize, Error> {
        self.store.refresh()?;
        Ok(self.jobs()?.len())
    }

    /// Runs until all trials are done or Ctrl-C is pressed. Trials claimed by another process are skipped.
    ///
    /// # Errors
    ///
    /// The first error of a trial.
    pub fn run(&self, jobs: Vec<Job<'_>>, observer: &(dyn Fn(Event<'_>) + Sync)) -> Result<(), Error> {
        let threads = self.threads.min(jobs.len());
        let queue = Mutex::new(jobs.into_iter());
        let failure = Mutex::new(None);
        let work = |worker: usize| {
            loop {
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let (Some(job), false) = (job, self.cancellation.is_requested()) else { break };
                if let Err(e) = self.trial(&job, worker, observer) {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                    break;
                }
                observer(Event::Finished { job: &job });
            }
            observer(Event::Idle { worker });
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
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// The missing trials of this shard, longest first.
    ///
    /// # Errors
    ///
    /// If the store has records made with other settings.
    pub fn jobs(&self) -> Result<Vec<Job<'_>>, Error> {
        let (shard, shards) = self.shard;
        jobs(self.campaign, self.store, |number| number % shards == shard - 1)
    }

    fn trial(
        &self,
        job: &Job<'_>,
        worker: usize,
        observer: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<(), Error> {
        let Job { cell, seed, .. } = *job;
        let Some(_claim) = self.store.claim(cell, seed)? else { return Ok(()) };
        let trial = Trial::new(cell, seed, 1)?;
        let saved = checkpoint::load(self.store, cell, seed).and_then(|text| Snapshot::from_text(&text));
        let mut keeper = Keeper::new(self.store, &trial, self.checkpoint_every);
        let started = Instant::now();
        let mut reported_at = Duration::ZERO;
        let result = trial.run(saved, self.cancellation, &mut |trace, progress| {
            let elapsed = started.elapsed();
            if elapsed > reported_at + REPORT_EVERY {
                reported_at = elapsed;
                observer(Event::Progress { worker, job, progress });
            }
            let is_last = self.cancellation.is_requested() && elapsed > MIN_CHECKPOINT_AGE;
            keeper.observe(trace, progress, is_last);
            ControlFlow::Continue(())
        });
        if started.elapsed() > MIN_CHECKPOINT_AGE {
            keeper.end();
        }
        if let Some(record) = result? {
            self.store.append(&record)?;
            checkpoint::remove(self.store, cell, seed);
        }
        Ok(())
    }
}

/// The missing trials of a campaign, longest first. `is_ours` says of each trial, by its number in the
/// campaign, whether it is to be run here.
pub(crate) fn jobs<'a>(
    campaign: &'a Campaign,
    store: &Store,
    is_ours: impl Fn(usize) -> bool,
) -> Result<Vec<Job<'a>>, Error> {
    let seconds = store.mean_seconds();
    let mut jobs = Vec::new();
    let all = campaign.cells.iter().flat_map(|cell| (0..cell.runs as u64).map(move |seed| (cell, seed)));
    for (_, (cell, seed)) in all.enumerate().filter(|(number, _)| is_ours(*number)) {
        if !store.has(cell, seed)? {
            let measured = seconds.get(&cell.name).copied();
            let estimate = measured.unwrap_or(cell.expected_evaluations() / ASSUMED_RATE);
            jobs.push(Job { cell, seed, estimate });
        }
    }
    jobs.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
    Ok(jobs)
}
