//! The library's one error type. Its variants carry values; their texts are written here and nowhere else.

mod interval;
mod rounding;
mod shown;
mod table;

pub use interval::NoInterval;
pub use rounding::{RoundingCause, RoundingLoss};
pub use shown::{changes_terminal, is_unsafe_to_show, shown};
pub use table::{Advice, ProblemKind, TableError, TableProblem};
pub(crate) use table::{MOST_LISTED, list};

use crate::resources;
use std::path::{Path, PathBuf};

/// What can be wrong with a request. Not reaching the threshold is an outcome, not an error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A topology that cannot be read or makes no network.
    #[error("\"{}\" is no network topology: {reason}", shown(text))]
    Topology {
        /// The text as given.
        text: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// A setting outside its range.
    #[error("{name} is {}, but {expected}", shown(value))]
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
    /// A setting that has no effect on this kind of data.
    #[error("{name} is for {only} and has no effect on {}; leave it out", shown(data))]
    NoEffectOnData {
        /// Name of the setting, as in the settings structs.
        name: &'static str,
        /// What it is for.
        only: &'static str,
        /// The data.
        data: String,
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
    #[error(
        "{what} would need about {} of memory, and {}; {advice}",
        shown_size(*bytes),
        if *allowed == MAX_BYTES {
            format!("at most {} GiB are allowed", MAX_BYTES >> 30)
        } else {
            format!("only {} are available", shown_size(*allowed))
        }
    )]
    TooLarge {
        /// What was asked for.
        what: String,
        /// Its size.
        bytes: u64,
        /// What it may take: less than usual where the system has less.
        allowed: u64,
        /// What to reduce.
        advice: &'static str,
    },
    /// A name that no built-in data set has.
    #[error("there is no built-in data set \"{}\"", shown(name))]
    UnknownDataset {
        /// The name as given.
        name: String,
    },
    /// A table that cannot be used.
    #[error("{0}")]
    Table(TableError),
    /// Rows in memory that cannot be trained on.
    #[error(
        "{}{}{}{problem}",
        column.as_ref().map_or(String::new(), |name| format!("column {}", shown(name))),
        row.map_or(String::new(), |row| format!("{}row {row}", if column.is_some() { ", " } else { "" })),
        if column.is_some() || row.is_some() { ": " } else { "" }
    )]
    Dataset {
        /// The column, where it is about one.
        column: Option<String>,
        /// The row, from 1, where it is about a value.
        row: Option<usize>,
        /// What is wrong.
        problem: DatasetProblem,
    },
    /// A search in which no candidate had a finite cost.
    #[error(
        "no network has a finite error: the data, or the interval in which the search starts, is too large"
    )]
    NoFiniteCost,
    /// A trained network whose mean squared error overflows.
    #[error("the mean squared error is too large for a number: write the targets in other units")]
    InfiniteError,
    /// A model with a weight that is not finite.
    #[error("the model has a weight {value} and computes nothing; train it again")]
    InfiniteWeight {
        /// The weight.
        value: f64,
    },
    /// An exported network that rounding changes by more than the model's own error allows.
    #[error(
        "{loss}; export it in double precision{}, or allow it (allow_rounding)",
        loss.cause.advice().map_or(String::new(), |advice| format!(", {advice}"))
    )]
    Rounding {
        /// What it would lose.
        loss: Box<RoundingLoss>,
    },
    /// A prediction interval that a model does not have.
    #[error("{0}")]
    Interval(NoInterval),
    /// A model file that cannot be read.
    #[error("{}: {}", shown_path(path), shown(reason))]
    Model {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A saved state of an optimiser that cannot be continued.
    #[error("the saved state cannot be continued: {}", shown(.0))]
    State(String),
    /// A method that takes local steps, for an objective that has none.
    #[error("this method takes local steps, and the objective cannot tell its slopes; use a method without")]
    Slopes,
    /// A file that cannot be written.
    #[error("{}: {}", shown_path(path), shown(reason))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
}

/// Why rows in memory cannot be trained on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetProblem {
    /// There are no inputs, no outputs or no rows.
    #[error("there are no training rows")]
    NoRows,
    /// There are more or fewer names than columns.
    #[error("every column needs a name")]
    NameCount,
    /// A column that is shorter or longer than the others.
    #[error("{found} rows instead of {expected}")]
    RowCount {
        /// Its length.
        found: usize,
        /// That of the others.
        expected: usize,
    },
    /// A column that varies by so little that squares of it are zero.
    #[error(
        "its values differ by at most {by:.0e}, and squares of that are too small for numbers; multiply the column by 1e{exponent}"
    )]
    TooNarrow {
        /// Its range.
        by: f64,
        /// The power of ten that would make it a usual one.
        exponent: i32,
    },
    /// A column of numbers so large that sums of their squares are infinite.
    #[error(
        "it has a value of {size:.0e}, and sums of its squares are too large for numbers; divide the column by 1e{exponent}"
    )]
    TooLarge {
        /// The largest magnitude.
        size: f64,
        /// The power of ten that would make it a usual one.
        exponent: i32,
    },
    /// A value that is infinite or NaN.
    #[error("{value} is not a finite number")]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// There are more or fewer weights than rows.
    #[error("there are {found} weights for {expected} rows")]
    WeightCount {
        /// Number of weights.
        found: usize,
        /// Number of rows.
        expected: usize,
    },
    /// A weight that is negative, infinite or NaN.
    #[error("the weight {value} is not a finite number of at least 0")]
    Weight {
        /// The weight.
        value: f64,
    },
    /// All weights are zero.
    #[error("all weights are 0, so that there are no training rows")]
    NoWeight,
}

/// The name of a file, as it may be shown.
fn shown_path(path: &Path) -> String {
    shown(&path.to_string_lossy()).into_owned()
}

/// Working memory that one object may take.
const MAX_BYTES: u64 = 4 << 30;
/// Less than this is taken without a look at the memory that is left.
const SMALL: u64 = 64 << 20;

/// Refuses what would need too much memory, before it is taken. Sizes are in numbers of eight bytes, their
/// factors given separately because the product may not fit.
pub(crate) fn check_size(
    factors: &[usize],
    what: impl FnOnce() -> String,
    advice: &'static str,
) -> Result<(), Error> {
    let bytes = factors.iter().fold(8_u64, |product, f| product.saturating_mul(*f as u64));
    // What is small need not be compared with the system's memory.
    let allowed = if bytes < SMALL { bytes } else { resources::available().min(MAX_BYTES) };
    let allowed = if bytes > MAX_BYTES { MAX_BYTES } else { allowed };
    if bytes <= allowed { Ok(()) } else { Err(Error::TooLarge { what: what(), bytes, allowed, advice }) }
}

/// Refuses what would need more memory than there is, before it is taken: `more` bytes beside those that it
/// has already.
pub(crate) fn check_memory(
    held: u64,
    more: u64,
    what: impl FnOnce() -> String,
    advice: &'static str,
) -> Result<(), Error> {
    let left = if more < SMALL { more } else { resources::available() };
    if more <= left {
        return Ok(());
    }
    let (bytes, allowed) = (held.saturating_add(more), held.saturating_add(left));
    Err(Error::TooLarge { what: what(), bytes, allowed, advice })
}

/// A size as a person would say it.
fn shown_size(bytes: u64) -> String {
    match bytes {
        0..=0x3fff_ffff => format!("{} MiB", bytes.div_ceil(1 << 20)),
        _ => format!("{} GiB", bytes.div_ceil(1 << 30)),
    }
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
