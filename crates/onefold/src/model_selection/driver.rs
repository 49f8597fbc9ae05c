//! The course of a race: rung by rung, all candidates that are left on all folds of the rung.

use super::candidates::Shape;
use super::course::Course;
use super::elsewhere::{Elsewhere, RaceFits};
use super::race::{Losses, Race};
use super::rungs::{Part, Rung};
use super::selection::{End, Selection};
use super::selector::Observer;
use super::settings::SelectionSettings;
use super::summary::Summary;
use super::trials::Outcome;
use crate::resources::{in_order_of_long, or_cores, pool};
use crate::saved::{check_sizes, decode, encode};
use crate::{Cancellation, Dataset, Error, FitSettings};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Name of the saved state.
const NAME: &str = "selection 2";
/// Name of a saved outcome.
const OUTCOME: &str = "outcome";
/// After each of the first rungs, at least this fraction of the candidates stays.
const KEPT: [f64; 2] = [1.0 / 3.0, 1.0 / 9.0];
/// Whatever the time limit, the first shape after a start or a resume may take this long: so a race that is
/// resumed again and again gets on.
const FIRST_SHAPE: Duration = Duration::from_millis(250);

/// How far a race has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) race: Race,
    /// The current rung, and its current fold.
    pub(super) rung: usize,
    pub(super) fold: usize,
    /// Outcomes of the current fold so far, one for each shape that is left.
    pub(super) outcomes: Vec<Outcome>,
    /// What would be selected after each rung that is complete.
    pub(super) selected: Vec<Option<usize>>,
    /// The candidates of the intensified rung; empty before it.
    pub(super) intensified: Vec<usize>,
    /// How often the cross-validation was done, the intensified rung not counted.
    pub(super) repeats: usize,
    /// Why regular rungs ended.
    end: End,
    /// What it took so far, in nanoseconds that were counted.
    effort: f64,
    /// The same for each shape on the last fold and for each row, at the place of its first candidate; 0
    /// before.
    pub(super) took: Vec<f64>,
}

