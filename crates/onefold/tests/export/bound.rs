//! How far an exported network may be from the model: a running error analysis of one forward pass.

use onefold::Model;
use onefold::export::Precision;

/// Error of any `tanh` in use, ours and theirs together, in units of roundoff.
const TANH: f64 = 8.0;
/// The same for `exp`.
const EXP: f64 = 8.0;

/// For one row.
pub(crate) struct Bound {
    /// For each output.
    pub(crate) outputs: Vec<f64>,
    /// Whether a number on the way may leave the range of the precision; NaN is possible then.
    pub(crate) out_of_range: bool,
}

impl Bound {
    pub(crate) fn new(model: &Model, precision: Precision, row: &[f64]) -> Self {
        // Both sides round: the model in double, the export in its precision.
        let u = precision.unit_roundoff() + Precision::Double.unit_roundoff();
        let (largest, smallest) = match precision {
            Precision::Float => (f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE)),
            Precision::Double => (f64::MAX, f64::MIN_POSITIVE),
        };
        let mut out_of_range = row.iter().any(|x| x.abs() > largest);
        // Values, and how far they may be off.
        let mut x: Vec<(f64, f64)> = (row.iter().zip(&model.scaler().offset).zip(&model.scaler().scale))
            .map(|((x, o), s)| {
                let error = u * (x.abs() + o.abs() + 3.0 * (x - o).abs()) + smallest;
                ((x - o) / s, error / s.abs() + smallest)
            })
            .collect();
        out_of_range |= x.iter().any(|(x, _)| x.abs() > largest);
        let inputs = x.clone();
        let mut sums = |x: &[(f64, f64)], weights: &[f64]| {
            let all = || x.iter().chain(&[(1.0, 0.0)]).zip(weights);
            let size: f64 = all().map(|((x, _), w)| (w * x).abs()).sum();
            out_of_range |= size > largest || size.is_nan();
            let error: f64 = all().map(|((_, e), w)| w.abs() * e + smallest).sum();
            (all().map(|((x, _), w)| w * x).sum::<f64>(), error + (x.len() as f64 + 4.0) * u * size)
        };
        for (l, width) in model.topology().hidden().iter().enumerate() {
            x = (0..*width)
                .map(|n| {
                    let (sum, error) = sums(&x, &model.hidden()[model.topology().neuron(l, n)]);
                    // Where it is least steep on the way from the one sum to the other, tanh can do no more
                    // than this.
                    let least = if sum.is_infinite() { 20.0 } else { (sum.abs() - error).max(0.0) };
                    let slope = 1.0 - least.tanh().powi(2);
                    let change = if slope == 0.0 { 0.0 } else { (slope * error).min(2.0) };
                    (sum.tanh(), change + TANH * u)
                })
                .collect();
        }
        if model.topology().hidden().is_empty() {
            x.clear();
        }
        if model.topology().has_linear_part() {
            x.extend(inputs);
        }
        // One per cent for products of errors.
        let mut outputs: Vec<f64> = model.readout().iter().map(|w| 1.01 * sums(&x, w).1).collect();
        if model.has_probabilities() {
            outputs = of_probabilities(&outputs, u);
        }
        Self { outputs, out_of_range }
    }
}

/// How far probabilities may be off, given how far scores are. The derivative of a probability p by its score
/// is p (1 - p), at most 1/4, and by all others together as much. Softmax itself rounds: for n classes, each
/// difference x to the largest score (which changes p by p times x and by p times the mean of x, at most
/// 1 + ln n), an exponential in numerator and sum, the n terms of the sum and the quotient.
fn of_probabilities(scores: &[f64], u: f64) -> Vec<f64> {
    let n = scores.len() as f64;
    let own = u * (1.0 + n.ln() + 2.0 * EXP + n + 1.0);
    let bound = |class: usize| {
        let others = scores.iter().enumerate().filter(|(k, _)| *k != class).map(|(_, e)| *e);
        let by_scores = (scores[class] + others.fold(0.0, f64::max)) / 4.0;
        // A NaN as much as possible.
        if by_scores < 1.0 { by_scores + own } else { 1.0 + own }
    };
    (0..scores.len()).map(bound).collect()
}
