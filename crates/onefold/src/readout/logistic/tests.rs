use super::*;
use crate::resources::pool;
use crate::rng::{Purpose, Rng};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Random columns, and classes that depend on them, on chance, or on both.
fn problem(rows: usize, columns: usize, count: usize, noise: f64) -> (Vec<Vec<f64>>, Vec<usize>) {
    let mut rng = Rng::stream(7, Purpose::Data, count as u64, rows);
    let columns: Vec<Vec<f64>> =
        (0..columns).map(|_| (0..rows).map(|_| rng.between(-1.0, 1.0)).collect()).collect();
    let class = |i: usize| {
        let sum: f64 = columns.iter().enumerate().map(|(j, c)| (j as f64 - 1.0) * c[i]).sum();
        let shifted = sum + noise * rng.between(-1.0, 1.0);
        (f64::midpoint(shifted, 1.0) * count as f64).clamp(0.0, count as f64 - 1.0) as usize
    };
    let classes = (0..rows).map(class).collect();
    (columns, classes)
}

fn regression<'a>(
    rows: &'a Logistic<'a>,
    is_over: &'a (dyn Fn() -> bool + Sync),
) -> Regression<'a, Logistic<'a>> {
    Regression {
        rows,
        count: rows.count,
        bias: true,
        penalty: rows.penalty,
        pool: None,
        least_gradient: PRECISE,
        is_over,
    }
}

#[test]
fn the_gradient_vanishes_at_the_solution_and_is_that_of_the_cost() {
    for (rows, size, count, noise, penalty) in
        [(60, 3, 2, 1.0, 1e-3), (200, 5, 4, 0.5, 1e-6), (150, 4, 3, 0.0, 1e-5), (40, 30, 3, 1.0, 1e-2)]
    {
        let (columns, classes) = problem(rows, size, count, noise);
        let rows = &Logistic { columns: &columns, classes: &classes, count, penalty, of_rows: None };
        let logistic = regression(rows, &|| false);
        let weights: Vec<f64> = logistic.solve(None).unwrap().weights.concat();
        let mut gradient = vec![0.0; weights.len()];
        let least = logistic.cost(&weights, &mut gradient).unwrap();
        assert!(gradient.iter().all(|g| g.abs() < 1e-5), "{gradient:?}");
        let mut rng = Rng::stream(1, Purpose::Start, 0, 0);
        let other: Vec<f64> = weights.iter().map(|w| w + rng.between(-0.3, 0.3)).collect();
        let cost = logistic.cost(&other, &mut gradient).unwrap();
        assert!(cost > least);
        let mut unused = vec![0.0; weights.len()];
        for i in 0..weights.len() {
            let mut moved = |by: f64| {
                let mut moved = other.clone();
                moved[i] += by;
                logistic.cost(&moved, &mut unused).unwrap()
            };
            let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((difference - gradient[i]).abs() < 1e-8, "{difference} {}", gradient[i]);
        }
    }
}

#[test]
fn without_columns_the_probabilities_are_the_shares_of_the_classes() {
    let classes = [0, 0, 0, 1, 2, 2];
    let logistic = Logistic { columns: &[], classes: &classes, count: 3, penalty: 1e-3, of_rows: None };
    let biases: Vec<f64> = regression(&logistic, &|| false).solve(None).unwrap().weights.concat();
    let sum: f64 = biases.iter().map(|b| b.exp()).sum();
    for (bias, share) in biases.iter().zip([0.5, 1.0 / 6.0, 1.0 / 3.0]) {
        assert!((bias.exp() / sum - share).abs() < 1e-6, "{biases:?}");
    }
}

#[test]
fn rough_weights_from_any_start_have_nearly_the_least_cost() {
    let (columns, classes) = problem(200, 5, 4, 0.5);
    let logistic = Logistic { columns: &columns, classes: &classes, count: 4, penalty: 1e-4, of_rows: None };
    let precise = regression(&logistic, &|| false);
    let cost = |weights: Vec<Vec<f64>>| precise.cost(&weights.concat(), &mut [0.0; 24]).unwrap();
    let least = cost(precise.solve(None).unwrap().weights);
    for start in [0.0, 1.0, -3.0] {
        let rough = cost(logistic.solve(&vec![vec![start; 6]; 4]).unwrap());
        assert!(rough >= least && rough < least * (1.0 + 1e-3), "{rough} {least}");
    }
}

#[test]
fn collinear_columns_and_separable_classes_have_finite_weights() {
    let column: Vec<f64> = (0..20).map(|i| f64::from(i) - 9.5).collect();
    let columns = vec![column.clone(), column.clone(), vec![1.0; 20]];
    let classes: Vec<usize> = column.iter().map(|x| usize::from(*x > 0.0)).collect();
    let logistic = Logistic { columns: &columns, classes: &classes, count: 2, penalty: 1e-6, of_rows: None };
    let weights = regression(&logistic, &|| false).solve(None).unwrap().weights;
    assert!(weights.concat().iter().all(|w| w.is_finite()));
    assert!(weights[1][0] > weights[0][0]);
    let columns = vec![vec![f64::NAN; 20]];
    let broken = Logistic { columns: &columns, ..logistic };
    assert!(regression(&broken, &|| false).solve(None).is_err());
}

