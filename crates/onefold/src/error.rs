//! The library's one error type.

use std::path::PathBuf;

/// What can be wrong with a request. Not reaching a target is an outcome, not an error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A topology that cannot be read or makes no network.
    #[error("\"{text}\" is no network topology: {reason}")]
    Topology {
        /// The text as given.
        text: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// A setting outside its range.
    #[error("{name} is {value}, but {expected}")]
    Setting {
        /// Name of the setting's field, as in the settings structs.
        name: &'static str,
        /// The value as given.
        value: String,
        /// What it must be.
        expected: String,
    },
    /// A setting that the chosen method does not have.
    #[error("{name} is for {methods} and has no effect with {method}; leave it out")]
    NoEffect {
        /// Name of the setting, as in the settings structs.
        name: &'static str,
        /// The chosen method.
        method: &'static str,
        /// The methods that have it.
        methods: String,
    },
    /// Network and data do not fit together.
    #[error("the topology {topology} has {of_network} {what}, but the data has {of_data}")]
    Mismatch {
        /// The topology.
        topology: String,
        /// `"inputs"` or `"outputs"`.
        what: &'static str,
        /// Count in the network.
        of_network: usize,
        /// Count in the data.
        of_data: usize,
    },
    /// Something that would need more memory than is sensible.
    #[error("{what} would need about {} GiB of memory, and at most {} are allowed; {advice}", bytes.div_ceil(1 << 30), MAX_BYTES >> 30)]
    TooLarge {
        /// What was asked for.
        what: String,
        /// Its size.
        bytes: u64,
        /// What to reduce.
        advice: &'static str,
    },
    /// A name that no built-in data set has.
    #[error("there is no built-in data set \"{name}\"")]
    UnknownDataset {
        /// The name as given.
        name: String,
    },
    /// Data that cannot be used.
    #[error("{0}")]
    Data(String),
    /// A model file that cannot be read.
    #[error("{}: {reason}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A saved state of an optimiser that cannot be continued.
    #[error("the saved state cannot be continued: {0}")]
    State(String),
    /// A method that takes local steps, for an objective that has none.
    #[error("this method takes local steps, and the objective cannot tell its slopes; use a method without")]
    Slopes,
    /// A file that cannot be written.
    #[error("{}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
}

/// Working memory that one object may take.
const MAX_BYTES: u64 = 4 << 30;

/// Refuses what would need too much memory, before it is taken. Sizes are in numbers of eight bytes, their factors given separately
/// because the product may not fit.
pub(crate) fn check_size(
    factors: &[usize],
    what: impl FnOnce() -> String,
    advice: &'static str,
) -> Result<(), Error> {
    let bytes = factors.iter().fold(8_u64, |product, f| product.saturating_mul(*f as u64));
    if bytes <= MAX_BYTES { Ok(()) } else { Err(Error::TooLarge { what: what(), bytes, advice }) }
}

/// A number as a person would type it, also when it is very large or small.
pub(crate) fn short(v: f64) -> String {
    if v != 0.0 && v.is_finite() && !(1e-4..1e7).contains(&v.abs()) {
        format!("{v:e}")
    } else {
        v.to_string()
    }
}

impl Error {
    /// A setting outside its range.
    pub(crate) fn setting(
        name: &'static str,
        value: impl std::fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Self::Setting { name, value: value.to_string(), expected: expected.into() }
    }
}
