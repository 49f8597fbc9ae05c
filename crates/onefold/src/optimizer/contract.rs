//! Tests of the contract of [`Optimizer`], for every implementation.

use super::*;
use crate::request::Slopes;
use crate::rng::Purpose;
use crate::rng::Streams;

const DIM: usize = 6;

type Named = (String, Box<dyn Optimizer>);

/// Flips the sign of one random coordinate if that brings it nearer to the reference.
struct Mirror;

impl Align for Mirror {
    fn align(&self, x: &mut [f64], reference: &[f64], rng: &mut Rng) {
        let d = rng.below(x.len());
        if (x[d] + reference[d]).abs() < (x[d] - reference[d]).abs() {
            x[d] = -x[d];
        }
    }
}

fn mirror(is_aligned: bool) -> Option<Box<dyn Align>> {
    is_aligned.then(|| Box::new(Mirror) as Box<dyn Align>)
}

/// Every optimiser of the library, in every configuration with code of its own.
fn all(seed: u64) -> Vec<Named> {
    [classic(seed), adaptive(seed), cma_es(seed), local(seed)].into_iter().flatten().collect()
}

fn classic(seed: u64) -> Vec<Named> {
    let mut all: Vec<Named> = Vec::new();
    let common = CommonSettings { seed, ..CommonSettings::with_population(12) };
    for mutation in
        [Mutation::Rand1, Mutation::Best1, Mutation::CurrentToBest1, Mutation::Rand2, Mutation::Best2]
    {
        for is_aligned in [false, true] {
            let settings = DeSettings { mutation, ..DeSettings::default() };
            let de = DifferentialEvolution::new(DIM, common.clone(), settings, mirror(is_aligned)).unwrap();
            all.push((format!("{} aligned: {is_aligned}", mutation.name()), Box::new(de)));
        }
    }
    for reference in [Reference::Mean, Reference::Elite] {
        let settings = DeSettings { align_to: reference, ..DeSettings::default() };
        let de = DifferentialEvolution::new(DIM, common.clone(), settings, mirror(true)).unwrap();
        all.push((format!("DE to {reference:?}"), Box::new(de)));
    }
    all
}

fn adaptive(seed: u64) -> Vec<Named> {
    let mut all: Vec<Named> = Vec::new();
    for variant in Variant::ALL {
        for bounds in [None, Some((-1.5, 1.5))] {
            for is_aligned in [false, true] {
                // The horizon is reached within the tests that save and restore.
                let common = CommonSettings { bounds, seed, ..CommonSettings::with_population(16) };
                let settings = AdaptiveSettings { horizon: Some(1501), ..AdaptiveSettings::default() };
                let de = AdaptiveDe::new(DIM, variant, common, settings, mirror(is_aligned)).unwrap();
                let name = format!("adaptive {} {bounds:?} aligned: {is_aligned}", variant.name());
                all.push((name, Box::new(de)));
            }
        }
    }
    all
}

fn cma_es(seed: u64) -> Vec<Named> {
    let mut all: Vec<Named> = Vec::new();
    for preset in CmaPreset::ALL {
        for covariance in [Covariance::Full, Covariance::Diagonal] {
            for bounds in [None, Some((-1.0, 1.5))] {
                let common = CommonSettings { bounds, seed, ..CommonSettings::default() };
                let settings = CmaSettings { preset, covariance, ..CmaSettings::default() };
                let name = format!("CMA-ES {} {covariance:?} {bounds:?}", preset.name());
                let cma = CmaEs::new(DIM, common.clone(), settings.clone()).unwrap();
                all.push((name.clone(), Box::new(cma)));
                for rule in [RestartRule::Ipop, RestartRule::Bipop] {
                    let restarts = Restarts::of_cma_es(DIM, common.clone(), settings.clone(), rule).unwrap();
                    all.push((format!("{name} {rule:?}"), Box::new(restarts)));
                }
            }
        }
        let settings = CmaSettings { preset, ..CmaSettings::default() };
        let cma = CmaEs::new(DIM, CommonSettings::with_seed(seed), settings).unwrap().aligned(mirror(true));
        all.push((format!("CMA-ES {} aligned", preset.name()), Box::new(cma)));
    }
    all
}

fn local(seed: u64) -> Vec<Named> {
    let cases = [(1, false, 0.0), (1, true, 0.0), (4, true, 0.0), (4, true, 0.9)];
    let search = |(population, race, recombination)| -> Named {
        let common = CommonSettings { seed, ..CommonSettings::with_population(population) };
        let settings = LocalSettings { race, recombination, ..LocalSettings::default() };
        let search = LocalSearch::<LevenbergMarquardt>::new(DIM, common, settings, mirror(true)).unwrap();
        (format!("local search {population} {race} {recombination}"), Box::new(search))
    };
    cases.map(search).into()
}

