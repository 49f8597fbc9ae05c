//! Local search on growing samples of the rows.
//!
//! Most of a search needs only a rough comparison of many points, for which a random sample of the rows is
//! enough. A [`LocalSearch`] on a small sample makes many descents; the best continue on samples that grow,
//! and those that are clearly worse are left out; the last descent is on all rows.

use super::local::Descent;
use super::{Best, LocalSearch, Optimizer, Optimum, Termination};
use crate::saved::{decode, encode};
use crate::{Derivatives, Error, Evaluations, Population, Request, Topology};
use serde::{Deserialize, Serialize};

/// Minimum number of rows of a sample, and of rows for each parameter.
const LEAST_SAMPLE: usize = 10_000;
const ROWS_PER_PARAMETER: usize = 20;
/// Maximum number of descents that continue on the first larger sample.
const MOST_REFINED: usize = 4;
/// Halvings between the sizes of two samples: each has four times as many rows as the one before.
const HALVINGS: u32 = 2;
/// A descent on a sample ends when [some steps](Descent::SLOW_STEPS) in a row have gained little, which is
/// this fraction of the standard error with which the sample's cost estimates that on other rows.
///
/// Measured on 10^6 rows of friedman1: with 0.1, descents stop in valleys of the cost which they then
/// follow on all rows, 18 to 49 steps instead of 3 or 4.
const LITTLE: f64 = 0.02;
/// Less than this fraction of the cost is always little.
const LEAST: f64 = 1e-9;

/// The number of times that the rows of a table are halved to get the first sample, none for a small table.
pub(crate) fn halvings_of_first_sample(topology: &Topology, rows: usize) -> u32 {
    let parameters = topology.parameters(true);
    let least = LEAST_SAMPLE.max(ROWS_PER_PARAMETER * parameters);
    // All rows are the last sample.
    (rows / least).checked_ilog2().unwrap_or(0) / HALVINGS * HALVINGS
}

/// A [`LocalSearch`] on a sample of the rows, whose best descents continue on more and more rows.
pub struct GrowingSample<D: Descent> {
    search: LocalSearch<D>,
    radius: f64,
    max_steps: u32,
    state: State<D>,
    candidates: Population,
    cutoffs: [f64; 1],
    work: D::Work,
}

/// The state, except that of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
struct State<D: Descent> {
    /// The number of times that the rows are halved to get the current sample.
    halvings: u32,
    /// Descents on the current sample; none while the search is not finished.
    descents: Vec<D>,
    /// The one that continues.
    active: usize,
    /// Its steps in a row that have gained little.
    slow_steps: u32,
    /// The standard error of a cost on this sample: the largest of the descents, or that of the search's
    /// best.
    standard_error: f64,
    best: Vec<f64>,
    best_cost: f64,
    /// Whether nothing is evaluated on this sample yet.
    is_first: bool,
    finished: Option<Termination>,
}

impl<D: Descent> GrowingSample<D> {
    /// `search` on a sample for which the rows are halved `halvings` times.
    #[must_use]
    pub fn new(search: LocalSearch<D>, halvings: u32) -> Self {
        let (dim, radius, max_steps) = search.limits();
        let state = State {
            halvings,
            descents: Vec::new(),
            active: 0,
            slow_steps: 0,
            standard_error: 0.0,
            best: vec![0.0; dim],
            best_cost: f64::INFINITY,
            is_first: false,
            finished: None,
        };
        Self {
            search: search.keep_descents(MOST_REFINED),
            radius,
            max_steps,
            state,
            candidates: Population::new(1, dim),
            cutoffs: [f64::INFINITY],
            work: D::work(dim),
        }
    }

    /// Takes the best descents of the finished search to the next sample.
    fn begin_refinement(&mut self) {
        let descents = self.search.best_descents();
        let best = descents.first().map_or(f64::INFINITY, |descent| descent.position().cost);
        let limit = best + self.state.standard_error;
        let good = descents.iter().take_while(|descent| descent.position().cost <= limit);
        let mut descents: Vec<D> = good.map(D::on_other_rows).collect();
        if descents.is_empty() {
            descents.push(D::new(self.state.best.clone()));
        }
        self.refine(descents);
    }

    /// Begins descents on a sample that is larger.
    fn refine(&mut self, descents: Vec<D>) {
        let state = &mut self.state;
        state.halvings = state.halvings.saturating_sub(HALVINGS);
        state.descents = descents;
        (state.active, state.slow_steps, state.standard_error) = (0, 0, 0.0);
        state.is_first = true;
    }

