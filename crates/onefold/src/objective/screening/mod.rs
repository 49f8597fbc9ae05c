//! Exact early rejection: proofs that a candidate's cost is above its cutoff, in less time than the cost
//! takes.
//!
//! Screens compute lower bounds of costs for several candidates at once. In the order in which they are
//! tried:
//!
//! | screen | computes | for |
//! |---|---|---|
//! | [`Quadrature`] | least squares on 32 nodes of Gauss quadrature | one input, one hidden layer |
//! | [`Subset`] | least squares on a few of the samples | many samples |
//! | [`Incremental`] | least squares on more and more of the first samples | networks without quadrature |
//! | [`SinglePrecision`] | least squares on all samples, in single precision | all networks |
//! | [`Incremental`] | least squares on more and more of all samples | networks without quadrature |
//!
//! Candidates that no screen rejects are evaluated in full, so a search takes the same path with screening
//! and without. A [`Cascade`] collects candidates until a screen's batch is full, passes on those that it
//! does not reject, and pauses a screen that rejects too few of them to pay. It also learns from full
//! evaluations which samples tell most ([`Residuals`]).

mod error_bounds;
mod experience;
mod incremental;
mod quadrature;
mod residuals;
mod single_precision;
mod subset;

use crate::kernel::{Isa, SINGLES, Shape};
use crate::{Dataset, Population};
use experience::Experience;
use incremental::Incremental;
use quadrature::Quadrature;
use residuals::Residuals;
use single_precision::SinglePrecision;
use std::fmt::Debug;
use subset::Subset;

/// The largest number of candidates that any screen bounds at once.
const LARGEST_BATCH: usize = SINGLES;

/// A lower bound of the cost, for several candidates at once. Clones have buffers of their own.
trait Screen: Debug + Send + Sync {
    /// Number of candidates that it bounds at once.
    fn batch(&self) -> usize;

    /// Fewer candidates than this take less time to evaluate than to screen.
    fn fewest(&self) -> usize;

    /// The time that it takes, as a fraction of a full evaluation and with a little to spare: it pays where
    /// it rejects a larger fraction of the candidates than that.
    fn price(&self) -> f64;

    /// Whether later screens hardly reject what this one does not.
    fn is_conclusive(&self) -> bool {
        false
    }

    /// Writes lower bounds of the candidates' costs, one for each: zero where nothing is proved.
    fn bounds(&mut self, batch: &Batch<'_>, bounds: &mut [f64; LARGEST_BATCH]);

    /// Takes the samples in this order, if the order makes a difference to it.
    fn reorder(&mut self, _order: &[usize]) {}

    /// Itself for another thread.
    fn boxed_clone(&self) -> Box<dyn Screen>;
}

/// What screens are made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem<'a> {
    pub(super) isa: Isa,
    pub(super) shape: &'a Shape,
    pub(super) data: &'a Dataset,
    /// The least share of its squared norm that a column keeps in the full evaluation, zero if there is none.
    pub(super) tolerance: f64,
}

impl Problem<'_> {
    /// Number of squares that the mean squared error is the mean of.
    fn terms(&self) -> f64 {
        (self.data.rows() * self.shape.outputs) as f64
    }
}

/// Candidates to be screened together.
#[derive(Clone, Copy, Debug)]
struct Batch<'a> {
    candidates: &'a Population,
    cutoffs: &'a [f64],
    /// Indices of the candidates: at least one, at most as many as the screen's batch.
    indices: &'a [usize],
}

impl Batch<'_> {
    /// The parameters of each; lanes without a candidate repeat the last.
    fn parameters<const N: usize>(&self) -> [&[f64]; N] {
        self.lanes(|i| self.candidates.row(i))
    }

    /// The cutoff of each, likewise.
    fn cutoffs<const N: usize>(&self) -> [f64; N] {
        self.lanes(|i| self.cutoffs[i])
    }

    fn lanes<T, const N: usize>(&self, find: impl Fn(usize) -> T) -> [T; N] {
        std::array::from_fn(|lane| find(self.indices[lane.min(self.indices.len() - 1)]))
    }
}

/// A generation, or one worker's part of it.
pub(super) struct Part<'a> {
    pub(super) candidates: &'a Population,
    pub(super) cutoffs: &'a [f64],
    /// The first candidate of this part; its cost is the first of `costs`.
    pub(super) first: usize,
    pub(super) costs: &'a mut [f64],
}

/// One worker's screens, in the order in which candidates pass them.
#[derive(Clone, Debug)]
pub(super) struct Cascade {
    stages: Vec<Stage>,
    /// Decides the order of samples, if there are screens to which it makes a difference.
    residuals: Option<Residuals>,
}

impl Cascade {
    /// All screens that this problem permits.
    pub(super) fn new(problem: Problem<'_>) -> Self {
        fn boxed(screen: Option<impl Screen + 'static>) -> Option<Box<dyn Screen>> {
            Some(Box::new(screen?))
        }
        let quadrature = Quadrature::new(problem);
        let (mut first, mut incremental) = (None, None);
        if quadrature.is_none() {
            (first, incremental) = (Incremental::of_first(problem), Incremental::new(problem));
        }
        let residuals = incremental.is_some().then(|| Residuals::new(problem.data.rows()));
        let screens = [
            boxed(quadrature),
            boxed(Subset::new(problem)),
            boxed(first),
            boxed(SinglePrecision::new(problem)),
            boxed(incremental),
        ];
        Self { stages: screens.into_iter().flatten().map(Stage::new).collect(), residuals }
    }