/// A race on its way.
pub(super) struct Driver<'a> {
    course: Course<'a>,
    state: State,
    pool: Option<ThreadPool>,
    /// Whether nothing was tried since the start or resume.
    is_first: bool,
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        data: &'a Dataset,
        template: &'a FitSettings,
        settings: &'a SelectionSettings,
    ) -> Result<Self, Error> {
        let course = Course::new(data, template, settings)?;
        let state = State {
            race: course.with_data(Race::new(course.candidates.sizes.clone())),
            rung: 0,
            fold: 0,
            outcomes: Vec::new(),
            selected: Vec::new(),
            intensified: Vec::new(),
            repeats: 1,
            end: End::List,
            effort: 0.0,
            took: vec![0.0; course.candidates.sizes.len()],
        };
        Ok(Self { course, state, pool: pool(or_cores(settings.threads)), is_first: true })
    }

    /// Continues a race that was saved.
    pub(super) fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let state: State = decode(NAME, saved)?;
        let course = &self.course;
        check_sizes(&[
            ("candidates", state.race.sizes.len(), course.candidates.sizes.len()),
            ("rungs", state.selected.len(), state.rung),
            ("efforts", state.took.len(), course.candidates.sizes.len()),
        ])?;
        let shape = course.trials().shape(course.rungs.data().classification);
        // After the last rung there is none.
        let rung = course.rungs.list.get(state.rung);
        let is_end = state.rung == course.rungs.list.len() && state.fold == 0 && state.outcomes.is_empty();
        if !rung.map_or(is_end, |rung| state.fold < rung.folds.len())
            || state.race.sizes != course.candidates.sizes
            || !state.race.has_shape(course.rungs.rows(), shape)
        {
            return Err(Error::State("its candidates or rungs do not fit the settings".into()));
        }
        let count = course.candidates.sizes.len();
        let is_intensified = rung.is_none_or(|rung| rung.is_intensified);
        if state.intensified.iter().any(|c| *c >= count) || !(state.intensified.is_empty() || is_intensified)
        {
            return Err(Error::State("its intensified candidates do not fit the settings".into()));
        }
        let shapes = course.shapes(&state);
        let rows = rung
            .map(|rung| course.rungs.part(rung, state.fold))
            .transpose()?
            .map_or(0, |part| part.rows.len());
        let mut pairs = state.outcomes.iter().zip(&shapes);
        if state.outcomes.len() > shapes.len()
            || !pairs.all(|(o, (_, left))| o.losses.len() == left.len() && o.fits(rows, shape))
        {
            return Err(Error::State("its outcomes do not fit the settings".into()));
        }
        self.state = State { race: course.with_data(state.race), ..state };
        Ok(())
    }

    /// Runs the race to its end; none if it was cancelled before anything could be compared.
    pub(super) fn run(
        mut self,
        cancellation: &Cancellation,
        observer: &mut Observer<'_>,
        elsewhere: Option<(&[u8], &mut Elsewhere<'_>)>,
    ) -> Result<Option<Selection>, Error> {
        let mut elsewhere = elsewhere;
        while let Some(rung) = self.next_rung() {
            while self.state.fold < rung.folds.len() {
                let part = self.course.rungs.part(&rung, self.state.fold)?;
                let elsewhere = elsewhere.as_mut().map(|(parcel, run)| (*parcel, &mut **run));
                if self.try_part(&part, cancellation, observer, elsewhere)?.is_none() {
                    return Ok(Summary::new(&self.course, &self.state).selection(End::Cancelled));
                }
                self.state.fold += 1;
            }
            self.complete(&rung);
            observer(&self.course.progress(&self.state, true));
            (self.state.rung, self.state.fold) = (self.state.rung + 1, 0);
        }
        let Some(selection) = Summary::new(&self.course, &self.state).selection(self.state.end) else {
            // A given network may still be trained on all rows.
            let is_given = self.course.settings.hidden.is_some();
            return if is_given { Ok(None) } else { Err(Error::NoFiniteCost) };
        };
        let start = self.course.start(&self.state, cancellation);
        Ok(Some(Selection { start, ..selection }))
    }

    /// The rung to go on with; none if the race is over. Repetitions that would decide nothing are left out,
    /// and so is the intensified rung where more restarts are not needed.
    fn next_rung(&mut self) -> Option<Rung> {
        let Self { course, state, .. } = self;
        let rungs = &course.rungs.list;
        let is_repetition = |rung: usize| rungs[rung].is_optional && !rungs[rung].is_intensified;
        if state.rung < rungs.len() && is_repetition(state.rung) {
            let is_spent = state.effort > 1e9 * course.budget.regular;
            let is_decided = course.is_decided(state);
            while (is_decided || is_spent) && is_repetition(state.rung) {
                state.end = if is_decided { End::Decided } else { End::Effort };
                state.selected.push(state.selected.last().copied().flatten());
                state.rung += 1;
            }
        }
        let rung = rungs.get(state.rung)?;
        if rung.is_intensified && state.intensified.is_empty() {
            state.intensified = course.candidates_to_intensify(&state.race);
            if state.intensified.is_empty() {
                return None;
            }
        }
        Some(rung.clone())
    }

    /// Tries all candidates that are left on one fold; none if it was cancelled.
    fn try_part(
        &mut self,
        part: &Part,
        cancellation: &Cancellation,
        observer: &mut Observer<'_>,
        elsewhere: Option<(&[u8], &mut Elsewhere<'_>)>,
    ) -> Result<Option<()>, Error> {
        let Self { course, state, pool, is_first } = self;
        let shapes = course.shapes(state);
        let trials = course.trials();
        let effort = course.effort_of_shape(state, &shapes);
        let first = state.outcomes.len();
        let patience = if std::mem::take(is_first) { FIRST_SHAPE } else { Duration::ZERO };
        let patient = cancellation.not_within(patience);
        let run = |i: usize| {
            let (shape, left) = &shapes[first + i];
            trials.run(shape, left, part, effort, if i == 0 { &patient } else { cancellation })
        };
        let count = shapes.len() - first;
        let saved = elsewhere.is_some().then(|| state.save());
        let mut is_cancelled = false;
        let mut take = |outcome: Option<Outcome>| match outcome.filter(|_| !is_cancelled) {
            Some(outcome) => {
                state.outcomes.push(outcome);
                observer(&course.progress(state, false));
            }
            None => is_cancelled = true,
        };
        match (elsewhere, saved) {
            (Some((parcel, run)), Some(state)) => match run(&RaceFits { parcel, state: &state, count }) {
                Some(results) => {
                    let expected = &shapes[first..];
                    outcomes(&results, expected, part, course)?.into_iter().map(Some).for_each(take);
                }
                None => take(None),
            },
            _ => in_order_of_long(pool.as_ref(), count, run, take),
        }
        if is_cancelled {
            observer(&course.progress(state, false));
        }
        // Before there is anything else, what was tried so far is better than nothing.
        if is_cancelled && !state.race.is_empty() {
            return Ok(None);
        }
        let mut losses: Vec<Option<Losses>> = vec![None; course.candidates.sizes.len()];
        for ((shape, left), outcome) in shapes.iter().zip(state.outcomes.drain(..)) {
            state.effort += outcome.effort;
            state.took[shape.first] = outcome.effort / part.data.train.rows() as f64;
            left.iter().zip(outcome.losses).for_each(|(candidate, of_it)| losses[*candidate] = of_it);
        }
        if state.fold == 0 && state.rung > 0 && course.rungs.list[state.rung - 1].is_sample {
            state.race.begin_larger_sample();
        }
        state.race.add(&part.rows, losses);
        Ok((!is_cancelled).then_some(()))
    }

    /// The saved outcome of one of the fits that come next; none if it was cancelled.
    pub(super) fn fit(&self, number: usize, cancellation: &Cancellation) -> Result<Option<Vec<u8>>, Error> {
        let missing = || Error::State("its race has no such fit".into());
        let rung = self.course.rungs.list.get(self.state.rung).ok_or_else(missing)?;
        let part = self.course.rungs.part(rung, self.state.fold)?;
        let shapes = self.course.shapes(&self.state);
        let effort = self.course.effort_of_shape(&self.state, &shapes);
        let place = self.state.outcomes.len().checked_add(number);
        let (shape, left) = place.and_then(|place| shapes.get(place)).ok_or_else(missing)?;
        let outcome = self.course.trials().run(shape, left, &part, effort, cancellation);
        Ok(outcome.map(|outcome| encode(OUTCOME, &outcome)))
    }

    /// Ends a rung: candidates that are worse are dropped.
    fn complete(&mut self, rung: &Rung) {
        let count = self.course.candidates.sizes.len() as f64;
        let kept = KEPT.get(self.state.rung).map_or(1, |fraction| (fraction * count).ceil() as usize);
        if rung.is_intensified {
            self.state.race.keep_last_parts(&self.state.intensified, rung.folds.len());
        } else {
            self.state.repeats = rung.folds.iter().map(|(repeat, _)| repeat + 1).max().unwrap_or(1);
        }
        self.state.race.drop_worse(kept, rung.is_sample);
        self.state.selected.push(self.course.selected(&self.state.race));
    }
}

/// Outcomes that workers have saved, one for each of these shapes.
fn outcomes(
    saved: &[Vec<u8>],
    shapes: &[(&Shape, Vec<usize>)],
    part: &Part,
    course: &Course<'_>,
) -> Result<Vec<Outcome>, Error> {
    check_sizes(&[("outcomes", saved.len(), shapes.len())])?;
    let losses = course.trials().shape(course.rungs.data().classification);
    let of_shape = |(saved, (_, left)): (&Vec<u8>, &(&Shape, Vec<usize>))| {
        let outcome: Outcome = decode(OUTCOME, saved)?;
        let fits = outcome.losses.len() == left.len() && outcome.fits(part.rows.len(), losses);
        fits.then_some(outcome).ok_or_else(|| Error::State("its outcomes do not fit the settings".into()))
    };
    saved.iter().zip(shapes).map(of_shape).collect()
}

impl State {
    /// After the current rung, which is complete.
    pub(super) fn after_rung(&self) -> Self {
        Self { rung: self.rung + 1, fold: 0, ..self.clone() }
    }

    pub(super) fn save(&self) -> Vec<u8> {
        encode(NAME, self)
    }
}
