//! An optimiser to ask and to tell.

use crate::convert::{array_of_rows, from_json};
use crate::errors::{exception, invalid};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use onefold::optimizer::Best;
use onefold::settings::{FunctionSettings, Interval};
use onefold::{Evaluations, Overrides, Population};
use pyo3::types::PyBytes;
use pyo3::{Bound, PyResult, Python, pyclass, pymethods};
use std::sync::{Mutex, PoisonError};

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
            if !(a < b && (b - a).is_finite()) {
                return Err(invalid(format!(
                    "bounds[{i}] is ({a}, {b}), but must be two finite numbers, the lower one first"
                )));
            }
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
        let state = Mutex::new(State { optimizer, evaluations: Evaluations::default(), asked: None });
        Ok(Self { settings, bounds, state })
    }

    /// The candidates to be evaluated next, one in each row.
    fn ask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.with_state(py, |state| {
            let candidates = state.optimizer.ask().candidates;
            state.asked = Some(candidates.len());
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
            state.evaluations.costs.clear();
            state.evaluations.costs.extend_from_slice(costs);
            state.evaluations.sanitise();
            state.optimizer.tell(&mut state.evaluations);
            state.asked = None;
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
            let (population, costs) = state.optimizer.population();
            (self.bounds.all_outwards(population), costs.to_vec())
        });
        Ok((array_of_rows(py, points, self.bounds.dim())?, PyArray1::from_vec(py, costs)))
    }

    /// Why the method would end now, in words, or None.
    fn finished(&self, py: Python<'_>) -> Option<String> {
        self.with_state(py, |state| state.optimizer.finished().map(|termination| termination.to_string()))
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

    /// Restores a state of an optimiser with the same settings.
    fn restore(&self, py: Python<'_>, saved: &[u8]) -> PyResult<()> {
        self.with_state(py, |state| {
            state.asked = None;
            state.optimizer.restore(saved)
        })
        .map_err(|e| exception(&e))
    }
}
