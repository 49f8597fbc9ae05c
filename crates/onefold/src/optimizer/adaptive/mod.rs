//! Adaptive Differential Evolution: JADE, SHADE, L-SHADE and jSO, with or without symmetry breaking.
//!
//! All four build a trial vector from its parent $x_i$ by *current-to-pbest/1* and binomial crossover,
//!
//! $$ v_i = x_i + F_w (x_p - x_i) + F_i (x_{r_1} - \tilde x_{r_2}), $$
//!
//! where $x_p$ is one of the best individuals, $x_{r_1}$ a random individual and $\tilde x_{r_2}$ a random
//! member of the population or of an *archive* of replaced parents. $F_i$ and the crossover rate `CR` are
//! drawn from distributions whose centres are adapted to earlier successes. The variants differ in this
//! adaptation and in their schedules:
//!
//! | | adapts | best | archive | population |
//! |---|---|---|---|---|
//! | JADE | one pair, learning rate 0.1 | 5 % | N | constant |
//! | SHADE | 100 pairs in turn, weighted by improvement | random, 2 individuals to 20 % | N | constant |
//! | L-SHADE | 6 pairs, both by Lehmer means, `CR` may become 0 | 11 % | 2.6 N | 18 D to 4, linearly |
//! | jSO | 4 pairs, learning rate 0.5, one constant | 25 % to 12.5 % | N | 25 ln(D) sqrt(D) to 4, linearly |
//!
//! jSO also limits `F` from above and `CR` from below early in a run, and has $F_w$ = 0.7, 0.8 and 1.2 $F_i$
//! in turn; in the other variants $F_w = F_i$. A coordinate out of bounds is moved to the midpoint between
//! parent and bound.
//!
//! # Cutoffs
//!
//! A trial vector that costs more than its parent changes neither population, nor archive, nor memory, since
//! only better trial vectors count. The costs of the parents are therefore exact cutoffs.
//!
//! # Why the archive is aligned too
//!
//! With an [`Align`] every individual is moved into the fold of parameter space that contains the best one,
//! so that a difference of two individuals is not the difference of two mirror images of one network. A
//! member of the archive was aligned while it was an individual, but only as far as the heuristic had
//! progressed, and to a best that may since have moved to another fold. Without alignment,
//! $x_{r_1} - \tilde x_{r_2}$ would be about $2 x$ in every neuron whose mirror image it contains: a step out
//! of the fold, as long as the weights themselves, which does not shrink as the population converges, while
//! all other differences do. Up to 72 % of the draws of $\tilde x_{r_2}$ are from the archive of L-SHADE. So
//! members of the archive are aligned to the best as individuals are: once after each generation, each with
//! its own random stream.

mod archive;
mod memory;
mod propose;
mod settings;

pub use settings::{AdaptiveSettings, Variant};

use super::common::check_dimension;
use super::strategy::{Crossing, fill_at_random};
use super::{Align, Best, CommonSettings, Crossover, Optimizer, Termination};
use crate::cancellation::poll;
use crate::error::check_size;
use crate::rng::{Purpose, Streams};
use crate::saved::{check_sizes, decode, encode};
use crate::{Error, Evaluations, Population, Request};
use archive::Archive;
use memory::{Memory, Success};
use settings::LEAST;

/// Identifies saved states of this optimiser.
const NAME: &str = "adaptive-differential-evolution";

/// JADE, SHADE, L-SHADE or jSO; with symmetry breaking if an [`Align`] is given.
///
/// L-SHADE and jSO end with [`Termination::Horizon`]: their last generation has as many trial vectors as
/// evaluations remain. If asked again after that, they continue with the minimum population.
///
/// ```
/// use onefold::{AdaptiveDe, CommonSettings, Function, Stop, search};
/// use onefold::optimizer::{AdaptiveSettings, Variant};
///
/// let mut sphere = Function::new(5, |x: &[f64]| x.iter().map(|v| v * v).sum());
/// let settings = AdaptiveSettings { horizon: Some(20_000), ..Default::default() };
/// let mut l_shade = AdaptiveDe::new(5, Variant::LShade, CommonSettings::default(), settings, None)?;
/// let stop = Stop { threshold: Some(1e-9), ..Default::default() };
/// let report = search(&mut sphere, &mut l_shade, &stop)?;
/// assert!(report.reached);
/// # Ok::<(), onefold::Error>(())
/// ```
pub struct AdaptiveDe {
    variant: Variant,
    common: CommonSettings,
    settings: AdaptiveSettings,
    align: Option<Box<dyn Align>>,
    crossing: Crossing,
    /// Initial population size.
    first_population: usize,
    horizon: Option<u64>,
    population: Population,
    costs: Vec<f64>,
    archive: Archive,
    memory: Memory,
    trials: Population,
    cutoffs: Vec<f64>,
    /// A point of the initial population, if one is given.
    given: Option<Vec<f64>>,
    /// `F` and `CR` of each trial vector.
    drawn: Vec<(f64, f64)>,
    /// Indices of individuals, best first.
    ranking: Vec<usize>,
    successes: Vec<Success>,
    /// The first point with the lowest cost, which a point of equal cost may have replaced in the population.
    best: Vec<f64>,
    best_cost: f64,
    generation: u64,
    evaluations: u64,
    proposed: bool,
}

