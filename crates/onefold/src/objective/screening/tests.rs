use super::*;
use crate::kernel::{Isa, SINGLES};
use crate::rng::{Purpose, Rng};
use crate::{Builtin, CostSettings, Dataset, NetworkCost, Objective, Population, Topology};

fn train(builtin: Builtin) -> Dataset {
    builtin.load(&Default::default()).unwrap().train
}

/// Random networks; with `spoil` some have two neurons that are the same but for a little, in which least squares is ill-conditioned.
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

/// Exact costs, and the bounds of the second look.
fn costs_and_bounds(
    isa: Isa,
    topology: &Topology,
    data: &Dataset,
    bias: bool,
    all: &Population,
) -> Vec<(f64, f64)> {
    let settings = CostSettings { early_rejection: false, output_bias: bias, ..CostSettings::default() };
    let mut cost = NetworkCost::new(topology.clone(), data, &settings).unwrap();
    let mut costs = vec![0.0; SINGLES];
    cost.evaluate(all, &[f64::INFINITY; SINGLES], &mut costs);
    let single = Single::new(isa, topology, data, bias).unwrap();
    let rows = std::array::from_fn(|i| all.row(i));
    let bounds = single.bounds(topology, &rows, &mut single.work(topology));
    costs.into_iter().zip(bounds).collect()
}

#[test]
fn single_precision_never_claims_more_than_the_cost_and_mostly_little_less() {
    for (builtin, topology, bias, tight_at_least) in [
        (Builtin::Sinc, "1-5-1", false, 0.5),
        (Builtin::Sinc, "1-1-1", true, 0.9),
        (Builtin::Sinc2d, "2-3-1-3-1", false, 0.7),
        (Builtin::Sinc2d, "2-7-1", true, 0.9),
        (Builtin::Iris, "4-3-3", false, 0.7),
        (Builtin::Balance, "4-5-1-5-3", false, 0.2),
        (Builtin::TicTacToe, "9-8-2", true, 0.9),
        (Builtin::TwoSpirals, "2-10-1-10-2", false, 0.0),
    ] {
        let (topology, data): (Topology, _) = (topology.parse().unwrap(), train(builtin));
        let several = topology.last_hidden() > 1;
        for isa in Isa::available() {
            let (mut tight, mut plain) = (0, 0);
            for seed in 0..24 {
                let spoil = several && seed % 3 == 0;
                let networks = networks(&topology, seed, spoil);
                for (cost, bound) in costs_and_bounds(isa, &topology, &data, bias, &networks) {
                    assert!(bound <= cost, "{builtin} {topology}: {bound} above {cost} on {}", isa.name());
                    if !spoil {
                        plain += 1;
                        tight += usize::from(bound > 0.98 * cost);
                    }
                }
            }
            let share = f64::from(tight as u32) / f64::from(plain);
            assert!(
                share >= tight_at_least,
                "{builtin} {topology}: only {share} are tight on {}",
                isa.name()
            );
        }
    }
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
