//! **onefold** trains small neural networks by global search.
//!
//! # The problem
//!
//! A network with $L$ layers has tanh neurons with weights $w^l_n$ and shift $\tau^l_n$ in its hidden layers
//! $l = 2, \ldots, L-1$ and a linear output layer:
//!
//! $$ x^l_n = \tanh\left({w^l_n}^\top x^{l-1} + \tau^l_n\right), \qquad \hat y_n = {w^L_n}^\top x^{L-1}. $$
//!
//! The output weights follow from the others by least squares, so the search is over $\theta = (\lambda^2,
//! \ldots, \lambda^{L-1})$ alone, all hidden weights and shifts. Flipping the signs around a hidden neuron
//! or exchanging two neurons of a layer changes $\theta$ but not the function, so that each hidden layer of
//! $N$ neurons multiplies every optimum by $2^N N!$ mirror images. Differential Evolution builds candidates
//! from differences between individuals, and those of individuals near different mirror images mislead it.
//! *Symmetry breaking* replaces every individual by an equivalent one that is nearer to the best individual
//! $\tilde\theta$, by one random operator at a time; the ideal would be
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
//! - [`fit`](fn@fit) trains a network and leaves a [`Model`]; [`Training`] can be observed and resumed, and
//!   a [`Checkpoint`] saves a run that may be interrupted. [`FitSettings`] decide the result; [`Overrides`]
//!   are the options that a user gives.
//! - [`Builtin`] data sets are those of the paper; [`Table`] reads your own; everything about rows is in
//!   [`data`].
//! - [`model_selection`] has the selection of a network and cross-validation, [`scores`] what models are
//!   measured by. [`inspection`] says which columns a model uses, and how. [`Model::export`] writes a model
//!   for programs without onefold, see [`export`].
//! - [`search`](fn@search) joins an [`Objective`] and an [`Optimizer`]: [`NetworkCost`] is the paper's cost
//!   function, [`Function`] makes an objective of any closure; the optimisers and their settings are in
//!   [`optimizer`], and [`Method`] lists them by name.
//! - [`Topology`] is the only place that knows the layout of the parameter vector; [`symmetry`] has its
//!   symmetries and the ways to break them. [`paper`] has the paper's tables.
//!
//! Same seed, same result, bit for bit: on one thread or many, on every instruction set, in debug and
//! release builds.

pub mod automatic;
pub mod checkpoint;
pub mod data;
pub mod error;
pub mod export;
#[doc(hidden)]
pub mod files;
pub mod inspection;
#[doc(hidden)]
pub mod kernel;
pub mod method;
pub mod model;
pub mod model_selection;
pub mod objective;
pub mod optimizer;
pub mod paper;
#[doc(hidden)]
pub mod resources;
#[doc(hidden)]
pub mod rng;
pub mod scores;
pub mod search;
pub mod settings;
pub mod symmetry;

mod activation;
mod cancellation;
mod network;
#[cfg(test)]
mod oracle;
mod population;
mod readout;
mod request;
mod rows;
mod saved;
mod topology;
mod training;

pub use cancellation::Cancellation;
pub use checkpoint::Checkpoint;
pub use data::{
    Builtin, BuiltinSettings, Dataset, RowSettings, Scaling, Split, Table, TableRows, TableSettings,
    TrainTest,
};
pub use error::Error;
pub use method::{Method, MethodSettings};
pub use model::Model;
pub use objective::{CostSettings, Function, NetworkCost, Objective};
pub use optimizer::{
    AdaptiveDe, Align, CmaEs, CmaSettings, CommonSettings, DeSettings, DifferentialEvolution, LocalSearch,
    Optimizer,
};
pub use population::Population;
pub use request::{Derivatives, Evaluations, Request};
pub use search::{Progress, Report, Search, Stop, StopReason, search};
pub use settings::{DataOverrides, FitSettings, Overrides};
pub use symmetry::Alignment;
pub use topology::Topology;
pub use training::{Continuation, CrossEntropyDescent, Destination, Fitted, Training, fit};

/// The README's example, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
