//! Which candidates are rejected by a first, a second or a third look, and which are evaluated in full.

use super::super::screening::{Experience, Growing, Queue, Sampled, Single};
use super::{Shared, Worker};
use crate::kernel::{GrowingWork, RoughWork, SINGLES, ScreenWork, WIDTH};
use crate::{Population, Topology};

/// One worker's buffers for all looks, and its experience with them.
#[derive(Clone, Debug)]
pub(super) struct Looks {
    sampled: Option<(ScreenWork, Experience)>,
    single: Option<(RoughWork, Experience)>,
    growing: Option<(GrowingWork, Experience)>,
    first: Queue<WIDTH>,
    second: Queue<SINGLES>,
    third: Queue<WIDTH>,
}

/// With fewer candidates than this a second look takes longer than to evaluate them all.
const FEWEST: usize = SINGLES / 2;
/// The same for the third look.
const FEWEST_CLOSELY: usize = WIDTH / 2;

/// Relative error that no sum of squares of a parameter vector reaches, however it is added up.
const ROUNDING: f64 = 1e-9;

/// A generation, or a worker's part of it.
pub(super) struct Part<'a> {
    pub(super) candidates: &'a Population,
    pub(super) cutoffs: &'a [f64],
    /// The first candidate of this part; its cost is the first of `costs`.
    pub(super) first: usize,
    pub(super) costs: &'a mut [f64],
}

impl Looks {
    pub(super) fn new(
        topology: &Topology,
        sampled: Option<&Sampled>,
        single: Option<&Single>,
        growing: Option<&Growing>,
    ) -> Self {
        Self {
            sampled: sampled.map(|s| (s.work(topology), Experience::default())),
            single: single.map(|s| (s.work(topology), Experience::default())),
            growing: growing.map(|g| (g.work(topology), Experience::default())),
            first: Queue::EMPTY,
            second: Queue::EMPTY,
            third: Queue::EMPTY,
        }
    }

    fn is_third_due(&mut self) -> bool {
        self.growing.as_mut().is_some_and(|(_, experience)| experience.is_due())
    }
}

impl Shared {
    /// Whether the third look comes first, and is the only one where it pays.
    fn is_condensed(&self) -> bool {
        self.growing.as_ref().is_some_and(Growing::is_condensed)
    }
}

impl Shared {
    /// Costs of a part of the candidates.
    pub(super) fn costs(&self, mut part: Part<'_>, worker: &mut Worker) {
        for i in part.first..part.first + part.costs.len() {
            let theta = part.candidates.row(i);
            let norm = nearly_norm(theta);
            let least = norm * (1.0 - ROUNDING);
            let may_be_rejected = self.settings.early_rejection && least > self.radius;
            if may_be_rejected && self.penalty(least) > part.cutoffs[i] {
                part.costs[i - part.first] = self.penalty(least);
            } else if norm * (1.0 + ROUNDING) > self.radius {
                part.costs[i - part.first] = self.cost(theta, part.cutoffs[i], worker);
            } else if part.cutoffs[i] == f64::INFINITY {
                part.costs[i - part.first] = self.error(theta, worker);
            } else if self.is_condensed() && worker.looks.is_third_due() {
                // Condensed samples take hardly longer than a few of them, and prove more than all of them in single precision.
                if worker.looks.third.push(i) {
                    self.look_closely(&mut part, worker);
                }
            } else if worker.looks.sampled.as_mut().is_some_and(|(_, experience)| experience.is_due()) {
                if worker.looks.first.push(i) {
                    self.look_first(&mut part, worker);
                }
            } else {
                self.pass_on(i, &mut part, worker);
            }
        }
        if worker.looks.first.len() > 0 {
            self.look_first(&mut part, worker);
        }
        if worker.looks.second.len() > 0 {
            self.look_again(&mut part, worker);
        }
        if worker.looks.third.len() > 0 {
            self.look_closely(&mut part, worker);
        }
    }

