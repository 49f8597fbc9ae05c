//! How large a network should be: the smallest one that is good enough.
//!
//! Descents find such good minima of the training error that a network which is too large learns the noise. So sizes are compared by rows
//! that were not trained on, and weights are held back by a [decay](crate::CostSettings::decay) that is found in the same way.

mod settings;
mod validation;

pub use settings::ChooseSettings;

use crate::{Dataset, Error, FitSettings, Topology, TrainTest, Training};
use serde::Serialize;
use std::ops::ControlFlow;
use validation::{Outcome, Validation};

/// By how many standard errors of the difference a size must be better than those before to count as an improvement.
const IMPROVEMENT: f64 = 0.5;

/// A network that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// Its layers.
    pub topology: Topology,
    /// All its parameters, output weights and biases included.
    pub parameters: usize,
    /// What its weights paid.
    pub decay: f64,
    /// Mean squared error, in the units of the data: of rows that were not trained on, or of the training rows where a target is given. With
    /// several targets it is the mean over targets of error divided by variance.
    pub error: f64,
    /// Share of these rows classified correctly, or of the variance explained.
    pub share: Option<f64>,
    /// Standard error over rows of what decides: of the share of wrong classes, or of the squared error. None on training rows.
    pub standard_error: Option<f64>,
    /// Seconds of work, of all threads together.
    pub seconds: f64,
    /// What became of it.
    pub note: Note,
}

/// What became of a network that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// It is the one.
    Chosen,
    /// Lowest of all.
    Best,
    /// Another decay was taken for this size.
    OtherDecay,
    /// Significantly worse than the best.
    Worse,
    /// No worse than the best, but larger than need be.
    Larger,
    /// The target was not reached.
    Missed,
}

/// Why a network was chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The smallest whose verified training error reaches the target.
    Target,
    /// None reaches the target; this one comes nearest.
    Nearest,
    /// No other size is better, and no smaller one as good.
    Lowest,
    /// The smallest that is above the best by no more than one standard error of the difference, row by row.
    NotWorse {
        /// The best network.
        best: Topology,
        /// By how much its error, or its share of wrong classes, is lower.
        difference: f64,
        /// The standard error of that.
        standard_error: f64,
    },
}

/// Why no larger networks were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// One reached the target.
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

/// A choice, and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// Width of the hidden layer.
    pub hidden: usize,
    /// What weights pay, for [`CostSettings::decay`](crate::CostSettings::decay).
    pub decay: f64,
    /// Everything that was tried, sizes in order.
    pub tried: Vec<Tried>,
    /// Why this one.
    pub reason: Reason,
    /// Why none larger.
    pub end: End,
    /// Rows that sizes were compared on.
    pub rows: usize,
    /// Folds of the comparison; none where a target decides.
    pub folds: Option<usize>,
    /// How often these were dealt.
    pub repeats: usize,
}

/// Looks for the smallest network with one hidden layer that is good enough for these training rows.
///
/// `template` says how to train: seed, scaling, cost, start interval and, if any, the target; its topology and method do not matter, as networks are
/// tried with [`Method::AUTO`](crate::Method::AUTO).
///
/// *With a target*, the smallest network is chosen whose verified error on the training rows reaches it. *Without*, every size is trained in
/// cross-validation, with several decays, until [some sizes](ChooseSettings::waiting) in a row were no better than those before, by half a
/// standard error. What decides is the squared error on rows left out, for classes whether the answer is wrong. A network is no worse than
/// the best one if the mean difference to it, row by row, is at most one standard error of that mean. Of all that are no worse the smallest is
/// chosen, and of its decays the strongest.
///
/// The same data, settings and seed give the same choice on any number of threads. `observer` is asked after each generation of each search, and
/// may end all of it: then what was finished decides, and there is no choice where nothing was. `tell` sees the best of each size.
///
/// # Errors
/// If settings are out of range or do not fit the data.
pub fn choose(
    data: &Dataset,
    template: &FitSettings,
    settings: &ChooseSettings,
    observer: impl Fn() -> ControlFlow<()> + Sync,
    tell: impl FnMut(&Tried),
) -> Result<Option<Choice>, Error> {
    settings.validate()?;
    data.check_usable()?;
    match template.stop.threshold {
        Some(target) => reach(data, template, settings, target, &observer, tell),
        None => validate(data, template, settings, &observer, tell),
    }
}

/// All parameters of a network, output weights included.
fn parameters(topology: &Topology, template: &FitSettings) -> usize {
    let columns = topology.last_hidden() + usize::from(template.cost.output_bias);
    topology.dim() + columns * topology.outputs()
}

fn topology(data: &Dataset, width: usize) -> Result<Topology, Error> {
    Topology::new(&[data.inputs.len(), width, data.outputs.len()])
}

/// Whether there are too few numbers to learn so many parameters. The smallest network is always tried.
fn is_too_large(topology: &Topology, template: &FitSettings, rows: usize) -> bool {
    topology.last_hidden() > 1 && parameters(topology, template) > rows * topology.outputs()
}

