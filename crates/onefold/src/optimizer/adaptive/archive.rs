//! Parents that lost to their trials.

use crate::Population;
use crate::rng::LongRng;

/// Former individuals: where the search came from. They are drawn for differences beside the population.
#[derive(Debug)]
pub(super) struct Archive {
    pub(super) members: Population,
}

impl Archive {
    /// An empty archive with memory for this many.
    pub(super) fn new(dim: usize, room: usize) -> Self {
        let mut members = Population::new(room, dim);
        members.resize(0); // the memory stays
        Self { members }
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Takes a member in; a random one makes room where there is none.
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
