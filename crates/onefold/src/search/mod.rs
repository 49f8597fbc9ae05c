//! The search loop, which connects an objective and an optimiser.

mod confirmation;
mod first;
mod progress;
mod stop;

pub use progress::{Progress, Report};
pub use stop::{Standing, Stop, StopReason};

use crate::cancellation::{Cancellation, is_cut_off};
use crate::optimizer::Best;
use crate::saved::decode;
use crate::{Error, Evaluations, Objective, Optimizer};
use first::FirstGeneration;
use progress::{Counters, NAME};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use stop::is_reached;

/// Minimises `objective` with `optimizer` until a criterion of `stop` is met. [`Search`] can be observed and
/// resumed.
///
/// A threshold counts as reached only if [`Objective::confirm`] confirms it; otherwise the search continues.
///
/// ```
/// use onefold::{CommonSettings, DeSettings, DifferentialEvolution, Function, Stop, search};
///
/// let mut sphere = Function::new(5, |x: &[f64]| x.iter().map(|v| v * v).sum());
/// let common = CommonSettings::with_population(30);
/// let mut de = DifferentialEvolution::new(5, common, DeSettings::default(), None)?;
/// let stop = Stop { threshold: Some(1e-9), max_evaluations: Some(100_000), ..Default::default() };
/// let report = search(&mut sphere, &mut de, &stop)?;
/// assert!(report.reached);
/// # Ok::<(), onefold::Error>(())
/// ```
///
/// # Errors
/// If a stopping criterion is out of range, or the evaluation budget does not allow a single generation.
pub fn search(
    objective: &mut dyn Objective,
    optimizer: &mut dyn Optimizer,
    stop: &Stop,
) -> Result<Report, Error> {
    Search::new(objective, optimizer, stop)?.run()
}

/// A search that can be observed and resumed.
///
/// ```
/// use onefold::{CommonSettings, DeSettings, DifferentialEvolution, Function, Search, Stop};
/// use std::ops::ControlFlow;
///
/// let mut sphere = Function::new(5, |x: &[f64]| x.iter().map(|v| v * v).sum());
/// let mut de = DifferentialEvolution::new(5, CommonSettings::default(), DeSettings::default(), None)?;
/// let report = Search::new(&mut sphere, &mut de, &Stop::default())?
///     .observe(|progress| {
///         if progress.generation == 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
///     })
///     .run()?;
/// assert_eq!(report.generations, 20);
/// # Ok::<(), onefold::Error>(())
/// ```
pub struct Search<'a> {
    objective: &'a mut dyn Objective,
    optimizer: &'a mut dyn Optimizer,
    stop: Stop,
    observer: Option<Observer<'a>>,
    /// Factor from the costs of the search to those of observers and reports.
    unit: f64,
    counters: Counters,
    /// Elapsed seconds before the last resume.
    seconds_before: f64,
    started: Instant,
    /// Elapsed time of this run after the last generation.
    run_elapsed: Duration,
    /// Time for confirmations in advance.
    confirming: Duration,
    /// Evaluations that take as long as the slopes of a candidate.
    cost_of_slopes: f64,
    evaluations: Evaluations,
    /// The confirmed cost of the best candidate, if it was computed.
    verified: Option<f64>,
    interrupted: bool,
    cancellation: Cancellation,
    first: Option<FirstGeneration>,
}

/// Whatever the time limit, the first generation after a start or a resume may take this long: so there is a
/// result, and a run that is resumed again and again gets on.
const FIRST_GENERATION: Duration = Duration::from_millis(250);

type Observer<'a> = Box<dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'a>;

impl<'a> Search<'a> {
    /// A search that is ready to [run](Self::run).
    ///
    /// # Errors
    /// If a stopping criterion is out of range.
    pub fn new(
        objective: &'a mut dyn Objective,
        optimizer: &'a mut dyn Optimizer,
        stop: &Stop,
    ) -> Result<Self, Error> {
        stop.validate()?;
        Ok(Self {
            objective,
            optimizer,
            stop: stop.clone(),
            observer: None,
            unit: 1.0,
            counters: Counters::default(),
            seconds_before: 0.0,
            started: Instant::now(),
            run_elapsed: Duration::ZERO,
            confirming: Duration::ZERO,
            cost_of_slopes: 0.0,
            evaluations: Evaluations::default(),
            verified: None,
            interrupted: false,
            cancellation: Cancellation::default(),
            first: None,
        })
    }

    /// Ends the search when `cancellation` asks for it, also in the middle of a generation. That generation
    /// is discarded, except if it is the first: then the best of the candidates evaluated is the result, and
    /// at least one is evaluated.
    #[must_use]
    pub fn cancel_by(mut self, cancellation: &Cancellation) -> Self {
        self.cancellation = cancellation.clone();
        self
    }

