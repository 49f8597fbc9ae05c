//! Checkpoints of a selection.

use super::checkpoints::Teller;
use super::plan::Plan;
use indicatif::ProgressBar;
use onefold::model_selection::{RaceProgress, SelectionSettings};
use onefold::{Checkpoint, FitSettings};
use std::time::Instant;

/// Saves the race of a run, if it has checkpoints.
pub(super) struct SelectionKeeper<'a> {
    plan: &'a Plan<'a>,
    template: &'a FitSettings,
    settings: &'a SelectionSettings,
    saved_at: Option<Instant>,
    teller: Teller,
}

impl<'a> SelectionKeeper<'a> {
    /// Messages appear above `bar`.
    pub(super) fn new(
        plan: &'a Plan<'a>,
        template: &'a FitSettings,
        settings: &'a SelectionSettings,
        bar: ProgressBar,
    ) -> Self {
        let teller = Teller::new(bar, plan.args.checkpoint.as_deref());
        Self { plan, template, settings, saved_at: None, teller }
    }

    /// Saves the race when it is time, after the first network that was tried, and at the end.
    pub(super) fn observe(&mut self, race: &RaceProgress<'_>, is_last: bool) {
        let Some(path) = &self.plan.args.checkpoint else { return };
        let is_due = self.saved_at.is_none_or(|at| at.elapsed() >= self.plan.args.checkpoint_every);
        if is_due || is_last {
            let input = &self.plan.input;
            let checkpoint = Checkpoint::of_selection(
                &input.name,
                &input.data,
                self.template,
                self.settings,
                &race.save(),
            );
            self.teller.judge(checkpoint.save(path));
            self.saved_at = Some(Instant::now());
        }
    }
}