/// A cost with a plateau, a region that is not a number, and many local minima.
fn cost(x: &[f64]) -> f64 {
    let bowl: f64 = x.iter().map(|v| v * v + 0.3 * (7.0 * v).sin().powi(2)).sum();
    if x[0] > 0.9 {
        f64::NAN
    } else if bowl > 8.0 {
        8.0
    } else {
        bowl
    }
}

fn step(optimizer: &mut dyn Optimizer) -> Vec<f64> {
    let ask = optimizer.ask();
    let costs: Vec<f64> = ask.candidates.rows().map(cost).collect();
    let slopes = ask.slopes.map_or(Vec::new(), |_| ask.candidates.rows().map(slopes).collect());
    let mut evaluations = Evaluations { costs, slopes, ..Evaluations::default() };
    evaluations.sanitise();
    let costs = evaluations.costs.clone();
    optimizer.tell(&mut evaluations);
    costs
}

/// Half of the gradient by finite differences, and the unit matrix.
fn slopes(x: &[f64]) -> Slopes {
    let half_gradient = (0..x.len()).map(|i| {
        let at = |h: f64| {
            let mut x = x.to_vec();
            x[i] += h;
            cost(&x)
        };
        (at(1e-6) - at(-1e-6)) / 4e-6
    });
    let half_gradient = half_gradient.map(|v| if v.is_finite() { v } else { 0.0 }).collect();
    let matrix = (0..x.len() * x.len()).map(|i| f64::from(u8::from(i % (x.len() + 1) == 0))).collect();
    Slopes { half_gradient, matrix }
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn ask_has_one_cutoff_for_each_candidate_and_is_repeatable() {
    for (name, mut optimizer) in all(1) {
        for _ in 0..30 {
            let ask = optimizer.ask();
            assert_eq!(ask.candidates.len(), ask.cutoffs.len(), "{name}");
            assert_eq!(ask.candidates.dim(), DIM, "{name}");
            assert!(ask.candidates.rows().flatten().all(|v| v.is_finite()), "{name}");
            let first = ask.candidates.clone();
            assert_eq!(&first, optimizer.ask().candidates, "{name}");
            step(&mut *optimizer);
        }
    }
}

#[test]
fn best_is_a_candidate_that_was_told_and_never_gets_worse() {
    for (name, mut optimizer) in all(2) {
        assert!(optimizer.best().cost.is_infinite(), "{name}");
        let (mut lowest, mut at) = (f64::INFINITY, Vec::new());
        // Some have only one candidate at a time.
        for _ in 0..if name.starts_with("local") { 600 } else { 60 } {
            let candidates = optimizer.ask().candidates.clone();
            for (x, cost) in candidates.rows().zip(step(&mut *optimizer)) {
                if cost < lowest {
                    (lowest, at) = (cost, x.to_vec());
                }
            }
            let best = optimizer.best();
            assert_eq!(best.cost.to_bits(), lowest.to_bits(), "{name}");
            // Aligned to a reference other than itself, the best becomes an equivalent point.
            assert!(bits(best.x) == bits(&at) || name.starts_with("DE to"), "{name}");
        }
        assert!(lowest < 1.0, "{name} {lowest}");
    }
}

#[test]
fn a_search_begins_at_the_point_that_is_given() {
    let point: Vec<f64> = (0..DIM).map(|i| 0.1 * i as f64 - 0.2).collect();
    for ((name, mut optimizer), (_, mut other)) in all(9).into_iter().zip(all(9)) {
        optimizer.start_at(&point);
        let asked = optimizer.ask().candidates.clone();
        assert_ne!(&asked, other.ask().candidates, "{name}");
        if name.starts_with("CMA-ES") {
            // The mean is there, and the best until the first costs are told.
            assert_eq!(bits(optimizer.best().x), bits(&point), "{name}");
        } else {
            assert_eq!(bits(asked.row(0)), bits(&point), "{name}");
        }
        for _ in 0..30 {
            step(&mut *optimizer);
        }
        assert!(optimizer.best().cost <= cost(&point), "{name}");
    }
}

#[test]
fn costs_belong_to_candidates_in_order() {
    // The same costs in another order must give other candidates.
    for ((name, mut one), (_, mut other)) in all(3).into_iter().zip(all(3)) {
        if one.ask().candidates.len() == 1 {
            continue;
        }
        step(&mut *one);
        let mut costs: Vec<f64> = other.ask().candidates.rows().map(cost).collect();
        costs.reverse();
        let mut evaluations = Evaluations::from(costs);
        evaluations.sanitise();
        other.tell(&mut evaluations);
        step(&mut *one);
        step(&mut *other);
        assert_ne!(one.ask().candidates, other.ask().candidates, "{name}");
    }
}

#[test]
fn same_seed_same_run_and_other_seed_another() {
    for (((name, mut a), (_, mut b)), (_, mut c)) in all(4).into_iter().zip(all(4)).zip(all(5)) {
        let run = |o: &mut dyn Optimizer| -> Vec<u64> { (0..40).flat_map(|_| bits(&step(o))).collect() };
        let first = run(&mut *a);
        assert_eq!(first, run(&mut *b), "{name}");
        assert_ne!(first, run(&mut *c), "{name}");
    }
}

#[test]
fn a_saved_run_continues_bit_for_bit() {
    for ((name, mut optimizer), (_, mut other)) in all(6).into_iter().zip(all(6)) {
        for generation in 0..400 {
            if generation % 57 == 0 || (generation < 120 && generation % 10 == 3) {
                // Restoring works from any earlier state, before and after a call of `ask`.
                step(&mut *other);
                if generation % 2 == 0 {
                    optimizer.ask();
                    other.ask();
                }
                other.restore(&optimizer.save()).unwrap();
            }
            assert_eq!(optimizer.ask().candidates, other.ask().candidates, "{name} {generation}");
            assert_eq!(bits(optimizer.ask().cutoffs), bits(other.ask().cutoffs), "{name} {generation}");
            assert_eq!(bits(&step(&mut *optimizer)), bits(&step(&mut *other)), "{name} {generation}");
            assert_eq!(bits(optimizer.best().x), bits(other.best().x), "{name} {generation}");
            assert_eq!(optimizer.finished(), other.finished(), "{name} {generation}");
            assert_eq!(optimizer.restarts(), other.restarts(), "{name} {generation}");
        }
    }
}

#[test]
fn a_damaged_or_foreign_state_is_refused_and_changes_nothing() {
    let saved: Vec<_> = all(7)
        .into_iter()
        .map(|(name, mut o)| {
            (0..5).for_each(|_| drop(step(&mut *o)));
            (name, o.save())
        })
        .collect();
    for (i, (name, mut optimizer)) in all(7).into_iter().enumerate() {
        step(&mut *optimizer);
        let before = optimizer.save();
        let mut rng = Streams::new(8, Purpose::Data, i as u64).of(0);
        for _ in 0..300 {
            let mut bytes = saved[i].1.clone();
            match rng.below(3) {
                0 => bytes.truncate(rng.below(bytes.len())),
                1 => bytes.push(0),
                _ => {
                    let at = rng.below(bytes.len());
                    bytes[at] ^= 1 << rng.below(8);
                }
            }
            // A changed bit in a number cannot be detected, but must not cause a panic.
            if optimizer.restore(&bytes).is_ok() {
                step(&mut *optimizer);
                optimizer.restore(&before).unwrap();
            }
            assert_eq!(optimizer.save(), before, "{name}");
        }
        for (other, bytes) in &saved {
            let kind = |name: &str| ["CMA-ES", "adaptive", "local"].map(|kind| name.starts_with(kind));
            if kind(&name) != kind(other) {
                assert!(optimizer.restore(bytes).is_err(), "{other} into {name}");
                assert_eq!(optimizer.save(), before);
            }
        }
    }
}

#[test]
fn extreme_and_invalid_costs_do_no_harm() {
    for bad in [f64::NAN, f64::INFINITY, 0.0, -1e308, 1e308, f64::MIN_POSITIVE] {
        for (name, mut optimizer) in all(9) {
            for _ in 0..50 {
                let n = optimizer.ask().candidates.len();
                assert!(optimizer.ask().candidates.rows().flatten().all(|v| v.is_finite()), "{name} {bad}");
                let mut evaluations = Evaluations::from(vec![bad; n]);
                evaluations.sanitise();
                optimizer.tell(&mut evaluations);
                if optimizer.finished().is_some() || n > 1000 {
                    break;
                }
            }
            assert!(optimizer.best().x.iter().all(|v| v.is_finite()), "{name} {bad}");
            assert!(!optimizer.best().cost.is_nan(), "{name} {bad}");
        }
    }
}
