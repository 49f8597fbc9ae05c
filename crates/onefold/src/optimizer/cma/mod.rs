//! CMA-ES: candidates are drawn from a normal distribution, whose mean, step size and covariance are adapted.
//!
//! Equation numbers are those of Hansen's tutorial, arXiv:1604.00772v2.

mod constants;
mod settings;
mod shape;
mod stops;
mod update;

pub use settings::{CmaPreset, CmaSettings, Covariance};

use super::common::check_dimension;
use super::{Align, Best, CommonSettings, Optimizer, Termination};
use crate::cancellation::poll;
use crate::rng::{Purpose, Streams};
use crate::saved::{check_sizes, decode, encode};
use crate::{Error, Evaluations, Population, Request};
use constants::Constants;
use serde::{Deserialize, Serialize};
use shape::{Shape, Work};
use stops::History;

/// Identifies saved states of this optimiser.
const NAME: &str = "cma-es";
/// The part of the interquartile range of the costs that a standard deviation outside the bounds costs. With
/// more, minima in corners take longer; with ten times as much, ten times as long in 20 dimensions.
const PENALTY_OUTSIDE: f64 = 0.03;
/// How often a candidate is drawn until it is within the bounds. In a narrow valley, the nearest point within
/// costs much more than the one that was drawn: with one draw, the ellipsoids of the tests take 1.3 to 1.5
/// times the evaluations of a search without bounds, with two as many. The more draws, the fewer candidates
/// are on the boundary, and the later a minimum there is found.
const DRAWS: usize = 2;

/// Covariance Matrix Adaptation Evolution Strategy.
///
/// Infinite costs rank last. With [`bounds`](CommonSettings::bounds), a candidate drawn outside is drawn once
/// more; if that is outside, too, the nearest point within is evaluated in its place, so that a minimum on
/// the boundary is found exactly. The distribution is updated with the point that was drawn, which ranks with
/// a penalty for its distance from the bounds; without one, coordinates that matter little would drift away.
///
/// ```
/// use onefold::{CmaEs, CmaSettings, CommonSettings, Function, Stop, search};
///
/// let mut rosenbrock = Function::new(8, |x: &[f64]| {
///     x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum()
/// });
/// let mut cma = CmaEs::new(8, CommonSettings::with_seed(3), CmaSettings::default())?;
/// let stop = Stop { threshold: Some(1e-9), max_evaluations: Some(100_000), ..Default::default() };
/// let report = search(&mut rosenbrock, &mut cma, &stop)?;
/// assert!(report.reached);
/// # Ok::<(), onefold::Error>(())
/// ```
pub struct CmaEs {
    common: CommonSettings,
    settings: CmaSettings,
    align: Option<Box<dyn Align>>,
    constants: Constants,
    state: State,
    candidates: Population,
    /// For each candidate, its step from the mean in units of the step size, before bounds.
    steps: Population,
    /// For each candidate, the squared Mahalanobis length of its step.
    lengths: Vec<f64>,
    /// For each candidate, its squared distance from the bounds when it was drawn; zero within.
    outside: Vec<f64>,
    costs: Vec<f64>,
    cutoffs: Vec<f64>,
    proposed: bool,
    // Workspace of one generation.
    order: Vec<usize>,
    sorted: Vec<f64>,
    z: Vec<f64>,
    step: Vec<f64>,
    white: Vec<f64>,
    work: Work,
}

/// The complete state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct State {
    generation: u64,
    mean: Vec<f64>,
    sigma: f64,
    shape: Shape,
    /// Generation of the last decomposition.
    decomposed_at: u64,
    /// Step-size evolution path.
    path_sigma: Vec<f64>,
    /// Covariance evolution path.
    path: Vec<f64>,
    best: Vec<f64>,
    best_cost: f64,
    history: History,
    finished: Option<Termination>,
}

impl CmaEs {
    /// An optimiser in `dim` dimensions whose initial mean is drawn from the start interval.
    ///
    /// # Errors
    /// If a setting is out of range or `dim` is zero.
    pub fn new(dim: usize, common: CommonSettings, settings: CmaSettings) -> Result<Self, Error> {
        let mut rng = Streams::new(common.seed, Purpose::Start, 0).long(0);
        settings.validate(&common)?;
        settings.check_memory(&common, dim)?;
        let (low, high) = common.start;
        Self::starting_at((0..dim).map(|_| rng.between(low, high)).collect(), common, settings)
    }

