use super::*;
use crate::kernel::WIDTH;
use crate::oracle;
use crate::rng::{Purpose, Rng};
use nalgebra::DMatrix;

/// Residual and solution of the readout for these columns and targets.
fn solve(columns: &[Vec<f64>], targets: &[Vec<f64>], tolerance: f64) -> (f64, Solution) {
    let rows = targets[0].len();
    let blocks = rows.div_ceil(WIDTH);
    let mut readout = Readout::new(Isa::detect(), tolerance, blocks, columns.len(), targets.len());
    let (a, b) = readout.fill();
    for (list, to) in [(columns, a), (targets, b)] {
        to.fill(Block::ZERO);
        for (column, run) in list.iter().zip(to.chunks_exact_mut(blocks)) {
            column.iter().enumerate().for_each(|(i, v)| run[i / WIDTH][i % WIDTH] = *v);
        }
    }
    let residual = readout.residual();
    let mut squares = vec![f64::NAN; rows];
    readout.squared_residuals(&mut squares);
    if residual.is_finite() {
        let sum: f64 = squares.iter().sum();
        assert!((sum - residual).abs() <= 1e-9 * total(targets), "{sum} {residual}");
    }
    (residual, readout.solve())
}

/// Least sum of squares over the columns with nonzero weight, by singular values, all of them kept.
fn svd_residual(columns: &[Vec<f64>], kept: &[usize], targets: &[Vec<f64>]) -> f64 {
    let rows = targets[0].len();
    // Columns are brought to unit length: that changes no span, and the threshold below then means the same
    // for all.
    let unit = |j: usize| columns[j].iter().map(|v| v * v).sum::<f64>().sqrt();
    let a = DMatrix::from_fn(rows, kept.len(), |i, j| columns[kept[j]][i] / unit(kept[j]));
    let y = DMatrix::from_fn(rows, targets.len(), |i, j| targets[j][i]);
    let u = a.svd(true, false).u.unwrap();
    (&y - &u * (u.transpose() * &y)).norm_squared()
}

fn total(targets: &[Vec<f64>]) -> f64 {
    targets.iter().flatten().map(|v| v * v).sum()
}

fn random_targets(rng: &mut Rng, rows: usize, count: usize) -> Vec<Vec<f64>> {
    (0..count).map(|_| (0..rows).map(|_| rng.between(-1.0, 1.0)).collect()).collect()
}

/// Outputs of a last layer behind a bottleneck of one neuron: functions of a single number, and nearly
/// collinear.
fn bottleneck(rng: &mut Rng, rows: usize, width: usize, spread: f64) -> Vec<Vec<f64>> {
    let s: Vec<f64> = (0..rows).map(|_| rng.between(-1.0, 1.0)).collect();
    (0..width)
        .map(|_| {
            let (w, shift) = (1.0 + spread * rng.between(-1.0, 1.0), spread * rng.between(-1.0, 1.0));
            s.iter().map(|s| (w * s + shift).tanh()).collect()
        })
        .collect()
}

/// What must hold for the readout of every problem.
fn check(columns: &[Vec<f64>], targets: &[Vec<f64>], tolerance: f64) {
    let (residual, solution) = solve(columns, targets, tolerance);
    let all = total(targets);
    // 1. Never less than the exact minimum over all columns, beyond rounding amplified by the conditioning
    //    that the tolerance admits.
    let exact = oracle::least_squares(columns, targets);
    let rounding = all * (1e-13 + 2e-15 / tolerance.sqrt());
    assert!(residual >= exact - rounding, "{residual:e} is below the minimum {exact:e}");
    // 2. Equal to singular values at the same rank, on the kept columns.
    let kept: Vec<usize> =
        (0..columns.len()).filter(|j| solution.weights.iter().any(|row| row[*j] != 0.0)).collect();
    assert_eq!(kept.len(), solution.rank);
    if !kept.is_empty() {
        let svd = svd_residual(columns, &kept, targets);
        assert!((residual - svd).abs() <= rounding, "{residual:e} and {svd:e} at rank {}", solution.rank);
    }
    // 3. The weights belong to the cost.
    let mut plain = 0.0;
    for (target, row) in targets.iter().zip(&solution.weights) {
        for (i, y) in target.iter().enumerate() {
            plain += (y - columns.iter().zip(row).map(|(c, w)| c[i] * w).sum::<f64>()).powi(2);
        }
    }
    assert!((residual - plain).abs() <= rounding, "{residual:e} but the weights give {plain:e}");
    assert!(solution.rank == columns.len() || solution.least_share > tolerance);
}

#[test]
fn well_conditioned_problems() {
    let mut rng = Rng::stream(1, Purpose::Data, 0, 0);
    for (rows, columns, targets) in [(20, 3, 1), (200, 5, 1), (97, 10, 2), (13, 12, 3), (8, 1, 1)] {
        let h = random_targets(&mut rng, rows, columns);
        check(&h, &random_targets(&mut rng, rows, targets), 1e-13);
    }
}

#[test]
fn ill_conditioned_bottlenecks_never_have_too_low_a_cost() {
    let mut rng = Rng::stream(2, Purpose::Data, 0, 0);
    for trial in 0..60 {
        let spread = [1.0, 0.1, 1e-2, 1e-4, 1e-8][trial % 5];
        let columns = bottleneck(&mut rng, 97, 10, spread);
        let targets = random_targets(&mut rng, 97, 2);
        for tolerance in [1e-10, 1e-13, 1e-20, 1e-24] {
            check(&columns, &targets, tolerance);
        }
    }
}

