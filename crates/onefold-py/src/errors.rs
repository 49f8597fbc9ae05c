//! The errors of the library as exceptions of Python. This is the only place that maps them.

use onefold::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};

pyo3::create_exception!(
    onefold,
    OnefoldError,
    PyRuntimeError,
    "What went wrong although all arguments are valid."
);

/// The exception for an error of the library.
pub(crate) fn exception(error: &Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Topology { .. }
        | Error::Setting { .. }
        | Error::NoEffect { .. }
        | Error::NoEffectOnData { .. }
        | Error::Mismatch { .. }
        | Error::UnknownDataset { .. }
        | Error::Table(_)
        | Error::Dataset { .. }
        | Error::Interval(_)
        | Error::Model { .. }
        | Error::State(_)
        | Error::Slopes => PyValueError::new_err(text),
        Error::TooLarge { .. } => PyMemoryError::new_err(text),
        Error::Write { .. } => PyOSError::new_err(text),
        _ => OnefoldError::new_err(text),
    }
}

/// The exception for an error of a campaign, its store or a trial.
pub(crate) fn of_campaign(error: &onefold_campaign::Error) -> PyErr {
    match error {
        onefold_campaign::Error::Library(error) => exception(error),
        onefold_campaign::Error::Write(error) => PyOSError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// Text of the Python side that is not as expected.
pub(crate) fn invalid(text: impl Into<String>) -> PyErr {
    PyValueError::new_err(text.into())
}
