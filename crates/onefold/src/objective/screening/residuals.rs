//! Which samples tell most: those on which candidates that were evaluated in full have the largest residuals.
//!
//! In a converged population residuals are concentrated on the same few samples, and least squares on these
//! alone exceeds most cutoffs. The order of the samples decides what is computed, never what the result is.

/// One full evaluation in this many is learned from,
const EVERY: u32 = 32;
/// and after this many of those samples are put in a new order.
const LEARNED: u32 = 8;
/// What older evaluations count for when newer ones are added.
const KEPT: f64 = 0.5;

/// One worker's experience with the samples.
#[derive(Clone, Debug)]
pub(super) struct Residuals {
    /// Full evaluations that were not learned from since one was.
    skipped: u32,
    learned: u32,
    /// The squared residuals of one candidate.
    squares: Vec<f64>,
    /// For each sample, the sum of its shares in the squared residuals of candidates.
    shares: Vec<f64>,
    /// The samples, those with the largest sums first.
    order: Vec<usize>,
}

impl Residuals {
    /// None are known yet.
    pub(super) fn new(rows: usize) -> Self {
        let zeros = vec![0.0; rows];
        Self { skipped: 0, learned: 0, squares: zeros.clone(), shares: zeros, order: (0..rows).collect() }
    }

    /// After a full evaluation, whose squared residuals `squares` writes: the order of the samples if it is a
    /// new one.
    pub(super) fn learn(&mut self, squares: impl FnOnce(&mut [f64])) -> Option<&[usize]> {
        self.skipped += 1;
        if self.skipped < EVERY {
            return None;
        }
        self.skipped = 0;
        squares(&mut self.squares);
        let sum: f64 = self.squares.iter().sum();
        // A NaN is not positive.
        if !(sum > 0.0 && sum.is_finite()) {
            return None;
        }
        for (share, square) in self.shares.iter_mut().zip(&self.squares) {
            *share += square / sum;
        }
        self.learned += 1;
        if self.learned < LEARNED {
            return None;
        }
        self.learned = 0;
        let shares = &self.shares;
        self.order.sort_unstable_by(|a, b| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b)));
        self.shares.iter_mut().for_each(|share| *share *= KEPT);
        Some(&self.order)
    }
}
