//! Differential Evolution, synchronous, with or without symmetry breaking.

use super::common::{check_dimension, shown_interval};
use super::strategy::{Crossing, fill_at_random, mutate, mutate_further, repair};
use super::{Align, Best, CommonSettings, Crossover, Mutation, Optimizer, Reference, Weight};
use crate::cancellation::poll;
use crate::error::{check_size, short};
use crate::rng::{LongRng, Purpose, Streams};
use crate::saved::{check_sizes, decode, encode};
use crate::{Error, Evaluations, Population, Request};
use serde::{Deserialize, Serialize};

/// Settings of [`DifferentialEvolution`]. The defaults are the paper's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DeSettings {
    /// Mutation strategy. Default `rand/1`.
    pub mutation: Mutation,
    /// Weight `F` of difference vectors. Default fixed at 0.5; from above 0 to 2.
    pub weight: Weight,
    /// Crossover of parent and mutant. Default binomial.
    pub crossover: Crossover,
    /// Probability `CR` that a coordinate comes from the mutant. Default 0.9; from 0 to 1.
    pub crossover_rate: f64,
    /// The reference that individuals are aligned to, if an [`Align`] is given. Default the best.
    #[serde(alias = "reference")]
    pub align_to: Reference,
}

impl Default for DeSettings {
    fn default() -> Self {
        Self {
            mutation: Mutation::Rand1,
            weight: Weight::Fixed(0.5),
            crossover: Crossover::Binomial,
            crossover_rate: 0.9,
            align_to: Reference::Best,
        }
    }
}

impl DeSettings {
    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self, common: &CommonSettings) -> Result<(), Error> {
        let least = self.mutation.drawn() + 1;
        let population = Self::population(common);
        if population < least {
            let expected = format!("{} needs at least {least} individuals", self.mutation.name());
            return Err(Error::setting("population", population, expected));
        }
        let (low, high) = self.weight.range();
        if !(low > 0.0 && low <= high && high <= 2.0) {
            let expected = "must lie above 0 and be at most 2, lower end first";
            return Err(Error::setting("weight", shown_interval(low, high), expected));
        }
        if !(0.0..=1.0).contains(&self.crossover_rate) {
            return Err(Error::setting(
                "crossover_rate",
                short(self.crossover_rate),
                "must lie between 0 and 1",
            ));
        }
        common.check_intervals(false)
    }

    /// Number of individuals: 160 unless given; more than the mutation strategy draws.
    #[must_use]
    pub fn population(common: &CommonSettings) -> usize {
        common.population.unwrap_or(160)
    }
}

/// Identifies saved states of this optimiser.
const NAME: &str = "differential-evolution";

/// Differential Evolution: DE without an [`Align`], DE-SB with one.
///
/// Trial vectors are built only from the previous population (synchronous update). With an `Align`, every
/// individual is aligned to the [reference](DeSettings::align_to) after each generation; its cost is
/// unchanged, since the aligned point is equivalent.
pub struct DifferentialEvolution {
    common: CommonSettings,
    settings: DeSettings,
    align: Option<Box<dyn Align>>,
    crossing: Crossing,
    population: Population,
    costs: Vec<f64>,
    trials: Population,
    cutoffs: Vec<f64>,
    /// The reference that individuals are aligned to.
    reference: Vec<f64>,
    /// A point of the initial population, if one is given.
    given: Option<Vec<f64>>,
    /// Indices of individuals, sorted by cost.
    order: Vec<usize>,
    best: usize,
    generation: u64,
    proposed: bool,
}

impl DifferentialEvolution {
    /// An optimiser in `dim` dimensions.
    ///
    /// # Errors
    /// If a setting is out of range or `dim` is zero.
    pub fn new(
        dim: usize,
        common: CommonSettings,
        settings: DeSettings,
        align: Option<Box<dyn Align>>,
    ) -> Result<Self, Error> {
        settings.validate(&common)?;
        check_dimension(dim)?;
        let n = DeSettings::population(&common);
        // Individuals and trial vectors.
        let what = || format!("a population of {n} individuals with {dim} parameters each");
        check_size(&[2, n, dim], what, "reduce the population")?;
        Ok(Self {
            align,
            crossing: Crossing::new(settings.crossover),
            population: Population::new(n, dim),
            costs: vec![f64::INFINITY; n],
            trials: Population::new(n, dim),
            cutoffs: vec![f64::INFINITY; n],
            reference: vec![0.0; dim],
            given: None,
            order: (0..n).collect(),
            best: 0,
            generation: 0,
            proposed: false,
            common,
            settings,
        })
    }

    fn start(&mut self) {
        fill_at_random(&mut self.trials, self.common.start, self.given.as_deref(), self.common.seed);
    }

