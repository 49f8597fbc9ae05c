//! What a race is about: its candidates, its rungs, its effort, and what follows from its standings.

use super::candidates::{Candidates, Shape, Variant};
use super::chain::{Effort, expected_effort, least_effort};
use super::driver::State;
use super::effort::{Budget, fraction_of_fold, limit};
use super::progress::{RaceProgress, SelectionProgress};
use super::race::Race;
use super::rungs::Rungs;
use super::selection::Start;
use super::settings::{Preference, SelectionSettings};
use super::trials::Trials;
use crate::scores::{Metric, Scale};
use crate::settings::OutputLayer;
use crate::{Cancellation, Dataset, Error, FitSettings, Topology, TrainTest};

/// A shape is tried if it can have so many times the mean effort: most take less.
const ABOVE_MEAN: f64 = 3.0;
/// What a shape is expected to take on a fold, as a multiple of what it took on the one before.
const GROWTH: f64 = 1.5;
/// Patience of descents in the first rung, and in later ones.
const PATIENCE: [u64; 2] = [3, 10];
/// The same in the intensified rung, and how many networks are trained there.
const PATIENCE_INTENSIFIED: u64 = 300;
const INTENSIFIED: usize = 4;
/// The loss on held-out rows is far from that on training rows if it is this many times as large.
const FAR: f64 = 2.0;
/// Trainings of the selected network on all rows, at most, until one is as good as those of the race.
const TRAININGS: u64 = 3;
/// With less than this multiple of the regular effort, more restarts would be none.
const LEAST_INTENSIFIED: f64 = 0.3;

/// What a race is about; it does not change.
pub(super) struct Course<'a> {
    pub(super) template: &'a FitSettings,
    pub(super) settings: &'a SelectionSettings,
    pub(super) metric: Metric,
    pub(super) scale: Scale,
    pub(super) candidates: Candidates,
    pub(super) rungs: Rungs<'a>,
    pub(super) budget: Budget,
    /// Whether no rows of the table are left out.
    pub(super) is_of_all_rows: bool,
}

impl<'a> Course<'a> {
    pub(super) fn new(
        data: &'a Dataset,
        template: &'a FitSettings,
        settings: &'a SelectionSettings,
    ) -> Result<Self, Error> {
        let rungs = Rungs::new(data, settings, template.method.common.seed);
        let budget = Budget::new(rungs.data(), settings);
        // About what a shape may take in the first rung; of each decay.
        let shapes = 2 * settings.shapes.len() * rungs.list.len() * settings.decays.len();
        let most = 1e9 * budget.regular * ABOVE_MEAN / shapes as f64;
        let rows = rungs.list[0].rows;
        let is_affordable = |t: &Topology| least_effort(t, rungs.data(), rows, template) <= most;
        Ok(Self {
            template,
            settings,
            metric: settings.metric.unwrap_or(Metric::default_for(data.classification)),
            scale: Scale::new(rungs.data()),
            candidates: Candidates::new(data, template, settings, is_affordable)?,
            budget,
            is_of_all_rows: rungs.data().rows() == data.rows(),
            rungs,
        })
    }

    /// The shapes that are trained in the current rung, with their candidates.
    pub(super) fn shapes(&self, state: &State) -> Vec<(&Shape, Vec<usize>)> {
        let is_wanted = |c: usize| state.intensified.is_empty() || state.intensified.contains(&c);
        let is_left = |c: &usize| state.race.is_left(*c) && is_wanted(*c);
        let left = |shape: &Shape| shape.candidates().filter(is_left).collect();
        let all = self.candidates.shapes.iter().map(|shape| (shape, left(shape)));
        all.filter(|(_, left): &(&Shape, Vec<usize>)| !left.is_empty()).collect()
    }

    /// The effort for each of these shapes on a fold, by what they took before, or are expected to take.
    pub(super) fn effort_of_shape(&self, state: &State, shapes: &[(&Shape, Vec<usize>)]) -> Effort {
        if !state.intensified.is_empty() {
            let tasks = (shapes.len() * self.rungs.intensified().folds.len()) as f64;
            return Effort { patience: PATIENCE_INTENSIFIED, limit: 1e9 * self.budget.intensified / tasks };
        }
        // The last one is the intensified rung.
        let rung = state.rung.min(self.rungs.list.len() - 2);
        let rows = self.rungs.list[rung].rows;
        let need = |(shape, left): &(&Shape, Vec<usize>)| match state.took.get(shape.first) {
            Some(took) if *took > 0.0 => GROWTH * took * rows as f64,
            _ => expected_effort(shape, left, self.rungs.data(), rows, self.template),
        };
        let needs: Vec<f64> = shapes.iter().map(need).collect();
        let total = 1e9 * self.budget.regular * fraction_of_fold(&self.rungs.list, rung);
        Effort { patience: PATIENCE[usize::from(rung > 0)], limit: limit(total, &needs) }
    }

