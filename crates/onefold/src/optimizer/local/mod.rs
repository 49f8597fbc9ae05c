//! Global search by local descents: choice of starts, asynchronous successive halving, and the optima found.

mod descent;
mod optima;
mod race;
mod settings;
mod starts;

pub use descent::{Descent, Lbfgs, LevenbergMarquardt, Position};
pub use optima::Optimum;
pub use settings::LocalSettings;

use super::common::check_dimension;
use super::{Align, Best, CommonSettings, Optimizer, Termination};
use crate::cancellation::is_cut_off;
use crate::saved::{decode, encode};
use crate::{Derivatives, Error, Evaluations, Population, Request};
use optima::Optima;
use race::Race;
use serde::{Deserialize, Serialize};

/// Minimum relative improvement that resets patience.
const IMPROVEMENT: f64 = 1e-3;
/// Largest relative difference between the costs of descents that lead to the same optimum.
const SAME: f64 = 1e-6;

/// Global search by local descents.
///
/// Each descent starts at the best of a few random points and takes steps of one kind:
/// [`LevenbergMarquardt`], or [`Lbfgs`] where the Gauss-Newton matrix takes too much time. Descents are
/// compared by [asynchronous successive halving](LocalSettings::race): worse ones are paused. With an
/// [`Align`], mirror images of a local optimum count as one, and once all optima have probably been found
/// the search [is finished](Optimizer::finished).
///
/// The objective must provide slopes, as [`NetworkCost`](crate::NetworkCost) does.
pub struct LocalSearch<D: Descent = LevenbergMarquardt> {
    common: CommonSettings,
    settings: LocalSettings,
    /// Candidates for each start.
    population: usize,
    /// The best descents that have ended, at most `kept`. They are not part of the saved state.
    ended: Vec<D>,
    kept: usize,
    align: Option<Box<dyn Align>>,
    /// The factor of each coordinate by which the start interval is multiplied.
    scales: Vec<f64>,
    radius: f64,
    state: State<D>,
    /// The candidates to be evaluated.
    candidates: Population,
    cutoffs: Vec<f64>,
    /// The optima as a population, for observers.
    shown: Population,
    shown_costs: Vec<f64>,
    proposed: bool,
    work: D::Work,
}

/// The complete state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
struct State<D: Descent> {
    /// Starts so far, the current one included.
    starts: u64,
    /// The active descent; none while a start is being chosen.
    descent: Option<D>,
    race: Race<D>,
    optima: Optima,
    best: Vec<f64>,
    best_cost: f64,
    /// The best cost when patience was last reset.
    reference_cost: f64,
    /// Descents since then.
    waited: u64,
    finished: Option<Termination>,
}

impl<D: Descent> LocalSearch<D> {
    /// A search in `dim` dimensions.
    ///
    /// # Errors
    /// If a setting is out of range or `dim` is zero.
    pub fn new(
        dim: usize,
        common: CommonSettings,
        settings: LocalSettings,
        align: Option<Box<dyn Align>>,
    ) -> Result<Self, Error> {
        settings.validate(&common)?;
        check_dimension(dim)?;
        let candidates = settings.population(&common);
        let what = || format!("a population of {candidates} individuals with {dim} parameters each");
        crate::error::check_size(&[2, candidates, dim], what, "reduce the population")?;
        let what = || format!("local steps in {dim} dimensions");
        let advice = "use fewer neurons, or a method without local steps";
        crate::error::check_size(&[dim, D::numbers_per_dimension(dim)], what, advice)?;
        let state = State {
            starts: 0,
            descent: None,
            race: Race::default(),
            optima: Optima::default(),
            best: vec![0.0; dim],
            best_cost: f64::INFINITY,
            reference_cost: f64::INFINITY,
            waited: 0,
            finished: None,
        };
        Ok(Self {
            radius: settings.radius.unwrap_or_else(|| (dim as f64).sqrt()),
            population: candidates,
            ended: Vec::new(),
            kept: 0,
            common,
            settings,
            align,
            scales: vec![1.0; dim],
            state,
            candidates: Population::new(1, dim),
            cutoffs: vec![f64::INFINITY],
            shown: Population::new(0, dim),
            shown_costs: Vec::new(),
            proposed: false,
            work: D::work(dim),
        })
    }

