//! Minimisation of a function of Python by the library's search.

use crate::convert::{array_of_rows, to_json};
use crate::errors::exception;
use crate::objective::PythonObjective;
use crate::optimizer::{Bounds, function_settings, optimizer_at};
use numpy::{PyArray1, PyReadonlyArray1};
use onefold::{Cancellation, Progress, Report, Search, StopReason};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::types::{PyAnyMethods, PyDict, PyDictMethods};
use pyo3::{Bound, Py, PyAny, PyErr, PyResult, Python, pyfunction};
use std::ops::ControlFlow;

/// Minimises `function`, which gets all candidates of a generation, beginning at the point `first`, if there
/// is one. `callback` gets a dict after each
/// generation, and returns whether to stop. The result is a dict.
#[pyfunction]
pub(crate) fn minimize<'py>(
    py: Python<'py>,
    function: Py<PyAny>,
    low: PyReadonlyArray1<'py, f64>,
    high: PyReadonlyArray1<'py, f64>,
    first: Option<PyReadonlyArray1<'py, f64>>,
    options: &str,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let bounds = Bounds::new(low.as_slice()?, high.as_slice()?)?;
    let settings = function_settings(options, bounds.dim())?;
    let mut optimizer = optimizer_at(&settings, &bounds, first)?;
    let cancellation = Cancellation::default();
    let mut objective =
        PythonObjective { function, bounds: &bounds, cancellation: cancellation.clone(), raised: None };
    let (mut raised, mut last) = (None, (Vec::new(), Vec::new()));
    let mut observe = |progress: &Progress<'_>| {
        // Kept now: a method may have drawn new candidates when the search ends.
        last = (bounds.all_outwards(progress.population), progress.costs().collect());
        let Some(callback) = &callback else { return ControlFlow::Continue(()) };
        match Python::attach(|py| tell(py, callback, progress, &bounds)) {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(error) => {
                raised = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    let report = py
        .detach(|| {
            Search::new(&mut objective, &mut *optimizer, &settings.stop)?
                .cancel_by(&cancellation)
                .observe(&mut observe)
                .run()
        })
        .map_err(|e| exception(&e))?;
    let error = raised.or(objective.raised.take());
    let is_interrupted = keeps_the_best(py, error)?;
    let dict = result(py, &report, &bounds, is_interrupted)?;
    dict.set_item("population", array_of_rows(py, last.0, bounds.dim())?)?;
    dict.set_item("population_energies", PyArray1::from_vec(py, last.1))?;
    Ok(dict)
}

/// Whether Ctrl-C ended the search; any other exception is raised.
fn keeps_the_best(py: Python<'_>, error: Option<PyErr>) -> PyResult<bool> {
    match error {
        None => Ok(false),
        Some(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => Ok(true),
        Some(error) => Err(error),
    }
}

fn point<'py>(py: Python<'py>, bounds: &Bounds, x: &[f64]) -> Bound<'py, PyArray1<f64>> {
    let mut values = Vec::with_capacity(x.len());
    bounds.outwards(x, &mut values);
    PyArray1::from_vec(py, values)
}

fn tell(py: Python<'_>, callback: &Py<PyAny>, progress: &Progress<'_>, bounds: &Bounds) -> PyResult<bool> {
    let state = PyDict::new(py);
    state.set_item("x", point(py, bounds, progress.best.x))?;
    state.set_item("fun", progress.best.cost)?;
    state.set_item("nit", progress.generation)?;
    state.set_item("nfev", progress.evaluations)?;
    let population = array_of_rows(py, bounds.all_outwards(progress.population), bounds.dim())?;
    state.set_item("population", population)?;
    state.set_item("population_energies", PyArray1::from_iter(py, progress.costs()))?;
    callback.bind(py).call1((state,))?.is_truthy()
}

fn result<'py>(
    py: Python<'py>,
    report: &Report,
    bounds: &Bounds,
    is_interrupted: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("x", point(py, bounds, &report.best))?;
    dict.set_item("fun", report.cost)?;
    dict.set_item("nfev", report.evaluations)?;
    dict.set_item("nit", report.generations)?;
    dict.set_item("reached", report.reached)?;
    dict.set_item("interrupted", is_interrupted)?;
    let own = match report.stop {
        StopReason::Optimizer(termination) => Some(termination.to_string()),
        _ => None,
    };
    dict.set_item("stop", to_json(&report.stop)?)?;
    dict.set_item("termination", own)?;
    Ok(dict)
}
