use super::condensed::Condensed;
use super::*;
use crate::kernel::{Isa, SINGLES, WIDTH};
use crate::rng::{Purpose, Rng};
use crate::{Builtin, CostSettings, Dataset, NetworkCost, Objective, Population, Topology};

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

/// A look's bounds for sixteen networks, given the cutoffs of each.
type Look = Box<dyn FnMut(&Population, &[f64; SINGLES]) -> Vec<f64>>;

fn second_look(isa: Isa, topology: &Topology, data: &Dataset, bias: bool) -> Look {
    let single = Single::new(isa, topology, data, bias).unwrap();
    let (mut work, topology) = (single.work(topology), topology.clone());
    Box::new(move |all, _| single.bounds(&topology, &std::array::from_fn(|i| all.row(i)), &mut work).to_vec())
}

fn third_look(isa: Isa, topology: &Topology, data: &Dataset, bias: bool) -> Look {
    let growing = Growing::new(isa, topology, data, bias, 1e-13).unwrap();
    let (mut work, topology) = (growing.work(topology), topology.clone());
    Box::new(move |all, cutoffs| {
        let halves = [0, WIDTH].map(|first| {
            let rows = std::array::from_fn(|i| all.row(first + i));
            let cutoffs = std::array::from_fn(|i| cutoffs[first + i]);
            growing.bounds(&topology, &rows, &cutoffs, &mut work)
        });
        halves.concat()
    })
}

