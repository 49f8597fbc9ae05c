//! Arrays of NumPy to rows of the library, and back.

use crate::array::{columns, shared_columns};
use crate::errors::invalid;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use onefold::Dataset;
use pyo3::{Bound, PyResult, Python};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Rows of equal length as an array, without a copy.
pub(crate) fn array_of_rows(
    py: Python<'_>,
    values: Vec<f64>,
    width: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = values.len() / width.max(1);
    PyArray1::from_vec(py, values).reshape([rows, width])
}

/// Rows to train on or to test with. Inputs stay in their array, outputs are copied.
pub(crate) fn dataset(
    inputs: &PyReadonlyArray2<'_, f64>,
    outputs: &PyReadonlyArray2<'_, f64>,
    names: (Vec<String>, Vec<String>),
    classification: bool,
) -> Dataset {
    let (input_names, output_names) = names;
    let (inputs, outputs) = (shared_columns(inputs), columns(outputs));
    Dataset { inputs, outputs, input_names, output_names, classification, weights: None }
}

/// A value that the Python side wrote as JSON.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        // The name of the option, instead of a place in a text that the user never saw.
        let path = error.path().to_string();
        let option = path.rsplit('.').next().filter(|name| !name.is_empty() && *name != "?");
        let message = error.inner().to_string();
        let message = in_words(message.split(" at line ").next().unwrap_or_default());
        invalid(option.map_or_else(|| message.clone(), |option| format!("{option}: {message}")))
    })
}

/// A message of the parser with words for types of Rust.
fn in_words(message: &str) -> String {
    let types = [
        ("expected u64", "expected a whole number of at least 0"),
        ("expected usize", "expected a whole number of at least 0"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected True or False"),
        ("invalid type: null", "invalid type: None"),
        ("boolean `true`", "True"),
        ("boolean `false`", "False"),
        ("floating point `", "number `"),
        ("integer `", "number `"),
    ];
    types.iter().fold(message.to_owned(), |message, (rust, words)| message.replace(rust, words))
}

/// A value as JSON for the Python side. NaN and infinite numbers become null.
pub(crate) fn to_json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| invalid(error.to_string()))
}
