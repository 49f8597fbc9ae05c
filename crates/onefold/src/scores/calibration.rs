//! Whether probabilities are as often right as they say.

/// Number of bins of equal width.
const BINS: usize = 10;

/// Rows by the probability of the predicted class.
#[derive(Clone, Debug, Default)]
pub(super) struct Calibration {
    bins: [Bin; BINS],
}

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    rows: f64,
    probability: f64,
    correct: f64,
}

impl Calibration {
    pub(super) fn add(&mut self, probability: f64, is_correct: bool, weight: f64) {
        let bin = &mut self.bins[((probability * BINS as f64) as usize).min(BINS - 1)];
        bin.rows += weight;
        bin.probability += weight * probability;
        bin.correct += if is_correct { weight } else { 0.0 };
    }

    /// The expected calibration error.
    pub(super) fn error(&self) -> f64 {
        let rows: f64 = self.bins.iter().map(|bin| bin.rows).sum();
        self.bins.iter().map(|bin| (bin.correct - bin.probability).abs()).sum::<f64>() / rows
    }
}