#[test]
fn normal_equations_alone_would_fail() {
    // The problem that the tests above guard against is real: the same inputs break the Cholesky
    // factorisation.
    let mut rng = Rng::stream(2, Purpose::Data, 0, 0);
    let broken = (0..20).filter(|_| {
        let columns = bottleneck(&mut rng, 97, 10, 0.1);
        let a = DMatrix::from_fn(97, 10, |i, j| columns[j][i]);
        (a.transpose() * a).cholesky().is_none_or(|c| c.l().diagonal().iter().any(|d| *d < 1e-8))
    });
    assert!(broken.count() > 10);
}

#[test]
fn normal_equations_are_used_only_where_they_lose_nothing() {
    let mut rng = Rng::stream(6, Purpose::Data, 0, 0);
    let (mut fast, mut slow) = (0, 0);
    for trial in 0..300 {
        let columns = bottleneck(&mut rng, 97, 5, 10f64.powf(-2.5 * f64::from(trial) / 300.0) * 2.0);
        // Targets that the columns nearly explain, as at the end of a search.
        let weights: Vec<f64> = (0..5).map(|_| rng.between(-1e3, 1e3)).collect();
        let target: Vec<f64> = (0..97)
            .map(|i| columns.iter().zip(&weights).map(|(c, w)| c[i] * w).sum::<f64>() + 5e-3 * rng.normal())
            .collect();
        let mut readout = Readout::new(Isa::detect(), 1e-13, 13, 5, 1);
        let (a, b) = readout.fill();
        for (column, run) in columns.iter().chain([&target]).zip(a.chunks_exact_mut(13).chain([b])) {
            run.fill(Block::ZERO);
            column.iter().enumerate().for_each(|(i, v)| run[i / WIDTH][i % WIDTH] = *v);
        }
        let residual = readout.residual();
        let exact = oracle::least_squares(&columns, &[target]);
        if readout.well_conditioned.is_some() {
            fast += 1;
            assert!((residual / exact - 1.0).abs() < 1e-8, "{residual:e} {exact:e}");
        } else {
            slow += 1;
        }
    }
    assert!(fast > 50 && slow > 50, "{fast} {slow}");
}

#[test]
fn collinear_constant_saturated_and_zero_columns() {
    let mut rng = Rng::stream(3, Purpose::Data, 0, 0);
    let base = random_targets(&mut rng, 50, 2);
    let targets = random_targets(&mut rng, 50, 1);
    let scaled = |c: &[f64], f: f64| c.iter().map(|v| f * v).collect::<Vec<_>>();
    let twice = vec![base[0].clone(), scaled(&base[0], -3.0), base[1].clone(), scaled(&base[1], 1e-6)];
    let (residual, solution) = solve(&twice, &targets, 1e-13);
    assert_eq!(solution.rank, 2);
    assert!((residual - solve(&base, &targets, 1e-13).0).abs() < 1e-13);
    check(&twice, &targets, 1e-13);
    let constant = vec![vec![1.0; 50], vec![-1.0; 50], base[0].clone()];
    assert_eq!(solve(&constant, &targets, 1e-13).1.rank, 2);
    check(&constant, &targets, 1e-13);
    // Saturated but for one sample.
    let mut saturated = vec![vec![1.0; 50], vec![1.0; 50], vec![0.0; 50]];
    saturated[1][7] = 1.0 - 1e-5;
    assert_eq!(solve(&saturated, &targets, 1e-13).1.rank, 2); // a share of about 2e-12
    assert_eq!(solve(&saturated, &targets, 1e-10).1.rank, 1);
    check(&saturated, &targets, 1e-13);
    // A zero column.
    let (residual, solution) = solve(&[vec![0.0; 50]], &targets, 1e-13);
    assert_eq!((solution.rank, solution.weights[0][0].to_bits()), (0, 0.0_f64.to_bits()));
    assert!((residual - total(&targets)).abs() < 1e-13);
}

#[test]
fn fewer_samples_than_neurons() {
    let mut rng = Rng::stream(4, Purpose::Data, 0, 0);
    let columns = random_targets(&mut rng, 4, 7);
    let targets = random_targets(&mut rng, 4, 2);
    let (residual, solution) = solve(&columns, &targets, 1e-13);
    assert_eq!(solution.rank, 4);
    assert!(residual < 1e-20);
    check(&columns, &targets, 1e-13);
}

#[test]
fn a_nan_or_infinite_column_costs_infinity() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (residual, _) = solve(&[vec![0.5; 9], vec![bad; 9]], &[vec![1.0; 9]], 1e-13);
        assert!(residual.is_infinite());
    }
}

#[test]
fn the_rank_does_not_depend_on_the_order_of_columns() {
    let mut rng = Rng::stream(5, Purpose::Data, 0, 0);
    for _ in 0..20 {
        let mut columns = bottleneck(&mut rng, 97, 8, 0.3);
        let targets = random_targets(&mut rng, 97, 1);
        let (residual, solution) = solve(&columns, &targets, 1e-10);
        columns.reverse();
        let (reversed, other) = solve(&columns, &targets, 1e-10);
        assert_eq!(solution.rank, other.rank);
        assert!((residual - reversed).abs() < 1e-9 * residual);
    }
}

#[test]
fn tolerances_out_of_range() {
    for bad in [0.0, -1.0, 1.0, 1e-27, f64::NAN, f64::INFINITY] {
        assert!(check_tolerance(bad).is_err(), "{bad}");
    }
    assert!(check_tolerance(1e-26).is_ok());
}
