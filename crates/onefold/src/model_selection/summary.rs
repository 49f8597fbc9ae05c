//! The standings of a race as they are shown, and the selection that they lead to.

use super::course::Course;
use super::driver::State;
use super::selection::{End, Note, Reason, Selection, Tried, Verdict};
use super::standings::{NO_WORSE, Standing, Standings};
use super::trials::TEMPERATURES;

/// The standings of all candidates of a race.
pub(super) struct Summary<'a> {
    course: &'a Course<'a>,
    state: &'a State,
    now: Standings<'a>,
    selected: Option<usize>,
}

impl<'a> Summary<'a> {
    pub(super) fn new(course: &'a Course<'_>, state: &'a State) -> Self {
        Self { course, state, now: state.race.standings(), selected: course.selected(&state.race) }
    }

    /// The best candidates, one for each network, by increasing loss, and the baselines after them.
    pub(super) fn leaders(&self, count: usize) -> Vec<Tried> {
        let (mut networks, mut baselines) = (Vec::new(), Vec::new());
        let mut seen = Vec::new();
        for candidate in self.now.by_loss() {
            let topology = self.course.candidates.topology(candidate);
            if seen.contains(&topology) {
                continue;
            }
            seen.push(topology);
            let is_baseline = topology.hidden().is_empty();
            let list = if is_baseline { &mut baselines } else { &mut networks };
            list.extend(self.now.all[candidate].as_ref().map(|standing| self.tried(candidate, standing)));
        }
        networks.truncate(count);
        networks.extend(baselines);
        networks
    }

    fn tried(&self, candidate: usize, standing: &Standing) -> Tried {
        let Course { candidates, metric, scale, .. } = self.course;
        let (score, standard_error) = metric.score(standing.mean, standing.standard_error, scale);
        let is_classification = self.course.rungs.data().classification;
        Tried {
            topology: candidates.topology(candidate).clone(),
            parameters: candidates.sizes[candidate].parameters,
            decay: candidates.sizes[candidate].decay,
            output_layer: candidates.variant(candidate).output_layer,
            score,
            standard_error: Some(standard_error),
            fraction: if is_classification {
                Some(standing.correct)
            } else {
                metric.explained(standing.mean, scale)
            },
            rows: standing.rows,
            association: Some(standing.association),
            verdict: self.verdict(candidate, standing),
        }
    }

    fn verdict(&self, candidate: usize, standing: &Standing) -> Verdict {
        let topology = |c: usize| self.course.candidates.topology(c);
        let best = self.now.best();
        let has_better_decay = |all: &[Option<Standing>]| {
            let of_shape = (0..all.len()).filter(|c| topology(*c) == topology(candidate));
            of_shape.filter_map(|c| all[c].as_ref()).any(|other| other.mean < standing.mean)
        };
        if Some(candidate) == self.selected {
            Verdict::Selected
        } else if Some(candidate) == best {
            Verdict::Best
        } else if self.now.all[candidate].is_none() {
            Verdict::Worse
        } else if has_better_decay(&self.now.all) {
            Verdict::OtherDecay
        } else if best.is_some_and(|best| self.now.is_worse(candidate, best, NO_WORSE)) {
            Verdict::Worse
        } else {
            Verdict::Larger
        }
    }

    /// The selection; none if nothing was tried.
    pub(super) fn selection(&self, end: End) -> Option<Selection> {
        let (selected, best) = (self.selected?, self.now.best()?);
        let Course { candidates, rungs, metric, .. } = self.course;
        let last = |candidate| self.state.race.last_standing(candidate, &self.now);
        let all = 0..candidates.sizes.len();
        let tried = all.filter_map(|candidate| Some(self.tried(candidate, last(candidate)?))).collect();
        let standing = self.now.all[selected].as_ref()?;
        Some(Selection {
            topology: candidates.topology(selected).clone(),
            decay: candidates.sizes[selected].decay,
            output_layer: candidates.variant(selected).output_layer,
            temperature: TEMPERATURES[standing.temperature],
            start: None,
            intervals: self.state.race.intervals(selected),
            tried,
            reason: self.reason(selected, best),
            end,
            notes: self.notes(best, end),
            metric: Some(*metric),
            rows: rungs.rows(),
            folds: Some(rungs.folds()),
            repeats: self.state.repeats,
        })
    }

    fn reason(&self, selected: usize, best: usize) -> Reason {
        let sizes = &self.course.candidates.sizes;
        let difference = self.now.above(selected, best);
        let (difference, standard_error) = (difference.mean, difference.standard_error);
        let topology = |c: usize| self.course.candidates.topology(c).clone();
        if sizes[selected].is_baseline {
            let best = Some(best).filter(|best| !sizes[*best].is_baseline).map(topology);
            return Reason::NotBeaten { best, difference, standard_error };
        }
        if topology(best) == topology(selected) || self.course.settings.hidden.is_some() {
            return Reason::Lowest;
        }
        Reason::NotWorse { best: topology(best), difference, standard_error }
    }

    fn notes(&self, best: usize, end: End) -> Vec<Note> {
        let sizes = &self.course.candidates.sizes;
        let is_largest = sizes.iter().all(|size| size.parameters <= sizes[best].parameters);
        let is_given = self.course.settings.hidden.is_some();
        let is_cut_short = self.now.all[best].as_ref().is_some_and(|standing| standing.is_cut_short);
        let is_undecided = matches!(end, End::Cancelled | End::Effort) && !self.course.is_decided(self.state);
        let notes = [
            (is_largest && !is_given && !sizes[best].is_baseline, Note::LargestIsBest),
            (is_cut_short && !sizes[best].is_baseline, Note::CutShort),
            (is_undecided, Note::Undecided),
            (!self.state.intensified.is_empty(), Note::Intensified),
        ];
        notes.into_iter().filter(|(is_true, _)| *is_true).map(|(_, note)| note).collect()
    }
}
