//! The compiled module of the Python package `onefold`. It is private: the interface for users is
//! `python/onefold`, and this crate only converts.

// What Python passes to a function is owned by it.
#![expect(clippy::needless_pass_by_value)]

mod array;
mod campaign;
mod convert;
mod errors;
mod fit;
mod minimize;
mod model;
mod objective;
mod optimizer;
mod registry;
mod symmetry;
mod work;

/// The private module `onefold._onefold`.
#[pyo3::pymodule(gil_used = true)]
mod _onefold {
    #[pymodule_export]
    use crate::campaign::{Driver, TrialCell, Tuning, read_store};
    #[pymodule_export]
    use crate::errors::OnefoldError;
    #[pymodule_export]
    use crate::fit::{RaceWorker, fit, fit_table};
    #[pymodule_export]
    use crate::minimize::minimize;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::optimizer::Optimizer;
    #[pymodule_export]
    use crate::registry::{
        data_option_names, function_option_names, methods, metrics, option_names, version,
    };
    #[pymodule_export]
    use crate::symmetry::{canonical, nearest};
}
