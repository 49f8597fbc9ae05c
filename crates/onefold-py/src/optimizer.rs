//! An optimiser to ask and to tell.

use crate::convert::{array_of_rows, from_json, to_json};
use crate::errors::{exception, invalid};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use onefold::optimizer::Best;
use onefold::search::Standing;
use onefold::settings::{FunctionSettings, Interval};
use onefold::{Evaluations, Overrides, Population, Stop, StopReason};
use pyo3::types::PyBytes;
use pyo3::{Bound, PyResult, Python, pyclass, pymethods};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The box in which a function is minimised. Methods search in [-1, 1] in every coordinate.
pub(crate) struct Bounds {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Bounds {
    pub(crate) fn new(low: &[f64], high: &[f64]) -> PyResult<Self> {
        if low.is_empty() || low.len() != high.len() {
            return Err(invalid("bounds must be at least one pair (low, high)"));
        }
        for (i, (a, b)) in low.iter().zip(high).enumerate() {
            let problem = if !(a.is_finite() && b.is_finite()) {
                "but both ends must be finite numbers: the search draws from all of the interval"
            } else if a > b {
                "but the lower end must come first"
            } else if a >= b {
                "but its ends must differ; a variable that is fixed belongs in the function or in args"
            } else if !(b - a).is_finite() {
                "but its width is too large for a number"
            } else {
                continue;
            };
            return Err(invalid(format!("bounds[{i}] is ({a:?}, {b:?}), {problem}")));
        }
        Ok(Self { low: low.to_vec(), high: high.to_vec() })
    }

    pub(crate) fn dim(&self) -> usize {
        self.low.len()
    }

    /// A point of the search as one of the box.
    pub(crate) fn outwards(&self, x: &[f64], point: &mut Vec<f64>) {
        let ends = self.low.iter().zip(&self.high);
        point.extend(x.iter().zip(ends).map(|(x, (low, high))| {
            // The middle of a symmetric interval is exactly 0, and no rounding leaves the box.
            let (centre, half) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
            (half * x + centre).clamp(*low, *high)
        }));
    }

    /// A point of the box as one of the search.
    fn inwards(&self, point: &[f64]) -> PyResult<Vec<f64>> {
        if point.len() != self.dim() {
            return Err(invalid(format!(
                "{} numbers are expected, but {} are given",
                self.dim(),
                point.len()
            )));
        }
        let ends = self.low.iter().zip(&self.high);
        let inwards = |(v, (low, high)): (&f64, (&f64, &f64))| {
            let (centre, half) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
            ((v - centre) / half).clamp(-1.0, 1.0)
        };
        Ok(point.iter().zip(ends).map(inwards).collect())
    }

    /// Points of the search as points of the box, one after the other.
    pub(crate) fn all_outwards(&self, population: &Population) -> Vec<f64> {
        let mut values = Vec::with_capacity(population.len() * self.dim());
        population.rows().for_each(|row| self.outwards(row, &mut values));
        values
    }
}

/// The settings that the Python side wrote as JSON, for a function in the box [-1, 1].
pub(crate) fn function_settings(options: &str, dim: usize) -> PyResult<FunctionSettings> {
    let mut overrides: Overrides = from_json(options)?;
    overrides.bounds = Some(Interval { low: -1.0, high: 1.0 });
    overrides.for_function(dim).map_err(|e| exception(&e))
}

/// The optimiser of these settings, which begins at the point `first`, if there is one.
pub(crate) fn optimizer_at(
    settings: &FunctionSettings,
    bounds: &Bounds,
    first: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Box<dyn onefold::Optimizer>> {
    let mut optimizer = settings.optimizer().map_err(|e| exception(&e))?;
    if let Some(first) = first {
        optimizer.start_at(&bounds.inwards(first.as_slice()?)?);
    }
    Ok(optimizer)
}

/// Points, one in each row, and their costs.
type Points<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// An optimiser, see `onefold.optimizers`. Any thread may use it, one at a time.
#[pyclass(module = "onefold._onefold", frozen)]
pub(crate) struct Optimizer {
    settings: FunctionSettings,
    bounds: Bounds,
    state: Mutex<State>,
}

struct State {
    optimizer: Box<dyn onefold::Optimizer>,
    evaluations: Evaluations,
    /// Number of candidates that were asked for and not told yet.
    asked: Option<usize>,
    counters: Counters,
    started: Instant,
    /// The population, kept when the next candidates had to be drawn to know how many there are.
    last: Option<(Population, Vec<f64>)>,
}

/// What has been told so far.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    generation: u64,
    evaluations: u64,
    /// The generation in which the best cost last improved.
    improved_at: u64,
    /// Elapsed time before the state was restored.
    seconds: f64,
}

impl State {
    fn elapsed(&self) -> Duration {
        let before = Duration::try_from_secs_f64(self.counters.seconds).unwrap_or_default();
        before.saturating_add(self.started.elapsed())
    }

    fn tell(&mut self, costs: &[f64]) {
        let before = self.optimizer.best().cost;
        self.evaluations.costs.clear();
        self.evaluations.costs.extend_from_slice(costs);
        self.evaluations.sanitise();
        self.optimizer.tell(&mut self.evaluations);
        (self.asked, self.last) = (None, None);
        self.counters.generation += 1;
        self.counters.evaluations += costs.len() as u64;
        if self.optimizer.best().cost < before {
            self.counters.improved_at = self.counters.generation;
        }
    }

