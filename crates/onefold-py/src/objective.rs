//! A function of Python as an objective of the library.

use crate::convert::array_of_rows;
use crate::errors::invalid;
use crate::optimizer::Bounds;
use numpy::PyReadonlyArray1;
use onefold::{Cancellation, Evaluations, Objective, Request};
use pyo3::types::PyAnyMethods;
use pyo3::{Py, PyAny, PyErr, PyResult, Python};

/// A function that gets all candidates of a generation as an array, and returns an array of costs.
pub(crate) struct PythonObjective<'a> {
    pub(crate) function: Py<PyAny>,
    pub(crate) bounds: &'a Bounds,
    pub(crate) cancellation: Cancellation,
    /// What it raised; that ends the search.
    pub(crate) raised: Option<PyErr>,
}

impl PythonObjective<'_> {
    fn call(&self, py: Python<'_>, request: &Request<'_>, costs: &mut [f64]) -> PyResult<()> {
        let values = self.bounds.all_outwards(request.candidates);
        let candidates = array_of_rows(py, values, self.bounds.dim())?;
        let result = self.function.bind(py).call1((candidates,))?;
        let result: PyReadonlyArray1<'_, f64> = result.extract()?;
        let result = result.as_slice()?;
        if result.len() != costs.len() {
            let (expected, found) = (costs.len(), result.len());
            return Err(invalid(format!("{expected} costs are expected, but the function returned {found}")));
        }
        costs.copy_from_slice(result);
        py.check_signals()
    }
}

impl Objective for PythonObjective<'_> {
    fn dim(&self) -> usize {
        self.bounds.dim()
    }

    fn evaluate(&mut self, request: &Request<'_>, evaluations: &mut Evaluations) {
        evaluations.costs.fill(f64::NAN);
        if self.raised.is_some() {
            return;
        }
        if let Err(error) = Python::attach(|py| self.call(py, request, &mut evaluations.costs)) {
            self.cancellation.cancel();
            self.raised = Some(error);
        }
    }
}
