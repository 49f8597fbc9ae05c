//! Selection of the network where none is given, or of the decay of a given one.

use super::checkpoints::not_resumed;
use super::plan::Plan;
use super::race_view::RaceView;
use super::selection_keeper::SelectionKeeper;
use super::selection_report::report;
use super::time::Step;
use crate::failure::Failure;
use crate::interrupt;
use onefold::model_selection::{Selection, SelectionProgress, SelectionSettings, Selector};
use onefold::optimizer::LocalSettings;
use onefold::settings::OutputLayer;
use onefold::{FitSettings, TrainTest};
use std::time::Duration;

/// Patience of the final training without a threshold: descents in a row without improvement.
const PATIENCE: u64 = 20;
/// Patience with a threshold, in the selection as well as in the final training.
const PATIENCE_WITH_THRESHOLD: u64 = 50;
/// Effort where only the decay is to be selected, in seconds on one core.
const EFFORT_FOR_DECAY: f64 = 4.0;
/// Of the time of a selection, so much is planned with; the rest is for what a machine is slower than the one
/// that efforts were counted on.
const FRACTION_OF_TIME: f64 = 0.7;
/// Repetitions of the cross-validation with a time limit, as long as the race is undecided.
const REPEATS_WITH_TIME: usize = 20;

/// What there is to select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Layers and decay are given, or belong to a built-in data set.
    Nothing,
    /// The decay of a given network.
    Decay,
    /// The layers, and their decay.
    Network,
}

/// A selected network.
#[derive(Clone)]
pub(super) struct Selected {
    /// The hidden layers as text; with `+linear` they have a linear part.
    pub(super) hidden: String,
    decay: f64,
    temperature: f64,
    /// Hidden parameters to begin with.
    pub(super) start: Option<Vec<f64>>,
    /// What the selection took.
    pub(super) time: Duration,
}

impl From<&Selection> for Selected {
    fn from(selection: &Selection) -> Self {
        let (hidden, decay, start) =
            (selection.topology.hidden_text(), selection.decay, selection.start.clone());
        Self { hidden, decay, temperature: selection.temperature, start, time: Duration::ZERO }
    }
}

impl Selected {
    /// The smallest network, before there is a better one.
    pub(super) fn smallest(hidden: String, decay: Option<f64>) -> Self {
        Self { hidden, decay: decay.unwrap_or(0.0), temperature: 1.0, start: None, time: Duration::ZERO }
    }

    /// The network in the settings of a resumed training.
    fn of(settings: &FitSettings) -> Self {
        let (hidden, decay) = (settings.topology.hidden_text(), settings.cost.decay);
        Self { hidden, decay, temperature: settings.temperature, start: None, time: Duration::ZERO }
    }

    /// Sets the penalty, the temperature unless it is given, and what differs in training after a selection:
    /// a longer patience.
    pub(super) fn apply(&self, s: &mut FitSettings, choice: Choice, has_temperature: bool) {
        s.cost.decay = self.decay;
        if s.output_layer == OutputLayer::Logistic && !has_temperature {
            s.temperature = self.temperature;
        }
        s.stop.max_seconds = s.stop.max_seconds.map(|seconds| seconds / 2.0);
        let is_by_matrix = s.method.own::<LocalSettings>().is_some_and(|local| local.max_steps <= 300);
        if let Some(local) = s.method.own_mut::<LocalSettings>().filter(|_| choice == Choice::Network) {
            if is_by_matrix {
                local.patience = Some(PATIENCE);
            }
            local.patience_with_threshold = Some(PATIENCE_WITH_THRESHOLD);
        }
    }
}

/// The network to be trained.
pub(super) struct Network {
    /// Its layers and its decay, if they were selected.
    pub(super) selected: Option<Selected>,
    /// The selection, unless a training is resumed.
    pub(super) selection: Option<Selection>,
}