impl AdaptiveDe {
    /// An optimiser in `dim` dimensions.
    ///
    /// # Errors
    /// If a setting is out of range or `dim` is zero.
    pub fn new(
        dim: usize,
        variant: Variant,
        common: CommonSettings,
        settings: AdaptiveSettings,
        align: Option<Box<dyn Align>>,
    ) -> Result<Self, Error> {
        settings.validate(variant, &common)?;
        check_dimension(dim)?;
        let n = variant.population(&common, dim);
        settings.check_horizon(variant, n, dim)?;
        let archive = settings.archive_size(variant, n);
        let what = || format!("a population of {n} individuals with {dim} parameters each, and its archive,");
        // Individuals, trial vectors, archive, and the members that JADE adds before it removes random ones.
        check_size(&[n.saturating_mul(3).saturating_add(archive), dim], what, "reduce the population")?;
        Ok(Self {
            align,
            crossing: Crossing::new(Crossover::Binomial),
            first_population: n,
            horizon: settings.horizon(variant, dim),
            population: Population::new(n, dim),
            costs: vec![f64::INFINITY; n],
            archive: Archive::new(dim, archive + n),
            memory: Memory::new(variant, settings.memory_size(variant)),
            trials: Population::new(n, dim),
            cutoffs: vec![f64::INFINITY; n],
            given: None,
            drawn: vec![(0.0, 0.0); n],
            ranking: Vec::with_capacity(n),
            successes: Vec::with_capacity(n),
            best: vec![0.0; dim],
            best_cost: f64::INFINITY,
            generation: 0,
            evaluations: 0,
            proposed: false,
            variant,
            common,
            settings,
        })
    }

    /// Fraction of the evaluations used.
    fn spent(&self) -> f64 {
        self.horizon.map_or(0.0, |horizon| (self.evaluations as f64 / horizon as f64).min(1.0))
    }

    /// Trial vectors of the next generation: one for each individual, but no more than evaluations remain.
    fn batch(&self) -> usize {
        let n = self.population.len();
        match self.horizon.map(|horizon| horizon.saturating_sub(self.evaluations)) {
            None | Some(0) => n,
            Some(left) => n.min(usize::try_from(left).unwrap_or(n)),
        }
    }

    /// Selection: replaces parents by better trial vectors, adds the parents to the archive and the successes
    /// to the memory.
    fn select(&mut self, costs: &[f64]) {
        let variant = self.variant;
        let size = self.settings.archive_size(self.variant, self.population.len());
        let mut rng = Streams::new(self.common.seed, Purpose::Generation, self.generation).long(0);
        self.successes.clear();
        for (i, &cost) in costs.iter().enumerate() {
            let (parent, trial) = (self.costs[i], self.trials.row(i));
            if cost < self.best_cost || (self.generation == 0 && i == 0) {
                self.best_cost = cost;
                self.best.copy_from_slice(trial);
            }
            if self.generation > 0 && cost < parent {
                let (f, cr) = self.drawn[i];
                self.successes.push(Success { f, cr, gain: parent - cost });
                match variant {
                    // As in the paper, random ones of old and new members are removed later.
                    Variant::Jade => self.archive.members.push(self.population.row(i)),
                    _ => self.archive.insert(self.population.row(i), size, &mut rng),
                }
            }
            // On equal cost JADE keeps the parent; its successors keep the trial vector.
            if cost < parent || self.generation == 0 || (cost <= parent && variant != Variant::Jade) {
                self.population.row_mut(i).copy_from_slice(trial);
                self.costs[i] = cost;
            }
        }
        self.memory.learn(variant, &self.successes);
        self.evaluations = self.evaluations.saturating_add(costs.len() as u64);
        if self.generation > 0 {
            self.reduce();
        }
        self.archive.shrink(self.settings.archive_size(self.variant, self.population.len()), &mut rng);
    }

