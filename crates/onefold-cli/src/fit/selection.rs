//! Selection of the network where none is given, or of the decay of a given one.

use super::checkpoints::not_resumed;
use super::plan::Plan;
use super::race_view::RaceView;
use super::selection_keeper::SelectionKeeper;
use super::selection_report::report;
use super::time::Step;
use crate::failure::Failure;
use crate::interrupt;
use onefold::TrainTest;
use onefold::automatic::{Choice, Selected};
use onefold::model::Intervals;
use onefold::model_selection::{Selection, SelectionProgress, Selector};
use std::time::Duration;

/// The network to be trained.
pub(super) struct Network {
    /// Its layers and its decay, if they were selected.
    pub(super) selected: Option<Selected>,
    /// The selection, unless a training is resumed.
    pub(super) selection: Option<Selection>,
    /// Prediction intervals from the errors of the selected network on held-out rows.
    pub(super) intervals: Option<Intervals>,
    /// What the selection took.
    pub(super) time: Duration,
}

/// The network given by the user, the one selected before a checkpoint, or one selected now. A selection that
/// is cut short keeps the best network so far; before there is one, the smallest.
pub(super) fn network(plan: &Plan<'_>) -> Result<Network, Failure> {
    if plan.choice() == Choice::Nothing {
        return Ok(Network { selected: None, selection: None, intervals: None, time: Duration::ZERO });
    }
    if let Some(checkpoint) = plan.resumed.as_ref().filter(|checkpoint| checkpoint.selection.is_none()) {
        let selected = Some(Selected::from(&checkpoint.settings));
        let intervals = checkpoint.intervals.clone();
        return Ok(Network { selected, selection: None, intervals, time: Duration::ZERO });
    }
    saved_state(plan)?;
    // What can be refused is refused before anything is printed.
    let train = &plan.input.data.train;
    Selector::new(train, &plan.template(train)?, &plan.given.selection_settings(None))?;
    plan.print(&plan.input.describe());
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
    });
    let selected = selection.as_ref().map_or(plan.smallest(), |selection| Some(Selected::from(selection)));
    let intervals = selection.as_ref().and_then(|selection| selection.intervals.clone());
    Ok(Network { selected, selection, intervals, time })
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
    let mut settings = plan.given.selection_settings(step.time_left());
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
        .and_then(|()| checkpoint.check_selection(&plan.given.selection_settings(None)))
        .and_then(|()| checkpoint.state());
    state.map(Some).map_err(|e| not_resumed(plan.args.resume.as_deref(), &e))
}
