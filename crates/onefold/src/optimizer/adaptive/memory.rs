//! The success memory: adapts `F` and `CR` to those of trial vectors that were better than their parents.

use super::Variant;
use crate::rng::LongRng;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Scale of the distributions of `F` (Cauchy) and `CR` (normal), the same in all four papers.
const SCALE: f64 = 0.1;
/// Learning rate of JADE, called `c` in its paper.
const RATE: f64 = 0.1;
/// The last pair of jSO, which is constant.
const FIXED: Pair = Pair { f: 0.9, cr: Some(0.9) };

/// The centres of the distributions of `F` and `CR`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Pair {
    /// Of `F`.
    pub(super) f: f64,
    /// Of `CR`; `None` is the terminal value of L-SHADE, after which `CR` is always 0.
    pub(super) cr: Option<f64>,
}

/// A trial vector that was better than its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Success {
    pub(super) f: f64,
    pub(super) cr: f64,
    /// Improvement of the cost.
    pub(super) gain: f64,
}

/// The stored pairs, and the index of the one that is updated next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    pairs: Vec<Pair>,
    next: usize,
}

impl Memory {
    pub(super) fn new(variant: Variant, size: usize) -> Self {
        let first = match variant {
            Variant::Jso => Pair { f: 0.3, cr: Some(0.8) },
            Variant::Jade | Variant::Shade | Variant::LShade => Pair { f: 0.5, cr: Some(0.5) },
        };
        let mut pairs = vec![first; size];
        if variant == Variant::Jso
            && let Some(last) = pairs.last_mut()
        {
            *last = FIXED;
        }
        Self { pairs, next: 0 }
    }

    /// Whether a memory read from a file has this size and values in range.
    pub(super) fn is_sound(&self, size: usize) -> bool {
        let in_range =
            |pair: &Pair| pair.f > 0.0 && pair.f <= 1.0 && pair.cr.is_none_or(|cr| (0.0..=1.0).contains(&cr));
        self.pairs.len() == size && self.next < size && self.pairs.iter().all(in_range)
    }

    /// Draws `F` and `CR` of a trial vector; `spent` is the fraction of the evaluations used.
    pub(super) fn draw(&self, variant: Variant, spent: f64, rng: &mut LongRng) -> (f64, f64) {
        let centre = self.pairs[rng.below(self.pairs.len())];
        let cr = centre.cr.map_or(0.0, |cr| (cr + SCALE * rng.normal()).clamp(0.0, 1.0));
        let f = loop {
            let f = centre.f + SCALE * libm::tan(PI * (rng.uniform() - 0.5));
            if f > 0.0 {
                break f.min(1.0);
            }
        };
        if variant == Variant::Jso { (capped(f, spent), raised(cr, spent)) } else { (f, cr) }
    }

    /// Updates one pair with the successes of a generation.
    pub(super) fn learn(&mut self, variant: Variant, successes: &[Success]) {
        if successes.is_empty() {
            return;
        }
        let last = self.pairs.len() - 1;
        let pair = &mut self.pairs[self.next];
        match variant {
            Variant::Jade => {
                let equal = |_: &Success| 1.0;
                let cr = mean(successes, equal, |s| s.cr);
                pair.cr = pair.cr.map(|old| (1.0 - RATE) * old + RATE * cr);
                pair.f = (1.0 - RATE) * pair.f + RATE * lehmer(successes, equal, |s| s.f);
            }
            Variant::Shade => {
                let weight = by_gain(successes);
                *pair = Pair {
                    f: lehmer(successes, &weight, |s| s.f),
                    cr: Some(mean(successes, &weight, |s| s.cr)),
                };
            }
            Variant::LShade | Variant::Jso => {
                let weight = by_gain(successes);
                let f = lehmer(successes, &weight, |s| s.f);
                // A mean CR of zero makes the value terminal: CR stays 0 from then on.
                let is_terminal = pair.cr.is_none() || mean(successes, &weight, |s| s.cr) <= 0.0;
                let cr = (!is_terminal).then(|| lehmer(successes, &weight, |s| s.cr));
                if variant == Variant::LShade {
                    *pair = Pair { f, cr };
                } else if self.next != last {
                    let halfway = |new: f64, old: Option<f64>| f64::midpoint(new, old.unwrap_or(new));
                    *pair = Pair { f: f64::midpoint(f, pair.f), cr: cr.map(|new| halfway(new, pair.cr)) };
                }
            }
        }
        self.next = if self.next == last { 0 } else { self.next + 1 };
    }

    #[cfg(test)]
    pub(super) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    #[cfg(test)]
    pub(super) fn set(&mut self, pair: Pair) {
        self.pairs.fill(pair);
    }
}

/// jSO: upper limit of `F` in the first 60 % of the evaluations.
pub(super) fn capped(f: f64, spent: f64) -> f64 {
    if spent < 0.6 { f.min(0.7) } else { f }
}

/// jSO: lower limit of `CR` in the first half of the evaluations.
pub(super) fn raised(cr: f64, spent: f64) -> f64 {
    if spent < 0.25 {
        cr.max(0.7)
    } else if spent < 0.5 {
        cr.max(0.6)
    } else {
        cr
    }
}

/// The ratio of $F_w$, the weight of the step towards the best, to $F$: 1 except for jSO, where it increases
/// with the evaluations used.
pub(super) fn best_weight_ratio(variant: Variant, spent: f64) -> f64 {
    match variant {
        Variant::Jso if spent < 0.2 => 0.7,
        Variant::Jso if spent < 0.4 => 0.8,
        Variant::Jso => 1.2,
        Variant::Jade | Variant::Shade | Variant::LShade => 1.0,
    }
}

/// Weights proportional to the improvements. Infinite improvements have all of the weight.
fn by_gain(successes: &[Success]) -> impl Fn(&Success) -> f64 + use<> {
    let largest = successes.iter().map(|s| s.gain).fold(0.0, f64::max);
    move |s| if largest.is_finite() { s.gain / largest } else { f64::from(s.gain.is_infinite()) }
}

/// The weighted mean.
pub(super) fn mean<'a>(
    successes: &'a [Success],
    weight: impl Fn(&'a Success) -> f64,
    value: impl Fn(&'a Success) -> f64,
) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for s in successes {
        let w = weight(s);
        sum += w * value(s);
        weights += w;
    }
    sum / weights
}

/// The weighted Lehmer mean: the sum of squares divided by the sum, which favours large values.
pub(super) fn lehmer<'a>(
    successes: &'a [Success],
    weight: impl Fn(&'a Success) -> f64,
    value: impl Fn(&'a Success) -> f64,
) -> f64 {
    let (mut squares, mut sum) = (0.0, 0.0);
    for s in successes {
        let (w, v) = (weight(s), value(s));
        squares += w * v * v;
        sum += w * v;
    }
    squares / sum
}