    /// An optimiser with the given initial mean.
    ///
    /// # Errors
    /// If a setting is out of range, or the mean is empty, not finite or out of bounds.
    pub fn starting_at(mean: Vec<f64>, common: CommonSettings, settings: CmaSettings) -> Result<Self, Error> {
        settings.validate(&common)?;
        let dim = mean.len();
        check_dimension(dim)?;
        settings.check_memory(&common, dim)?;
        let (low, high) = common.bounds.unwrap_or((f64::MIN, f64::MAX));
        if let Some(outside) = mean.iter().find(|v| !(low..=high).contains(*v)) {
            return Err(Error::setting("mean", outside, "must be finite and within the bounds"));
        }
        let n = CmaSettings::population(&common, dim);
        let state = State {
            generation: 0,
            sigma: settings.sigma,
            shape: Shape::sphere(dim, settings.covariance),
            decomposed_at: 0,
            path_sigma: vec![0.0; dim],
            path: vec![0.0; dim],
            best: mean.clone(),
            best_cost: f64::INFINITY,
            history: History::default(),
            finished: None,
            mean,
        };
        Ok(Self {
            constants: Constants::new(dim, n, &settings),
            common,
            settings,
            align: None,
            state,
            candidates: Population::new(n, dim),
            steps: Population::new(n, dim),
            lengths: vec![0.0; n],
            outside: vec![0.0; n],
            costs: vec![f64::INFINITY; n],
            cutoffs: vec![f64::INFINITY; n],
            proposed: false,
            order: (0..n).collect(),
            sorted: vec![0.0; n],
            z: vec![0.0; dim],
            step: vec![0.0; dim],
            white: vec![0.0; dim],
            work: Work::default(),
        })
    }

    /// Adds symmetry breaking: every candidate is replaced by its symmetric equivalent nearest to the mean
    /// before it is evaluated, so that mirror images of good solutions do not average out.
    #[must_use]
    pub fn aligned(self, align: Option<Box<dyn Align>>) -> Self {
        Self { align, ..self }
    }

    /// The mean of the distribution.
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.state.mean
    }

    /// The step size.
    #[must_use]
    pub fn sigma(&self) -> f64 {
        self.state.sigma
    }

    /// Draws `x = m + sigma · y` with `y = B D z` for each candidate (eq. 38 to 40), again if it is outside the
    /// bounds.
    fn propose(&mut self) {
        let Self { common, align, state, candidates, steps, lengths, outside, z, white, work, .. } = self;
        state.shape.prepare(work);
        let streams = Streams::new(common.seed, Purpose::Propose, state.generation);
        let choices = Streams::new(common.seed, Purpose::Align, state.generation);
        let rows = candidates.rows_mut().zip(steps.rows_mut());
        for (i, ((x, y), (length, outside))) in rows.zip(lengths.iter_mut().zip(outside)).enumerate() {
            if poll(state.shape.work()) {
                return;
            }
            let mut rng = streams.long(i);
            for _ in 0..DRAWS {
                rng.normals(z);
                state.shape.stretch(z, y, work);
                for ((x, m), y) in x.iter_mut().zip(&state.mean).zip(&*y) {
                    *x = m + state.sigma * y;
                }
                let is_within = |(low, high)| x.iter().all(|v| (low..=high).contains(v));
                if common.bounds.is_none_or(is_within) {
                    break;
                }
            }
            *length = z.iter().map(|v| v * v).sum();
            if let Some(align) = align {
                align.align(x, &state.mean, &mut choices.of(i));
                for ((y, x), m) in y.iter_mut().zip(&*x).zip(&state.mean) {
                    *y = (x - m) / state.sigma;
                }
                *length = state.shape.whiten(y, white);
            }
            if let Some((low, high)) = common.bounds {
                *outside = moved_within(x, low, high);
            }
        }
    }

    /// Ranks the candidates, best first, with the penalty for points drawn outside the bounds; of equal ones
    /// those less far outside, then in the order they were drawn.
    fn rank(&mut self, costs: &[f64]) {
        self.costs.copy_from_slice(costs);
        self.sorted.copy_from_slice(costs);
        self.sorted.sort_unstable_by(f64::total_cmp);
        let weight = self.weight_outside();
        let (costs, outside) = (&self.costs, &self.outside);
        let penalised = |i: usize| {
            if weight > 0.0 && outside[i] > 0.0 { costs[i] + weight * outside[i] } else { costs[i] }
        };
        self.order.sort_unstable_by(|a, b| {
            let of_outside = || outside[*a].total_cmp(&outside[*b]);
            penalised(*a).total_cmp(&penalised(*b)).then_with(of_outside).then(a.cmp(b))
        });
    }

    /// The penalty for a squared distance of one from the bounds: a standard deviation outside costs a part
    /// of the interquartile range of the costs. Zero where no candidate is outside, or the range is not
    /// finite.
    fn weight_outside(&self) -> f64 {
        if self.outside.iter().all(|v| *v == 0.0) {
            return 0.0;
        }
        let n = self.sorted.len();
        let range = self.sorted[3 * n / 4] - self.sorted[n / 4];
        let squares: f64 = self.steps.rows().flatten().map(|y| y * y).sum();
        let variance = self.state.sigma * self.state.sigma * squares / (n * self.state.mean.len()) as f64;
        let weight = PENALTY_OUTSIDE * range / variance;
        if weight.is_finite() { weight } else { 0.0 }
    }
}

