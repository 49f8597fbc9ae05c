use super::experience::{OBSERVED, PAUSE};
use super::quadrature::Nodes;
use super::*;
use crate::network::shape;
use crate::rng::{Purpose, Rng};
use crate::{Builtin, CostSettings, NetworkCost, Objective, Topology};

fn train(builtin: Builtin) -> Dataset {
    builtin.load(&Default::default()).unwrap().train
}

/// Random networks; with `spoil` some have two neurons that are the same but for a little, in which least
/// squares is ill-conditioned.
fn networks(topology: &Topology, seed: u64, spoil: bool) -> Population {
    let mut population = Population::new(SINGLES, topology.dim());
    let last = topology.hidden().len() - 1;
    for (i, row) in population.rows_mut().enumerate() {
        let mut rng = Rng::stream(seed, Purpose::Start, 0, i);
        row.iter_mut().for_each(|v| *v = rng.between(-1.0, 1.0));
        if spoil && i % 2 == 0 {
            let little = 10f64.powf(rng.between(-9.0, -1.0));
            for (from, to) in topology.neuron(last, 0).zip(topology.neuron(last, 1)) {
                row[to] = row[from] + little * rng.between(-1.0, 1.0);
            }
        }
    }
    population
}

fn exact_costs(topology: &Topology, data: &Dataset, bias: bool, all: &Population) -> Vec<f64> {
    let settings = CostSettings { early_rejection: false, output_bias: bias, ..CostSettings::default() };
    let mut cost = NetworkCost::new(topology.clone(), data, &settings).unwrap();
    cost.costs(all)
}

/// Rank tolerance of the full evaluations that screens are compared with.
const TOLERANCE: f64 = 1e-13;

/// Makes a screen for a network with or without output bias, or for none if there is no such screen for it.
type Make = fn(Isa, &Topology, &Dataset, bool) -> Option<Box<dyn Screen>>;

macro_rules! make {
    ($screen:ident) => {
        |isa, topology, data, bias| {
            let shape = shape(topology, bias);
            let screen = $screen::new(Problem { isa, shape: &shape, data, tolerance: TOLERANCE })?;
            Some(Box::new(screen))
        }
    };
}

const SUBSET: Make = make!(Subset);
const SINGLE_PRECISION: Make = make!(SinglePrecision);
const INCREMENTAL: Make = make!(Incremental);
const QUADRATURE: Make = make!(Quadrature);
const FIRST_SAMPLES: Make = |isa, topology, data, bias| {
    let shape = shape(topology, bias);
    let screen = Incremental::of_first(Problem { isa, shape: &shape, data, tolerance: TOLERANCE })?;
    Some(Box::new(screen))
};

/// A screen's bounds for sixteen networks, given the cutoff of each.
fn bounds(screen: &mut dyn Screen, candidates: &Population, cutoffs: &[f64; SINGLES]) -> Vec<f64> {
    let indices: Vec<usize> = (0..SINGLES).collect();
    let size = screen.batch();
    let batches = indices.chunks(size).flat_map(|indices| {
        let mut bounds = [0.0; LARGEST_BATCH];
        screen.bounds(&Batch { candidates, cutoffs, indices }, &mut bounds);
        bounds[..size].to_vec()
    });
    batches.collect()
}

