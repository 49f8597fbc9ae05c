//! The course of a race: rung by rung, all candidates that are left on all folds of the rung.

use super::candidates::{Candidates, Shape};
use super::effort::{default_effort, fraction_of_fold, limit};
use super::metric::{Metric, Scale};
use super::progress::{RaceProgress, SelectionProgress};
use super::race::{Losses, Race};
use super::rungs::{Part, Rung, Rungs};
use super::selection::{End, Selection};
use super::selector::Observer;
use super::settings::{Preference, SelectionSettings};
use super::summary::Summary;
use super::trials::{Effort, Outcome, Trials, expected_effort, least_effort};
use crate::resources::{in_order_of_long, pool};
use crate::saved::{check_sizes, decode, encode};
use crate::{Cancellation, Dataset, Error, FitSettings, Topology, TrainTest};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Name of the saved state.
const NAME: &str = "selection";
/// After each of the first rungs, at least this fraction of the candidates stays.
const KEPT: [f64; 2] = [1.0 / 3.0, 1.0 / 9.0];
/// A shape is tried if it can have so many times the mean effort: most take less.
const ABOVE_MEAN: f64 = 3.0;
/// What a shape is expected to take on a fold, as a multiple of what it took on the one before.
const GROWTH: f64 = 1.5;
/// Whatever the time limit, the first shape after a start or a resume may take this long: so a race that is
/// resumed again and again gets on.
const FIRST_SHAPE: Duration = Duration::from_millis(250);
/// Patience of descents in the first rung, and in later ones.
const PATIENCE: [u64; 2] = [3, 10];

/// What a race is about; it does not change.
pub(super) struct Course<'a> {
    pub(super) template: &'a FitSettings,
    pub(super) settings: &'a SelectionSettings,
    pub(super) metric: Metric,
    pub(super) scale: Scale,
    pub(super) candidates: Candidates,
    pub(super) rungs: Rungs<'a>,
    /// In seconds on one core.
    effort: f64,
}

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
    selected: Vec<Option<usize>>,
    /// What it took so far, in nanoseconds that were counted.
    effort: f64,
    /// The same for each shape on the last fold and for each row, at the place of its first candidate; 0
    /// before.
    took: Vec<f64>,
}

/// A race on its way.
pub(super) struct Driver<'a> {
    course: Course<'a>,
    state: State,
    pool: Option<ThreadPool>,
    /// Whether nothing was tried since the start or resume.
    is_first: bool,
}

impl<'a> Course<'a> {
    fn new(
        data: &'a Dataset,
        template: &'a FitSettings,
        settings: &'a SelectionSettings,
    ) -> Result<Self, Error> {
        let rungs = Rungs::new(data, settings, template.method.common.seed);
        let effort = settings.effort.unwrap_or_else(|| default_effort(rungs.data()));
        // About what a shape may take in the first rung; of each decay.
        let shapes = 2 * settings.shapes.len() * rungs.list.len() * settings.decays.len();
        let most = 1e9 * effort * ABOVE_MEAN / shapes as f64;
        let rows = rungs.list[0].rows;
        let is_affordable = |t: &Topology| least_effort(t, rungs.data(), rows, template) <= most;
        Ok(Self {
            template,
            settings,
            metric: settings.metric.unwrap_or(Metric::default_for(data.classification)),
            scale: Scale::new(rungs.data()),
            candidates: Candidates::new(data, template, settings, is_affordable)?,
            effort,
            rungs,
        })
    }

    /// The shapes that are left, with their candidates.
    pub(super) fn shapes(&self, race: &Race) -> Vec<(&Shape, Vec<usize>)> {
        let left = |shape: &Shape| shape.candidates().filter(|c| race.is_left(*c)).collect();
        let all = self.candidates.shapes.iter().map(|shape| (shape, left(shape)));
        all.filter(|(_, left): &(&Shape, Vec<usize>)| !left.is_empty()).collect()
    }

    /// The effort for each of these shapes on a fold, by what they took before, or are expected to take.
    fn effort_of_shape(&self, state: &State, shapes: &[(&Shape, Vec<usize>)]) -> Effort {
        let rung = state.rung.min(self.rungs.list.len() - 1);
        let rows = self.rungs.list[rung].rows;
        let need = |(shape, left): &(&Shape, Vec<usize>)| match state.took.get(shape.first) {
            Some(took) if *took > 0.0 => GROWTH * took * rows as f64,
            _ => left.len() as f64 * expected_effort(&shape.topology, self.rungs.data(), rows, self.template),
        };
        let needs: Vec<f64> = shapes.iter().map(need).collect();
        let total = 1e9 * self.effort * fraction_of_fold(&self.rungs.list, rung);
        Effort { patience: PATIENCE[usize::from(rung > 0)], limit: limit(total, &needs) }
    }