    /// The candidates to be trained with more restarts: the best networks, each with its best decay and the
    /// decays beside it. None unless a network has the lowest loss, but is not better than a baseline beyond
    /// chance, or was cut short while it is far from doing on other rows what it does on its own: more
    /// restarts may change that. Where even the constant answer is not beaten, the best are those whose
    /// predictions depend most on the targets: losses near that of the constant answer belong to networks
    /// that have learnt nothing, or that a strong decay has made nearly constant.
    pub(super) fn candidates_to_intensify(&self, race: &Race) -> Vec<usize> {
        if self.budget.intensified < LEAST_INTENSIFIED * self.budget.regular {
            return Vec::new();
        }
        let standings = race.standings();
        let sizes = &self.candidates.sizes;
        let (Some(best), Some(selected)) = (standings.best(), self.selected(race)) else { return Vec::new() };
        let is_searched = self.candidates.variant(best).output_layer != OutputLayer::CrossEntropy;
        let is_unfinished = standings.all[best]
            .as_ref()
            .is_some_and(|best| is_searched && best.is_cut_short && best.mean > FAR * best.training);
        if sizes[best].is_baseline || !(sizes[selected].is_baseline || is_unfinished) {
            return Vec::new();
        }
        let (mut shapes, mut candidates) = (Vec::new(), Vec::new());
        let is_constant = self.candidates.topology(selected).readout_columns() == 0;
        let order = if is_constant { standings.by_association() } else { standings.by_loss() };
        for candidate in order.into_iter().filter(|c| !sizes[*c].is_baseline) {
            let shape = self.candidates.shape(candidate);
            if shapes.len() < INTENSIFIED && !shapes.contains(&shape) {
                shapes.push(shape);
                let beside = candidate.saturating_sub(1)..=candidate + 1;
                let layer = |c: usize| self.candidates.variant(c).output_layer;
                let is_of_shape = |c: &usize| shape.candidates().contains(c) && layer(*c) == layer(candidate);
                let of_shape = beside.filter(|c| is_of_shape(c) && race.is_left(*c));
                candidates.extend(of_shape.filter(|c| *c == candidate || sizes[*c].decay > 0.0));
            }
        }
        candidates
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
    /// search. If it fits these rows worse than networks of the race fitted rows they had not seen, the
    /// training was unlucky, and is repeated with other starts.
    pub(super) fn start(&self, state: &State, cancellation: &Cancellation) -> Option<Start> {
        let selected = self.selected(&state.race)?;
        let shape = self.candidates.shape(selected);
        if shape.topology.dim() == 0 {
            return None;
        }
        let data = TrainTest { train: self.rungs.data().clone(), ..TrainTest::default() };
        let mut state = state.clone();
        if !state.intensified.contains(&selected) {
            state.intensified.clear();
        }
        let shapes = self.shapes(&state);
        let mut effort = self.effort_of_shape(&state, &shapes);
        let is_intensified = !state.intensified.is_empty();
        let rung = if is_intensified { self.rungs.intensified() } else { self.rungs.last_regular() };
        // An evaluation takes longer than on the rows of a fold.
        effort.limit *= data.train.rows() as f64 / rung.rows as f64;
        if is_intensified {
            // Where luck of starts matters so much, the network may take what it took on all folds.
            effort.limit *= rung.folds.len() as f64;
        }
        let of_shape = shapes.iter().find(|(other, _)| *other == shape)?;
        let Variant { decay, output_layer } = self.candidates.variant(selected);
        let is_before = |c: &usize| {
            let other = self.candidates.variant(*c);
            other.decay <= decay && other.output_layer == output_layer
        };
        let chain: Vec<usize> = of_shape.1.iter().copied().filter(is_before).collect();
        let standings = state.race.standings();
        let held_out = standings.all[selected].as_ref().map_or(f64::INFINITY, |s| s.mean + s.standard_error);
        let mut best: Option<(Start, f64)> = None;
        for training in 0..TRAININGS {
            let mut template = self.template.clone();
            template.method.common.seed = template.method.common.seed.wrapping_add(training);
            let trials = Trials { template: &template, ..self.trials() };
            let Some(found) = trials.start(shape, &chain, &data, effort, cancellation) else { break };
            if best.as_ref().is_none_or(|best| found.1 < best.1) {
                best = Some(found);
            }
            if best.as_ref().is_some_and(|best| best.1 <= held_out) {
                break;
            }
        }
        best.map(|(start, _)| Start {
            // Of a sample, or with given layers, the training goes on.
            is_kept: start.is_kept && self.is_of_all_rows && self.settings.hidden.is_none(),
            ..start
        })
    }

    /// A race with what belongs to the data: weights of rows, and units of losses.
    pub(super) fn with_data(&self, race: Race) -> Race {
        let race = race.weighted(self.rungs.data().weights.as_deref());
        race.in_units(self.scale.unit_of_losses(self.metric), &self.scale.units)
    }

    pub(super) fn trials(&self) -> Trials<'_> {
        Trials { template: self.template, metric: self.metric, scale: &self.scale }
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

    pub(super) fn progress<'b>(&'b self, state: &'b State, is_rung_complete: bool) -> SelectionProgress<'b> {
        let rungs = &self.rungs.list;
        let rung = &rungs[state.rung];
        let shapes = self.shapes(state).len();
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
