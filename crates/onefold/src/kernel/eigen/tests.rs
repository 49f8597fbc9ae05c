use super::*;
use crate::kernel::Isa;
use crate::rng::{Purpose, Streams};
use nalgebra::DMatrix;

/// A symmetric matrix with eigenvalues over many orders of magnitude, some of them equal.
fn example(n: usize, kind: usize) -> Vec<f64> {
    let mut rng = Streams::new(n as u64, Purpose::Data, kind as u64).of(0);
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            matrix[i * n + j] = match kind {
                0 => rng.normal(),
                1 => f64::from(u8::from(i == j)),
                2 => 0.0,
                3 => rng.normal() * libm::exp(-(i as f64) - j as f64),
                4 => 1e200 * rng.normal(),
                5 => 1e-200 * rng.normal(),
                _ => f64::from(u8::from(i + j == n - 1)),
            };
        }
    }
    matrix
}

#[test]
fn gives_the_matrix_back_and_agrees_with_nalgebra_on_every_instruction_set() {
    for n in (1..=20).chain([31, 32, 33, 40, 64]) {
        for kind in 0..7 {
            let matrix = example(n, kind);
            let full = DMatrix::from_fn(n, n, |i, j| matrix[i.max(j) * n + i.min(j)]);
            let size = full.amax().max(f64::MIN_POSITIVE);
            let mut expected: Vec<f64> = (&full / size).symmetric_eigenvalues().iter().copied().collect();
            expected.sort_by(f64::total_cmp);
            let mut first: Option<(Vec<f64>, Vec<f64>)> = None;
            for isa in Isa::available() {
                let (mut values, mut vectors) = (vec![0.0; n], vec![0.0; n * n]);
                assert!(eigen(isa, &matrix, &mut values, &mut vectors, &mut EigenWork::default()));
                let q = DMatrix::from_column_slice(n, n, &vectors);
                let unit = (q.transpose() * &q - DMatrix::identity(n, n)).amax();
                assert!(unit < 1e-13, "{n} {kind} {unit}");
                let scaled = DMatrix::from_fn(n, n, |i, j| if i == j { values[i] / size } else { 0.0 });
                let back = (&q * scaled * q.transpose() - &full / size).amax();
                assert!(back < 1e-13 * n as f64, "{n} {kind} {back}");
                let mut sorted: Vec<f64> = values.iter().map(|v| v / size).collect();
                sorted.sort_by(f64::total_cmp);
                for (a, b) in sorted.iter().zip(&expected) {
                    assert!((a - b).abs() < 1e-13 * n as f64, "{n} {kind} {a} {b}");
                }
                let result = (values, vectors);
                assert_eq!(first.get_or_insert_with(|| result.clone()), &result, "{n} {kind}");
            }
        }
    }
}

#[test]
fn refuses_what_is_not_finite() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut matrix = example(5, 0);
        matrix[7 * 5 / 3] = bad;
        assert!(!eigen(Isa::detect(), &matrix, &mut [0.0; 5], &mut [0.0; 25], &mut EigenWork::default()));
    }
}
