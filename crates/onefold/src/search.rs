//! The loop that joins an objective and an optimiser, and decides when to stop.

use crate::saved::{decode, encode};
use crate::{Best, Error, Objective, Optimizer, Optimum, Population, Restart, Slopes, Termination};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// When to stop. The first rule that applies ends the search, after a whole generation; without any rule only the
/// observer does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stop {
    /// Stop when the confirmed cost is at most this. Default none.
    pub target: Option<f64>,
    /// Never evaluate more candidates than this; slopes count as the evaluations that take as long. Default none; at least one generation must fit.
    pub max_evaluations: Option<u64>,
    /// Stop after this many generations, the initial population included. Default none; at least 1.
    pub max_generations: Option<u64>,
    /// Stop when this many seconds have passed since the search was started, or resumed. Default none; positive.
    pub max_seconds: Option<f64>,
    /// Stop after this many generations without a better best. Default none; at least 1.
    pub stagnation: Option<u64>,
    /// Stop when the costs of the whole population lie within this share of the best. Default none; at least 0.
    pub spread: Option<f64>,
}

impl Stop {
    /// Checks every range.
    ///
    /// # Errors
    /// Names the first rule that can never apply, or always does.
    pub fn validate(&self) -> Result<(), Error> {
        let number = |name, value: Option<f64>, ok: fn(f64) -> bool, expected: &str| match value {
            Some(v) if !ok(v) => Err(Error::setting(name, v, expected)),
            _ => Ok(()),
        };
        let count = |name, value: Option<u64>| match value {
            Some(0) => Err(Error::setting(name, 0, "must be at least 1")),
            _ => Ok(()),
        };
        number("target", self.target, f64::is_finite, "must be a finite number")?;
        number("max_seconds", self.max_seconds, |v| v > 0.0 && v.is_finite(), "must be positive")?;
        number("spread", self.spread, |v| v >= 0.0 && v.is_finite(), "must be a number of at least 0")?;
        count("max_evaluations", self.max_evaluations)?;
        count("max_generations", self.max_generations)?;
        count("stagnation", self.stagnation)
    }

    /// Whether the budget allows one generation.
    pub(crate) fn check_first_generation(&self, candidates: usize) -> Result<(), Error> {
        match self.max_evaluations {
            Some(max) if max < candidates as u64 => {
                let expected = format!("the first generation alone needs {candidates}");
                Err(Error::setting("max_evaluations", max, expected))
            }
            _ => Ok(()),
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The confirmed cost reached the target.
    Target,
    /// Another generation would exceed the evaluation budget.
    Evaluations,
    /// The generation budget is spent.
    Generations,
    /// The time is over.
    Time,
    /// The best has not improved for too many generations.
    Stagnation,
    /// All individuals have practically the same cost.
    Converged,
    /// The observer asked for it.
    Observer,
    /// The optimiser itself says that going on is of no use; in files, its reason stands in this place.
    #[serde(untagged)]
    Optimizer(Termination),
}

/// What an observer sees after each generation.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// Generations done; 1 after the initial population.
    pub generation: u64,
    /// Candidates evaluated so far, the initial population included.
    pub evaluations: u64,
    /// The same, with slopes counted as the evaluations that take as long.
    pub evaluation_equivalents: f64,
    /// Time since the start; of a resumed search, with the time before.
    pub elapsed: Duration,
    /// The best so far.
    pub best: Best<'a>,
    /// The population.
    pub population: &'a Population,
    /// Its costs.
    pub costs: &'a [f64],
    counters: Counters,
    optimizer: &'a dyn Optimizer,
}

impl Progress<'_> {
    /// The state of the search, from which [`search_from`] continues to the same result as if it had never stopped.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        encode(NAME, &(self.counters, self.optimizer.save()))
    }
}

/// How saved states are told apart.
const NAME: &str = "search";