    /// Why a search with these settings would end now.
    fn reason(&mut self, stop: &Stop) -> Option<StopReason> {
        let Counters { generation, evaluations, improved_at, .. } = self.counters;
        if generation == 0 {
            return None;
        }
        let mut evaluations_after_next = 0.0;
        if stop.max_evaluations.is_some() {
            if self.asked.is_none() && self.last.is_none() {
                let (population, costs) = self.optimizer.population();
                self.last = Some((population.clone(), costs.to_vec()));
            }
            evaluations_after_next = evaluations as f64 + self.optimizer.ask().candidates.len() as f64;
        }
        let standing = Standing {
            generation,
            improved_at,
            evaluations_after_next,
            cost: Some(self.optimizer.best().cost),
            elapsed: self.elapsed(),
            costs: self.last.as_ref().map_or_else(|| self.optimizer.population().1, |(_, costs)| costs),
        };
        stop.reason(&standing).or_else(|| self.optimizer.finished().map(StopReason::Optimizer))
    }
}

impl Optimizer {
    /// Uses the state without the interpreter's lock, so that no thread waits for one lock with the other.
    fn with_state<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut State) -> T + Send) -> T {
        py.detach(|| work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Optimizer {
    #[new]
    fn new(
        low: PyReadonlyArray1<'_, f64>,
        high: PyReadonlyArray1<'_, f64>,
        first: Option<PyReadonlyArray1<'_, f64>>,
        options: &str,
    ) -> PyResult<Self> {
        let bounds = Bounds::new(low.as_slice()?, high.as_slice()?)?;
        let settings = function_settings(options, bounds.dim())?;
        let optimizer = optimizer_at(&settings, &bounds, first)?;
        settings.stop.validate().map_err(|e| exception(&e))?;
        let state = State {
            optimizer,
            evaluations: Evaluations::default(),
            asked: None,
            counters: Counters::default(),
            started: Instant::now(),
            last: None,
        };
        Ok(Self { settings, bounds, state: Mutex::new(state) })
    }

    /// The candidates to be evaluated next, one in each row.
    fn ask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.with_state(py, |state| {
            let candidates = state.optimizer.ask().candidates;
            (state.asked, state.last) = (Some(candidates.len()), None);
            self.bounds.all_outwards(candidates)
        });
        array_of_rows(py, values, self.bounds.dim())
    }

    /// Passes the costs of the candidates that were asked for last.
    fn tell(&self, py: Python<'_>, costs: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let costs = costs.as_slice()?;
        self.with_state(py, |state| {
            let Some(asked) = state.asked else {
                return Err("there are no candidates to tell the costs of; call ask() first".to_owned());
            };
            if costs.len() != asked {
                return Err(format!("{asked} costs are expected, but {} were told", costs.len()));
            }
            state.tell(costs);
            Ok(())
        })
        .map_err(invalid)
    }

    /// The best point so far, and its cost.
    fn best<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, f64) {
        let (point, cost) = self.with_state(py, |state| {
            let Best { x, cost } = state.optimizer.best();
            let mut point = Vec::with_capacity(x.len());
            self.bounds.outwards(x, &mut point);
            (point, cost)
        });
        (PyArray1::from_vec(py, point), cost)
    }

    /// The current population, and its costs.
    fn population<'py>(&self, py: Python<'py>) -> PyResult<Points<'py>> {
        let (points, costs) = self.with_state(py, |state| {
            if let Some((population, costs)) = &state.last {
                return (self.bounds.all_outwards(population), costs.clone());
            }
            let (population, costs) = state.optimizer.population();
            (self.bounds.all_outwards(population), costs.to_vec())
        });
        Ok((array_of_rows(py, points, self.bounds.dim())?, PyArray1::from_vec(py, costs)))
    }

    /// Why a search with these settings would end now: the reason as JSON, and in words where it is one of
    /// the method.
    fn finished(&self, py: Python<'_>) -> PyResult<Option<(String, Option<String>)>> {
        let reason = self.with_state(py, |state| state.reason(&self.settings.stop));
        let words = |reason: &StopReason| match reason {
            StopReason::Optimizer(termination) => Some(termination.to_string()),
            _ => None,
        };
        reason.map(|reason| Ok((to_json(&reason)?, words(&reason)))).transpose()
    }

    /// Generations and evaluations that were told, the generation of the last improvement, and the elapsed
    /// seconds.
    #[getter]
    fn counters(&self, py: Python<'_>) -> (u64, u64, u64, f64) {
        self.with_state(py, |state| {
            let Counters { generation, evaluations, improved_at, .. } = state.counters;
            (generation, evaluations, improved_at, state.elapsed().as_secs_f64())
        })
    }

    /// The name of the method.
    #[getter]
    fn method(&self) -> &'static str {
        self.settings.method.method().name()
    }

    /// The maximum number of evaluations that schedules are made for.
    #[getter]
    fn max_evaluations(&self) -> Option<u64> {
        self.settings.stop.max_evaluations
    }

    /// The complete state, except the settings.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.with_state(py, |state| state.optimizer.save()))
    }

    /// Restores a state of an optimiser with the same settings, and its counters.
    fn restore(&self, py: Python<'_>, saved: &[u8], counters: (u64, u64, u64, f64)) -> PyResult<()> {
        let (generation, evaluations, improved_at, seconds) = counters;
        if improved_at > generation || !(0.0..1e12).contains(&seconds) {
            return Err(invalid("the state cannot be continued: its counters are damaged"));
        }
        self.with_state(py, |state| {
            state.optimizer.restore(saved)?;
            (state.asked, state.last) = (None, None);
            state.counters = Counters { generation, evaluations, improved_at, seconds };
            state.started = Instant::now();
            Ok(())
        })
        .map_err(|e: onefold::Error| exception(&e))
    }
}
