use super::*;
use crate::Builtin;
use crate::activation::OutputActivation;
use crate::data::Scaling;
use crate::network::Plain;
use crate::resources::pool;
use crate::rng::{Purpose, Rng};

/// Rows of three classes, more than one chunk of tiles.
fn many_rows() -> Dataset {
    let mut rng = Rng::stream(3, Purpose::Data, 0, 0);
    let inputs: Vec<Vec<f64>> = (0..3).map(|_| (0..5003).map(|_| rng.between(-2.0, 2.0)).collect()).collect();
    let class = |row: usize| (inputs[0][row] + inputs[1][row] * inputs[2][row]).abs().min(2.0) as usize;
    let of_class = |c: usize| (0..5003).map(|row| f64::from(u8::from(class(row) == c))).collect();
    let outputs = (0..3).map(of_class).collect();
    let inputs = inputs.into_iter().map(Into::into).collect();
    Dataset { inputs, outputs, classification: true, ..Dataset::default() }
}

fn cases() -> Vec<(Dataset, Topology)> {
    let iris = || Builtin::Iris.load(&Default::default()).unwrap().train;
    [
        (iris(), "4-3-3"),
        (iris(), "4-3-2-3+linear"),
        (iris(), "4-3+linear"),
        (many_rows(), "3-5-3"),
        (many_rows(), "3-4-3-3"),
    ]
    .map(|(data, topology)| (data, topology.parse().unwrap()))
    .to_vec()
}

fn point(topology: &Topology, bias: bool) -> Vec<f64> {
    let mut rng = Rng::stream(7, Purpose::Start, 0, 0);
    (0..topology.parameters(bias)).map(|_| rng.between(-1.5, 1.5)).collect()
}

/// The cost by plain forward passes, row by row.
fn expected(cost: &CrossEntropy<'_>, data: &Dataset, scaler: &Scaler, point: &[f64]) -> f64 {
    let (hidden, readout) = cost.network(point);
    let activation = OutputActivation::Softmax;
    let network = Plain { topology: &cost.topology, hidden: &hidden, readout: &readout, activation };
    let loss = |row: usize| {
        let probabilities = network.outputs(scaler.apply(&data.input(row)));
        let class = data.output(row).iter().position(|y| *y > 0.5).unwrap();
        -probabilities[class].ln()
    };
    let mut squares = 0.0;
    for (l, neurons) in cost.topology.hidden().iter().enumerate() {
        for n in 0..*neurons {
            let (_, weights) = hidden[cost.topology.neuron(l, n)].split_last().unwrap();
            squares += weights.iter().map(|w| w * w).sum::<f64>();
        }
    }
    let columns = cost.topology.readout_columns();
    squares += readout.iter().flat_map(|row| &row[..columns]).map(|w| w * w).sum::<f64>();
    (0..data.rows()).map(loss).sum::<f64>() / data.rows() as f64 + cost.penalty * squares
}

#[test]
fn the_cost_is_that_of_plain_forward_passes_and_its_gradient_that_of_finite_differences() {
    for (data, topology) in cases() {
        let scaler = Scaler::learn(Scaling::Standard, &data).unwrap();
        for bias in [true, false] {
            let mut cost = CrossEntropy::new(&data, &scaler, &topology, bias, None).unwrap();
            cost.penalty = 0.03;
            let at = point(&topology, bias);
            let (mut slopes, mut unused) = (Slopes::default(), Slopes::default());
            let found = cost.cost(&at, &mut slopes);
            let exact = expected(&cost, &data, &scaler, &at);
            assert!((found / exact - 1.0).abs() < 1e-12, "{topology}: {found} instead of {exact}");
            assert_eq!(slopes.half_gradient.len(), at.len());
            for (i, half) in slopes.half_gradient.iter().enumerate() {
                let mut moved = |by: f64| {
                    let mut at = at.clone();
                    at[i] += by;
                    cost.cost(&at, &mut unused)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((2.0 * half - slope).abs() < 1e-8, "{topology}, {i}: {half} but {slope}");
            }
        }
    }
}

#[test]
fn a_weight_of_two_is_as_good_as_two_rows() {
    let data = Builtin::Iris.load(&Default::default()).unwrap().train;
    let topology: Topology = "4-3-3+linear".parse().unwrap();
    let scaler = Scaler::learn(Scaling::Standard, &data).unwrap();
    let twice = |row: usize| row.is_multiple_of(3);
    let all: Vec<usize> = (0..data.rows()).chain((0..data.rows()).filter(|row| twice(*row))).collect();
    let weights = (0..data.rows()).map(|row| if twice(row) { 2.0 } else { 1.0 }).collect();
    let weighted = Dataset { weights: Some(weights), ..data.clone() };
    let [mut one, mut other] = [Slopes::default(), Slopes::default()];
    let at = point(&topology, true);
    let on = |data: &Dataset, slopes: &mut Slopes| {
        CrossEntropy::new(data, &scaler, &topology, true, None).unwrap().cost(&at, slopes)
    };
    let (found, expected) = (on(&weighted, &mut one), on(&data.select(&all), &mut other));
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} instead of {expected}");
    for (a, b) in one.half_gradient.iter().zip(&other.half_gradient) {
        assert!((a - b).abs() < 1e-12, "{a} instead of {b}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let data = many_rows();
    let topology: Topology = "3-40-20-3".parse().unwrap();
    let scaler = Scaler::learn(Scaling::Standard, &data).unwrap();
    let at = point(&topology, true);
    let on = |threads: usize| {
        let pool = pool(threads);
        let mut cost = CrossEntropy::new(&data, &scaler, &topology, true, pool.as_ref()).unwrap();
        let mut slopes = Slopes::default();
        (cost.cost(&at, &mut slopes).to_bits(), slopes)
    };
    assert_eq!(on(1), on(2));
    assert_eq!(on(1), on(3));
}

#[test]
fn certain_scores_do_not_overflow() {
    let data = Builtin::Iris.load(&Default::default()).unwrap().train;
    let topology: Topology = "4-2-3".parse().unwrap();
    let scaler = Scaler::learn(Scaling::Standard, &data).unwrap();
    let mut cost = CrossEntropy::new(&data, &scaler, &topology, true, None).unwrap();
    let mut slopes = Slopes::default();
    let large: Vec<f64> = point(&topology, true).iter().map(|v| 1e5 * v).collect();
    assert!(cost.cost(&large, &mut slopes).is_finite());
    assert!(slopes.half_gradient.iter().all(|g| g.is_finite()));
}
