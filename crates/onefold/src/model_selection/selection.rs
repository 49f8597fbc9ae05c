//! Selection of the size of a network.
//!
//! Local descents minimise the training error so well that a network which is too large overfits. So sizes,
//! and values of the L2 penalty ([decay](crate::CostSettings::decay)), are compared on held-out rows.

use super::by_cross_validation::smallest_not_worse;
use super::by_threshold::smallest_that_reaches;
use super::settings::SelectionSettings;
use crate::{Cancellation, Dataset, Error, FitSettings, Topology};
use serde::Serialize;

/// A network that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// Its layers.
    pub topology: Topology,
    /// Number of parameters, output weights and biases included.
    pub parameters: usize,
    /// Its L2 penalty.
    pub decay: f64,
    /// Mean squared error in the units of the data, on held-out rows, or on the training rows if there is a
    /// threshold. On held-out rows, that of several targets is the mean of error divided by variance.
    pub error: f64,
    /// Fraction of these rows classified correctly, or of the variance explained.
    #[serde(rename = "share")]
    pub fraction: Option<f64>,
    /// Standard error over rows of the selection criterion: of the fraction of wrong classes, or of the
    /// squared error. None on training rows.
    pub standard_error: Option<f64>,
    /// Seconds of computation, summed over threads.
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
    /// Lowest error of all.
    Best,
    /// Another decay is better for this size.
    OtherDecay,
    /// Significantly worse than the best.
    Worse,
    /// Within one standard error of the best, but larger than the selected one.
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
    /// None reaches the threshold; this one has the lowest error.
    Nearest,
    /// The lowest error of all sizes, and all smaller ones are worse by more than one standard error.
    Lowest,
    /// The smallest whose error exceeds the best by at most one standard error of the row-wise difference.
    NotWorse {
        /// The best network.
        best: Topology,
        /// Difference in error, or in the fraction of wrong classes.
        difference: f64,
        /// The standard error of the difference.
        standard_error: f64,
    },
}

/// Why no larger networks were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// One reached the threshold.
    Reached,
    /// The error did not improve for [some sizes](SelectionSettings::waiting) in a row.
    NoBetter,
    /// The end of the list of widths.
    List,
    /// The next one would have more parameters than there are target values.
    Rows,
    /// The next one would exceed the budget of operations.
    Effort,
    /// It was cancelled.
    Cancelled,
}

/// The result of a selection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Selection {
    /// Width of the hidden layer.
    pub hidden: usize,
    /// L2 penalty, for [`CostSettings::decay`](crate::CostSettings::decay).
    pub decay: f64,
    /// All networks that were tried, by increasing size.
    pub tried: Vec<Tried>,
    /// Why this size was selected.
    pub reason: Reason,
    /// Why no larger networks were tried.
    pub end: End,
    /// Number of rows that sizes were compared on.
    pub rows: usize,
    /// Number of folds; none if there is a threshold.
    pub folds: Option<usize>,
    /// Number of repetitions of the cross-validation.
    pub repeats: usize,
}

/// Selects the width of the hidden layer of a network for these training rows.
///
/// `template` contains the settings of training: seed, scaling, cost, start interval and, if any, the
/// threshold; its layers and method have no effect, as networks are trained with
/// [`Method::AUTO`](crate::Method::AUTO). All networks have a linear part if its topology has one.
///
/// *With a threshold*, the smallest network is selected whose verified error on the training rows reaches it.
/// *Without*, networks of increasing size are trained in cross-validation, with several decays, until
/// [some sizes](SelectionSettings::waiting) in a row improve by less than half a standard error. The
/// criterion is the squared error on held-out rows, for a classification the fraction of wrong predictions. A
/// network counts as no worse than the best one if its mean row-wise difference to it is at most one
/// standard error (the one-standard-error rule). Of these the smallest is selected, and of its decays the
/// largest.
///
/// The same data, settings and seed give the same selection on any number of threads. `cancellation` may end
/// the selection: then the finished sizes are compared, and the result is none without any. `tell` is called
/// with the best network of each size.
///
/// # Errors
/// If settings are out of range or do not fit the data.
pub fn select(
    data: &Dataset,
    template: &FitSettings,
    settings: &SelectionSettings,
    cancellation: &Cancellation,
    tell: impl FnMut(&Tried),
) -> Result<Option<Selection>, Error> {
    settings.validate()?;
    data.check_usable()?;
    match template.stop.threshold {
        Some(threshold) => smallest_that_reaches(threshold, data, template, settings, cancellation, tell),
        None => smallest_not_worse(data, template, settings, cancellation, tell),
    }
}

/// Number of parameters of a network, output weights included.
pub(super) fn parameters(topology: &Topology, template: &FitSettings) -> usize {
    topology.parameters(template.cost.output_bias)
}

/// The network with one hidden layer of this width.
pub(super) fn topology(data: &Dataset, width: usize, template: &FitSettings) -> Result<Topology, Error> {
    let topology = Topology::new(&[data.inputs.len(), width, data.outputs.len()])?;
    Ok(topology.with_linear_part(template.topology.has_linear_part()))
}

/// Whether the network has more parameters than there are target values. The smallest network is always
/// tried.
pub(super) fn is_too_large(topology: &Topology, template: &FitSettings, rows: usize) -> bool {
    topology.last_hidden() > 1 && parameters(topology, template) > rows * topology.outputs()
}
