//! From rows and options to a trained network: the selection of what is left open, and the training.

use super::{Automatic, Choice, Selected, time_for_selection};
use crate::model_selection::{Elsewhere, Selection, SelectionProgress, Selector};
use crate::{Cancellation, Error, Fitted, Progress, TrainTest, Training};
use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

/// After a cancellation in the selection, the network selected so far is trained this long at most.
const AFTER_CANCELLATION: Duration = Duration::from_millis(50);
/// What follows the training, which is mostly predictions of all rows, takes about this many times as long as
/// its preparation; after a cancellation the training ends earlier by that.
const FOLLOWING: u32 = 4;
/// Training has at least this time, however long the selection took.
const LEAST: Duration = Duration::from_millis(250);

/// A trained network, and how it was selected.
#[derive(Clone, Debug, PartialEq)]
pub struct AutomaticFit {
    /// The network, and the report of its search.
    pub fitted: Fitted,
    /// The selection; none if nothing was left open, or it was cancelled before a network was compared.
    pub selection: Option<Selection>,
    /// Whether a cancellation ended the selection or the training early.
    pub is_cancelled: bool,
}

/// How far a fit has come.
pub enum AutomaticProgress<'a> {
    /// In the selection.
    Selection(&'a SelectionProgress<'a>),
    /// In the training.
    Training(&'a Progress<'a>),
}

/// A cancellation in a moment. A deadline would leave more time to the first generation.
fn soon() -> Cancellation {
    let cancellation = Cancellation::default();
    let later = cancellation.clone();
    let timer = thread::Builder::new().spawn(move || {
        thread::sleep(AFTER_CANCELLATION);
        later.cancel();
    });
    if timer.is_err() {
        cancellation.cancel();
    }
    cancellation
}

impl Automatic {
    /// Selects what is left open, and trains; `name` is the name of the data in the model, and `tell` is
    /// called as it goes on. The time limit is for both, see [`time_for_selection`]. After a cancellation
    /// the result is the best network so far.
    ///
    /// # Errors
    /// If settings are out of range or do not fit the data.
    pub fn fit(
        &self,
        name: &str,
        data: &TrainTest,
        cancellation: &Cancellation,
        tell: &mut dyn FnMut(AutomaticProgress<'_>),
    ) -> Result<AutomaticFit, Error> {
        self.fit_by(name, data, cancellation, tell, None)
    }

    /// The same, with the fits of the selection [done elsewhere](Selector::run_fits_by).
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_by(
        &self,
        name: &str,
        data: &TrainTest,
        cancellation: &Cancellation,
        tell: &mut dyn FnMut(AutomaticProgress<'_>),
        elsewhere: Option<&mut Elsewhere<'_>>,
    ) -> Result<AutomaticFit, Error> {
        let given = self;
        let limit = given.overrides.time.filter(|time| *time > 0.0).map(Duration::from_secs_f64);
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let of_selection = limit.map(|limit| time_for_selection(limit, data.train.rows()));
        let selection = given.select(data, of_selection, cancellation, tell, elsewhere)?;
        let (is_cancelled, begun) = (cancellation.is_requested(), Instant::now());
        let selected = selection.as_ref().map_or_else(|| given.smallest(), |s| Some(Selected::from(s)));
        let settings = given.settings(&data.train, selected.as_ref())?;
        let training = if is_cancelled {
            soon()
        } else {
            let earliest = Instant::now() + LEAST;
            end.map_or_else(|| cancellation.clone(), |end| cancellation.until(end.max(earliest)))
        };
        let mut run = Training::new(name, data, &settings)?.continue_after_threshold().with_scores();
        run = run.cancel_by(&training);
        if let Some(start) = selected.as_ref().and_then(|selected| selected.start.as_ref()) {
            run = start.begin(run);
        }
        let rest = is_cancelled.then(|| AFTER_CANCELLATION.saturating_sub(FOLLOWING * begun.elapsed()));
        let mut fitted = run
            .observe(|progress| {
                tell(AutomaticProgress::Training(progress));
                let is_over = rest.is_some_and(|rest| progress.run_elapsed >= rest);
                if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .run()?;
        let is_cancelled = is_cancelled || fitted.is_interrupted();
        let intervals = selection.as_ref().and_then(|selection| selection.intervals.clone());
        fitted.model = fitted.model.with_rounding_on(&data.train);
        fitted.model = fitted.model.with_intervals(intervals);
        Ok(AutomaticFit { fitted, selection, is_cancelled })
    }

    fn select(
        &self,
        data: &TrainTest,
        time: Option<Duration>,
        cancellation: &Cancellation,
        tell: &mut dyn FnMut(AutomaticProgress<'_>),
        elsewhere: Option<&mut Elsewhere<'_>>,
    ) -> Result<Option<Selection>, Error> {
        if self.choice() == Choice::Nothing {
            return Ok(None);
        }
        let mut settings = self.selection_settings(time);
        settings.related = data.table.as_ref().and_then(|table| table.related.clone());
        let cancellation = time.map_or_else(|| cancellation.clone(), |time| cancellation.within(time));
        let template = self.template(&data.train)?;
        let selector = Selector::new(&data.train, &template, &settings)?
            .cancel_by(&cancellation.for_part())
            .observe(|progress| tell(AutomaticProgress::Selection(progress)));
        match elsewhere {
            Some(elsewhere) => selector.run_fits_by(elsewhere).run(),
            None => selector.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builtin;

    fn given(text: &str) -> Automatic {
        Automatic {
            overrides: serde_json::from_str(text).unwrap(),
            effort: Some(0.2),
            ..Automatic::default()
        }
    }

    fn fit(given: &Automatic, cancellation: &Cancellation) -> AutomaticFit {
        let data = Builtin::Iris.load(&Default::default()).unwrap();
        given.fit("iris", &data, cancellation, &mut |_| {}).unwrap()
    }

    #[test]
    fn what_is_left_open_is_selected() {
        let selected = fit(&given(r#"{"seed": 3}"#), &Cancellation::default());
        assert!(selected.selection.is_some() && !selected.is_cancelled);
        assert!(selected.fitted.model.has_probabilities());
        let given_layers = fit(&given(r#"{"hidden": 2, "decay": 1e-3}"#), &Cancellation::default());
        assert!(given_layers.selection.is_none());
        assert_eq!(given_layers.fitted.model.topology().to_string(), "4-2-3");
        let decay = fit(&given(r#"{"hidden": "2+linear"}"#), &Cancellation::default());
        assert_eq!(decay.selection.unwrap().topology, *decay.fitted.model.topology());
    }

    #[test]
    fn a_cancelled_fit_keeps_the_best_network_so_far() {
        let cancellation = Cancellation::default();
        cancellation.cancel();
        let fit = fit(&given("{}"), &cancellation);
        assert!(fit.is_cancelled && fit.fitted.model.metrics().train_mse.is_some_and(f64::is_finite));
    }
}
