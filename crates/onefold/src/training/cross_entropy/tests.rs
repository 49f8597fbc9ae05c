use super::*;
use crate::data::{Scaler, Scaling};
use crate::{Builtin, Dataset, Topology};

fn iris() -> Dataset {
    Builtin::Iris.load(&Default::default()).unwrap().train
}

fn cost<'a>(data: &'a Dataset, topology: &Topology) -> CrossEntropy<'a> {
    let scaler = Scaler::learn(Scaling::Standard, data).unwrap();
    let mut cost = CrossEntropy::new(data, &scaler, topology, true, None).unwrap();
    cost.penalty = 1e-3;
    cost
}

fn start(topology: &Topology) -> Vec<f64> {
    (0..topology.parameters(true)).map(|i| (0.7 * i as f64).sin()).collect()
}

#[test]
fn a_descent_ends_at_a_minimum_or_after_its_evaluations() {
    let (data, topology) = (iris(), "4-3-3".parse().unwrap());
    let mut cost = cost(&data, &topology);
    let mut slopes = Slopes::default();
    let first = cost.cost(&start(&topology), &mut slopes);
    let never = Cancellation::default();
    let short = descend(&mut cost, start(&topology), 5, &never);
    assert_eq!((short.evaluations, short.cut_short), (5, Some(StopReason::Evaluations)));
    let long = descend(&mut cost, start(&topology), 10_000, &never);
    assert!(long.cut_short.is_none() && long.evaluations < 1000, "{}", long.evaluations);
    let [of_short, of_long] = [short, long].map(|d| cost.cost(&d.point, &mut slopes));
    assert!(first > of_short && of_short > of_long);
    let steepest = slopes.half_gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
    assert!(steepest < 1e-3, "{steepest}");
}

#[test]
fn a_cancelled_descent_keeps_what_it_has() {
    let (data, topology) = (iris(), "4-3-3".parse().unwrap());
    let cancellation = Cancellation::default();
    cancellation.cancel();
    let descended = descend(&mut cost(&data, &topology), start(&topology), 100, &cancellation);
    assert_eq!((descended.evaluations, descended.cut_short), (0, Some(StopReason::Observer)));
    assert_eq!(descended.point, start(&topology));
}
