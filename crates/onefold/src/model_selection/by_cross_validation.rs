//! Selection of the smallest network within one standard error of the best one in cross-validation.

use super::selection::{End, Reason, Selection, Tried, Verdict, is_too_large, topology};
use super::settings::SelectionSettings;
use super::validation::{Outcome, Validation, lowest};
use crate::{Cancellation, Dataset, Error, FitSettings, Topology};

/// Minimum improvement over smaller sizes that counts, in standard errors of the difference.
const IMPROVEMENT: f64 = 0.5;

pub(super) fn smallest_not_worse(
    data: &Dataset,
    template: &FitSettings,
    settings: &SelectionSettings,
    cancellation: &Cancellation,
    tell: impl FnMut(&Tried),
) -> Result<Option<Selection>, Error> {
    let validation = Validation::new(data, template, settings)?;
    let mut sizes = Sizes { outcomes: Vec::new(), best: Vec::new(), waited: 0, spent: 0.0 };
    let end = sizes.grow(data, &validation, cancellation, tell)?;
    if sizes.best.is_empty() {
        return Ok(None);
    }
    Ok(Some(sizes.conclude(data, &validation, end)))
}

/// The sizes that were tried.
struct Sizes {
    /// Every outcome, by increasing size and decreasing decay.
    outcomes: Vec<Outcome>,
    /// For each size the index of its best outcome.
    best: Vec<usize>,
    /// Sizes in a row without an improvement.
    waited: usize,
    /// Number of operations so far.
    spent: f64,
}

impl Sizes {
    /// Tries networks of increasing size until a stopping criterion is met.
    fn grow(
        &mut self,
        data: &Dataset,
        validation: &Validation<'_>,
        cancellation: &Cancellation,
        mut tell: impl FnMut(&Tried),
    ) -> Result<End, Error> {
        let settings = validation.settings();
        for width in &settings.widths {
            let topology = topology(data, *width, validation.template())?;
            if is_too_large(&topology, validation.template(), validation.rows()) {
                return Ok(End::Rows);
            }
            if self.would_exceed(settings.operations, &topology, validation) {
                return Ok(End::Effort);
            }
            let Some(tried) = validation.along_decays(&topology, self.last_decay(settings), cancellation)?
            else {
                return Ok(End::Cancelled);
            };
            let lowest = self.add(tried);
            tell(&self.outcomes[lowest].tried(data, validation.template(), Verdict::Best));
            if self.waited >= settings.waiting {
                return Ok(End::NoBetter);
            }
        }
        Ok(End::List)
    }

    fn last(&self) -> Option<&Outcome> {
        self.best.last().map(|i| &self.outcomes[*i])
    }

    fn would_exceed(&self, operations: f64, topology: &Topology, validation: &Validation<'_>) -> bool {
        let is_over = |last| self.spent + validation.expected_operations(last, topology) > operations;
        self.last().is_some_and(is_over)
    }

    /// The index of the best decay of the previous size in the list of decays.
    fn last_decay(&self, settings: &SelectionSettings) -> Option<usize> {
        let last = self.last()?;
        settings.decays.iter().position(|d| d.to_bits() == last.decay.to_bits())
    }

    /// Adds the outcomes of a size; returns the index of its best one.
    fn add(&mut self, tried: Vec<Outcome>) -> usize {
        self.spent += tried.iter().map(|t| t.operations).sum::<f64>();
        let first = self.outcomes.len();
        self.outcomes.extend(tried);
        let lowest_of_size = lowest(&self.outcomes, first..self.outcomes.len());
        let mean = |i: &usize| self.outcomes[*i].mean;
        let before = self.best.iter().copied().min_by(|a, b| mean(a).total_cmp(&mean(b)));
        let is_better = before.is_none_or(|before| {
            let (gain, standard_error) = self.outcomes[before].above(&self.outcomes[lowest_of_size]);
            gain > IMPROVEMENT * standard_error
        });
        self.best.push(lowest_of_size);
        self.waited = if is_better { 0 } else { self.waited + 1 };
        lowest_of_size
    }

    /// Whether an outcome exceeds the best by at most one standard error of the difference.
    fn is_no_worse(&self, i: usize, best: usize) -> bool {
        let (difference, standard_error) = self.outcomes[i].above(&self.outcomes[best]);
        i == best || difference <= standard_error
    }

    fn conclude(&self, data: &Dataset, validation: &Validation<'_>, end: End) -> Selection {
        let outcomes = &self.outcomes;
        let best = lowest(outcomes, self.best.iter().copied());
        // The first such outcome has the smallest size, and of its decays the largest.
        let selected = (0..outcomes.len()).find(|i| self.is_no_worse(*i, best)).unwrap_or(best);
        let is_of_selected_size = |i: usize| outcomes[i].topology == outcomes[selected].topology;
        let verdict = |i: usize| match i {
            _ if i == selected => Verdict::Selected,
            _ if is_of_selected_size(i) || !self.best.contains(&i) => Verdict::OtherDecay,
            _ if i == best => Verdict::Best,
            _ if self.is_no_worse(i, best) => Verdict::Larger,
            _ => Verdict::Worse,
        };
        let (difference, standard_error) = outcomes[selected].above(&outcomes[best]);
        let best = outcomes[best].topology.clone();
        let reason = if best == outcomes[selected].topology {
            Reason::Lowest
        } else {
            Reason::NotWorse { best, difference, standard_error }
        };
        let tried =
            outcomes.iter().enumerate().map(|(i, o)| o.tried(data, validation.template(), verdict(i)));
        Selection {
            hidden: outcomes[selected].topology.last_hidden(),
            decay: outcomes[selected].decay,
            tried: tried.collect(),
            reason,
            end,
            rows: validation.rows(),
            folds: Some(validation.folds()),
            repeats: validation.repeats(),
        }
    }
}
