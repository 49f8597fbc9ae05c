//! What the observer of a selection is told.

use super::course::Course;
use super::driver::State;
use super::selection::Tried;
use super::summary::Summary;
use crate::scores::Metric;

/// How far a selection has come.
pub enum SelectionProgress<'a> {
    /// With a threshold: a network was tried.
    Tried(&'a Tried),
    /// Without: the race goes on.
    Race(RaceProgress<'a>),
}

/// How far a race has come.
#[derive(Clone, Copy)]
pub struct RaceProgress<'a> {
    /// The current rung, from 1.
    pub rung: usize,
    /// Number of rungs, if the race goes on to the last one.
    pub rungs: usize,
    /// Networks of this rung that were tried, counted once for each fold.
    pub done: usize,
    /// The number of them all.
    pub tasks: usize,
    /// Candidates that are still in the race.
    pub left: usize,
    /// Number of candidates at the start.
    pub candidates: usize,
    /// Maximum number of rows that candidates are trained on in this rung.
    pub training_rows: usize,
    /// About how much of the work is done, from 0 to 1; optional repetitions are not counted before they
    /// begin.
    pub fraction: f64,
    /// Whether the rung is complete.
    pub is_rung_complete: bool,
    pub(super) course: &'a Course<'a>,
    pub(super) state: &'a State,
}

impl RaceProgress<'_> {
    /// What networks are compared by.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.course.metric
    }

    /// The best candidates on the rows so far, one for each network, by increasing loss, and the baselines
    /// after them.
    #[must_use]
    pub fn leaders(&self, count: usize) -> Vec<Tried> {
        Summary::new(self.course, self.state).leaders(count)
    }

    /// The state of the race, from which [`Selector::resume`](super::Selector::resume) continues.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        if self.is_rung_complete { self.state.after_rung().save() } else { self.state.save() }
    }
}