    fn align(&mut self) {
        let Some(align) = &self.align else { return };
        match self.settings.align_to {
            Reference::Best => self.reference.copy_from_slice(self.population.row(self.best)),
            Reference::Mean => {
                let weight = 1.0 / self.population.len() as f64;
                self.reference.fill(0.0);
                for row in self.population.rows() {
                    self.reference.iter_mut().zip(row).for_each(|(mean, v)| *mean += weight * v);
                }
            }
            Reference::Elite => {
                let mut rng = Streams::new(self.common.seed, Purpose::Restart, self.generation).of(0);
                let elite = rng.below(self.costs.len().div_ceil(10));
                self.order.sort_unstable_by(|a, b| self.costs[*a].total_cmp(&self.costs[*b]).then(a.cmp(b)));
                self.reference.copy_from_slice(self.population.row(self.order[elite]));
            }
        }
        let streams = Streams::new(self.common.seed, Purpose::Align, self.generation);
        for (i, row) in self.population.rows_mut().enumerate() {
            if poll(8 * row.len()) {
                return;
            }
            align.align(row, &self.reference, &mut streams.of(i));
        }
    }

    /// Builds one trial vector for each individual (paper, eq. 9 and 10).
    fn propose(&mut self) {
        let Self { common, settings, crossing, population, trials, generation, .. } = self;
        let best = population.row(self.best);
        let mut rng = Streams::new(common.seed, Purpose::Generation, *generation).long(0);
        let of_generation = settings.weight.draw_for_generation(&mut rng);
        let streams = Streams::new(common.seed, Purpose::Propose, *generation);
        for i in 0..population.len() {
            if poll(8 * population.dim()) {
                break;
            }
            let mut rng = streams.long(i);
            let f = settings.weight.draw_for_trial(of_generation, &mut rng);
            let drawn = draw_distinct(&mut rng, population.len(), i, settings.mutation.drawn());
            let [r0, r1, r2, r3, r4] = drawn.map(|r| population.row(r));
            let (parent, trial) = (population.row(i), trials.row_mut(i));
            match settings.mutation {
                Mutation::Rand1 => mutate(trial, r0, f, r1, r2),
                Mutation::Best1 => mutate(trial, best, f, r0, r1),
                Mutation::CurrentToBest1 => {
                    mutate(trial, parent, f, best, parent);
                    mutate_further(trial, f, r0, r1);
                }
                Mutation::Rand2 => {
                    mutate(trial, r0, f, r1, r2);
                    mutate_further(trial, f, r3, r4);
                }
                Mutation::Best2 => {
                    mutate(trial, best, f, r0, r1);
                    mutate_further(trial, f, r2, r3);
                }
            }
            crossing.push(i, settings.crossover_rate, rng, trials, population);
        }
        crossing.finish(trials, population);
        for (trial, parent) in trials.rows_mut().zip(population.rows()) {
            repair(trial, parent, common.bounds);
        }
    }
}

/// `count` different random indices below `n` other than `except`, at the beginning of the result; the rest
/// is `except`.
fn draw_distinct(rng: &mut LongRng, n: usize, except: usize, count: usize) -> [usize; 5] {
    let mut drawn = [except; 5];
    for k in 0..count {
        drawn[k] = loop {
            let r = rng.below(n);
            if r != except && !drawn[..k].contains(&r) {
                break r;
            }
        };
    }
    drawn
}

impl Optimizer for DifferentialEvolution {
    fn ask(&mut self) -> Request<'_> {
        if !self.proposed {
            if self.generation == 0 {
                self.start();
            } else {
                self.propose();
                self.cutoffs.copy_from_slice(&self.costs);
            }
            self.proposed = true;
        }
        Request::costs(&self.trials, &self.cutoffs)
    }

    fn tell(&mut self, evaluations: &mut Evaluations) {
        for (i, cost) in evaluations.costs.iter().enumerate() {
            if *cost < self.costs[i] || self.generation == 0 {
                self.population.row_mut(i).copy_from_slice(self.trials.row(i));
                self.costs[i] = *cost;
            }
        }
        for (i, cost) in self.costs.iter().enumerate() {
            if *cost < self.costs[self.best] {
                self.best = i;
            }
        }
        self.generation += 1;
        self.proposed = false;
        self.align();
    }

    fn start_at(&mut self, point: &[f64]) {
        self.given = Some(point.to_vec());
    }

    fn best(&self) -> Best<'_> {
        Best { x: self.population.row(self.best), cost: self.costs[self.best] }
    }

    fn population(&self) -> (&Population, &[f64]) {
        (&self.population, &self.costs)
    }

    fn save(&self) -> Vec<u8> {
        let Self { population, costs, best, generation, .. } = self;
        encode(NAME, &(population, costs, best, generation))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let (population, costs, best, generation): (Population, Vec<f64>, usize, u64) = decode(NAME, saved)?;
        let (n, dim) = (self.population.len(), self.population.dim());
        if !population.has_shape(n, dim) || best >= n {
            return Err(Error::State(format!(
                "it does not contain {n} individuals with {dim} parameters each"
            )));
        }
        check_sizes(&[("costs", costs.len(), n)])?;
        (self.population, self.costs, self.best, self.generation) = (population, costs, best, generation);
        // The initial population has no cutoffs.
        self.cutoffs.fill(f64::INFINITY);
        self.proposed = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
