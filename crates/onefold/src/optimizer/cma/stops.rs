//! The termination criteria of CMA-ES: those of the C code and of pycma.

use super::{CmaPreset, CmaSettings};
use crate::optimizer::Termination;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Generations between two entries of the long history.
const LONG_STEP: u64 = 5;
/// Length of the long history.
const LONG_LENGTH: usize = 20_000;

/// Tolerances of a run.
struct Tolerances {
    fun: f64,
    fun_hist: f64,
    x: f64,
    up_x: f64,
    condition: f64,
}

impl Tolerances {
    fn new(settings: &CmaSettings) -> Self {
        let (fun, condition) = match settings.preset {
            CmaPreset::Reference => (1e-12, 9e12),
            CmaPreset::Tutorial | CmaPreset::Pycma => (1e-11, 1e14),
        };
        let fun = settings.tol_fun.unwrap_or(fun);
        Self { fun, fun_hist: fun / 10.0, x: settings.tol_x.unwrap_or(1e-11), up_x: 1e3, condition }
    }
}

/// The history that the criteria need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct History {
    /// Best costs of the last generations, newest last.
    recent: VecDeque<f64>,
    /// Best and median cost of every fifth generation, newest last.
    long: VecDeque<(f64, f64)>,
    /// Generations in a row in which most costs were equal.
    flat: u64,
    /// Generation in which the best cost so far was found.
    best_at: u64,
    /// An earlier mean, and the generation since which the mean has stayed near it.
    anchor: Vec<f64>,
    anchored_at: u64,
}

/// The state that the criteria check, after a generation.
pub(super) struct Situation<'a> {
    pub(super) settings: &'a CmaSettings,
    /// Generations done.
    pub(super) generation: u64,
    /// Costs of this generation, ascending.
    pub(super) sorted: &'a [f64],
    /// Whether this generation found the best cost so far.
    pub(super) improved: bool,
    pub(super) mean: &'a [f64],
    pub(super) sigma: f64,
    pub(super) path: &'a [f64],
    pub(super) shape: &'a super::shape::Shape,
}

impl History {
    /// Whether no entry is later than `generation`, and sizes are valid.
    pub(super) fn is_before(&self, generation: u64, dim: usize) -> bool {
        self.best_at <= generation
            && self.anchored_at <= generation
            && self.long.len() <= LONG_LENGTH
            && (self.anchor.is_empty() || self.anchor.len() == dim)
    }

    /// Records a generation and checks every criterion.
    pub(super) fn check(&mut self, now: &Situation<'_>) -> Option<Termination> {
        let tolerances = Tolerances::new(now.settings);
        self.record(now, 100.0 * tolerances.x);
        self.costs(now, &tolerances)
            .or_else(|| distribution(now, &tolerances))
            .or_else(|| if now.settings.preset == CmaPreset::Reference { None } else { self.patience(now) })
    }

    fn record(&mut self, now: &Situation<'_>, near: f64) {
        let (n, lambda) = (now.mean.len() as f64, now.sorted.len() as f64);
        let best = now.sorted[0];
        self.recent.push_back(best);
        while self.recent.len() > 10 + (30.0 * n / lambda).ceil() as usize {
            self.recent.pop_front();
        }
        if now.generation.is_multiple_of(LONG_STEP) {
            let middle = now.sorted.len() / 2;
            let median = if now.sorted.len() % 2 == 1 {
                now.sorted[middle]
            } else {
                f64::midpoint(now.sorted[middle - 1], now.sorted[middle])
            };
            self.long.push_back((best, median));
            if self.long.len() > LONG_LENGTH {
                self.long.pop_front();
            }
        }
        if now.improved {
            self.best_at = now.generation;
        }
        let is_flat = best >= now.sorted[(0.75 * lambda) as usize];
        self.flat = if is_flat { self.flat + 1 } else { 0 };
        // The tolerance for a drift of the mean grows with the square root of time.
        let since = (now.generation - self.anchored_at) as f64;
        let distance = squared_distance(&self.anchor, now.mean).sqrt();
        if self.anchor.is_empty()
            || distance > near * (since / Self::standstill(now.generation)).max(1.0).sqrt()
        {
            self.anchor.clear();
            self.anchor.extend_from_slice(now.mean);
            self.anchored_at = now.generation;
        }
    }