/// A cell, whether outputs have a bias, and what share of the bounds must be tight.
type Case = (Builtin, &'static str, bool, f64);

/// Bounds never exceed the cost; they are tight for at least that share of networks that are not spoilt.
fn check_bounds(cases: &[Case], make: Make) {
    for (builtin, topology, bias, tight_at_least) in cases {
        let (topology, data): (Topology, _) = (topology.parse().unwrap(), train(*builtin));
        let several = topology.last_hidden() > 1;
        for isa in Isa::available() {
            let mut screen = make(isa, &topology, &data, *bias).unwrap();
            let (mut tight, mut plain) = (0, 0);
            for seed in 0..24 {
                let spoil = several && seed % 3 == 0;
                let networks = networks(&topology, seed, spoil);
                let costs = exact_costs(&topology, &data, *bias, &networks);
                // Cutoffs that nothing exceeds, so that all samples are processed, and some that are easily
                // exceeded.
                for share in [f64::INFINITY, 0.9, 0.3] {
                    let cutoffs = std::array::from_fn(|i| share * costs[i]);
                    let bounds = bounds(&mut *screen, &networks, &cutoffs);
                    for ((cost, bound), cutoff) in costs.iter().zip(bounds).zip(cutoffs) {
                        let name = isa.name();
                        assert!(bound <= *cost, "{builtin} {topology}: {bound} above {cost} on {name}");
                        if !spoil {
                            plain += 1;
                            tight += usize::from(bound > 0.98 * cost || bound > cutoff);
                        }
                    }
                }
            }
            let share = f64::from(tight as u32) / f64::from(plain);
            let name = isa.name();
            assert!(share >= *tight_at_least, "{builtin} {topology}: only {share} are tight on {name}");
        }
    }
}

#[test]
fn single_precision_never_claims_more_than_the_cost_and_mostly_little_less() {
    let cases = [
        (Builtin::Sinc, "1-5-1", false, 0.5),
        (Builtin::Sinc, "1-1-1", true, 0.9),
        (Builtin::Sinc2d, "2-3-1-3-1", false, 0.7),
        (Builtin::Sinc2d, "2-7-1", true, 0.9),
        (Builtin::Iris, "4-3-3", false, 0.7),
        (Builtin::Balance, "4-5-1-5-3", false, 0.15),
        (Builtin::TicTacToe, "9-8-2", true, 0.9),
        (Builtin::TwoSpirals, "2-10-1-10-2", false, 0.0),
    ];
    check_bounds(&cases, SINGLE_PRECISION);
}

#[test]
fn the_subset_never_claims_more_than_the_cost() {
    let cases = [
        (Builtin::Sinc, "1-5-1", false, 0.0),
        (Builtin::Sinc2d, "2-3-1-3-1", true, 0.0),
        (Builtin::Balance, "4-5-1-5-3", false, 0.0),
        (Builtin::TicTacToe, "9-8-2", true, 0.0),
    ];
    check_bounds(&cases, SUBSET);
}

#[test]
fn quadrature_never_claims_more_than_the_cost_and_mostly_little_less() {
    let cases = [
        (Builtin::Sinc, "1-5-1", false, 0.99),
        (Builtin::Sinc, "1-1-1", true, 0.99),
        (Builtin::Incsinc, "1-6-1", true, 0.8),
        (Builtin::Syn5, "1-3-1", false, 0.99),
    ];
    check_bounds(&cases, QUADRATURE);
}

#[test]
fn more_and_more_samples_never_claim_more_than_the_cost_and_mostly_little_less() {
    let cases = [
        (Builtin::Sinc, "1-3-2-1", false, 0.99),
        (Builtin::Sinc2d, "2-3-1-3-1", false, 0.95),
        (Builtin::Sinc2d, "2-30-1", true, 0.8),
        (Builtin::Iris, "4-3-3", false, 0.99),
        (Builtin::Balance, "4-5-1-5-3", false, 0.95),
        (Builtin::TicTacToe, "9-8-2", true, 0.99),
        (Builtin::TwoSpirals, "2-10-1-10-2", false, 0.6),
    ];
    check_bounds(&cases, INCREMENTAL);
}

#[test]
fn a_part_of_the_samples_never_claims_more_than_the_cost() {
    let cases = [
        (Builtin::Sinc2d, "2-3-1-3-1", true, 0.0),
        (Builtin::Iris, "4-3-3", false, 0.0),
        (Builtin::Balance, "4-5-1-5-3", false, 0.0),
        (Builtin::TicTacToe, "9-8-2", true, 0.0),
    ];
    check_bounds(&cases, FIRST_SAMPLES);
    let too_few =
        FIRST_SAMPLES(Isa::detect(), &"2-10-1-10-2".parse().unwrap(), &train(Builtin::TwoSpirals), false);
    assert!(too_few.is_none());
}

#[test]
fn no_order_of_the_samples_claims_more_than_the_cost_and_the_telling_ones_first_prove_most() {
    for (builtin, topology) in [(Builtin::Balance, "4-5-1-5-3"), (Builtin::Sinc2d, "2-3-1-3-1")] {
        let (topology, data): (Topology, _) = (topology.parse().unwrap(), train(builtin));
        for make in [FIRST_SAMPLES, INCREMENTAL] {
            let mut screen = make(Isa::detect(), &topology, &data, false).unwrap();
            for seed in 0..12 {
                let networks = networks(&topology, seed, seed % 3 == 0);
                let costs = exact_costs(&topology, &data, false, &networks);
                let cutoffs = std::array::from_fn(|i| 0.5 * costs[i]);
                let mut order: Vec<usize> = (0..data.rows()).collect();
                let mut rng = Rng::stream(seed, Purpose::Data, 0, 0);
                (1..order.len()).rev().for_each(|i| order.swap(i, rng.below(i + 1)));
                screen.reorder(&order);
                for (bound, cost) in bounds(&mut *screen, &networks, &cutoffs).into_iter().zip(&costs) {
                    assert!(bound <= *cost, "{builtin}: {bound} above {cost}");
                }
            }
        }
    }
    // All errors are on a few samples, the last ones in the order at the start.
    let (topology, mut data): (Topology, _) = ("2-3-1-3-1".parse().unwrap(), train(Builtin::Sinc2d));
    data.outputs[0].fill(0.0);
    let telling = [11, 57, 123];
    telling.iter().for_each(|row| data.outputs[0][*row] = 1.0);
    let networks = networks(&topology, 1, false);
    let costs = exact_costs(&topology, &data, false, &networks);
    let mut screen = FIRST_SAMPLES(Isa::detect(), &topology, &data, false).unwrap();
    let mut order: Vec<usize> = (0..data.rows()).collect();
    let mut tight = |order: &[usize]| {
        screen.reorder(order);
        let bounds = bounds(&mut *screen, &networks, &[f64::INFINITY; SINGLES]);
        bounds.iter().zip(&costs).filter(|(bound, cost)| **bound > 0.5 * **cost).count()
    };
    order.sort_by_key(|row| telling.contains(row));
    assert_eq!(tight(&order), 0);
    order.reverse();
    assert!(tight(&order) > SINGLES / 2);
}

#[test]
fn samples_with_large_residuals_come_first_and_old_ones_are_forgotten() {
    let mut residuals = Residuals::new(5);
    let mut orders = Vec::new();
    let mut learn = |squares: [f64; 5], times: u32| {
        for _ in 0..times {
            let order = residuals.learn(|to| to.copy_from_slice(&squares)).map(<[usize]>::to_vec);
            orders.extend(order);
        }
        orders.last().cloned()
    };
    assert_eq!(learn([f64::NAN; 5], 1000), None);
    assert_eq!(learn([0.0; 5], 1000), None);
    assert_eq!(learn([1.0, 0.0, 3.0, 2.0, 0.0], 1000), Some(vec![2, 3, 0, 1, 4]));
    // However small a candidate's residuals are, it counts as much as others.
    assert_eq!(learn([0.0, 1e-9, 0.0, 0.0, 3e-9], 1000), Some(vec![4, 1, 2, 3, 0]));
}

#[test]
fn a_screen_pays_by_what_it_saves_of_the_screens_behind_it() {
    let (topology, data): (Topology, _) = ("4-5-1-5-3".parse().unwrap(), train(Builtin::Balance));
    let shape = shape(&topology, false);
    let problem = Problem { isa: Isa::detect(), shape: &shape, data: &data, tolerance: TOLERANCE };
    let mut cascade = Cascade::new(problem);
    let last = cascade.stages.len() - 1;
    assert!((cascade.price_behind(last) - 1.0).abs() < 1e-12, "the full evaluation");
    assert!((cascade.price_behind(last - 1) - 1.0).abs() < 1e-12, "nothing is known of the last screen");
    let decide = |stage: &mut Stage, rejected: usize, price: f64| {
        assert!(stage.experience.learn(OBSERVED as usize, rejected));
        stage.experience.decide(price);
    };
    decide(&mut cascade.stages[last], OBSERVED as usize / 4 * 3, 0.5);
    let expected = cascade.stages[last].price + 0.25;
    assert!((cascade.price_behind(last - 1) - expected).abs() < 1e-12);
    decide(&mut cascade.stages[last], 0, 0.5);
    assert!((cascade.price_behind(last - 1) - 1.0).abs() < 1e-12, "the last screen is paused");
}

#[test]
fn bounds_are_the_same_bits_on_every_instruction_set() {
    for (builtin, topology, screens) in [
        (Builtin::Sinc, "1-5-1", vec![QUADRATURE, SUBSET, SINGLE_PRECISION, INCREMENTAL]),
        (Builtin::Balance, "4-5-1-5-3", vec![SUBSET, FIRST_SAMPLES, SINGLE_PRECISION, INCREMENTAL]),
        (Builtin::Iris, "4-7-3", vec![SINGLE_PRECISION, INCREMENTAL]),
    ] {
        let (topology, data): (Topology, _) = (topology.parse().unwrap(), train(builtin));
        for make in screens {
            let of = |isa| {
                let mut screen = make(isa, &topology, &data, true).unwrap();
                let bounds = (0..4).flat_map(|seed| {
                    bounds(&mut *screen, &networks(&topology, seed, seed == 3), &[1e-3; SINGLES])
                });
                bounds.map(f64::to_bits).collect::<Vec<_>>()
            };
            let all: Vec<_> = Isa::available().into_iter().map(of).collect();
            assert!(all.iter().all(|bits| *bits == all[0]), "{builtin} {topology}");
        }
    }
}

#[test]
fn quadrature_nodes_have_the_moments_of_the_samples() {
    let data = train(Builtin::Sinc);
    let Nodes { inputs: nodes, scales, targets, unexplained, defect, .. } =
        Nodes::new(Isa::detect(), &data).unwrap();
    assert!(defect < 1e-13, "{defect}");
    let (x, y) = (&data.inputs[0], &data.outputs[0]);
    let degree = i32::try_from(nodes.len()).unwrap();
    for power in 0..2 * degree {
        let of_samples: f64 = x.iter().map(|x| x.powi(power)).sum();
        let of_nodes: f64 = nodes.iter().zip(&scales).map(|(z, s)| s * s * z.powi(power)).sum();
        assert!((of_samples - of_nodes).abs() < 1e-10, "{power}: {of_samples} {of_nodes}");
        if power < degree {
            let of_samples: f64 = x.iter().zip(y).map(|(x, y)| y * x.powi(power)).sum();
            let each = nodes.iter().zip(&scales).zip(&targets);
            let of_nodes: f64 = each.map(|((z, s), t)| t * s * z.powi(power)).sum();
            assert!((of_samples - of_nodes).abs() < 1e-10, "{power}: {of_samples} {of_nodes}");
        }
    }
    let (all, explained): (f64, f64) = (y.iter().map(|y| y * y).sum(), targets.iter().map(|t| t * t).sum());
    assert!((all - explained - unexplained[0]).abs() < 1e-12 && unexplained[0] > 0.0);
}

#[test]
fn quadrature_is_for_one_input_with_enough_different_values_and_one_hidden_layer() {
    let exists = |topology: &str, change: fn(&mut Dataset)| {
        let mut data = train(Builtin::Sinc);
        change(&mut data);
        QUADRATURE(Isa::detect(), &topology.parse().unwrap(), &data, false).is_some()
    };
    assert!(exists("1-5-1", |_| {}));
    assert!(exists("1-5-1", |data| data.inputs[0].iter_mut().for_each(|x| *x = 1e6 + 1e3 * *x)));
    assert!(!exists("1-5-1", |data| data.inputs[0].fill(1.0)), "all the same");
    assert!(!exists("1-5-1", |data| data.inputs[0].iter_mut().for_each(|x| *x = x.signum())), "two values");
    assert!(!exists("1-5-1", |data| data.inputs[0][0] = 1e300), "an outlier");
    assert!(!exists("1-5-2-1", |_| {}), "two hidden layers");
    assert!(QUADRATURE(Isa::detect(), &"2-5-1".parse().unwrap(), &train(Builtin::Sinc2d), false).is_none());
}

#[test]
fn what_overflows_or_is_no_number_proves_nothing() {
    let topology: Topology = "1-5-1".parse().unwrap();
    let data = train(Builtin::Sinc);
    let mut networks = networks(&topology, 1, false);
    networks.row_mut(3)[2] = f64::NAN;
    networks.row_mut(4)[2] = 1e300;
    networks.row_mut(5)[2] = f64::NEG_INFINITY;
    let mut single = SINGLE_PRECISION(Isa::detect(), &topology, &data, false).unwrap();
    let found = bounds(&mut *single, &networks, &[f64::INFINITY; SINGLES]);
    assert!(found[3..6].iter().all(|b| *b == 0.0), "{found:?}");
    assert!(found.iter().any(|b| *b > 0.0));
    for make in [QUADRATURE, INCREMENTAL] {
        let mut screen = make(Isa::detect(), &topology, &data, false).unwrap();
        let found = bounds(&mut *screen, &networks, &[f64::INFINITY; SINGLES]);
        assert!(found[3] == 0.0 && found.iter().all(|b| b.is_finite()), "{found:?}");
        assert!(found.iter().any(|b| *b > 0.0));
    }
    let is_refused = |change: fn(&mut Dataset)| {
        let mut data = train(Builtin::Sinc);
        change(&mut data);
        SINGLE_PRECISION(Isa::detect(), &topology, &data, false).is_none()
    };
    assert!(is_refused(|data| data.outputs[0][7] = 1e200), "a square that overflows");
    assert!(is_refused(|data| data.outputs[0].iter_mut().for_each(|y| *y *= 1e-160)), "squares that vanish");
    assert!(is_refused(|data| data.inputs[0][7] = 4e38), "an input beyond single precision");
    assert!(!is_refused(|data| data.outputs[0].fill(0.0)));
}

#[test]
fn a_screen_that_does_not_pay_is_paused_for_longer_and_longer() {
    let mut experience = Experience::default();
    let pause = |experience: &mut Experience, rejected: usize| {
        assert!(experience.is_due());
        assert!(experience.learn(OBSERVED as usize, rejected));
        experience.decide(0.5);
        (0..100 * PAUSE).take_while(|_| !experience.is_due()).count() as u32
    };
    assert_eq!(pause(&mut experience, 300), 0, "it pays");
    let pauses: Vec<u32> = (0..6).map(|_| pause(&mut experience, 100)).collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16, 16].map(|n| n * PAUSE));
    assert_eq!(pause(&mut experience, 300), 0);
    assert_eq!(pause(&mut experience, 100), PAUSE, "pauses are short again");
}

