use super::*;
use crate::{Function, Report, Rng, Stop, search};
use std::f64::consts::{E, PI};

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum()
}

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v - 10.0 * (2.0 * PI * v).cos() + 10.0).sum()
}

fn ackley(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let cosines = x.iter().map(|v| (2.0 * PI * v).cos()).sum::<f64>() / n;
    -20.0 * (-0.2 * (sphere(x) / n).sqrt()).exp() - cosines.exp() + 20.0 + E
}

fn minimise(
    f: fn(&[f64]) -> f64,
    dim: usize,
    settings: (CommonSettings, DeSettings),
    evaluations: u64,
) -> Report {
    let mut de = DifferentialEvolution::new(dim, settings.0, settings.1, None).unwrap();
    let stop = Stop { threshold: Some(1e-8), max_evaluations: Some(evaluations), ..Stop::default() };
    search(&mut Function::new(dim, f), &mut de, &stop).unwrap()
}

#[test]
fn finds_the_minimum_of_the_classic_functions() {
    for seed in 0..5 {
        let settings = |population, range: f64, crossover_rate| {
            (
                CommonSettings {
                    population: Some(population),
                    start: (-range, range),
                    seed,
                    ..CommonSettings::default()
                },
                DeSettings { crossover_rate, ..DeSettings::default() },
            )
        };
        // Budgets are about 1.6 times the largest number of evaluations over 50 seeds.
        for (name, report) in [
            ("sphere", minimise(sphere, 10, settings(40, 5.0, 0.9), 15_000)),
            ("rosenbrock", minimise(rosenbrock, 5, settings(100, 2.0, 0.9), 88_000)),
            ("rastrigin", minimise(rastrigin, 5, settings(50, 5.12, 0.2), 16_000)),
            ("ackley", minimise(ackley, 10, settings(50, 32.0, 0.9), 38_000)),
        ] {
            assert!(report.reached, "{name}, seed {seed}: {} after {}", report.cost, report.evaluations);
            let optimum = if name == "rosenbrock" { 1.0 } else { 0.0 };
            assert!(report.best.iter().all(|v| (v - optimum).abs() < 1e-3), "{name}: {:?}", report.best);
        }
    }
}

#[test]
fn every_strategy_minimises_the_sphere() {
    use Mutation::{Best1, Best2, CurrentToBest1, Rand1, Rand2};
    for mutation in [Rand1, Best1, CurrentToBest1, Rand2, Best2] {
        for crossover in [Crossover::Binomial, Crossover::Exponential] {
            for weight in
                [Weight::Fixed(0.5), Weight::DitherGeneration(0.4, 0.9), Weight::DitherTrial(0.4, 0.9)]
            {
                let settings = (
                    CommonSettings { population: Some(40), ..CommonSettings::default() },
                    DeSettings { mutation, weight, crossover, ..DeSettings::default() },
                );
                let report = minimise(sphere, 6, settings, 60_000);
                assert!(report.reached, "{mutation:?} {crossover:?} {weight:?}: {}", report.cost);
            }
        }
    }
}

/// Evaluates one generation on the sphere.
fn tell_sphere(de: &mut DifferentialEvolution) {
    let costs: Vec<f64> = de.ask().candidates.rows().map(sphere).collect();
    de.tell(&mut costs.into());
}

#[test]
fn trial_vectors_are_built_from_the_previous_population() {
    // rand/1 with CR = 1: every trial vector is r1 + F (r2 - r3) for three other members of the old
    // population.
    let settings = (
        CommonSettings { population: Some(6), seed: 3, ..CommonSettings::default() },
        DeSettings { crossover_rate: 1.0, ..DeSettings::default() },
    );
    let mut de = DifferentialEvolution::new(2, settings.0, settings.1, None).unwrap();
    for _ in 0..20 {
        tell_sphere(&mut de);
        let old = de.population().0.clone();
        let trials = de.ask().candidates.clone();
        for (i, trial) in trials.rows().enumerate() {
            let mut found = false;
            for a in 0..6 {
                for b in 0..6 {
                    for c in 0..6 {
                        let distinct = a != b && b != c && a != c && ![a, b, c].contains(&i);
                        let at = |d: usize| old.row(a)[d] + 0.5 * (old.row(b)[d] - old.row(c)[d]);
                        found |= distinct && (0..2).all(|d| (trial[d] - at(d)).abs() < 1e-15);
                    }
                }
            }
            assert!(found, "trial vector {i}");
        }
    }
}

