//! Restart strategies IPOP and BIPOP for an optimiser with termination criteria.

use super::{Best, CmaEs, CmaSettings, CommonSettings, Optimizer, Termination};
use crate::cancellation::is_cut_off;
use crate::rng::{Purpose, Streams};
use crate::saved::{decode, encode};
use crate::{Error, Evaluations, Population, Request};
use serde::{Deserialize, Serialize};

/// Identifies saved states of this optimiser.
const NAME: &str = "restarts";
/// Maximum population, as a multiple of the first one.
const LARGEST: usize = 1 << 14;

/// The restart strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RestartRule {
    /// Each restart doubles the population (Auger and Hansen 2005).
    Ipop,
    /// Restarts with a doubled population and restarts with a small population and step size, with equal
    /// budgets of evaluations for both regimes (Hansen 2009).
    Bipop,
}

/// The regime of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Regime {
    /// The first run, with the default population.
    First,
    /// A run with a doubled population.
    Large,
    /// A run with a small population and step size.
    Small,
}

/// The settings of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its regime.
    pub regime: Regime,
    /// Candidates per generation.
    pub population: usize,
    /// Initial step size, as a multiple of the default one.
    pub step: f64,
    /// Maximum number of evaluations.
    pub allotment: Option<u64>,
    /// Seed of its random streams.
    pub seed: u64,
}

/// A restart: a run that ended, and the run that followed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restart {
    /// Why the run ended.
    pub reason: Termination,
    /// Its evaluations.
    pub evaluations: u64,
    /// Its generations.
    pub generations: u64,
    /// Its best cost.
    pub cost: f64,
    /// Settings of the run that ended.
    pub from: Attempt,
    /// Settings of the run that followed.
    pub to: Attempt,
}

/// Makes the optimiser for an attempt.
type Factory = Box<dyn Fn(&Attempt) -> Result<Box<dyn Optimizer>, Error> + Send>;

/// Restarts another optimiser by a rule whenever it is finished. The best is that of all runs.
///
/// ```
/// use onefold::{CmaSettings, CommonSettings, Function, Stop, search};
/// use onefold::optimizer::{RestartRule, Restarts};
/// use std::f64::consts::TAU;
///
/// let mut rastrigin = Function::new(4, |x: &[f64]| {
///     x.iter().map(|v| 10.0 + v * v - 10.0 * (TAU * v).cos()).sum()
/// });
/// let common = CommonSettings { start: (-5.0, 5.0), ..Default::default() };
/// let settings = CmaSettings { sigma: 2.0, ..Default::default() };
/// let mut cma = Restarts::of_cma_es(4, common, settings, RestartRule::Bipop)?;
/// let stop = Stop { threshold: Some(1e-9), max_evaluations: Some(200_000), ..Default::default() };
/// let report = search(&mut rastrigin, &mut cma, &stop)?;
/// assert!(report.reached);
/// for restart in &report.restarts {
///     println!("{} after {} evaluations", restart.reason, restart.evaluations);
/// }
/// # Ok::<(), onefold::Error>(())
/// ```
pub struct Restarts {
    rule: RestartRule,
    factory: Factory,
    seed: u64,
    inner: Box<dyn Optimizer>,
    progress: Progress,
}

/// The complete state, except that of the inner optimiser.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Progress {
    attempt: Attempt,
    first_population: usize,
    evaluations: u64,
    generations: u64,
    restarts: Vec<Restart>,
    best: Vec<f64>,
    best_cost: f64,
    finished: Option<Termination>,
}

impl Restarts {
    /// Restarts of the optimisers made by `factory`; the first run has the given population.
    fn new(rule: RestartRule, population: usize, seed: u64, factory: Factory) -> Result<Self, Error> {
        let attempt = Attempt { regime: Regime::First, population, step: 1.0, allotment: None, seed };
        let inner = factory(&attempt)?;
        let progress = Progress {
            attempt,
            first_population: population,
            evaluations: 0,
            generations: 0,
            restarts: Vec::new(),
            best: inner.best().x.to_vec(),
            best_cost: f64::INFINITY,
            finished: None,
        };
        Ok(Self { rule, factory, seed, inner, progress })
    }

    /// Restarts of CMA-ES.
    ///
    /// # Errors
    /// If a setting is out of range or `dim` is zero.
    pub fn of_cma_es(
        dim: usize,
        common: CommonSettings,
        settings: CmaSettings,
        rule: RestartRule,
    ) -> Result<Self, Error> {
        let (population, seed) = (CmaSettings::population(&common, dim), common.seed);
        let factory = move |attempt: &Attempt| {
            let population = Some(attempt.population);
            let common = CommonSettings { population, seed: attempt.seed, ..common.clone() };
            let settings = CmaSettings { sigma: settings.sigma * attempt.step, ..settings.clone() };
            Ok(Box::new(CmaEs::new(dim, common, settings)?) as Box<dyn Optimizer>)
        };
        Self::new(rule, population, seed, Box::new(factory))
    }