    /// After the last descent on a sample: those that may be the best go on to the next one.
    fn next_sample(&mut self) {
        let state = &mut self.state;
        if state.halvings == 0 {
            state.finished = Some(Termination::Patience);
            return;
        }
        state.descents.sort_by(|a, b| a.position().cost.total_cmp(&b.position().cost));
        let limit = state.descents[0].position().cost + state.standard_error;
        let most = state.descents.len().div_ceil(2);
        let good = state.descents.iter().take_while(|descent| descent.position().cost <= limit).take(most);
        let descents = good.map(D::on_other_rows).collect();
        self.refine(descents);
    }

    fn tell_refinement(&mut self, evaluations: &mut Evaluations) {
        let cost = evaluations.costs[0];
        let state = &mut self.state;
        let descent = &mut state.descents[state.active];
        let before = descent.position().cost;
        let needed_slopes = descent.needs_slopes();
        match evaluations.slopes.first_mut() {
            Some(slopes) => descent.learn(cost, slopes, self.radius, &mut self.work),
            None => descent.position_mut().has_converged = true,
        }
        let error = evaluations.standard_errors.first().copied().unwrap_or(0.0);
        state.standard_error = state.standard_error.max(error);
        let position = descent.position();
        // Costs on different samples cannot be compared.
        if position.cost < state.best_cost || (state.is_first && position.cost.is_finite()) {
            state.is_first = false;
            state.best_cost = position.cost;
            state.best.copy_from_slice(&position.x);
        }
        let little = (LITTLE * error).max(LEAST * position.cost);
        let is_slow = !needed_slopes && before - position.cost <= little;
        state.slow_steps = if is_slow { state.slow_steps + 1 } else { 0 };
        let ends = position.has_converged || position.steps >= self.max_steps;
        if ends || state.slow_steps >= D::SLOW_STEPS {
            (state.active, state.slow_steps) = (state.active + 1, 0);
            if state.active == state.descents.len() {
                self.next_sample();
            }
        }
    }
}

impl<D: Descent> Optimizer for GrowingSample<D> {
    fn ask(&mut self) -> Request<'_> {
        let State { halvings, descents, active, .. } = &self.state;
        let Some(descent) = descents.get(*active) else {
            return Request { halvings: *halvings, ..self.search.ask() };
        };
        self.candidates.row_mut(0).copy_from_slice(&descent.position().trial);
        self.cutoffs = [descent.cutoff()];
        Request {
            candidates: &self.candidates,
            cutoffs: &self.cutoffs,
            slopes: Some(f64::NEG_INFINITY),
            halvings: *halvings,
        }
    }

    fn tell(&mut self, evaluations: &mut Evaluations) {
        if !self.state.descents.is_empty() {
            self.tell_refinement(evaluations);
            return;
        }
        self.search.tell(evaluations);
        let Best { x, cost } = self.search.best();
        let State { best, best_cost, standard_error, .. } = &mut self.state;
        if cost < *best_cost {
            *best_cost = cost;
            best.copy_from_slice(x);
            *standard_error = evaluations.standard_errors.iter().copied().fold(0.0, f64::max);
        }
        if self.search.finished().is_some() {
            self.begin_refinement();
        }
    }

    fn derivatives(&self) -> Option<Derivatives> {
        self.search.derivatives()
    }

    fn start_at(&mut self, point: &[f64]) {
        self.search.start_at(point);
    }

    fn best(&self) -> Best<'_> {
        Best { x: &self.state.best, cost: self.state.best_cost }
    }

    fn population(&self) -> (&Population, &[f64]) {
        self.search.population()
    }

    fn finished(&self) -> Option<Termination> {
        self.state.finished
    }

    fn optima(&self) -> &[Optimum] {
        // Their costs are those on a sample.
        &[]
    }

    fn save(&self) -> Vec<u8> {
        encode(&name::<D>(), &(self.search.save(), self.search.ended(), &self.state))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let (search, ended, state): (Vec<u8>, Vec<D>, State<D>) = decode(&name::<D>(), saved)?;
        let dim = self.state.best.len();
        let fits = state.best.len() == dim
            && state.halvings <= self.state.halvings
            && (state.descents.is_empty() || state.active < state.descents.len() || state.finished.is_some())
            && state.descents.iter().all(|descent| descent.has_shape(dim));
        if !(fits && self.search.restore_ended(ended)) {
            return Err(Error::State("its sizes do not fit the settings".into()));
        }
        self.search.restore(&search)?;
        self.state = state;
        Ok(())
    }
}

/// Identifies saved states.
fn name<D: Descent>() -> String {
    format!("growing-sample-{}", D::NAME)
}
