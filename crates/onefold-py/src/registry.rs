//! What the library has, by name: methods, metrics and options.

use onefold::model_selection::Metric;
use onefold::{DataOverrides, Method, Overrides};
use pyo3::pyfunction;

/// All methods: name, description, and whether it minimises any function.
#[pyfunction]
pub(crate) fn methods() -> Vec<(&'static str, &'static str, bool)> {
    Method::all().map(|method| (method.name(), method.description(), method.is_for_functions())).collect()
}

/// The names of the metrics that a selection compares by, for classes or for numbers.
#[pyfunction]
pub(crate) fn metrics(is_for_classes: bool) -> Vec<&'static str> {
    Metric::ALL
        .into_iter()
        .filter(|metric| metric.is_for_classes() == is_for_classes)
        .map(Metric::name)
        .collect()
}

/// The names of all options of training.
#[pyfunction]
pub(crate) fn option_names() -> Vec<String> {
    Overrides::names()
}

/// The names of the options that have an effect on the search for a function's minimum.
#[pyfunction]
pub(crate) fn function_option_names() -> Vec<String> {
    Overrides::names_for_functions()
}

/// The names of all options of data.
#[pyfunction]
pub(crate) fn data_option_names() -> Vec<String> {
    DataOverrides::names()
}

/// The version of the library.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