#[test]
fn the_weights_have_the_same_bits_on_any_number_of_threads_and_with_or_without_bias() {
    let (columns, classes) = problem(5000, 4, 3, 0.7);
    let rows = &Logistic { columns: &columns, classes: &classes, count: 3, penalty: 1e-4, of_rows: None };
    for bias in [true, false] {
        let bits = |threads: usize| -> Vec<u64> {
            let pool = pool(threads);
            let logistic = Regression { bias, pool: pool.as_ref(), ..regression(rows, &|| false) };
            let fitted = logistic.solve(None).unwrap();
            assert!(fitted.is_complete && fitted.weights.iter().all(|w| w.len() == 4 + usize::from(bias)));
            fitted.weights.iter().flatten().map(|w| w.to_bits()).collect()
        };
        assert_eq!(bits(1), bits(2));
        assert_eq!(bits(1), bits(3));
    }
}

/// The minimum does not depend on where the descent begins, also at weights that are far too large.
#[test]
fn all_starts_lead_to_the_same_minimum() {
    let (columns, classes) = problem(300, 5, 3, 0.5);
    let rows = &Logistic { columns: &columns, classes: &classes, count: 3, penalty: 1e-3, of_rows: None };
    let logistic = regression(rows, &|| false);
    let expected = logistic.solve(None).unwrap().weights.concat();
    let mut rng = Rng::stream(2, Purpose::Start, 0, 0);
    for size in [0.1, 3.0, 1e3, 1e200, f64::INFINITY] {
        let start: Vec<Vec<f64>> =
            (0..3).map(|_| (0..6).map(|_| size * rng.between(-1.0, 1.0)).collect()).collect();
        let found = logistic.solve(Some(&start)).unwrap().weights.concat();
        for class in 1..3 {
            for i in 0..6 {
                let of = |w: &[f64]| w[6 * class + i] - w[i];
                assert!((of(&found) - of(&expected)).abs() < 1e-3, "{size}: {found:?} {expected:?}");
            }
        }
    }
}

/// Whenever it is ended, the weights so far are the start or cost less, and the later, the less.
#[test]
fn a_descent_that_is_ended_keeps_the_weights_so_far() {
    let (columns, classes) = problem(3000, 5, 3, 0.5);
    let rows = &Logistic { columns: &columns, classes: &classes, count: 3, penalty: 1e-6, of_rows: None };
    let start = vec![vec![0.01; 6]; 3];
    let whole = regression(rows, &|| false);
    let cost = |weights: &[Vec<f64>]| whole.cost(&weights.concat(), &mut [0.0; 18]).unwrap();
    let mut before = cost(&start);
    for parts in 0..60 {
        let polls = AtomicUsize::new(0);
        let is_over = || polls.fetch_add(1, Ordering::Relaxed) >= parts;
        let fitted = regression(rows, &is_over).solve(Some(&start)).unwrap();
        assert_eq!(fitted.weights.len(), 3);
        let now = cost(&fitted.weights);
        assert!(!fitted.is_complete || parts > 9);
        assert!(now <= before, "{parts} parts: {now} after {before}");
        before = now;
    }
}

#[test]
fn a_weight_is_as_good_as_repetitions() {
    let (columns, classes) = problem(1500, 3, 3, 0.8);
    let weights: Vec<f64> = (0..1500).map(|i| f64::from(1 + i * i % 3)).collect();
    let repeated: Vec<usize> = (0..1500).flat_map(|i| vec![i; weights[i] as usize]).collect();
    let more: Vec<Vec<f64>> = columns.iter().map(|c| repeated.iter().map(|i| c[*i]).collect()).collect();
    let of_more: Vec<usize> = repeated.iter().map(|i| classes[*i]).collect();
    let solve = |columns: &[Vec<f64>], classes: &[usize], of_rows: Option<&[f64]>| {
        let rows = &Logistic { columns, classes, count: 3, penalty: 1e-4, of_rows };
        let regression = regression(rows, &|| false);
        let mut gradient = vec![0.0; 12];
        let at: Vec<f64> = (0..12).map(|i| f64::from(i) / 6.0 - 1.0).collect();
        let cost = regression.cost(&at, &mut gradient).unwrap();
        let products = regression.factor(regression.products().unwrap()).unwrap();
        let solved = regression.solve(None).unwrap().weights.concat();
        [vec![cost], gradient, products, solved]
    };
    let found = solve(&columns, &classes, Some(&weights));
    // Only ratios of weights matter.
    let half: Vec<f64> = weights.iter().map(|w| w / 2.0).collect();
    for expected in [solve(&more, &of_more, None), solve(&columns, &classes, Some(&half))] {
        for (found, expected) in found.iter().zip(&expected) {
            for (a, b) in found.iter().zip(expected) {
                assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} {b}");
            }
        }
    }
}
