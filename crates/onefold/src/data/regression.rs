//! The paper's four regression problems: uniform inputs, normal noise.

use super::builtin::{Rows, Set};
use super::{Builtin, Dataset};
use crate::rng::{Purpose, Streams};

/// `f(x)` of the paper's table 1.
type Formula = fn(&[f64]) -> f64;

/// A set that is generated from a formula of one or two inputs, with the paper's threshold.
const fn generated(
    name: &'static str,
    hidden: &'static str,
    function: Formula,
    inputs: usize,
    stream: u64,
) -> Set {
    let rows = Rows::Generated { function, inputs, stream };
    Set { name, description: "", threshold: 5e-5, hidden, variant_of: None, rows }
}

pub(super) const SYN5: Set =
    Set { description: "(x+0.5)² (0.1+(x-0.65)²) with noise", ..generated("syn5", "3", syn5, 1, 0) };
pub(super) const SYN5_PRINTED: Set = Set {
    description: "(x+0.5)² (0.1+(x+0.65)²) with noise, as the paper prints it",
    variant_of: Some(Builtin::Syn5),
    ..generated("syn5-printed", "3", syn5_printed, 1, 0)
};
pub(super) const SINC: Set =
    Set { description: "sin(10x) / (10x) with noise", ..generated("sinc", "5", sinc, 1, 2) };
pub(super) const INCSINC: Set =
    Set { description: "x/2 + sin(10x) / (10x) with noise", ..generated("incsinc", "5", incsinc, 1, 4) };
pub(super) const SINC2D: Set = Set {
    description: "sin(5r) / (15r), r² = x1² + x2², with noise",
    ..generated("sinc2d", "3-1-3", sinc2d, 2, 6)
};

/// With a minus where the paper prints a plus: this stays in [-1, 1], as the paper says of its functions,
/// and gives its numbers.
fn syn5(x: &[f64]) -> f64 {
    (x[0] + 0.5).powi(2) * (0.1 + (x[0] - 0.65).powi(2))
}

fn syn5_printed(x: &[f64]) -> f64 {
    (x[0] + 0.5).powi(2) * (0.1 + (x[0] + 0.65).powi(2))
}

fn sinc(x: &[f64]) -> f64 {
    sin_by(10.0 * x[0])
}

fn incsinc(x: &[f64]) -> f64 {
    x[0] / 2.0 + sinc(x)
}

fn sinc2d(x: &[f64]) -> f64 {
    sin_by(5.0 * (x[0] * x[0] + x[1] * x[1]).sqrt()) / 3.0
}

/// `sin(z) / z`, which is 1 at 0.
fn sin_by(z: f64) -> f64 {
    if z == 0.0 { 1.0 } else { libm::sin(z) / z }
}

/// `rows` samples of `f` on `[-1, 1]^dim` with noise of this standard deviation.
///
/// Each row has a random stream of its own: more rows leave the first ones as they were, and the noise
/// scales without moving the inputs.
pub(super) fn generate(f: Formula, dim: usize, rows: usize, noise: f64, seed: u64, part: u64) -> Dataset {
    let mut inputs = vec![Vec::with_capacity(rows); dim];
    let mut output = Vec::with_capacity(rows);
    let streams = Streams::new(seed, Purpose::Data, part);
    for row in 0..rows {
        let mut rng = streams.long(row);
        let x: Vec<f64> = (0..dim).map(|_| rng.between(-1.0, 1.0)).collect();
        output.push(f(&x) + noise * rng.normal());
        inputs.iter_mut().zip(x).for_each(|(column, v)| column.push(v));
    }
    let names = if dim == 1 { vec!["x".to_string()] } else { (1..=dim).map(|i| format!("x{i}")).collect() };
    Dataset {
        inputs: inputs.into_iter().map(Into::into).collect(),
        outputs: vec![output],
        input_names: names,
        output_names: vec!["y".into()],
        classification: false,
        weights: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_at_known_points() {
        assert!((sinc(&[0.0]) - 1.0).abs() < 1e-15);
        assert!((sinc(&[0.1]) - 1.0_f64.sin()).abs() < 1e-15);
        assert!((incsinc(&[0.1]) - 0.05 - 1.0_f64.sin()).abs() < 1e-15);
        assert!((sinc2d(&[0.0, 0.0]) - 1.0 / 3.0).abs() < 1e-15);
        let r = 0.5_f64.sqrt();
        assert!((sinc2d(&[0.5, -0.5]) - (5.0 * r).sin() / (15.0 * r)).abs() < 1e-15);
        assert!(syn5(&[-0.5]).abs() < 1e-15);
        assert!((syn5(&[0.5]) - (0.1 + 0.15 * 0.15)).abs() < 1e-15);
        assert!(syn5_printed(&[-0.5]).abs() < 1e-15);
        assert!((syn5_printed(&[0.5]) - (0.1 + 1.15 * 1.15)).abs() < 1e-15);
    }

    /// The paper: "defined over x in [-1,1]^d and map to [-1,1]". Incsinc reaches 1.004.
    #[test]
    fn only_the_printed_syn5_leaves_the_stated_interval() {
        let at = |i: i32| f64::from(i) / 100.0 - 1.0;
        let grid: Vec<[f64; 2]> = (0..=200).flat_map(|i| (0..=200).map(move |j| [at(i), at(j)])).collect();
        let largest = |f: Formula| grid.iter().map(|x| f(x).abs()).fold(0.0, f64::max);
        assert!([syn5, sinc, incsinc, sinc2d].into_iter().all(|f| largest(f) <= 1.004));
        assert!((largest(syn5_printed) - 6.350_625).abs() < 1e-9);
    }

    #[test]
    fn noise_has_the_stated_deviation_and_rows_are_stable() {
        let many = generate(sinc, 1, 20_000, 5e-3, 1, 0);
        let error: Vec<f64> = (0..many.rows()).map(|r| many.outputs[0][r] - sinc(&many.input(r))).collect();
        let variance = error.iter().map(|e| e * e).sum::<f64>() / error.len() as f64;
        assert!((variance.sqrt() / 5e-3 - 1.0).abs() < 0.02);
        assert!(many.inputs[0].iter().all(|x| (-1.0..1.0).contains(x)));
        let few = generate(sinc, 1, 10, 5e-3, 1, 0);
        assert_eq!(few.inputs[0], many.inputs[0][..10]);
        let silent = generate(sinc, 1, 10, 0.0, 1, 0);
        assert_eq!(few.inputs, silent.inputs);
        assert_ne!(few.inputs, generate(sinc, 1, 10, 5e-3, 2, 0).inputs);
        assert_ne!(few.inputs, generate(sinc, 1, 10, 5e-3, 1, 1).inputs);
    }
}