/// What a search counts.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Counters {
    generation: u64,
    evaluations: u64,
    /// Candidates whose slopes were wanted.
    slopes: u64,
    /// Generation in which the best cost last improved.
    improved_at: u64,
    /// Seconds before this search was resumed, and in a saved state those after it too.
    seconds: f64,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The best point.
    pub best: Vec<f64>,
    /// Its cost as the search saw it.
    pub cost: f64,
    /// Its cost by the objective's most trustworthy computation.
    pub verified_cost: f64,
    /// Whether there is a target and the verified cost is at most that.
    pub reached: bool,
    /// Candidates evaluated, the initial population included.
    pub evaluations: u64,
    /// Candidates whose slopes were computed.
    pub slopes: u64,
    /// Evaluations, with slopes counted as the evaluations that take as long.
    pub evaluation_equivalents: f64,
    /// Generations done, the initial population included.
    pub generations: u64,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Why it ended.
    pub stop: StopReason,
    /// What ended before that and began anew.
    pub restarts: Vec<Restart>,
    /// The distinct local optima that were found, up to symmetry, best first; none where the method does not look for them.
    pub optima: Vec<Optimum>,
}

/// Minimises `objective` with `optimizer` until a rule of `stop` applies or `observer` breaks.
///
/// A target counts as reached only when [`Objective::confirm`] agrees; otherwise the search goes on.
///
/// ```
/// use onefold::{DeSettings, DifferentialEvolution, Function, Stop, search};
/// use std::ops::ControlFlow;
///
/// let mut sphere = Function::new(5, |x: &[f64]| x.iter().map(|v| v * v).sum());
/// let mut de = DifferentialEvolution::new(5, DeSettings { population: 30, ..Default::default() }, None)?;
/// let stop = Stop { target: Some(1e-9), max_evaluations: Some(100_000), ..Default::default() };
/// let report = search(&mut sphere, &mut de, &stop, |_| ControlFlow::Continue(()))?;
/// assert!(report.reached);
/// # Ok::<(), onefold::Error>(())
/// ```
///
/// # Errors
/// If a stop rule is out of range, or the evaluation budget does not allow a single generation.
pub fn search(
    objective: &mut dyn Objective,
    optimizer: &mut dyn Optimizer,
    stop: &Stop,
    observer: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Report, Error> {
    search_from(objective, optimizer, stop, None, observer)
}

/// As [`search`](fn@search), continued from a state that [`Progress::save`] gave. Objective, optimiser and stop rules must be made from the same settings.
///
/// # Errors
/// As [`search`](fn@search), and if the state is damaged or belongs to another optimiser.
pub fn search_from(
    objective: &mut dyn Objective,
    optimizer: &mut dyn Optimizer,
    stop: &Stop,
    saved: Option<&[u8]>,
    mut observer: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Report, Error> {
    stop.validate()?;
    let started = Instant::now();
    let mut counters = begin(optimizer, stop, saved)?;
    if optimizer.takes_local_steps() {
        objective.prepare_slopes()?;
    }
    let price = objective.price_of_slopes();
    let equivalents = |counters: &Counters| counters.evaluations as f64 + price * counters.slopes as f64;
    let seconds_before = counters.seconds;
    let mut costs = Vec::new();
    let mut slopes: Vec<Slopes> = Vec::new();
    // The best cost by the objective's most trustworthy computation, once it is wanted.
    let mut verified = None;
    let mut wish = ControlFlow::Continue(());
    let reason = loop {
        let best = optimizer.best();
        if stop.target.is_some_and(|target| best.cost <= target) && verified.is_none() {
            verified = Some(objective.confirm(best.x, best.cost));
        }
        counters.seconds = seconds_before + started.elapsed().as_secs_f64();
        if counters.generation > 0
            && let Some(reason) = reason_to_stop(
                stop,
                &counters,
                (equivalents(&counters), price),
                started.elapsed(),
                verified,
                wish,
                optimizer,
            )
        {
            break reason;
        }
        let ask = optimizer.ask();
        costs.resize(ask.candidates.len(), f64::NAN);
        let wanted = ask.slopes;
        if let Some(enough) = wanted {
            slopes.resize_with(costs.len(), Slopes::default);
            objective.evaluate_with_slopes(ask.candidates, ask.cutoffs, enough, &mut costs, &mut slopes);
            counters.slopes += costs
                .iter()
                .zip(ask.cutoffs)
                .filter(|(cost, cutoff)| **cost > enough && cost <= cutoff)
                .count() as u64;
        } else {
            objective.evaluate(ask.candidates, ask.cutoffs, &mut costs);
        }
        // The one place where a failed evaluation is dealt with.
        costs.iter_mut().filter(|c| !c.is_finite()).for_each(|c| *c = f64::INFINITY);
        let lowest = optimizer.best().cost;
        if wanted.is_some() {
            optimizer.tell_with_slopes(&costs, &mut slopes);
        } else {
            optimizer.tell(&costs);
        }
        counters.generation += 1;
        counters.evaluations += costs.len() as u64;
        let best = optimizer.best();
        if best.cost < lowest {
            counters.improved_at = counters.generation;
            verified = None;
        }
        counters.seconds = seconds_before + started.elapsed().as_secs_f64();
        let (population, population_costs) = optimizer.population();
        wish = observer(&Progress {
            generation: counters.generation,
            evaluations: counters.evaluations,
            evaluation_equivalents: equivalents(&counters),
            elapsed: Duration::from_secs_f64(counters.seconds),
            best,
            population,
            costs: population_costs,
            counters,
            optimizer,
        });
    };
    let Best { x, cost } = optimizer.best();
    let verified_cost = verified.unwrap_or_else(|| objective.confirm(x, cost));
    Ok(Report {
        best: x.to_vec(),
        cost,
        verified_cost,
        reached: is_reached(stop.target, Some(verified_cost)),
        evaluations: counters.evaluations,
        slopes: counters.slopes,
        evaluation_equivalents: equivalents(&counters),
        generations: counters.generation,
        seconds: seconds_before + started.elapsed().as_secs_f64(),
        stop: reason,
        restarts: optimizer.restarts().to_vec(),
        optima: optimizer.optima().to_vec(),
    })
}

/// The counters at the start, with the optimiser restored where there is a saved state.
fn begin(optimizer: &mut dyn Optimizer, stop: &Stop, saved: Option<&[u8]>) -> Result<Counters, Error> {
    let Some(saved) = saved else {
        stop.check_first_generation(optimizer.ask().candidates.len())?;
        return Ok(Counters::default());
    };
    let (counters, state): (Counters, Vec<u8>) = decode(NAME, saved)?;
    if !(0.0..1e12).contains(&counters.seconds) || counters.improved_at > counters.generation {
        return Err(Error::State("its counters are damaged".into()));
    }
    optimizer.restore(&state)?;
    Ok(counters)
}

/// The first rule that applies after a generation.
fn reason_to_stop(
    stop: &Stop,
    counters: &Counters,
    (equivalents, price): (f64, f64),
    elapsed: Duration,
    verified: Option<f64>,
    wish: ControlFlow<()>,
    optimizer: &mut dyn Optimizer,
) -> Option<StopReason> {
    let Counters { generation, improved_at, .. } = *counters;
    let ask = optimizer.ask();
    // Slopes of the next candidates may turn out to be needed.
    let next = ask.candidates.len() as f64 * if ask.slopes.is_some() { 1.0 + price } else { 1.0 };
    if is_reached(stop.target, verified) {
        Some(StopReason::Target)
    } else if wish.is_break() {
        Some(StopReason::Observer)
    } else if stop.max_evaluations.is_some_and(|max| equivalents + next > max as f64) {
        Some(StopReason::Evaluations)
    } else if stop.max_generations.is_some_and(|max| generation >= max) {
        Some(StopReason::Generations)
    } else if stop.max_seconds.is_some_and(|max| elapsed.as_secs_f64() >= max) {
        Some(StopReason::Time)
    } else if stop.stagnation.is_some_and(|max| generation - improved_at >= max) {
        Some(StopReason::Stagnation)
    } else if stop.spread.is_some_and(|share| has_converged(optimizer.population().1, share)) {
        Some(StopReason::Converged)
    } else {
        optimizer.finished().map(StopReason::Optimizer)
    }
}

fn is_reached(target: Option<f64>, verified: Option<f64>) -> bool {
    matches!((target, verified), (Some(target), Some(cost)) if cost <= target)
}

fn has_converged(costs: &[f64], share: f64) -> bool {
    let low = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let high = costs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    high.is_finite() && high - low <= share * low.abs()
}

#[cfg(test)]
mod tests;