    /// Multiplies the start interval of each coordinate by its own factor: neurons with a large fan-in should
    /// start with small weights.
    ///
    /// # Errors
    /// If there are more or fewer factors than coordinates, or one is not a positive number.
    pub fn with_scales(mut self, scales: Vec<f64>) -> Result<Self, Error> {
        if scales.len() != self.scales.len() {
            let expected = format!("must be one for each of the {} coordinates", self.scales.len());
            return Err(Error::setting("scales", scales.len(), expected));
        }
        if let Some(scale) = scales.iter().find(|scale| !(scale.is_finite() && **scale > 0.0)) {
            return Err(Error::setting("scales", scale, "must be positive"));
        }
        self.scales = scales;
        Ok(self)
    }

    /// Dimension, radius of the sphere, and maximum number of steps of a descent.
    pub(super) fn limits(&self) -> (usize, f64, u32) {
        (self.scales.len(), self.radius, self.settings.max_steps)
    }

    /// The same search, which keeps this many of the best descents after they have ended.
    pub(super) fn keep_descents(mut self, count: usize) -> Self {
        self.kept = count;
        self
    }

    /// The best descents that have ended.
    pub(super) fn ended(&self) -> &[D] {
        &self.ended
    }

    /// Takes those of a saved search; false if their sizes do not fit.
    pub(super) fn restore_ended(&mut self, ended: Vec<D>) -> bool {
        let dim = self.state.best.len();
        self.ended = ended;
        self.ended.len() <= self.kept && self.ended.iter().all(|descent| descent.has_shape(dim))
    }

    /// The best descents of all that have ended, are paused or continue. Of those that lead to the same
    /// optimum, or to mirror images of it, there is one.
    pub(super) fn best_descents(&self) -> Vec<D> {
        let State { race, descent, .. } = &self.state;
        let mut best: Vec<D> = self.ended.iter().chain(race.paused()).chain(descent).cloned().collect();
        best.sort_by(|a, b| a.position().cost.total_cmp(&b.position().cost));
        best.dedup_by(|b, a| b.position().cost <= a.position().cost * (1.0 + SAME));
        best.truncate(self.kept);
        best
    }

    fn propose(&mut self) {
        if self.state.descent.is_none() && self.settings.race {
            self.state.descent = self.state.race.resume();
        }
        if self.state.descent.is_none() && self.population == 1 {
            // The only candidate is the start; no evaluation is needed to choose it.
            self.resize(1);
            self.choose_starts();
            self.descend_from(0);
        }
        let count = if self.state.descent.is_some() { 1 } else { self.population };
        self.resize(count);
        if let Some(descent) = &self.state.descent {
            self.candidates.row_mut(0).copy_from_slice(&descent.position().trial);
            self.cutoffs[0] = descent.cutoff();
        } else {
            self.choose_starts();
        }
        self.proposed = true;
    }

    fn resize(&mut self, count: usize) {
        if self.candidates.len() != count {
            self.candidates = Population::new(count, self.state.best.len());
            self.cutoffs = vec![f64::INFINITY; count];
        }
    }

    fn descend_from(&mut self, candidate: usize) {
        self.state.starts = self.state.starts.saturating_add(1);
        self.state.descent = Some(D::new(self.candidates.row(candidate).to_vec()));
    }

    /// Ends, pauses or continues the descent.
    fn end_pause_or_continue(&mut self, descent: D) {
        let state = &mut self.state;
        if !descent.position().has_converged && descent.position().steps < self.settings.max_steps {
            state.descent = if self.settings.race { state.race.after_step(descent) } else { Some(descent) };
            if state.descent.is_some() {
                return;
            }
        } else {
            state.race.ended(&descent);
            let Position { x, cost, has_converged, .. } = descent.position();
            state.optima.add(x, *cost, *has_converged, self.align.as_deref());
            if state.optima.are_all_known() {
                state.finished = Some(Termination::AllOptima);
            }
            if self.kept > 0 {
                self.ended.push(descent);
                self.ended.sort_by(|a, b| a.position().cost.total_cmp(&b.position().cost));
                self.ended.truncate(self.kept);
            }
            self.show_optima();
        }
        let state = &mut self.state;
        state.waited = state.waited.saturating_add(1);
        if state.best_cost < state.reference_cost * (1.0 - IMPROVEMENT) {
            (state.reference_cost, state.waited) = (state.best_cost, 0);
        }
        if self.settings.patience.is_some_and(|patience| state.waited >= patience) {
            state.finished = Some(Termination::Patience);
        }
    }