/// The network given by the user, the one selected before a checkpoint, or one selected now. A selection that
/// is cut short keeps the best network so far; before there is one, the smallest.
pub(super) fn network(plan: &Plan<'_>) -> Result<Network, Failure> {
    if plan.choice() == Choice::Nothing {
        return Ok(Network { selected: None, selection: None });
    }
    if let Some(checkpoint) = plan.resumed.as_ref().filter(|checkpoint| checkpoint.selection.is_none()) {
        return Ok(Network { selected: Some(Selected::of(&checkpoint.settings)), selection: None });
    }
    saved_state(plan)?;
    // What can be refused is refused before anything is printed.
    let train = &plan.input.data.train;
    Selector::new(train, &plan.template(train)?, &settings(plan, None))?;
    plan.print(&plan.input.describe())?;
    let started = std::time::Instant::now();
    let selection = select(plan, &plan.input.data, &Step::selection(plan), true)?;
    let time = started.elapsed();
    plan.print(&match &selection {
        Some(selection) => report(selection, plan, time),
        None if plan.choice() == Choice::Decay => {
            "\n  No decay could be compared on held-out rows; the network is trained without one.\n\n".into()
        }
        None => format!(
            "\n  The selection ended {} before a network was compared; the smallest is trained.\n\n",
            cut_short()
        ),
    })?;
    let selected = selection.as_ref().map_or(plan.smallest(), |selection| Some(Selected::from(selection)));
    Ok(Network { selected: selected.map(|selected| Selected { time, ..selected }), selection })
}

/// What ended a selection.
pub(super) fn cut_short() -> &'static str {
    if interrupt::is_interrupted() { "by an interrupt" } else { "by its part of --time" }
}

/// Selects a network for these rows; none if it was cut short before one was compared. Only the selection on
/// all rows, not that of a fold, is saved and resumed.
pub(super) fn select(
    plan: &Plan<'_>,
    rows: &TrainTest,
    step: &Step,
    is_saved: bool,
) -> Result<Option<Selection>, Failure> {
    let data = &rows.train;
    let template = plan.template(data)?;
    let state = if is_saved { saved_state(plan)? } else { None };
    let mut settings = settings(plan, step.time_left());
    settings.related = rows.table.as_ref().and_then(|table| table.related.clone());
    // The rest of a race has the effort of its beginning.
    if let Some(saved) = plan.resumed.as_ref().and_then(|checkpoint| checkpoint.selection.as_ref()) {
        settings.effort = saved.effort;
    }
    let from = plan.args.resume.as_deref();
    let mut view = RaceView::new();
    let mut keeper = is_saved.then(|| SelectionKeeper::new(plan, &template, &settings, view.bar()));
    let selector = Selector::new(data, &template, &settings)?.cancel_by(&step.cancellation);
    let selector = match &state {
        Some(state) => selector.resume(state),
        None => selector,
    };
    let selection = selector
        .observe(|progress| {
            view.update(progress);
            if let (SelectionProgress::Race(race), Some(keeper)) = (progress, &mut keeper) {
                keeper.observe(race, step.cancellation.is_cancelled());
            }
        })
        .run();
    view.finish();
    selection.map_err(|e| match e {
        onefold::Error::State(_) => not_resumed(from, &e),
        other => other.into(),
    })
}

/// The race that is resumed, if there is one.
fn saved_state(plan: &Plan<'_>) -> Result<Option<Vec<u8>>, Failure> {
    let Some(checkpoint) = &plan.resumed else { return Ok(None) };
    let template = plan.template(&plan.input.data.train)?;
    let state = checkpoint
        .check(&plan.input.name, &plan.input.data, &template)
        .and_then(|()| checkpoint.check_selection(&settings(plan, None)))
        .and_then(|()| checkpoint.state());
    state.map(Some).map_err(|e| not_resumed(plan.args.resume.as_deref(), &e))
}

fn settings(plan: &Plan<'_>, time: Option<Duration>) -> SelectionSettings {
    let args = plan.args;
    let threads = args.threads.unwrap_or(0);
    let default = SelectionSettings::default();
    let is_decay = plan.choice() == Choice::Decay;
    let effort = is_decay.then_some(EFFORT_FOR_DECAY);
    let cores =
        if threads == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { threads };
    let time = time.map(|time| time.as_secs_f64() * cores as f64 * FRACTION_OF_TIME);
    SelectionSettings {
        metric: args.metric,
        prefer: args.prefer.map(Into::into).unwrap_or_default(),
        hidden: plan.given_layers(),
        linear_part: args.linear_part,
        decays: args.decay.map_or(default.decays, |decay| vec![decay]),
        patience_for_threshold: PATIENCE_WITH_THRESHOLD,
        repeats: if args.time.is_some() { REPEATS_WITH_TIME } else { default.repeats },
        effort: time.map(|time| time.max(0.01)).or(effort),
        threads,
        ..SelectionSettings::default()
    }
}
