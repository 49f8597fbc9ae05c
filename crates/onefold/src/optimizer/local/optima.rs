//! The local optima found; mirror images count as one.

use super::super::Align;
use super::descent::norm;
use crate::rng::{Purpose, Streams};
use serde::{Deserialize, Serialize};

/// Maximum number of stored optima, the best ones.
const CAPACITY: usize = 100;
/// Maximum relative difference in cost of two descents to the same optimum.
const SAME_COST: f64 = 1e-4;
/// Maximum distance of their end points after alignment, relative to their length.
const SAME_POINT: f64 = 1e-2;
/// Minimum number of descents before the number of all optima is estimated.
const LEAST_DESCENTS: u64 = 30;

/// A local optimum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Optimum {
    /// One of its mirror images.
    pub x: Vec<f64>,
    /// Its cost.
    pub cost: f64,
    /// Number of descents that ended there.
    pub found: u64,
}

/// All local optima so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Optima {
    /// Best first.
    pub(super) list: Vec<Optimum>,
    /// Number of descents that ended.
    descents: u64,
    /// Number of distinct end points.
    distinct: u64,
}

impl Optima {
    /// Adds the end point of a descent. One that has not converged counts as a distinct end point, but is not
    /// stored.
    pub(super) fn add(&mut self, x: &[f64], cost: f64, has_converged: bool, align: Option<&dyn Align>) {
        let number = self.descents;
        self.descents = self.descents.saturating_add(1);
        if !has_converged {
            self.distinct = self.distinct.saturating_add(1);
            return;
        }
        let mut image = x.to_vec();
        for known in &mut self.list {
            if (known.cost - cost).abs() > SAME_COST * cost {
                continue;
            }
            if let Some(align) = align {
                let mut rng = Streams::new(0, Purpose::Align, number).of(0);
                image.copy_from_slice(x);
                align.align(&mut image, &known.x, &mut rng);
            }
            let difference: Vec<f64> = image.iter().zip(&known.x).map(|(a, b)| a - b).collect();
            if norm(&difference) <= SAME_POINT * norm(x) {
                known.found = known.found.saturating_add(1);
                if cost < known.cost {
                    (known.x, known.cost) = (image, cost);
                    self.list.sort_by(|a, b| a.cost.total_cmp(&b.cost));
                }
                return;
            }
        }
        self.distinct = self.distinct.saturating_add(1);
        let place = self.list.partition_point(|known| known.cost <= cost);
        if place < CAPACITY {
            self.list.insert(place, Optimum { x: x.to_vec(), cost, found: 1 });
            self.list.truncate(CAPACITY);
        }
    }

    /// Whether all optima have probably been found: after `n` descents to `w` distinct optima, the expected
    /// number of optima is `w (n - 1) / (n - w - 2)` (Boender and Rinnooy Kan 1987), and that is less than
    /// `w + 1/2`.
    pub(super) fn are_all_known(&self) -> bool {
        let (n, w) = (self.descents as f64, self.distinct as f64);
        self.descents >= LEAST_DESCENTS && n > w + 2.0 && w * (n - 1.0) / (n - w - 2.0) < w + 0.5
    }

    /// Whether a state read from a file has valid sizes.
    pub(super) fn has_shape(&self, dim: usize) -> bool {
        self.list.len() <= CAPACITY && self.list.iter().all(|optimum| optimum.x.len() == dim)
    }
}