/// Moves a point to the nearest one within bounds, and returns the squared distance.
fn moved_within(x: &mut [f64], low: f64, high: f64) -> f64 {
    let mut squared = 0.0;
    for v in x {
        let within = v.clamp(low, high);
        squared += (*v - within) * (*v - within);
        *v = within;
    }
    squared
}

impl Optimizer for CmaEs {
    fn ask(&mut self) -> Request<'_> {
        if !self.proposed {
            self.propose();
            self.proposed = true;
        }
        Request::costs(&self.candidates, &self.cutoffs)
    }

    fn tell(&mut self, evaluations: &mut Evaluations) {
        self.rank(&evaluations.costs);
        // The candidate with the least cost, which a penalty need not rank first.
        let costs = &self.costs;
        let best = (0..costs.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap_or(0);
        let improved = self.costs[best] < self.state.best_cost;
        if improved {
            self.state.best_cost = self.costs[best];
            self.state.best.copy_from_slice(self.candidates.row(best));
        }
        let (mean, sigma) = (self.state.mean.clone(), self.state.sigma);
        self.update();
        self.state.generation += 1;
        self.proposed = false;
        let state = &mut self.state;
        if state.mean.iter().all(|v| v.is_finite()) && state.sigma.is_finite() && state.sigma > 0.0 {
            self.settle(improved);
        } else {
            // The last valid distribution is kept, in case of another `ask`.
            (state.mean, state.sigma) = (mean, sigma);
            state.finished = Some(Termination::NotFinite);
        }
    }

    fn start_at(&mut self, point: &[f64]) {
        self.state.mean.copy_from_slice(point);
        self.state.best.copy_from_slice(point);
    }

    fn best(&self) -> Best<'_> {
        Best { x: &self.state.best, cost: self.state.best_cost }
    }

    fn population(&self) -> (&Population, &[f64]) {
        (&self.candidates, &self.costs)
    }

    fn finished(&self) -> Option<Termination> {
        self.state.finished
    }

    fn save(&self) -> Vec<u8> {
        encode(NAME, &self.state)
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let state: State = decode(NAME, saved)?;
        let dim = self.state.mean.len();
        check_sizes(&[
            ("parameters", state.mean.len(), dim),
            ("parameters in its path", state.path.len(), dim),
            ("parameters in its path", state.path_sigma.len(), dim),
            ("parameters in its best", state.best.len(), dim),
        ])?;
        let is_finite = |v: &[f64]| v.iter().all(|v| v.is_finite());
        let is_sound = state.shape.is_like(&self.state.shape)
            && is_finite(&state.mean)
            && state.sigma > 0.0
            && state.sigma.is_finite()
            && state.decomposed_at <= state.generation
            && state.history.is_before(state.generation, dim);
        if !is_sound {
            return Err(Error::State("its distribution does not fit the settings".into()));
        }
        self.state = state;
        self.proposed = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
