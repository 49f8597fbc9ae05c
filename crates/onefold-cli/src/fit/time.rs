//! The time of a run. `--time` is for the whole command: selection, folds and training share it.

use super::plan::Plan;
use crate::interrupt;
use onefold::Cancellation;
use onefold::automatic::time_for_selection;
use std::time::{Duration, Instant};

/// After Ctrl-C in a selection, the network selected so far is trained this long.
const AFTER_INTERRUPT: Duration = Duration::from_millis(350);
/// Training has at least this time, however long the steps before it took.
const LEAST: Duration = Duration::from_millis(250);

/// Until when a step of a run may take.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// Ctrl-C, and the end of its time.
    pub(super) cancellation: Cancellation,
    end: Option<Instant>,
}

impl Step {
    /// The next of this many steps, between which the rest of the time is divided evenly.
    fn of(steps: usize, end: Option<Instant>) -> Self {
        let now = Instant::now();
        Self::until(end.map(|end| now + end.saturating_duration_since(now) / steps as u32))
    }

    fn until(end: Option<Instant>) -> Self {
        let cancellation = interrupt::cancellation();
        Self { cancellation: end.map_or(cancellation.clone(), |end| cancellation.until(end)), end }
    }

    /// The selection of a network: with the training one step, the folds are the others.
    pub(super) fn selection(plan: &Plan<'_>) -> Self {
        let step = Self::of(plan.args.table.folds.unwrap_or(0) + 1, interrupt::end_of_time());
        step.for_selection(plan.input.data.train.rows())
    }

    /// The fold with this number, from 0.
    pub(super) fn fold(number: usize, folds: usize) -> Self {
        Self::of(folds - number + 1, interrupt::end_of_time())
    }

    /// The time until its end, if it has one.
    pub(super) fn time_left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// The part of a step that is for a selection, before the training on so many rows.
    pub(super) fn for_selection(&self, rows: usize) -> Self {
        let now = Instant::now();
        Self::until(self.time_left().map(|left| now + time_for_selection(left, rows)))
    }

    /// The same, for a training whose result is not that of the command.
    pub(super) fn of_part(&self) -> Self {
        Self { cancellation: self.cancellation.for_part(), ..self.clone() }
    }

    /// The final training. After Ctrl-C in the selection it is short.
    pub(super) fn training() -> Self {
        if interrupt::is_interrupted() {
            return Self { cancellation: interrupt::new_cancellation().within(AFTER_INTERRUPT), end: None };
        }
        let earliest = Instant::now() + LEAST;
        Self::until(interrupt::end_of_time().map(|end| end.max(earliest)))
    }
}
