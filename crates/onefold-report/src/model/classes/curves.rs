//! Curves of probabilities: receiver operating characteristic and calibration.

use super::super::Answers;

/// Most points of a curve.
const MOST_POINTS: usize = 200;
/// Bins of equal width.
const BINS: usize = 10;

/// The receiver operating characteristic of a class against all others, as rates of false and of true
/// positives; none if only it or only others occur.
pub(super) fn characteristic(answers: &Answers<'_>, class: usize) -> Option<Vec<(f64, f64)>> {
    let mut rows: Vec<(f64, bool)> =
        (0..answers.rows()).map(|row| (answers.row(row)[class], answers.class(row) == class)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let own = rows.iter().filter(|row| row.1).count() as f64;
    let others = rows.len() as f64 - own;
    if own == 0.0 || others == 0.0 {
        return None;
    }
    let mut points = vec![(0.0, 0.0)];
    let (mut found, mut wrong) = (0.0, 0.0);
    for ties in rows.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let own_here = ties.iter().filter(|row| row.1).count() as f64;
        found += own_here;
        wrong += ties.len() as f64 - own_here;
        points.push((wrong / others, found / own));
    }
    Some(thinned(&points))
}

/// A curve with fewer points: steps that are smaller than can be seen are left out.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let least = 1.0 / MOST_POINTS as f64;
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (i, point) in points.iter().enumerate() {
        let is_far = kept.last().is_none_or(|last| (point.0 - last.0) + (point.1 - last.1) >= least);
        if is_far || i + 1 == points.len() {
            kept.push(*point);
        }
    }
    kept
}

/// Rows with nearly the same probability of the predicted class.
pub(super) struct Bin {
    pub(super) rows: usize,
    /// The mean of the probabilities.
    pub(super) probability: f64,
    /// The fraction of right answers.
    pub(super) correct: f64,
    /// Wilson's 95 % interval of it.
    pub(super) interval: (f64, f64),
}

/// Bins of equal width.
pub(super) fn calibration(answers: &Answers<'_>) -> Vec<Bin> {
    let mut sums = [(0_usize, 0.0, 0.0); BINS];
    for row in 0..answers.rows() {
        let outputs = answers.row(row);
        let predicted = winner(outputs);
        let probability = outputs[predicted].clamp(0.0, 1.0);
        let sum = &mut sums[((probability * BINS as f64) as usize).min(BINS - 1)];
        sum.0 += 1;
        sum.1 += probability;
        sum.2 += f64::from(u8::from(answers.class(row) == predicted));
    }
    let bin = |(rows, probability, correct): (usize, f64, f64)| {
        let n = rows.max(1) as f64;
        Bin { rows, probability: probability / n, correct: correct / n, interval: wilson(correct / n, n) }
    };
    sums.into_iter().map(bin).collect()
}

/// Wilson's 95 % interval of a fraction of `n` rows.
fn wilson(fraction: f64, n: f64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let square = Z * Z / n;
    let middle = (fraction + square / 2.0) / (1.0 + square);
    let half = Z / (1.0 + square) * (fraction * (1.0 - fraction) / n + square / (4.0 * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// The place of the largest output, the first one on a tie.
fn winner(outputs: &[f64]) -> usize {
    (1..outputs.len()).fold(0, |best, k| if outputs[k] > outputs[best] { k } else { best })
}
