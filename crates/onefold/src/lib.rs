//! **onefold** trains small neural networks by global search.
//!
//! # The problem
//!
//! A network with $L$ layers has tanh neurons with weights $w^l_n$ and shift $\tau^l_n$ in its hidden layers
//! $l = 2, \ldots, L-1$ and a linear output layer:
//!
//! $$ x^l_n = \tanh\left({w^l_n}^\top x^{l-1} + \tau^l_n\right), \qquad \hat y_n = {w^L_n}^\top x^{L-1}. $$
//!
//! The output weights follow from the others by least squares, so the search is over
//! $\theta = (\lambda^2, \ldots, \lambda^{L-1})$ alone, all hidden weights and shifts. Flipping the signs around a hidden neuron or
//! exchanging two neurons of a layer changes $\theta$ but not the function, so that each hidden layer of $N$ neurons
//! multiplies every optimum by $2^N N!$ mirror images. Differential Evolution gets lost between them. *Symmetry breaking*
//! pulls every individual towards the fold of the best one $\tilde\theta$, one random operator at a time; the ideal would be
//!
//! $$ \hat\Phi = \arg\min_{\Phi \in \mathcal S} \lVert \Phi(\theta) - \tilde\theta \rVert. $$
//!
//! # A first run
//!
//! ```
//! use onefold::{Builtin, FitSettings, Method, fit};
//!
//! let data = Builtin::Sinc2d.load(&Default::default())?;
//! let mut settings = FitSettings::for_builtin(Builtin::Sinc2d, Some("3-1-3"), Method::DE_SB)?;
//! settings.method.common.seed = 7;
//! settings.stop.threshold = Some(2e-3);
//! let fitted = fit("sinc2d", &data, &settings)?;
//! assert!(fitted.report.reached);
//! println!("{} evaluations, error {:.1e}", fitted.report.evaluations, fitted.report.verified_cost);
//! println!("f(0, 0) = {:.2}", fitted.model.predict(&[0.0, 0.0])[0]);
//! # Ok::<(), onefold::Error>(())
//! ```
//!
//! # Map
//!
//! - [`Topology`] knows layers and the layout of the parameter vector; [`symmetry`] its mirror images.
//! - [`NetworkCost`] is the paper's cost function, an [`Objective`]; [`Function`] makes one from any closure.
//! - [`DifferentialEvolution`], [`AdaptiveDe`] and [`CmaEs`] are [`Optimizer`]s, and [`Restarts`] makes one of another; [`Heuristic`] is the
//!   paper's Algorithm 1, an [`Align`].
//! - [`search`](fn@search) joins an objective and an optimiser; [`fit`](fn@fit) does all of it and leaves a [`Model`];
//!   [`Model::export`] writes it for programs without onefold.
//! - [`Builtin`] data sets are those of the paper; [`Table`] reads your own. [`Checkpoint`] keeps a run that may be cut off.
//!
//! Same seed, same result, bit for bit: on one thread or many, on every instruction set, in debug and release builds.

pub mod kernel;
pub mod model_selection;
pub mod symmetry;

mod checkpoint;
mod data;
mod error;
mod export;
mod files;
mod method;
mod model;
mod network;
mod objective;
mod optimizer;
#[cfg(test)]
mod oracle;
mod paper;
mod population;
mod readout;
mod request;
mod rng;
mod saved;
mod search;
mod settings;
mod topology;
mod training;

pub use checkpoint::{Checkpoint, digest};
pub use data::{
    BalanceEncoding, Builtin, BuiltinSettings, Categories, ColumnSummary, Contents, Dataset, InputColumn,
    InputKind, Missing, Role, RowSettings, Scaler, Scaling, Split, SplitKind, SplitRule, SquareEncoding,
    Table, TableColumn, TableRow, TableRows, TableSchema, TableSettings, TableSource, TableSummary,
    TargetScaler, TargetScaling, Task, TrainTest,
};
pub use error::{Advice, DatasetProblem, Error, ProblemKind, TableError, TableProblem};
pub use export::{ExportFormat, ExportSettings, Precision};
pub use files::{WholeFile, check_writable, write_whole};
pub use method::{Method, MethodSettings};
pub use model::{CrossValidation, Metrics, Model, Origin};
pub use objective::{CostSettings, Function, NetworkCost, Objective, Profile, Radius};
pub use optimizer::{
    AdaptiveDe, AdaptiveSettings, Align, Attempt, Best, CmaEs, CmaPreset, CmaSettings, CommonSettings,
    Covariance, Crossover, DeSettings, DifferentialEvolution, LocalSearch, LocalSettings, Mutation,
    Optimizer, Optimum, Reference, Regime, Restart, RestartRule, Restarts, Termination, Variant, Weight,
};
pub use paper::{PaperCell, PaperResult};
pub use population::Population;
pub use readout::{DEFAULT_RANK_TOLERANCE, MIN_RANK_TOLERANCE};
pub use request::{Evaluations, Request, Slopes};
pub use rng::{Generator, LongRng, Purpose, Rng, SplitMix, Streams, Xoshiro};
pub use search::{Progress, Report, Search, Stop, StopReason, search};
pub use settings::{DataOverrides, Dither, FitSettings, Interval, Overrides};
pub use symmetry::{Alignment, Canonical, Heuristic, Ideal};
pub use topology::Topology;
pub use training::{Fitted, Training, fit};

/// The README's example, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