fn reach(
    data: &Dataset,
    template: &FitSettings,
    settings: &ChooseSettings,
    target: f64,
    observer: &(impl Fn() -> ControlFlow<()> + Sync),
    mut tell: impl FnMut(&Tried),
) -> Result<Option<Choice>, Error> {
    let rows = data.rows();
    let data = TrainTest { train: data.clone(), ..TrainTest::default() };
    let (mut tried, mut end) = (Vec::<Tried>::new(), End::List);
    let mut spent = 0.0;
    for width in &settings.widths {
        let topology = topology(&data.train, *width)?;
        if is_too_large(&topology, template, rows) {
            end = End::Rows;
            break;
        }
        if spent > settings.operations {
            end = End::Effort;
            break;
        }
        let decay = template.cost.decay;
        let fit =
            ChooseSettings::fit_settings(template, topology.clone(), decay, settings.patience_for_target);
        let report = Training::new("", &data, &fit)?.observe(|_| observer()).run()?.report;
        if report.stop == crate::StopReason::Observer {
            end = End::Observer;
            break;
        }
        spent += report.slopes as f64 * settings::operations(&topology, rows);
        let note = if report.reached { Note::Chosen } else { Note::Missed };
        tried.push(Tried {
            parameters: parameters(&topology, template),
            topology,
            decay,
            error: report.verified_cost,
            standard_error: None,
            share: None,
            seconds: report.seconds,
            note,
        });
        tried.last().into_iter().for_each(&mut tell);
        if report.reached {
            end = End::Reached;
            break;
        }
    }
    let reached = tried.iter().position(|t| t.error <= target && t.note == Note::Chosen);
    let nearest = (0..tried.len()).min_by(|a, b| tried[*a].error.total_cmp(&tried[*b].error));
    let Some(chosen) = reached.or(nearest) else { return Ok(None) };
    tried[chosen].note = Note::Chosen;
    Ok(Some(Choice {
        hidden: tried[chosen].topology.last_hidden(),
        decay: tried[chosen].decay,
        reason: if reached.is_some() { Reason::Target } else { Reason::Nearest },
        tried,
        end,
        rows,
        folds: None,
        repeats: 1,
    }))
}

fn validate(
    data: &Dataset,
    template: &FitSettings,
    settings: &ChooseSettings,
    observer: &(impl Fn() -> ControlFlow<()> + Sync),
    mut tell: impl FnMut(&Tried),
) -> Result<Option<Choice>, Error> {
    let validation = Validation::new(data, template, settings)?;
    // Every outcome, and for each size the place of its best.
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    let mut end = End::List;
    let (mut waited, mut spent) = (0, 0.0);
    for width in &settings.widths {
        let topology = topology(data, *width)?;
        if is_too_large(&topology, template, validation.rows()) {
            end = End::Rows;
            break;
        }
        let last = sizes.last().map(|i| &outcomes[*i]);
        if last
            .is_some_and(|last| spent + validation.expected_operations(last, &topology) > settings.operations)
        {
            end = End::Effort;
            break;
        }
        let decays = &settings.decays;
        let centre = last.and_then(|last| decays.iter().position(|d| d.to_bits() == last.decay.to_bits()));
        let Some(tried) = validation.along_decays(&topology, centre, observer)? else {
            end = End::Observer;
            break;
        };
        spent += tried.iter().map(|t| t.operations).sum::<f64>();
        let first = outcomes.len();
        outcomes.extend(tried);
        let lowest = lowest(&outcomes, first..outcomes.len());
        let before = sizes.iter().copied().min_by(|a, b| outcomes[*a].mean.total_cmp(&outcomes[*b].mean));
        sizes.push(lowest);
        tell(&outcomes[lowest].tried(data, template, Note::Best));
        let is_better = before.is_none_or(|before| {
            let (gain, standard_error) = outcomes[before].above(&outcomes[lowest]);
            gain > IMPROVEMENT * standard_error
        });
        waited = if is_better { 0 } else { waited + 1 };
        if waited >= settings.waiting {
            end = End::NoBetter;
            break;
        }
    }
    if sizes.is_empty() {
        return Ok(None);
    }
    let best = lowest(&outcomes, sizes.iter().copied());
    let is_no_worse = |i: usize| {
        let (difference, standard_error) = outcomes[i].above(&outcomes[best]);
        i == best || difference <= standard_error
    };
    // Sizes grow and decays fall.
    let chosen = (0..outcomes.len()).find(|i| is_no_worse(*i)).unwrap_or(best);
    let is_of_chosen_size = |i: usize| outcomes[i].topology == outcomes[chosen].topology;
    let note = |i: usize| match i {
        _ if i == chosen => Note::Chosen,
        _ if is_of_chosen_size(i) || !sizes.contains(&i) => Note::OtherDecay,
        _ if i == best => Note::Best,
        _ if is_no_worse(i) => Note::Larger,
        _ => Note::Worse,
    };
    let (difference, standard_error) = outcomes[chosen].above(&outcomes[best]);
    let best = outcomes[best].topology.clone();
    let reason = if best == outcomes[chosen].topology {
        Reason::Lowest
    } else {
        Reason::NotWorse { best, difference, standard_error }
    };
    Ok(Some(Choice {
        hidden: outcomes[chosen].topology.last_hidden(),
        decay: outcomes[chosen].decay,
        tried: outcomes.iter().enumerate().map(|(i, o)| o.tried(data, template, note(i))).collect(),
        reason,
        end,
        rows: validation.rows(),
        folds: Some(validation.folds()),
        repeats: validation.repeats(),
    }))
}

/// The place of the lowest mean among these, the first on a tie.
fn lowest(outcomes: &[Outcome], places: impl Iterator<Item = usize>) -> usize {
    places.min_by(|a, b| outcomes[*a].mean.total_cmp(&outcomes[*b].mean)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