    /// A cascade that rejects nothing.
    pub(super) fn none() -> Self {
        Self { stages: Vec::new(), residuals: None }
    }

    /// Takes in a candidate, and screens those that wait where a batch is full with it. A rejected
    /// candidate's cost becomes its lower bound; the costs of others are left as they are.
    pub(super) fn push(&mut self, candidate: usize, part: &mut Part<'_>) {
        self.pass_on(candidate, 0, part);
    }

    /// Screens all candidates that still wait.
    pub(super) fn finish(&mut self, part: &mut Part<'_>) {
        for stage in 0..self.stages.len() {
            if self.stages[stage].waiting > 0 {
                self.screen(stage, part);
            }
        }
    }

    /// Forgets the candidates that wait.
    pub(super) fn clear(&mut self) {
        self.stages.iter_mut().for_each(|stage| stage.waiting = 0);
    }

    /// To be called after each full evaluation of a candidate that no screen rejected, with a function that
    /// writes its squared residuals, one for each sample.
    pub(super) fn learn(&mut self, squares: impl FnOnce(&mut [f64])) {
        if let Some(order) = self.residuals.as_mut().and_then(|residuals| residuals.learn(squares)) {
            self.stages.iter_mut().for_each(|stage| stage.screen.reorder(order));
        }
    }

    /// Queues a candidate for the first screen from `first` on that is not paused.
    fn pass_on(&mut self, candidate: usize, first: usize, part: &mut Part<'_>) {
        for (stage, state) in self.stages.iter_mut().enumerate().skip(first) {
            if state.experience.is_due() {
                if state.push(candidate) {
                    self.screen(stage, part);
                }
                return;
            }
        }
    }

    /// Screens the candidates that wait for a stage.
    fn screen(&mut self, stage: usize, part: &mut Part<'_>) {
        let state = &mut self.stages[stage];
        let (queue, waiting) = (state.queue, std::mem::take(&mut state.waiting));
        let indices = &queue[..waiting];
        let mut bounds = [0.0; LARGEST_BATCH];
        if waiting >= state.fewest {
            let batch = Batch { candidates: part.candidates, cutoffs: part.cutoffs, indices };
            state.screen.bounds(&batch, &mut bounds);
            let rejected = part.reject(indices, &bounds);
            if state.experience.learn(waiting, rejected) {
                let price = state.price / self.price_behind(stage);
                self.stages[stage].experience.decide(price);
            }
        }
        let state = &self.stages[stage];
        let next = if state.is_conclusive { self.stages.len() } else { stage + 1 };
        for (candidate, bound) in indices.iter().zip(bounds) {
            if !part.is_rejected(*candidate, bound) {
                self.pass_on(*candidate, next, part);
            }
        }
    }

    /// The time that a candidate takes behind a stage, as a fraction of a full evaluation: that of screens
    /// that are not paused, and of the full evaluation where they do not reject it. At most 1: prices have
    /// a little to spare.
    fn price_behind(&self, stage: usize) -> f64 {
        let (mut price, mut left) = (0.0, 1.0);
        if !self.stages[stage].is_conclusive {
            for state in self.stages[stage + 1..].iter().filter(|state| !state.experience.is_paused()) {
                price += left * state.price;
                left *= 1.0 - state.experience.rejected_share();
            }
        }
        (price + left).min(1.0)
    }
}

impl Part<'_> {
    /// Whether a bound proves that the candidate loses. A bound of zero proves nothing, whatever the cutoff.
    fn is_rejected(&self, candidate: usize, bound: f64) -> bool {
        bound > 0.0 && bound > self.cutoffs[candidate]
    }

    /// Writes the bounds of rejected candidates as their costs, and returns how many are rejected.
    fn reject(&mut self, candidates: &[usize], bounds: &[f64]) -> usize {
        let mut rejected = 0;
        for (candidate, bound) in candidates.iter().zip(bounds) {
            if self.is_rejected(*candidate, *bound) {
                self.costs[*candidate - self.first] = *bound;
                rejected += 1;
            }
        }
        rejected
    }
}

/// A screen with its queue. What is needed for each candidate is kept outside of the screen, which is called
/// once for each batch.
#[derive(Debug)]
struct Stage {
    screen: Box<dyn Screen>,
    batch: usize,
    fewest: usize,
    price: f64,
    is_conclusive: bool,
    /// Candidates that wait to be screened together.
    queue: [usize; LARGEST_BATCH],
    waiting: usize,
    experience: Experience,
}

impl Stage {
    fn new(screen: Box<dyn Screen>) -> Self {
        Self {
            batch: screen.batch(),
            fewest: screen.fewest(),
            price: screen.price(),
            is_conclusive: screen.is_conclusive(),
            queue: [0; LARGEST_BATCH],
            waiting: 0,
            experience: Experience::default(),
            screen,
        }
    }

    /// Adds a candidate to the queue; whether the batch is full with it.
    fn push(&mut self, candidate: usize) -> bool {
        self.queue[self.waiting] = candidate;
        self.waiting += 1;
        self.waiting == self.batch
    }
}

impl Clone for Stage {
    fn clone(&self) -> Self {
        Self { screen: self.screen.boxed_clone(), ..*self }
    }
}

#[cfg(test)]
mod tests;
