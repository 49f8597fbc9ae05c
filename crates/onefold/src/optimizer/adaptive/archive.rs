//! The archive of replaced parents.

use crate::Population;
use crate::rng::LongRng;

/// Parents replaced by better trial vectors. Difference vectors are drawn from the population and the
/// archive.
#[derive(Debug)]
pub(super) struct Archive {
    pub(super) members: Population,
}

impl Archive {
    /// An empty archive with memory for `capacity` members.
    pub(super) fn new(dim: usize, capacity: usize) -> Self {
        let mut members = Population::new(capacity, dim);
        members.resize(0); // keeps the memory
        Self { members }
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Adds a member; in a full archive it replaces a random one.
    pub(super) fn insert(&mut self, x: &[f64], size: usize, rng: &mut LongRng) {
        if self.len() < size {
            self.members.push(x);
        } else if size > 0 {
            self.members.row_mut(rng.below(size)).copy_from_slice(x);
        }
    }

    /// Removes random members until no more than `size` are left.
    pub(super) fn shrink(&mut self, size: usize, rng: &mut LongRng) {
        while self.len() > size {
            self.members.remove(rng.below(self.len()));
        }
    }
}
