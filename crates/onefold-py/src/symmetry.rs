//! Symmetric equivalents of networks of dense layers.

use crate::errors::exception;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use onefold::symmetry::{DenseLayer, DenseNetwork, Equivalent};
use pyo3::{PyResult, Python, pyfunction};

/// For each layer its weights, one row for each neuron, and its biases, none or one for each neuron.
type Layers<'py> = Vec<(PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>)>;
/// For each hidden layer, the neurons in their new order, and their signs.
type Places = (Vec<Vec<usize>>, Vec<Vec<f64>>);

fn network(layers: &Layers<'_>, is_odd: bool) -> PyResult<DenseNetwork> {
    let layer = |(weights, biases): &(PyReadonlyArray2<'_, f64>, PyReadonlyArray1<'_, f64>)| DenseLayer {
        inputs: weights.as_array().ncols(),
        weights: weights.as_array().iter().copied().collect(),
        biases: biases.as_array().iter().copied().collect(),
    };
    DenseNetwork::new(layers.iter().map(layer).collect(), is_odd).map_err(|e| exception(&e))
}

fn places(equivalent: Equivalent) -> Places {
    (equivalent.permutations, equivalent.signs)
}

/// The equivalent of a network that is nearest to a reference.
#[pyfunction]
pub(crate) fn nearest(
    py: Python<'_>,
    layers: Layers<'_>,
    reference: Layers<'_>,
    is_odd: bool,
) -> PyResult<Places> {
    let (network, reference) = (network(&layers, is_odd)?, network(&reference, is_odd)?);
    py.detach(|| network.nearest_to(&reference)).map(places).map_err(|e| exception(&e))
}

/// The canonical form, which all equivalents of a network share.
#[pyfunction]
pub(crate) fn canonical(py: Python<'_>, layers: Layers<'_>, is_odd: bool) -> PyResult<Places> {
    let network = network(&layers, is_odd)?;
    Ok(places(py.detach(|| network.canonical())))
}
