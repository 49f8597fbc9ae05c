//! Training on arrays.

use crate::convert::{dataset, from_json, to_json};
use crate::errors::{exception, invalid};
use crate::model::Model;
use crate::work::{Done, interruptible};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use onefold::automatic::{Automatic, AutomaticFit, AutomaticProgress};
use onefold::data::ClassWeights;
use onefold::model_selection::{self, Metric, Preference, RaceFits, SelectionProgress};
use onefold::{Cancellation, DataOverrides, Error, Overrides, Split, Table, TrainTest};
use pyo3::types::{PyAnyMethods, PyBytes, PyCFunction, PyDict, PyDictMethods};
use pyo3::{Bound, Py, PyAny, PyResult, Python, pyclass, pyfunction, pymethods};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};

/// Options of training, as the Python side writes them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    /// The name of the data in the model.
    name: String,
    metric: Option<Metric>,
    prefer: Option<Preference>,
    effort: Option<f64>,
    overrides: Overrides,
}

/// What the Python side says about arrays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Columns {
    input_names: Vec<String>,
    output_names: Vec<String>,
    classification: bool,
    class_weight: Option<ClassWeights>,
}

/// What the Python side says about a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    data: DataOverrides,
    /// Whether all rows are for training where no split is given; otherwise a random split is the default.
    all_rows: bool,
}

/// Where a fit stands, for the progress bar and the history.
#[derive(Default)]
struct Course {
    /// What to tell next, if it changed.
    news: Option<Value>,
    /// Generation, evaluations and best cost whenever that became lower.
    history: Vec<(u64, u64, f64)>,
}

impl Course {
    fn update(&mut self, progress: &AutomaticProgress<'_>) {
        match progress {
            AutomaticProgress::Selection(SelectionProgress::Race(race)) => {
                self.news = Some(json!({
                    "phase": "selection", "fraction": race.fraction, "rung": race.rung, "rungs": race.rungs,
                    "left": race.left, "candidates": race.candidates,
                }));
            }
            AutomaticProgress::Selection(SelectionProgress::Tried(tried)) => {
                self.news = Some(json!({"phase": "selection", "topology": tried.topology.to_string()}));
            }
            AutomaticProgress::Training(progress) => {
                let cost = progress.best.cost;
                if self.history.last().is_none_or(|(_, _, before)| cost < *before) {
                    self.history.push((progress.generation, progress.evaluations, cost));
                }
                self.news = Some(json!({
                    "phase": "training", "cost": cost, "evaluations": progress.evaluations,
                }));
            }
        }
    }
}

/// Trains on arrays and returns a dict with the model. `columns` and `options` are JSON, and `progress` gets
/// JSON as it goes on. Rows that are the same become one with the sum of their weights, so that weights and
/// repetitions lead to the same network.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python passes them one by one")]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    inputs: PyReadonlyArray2<'py, f64>,
    outputs: PyReadonlyArray2<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    columns: &str,
    options: &str,
    progress: Option<Py<PyAny>>,
    elsewhere: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let Columns { input_names, output_names, classification, class_weight } = from_json(columns)?;
    let mut train = dataset(&inputs, &outputs, (input_names, output_names), classification);
    let weights = weights.map(|weights| weights.as_array().to_vec());
    drop((inputs, outputs));
    train_on(py, from_json(options)?, (progress, elsewhere), move || {
        if let Some(weights) = weights {
            train = train.with_weights(weights)?;
        }
        let (mut train, _) = train.merged(None);
        if let Some(of_classes) = class_weight {
            train = of_classes.apply(train)?;
        }
        Ok(TrainTest { train, ..TrainTest::default() })
    })
}

/// Trains on the text of a table, as the command does, and returns a dict with the model. `reading` and
/// `options` are JSON.
#[pyfunction]
pub(crate) fn fit_table<'py>(
    py: Python<'py>,
    text: &[u8],
    reading: &str,
    options: &str,
    progress: Option<Py<PyAny>>,
    elsewhere: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let Reading { data, all_rows } = from_json(reading)?;
    if data.test.is_some() || data.folds.is_some() {
        return Err(invalid("test and folds cannot be given here; use the tools of scikit-learn"));
    }
    let options: Options = from_json(options)?;
    let settings = data.for_table().map_err(|e| exception(&e))?;
    let default = if all_rows { Split::All } else { data.random_split() };
    let split = data.split_of_table(default).map_err(|e| exception(&e))?;
    let name = options.name.clone();
    let mut notes = Vec::new();
    let dict = train_on(py, options, (progress, elsewhere), || {
        let table = Table::from_reader(&name, &settings, text)?;
        notes = table.notices().iter().map(ToString::to_string).collect();
        table.split(&split)
    })?;
    dict.set_item("notes", notes)?;
    Ok(dict)
}