    /// What would be selected now.
    pub(super) fn selected(&self, race: &Race) -> Option<usize> {
        let mut standings = race.standings();
        if self.settings.hidden.is_some() {
            let all = standings.all.iter_mut().zip(&self.candidates.sizes);
            all.filter(|(_, size)| size.is_baseline).for_each(|(standing, _)| *standing = None);
            // Only the decay is to be selected.
            return standings.best();
        }
        match self.settings.prefer {
            Preference::Size => standings.smallest_no_worse(),
            Preference::Accuracy => standings.best(),
        }
    }

    /// The selected network, trained as in the race, but on all rows of the race; none if it has nothing to
    /// search.
    fn start(&self, state: &State, cancellation: &Cancellation) -> Option<Vec<f64>> {
        let selected = self.selected(&state.race)?;
        let shape = self.candidates.shape(selected);
        if shape.topology.dim() == 0 {
            return None;
        }
        let data = TrainTest { train: self.rungs.data().clone(), ..TrainTest::default() };
        let chain: Vec<usize> = (shape.first..=selected).filter(|c| state.race.is_left(*c)).collect();
        let effort = self.effort_of_shape(state, &self.shapes(&state.race));
        self.trials().start(shape, &chain, &data, effort, cancellation)
    }

    fn trials(&self) -> Trials<'_> {
        Trials { template: self.template, metric: self.metric, weights: &self.scale.weights }
    }

    /// Whether the last two rungs, one of which was a repetition, selected the same, or only one network is
    /// left. Without a repetition, a network may only have had luck with its starts.
    pub(super) fn is_decided(&self, state: &State) -> bool {
        let has_repeated = state.rung > 0 && self.rungs.list[state.rung - 1].is_optional;
        let mut last = state.selected.iter().rev();
        let (last, before) = (last.next().copied().flatten(), last.next().copied().flatten());
        let is_network = |c: &usize| !self.candidates.sizes[*c].is_baseline;
        has_repeated && last.is_some() && last == before || state.race.left().filter(is_network).count() <= 1
    }

    fn progress<'b>(&'b self, state: &'b State, is_rung_complete: bool) -> SelectionProgress<'b> {
        let rungs = &self.rungs.list;
        let rung = &rungs[state.rung];
        let shapes = self.shapes(&state.race).len();
        let tasks = shapes * rung.folds.len();
        let done = if is_rung_complete { tasks } else { shapes * state.fold + state.outcomes.len() };
        let expected = rungs.iter().filter(|rung| !rung.is_optional).count().max(state.rung + 1);
        SelectionProgress::Race(RaceProgress {
            rung: state.rung + 1,
            rungs: rungs.len(),
            done,
            tasks,
            left: state.race.left().count(),
            candidates: self.candidates.sizes.len(),
            training_rows: rung.rows,
            fraction: (state.rung as f64 + done as f64 / tasks.max(1) as f64) / expected as f64,
            is_rung_complete,
            course: self,
            state,
        })
    }
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        data: &'a Dataset,
        template: &'a FitSettings,
        settings: &'a SelectionSettings,
    ) -> Result<Self, Error> {
        let course = Course::new(data, template, settings)?;
        let state = State {
            race: Race::new(course.candidates.sizes.clone()),
            rung: 0,
            fold: 0,
            outcomes: Vec::new(),
            selected: Vec::new(),
            effort: 0.0,
            took: vec![0.0; course.candidates.sizes.len()],
        };
        let threads = match settings.threads {
            0 => std::thread::available_parallelism().map_or(1, Into::into),
            n => n,
        };
        Ok(Self { course, state, pool: pool(threads), is_first: true })
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
        let is_place = course.rungs.list.get(state.rung).is_some_and(|rung| state.fold < rung.folds.len());
        if !is_place
            || state.race.sizes != course.candidates.sizes
            || !state.race.has_shape(course.rungs.rows(), shape)
        {
            return Err(Error::State("its candidates or rungs do not fit the settings".into()));
        }
        let shapes = course.shapes(&state.race);
        let mut pairs = state.outcomes.iter().zip(&shapes);
        if state.outcomes.len() > shapes.len()
            || !pairs.all(|(o, (_, left))| o.losses.len() == left.len() && o.has_shape(shape))
        {
            return Err(Error::State("its outcomes do not fit the settings".into()));
        }
        self.state = state;
        Ok(())
    }

    /// Runs the race to its end; none if it was cancelled before anything could be compared.
    pub(super) fn run(
        mut self,
        cancellation: &Cancellation,
        observer: &mut Observer<'_>,
    ) -> Result<Option<Selection>, Error> {
        let mut end = End::List;
        while let Some(rung) = self.course.rungs.list.get(self.state.rung).cloned() {
            if rung.is_optional && self.course.is_decided(&self.state) {
                end = End::Decided;
                break;
            }
            if rung.is_optional && self.state.effort > 1e9 * self.course.effort {
                end = End::Effort;
                break;
            }
            while self.state.fold < rung.folds.len() {
                let part = self.course.rungs.part(&rung, self.state.fold)?;
                if self.try_part(&part, cancellation, observer).is_none() {
                    return Ok(Summary::new(&self.course, &self.state).selection(End::Cancelled));
                }
                self.state.fold += 1;
            }
            self.complete(&rung);
            observer(&self.course.progress(&self.state, true));
            (self.state.rung, self.state.fold) = (self.state.rung + 1, 0);
        }
        let Some(selection) = Summary::new(&self.course, &self.state).selection(end) else {
            // A given network may still be trained on all rows.
            let is_given = self.course.settings.hidden.is_some();
            return if is_given { Ok(None) } else { Err(Error::NoFiniteCost) };
        };
        let start = self.course.start(&self.state, cancellation);
        Ok(Some(Selection { start, ..selection }))
    }

    /// Tries all candidates that are left on one fold; none if it was cancelled.
    fn try_part(
        &mut self,
        part: &Part,
        cancellation: &Cancellation,
        observer: &mut Observer<'_>,
    ) -> Option<()> {
        let Self { course, state, pool, is_first } = self;
        let shapes = course.shapes(&state.race);
        let trials = course.trials();
        let effort = course.effort_of_shape(state, &shapes);
        let first = state.outcomes.len();
        let patience = if std::mem::take(is_first) { FIRST_SHAPE } else { Duration::ZERO };
        let patient = cancellation.not_within(patience);
        let run = |i: usize| {
            let (shape, left) = &shapes[first + i];
            trials.run(shape, left, part, effort, if i == 0 { &patient } else { cancellation })
        };
        let mut is_cancelled = false;
        in_order_of_long(pool.as_ref(), shapes.len() - first, run, |outcome| {
            match outcome.filter(|_| !is_cancelled) {
                Some(outcome) => {
                    state.outcomes.push(outcome);
                    observer(&course.progress(state, false));
                }
                None => is_cancelled = true,
            }
        });
        if is_cancelled {
            observer(&course.progress(state, false));
        }
        // Before there is anything else, what was tried so far is better than nothing.
        if is_cancelled && !state.race.is_empty() {
            return None;
        }
        let mut losses: Vec<Option<Losses>> = vec![None; course.candidates.sizes.len()];
        for ((shape, left), outcome) in shapes.iter().zip(state.outcomes.drain(..)) {
            state.effort += outcome.effort;
            state.took[shape.first] = outcome.effort / part.data.train.rows() as f64;
            left.iter().zip(outcome.losses).for_each(|(candidate, of_it)| losses[*candidate] = of_it);
        }
        let rows = |rung: usize| course.rungs.list[rung].rows;
        if state.fold == 0 && state.rung > 0 && rows(state.rung - 1) < rows(state.rung) {
            state.race.begin_larger_sample();
        }
        state.race.add(&part.rows, losses);
        (!is_cancelled).then_some(())
    }

    /// Ends a rung: candidates that are worse are dropped.
    fn complete(&mut self, rung: &Rung) {
        let count = self.course.candidates.sizes.len() as f64;
        let kept = KEPT.get(self.state.rung).map_or(1, |fraction| (fraction * count).ceil() as usize);
        self.state.race.drop_worse(kept, rung.is_sample);
        self.state.selected.push(self.course.selected(&self.state.race));
    }
}

impl State {
    pub(super) fn save(&self) -> Vec<u8> {
        encode(NAME, self)
    }
}
