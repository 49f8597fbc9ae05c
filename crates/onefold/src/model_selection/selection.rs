//! The size of a network: the smallest one that is good enough.
//!
//! Descents find such good minima of the training error that a network which is too large learns the noise. So sizes
//! are compared by rows that were not trained on, and so are the values of the L2 penalty
//! ([decay](crate::CostSettings::decay)).

use super::by_cross_validation::smallest_not_worse;
use super::by_threshold::smallest_that_reaches;
use super::settings::SelectionSettings;
use crate::{Dataset, Error, FitSettings, Topology};
use serde::Serialize;
use std::ops::ControlFlow;

/// A network that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// Its layers.
    pub topology: Topology,
    /// All its parameters, output weights and biases included.
    pub parameters: usize,
    /// Its L2 penalty.
    pub decay: f64,
    /// Mean squared error, in the units of the data: of rows that were not trained on, or of the training rows where
    /// there is a threshold. With several targets it is the mean over targets of error divided by variance.
    pub error: f64,
    /// Fraction of these rows classified correctly, or of the variance explained.
    #[serde(rename = "share")]
    pub fraction: Option<f64>,
    /// Standard error over rows of what decides: of the fraction of wrong classes, or of the squared error. None on
    /// training rows.
    pub standard_error: Option<f64>,
    /// Seconds of work, of all threads together.
    pub seconds: f64,
    /// How it compares with the others.
    #[serde(rename = "note")]
    pub verdict: Verdict,
}

/// How a network that was tried compares with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Selected.
    #[serde(rename = "chosen")]
    Selected,
    /// Lowest of all.
    Best,
    /// Another decay was taken for this size.
    OtherDecay,
    /// Significantly worse than the best.
    Worse,
    /// No worse than the best, but larger than need be.
    Larger,
    /// The threshold was not reached.
    #[serde(rename = "missed")]
    NotReached,
}

/// Why a network was selected.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The smallest whose verified training error reaches the threshold.
    #[serde(rename = "target")]
    Threshold,
    /// None reaches the threshold; this one comes nearest.
    Nearest,
    /// No other size is better, and no smaller one as good.
    Lowest,
    /// The smallest that is above the best by no more than one standard error of the difference, row by row.
    NotWorse {
        /// The best network.
        best: Topology,
        /// By how much its error, or its fraction of wrong classes, is lower.
        difference: f64,
        /// The standard error of that.
        standard_error: f64,
    },
}

/// Why no larger networks were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// One reached the threshold.
    Reached,
    /// The error had not improved for some sizes.
    NoBetter,
    /// The list of widths was at its end.
    List,
    /// The next one would have more parameters than there are numbers to learn.
    Rows,
    /// The next one would exceed the budget of operations.
    Effort,
    /// The observer asked for it.
    Observer,
}

/// What was selected, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Selection {
    /// Width of the hidden layer.
    pub hidden: usize,
    /// L2 penalty, for [`CostSettings::decay`](crate::CostSettings::decay).
    pub decay: f64,
    /// Everything that was tried, sizes in order.
    pub tried: Vec<Tried>,
    /// Why this one.
    pub reason: Reason,
    /// Why none larger.
    pub end: End,
    /// Rows that sizes were compared on.
    pub rows: usize,
    /// Folds of the comparison; none where a threshold decides.
    pub folds: Option<usize>,
    /// How often the rows were divided into folds.
    pub repeats: usize,
}

/// Selects the smallest network with one hidden layer that is good enough for these training rows.
///
/// `template` says how to train: seed, scaling, cost, start interval and, if any, the threshold; its topology and
/// method do not matter, as networks are tried with [`Method::AUTO`](crate::Method::AUTO).
///
/// *With a threshold*, the smallest network is selected whose verified error on the training rows reaches it.
/// *Without*, every size is trained in cross-validation, with several decays, until
/// [some sizes](SelectionSettings::waiting) in a row were no better than those before, by half a standard error. What
/// decides is the squared error on rows left out, for classes whether the prediction is wrong. A network is no worse
/// than the best one if the mean difference to it, row by row, is at most one standard error of that mean. Of all that
/// are no worse the smallest is selected, and of its decays the strongest.
///
/// The same data, settings and seed give the same selection on any number of threads. `observer` is asked after each
/// generation of each search, and may end all of it: then what was finished decides, and nothing is selected where
/// nothing was. `tell` sees the best of each size.
///
/// # Errors
/// If settings are out of range or do not fit the data.
pub fn select(
    data: &Dataset,
    template: &FitSettings,
    settings: &SelectionSettings,
    observer: impl Fn() -> ControlFlow<()> + Sync,
    tell: impl FnMut(&Tried),
) -> Result<Option<Selection>, Error> {
    settings.validate()?;
    data.check_usable()?;
    match template.stop.threshold {
        Some(threshold) => smallest_that_reaches(threshold, data, template, settings, &observer, tell),
        None => smallest_not_worse(data, template, settings, &observer, tell),
    }
}

/// All parameters of a network, output weights included.
pub(super) fn parameters(topology: &Topology, template: &FitSettings) -> usize {
    let columns = topology.last_hidden() + usize::from(template.cost.output_bias);
    topology.dim() + columns * topology.outputs()
}

/// The network with one hidden layer of this width.
pub(super) fn topology(data: &Dataset, width: usize) -> Result<Topology, Error> {
    Topology::new(&[data.inputs.len(), width, data.outputs.len()])
}

/// Whether there are too few numbers to learn so many parameters. The smallest network is always tried.
pub(super) fn is_too_large(topology: &Topology, template: &FitSettings, rows: usize) -> bool {
    topology.last_hidden() > 1 && parameters(topology, template) > rows * topology.outputs()
}
