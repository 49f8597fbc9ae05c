use super::memory::best_weight_ratio;
use super::memory::{Pair, capped, lehmer, mean, raised};
use super::*;
use crate::{Function, Stop, search};

fn success(f: f64, cr: f64, gain: f64) -> Success {
    Success { f, cr, gain }
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

fn with_horizon(horizon: u64) -> AdaptiveSettings {
    AdaptiveSettings { horizon: Some(horizon), ..AdaptiveSettings::default() }
}

/// An optimiser with this population and horizon.
fn new(dim: usize, variant: Variant, population: usize, horizon: u64) -> AdaptiveDe {
    let common = CommonSettings::with_population(population);
    AdaptiveDe::new(dim, variant, common, with_horizon(horizon), None).unwrap()
}

/// Evaluates one generation on the sphere.
fn step(de: &mut AdaptiveDe) {
    let costs: Vec<f64> = de.ask().candidates.rows().map(|x| x.iter().map(|v| v * v).sum()).collect();
    de.tell(&mut costs.into());
}

#[test]
fn means_are_those_of_the_papers() {
    let s = [success(0.2, 0.0, 1.0), success(0.8, 1.0, 3.0)];
    // (0.2^2 + 0.8^2) / (0.2 + 0.8), and with weights 1 and 3.
    assert!(is_near(lehmer(&s, |_| 1.0, |s| s.f), 0.68));
    assert!(is_near(lehmer(&s, |s| s.gain, |s| s.f), (0.04 + 3.0 * 0.64) / (0.2 + 3.0 * 0.8)));
    assert!(is_near(mean(&s, |s| s.gain, |s| s.cr), 0.75));
}

#[test]
fn jade_moves_its_pair_by_a_tenth() {
    let mut memory = Memory::new(Variant::Jade, 1);
    memory.learn(Variant::Jade, &[success(0.2, 0.0, 1.0), success(0.8, 1.0, 100.0)]);
    // Improvements have no influence: 0.9 * 0.5 + 0.1 * 0.68, and 0.9 * 0.5 + 0.1 * 0.5.
    let pair = memory.pairs()[0];
    assert!(is_near(pair.f, 0.518) && is_near(pair.cr.unwrap(), 0.5), "{pair:?}");
    let before = memory.clone();
    memory.learn(Variant::Jade, &[]);
    assert_eq!(memory, before);
}

#[test]
fn shade_replaces_its_pairs_in_turn() {
    let mut memory = Memory::new(Variant::Shade, 2);
    for (f, cr) in [(0.1, 0.2), (0.3, 0.4), (0.5, 0.6)] {
        memory.learn(Variant::Shade, &[success(f, cr, 1.0)]);
        memory.learn(Variant::Shade, &[]); // without successes the index stays
    }
    let found: Vec<_> = memory.pairs().iter().map(|p| (p.f, p.cr.unwrap())).collect();
    assert!(is_near(found[0].0, 0.5) && is_near(found[0].1, 0.6), "{found:?}");
    assert!(is_near(found[1].0, 0.3) && is_near(found[1].1, 0.4), "{found:?}");
}

#[test]
fn l_shade_weighs_both_by_gain_and_never_leaves_the_terminal_value() {
    let mut memory = Memory::new(Variant::LShade, 2);
    memory.learn(Variant::LShade, &[success(0.5, 0.2, 1.0), success(0.5, 0.8, 3.0)]);
    assert!(is_near(memory.pairs()[0].cr.unwrap(), (0.04 + 3.0 * 0.64) / (0.2 + 3.0 * 0.8)));
    memory.learn(Variant::LShade, &[success(0.5, 0.0, 1.0), success(0.7, 0.0, 1.0)]);
    assert_eq!(memory.pairs()[1].cr, None);
    for _ in 0..2 {
        memory.learn(Variant::LShade, &[success(0.9, 0.9, 1.0)]);
    }
    assert!(memory.pairs()[0].cr.is_some());
    assert_eq!(memory.pairs()[1], Pair { f: 0.9, cr: None });
    let mut rng = Streams::new(1, Purpose::Propose, 0).long(0);
    memory.set(Pair { f: 0.5, cr: None });
    assert!((0..100).all(|_| memory.draw(Variant::LShade, 0.0, &mut rng).1.to_bits() == 0));
}

#[test]
fn infinite_gains_outweigh_all_others() {
    for variant in [Variant::Shade, Variant::LShade, Variant::Jso] {
        let mut memory = Memory::new(variant, 5);
        let infinite = success(0.4, 0.6, f64::INFINITY);
        memory.learn(variant, &[success(0.9, 0.9, 1.0), infinite, success(1.0, 0.1, f64::MAX)]);
        let pair = memory.pairs()[0];
        let expected = if variant == Variant::Jso { (0.35, 0.7) } else { (0.4, 0.6) };
        assert!(is_near(pair.f, expected.0) && is_near(pair.cr.unwrap(), expected.1), "{variant:?} {pair:?}");
    }
}

#[test]
fn jso_goes_half_way_and_keeps_its_last_pair() {
    let mut memory = Memory::new(Variant::Jso, 5);
    for _ in 0..5 {
        memory.learn(Variant::Jso, &[success(0.5, 0.4, 1.0)]);
    }
    for pair in &memory.pairs()[..4] {
        assert!(is_near(pair.f, 0.4) && is_near(pair.cr.unwrap(), 0.6), "{pair:?}");
    }
    assert_eq!(memory.pairs()[4], Pair { f: 0.9, cr: Some(0.9) });
    // The fifth update was for the last pair, so the next one is for the first.
    memory.learn(Variant::Jso, &[success(0.5, 0.4, 1.0)]);
    assert!(is_near(memory.pairs()[0].f, 0.45));
}

#[test]
fn jso_has_the_schedules_of_its_paper() {
    let check = |f: &dyn Fn(f64) -> f64, expected: &[(f64, f64)]| {
        assert!(expected.iter().all(|(spent, value)| is_near(f(*spent), *value)), "{expected:?}");
    };
    check(&|t| capped(0.9, t), &[(0.0, 0.7), (0.59, 0.7), (0.6, 0.9), (1.0, 0.9)]);
    check(&|t| capped(0.3, t), &[(0.0, 0.3)]);
    check(&|t| raised(0.1, t), &[(0.0, 0.7), (0.24, 0.7), (0.25, 0.6), (0.49, 0.6), (0.5, 0.1)]);
    let jso = [(0.0, 0.7), (0.19, 0.7), (0.2, 0.8), (0.39, 0.8), (0.4, 1.2), (1.0, 1.2)];
    check(&|t| best_weight_ratio(Variant::Jso, t), &jso);
    check(&|t| best_weight_ratio(Variant::LShade, t), &[(0.1, 1.0), (0.9, 1.0)]);
    let memory = Memory::new(Variant::Jso, 5);
    let mut rng = Streams::new(1, Purpose::Propose, 0).long(0);
    for _ in 0..1000 {
        let (f, cr) = memory.draw(Variant::Jso, 0.1, &mut rng);
        assert!(f > 0.0 && f <= 0.7 && (0.7..=1.0).contains(&cr));
    }
}

#[test]
fn draws_have_the_papers_distributions() {
    let mut memory = Memory::new(Variant::LShade, 6);
    memory.set(Pair { f: 0.5, cr: Some(0.5) });
    let mut rng = Streams::new(2, Purpose::Propose, 0).long(0);
    let mut drawn: Vec<_> = (0..20_001).map(|_| memory.draw(Variant::LShade, 0.0, &mut rng)).collect();
    let spread = drawn.iter().map(|(_, cr)| (cr - 0.5).powi(2)).sum::<f64>() / drawn.len() as f64;
    assert!((spread.sqrt() - 0.1).abs() < 0.003, "{spread}");
    drawn.sort_by(|a, b| a.0.total_cmp(&b.0));
    // A Cauchy distribution with centre 0.5 and scale 0.1, truncated at 0, loses 6.3 % of its mass; its
    // median is 0.511.
    assert!((drawn[10_000].0 - 0.511).abs() < 0.01, "{:?}", drawn[10_000]);
    assert!(drawn.iter().all(|(f, _)| *f > 0.0 && *f <= 1.0));
    let at_one = drawn.iter().filter(|(f, _)| *f >= 1.0).count() as f64 / drawn.len() as f64;
    assert!((at_one - 0.0628 / 0.9372).abs() < 0.006, "{at_one}");
}

#[test]
fn populations_are_those_of_the_papers() {
    let at = |variant: Variant| [1, 10, 20, 30, 65, 100, 1000].map(|d| variant.default_population(d));
    assert_eq!(at(Variant::Jade), [30, 30, 100, 100, 250, 400, 400]);
    assert_eq!(at(Variant::Shade), [100; 7]);
    assert_eq!(at(Variant::LShade), [18, 180, 360, 540, 1170, 1800, 18_000]);
    // 25 ln(10) sqrt(10) = 182.03, 25 ln(30) sqrt(30) = 465.73.
    assert_eq!(at(Variant::Jso)[..4], [4, 182, 335, 466]);
    assert_eq!(AdaptiveSettings::default().archive_size(Variant::LShade, 180), 468);
    assert_eq!(AdaptiveSettings::default().horizon(Variant::LShade, 10), Some(100_000));
    assert_eq!(AdaptiveSettings::default().horizon(Variant::Shade, 10), None);
}

#[test]
fn the_population_shrinks_linearly_and_the_horizon_is_met_exactly() {
    assert_eq!([0.0, 0.25, 0.5, 1.0].map(|t| planned_population(100, t)), [100, 76, 52, 4]);
    for variant in [Variant::LShade, Variant::Jso] {
        let mut de = new(5, variant, 100, 3001);
        let mut evaluations = 0;
        while de.finished().is_none() {
            let n = de.ask().candidates.len();
            step(&mut de);
            evaluations += n as u64;
            let spent = evaluations as f64 / 3001.0;
            let expected = if evaluations == 100 { 100 } else { planned_population(100, spent) };
            assert_eq!(de.population().0.len(), expected, "{variant:?} {evaluations}");
            assert_eq!(de.population().1.len(), expected);
            assert!(de.archive.len() <= de.settings.archive_size(variant, expected));
        }
        assert_eq!(evaluations, 3001);
        assert_eq!(de.finished(), Some(Termination::Horizon));
        assert_eq!(de.population().0.len(), 4);
    }
}

#[test]
fn variants_without_a_schedule_ignore_the_horizon() {
    for variant in [Variant::Jade, Variant::Shade] {
        let mut de = new(5, variant, 20, 40);
        (0..10).for_each(|_| step(&mut de));
        assert_eq!((de.finished(), de.population().0.len()), (None, 20));
    }
}

#[test]
fn the_archive_takes_only_parents_that_were_replaced_by_better_ones() {
    for variant in Variant::ALL {
        let mut de = new(3, variant, 10, 10_000);
        step(&mut de);
        let before = de.population.clone();
        let (better, equal, worse) = (1, 2, 3);
        let mut costs: Vec<f64> = de.ask().cutoffs.iter().map(|c| c + 1.0).collect();
        let trials = de.ask().candidates.clone();
        costs[better] -= 1.5;
        costs[equal] = de.ask().cutoffs[equal];
        de.tell(&mut costs.into());
        assert_eq!(de.archive.len(), 1, "{variant:?}");
        assert_eq!(de.archive.members.row(0), before.row(better));
        assert_eq!(de.population.row(better), trials.row(better));
        let kept = if variant == Variant::Jade { before.row(equal) } else { trials.row(equal) };
        assert_eq!(de.population.row(equal), kept, "{variant:?}");
        assert_eq!(de.population.row(worse), before.row(worse));
    }
}

#[test]
fn the_archive_never_exceeds_its_size() {
    for variant in Variant::ALL {
        for rate in [0.0, 0.5, 2.0] {
            let settings = AdaptiveSettings { archive_rate: Some(rate), ..with_horizon(2000) };
            let common = CommonSettings::with_population(12);
            let mut de = AdaptiveDe::new(4, variant, common, settings, None).unwrap();
            let mut largest = 0;
            for _ in 0..60 {
                step(&mut de);
                largest = largest.max(de.archive.len());
                assert!(de.archive.len() <= de.settings.archive_size(variant, de.population.len()));
            }
            assert!(largest > 0 || rate == 0.0, "{variant:?} {rate}");
        }
    }
}

#[test]
fn individuals_and_archive_are_aligned_to_the_best() {
    /// Gives every coordinate the sign of the reference's.
    struct SignsOf;
    impl Align for SignsOf {
        fn align(&self, x: &mut [f64], reference: &[f64], _: &mut crate::rng::Rng) {
            x.iter_mut().zip(reference).for_each(|(x, r)| *x = x.abs().copysign(*r));
        }
    }
    for variant in Variant::ALL {
        let mut de = AdaptiveDe::new(
            4,
            variant,
            CommonSettings::with_population(12),
            with_horizon(5000),
            Some(Box::new(SignsOf)),
        )
        .unwrap();
        for _ in 0..40 {
            step(&mut de);
            let signs: Vec<bool> = de.best().x.iter().map(|v| v.is_sign_negative()).collect();
            let rows = de.population.rows().chain(de.archive.members.rows());
            for row in rows {
                assert_eq!(
                    row.iter().map(|v| v.is_sign_negative()).collect::<Vec<_>>(),
                    signs,
                    "{variant:?}"
                );
            }
        }
        assert!(de.archive.len() > 0);
    }
}

#[test]
fn bounds_hold_for_every_candidate_even_with_the_minimum_outside() {
    for variant in Variant::ALL {
        let common = CommonSettings { bounds: Some((-1.0, 2.0)), ..CommonSettings::with_population(20) };
        let mut de = AdaptiveDe::new(3, variant, common, with_horizon(3000), None).unwrap();
        for _ in 0..100 {
            let candidates = de.ask().candidates;
            assert!(candidates.rows().flatten().all(|v| (-1.0..=2.0).contains(v)));
            let costs: Vec<f64> =
                candidates.rows().map(|x| x.iter().map(|v| (v - 5.0).powi(2)).sum()).collect();
            de.tell(&mut costs.into());
        }
        assert!((de.best().cost - 27.0).abs() < 1.0, "{variant:?} {}", de.best().cost);
    }
}

#[test]
fn every_variant_minimises_the_classic_functions() {
    fn rosenbrock(x: &[f64]) -> f64 {
        x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum()
    }
    fn ellipsoid(x: &[f64]) -> f64 {
        x.iter().enumerate().map(|(i, v)| 10_f64.powf(i as f64) * v * v).sum()
    }
    for variant in Variant::ALL {
        for f in [rosenbrock, ellipsoid] {
            let common = CommonSettings::default();
            let mut de = AdaptiveDe::new(5, variant, common, with_horizon(50_000), None).unwrap();
            let stop = Stop { threshold: Some(1e-8), max_evaluations: Some(50_000), ..Stop::default() };
            let report = search(&mut Function::new(5, f), &mut de, &stop).unwrap();
            assert!(report.reached, "{variant:?} {report:?}");
        }
    }
}

#[test]
fn settings_out_of_range_are_named() {
    let (common, own) = (CommonSettings::default, AdaptiveSettings::default);
    let cases = [
        ("population", Variant::Jade, CommonSettings::with_population(3), own()),
        ("memory", Variant::Shade, common(), AdaptiveSettings { memory: Some(0), ..own() }),
        ("memory", Variant::Jso, common(), AdaptiveSettings { memory: Some(1), ..own() }),
        ("memory", Variant::Jade, common(), AdaptiveSettings { memory: Some(2), ..own() }),
        ("best_share", Variant::Shade, common(), AdaptiveSettings { best_share: Some(0.0), ..own() }),
        ("best_share", Variant::Shade, common(), AdaptiveSettings { best_share: Some(f64::NAN), ..own() }),
        ("archive_rate", Variant::Shade, common(), AdaptiveSettings { archive_rate: Some(-1.0), ..own() }),
        ("start", Variant::Shade, CommonSettings { start: (1.0, -1.0), ..common() }, own()),
        ("bounds", Variant::Shade, CommonSettings { bounds: Some((0.0, 1.0)), ..common() }, own()),
        ("horizon", Variant::LShade, common(), AdaptiveSettings { horizon: Some(10), ..own() }),
    ];
    for (field, variant, common, settings) in cases {
        match AdaptiveDe::new(5, variant, common, settings, None).map(|_| ()) {
            Err(Error::Setting { name, .. }) => assert_eq!(name, field),
            other => panic!("{field}: {other:?}"),
        }
    }
    assert!(AdaptiveDe::new(0, Variant::Jade, common(), own(), None).is_err());
}

#[test]
fn a_state_of_another_variant_is_refused() {
    let mut shade = new(3, Variant::Shade, 10, 500);
    step(&mut shade);
    let mut jade = new(3, Variant::Jade, 10, 500);
    assert!(matches!(jade.restore(&shade.save()), Err(Error::State(_))));
}
