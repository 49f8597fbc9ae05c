//! Random search, registered only in tests: it shows that a new method needs only one file and one line in
//! [`METHODS`](super::METHODS).

use super::entry::{Entry, Features, PaperMethod};
use super::settings::Setup;
use crate::optimizer::{Best, CommonSettings, Optimizer};
use crate::rng::{Purpose, Streams};
use crate::saved::{decode, encode};
use crate::{Error, Evaluations, Population, Request};
use serde::{Deserialize, Serialize};

pub(super) static RANDOM_SEARCH: RandomSearch = RandomSearch;

pub(super) struct RandomSearch;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RandomSettings {
    /// Factor of the start interval.
    pub(super) scale: Option<f64>,
}

impl Entry for RandomSearch {
    type Settings = RandomSettings;

    fn name(&self) -> &'static str {
        "random-search"
    }

    fn description(&self) -> &'static str {
        "independent random candidates"
    }

    fn features(&self) -> Features {
        Features {
            alignment: None,
            has_population: true,
            is_for_functions: true,
            has_default_population: true,
            spread: None,
            paper: PaperMethod::De,
        }
    }

    fn defaults(&self) -> RandomSettings {
        RandomSettings::default()
    }

    fn validate(&self, common: &CommonSettings, own: &RandomSettings) -> Result<(), Error> {
        if common.population == Some(0) {
            return Err(Error::setting("population", 0, "must be at least 1"));
        }
        match own.scale.filter(|scale| !(*scale > 0.0 && scale.is_finite())) {
            Some(scale) => Err(Error::setting("scale", scale, "must be positive")),
            None => Ok(()),
        }
    }

    fn population(&self, common: &CommonSettings, _: &RandomSettings, _: usize) -> usize {
        common.population.unwrap_or(10)
    }

    fn optimizer(&self, setup: &Setup<'_>, own: &RandomSettings) -> Result<Box<dyn Optimizer>, Error> {
        let (dim, n) = (setup.dim, self.population(setup.common, own, setup.dim));
        Ok(Box::new(Searcher {
            common: setup.common.clone(),
            scale: own.scale.unwrap_or(1.0),
            generation: 0,
            candidates: Population::new(n, dim),
            cutoffs: vec![f64::INFINITY; n],
            costs: vec![f64::INFINITY; n],
            best: vec![0.0; dim],
            best_cost: f64::INFINITY,
            given: None,
        }))
    }
}

struct Searcher {
    common: CommonSettings,
    scale: f64,
    generation: u64,
    candidates: Population,
    cutoffs: Vec<f64>,
    costs: Vec<f64>,
    best: Vec<f64>,
    best_cost: f64,
    /// A point of the first generation, if one is given.
    given: Option<Vec<f64>>,
}

impl Optimizer for Searcher {
    fn ask(&mut self) -> Request<'_> {
        let streams = Streams::new(self.common.seed, Purpose::Propose, self.generation);
        let (low, high) = self.common.start;
        for (i, x) in self.candidates.rows_mut().enumerate() {
            let mut rng = streams.long(i);
            x.iter_mut().for_each(|v| *v = self.scale * rng.between(low, high));
        }
        if let Some(given) = self.given.as_ref().filter(|_| self.generation == 0) {
            self.candidates.row_mut(0).copy_from_slice(given);
        }
        self.cutoffs.fill(self.best_cost);
        Request::costs(&self.candidates, &self.cutoffs)
    }

    fn tell(&mut self, evaluations: &mut Evaluations) {
        self.ask();
        self.costs.copy_from_slice(&evaluations.costs);
        for (x, cost) in self.candidates.rows().zip(&self.costs) {
            if *cost < self.best_cost {
                self.best_cost = *cost;
                self.best.copy_from_slice(x);
            }
        }
        self.generation += 1;
    }

    fn start_at(&mut self, point: &[f64]) {
        self.given = Some(point.to_vec());
    }

    fn best(&self) -> Best<'_> {
        Best { x: &self.best, cost: self.best_cost }
    }

    fn population(&self) -> (&Population, &[f64]) {
        (&self.candidates, &self.costs)
    }

    fn save(&self) -> Vec<u8> {
        encode("random-search", &(self.generation, &self.best, self.best_cost))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let (generation, best, best_cost): (u64, Vec<f64>, f64) = decode("random-search", saved)?;
        if best.len() != self.best.len() {
            return Err(Error::State("it has another dimension".into()));
        }
        (self.generation, self.best, self.best_cost) = (generation, best, best_cost);
        Ok(())
    }
}
