//! How far an exported network may be from the model: a running error analysis of one forward pass.

use onefold::Model;
use onefold::export::Precision;

/// Error of any `tanh` in use, ours and theirs together, in units of roundoff.
const TANH: f64 = 8.0;

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
        let outputs = model.readout().iter().map(|w| 1.01 * sums(&x, w).1).collect();
        Self { outputs, out_of_range }
    }
}
