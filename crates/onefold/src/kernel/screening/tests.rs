use super::quadrature::{LEAST_DEGREE, approximation_errors};
use super::subset::{Found, Samples, Work, solve};
use crate::kernel::{Block, Isa, Layer, Shape, WIDTH};
use crate::oracle;
use crate::rng::{Purpose, Rng};

/// A network with these layers, inputs first.
fn shape(widths: &[usize], bias: bool) -> Shape {
    let mut hidden: Vec<Layer> = Vec::new();
    for pair in widths[..widths.len() - 1].windows(2) {
        let start = hidden.last().map_or(0, |layer| layer.parameters.end);
        hidden.push(Layer { neurons: pair[1], parameters: start..start + (pair[0] + 1) * pair[1] });
    }
    Shape { inputs: widths[0], hidden, outputs: widths[widths.len() - 1], bias }
}

/// Outputs of the last hidden layer in plain arithmetic.
fn hidden_outputs(shape: &Shape, theta: &[f64], input: &[f64]) -> Vec<f64> {
    shape.hidden.iter().fold(input.to_vec(), |x, layer| {
        let neurons = theta[layer.parameters.clone()].chunks(x.len() + 1);
        neurons
            .map(|eta| eta.iter().zip(x.iter().chain([&1.0])).map(|(w, x)| w * x).sum::<f64>().tanh())
            .collect()
    })
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Eight networks and a few samples for them.
fn eight_networks(shape: &Shape, rows: usize) -> (Samples, Work, Vec<Vec<f64>>) {
    let mut rng = Rng::stream(11, Purpose::Data, 0, 0);
    let mut numbers = |n: usize| (0..n).map(|_| rng.between(-1.0, 1.0)).collect::<Vec<f64>>();
    let samples =
        Samples { rows, inputs: numbers(rows * shape.inputs), targets: numbers(rows * shape.outputs) };
    let mut work = Work::new(shape, &samples);
    let candidates: Vec<Vec<f64>> = (0..WIDTH).map(|_| numbers(shape.dim())).collect();
    work.load(&std::array::from_fn(|lane| candidates[lane].as_slice()));
    (samples, work, candidates)
}

#[test]
fn the_subset_kernel_solves_the_least_squares_problem_of_each_candidate() {
    let networks: [(&[usize], bool); 4] =
        [(&[1, 5, 1], false), (&[2, 3, 1, 3, 2], true), (&[4, 3, 3], false), (&[2, 2, 4, 3, 1], true)];
    for (widths, bias) in networks {
        let shape = shape(widths, bias);
        let (samples, mut work, candidates) = eight_networks(&shape, 20);
        let found: Vec<Found> =
            Isa::available().into_iter().map(|isa| solve(isa, &shape, &samples, &mut work)).collect();
        for other in &found[1..] {
            assert_eq!(bits(&*other.squares), bits(&*found[0].squares), "{widths:?}");
            assert_eq!(bits(&*other.least_share), bits(&*found[0].least_share), "{widths:?}");
        }
        for (lane, theta) in candidates.iter().enumerate() {
            let rows = samples.inputs.chunks(shape.inputs);
            let outputs: Vec<Vec<f64>> = rows.map(|x| hidden_outputs(&shape, theta, x)).collect();
            let mut columns: Vec<Vec<f64>> =
                (0..shape.last_hidden()).map(|n| outputs.iter().map(|row| row[n]).collect()).collect();
            if bias {
                columns.push(vec![1.0; 20]);
            }
            let targets: Vec<Vec<f64>> = samples.targets.chunks(20).map(<[f64]>::to_vec).collect();
            let exact = oracle::least_squares(&columns, &targets);
            let error = 1e-14 * targets.concat().iter().map(|y| y * y).sum::<f64>()
                / found[0].least_share[lane].sqrt();
            assert!(
                (found[0].squares[lane] - exact).abs() < error,
                "{widths:?} {lane}: {} {exact}",
                found[0].squares[lane]
            );
        }
    }
}

#[test]
fn the_subset_kernel_reports_collinear_columns() {
    let shape = shape(&[1, 2, 1], false);
    let (samples, mut work, _) = eight_networks(&shape, 12);
    // Both neurons equal in lane 3, a neuron without input or shift in lane 5, NaN in lane 6.
    for i in 0..2 {
        work.parameters[i + 2][3] = work.parameters[i][3];
        work.parameters[i][5] = 0.0;
    }
    work.parameters[0][6] = f64::NAN;
    let found = solve(Isa::detect(), &shape, &samples, &mut work);
    assert!(
        found.least_share[3] < 1e-25
            && found.least_share[5].to_bits() == 0
            && found.least_share[6].to_bits() == 0
    );
    assert!(found.least_share[0] > 1e-6);
}

/// The largest error that a Chebyshev series of `f`, cut off before `degree`, leaves on a grid.
fn error_of_series(f: impl Fn(f64) -> f64, degree: usize) -> f64 {
    use std::f64::consts::PI;
    const POINTS: usize = 512;
    let angles: Vec<f64> = (0..POINTS).map(|k| PI * (k as f64 + 0.5) / POINTS as f64).collect();
    let coefficients: Vec<f64> = (0..degree)
        .map(|j| {
            let sum: f64 = angles.iter().map(|a| f(a.cos()) * (j as f64 * a).cos()).sum();
            sum * if j == 0 { 1.0 } else { 2.0 } / POINTS as f64
        })
        .collect();
    let at = |a: f64| coefficients.iter().enumerate().map(|(j, c)| c * (j as f64 * a).cos()).sum::<f64>();
    angles.iter().map(|a| (f(a.cos()) - at(*a)).abs()).fold(0.0, f64::max)
}

#[test]
fn the_distance_of_neurons_from_polynomials_is_within_its_bound() {
    let mut rng = Rng::stream(4, Purpose::Data, 0, 0);
    let (center, half) = (0.3, 2.0);
    let mut worst: f64 = f64::INFINITY;
    for _ in 0..40 {
        let neurons: [(f64, f64); 8] =
            std::array::from_fn(|_| (rng.between(-1.99, 1.99), rng.between(-4.0, 4.0)));
        let parameters = [Block(neurons.map(|(w, _)| w)), Block(neurons.map(|(_, b)| b))];
        for isa in Isa::available() {
            let errors = approximation_errors(isa, &parameters, center, half, LEAST_DEGREE);
            for ((w, b), error) in neurons.into_iter().zip(*errors) {
                let truth = error_of_series(|u| (w * (center + half * u) + b).tanh(), LEAST_DEGREE);
                let bound = error.sqrt();
                // Sums of 512 terms have errors of their own.
                assert!(truth <= bound + 1e-14, "{w} {b}: {truth} above {bound}");
                if truth > 1e-9 {
                    worst = worst.min(truth / bound);
                }
            }
        }
    }
    assert!(worst > 0.01, "the bound is too loose: {worst}");
    let beyond = approximation_errors(Isa::detect(), &[Block::splat(2.1), Block::ZERO], center, half, 32);
    assert!(beyond.iter().all(|error| *error > 1e6));
}