    /// At a few samples.
    fn look_first(&self, part: &mut Part<'_>, worker: &mut Worker) {
        let taken = worker.looks.first.take();
        let mut bounds = [0.0; WIDTH];
        if let (Some(sampled), Some((work, experience))) = (&self.sampled, &mut worker.looks.sampled) {
            bounds = sampled.bounds(&self.topology, &taken.all(|i| part.candidates.row(i)), work);
            let rejected = part.reject(taken.numbers(), &bounds);
            experience.learn(taken.numbers().len(), rejected, sampled.worthwhile);
        }
        for (lane, i) in taken.numbers().iter().copied().enumerate() {
            if !part.is_lost(i, bounds[lane]) {
                self.pass_on(i, part, worker);
            }
        }
    }

    /// To the second look, or beyond.
    fn pass_on(&self, i: usize, part: &mut Part<'_>, worker: &mut Worker) {
        if !worker.looks.single.as_mut().is_some_and(|(_, experience)| experience.is_due()) {
            self.pass_further(i, part, worker);
        } else if worker.looks.second.push(i) {
            self.look_again(part, worker);
        }
    }

    /// At all samples, in single precision.
    fn look_again(&self, part: &mut Part<'_>, worker: &mut Worker) {
        let taken = worker.looks.second.take();
        let mut bounds = [0.0; SINGLES];
        if taken.numbers().len() >= FEWEST
            && let (Some(single), Some((work, experience))) = (&self.single, &mut worker.looks.single)
        {
            bounds = single.bounds(&self.topology, &taken.all(|i| part.candidates.row(i)), work);
            let rejected = part.reject(taken.numbers(), &bounds);
            experience.learn(taken.numbers().len(), rejected, Single::WORTHWHILE);
        }
        for (lane, i) in taken.numbers().iter().copied().enumerate() {
            if !part.is_lost(i, bounds[lane]) {
                self.pass_further(i, part, worker);
            }
        }
    }

    /// To the third look, or to a full evaluation.
    fn pass_further(&self, i: usize, part: &mut Part<'_>, worker: &mut Worker) {
        if self.is_condensed() || !worker.looks.is_third_due() {
            part.costs[i - part.first] = self.error(part.candidates.row(i), worker);
        } else if worker.looks.third.push(i) {
            self.look_closely(part, worker);
        }
    }

    /// At more and more samples, in double precision.
    fn look_closely(&self, part: &mut Part<'_>, worker: &mut Worker) {
        let taken = worker.looks.third.take();
        let mut bounds = [0.0; WIDTH];
        if taken.numbers().len() >= FEWEST_CLOSELY
            && let (Some(growing), Some((work, experience))) = (&self.growing, &mut worker.looks.growing)
        {
            let (rows, cutoffs) = (taken.all(|i| part.candidates.row(i)), taken.all(|i| part.cutoffs[i]));
            bounds = growing.bounds(&self.topology, &rows, &cutoffs, work);
            let rejected = part.reject(taken.numbers(), &bounds);
            experience.learn(taken.numbers().len(), rejected, growing.worthwhile);
        }
        for (lane, i) in taken.numbers().iter().copied().enumerate() {
            if !part.is_lost(i, bounds[lane]) {
                part.costs[i - part.first] = self.error(part.candidates.row(i), worker);
            }
        }
    }
}

/// The norm, added up in eight sums at once: up to rounding that of the cost.
fn nearly_norm(theta: &[f64]) -> f64 {
    let (eights, rest) = theta.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        for (sum, v) in sums.iter_mut().zip(eight) {
            *sum += v * v;
        }
    }
    (sums.iter().sum::<f64>() + rest.iter().map(|v| v * v).sum::<f64>()).sqrt()
}

impl Part<'_> {
    /// A bound of zero proves nothing, whatever the cutoff.
    fn is_lost(&self, i: usize, bound: f64) -> bool {
        bound > 0.0 && bound > self.cutoffs[i]
    }

    /// Gives those whose bound is above the cutoff that bound for a cost; how many they are.
    fn reject(&mut self, numbers: &[usize], bounds: &[f64]) -> usize {
        let mut rejected = 0;
        for (i, bound) in numbers.iter().zip(bounds) {
            if self.is_lost(*i, *bound) {
                self.costs[*i - self.first] = *bound;
                rejected += 1;
            }
        }
        rejected
    }
}
