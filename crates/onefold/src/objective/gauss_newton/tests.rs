use super::*;
use crate::rng::{Purpose, Rng};
use crate::{Builtin, CostSettings, Dataset, Evaluations, NetworkCost, Objective, Population, Request};

fn cases() -> Vec<(Dataset, Topology)> {
    [
        (Builtin::Sinc, "1-5-1"),
        (Builtin::Sinc2d, "2-3-1-3-1"),
        (Builtin::Iris, "4-3-3"),
        (Builtin::Balance, "4-5-2-3-5-3"),
        (Builtin::TwoSpirals, "2-4-4-2"),
        (Builtin::Sinc2d, "2-4-1+linear"),
        (Builtin::Iris, "4-3-2-3+linear"),
    ]
    .map(|(builtin, topology)| (builtin.load(&Default::default()).unwrap().train, topology.parse().unwrap()))
    .to_vec()
}

fn point(dim: usize, seed: u64) -> Vec<f64> {
    let mut rng = Rng::stream(seed, Purpose::Start, 0, 0);
    (0..dim).map(|_| 0.6 * rng.between(-1.0, 1.0)).collect()
}

#[test]
fn half_gradients_are_those_of_the_cost() {
    for (data, topology) in cases() {
        let samples = Samples::new(&data);
        for (bias, decay) in [(false, 0.0), (true, 0.0), (true, 1e-2)] {
            let mut s = GaussNewton::new(Isa::detect(), &topology, &samples, bias, decay).unwrap();
            let theta = point(topology.dim(), 5);
            let mut slopes = Slopes::default();
            s.cost(&topology, &theta);
            s.slopes(&topology, &theta, &mut slopes);
            let largest = slopes.half_gradient.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            for i in 0..theta.len() {
                let mut at = |h: f64| {
                    let mut x = theta.clone();
                    x[i] += h;
                    s.cost(&topology, &x)
                };
                let h = 1e-5;
                let difference = (at(h) - at(-h)) / (4.0 * h);
                let error = (slopes.half_gradient[i] - difference).abs();
                assert!(
                    error < 1e-4 * largest,
                    "{topology} {bias} {i}: {} {difference}",
                    slopes.half_gradient[i]
                );
            }
        }
    }
}

#[test]
fn matrices_are_those_of_kaufmans_jacobian() {
    // Kaufman's Jacobian by finite differences: residuals with fixed output weights, then projected.
    let (data, topology) = &cases()[2];
    let samples = Samples::new(data);
    let mut s = GaussNewton::new(Isa::detect(), topology, &samples, true, 0.0).unwrap();
    let theta = point(topology.dim(), 6);
    let mut slopes = Slopes::default();
    s.cost(topology, &theta);
    let weights = s.weights(3);
    s.slopes(topology, &theta, &mut slopes);
    let (rows, dim) = (data.rows(), topology.dim());
    let hidden = |theta: &[f64]| -> Vec<Vec<f64>> {
        let unit = |n: usize| vec![(0..3).map(|k| f64::from(u8::from(k == n))).collect::<Vec<f64>>()];
        let column = |n: usize| {
            let readout = unit(n);
            let plain = crate::network::Plain {
                topology,
                hidden: theta,
                readout: &readout,
                activation: crate::activation::OutputActivation::Identity,
            };
            (0..rows).map(|r| plain.outputs(data.input(r))[0]).collect()
        };
        (0..3).map(column).chain([vec![1.0; rows]]).collect()
    };
    let columns = nalgebra::DMatrix::from_fn(rows, 4, |r, c| hidden(&theta)[c][r]);
    let q = columns.qr().q();
    let mut expected = vec![0.0; dim * dim];
    for weights in &weights {
        let jacobian = nalgebra::DMatrix::from_columns(
            &(0..dim)
                .map(|i| {
                    let at = |h: f64| {
                        let mut x = theta.clone();
                        x[i] += h;
                        let columns = hidden(&x);
                        nalgebra::DVector::from_fn(rows, |r, _| {
                            (0..3).map(|c| weights[c] * columns[c][r]).sum::<f64>()
                        })
                    };
                    let derivative = (at(1e-5) - at(-1e-5)) / 2e-5;
                    &derivative - &q * (q.transpose() * &derivative)
                })
                .collect::<Vec<_>>(),
        );
        let product = jacobian.transpose() * &jacobian / (rows as f64 * 3.0);
        expected.iter_mut().zip(product.iter()).for_each(|(e, p)| *e += p);
    }
    let largest = expected.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for (found, expected) in slopes.matrix.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-6 * largest, "{found} {expected}");
    }
}

#[test]
fn slopes_are_the_same_on_every_instruction_set() {
    for (data, topology) in cases() {
        let samples = Samples::new(&data);
        let run = |isa: Isa| {
            let mut s = GaussNewton::new(isa, &topology, &samples, true, 0.0).unwrap();
            let theta = point(topology.dim(), 7);
            let mut slopes = Slopes::default();
            let cost = s.cost(&topology, &theta);
            s.slopes(&topology, &theta, &mut slopes);
            (cost.to_bits(), slopes)
        };
        let all: Vec<_> = Isa::available().into_iter().map(run).collect();
        assert!(all.iter().all(|other| *other == all[0]), "{topology}");
    }
}

#[test]
fn costs_with_a_ridge_are_no_lower_than_without_and_hardly_higher() {
    for (data, topology) in cases() {
        let mut cost = NetworkCost::new(topology.clone(), &data, &CostSettings::default()).unwrap();
        cost.prepare_slopes(Derivatives::Matrix).unwrap();
        let mut population = Population::new(1, topology.dim());
        population.row_mut(0).copy_from_slice(&point(topology.dim(), 8));
        let without = cost.costs(&population)[0];
        let request = |above| Request {
            candidates: &population,
            cutoffs: &[f64::INFINITY],
            slopes: Some(above),
            halvings: 0,
        };
        let at_the_end = cost.answer(&request(f64::INFINITY));
        assert!(at_the_end.slopes[0].matrix.is_empty(), "no slopes where the search ends");
        let Evaluations { costs, slopes, .. } = cost.answer(&request(0.0));
        assert!(!slopes[0].matrix.is_empty());
        assert!(costs[0] >= without * (1.0 - 1e-9) && costs[0] <= without * 1.01, "{costs:?} {without}");
        assert!(cost.cost_of_slopes() > 1.0);
    }
}