/// A cell, whether outputs have a bias, and what share of a look's bounds must be tight.
type Case = (Builtin, &'static str, bool, f64);

/// Bounds never exceed the cost; they are tight in at least a share of networks that are not spoilt.
fn check_bounds(cases: &[Case], look: fn(Isa, &Topology, &Dataset, bool) -> Look) {
    for (builtin, topology, bias, tight_at_least) in cases {
        let (topology, data): (Topology, _) = (topology.parse().unwrap(), train(*builtin));
        let several = topology.last_hidden() > 1;
        for isa in Isa::available() {
            let mut look = look(isa, &topology, &data, *bias);
            let (mut tight, mut plain) = (0, 0);
            for seed in 0..24 {
                let spoil = several && seed % 3 == 0;
                let networks = networks(&topology, seed, spoil);
                let costs = exact_costs(&topology, &data, *bias, &networks);
                // Cutoffs that nothing exceeds, so that all samples are looked at, and some that are easily
                // exceeded.
                for share in [f64::INFINITY, 0.9, 0.3] {
                    let cutoffs = std::array::from_fn(|i| share * costs[i]);
                    for ((cost, bound), cutoff) in costs.iter().zip(look(&networks, &cutoffs)).zip(cutoffs) {
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
    check_bounds(&cases, second_look);
}

#[test]
fn a_growing_part_never_claims_more_than_the_cost_and_mostly_little_less() {
    let cases = [
        // Condensed.
        (Builtin::Sinc, "1-5-1", false, 0.99),
        (Builtin::Sinc, "1-1-1", true, 0.99),
        (Builtin::Incsinc, "1-6-1", true, 0.8),
        (Builtin::Syn5, "1-3-1", false, 0.99),
        // All samples.
        (Builtin::Sinc, "1-3-2-1", false, 0.99),
        (Builtin::Sinc2d, "2-3-1-3-1", false, 0.95),
        (Builtin::Sinc2d, "2-30-1", true, 0.8),
        (Builtin::Iris, "4-3-3", false, 0.99),
        (Builtin::Balance, "4-5-1-5-3", false, 0.95),
        (Builtin::TicTacToe, "9-8-2", true, 0.99),
        (Builtin::TwoSpirals, "2-10-1-10-2", false, 0.6),
    ];
    check_bounds(&cases, third_look);
}

#[test]
fn bounds_are_the_same_bits_on_every_instruction_set() {
    for (builtin, topology) in
        [(Builtin::Sinc, "1-5-1"), (Builtin::Balance, "4-5-1-5-3"), (Builtin::Iris, "4-7-3")]
    {
        let (topology, data): (Topology, _) = (topology.parse().unwrap(), train(builtin));
        for look in [second_look, third_look] {
            let of = |isa| {
                let mut look = look(isa, &topology, &data, true);
                let bounds =
                    (0..4).flat_map(|seed| look(&networks(&topology, seed, seed == 3), &[1e-3; SINGLES]));
                bounds.map(f64::to_bits).collect::<Vec<_>>()
            };
            let all: Vec<_> = Isa::available().into_iter().map(of).collect();
            assert!(all.iter().all(|bits| *bits == all[0]), "{builtin} {topology}");
        }
    }
}

#[test]
fn condensed_samples_have_the_moments_of_all() {
    let data = train(Builtin::Sinc);
    let condensed = Condensed::new(Isa::detect(), &data).unwrap();
    let Condensed { nodes, scales, targets, rest, defect, .. } = &condensed;
    assert!(*defect < 1e-13, "{defect}");
    let (x, y) = (&data.inputs[0], &data.outputs[0]);
    let degree = i32::try_from(nodes.len()).unwrap();
    for power in 0..2 * degree {
        let of_samples: f64 = x.iter().map(|x| x.powi(power)).sum();
        let of_nodes: f64 = nodes.iter().zip(scales).map(|(z, s)| s * s * z.powi(power)).sum();
        assert!((of_samples - of_nodes).abs() < 1e-10, "{power}: {of_samples} {of_nodes}");
        if power < degree {
            let of_samples: f64 = x.iter().zip(y).map(|(x, y)| y * x.powi(power)).sum();
            let each = nodes.iter().zip(scales).zip(targets);
            let of_nodes: f64 = each.map(|((z, s), t)| t * s * z.powi(power)).sum();
            assert!((of_samples - of_nodes).abs() < 1e-10, "{power}: {of_samples} {of_nodes}");
        }
    }
    let (all, explained): (f64, f64) = (y.iter().map(|y| y * y).sum(), targets.iter().map(|t| t * t).sum());
    assert!((all - explained - rest[0]).abs() < 1e-12 && rest[0] > 0.0);
}

#[test]
fn samples_that_cannot_be_condensed_are_not() {
    let is_condensed = |change: fn(&mut Dataset)| {
        let mut data = train(Builtin::Sinc);
        change(&mut data);
        let growing = Growing::new(Isa::detect(), &"1-5-1".parse().unwrap(), &data, false, 0.0);
        growing.is_some_and(|growing| growing.is_condensed())
    };
    assert!(is_condensed(|_| {}));
    assert!(is_condensed(|data| data.inputs[0].iter_mut().for_each(|x| *x = 1e6 + 1e3 * *x)));
    assert!(!is_condensed(|data| data.inputs[0].fill(1.0)), "all the same");
    assert!(!is_condensed(|data| data.inputs[0].iter_mut().for_each(|x| *x = x.signum())), "two values");
    assert!(!is_condensed(|data| data.inputs[0][0] = 1e300), "an outlier");
    let too_deep =
        Growing::new(Isa::detect(), &"1-5-2-1".parse().unwrap(), &train(Builtin::Sinc), false, 0.0);
    assert!(!too_deep.unwrap().is_condensed());
}

#[test]
fn what_overflows_or_is_no_number_proves_nothing() {
    let topology: Topology = "1-5-1".parse().unwrap();
    let data = train(Builtin::Sinc);
    let mut networks = networks(&topology, 1, false);
    networks.row_mut(3)[2] = f64::NAN;
    networks.row_mut(4)[2] = 1e300;
    networks.row_mut(5)[2] = f64::NEG_INFINITY;
    let single = Single::new(Isa::detect(), &topology, &data, false).unwrap();
    let rows = std::array::from_fn(|i| networks.row(i));
    let bounds = single.bounds(&topology, &rows, &mut single.work(&topology));
    assert!(bounds[3..6].iter().all(|b| *b == 0.0), "{bounds:?}");
    assert!(bounds.iter().any(|b| *b > 0.0));
    for topology in ["1-5-1", "1-2-2-1"] {
        let topology: Topology = topology.parse().unwrap();
        let mut look = third_look(Isa::detect(), &topology, &data, false);
        let bounds = look(&networks, &[f64::INFINITY; SINGLES]);
        assert!(bounds[3] == 0.0 && bounds.iter().all(|b| b.is_finite()), "{bounds:?}");
        assert!(bounds.iter().any(|b| *b > 0.0));
    }
    let is_refused = |change: fn(&mut Dataset)| {
        let mut data = train(Builtin::Sinc);
        change(&mut data);
        Single::new(Isa::detect(), &topology, &data, false).is_none()
    };
    assert!(is_refused(|data| data.outputs[0][7] = 1e200), "a square that overflows");
    assert!(is_refused(|data| data.outputs[0].iter_mut().for_each(|y| *y *= 1e-160)), "squares that vanish");
    assert!(is_refused(|data| data.inputs[0][7] = 4e38), "an input beyond single precision");
    assert!(!is_refused(|data| data.outputs[0].fill(0.0)));
}

#[test]
fn a_look_that_does_not_pay_is_given_up_for_longer_and_longer() {
    let mut experience = Experience::default();
    let pause = |experience: &mut Experience, rejected: usize| {
        assert!(experience.is_due());
        experience.learn(TRIAL as usize, rejected, 0.5);
        (0..100 * PAUSE).take_while(|_| !experience.is_due()).count() as u32
    };
    assert_eq!(pause(&mut experience, 300), 0, "it pays");
    let pauses: Vec<u32> = (0..6).map(|_| pause(&mut experience, 100)).collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16, 16].map(|n| n * PAUSE));
    assert_eq!(pause(&mut experience, 300), 0);
    assert_eq!(pause(&mut experience, 100), PAUSE, "it begins anew");
}