#[test]
fn only_a_strictly_better_trial_vector_replaces_its_parent() {
    let mut de =
        DifferentialEvolution::new(3, CommonSettings::with_population(5), DeSettings::default(), None)
            .unwrap();
    assert!(de.ask().cutoffs.iter().all(|c| c.is_infinite()));
    de.tell(&mut vec![5.0, 4.0, 3.0, 2.0, 1.0].into());
    let before = de.population().0.clone();
    assert_eq!(de.ask().cutoffs, [5.0, 4.0, 3.0, 2.0, 1.0]);
    let trials = de.ask().candidates.clone();
    de.tell(&mut vec![4.0, 4.0, f64::INFINITY, 0.5, 9.0].into());
    let (population, costs) = de.population();
    assert_eq!(costs, [4.0, 4.0, 3.0, 0.5, 1.0]);
    for (i, replaced) in [true, false, false, true, false].into_iter().enumerate() {
        assert_eq!(population.row(i), if replaced { trials.row(i) } else { before.row(i) }, "{i}");
    }
    assert_eq!((de.best().cost.to_bits(), de.best().x), (0.5_f64.to_bits(), trials.row(3)));
}

#[test]
fn asking_twice_gives_the_same_candidates() {
    let mut de =
        DifferentialEvolution::new(3, CommonSettings::default(), DeSettings::default(), None).unwrap();
    tell_sphere(&mut de);
    let first = de.ask().candidates.clone();
    assert_eq!(&first, de.ask().candidates);
}

#[test]
fn bounds_hold_for_every_candidate() {
    let settings = (
        CommonSettings {
            population: Some(20),
            bounds: Some((-1.0, 1.5)),
            seed: 1,
            ..CommonSettings::default()
        },
        DeSettings::default(),
    );
    let mut de = DifferentialEvolution::new(4, settings.0, settings.1, None).unwrap();
    // The optimum is outside, so the search converges to the bounds.
    for _ in 0..200 {
        let ask = de.ask();
        assert!(ask.candidates.rows().flatten().all(|v| (-1.0..=1.5).contains(v)));
        let costs: Vec<f64> =
            ask.candidates.rows().map(|x| x.iter().map(|v| (v - 3.0).powi(2)).sum()).collect();
        de.tell(&mut costs.into());
    }
    assert!(de.best().x.iter().all(|v| *v > 1.499));
}

#[test]
fn an_align_changes_every_individual_but_no_cost() {
    /// The symmetry `x -> -x` of the sphere.
    struct Mirror;
    impl Align for Mirror {
        fn align(&self, x: &mut [f64], reference: &[f64], _: &mut Rng) {
            if x.iter().zip(reference).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                x.iter_mut().for_each(|v| *v = -*v);
            }
        }
    }
    let settings =
        (CommonSettings { population: Some(30), ..CommonSettings::default() }, DeSettings::default());
    let mut de = DifferentialEvolution::new(3, settings.0, settings.1, Some(Box::new(Mirror))).unwrap();
    tell_sphere(&mut de);
    de.ask();
    let (population, costs) = de.population();
    let best = de.best().x;
    for (row, cost) in population.rows().zip(costs) {
        assert!(row.iter().zip(best).map(|(a, b)| a * b).sum::<f64>() >= 0.0);
        assert!((sphere(row) - cost).abs() < 1e-15);
    }
}

#[test]
fn settings_out_of_range_are_named() {
    let name = |settings: (CommonSettings, DeSettings)| match settings.1.validate(&settings.0) {
        Err(Error::Setting { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    let fine = DeSettings::default;
    assert_eq!(
        name((CommonSettings { population: Some(3), ..CommonSettings::default() }, fine())),
        "population"
    );
    assert_eq!(
        name((
            CommonSettings { population: Some(5), ..CommonSettings::default() },
            DeSettings { mutation: Mutation::Rand2, ..fine() }
        )),
        "population"
    );
    assert_eq!(
        name((CommonSettings::default(), DeSettings { weight: Weight::Fixed(0.0), ..fine() })),
        "weight"
    );
    assert_eq!(
        name((CommonSettings::default(), DeSettings { weight: Weight::DitherTrial(0.9, 0.4), ..fine() })),
        "weight"
    );
    assert_eq!(
        name((CommonSettings::default(), DeSettings { weight: Weight::Fixed(f64::NAN), ..fine() })),
        "weight"
    );
    assert_eq!(
        name((CommonSettings::default(), DeSettings { crossover_rate: 1.1, ..fine() })),
        "crossover_rate"
    );
    assert_eq!(name((CommonSettings { start: (1.0, 1.0), ..CommonSettings::default() }, fine())), "start");
    assert_eq!(
        name((CommonSettings { bounds: Some((0.0, 1.0)), ..CommonSettings::default() }, fine())),
        "bounds"
    );
    assert!(DifferentialEvolution::new(0, CommonSettings::default(), fine(), None).is_err());
    assert!(fine().validate(&CommonSettings::with_population(4)).is_ok());
}