    fn show_optima(&mut self) {
        let optima = &self.state.optima.list;
        self.shown = Population::new(optima.len(), self.state.best.len());
        self.shown.rows_mut().zip(optima).for_each(|(row, optimum)| row.copy_from_slice(&optimum.x));
        self.shown_costs = optima.iter().map(|optimum| optimum.cost).collect();
    }

    fn update_best(&mut self, i: usize, cost: f64) {
        if cost < self.state.best_cost {
            self.state.best_cost = cost;
            self.state.best.copy_from_slice(self.candidates.row(i));
        }
    }
}

impl<D: Descent> Optimizer for LocalSearch<D> {
    fn ask(&mut self) -> Request<'_> {
        if !self.proposed {
            self.propose();
        }
        let no_slopes_below = |descent: &D| {
            self.settings.threshold.filter(|_| !descent.needs_slopes()).unwrap_or(f64::NEG_INFINITY)
        };
        Request {
            candidates: &self.candidates,
            cutoffs: &self.cutoffs,
            slopes: self.state.descent.as_ref().map(no_slopes_below),
            halvings: 0,
        }
    }

    /// If `evaluations` has no slopes, the descent cannot continue and ends.
    fn tell(&mut self, evaluations: &mut Evaluations) {
        let Evaluations { costs, slopes, .. } = evaluations;
        self.ask();
        self.proposed = false;
        let least = (0..costs.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap_or(0);
        if costs[least] <= self.cutoffs[least] {
            self.update_best(least, costs[least]);
        }
        match self.state.descent.take() {
            Some(mut descent) => {
                let is_reached = self.settings.threshold.is_some_and(|threshold| costs[0] <= threshold);
                match slopes.first_mut() {
                    // No slopes were computed; they are requested if the search continues.
                    Some(_) if is_reached && !descent.needs_slopes() => {
                        descent.accept_without_slopes(costs[0]);
                    }
                    Some(slopes) => descent.learn(costs[0], slopes, self.radius, &mut self.work),
                    None => descent.position_mut().has_converged = true,
                }
                if !is_cut_off() {
                    self.end_pause_or_continue(descent);
                }
            }
            None => self.descend_from(least),
        }
    }

    fn derivatives(&self) -> Option<Derivatives> {
        Some(D::DERIVATIVES)
    }

    fn start_at(&mut self, point: &[f64]) {
        let mut start = point.to_vec();
        starts::pull_in(&mut start, self.radius);
        self.state.starts = self.state.starts.saturating_add(1);
        self.state.descent = Some(D::new(start));
    }

    fn best(&self) -> Best<'_> {
        Best { x: &self.state.best, cost: self.state.best_cost }
    }

    fn population(&self) -> (&Population, &[f64]) {
        (&self.shown, &self.shown_costs)
    }

    fn finished(&self) -> Option<Termination> {
        self.state.finished
    }

    fn optima(&self) -> &[Optimum] {
        &self.state.optima.list
    }

    fn save(&self) -> Vec<u8> {
        encode(D::NAME, &self.state)
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let state: State<D> = decode(D::NAME, saved)?;
        let dim = self.state.best.len();
        let fits = state.best.len() == dim
            && state.descent.iter().all(|descent| descent.has_shape(dim))
            && state.race.has_shape(dim)
            && state.optima.has_shape(dim);
        if !fits {
            return Err(Error::State("its sizes do not fit the settings".into()));
        }
        (self.state, self.proposed) = (state, false);
        self.show_optima();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