/// Trains on what `read` returns, without the interpreter's lock.
fn train_on(
    py: Python<'_>,
    options: Options,
    (progress, elsewhere): (Option<Py<PyAny>>, Option<Py<PyAny>>),
    read: impl FnOnce() -> Result<TrainTest, Error> + Send,
) -> PyResult<Bound<'_, PyDict>> {
    let automatic = Automatic {
        overrides: options.overrides,
        metric: options.metric,
        prefer: options.prefer.unwrap_or_default(),
        effort: options.effort,
    };
    let course = Mutex::new(Course::default());
    let lock = || course.lock().unwrap_or_else(PoisonError::into_inner);
    let raised = Mutex::new(None);
    let work = |cancellation: &Cancellation| {
        let mut tell = |progress: AutomaticProgress<'_>| lock().update(&progress);
        let Some(elsewhere) = &elsewhere else {
            return automatic.fit(&options.name, &read()?, cancellation, &mut tell);
        };
        let mut run = |fits: &RaceFits<'_>| {
            let results = Python::attach(|py| run_fits(py, elsewhere, fits, cancellation));
            results.unwrap_or_else(|error| {
                // What the executor raised ends the fit.
                cancellation.cancel();
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                None
            })
        };
        automatic.fit_by(&options.name, &read()?, cancellation, &mut tell, Some(&mut run))
    };
    let tick = |py: Python<'_>| {
        let news = lock().news.take();
        match (&progress, news) {
            (Some(progress), Some(news)) => progress.bind(py).call1((news.to_string(),)).map(drop),
            _ => Ok(()),
        }
    };
    let Done { result, is_interrupted } = interruptible(py, work, tick)?;
    if let Some(error) = raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let fit = result.map_err(|e| exception(&e))?;
    let history = std::mem::take(&mut lock().history);
    describe(py, fit, &history, is_interrupted)
}

/// Calls the Python side, which has the fits of a race done elsewhere; it asks by the last argument whether
/// that is still wanted.
fn run_fits(
    py: Python<'_>,
    elsewhere: &Py<PyAny>,
    fits: &RaceFits<'_>,
    cancellation: &Cancellation,
) -> PyResult<Option<Vec<Vec<u8>>>> {
    let (parcel, state) = (PyBytes::new(py, fits.parcel), PyBytes::new(py, fits.state));
    let cancellation = cancellation.clone();
    let is_cancelled = PyCFunction::new_closure(py, None, None, move |_, _| cancellation.is_cancelled())?;
    elsewhere.bind(py).call1((parcel, state, fits.count, is_cancelled))?.extract()
}

/// Does fits of a race on a worker.
#[pyclass(frozen, module = "onefold._onefold")]
pub(crate) struct RaceWorker {
    worker: model_selection::RaceWorker,
}

#[pymethods]
impl RaceWorker {
    #[new]
    fn new(py: Python<'_>, parcel: Vec<u8>) -> PyResult<Self> {
        let worker = py.detach(|| model_selection::RaceWorker::new(&parcel)).map_err(|e| exception(&e))?;
        Ok(Self { worker })
    }

    /// The result of a fit; none if it was interrupted.
    fn fit(&self, py: Python<'_>, state: Vec<u8>, number: usize) -> PyResult<Option<Vec<u8>>> {
        let work = |cancellation: &Cancellation| self.worker.fit(&state, number, cancellation);
        interruptible(py, work, |_| Ok(()))?.result.map_err(|e| exception(&e))
    }
}

fn describe<'py>(
    py: Python<'py>,
    fit: AutomaticFit,
    history: &[(u64, u64, f64)],
    is_interrupted: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let AutomaticFit { fitted, selection, is_cancelled } = fit;
    let report = &fitted.report;
    let described = json!({
        "reached": report.reached, "evaluations": report.evaluations, "generations": report.generations,
        "slopes": report.slopes, "seconds": report.seconds, "cost": report.cost,
        "verified_cost": report.verified_cost, "stop": report.stop,
        "optima": report.optima.iter().map(|o| json!({"cost": o.cost, "found": o.found})).collect::<Vec<_>>(),
    });
    let dict = PyDict::new(py);
    dict.set_item("report", described.to_string())?;
    dict.set_item("selection", selection.as_ref().map(to_json).transpose()?)?;
    dict.set_item("history", history.to_vec())?;
    dict.set_item("interrupted", is_interrupted || is_cancelled)?;
    dict.set_item("model", Bound::new(py, Model { model: fitted.model })?)?;
    Ok(dict)
}
