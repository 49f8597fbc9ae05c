//! Where descents start.

use super::LocalSearch;
use super::descent::{Descent, norm};
use crate::cancellation::poll;
use crate::rng::{Purpose, Streams};

/// Maximum of the random factor by which the start interval is multiplied if a start has several candidates.
///
/// All candidates of a start have the same factor. With different factors the largest candidate would mostly
/// have the lowest cost, whatever minimum it leads to.
const LARGEST_SCALE: f64 = 2.0;

impl<D: Descent> LocalSearch<D> {
    /// Fills the candidates of a start with random points, or with points between known optima.
    pub(super) fn choose_starts(&mut self) {
        let Self { common, settings, state, candidates, align, scales, .. } = self;
        let streams = Streams::new(common.seed, Purpose::Start, state.starts);
        let known = &state.optima.list;
        let of_this_start = Streams::new(common.seed, Purpose::Generation, state.starts);
        let recombine = known.len() > 2 && of_this_start.of(0).uniform() < settings.recombination;
        // The best scale of a problem is not known; successive halving selects among random ones.
        let scale =
            if self.population > 1 { libm::pow(LARGEST_SCALE, of_this_start.of(1).uniform()) } else { 1.0 };
        for (i, x) in candidates.rows_mut().enumerate() {
            if poll(8 * x.len()) {
                break;
            }
            let mut rng = streams.long(i);
            if recombine {
                // Between two optima of the better half, aligned to each other.
                let elite = known.len().div_ceil(2).max(2);
                let a = rng.below(elite);
                let b = (a + 1 + rng.below(elite - 1)) % elite;
                let mut other = known[b].x.clone();
                if let Some(align) = align {
                    align.align(&mut other, &known[a].x, &mut streams.of(i));
                }
                for ((x, a), b) in x.iter_mut().zip(&known[a].x).zip(&other) {
                    *x = a + rng.between(-0.5, 1.0) * (b - a);
                }
            } else {
                for (x, own) in x.iter_mut().zip(&*scales) {
                    *x = scale * own * rng.between(common.start.0, common.start.1);
                }
            }
            pull_in(x, self.radius);
        }
        self.cutoffs.fill(f64::INFINITY);
    }
}

/// Scales a point outside of the sphere to its surface.
pub(super) fn pull_in(x: &mut [f64], radius: f64) {
    let length = norm(x);
    if length > radius {
        x.iter_mut().for_each(|v| *v *= radius / length);
    }
}