    /// Linear population size reduction: removes the worst individuals.
    fn reduce(&mut self) {
        if self.horizon.is_none() {
            return;
        }
        let planned = planned_population(self.first_population, self.spent());
        while self.population.len() > planned {
            if poll(self.population.len()) {
                return;
            }
            let worst =
                (1..self.costs.len()).fold(0, |w, i| if self.costs[i] > self.costs[w] { i } else { w });
            self.population.remove(worst);
            self.costs.remove(worst);
        }
    }

    /// Aligns individuals and archive to the best.
    fn align(&mut self) {
        let Some(align) = &self.align else { return };
        let streams = Streams::new(self.common.seed, Purpose::Align, self.generation);
        for (i, row) in self.population.rows_mut().enumerate() {
            if poll(8 * row.len()) {
                return;
            }
            align.align(row, &self.best, &mut streams.of(i));
        }
        for (i, row) in self.archive.members.rows_mut().enumerate() {
            if poll(8 * row.len()) {
                return;
            }
            align.align(row, &self.best, &mut streams.of(self.first_population + i));
        }
    }
}

/// The linear schedule of L-SHADE, from the initial population to the minimum.
fn planned_population(first: usize, spent: f64) -> usize {
    let (first, least) = (first as f64, LEAST as f64);
    (first - (first - least) * spent).round().max(least) as usize
}

impl Optimizer for AdaptiveDe {
    fn ask(&mut self) -> Request<'_> {
        if !self.proposed {
            if self.generation == 0 {
                self.trials.resize(self.first_population);
                let CommonSettings { start, seed, .. } = self.common;
                fill_at_random(&mut self.trials, start, self.given.as_deref(), seed);
                self.cutoffs.clear();
                self.cutoffs.resize(self.first_population, f64::INFINITY);
            } else {
                self.propose(self.batch());
            }
            self.proposed = true;
        }
        Request::costs(&self.trials, &self.cutoffs)
    }

    fn tell(&mut self, evaluations: &mut Evaluations) {
        self.select(&evaluations.costs);
        self.generation = self.generation.saturating_add(1);
        self.proposed = false;
        self.align();
    }

    fn start_at(&mut self, point: &[f64]) {
        self.given = Some(point.to_vec());
    }

    fn best(&self) -> Best<'_> {
        Best { x: &self.best, cost: self.best_cost }
    }

    fn population(&self) -> (&Population, &[f64]) {
        (&self.population, &self.costs)
    }

    fn finished(&self) -> Option<Termination> {
        self.horizon.filter(|horizon| self.evaluations >= *horizon).map(|_| Termination::Horizon)
    }

    fn save(&self) -> Vec<u8> {
        let Self { population, costs, archive, memory, best, best_cost, generation, evaluations, .. } = self;
        let state = (population, costs, &archive.members, memory, best, best_cost, generation, evaluations);
        encode(NAME, &(self.variant, state))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        type State = (Population, Vec<f64>, Population, Memory, Vec<f64>, f64, u64, u64);
        let (variant, state): (Variant, State) = decode(NAME, saved)?;
        let (population, costs, members, memory, best, best_cost, generation, evaluations) = state;
        let ours = self.variant;
        if variant != ours {
            let reason = format!("it belongs to {}, not to {}", variant.name(), ours.name());
            return Err(Error::State(reason));
        }
        let (n, dim) = (costs.len(), self.population.dim());
        let least = if self.horizon.is_some() { LEAST } else { self.first_population };
        if !(least..=self.first_population).contains(&n) || !population.has_shape(n, dim) {
            let expected = format!("{} individuals with {dim} parameters each", self.first_population);
            return Err(Error::State(format!("it does not contain {expected}")));
        }
        let size = self.settings.archive_size(ours, self.first_population);
        if members.dim() != dim || members.len() > size || !members.has_shape(members.len(), dim) {
            return Err(Error::State("its archive does not fit the settings".into()));
        }
        if !memory.is_sound(self.settings.memory_size(ours)) {
            return Err(Error::State("its memory of F and CR is damaged".into()));
        }
        check_sizes(&[("coordinates of the best point", best.len(), dim)])?;
        self.population = population;
        self.costs = costs;
        self.archive.members = members;
        self.memory = memory;
        (self.best, self.best_cost) = (best, best_cost);
        (self.generation, self.evaluations) = (generation, evaluations);
        self.proposed = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
