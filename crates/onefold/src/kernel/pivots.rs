//! The order in which columns are eliminated: by the share of their squared norm that is left.

/// Columns, those already eliminated first, with their squared norms before and after projections.
#[derive(Clone, Debug)]
pub(crate) struct Pivots {
    /// Columns in the order in which they stand.
    pub(crate) order: Vec<usize>,
    /// Squared norms at the start, by place.
    original: Vec<f64>,
    /// Squared norms of what is left of them, by place.
    pub(crate) left: Vec<f64>,
}

impl Pivots {
    pub(crate) fn new(columns: usize) -> Self {
        Self { order: vec![0; columns], original: vec![0.0; columns], left: vec![0.0; columns] }
    }

    /// Starts again with these squared norms, one for each column.
    #[inline]
    pub(crate) fn start(&mut self, norms: impl Iterator<Item = f64>) {
        for (j, norm) in norms.enumerate() {
            self.order[j] = j;
            self.original[j] = norm;
            self.left[j] = norm;
        }
    }

    /// The place from `k` on whose column keeps the largest share, and that share; none where all columns are
    /// zero.
    ///
    /// Equal shares, as at the start, are decided by the squared norm that is left, so that the order of the
    /// columns does not matter.
    #[inline]
    pub(crate) fn next(&self, k: usize) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for j in k..self.order.len() {
            if self.original[j] > 0.0 {
                let share = self.left[j] / self.original[j];
                let larger =
                    |(p, largest)| share > largest || (share >= largest && self.left[j] > self.left[p]);
                if best.is_none_or(larger) {
                    best = Some((j, share));
                }
            }
        }
        best
    }

    /// Exchanges two places.
    #[inline]
    pub(crate) fn exchange(&mut self, k: usize, p: usize) {
        self.order.swap(k, p);
        self.original.swap(k, p);
        self.left.swap(k, p);
    }
}
