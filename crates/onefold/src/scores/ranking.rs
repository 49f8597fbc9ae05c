//! Scores by the order in which a class's output puts the rows: areas under curves.

use super::classes::weight;
use crate::data::{in_order, key};
use crate::rng::{Purpose, Rng};
use std::iter::Peekable;

/// So many outputs are kept, 32 MiB; of more rows a random sample.
const MOST_KEPT: usize = 1 << 22;

/// The outputs of rows, their classes and their weights.
#[derive(Clone, Debug)]
pub(super) struct Ranking {
    /// Number of classes.
    count: usize,
    /// Row after row.
    outputs: Vec<f64>,
    classes: Vec<u32>,
    weights: Vec<f64>,
    /// Rows that were added.
    added: u64,
    rng: Rng,
}

impl Ranking {
    /// Of this many classes.
    pub(super) fn new(count: usize) -> Self {
        let rng = Rng::stream(0, Purpose::Data, 0, 0);
        Self { count, outputs: Vec::new(), classes: Vec::new(), weights: Vec::new(), added: 0, rng }
    }

    /// Adds a row. Of many rows every one has the same chance to be among those that are kept (reservoir
    /// sampling).
    pub(super) fn add(&mut self, outputs: &[f64], class: usize, weight: f64) {
        self.added += 1;
        if (self.classes.len() + 1) * self.count <= MOST_KEPT {
            self.outputs.extend_from_slice(outputs);
            self.classes.push(class as u32);
            self.weights.push(weight);
            return;
        }
        let place = self.rng.below(self.added as usize);
        if let Some(kept) = self.classes.get_mut(place) {
            *kept = class as u32;
            self.weights[place] = weight;
            self.outputs[place * self.count..(place + 1) * self.count].copy_from_slice(outputs);
        }
    }

    /// The area under the receiver operating characteristic of a class against all others, and the average
    /// precision; none if only it or only others occur.
    pub(super) fn areas(&self, class: usize) -> Option<(f64, f64)> {
        let of_class: Vec<f64> = self.outputs.iter().skip(class).step_by(self.count).copied().collect();
        let is_own: Vec<bool> = self.classes.iter().map(|c| *c as usize == class).collect();
        let is_weighted = self.weights.iter().any(|weight| weight.to_bits() != 1.0_f64.to_bits());
        let ties = if is_weighted {
            Ties::new(&of_class, &is_own, Some(&self.weights)).groups
        } else {
            counted(&of_class, &is_own)
        };
        let (own, other): (f64, f64) =
            (ties.iter().map(|tie| tie.own).sum(), ties.iter().map(|tie| tie.other).sum());
        if own == 0.0 || other == 0.0 {
            return None;
        }
        let (mut wrong, mut precision, mut own_so_far, mut so_far) = (0.0, 0.0, 0.0, 0.0);
        for ties in ties.iter().rev() {
            own_so_far += ties.own;
            so_far += ties.own + ties.other;
            precision += ties.own * own_so_far / so_far;
            wrong += ties.own * (so_far - own_so_far - 0.5 * ties.other);
        }
        // Sums of weights are rounded.
        Some(((1.0 - wrong / (own * other)).clamp(0.0, 1.0), (precision / own).min(1.0)))
    }
}

/// Rows in increasing order of their outputs, equal ones together.
struct Ties {
    order: Vec<usize>,
    groups: Vec<Tie>,
}

/// How many rows of a class, and of others, have one output, by their weights.
struct Tie {
    own: f64,
    other: f64,
    /// Number of rows.
    rows: usize,
}

impl Ties {
    fn new(outputs: &[f64], is_own: &[bool], of_rows: Option<&[f64]>) -> Self {
        let order = in_order(outputs);
        let groups = order.chunk_by(|a, b| a.0 == b.0).map(|ties| {
            let of = |own: bool| -> f64 {
                let of_class = ties.iter().filter(|(_, i)| is_own[*i] == own);
                of_class.map(|(_, i)| weight(of_rows, *i)).sum()
            };
            Tie { own: of(true), other: of(false), rows: ties.len() }
        });
        let groups = groups.collect();
        Self { order: order.into_iter().map(|(_, row)| row).collect(), groups }
    }
}

/// Ties of rows that all count the same, as [`Ties`] has them. Without the places of the rows, sorting takes
/// less than half the time.
fn counted(outputs: &[f64], is_own: &[bool]) -> Vec<Tie> {
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for (output, is_own) in outputs.iter().zip(is_own) {
        if *is_own { &mut own } else { &mut other }.push(key(*output));
    }
    own.sort_unstable();
    other.sort_unstable();
    let (mut own, mut other) = (own.into_iter().peekable(), other.into_iter().peekable());
    let mut ties = Vec::new();
    while let Some(lowest) = own.peek().into_iter().chain(other.peek()).min().copied() {
        let mut count = 0;
        let mut next = |keys: &mut Peekable<_>| {
            let before = count;
            while keys.next_if_eq(&lowest).is_some() {
                count += 1;
            }
            (count - before) as f64
        };
        let (own, other) = (next(&mut own), next(&mut other));
        ties.push(Tie { own, other, rows: count });
    }
    ties
}

/// For each row of a class the number of others with a higher output, for each other row the number of the
/// class's with a lower one, by their weights, ties counted half.
pub(super) fn pairs_in_wrong_order(outputs: &[f64], is_own: &[bool], of_rows: Option<&[f64]>) -> Vec<f64> {
    let Ties { order, groups } = Ties::new(outputs, is_own, of_rows);
    let other: f64 = groups.iter().map(|tie| tie.other).sum();
    let mut wrong = vec![0.0; outputs.len()];
    let (mut own_below, mut other_below, mut place) = (0.0, 0.0, 0);
    for tie in groups {
        let end = place + tie.rows;
        for i in &order[place..end] {
            wrong[*i] =
                if is_own[*i] { other - other_below - 0.5 * tie.other } else { own_below + 0.5 * tie.own };
        }
        place = end;
        own_below += tie.own;
        other_below += tie.other;
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_the_same_with_and_without_places() {
        let mut rng = Rng::stream(1, Purpose::Data, 0, 0);
        for rows in [0, 1, 2, 500] {
            let outputs: Vec<f64> = (0..rows).map(|_| (20.0 * rng.normal()).round() / 10.0).collect();
            let is_own: Vec<bool> = (0..rows).map(|_| rng.uniform() < 0.3).collect();
            let of = |ties: Vec<Tie>| -> Vec<(f64, f64, usize)> {
                ties.iter().map(|tie| (tie.own, tie.other, tie.rows)).collect()
            };
            assert_eq!(of(counted(&outputs, &is_own)), of(Ties::new(&outputs, &is_own, None).groups));
        }
    }
}