    /// Calls `observer` after each generation; it may end the search.
    #[must_use]
    pub fn observe(mut self, observer: impl FnMut(&Progress<'_>) -> ControlFlow<()> + 'a) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Resumes from a state saved by [`Progress::save`]. Objective, optimiser and stopping criteria must be
    /// made from the same settings.
    ///
    /// # Errors
    /// If the state is damaged or belongs to another optimiser.
    pub fn resume(mut self, saved: &[u8]) -> Result<Self, Error> {
        let (counters, state): (Counters, Vec<u8>) = decode(NAME, saved)?;
        if !(0.0..1e12).contains(&counters.seconds) || counters.improved_at > counters.generation {
            return Err(Error::State("its counters are damaged".into()));
        }
        self.optimizer.restore(&state)?;
        self.seconds_before = counters.seconds;
        self.counters = counters;
        Ok(self)
    }

    /// Multiplies all costs of observers and of the report by `unit`.
    pub(crate) fn in_units_of(mut self, unit: f64) -> Self {
        self.unit = unit;
        self
    }

    /// Searches until a stopping criterion is met.
    ///
    /// # Errors
    /// If the evaluation budget does not allow a single generation, or the optimiser needs slopes and the
    /// objective has none.
    pub fn run(mut self) -> Result<Report, Error> {
        self.started = Instant::now();
        let reason = self.until_stop()?;
        if self.counters.generation == 0 && self.first.is_none() {
            self.evaluate_one();
        }
        Ok(self.report(reason))
    }

    fn until_stop(&mut self) -> Result<StopReason, Error> {
        let limit = self.stop.max_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let limited =
            |least| limit.map_or(self.cancellation.clone(), |l| self.cancellation.within(l.max(least)));
        let (at_first, later) = (limited(FIRST_GENERATION), limited(Duration::ZERO));
        let mut scope = Some(at_first.enter());
        let mut is_first = true;
        self.begin()?;
        loop {
            self.confirm_threshold();
            if let Some(reason) = self.should_stop() {
                self.cancellation.obey();
                return Ok(reason);
            }
            if self.generation().is_break() {
                if self.counters.generation > 0 {
                    self.cancellation.obey();
                }
                let is_requested = self.cancellation.is_requested();
                return Ok(if is_requested { StopReason::Observer } else { StopReason::Time });
            }
            self.observe_generation();
            if std::mem::take(&mut is_first) {
                drop(scope.take());
                scope = Some(later.enter());
            }
        }
    }

    /// One generation; whether it was cut off.
    fn generation(&mut self) -> ControlFlow<()> {
        let (before, elapsed_before) = (self.counters, self.run_elapsed);
        self.evaluate();
        self.evaluations.sanitise();
        if is_cut_off() {
            self.counters = before;
            if before.generation == 0 {
                self.keep_first_generation();
            }
            return ControlFlow::Break(());
        }
        self.learn();
        self.run_elapsed = self.started.elapsed();
        self.confirm_in_advance(self.run_elapsed.saturating_sub(elapsed_before));
        if is_cut_off() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn begin(&mut self) -> Result<(), Error> {
        if self.counters.generation == 0 {
            self.stop.check_first_generation(self.optimizer.ask().candidates.len())?;
        }
        if let Some(derivatives) = self.optimizer.derivatives() {
            self.objective.prepare_slopes(derivatives)?;
        }
        self.cost_of_slopes = self.objective.cost_of_slopes();
        Ok(())
    }

    /// The first stopping criterion that is met after a generation.
    fn should_stop(&mut self) -> Option<StopReason> {
        let Counters { generation, improved_at, .. } = self.counters;
        if generation == 0 {
            return None;
        }
        if is_reached(self.stop.threshold, self.verified) {
            return Some(StopReason::Threshold);
        }
        if self.interrupted || self.cancellation.is_requested() {
            return Some(StopReason::Observer);
        }
        if self.cancellation.is_cancelled() {
            return Some(StopReason::Time);
        }
        // Without a budget, nothing is asked for before the next generation.
        let has_budget = self.stop.max_evaluations.is_some();
        let evaluations_after_next = if has_budget { self.equivalents_after_next() } else { 0.0 };
        let standing = Standing {
            generation,
            improved_at,
            evaluations_after_next,
            cost: self.verified,
            elapsed: self.run_elapsed,
            costs: self.optimizer.population().1,
        };
        self.stop.reason(&standing).or_else(|| self.optimizer.finished().map(StopReason::Optimizer))
    }

    /// Asks the optimiser for candidates and evaluates them.
    fn evaluate(&mut self) {
        let Self { objective, optimizer, evaluations, counters, .. } = self;
        let request = optimizer.ask();
        evaluations.make_room(&request);
        objective.evaluate(&request, evaluations);
        let costs = evaluations.costs.iter().enumerate();
        counters.slopes += costs.filter(|(i, cost)| request.wants_slopes(*i, **cost)).count() as u64;
        counters.evaluations += evaluations.costs.len() as u64;
        counters.generation += 1;
    }

    /// Passes the evaluations to the optimiser.
    fn learn(&mut self) {
        let before = self.optimizer.best().cost;
        self.optimizer.tell(&mut self.evaluations);
        let cost = self.optimizer.best().cost;
        if cost.to_bits() != before.to_bits() {
            self.verified = None;
        }
        if cost < before {
            self.counters.improved_at = self.counters.generation;
        }
    }

    fn observe_generation(&mut self) {
        self.counters.seconds = self.seconds_before + self.run_elapsed.as_secs_f64();
        let evaluation_equivalents = self.equivalents();
        let Some(observer) = &mut self.observer else { return };
        let (population, costs) = self.optimizer.population();
        let Best { x, cost } = self.optimizer.best();
        let control = observer(&Progress {
            generation: self.counters.generation,
            evaluations: self.counters.evaluations,
            evaluation_equivalents,
            elapsed: Duration::from_secs_f64(self.counters.seconds),
            run_elapsed: self.run_elapsed,
            best: Best { x, cost: cost * self.unit },
            population,
            costs,
            unit: self.unit,
            counters: self.counters,
            optimizer: self.optimizer,
        });
        self.interrupted = control.is_break();
    }

    fn equivalents(&self) -> f64 {
        self.counters.evaluations as f64 + self.cost_of_slopes * self.counters.slopes as f64
    }

    /// Maximum evaluation equivalents after another generation.
    fn equivalents_after_next(&mut self) -> f64 {
        let request = self.optimizer.ask();
        let per_candidate = if request.slopes.is_some() { 1.0 + self.cost_of_slopes } else { 1.0 };
        let next = request.candidates.len() as f64 * per_candidate;
        self.equivalents() + next
    }
}

#[cfg(test)]
mod tests;