/// Rejects the candidates with an even first parameter, and counts the candidates that it sees.
#[derive(Clone, Debug)]
struct Parity {
    is_conclusive: bool,
    seen: std::sync::Arc<std::sync::atomic::AtomicUsize>,
}

impl Screen for Parity {
    fn batch(&self) -> usize {
        4
    }

    fn fewest(&self) -> usize {
        2
    }

    fn price(&self) -> f64 {
        0.1
    }

    fn is_conclusive(&self) -> bool {
        self.is_conclusive
    }

    fn bounds(&mut self, batch: &Batch<'_>, bounds: &mut [f64; LARGEST_BATCH]) {
        self.seen.fetch_add(batch.indices.len(), std::sync::atomic::Ordering::Relaxed);
        for (parameters, bound) in batch.parameters::<4>().iter().zip(bounds) {
            *bound = if parameters[0] % 2.0 == 0.0 { 7.0 } else { 0.5 };
        }
    }

    fn boxed_clone(&self) -> Box<dyn Screen> {
        Box::new(self.clone())
    }
}

#[test]
fn a_cascade_passes_on_what_is_not_rejected_unless_a_screen_is_conclusive() {
    for (is_conclusive, expected) in [(false, [10, 4]), (true, [10, 0])] {
        let screens =
            [is_conclusive, false].map(|is_conclusive| Parity { is_conclusive, seen: Default::default() });
        let boxed = screens.iter().map(|screen| Stage::new(screen.boxed_clone()));
        let mut cascade = Cascade { stages: boxed.collect(), residuals: None };
        let mut candidates = Population::new(13, 1);
        candidates.rows_mut().enumerate().for_each(|(i, row)| row[0] = i as f64);
        let mut costs = vec![f64::NAN; 10];
        let mut part = Part { candidates: &candidates, cutoffs: &[1.0; 13], first: 3, costs: &mut costs };
        (3..13).for_each(|i| cascade.push(i, &mut part));
        cascade.finish(&mut part);
        for (i, cost) in (3..).zip(costs) {
            assert!(if i % 2 == 0 { cost > 6.9 } else { cost.is_nan() }, "{i}: {cost}");
        }
        // The fifth candidate that the first screen does not reject is alone, too few for the second.
        let seen = screens.map(|screen| screen.seen.load(std::sync::atomic::Ordering::Relaxed));
        assert_eq!(seen, expected);
    }
}