    /// Number of generations without a movement of the mean that counts as a standstill.
    fn standstill(generation: u64) -> f64 {
        20.0 + 0.1 * generation as f64
    }

    fn costs(&self, now: &Situation<'_>, tolerances: &Tolerances) -> Option<Termination> {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            let (low, high) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            high - low // NaN if all are infinite, which meets no criterion
        };
        let recent = range(&mut self.recent.iter().copied());
        let of_generation = range(&mut self.recent.iter().chain(now.sorted).copied());
        let full = match now.settings.preset {
            CmaPreset::Reference => {
                10 + (30.0 * now.mean.len() as f64 / now.sorted.len() as f64).ceil() as u64
            }
            _ => 9,
        };
        if of_generation <= tolerances.fun {
            Some(Termination::TolFun)
        } else if now.generation > full && recent <= tolerances.fun_hist {
            Some(Termination::TolFunHist)
        } else {
            None
        }
    }

    /// Criteria of pycma over many generations.
    fn patience(&self, now: &Situation<'_>) -> Option<Termination> {
        let (n, lambda) = (now.mean.len() as f64, now.sorted.len() as f64);
        if self.flat > 1 {
            return Some(Termination::FlatFitness);
        }
        if now.generation - self.anchored_at > Self::standstill(now.generation) as u64 {
            return Some(Termination::TolXStagnation);
        }
        let patience = (100.0 + 100.0 * n.powf(1.5) / lambda).floor();
        let part = (patience / 10.0).max(self.long.len() as f64 / 10.0) as usize;
        if now.generation as f64 > n * (5.0 + 100.0 / lambda)
            && (now.generation - self.best_at) as f64 > patience / 2.0
            && self.long.len() > 100
            && self.long.len() > 2 * part
        {
            let medians = |skip: usize| {
                let window = || self.long.iter().rev().skip(skip).take(part);
                (median(window().map(|v| v.0)), median(window().map(|v| v.1)))
            };
            let (newer, older) = (medians(0), medians(part));
            if newer.0 >= older.0 && newer.1 >= older.1 {
                return Some(Termination::Stagnation);
            }
        }
        let usual = 100.0 + (150.0 * (n + 3.0).powi(2) / lambda.sqrt()).floor();
        (now.generation as f64 >= usual).then_some(Termination::Generations)
    }
}

/// Criteria that depend only on the distribution.
fn distribution(now: &Situation<'_>, tolerances: &Tolerances) -> Option<Termination> {
    let n = now.mean.len();
    let deviation = |i: usize| now.sigma * now.shape.variance(i).sqrt();
    if (0..n).all(|i| deviation(i) < tolerances.x && now.sigma * now.path[i] < tolerances.x) {
        return Some(Termination::TolX);
    }
    if (0..n).any(|i| deviation(i) > tolerances.up_x * now.settings.sigma) {
        return Some(Termination::TolUpX);
    }
    let (largest, smallest) = now.shape.extremes();
    if largest >= tolerances.condition * smallest {
        return Some(Termination::ConditionNumber);
    }
    // The C code checks all axes, pycma a different one in each generation.
    let axis = (now.generation % n as u64) as usize;
    let mut axes = if now.settings.preset == CmaPreset::Reference { 0..n } else { axis..axis + 1 };
    if axes.any(|j| now.shape.has_no_effect(j, now.mean, 0.1 * now.sigma)) {
        return Some(Termination::NoEffectAxis);
    }
    let stays = |i: usize| (now.mean[i] + 0.2 * deviation(i)).to_bits() == now.mean[i].to_bits();
    (0..n).any(stays).then_some(Termination::NoEffectCoordinate)
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}