    /// The settings of the next run.
    fn next_attempt(&self) -> Attempt {
        let Progress { attempt, first_population, evaluations, restarts, .. } = &self.progress;
        let number = restarts.len() as u64 + 1;
        let mut rng = Streams::new(self.seed, Purpose::Restart, number).of(0);
        let seed = rng.bits();
        let ended = || restarts.iter().map(|r| (r.from, r.evaluations)).chain([(*attempt, *evaluations)]);
        let largest = ended().filter(|(a, _)| a.regime != Regime::Small).map(|(a, _)| a.population).max();
        let largest = largest.unwrap_or(*first_population);
        // The first run counts as a small one, as in pycma.
        let spent = |is_large: bool| -> u64 {
            ended().filter(|(a, _)| (a.regime == Regime::Large) == is_large).map(|(_, evals)| evals).sum()
        };
        let is_small = self.rule == RestartRule::Bipop && spent(false) < spent(true);
        if !is_small {
            let population = largest.saturating_mul(2);
            return Attempt { regime: Regime::Large, population, step: 1.0, allotment: None, seed };
        }
        // lambda_small = lambda (lambda_large / (2 lambda))^(u²), sigma_small = sigma 10^(-2u').
        let first = *first_population as f64;
        let (u, v) = (rng.uniform(), rng.uniform());
        let population = (first * libm::pow(0.5 * largest as f64 / first, u * u)) as usize;
        let of_last_large = ended().rfind(|(a, _)| a.regime == Regime::Large).map_or(0, |(_, e)| e);
        Attempt {
            regime: Regime::Small,
            population: population.max(2),
            step: libm::pow(10.0, -2.0 * v),
            allotment: Some(of_last_large / 2),
            seed,
        }
    }

    fn restart(&mut self, reason: Termination) {
        let to = self.next_attempt();
        let Progress { attempt, first_population, evaluations, generations, restarts, .. } =
            &mut self.progress;
        match (self.factory)(&to) {
            Ok(next) if to.population / *first_population <= LARGEST => {
                let cost = self.inner.best().cost;
                let (evaluations, generations) = (std::mem::take(evaluations), std::mem::take(generations));
                restarts.push(Restart { reason, evaluations, generations, cost, from: *attempt, to });
                *attempt = to;
                self.inner = next;
            }
            _ => self.progress.finished = Some(Termination::PopulationTooLarge),
        }
    }
}

impl Optimizer for Restarts {
    fn ask(&mut self) -> Request<'_> {
        self.inner.ask()
    }

    fn tell(&mut self, evaluations: &mut Evaluations) {
        let count = evaluations.costs.len();
        self.inner.tell(evaluations);
        let progress = &mut self.progress;
        progress.evaluations += count as u64;
        progress.generations += 1;
        let Best { x, cost } = self.inner.best();
        if cost < progress.best_cost {
            progress.best_cost = cost;
            progress.best.copy_from_slice(x);
        }
        if is_cut_off() {
            // The inner optimiser cannot tell whether it is finished.
            return;
        }
        let next = self.inner.population().0.len() as u64;
        let is_over = progress.attempt.allotment.is_some_and(|max| progress.evaluations + next > max);
        let reason = self.inner.finished().or(is_over.then_some(Termination::Allotment));
        if let Some(reason) = reason {
            self.restart(reason);
        }
    }

    fn start_at(&mut self, point: &[f64]) {
        self.inner.start_at(point);
        self.progress.best.copy_from_slice(point);
    }

    fn best(&self) -> Best<'_> {
        Best { x: &self.progress.best, cost: self.progress.best_cost }
    }

    fn population(&self) -> (&Population, &[f64]) {
        self.inner.population()
    }

    fn finished(&self) -> Option<Termination> {
        self.progress.finished
    }

    fn restarts(&self) -> &[Restart] {
        &self.progress.restarts
    }

    fn save(&self) -> Vec<u8> {
        encode(NAME, &(&self.progress, self.inner.save()))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let (progress, inner): (Progress, Vec<u8>) = decode(NAME, saved)?;
        let is_same_start = progress.first_population == self.progress.first_population
            && progress.best.len() == self.progress.best.len();
        if !is_same_start {
            return Err(Error::State("its first population or its dimension differs".into()));
        }
        let mut continued = (self.factory)(&progress.attempt)?;
        continued.restore(&inner)?;
        (self.inner, self.progress) = (continued, progress);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
