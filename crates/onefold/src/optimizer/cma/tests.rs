use super::*;
use crate::optimizer::{RestartRule, Restarts};
use crate::{Function, Report, Stop, StopReason, search};

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn ellipsoid(x: &[f64]) -> f64 {
    let n = (x.len() - 1).max(1) as f64;
    x.iter().enumerate().map(|(i, v)| 1e6_f64.powf(i as f64 / n) * v * v).sum()
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum()
}

fn minimise(
    f: fn(&[f64]) -> f64,
    dim: usize,
    settings: (CommonSettings, CmaSettings),
    evaluations: u64,
) -> Report {
    let mut cma = CmaEs::new(dim, settings.0, settings.1).unwrap();
    let stop = Stop { threshold: Some(1e-9), max_evaluations: Some(evaluations), ..Stop::default() };
    search(&mut Function::new(dim, f), &mut cma, &stop).unwrap()
}

#[test]
fn every_preset_finds_the_minimum_of_the_classic_functions() {
    for preset in CmaPreset::ALL {
        for seed in 0..3 {
            let settings = (
                CommonSettings { seed, ..CommonSettings::default() },
                CmaSettings { preset, ..CmaSettings::default() },
            );
            // Budgets are about twice the largest number of evaluations over 20 seeds.
            assert!(minimise(sphere, 10, settings.clone(), 4_000).reached, "{preset:?} {seed}");
            assert!(minimise(ellipsoid, 10, settings.clone(), 14_000).reached, "{preset:?} {seed}");
            // Rosenbrock's function has a local minimum, which a larger population avoids.
            let larger = (CommonSettings { population: Some(30), ..settings.0.clone() }, settings.1);
            assert!(minimise(rosenbrock, 8, larger, 40_000).reached, "{preset:?} {seed}");
        }
    }
}

#[test]
fn the_diagonal_learns_an_axis_parallel_ellipsoid_faster_than_the_matrix() {
    for preset in CmaPreset::ALL {
        let settings = (
            CommonSettings { seed: 1, ..CommonSettings::default() },
            CmaSettings { preset, ..CmaSettings::default() },
        );
        let full = minimise(ellipsoid, 20, settings.clone(), 100_000);
        let diagonal = minimise(
            ellipsoid,
            20,
            (settings.0.clone(), CmaSettings { covariance: Covariance::Diagonal, ..settings.1 }),
            100_000,
        );
        assert!(full.reached && diagonal.reached);
        assert!(diagonal.evaluations * 2 < full.evaluations, "{} {}", diagonal.evaluations, full.evaluations);
    }
}

#[test]
fn the_diagonal_needs_no_matrix_in_high_dimension() {
    let settings = (
        CommonSettings::default(),
        CmaSettings { covariance: Covariance::Diagonal, ..CmaSettings::default() },
    );
    assert!(minimise(sphere, 3000, settings, 2_000_000).reached);
    let refused = CmaEs::new(30_000, CommonSettings::default(), CmaSettings::default()).err().unwrap();
    assert!(refused.to_string().contains("diagonal"), "{refused}");
}

#[test]
fn one_dimension_works() {
    for preset in CmaPreset::ALL {
        for covariance in [Covariance::Full, Covariance::Diagonal] {
            for population in [None, Some(2), Some(3), Some(50)] {
                let settings = (
                    CommonSettings { population, ..CommonSettings::default() },
                    CmaSettings { preset, covariance, ..CmaSettings::default() },
                );
                let report = minimise(sphere, 1, settings, 20_000);
                assert!(report.reached, "{preset:?} {covariance:?} {population:?} {:?}", report.stop);
            }
        }
    }
}

/// Each termination criterion, with a cost that meets it.
#[test]
fn ends_with_the_reason_that_applies() {
    let ends = |f: fn(&[f64]) -> f64, settings: (CommonSettings, CmaSettings)| {
        let mut cma = CmaEs::new(4, settings.0, settings.1).unwrap();
        let stop = Stop { max_evaluations: Some(200_000), ..Stop::default() };
        let report = search(&mut Function::new(4, f), &mut cma, &stop).unwrap();
        assert!(report.best.iter().all(|v| v.is_finite()));
        report.stop
    };
    let reference = (CommonSettings::default(), CmaSettings::default());
    let pycma =
        (CommonSettings::default(), CmaSettings { preset: CmaPreset::Pycma, ..CmaSettings::default() });
    let is = StopReason::Optimizer;
    assert_eq!(ends(|_| 1.0, reference.clone()), is(Termination::TolFun));
    assert_eq!(ends(sphere, reference.clone()), is(Termination::TolFun));
    // Without a minimum, the distribution grows.
    assert_eq!(ends(|x| x[0], reference.clone()), is(Termination::TolUpX));
    assert_eq!(ends(|x| x[0], pycma.clone()), is(Termination::TolUpX));
    // With costs that cannot be ranked the step size grows without limit.
    assert_eq!(ends(|_| f64::NAN, reference.clone()), is(Termination::TolUpX));
    assert_eq!(ends(|_| f64::NAN, pycma.clone()), is(Termination::FlatFitness));
    // The cost falls with ever smaller steps. Its large factor keeps the criteria on costs from being met
    // first.
    let steep: fn(&[f64]) -> f64 = |x| 1e30 * sphere(x).powf(0.1);
    assert_eq!(ends(steep, reference.clone()), is(Termination::TolX));
    // Far from the origin, steps become smaller than the rounding error of the mean.
    let far: fn(&[f64]) -> f64 = |x| 1e30 * x.iter().map(|v| (v - 1e8).abs()).sum::<f64>();
    let there =
        (CommonSettings { start: (1e8, 1e8 + 1.0), ..CommonSettings::default() }, CmaSettings::default());
    let reason = ends(far, there);
    assert!(
        [is(Termination::NoEffectAxis), is(Termination::NoEffectCoordinate)].contains(&reason),
        "{reason:?}"
    );
    // An ill-conditioned quadratic function.
    let cigar: fn(&[f64]) -> f64 = |x| 1e18 * x[0] * x[0] + x[1..].iter().map(|v| v * v).sum::<f64>() - 1e-7;
    assert_eq!(ends(cigar, reference), is(Termination::ConditionNumber));
}

#[test]
fn an_exploding_step_size_ends_the_run_without_a_nan() {
    let settings = (CommonSettings::default(), CmaSettings { sigma: 1e300, ..CmaSettings::default() });
    let mut cma = CmaEs::new(3, settings.0, settings.1).unwrap();
    let mut cost = Function::new(3, |x: &[f64]| -x.iter().map(|v| v.abs()).sum::<f64>());
    let stop = Stop { max_evaluations: Some(100_000), ..Stop::default() };
    let report = search(&mut cost, &mut cma, &stop).unwrap();
    assert!(matches!(report.stop, StopReason::Optimizer(_)), "{:?}", report.stop);
    assert!(report.best.iter().all(|v| v.is_finite()));
    assert!(cma.ask().candidates.rows().flatten().all(|v| v.is_finite()));
}

#[test]
fn no_candidate_leaves_the_bounds_even_with_the_minimum_outside() {
    for preset in CmaPreset::ALL {
        let settings = (
            CommonSettings { bounds: Some((-1.0, 2.0)), start: (0.0, 1.0), ..CommonSettings::default() },
            CmaSettings { preset, ..CmaSettings::default() },
        );
        let mut cma = CmaEs::new(6, settings.0, settings.1).unwrap();
        for _ in 0..300 {
            let costs: Vec<f64> = cma
                .ask()
                .candidates
                .rows()
                .map(|x| {
                    assert!(x.iter().all(|v| (-1.0..=2.0).contains(v)));
                    x.iter().map(|v| (v - 2.5).powi(2)).sum()
                })
                .collect();
            cma.tell(&mut costs.into());
        }
        // The corner itself is found.
        assert!((cma.best().cost - 6.0 * 0.25).abs() < 1e-12, "{preset:?} {}", cma.best().cost);
    }
}

#[test]
fn coordinates_that_matter_little_do_not_stay_at_the_bounds() {
    let cost: fn(&[f64]) -> f64 = |x| ellipsoid(&x.iter().map(|v| v - 0.26).collect::<Vec<_>>());
    for seed in 0..5 {
        let settings = (
            CommonSettings {
                bounds: Some((-1.0, 1.0)),
                start: (-0.8, 0.8),
                seed,
                ..CommonSettings::default()
            },
            CmaSettings { preset: CmaPreset::Pycma, sigma: 0.4, ..CmaSettings::default() },
        );
        assert!(minimise(cost, 10, settings, 20_000).reached, "{seed}");
    }
}

/// An ellipsoid with a condition number of 1e6, mirrored by a random plane so that no axis is a coordinate's,
/// and with a random centre in [-0.8, 0.8].
fn mirrored_ellipsoid(seed: u64, dim: usize) -> impl FnMut(&[f64]) -> f64 + Send {
    let mut rng = Streams::new(seed, Purpose::Generation, 0).long(0);
    let mut normal = vec![0.0; dim];
    rng.normals(&mut normal);
    let squared: f64 = normal.iter().map(|v| v * v).sum();
    let centre: Vec<f64> = (0..dim).map(|_| rng.between(-0.8, 0.8)).collect();
    move |x| {
        let from: Vec<f64> = x.iter().zip(&centre).map(|(x, c)| x - c).collect();
        let along: f64 = from.iter().zip(&normal).map(|(x, n)| x * n).sum::<f64>() / squared;
        ellipsoid(&from.iter().zip(&normal).map(|(x, n)| x - 2.0 * along * n).collect::<Vec<_>>())
    }
}

#[test]
fn bounds_far_from_the_minimum_cost_few_evaluations() {
    for dim in [3, 6, 10] {
        let spent = |bounds| -> u64 {
            let of_seed = |seed| {
                let common = CommonSettings { bounds, start: (-0.8, 0.8), seed, ..CommonSettings::default() };
                let own = CmaSettings { preset: CmaPreset::Pycma, sigma: 0.4, ..CmaSettings::default() };
                let mut cma = CmaEs::new(dim, common, own).unwrap();
                let mut function = Function::new(dim, mirrored_ellipsoid(seed, dim));
                let stop = Stop { threshold: Some(1e-9), max_evaluations: Some(50_000), ..Stop::default() };
                let report = search(&mut function, &mut cma, &stop).unwrap();
                assert!(report.reached, "{dim} {bounds:?} {seed}");
                report.evaluations
            };
            (0..20).map(of_seed).sum()
        };
        let (within, free) = (spent(Some((-1.0, 1.0))), spent(None));
        assert!(10 * within < 11 * free, "{dim}: {within} evaluations within bounds, {free} without");
    }
}

#[test]
fn a_given_point_is_the_initial_mean_also_of_the_first_run_of_restarts() {
    let settings = || (CommonSettings::with_seed(4), CmaSettings::default());
    let (point, asked) =
        (vec![0.3, -0.2], |optimizer: &mut dyn Optimizer| optimizer.ask().candidates.clone());
    let mut expected = CmaEs::starting_at(point.clone(), settings().0, settings().1).unwrap();
    let mut given = CmaEs::new(2, settings().0, settings().1).unwrap();
    let mut restarts = Restarts::of_cma_es(2, settings().0, settings().1, RestartRule::Ipop).unwrap();
    given.start_at(&point);
    restarts.start_at(&point);
    assert_eq!(asked(&mut expected), asked(&mut given));
    assert_eq!(asked(&mut expected), asked(&mut restarts));
}

#[test]
fn settings_out_of_range_are_named() {
    let refused = |settings: (CommonSettings, CmaSettings)| {
        CmaEs::new(3, settings.0, settings.1).err().unwrap().to_string()
    };
    let base = CmaSettings::default;
    assert!(
        refused((CommonSettings { population: Some(1), ..CommonSettings::default() }, base()))
            .contains("population is 1")
    );
    assert!(
        refused((CommonSettings::default(), CmaSettings { sigma: 0.0, ..base() })).contains("sigma is 0")
    );
    assert!(
        refused((CommonSettings::default(), CmaSettings { sigma: f64::NAN, ..base() })).contains("sigma")
    );
    assert!(
        refused((CommonSettings { start: (1.0, -1.0), ..CommonSettings::default() }, base()))
            .contains("start")
    );
    assert!(
        refused((CommonSettings { bounds: Some((0.0, 1.0)), ..CommonSettings::default() }, base()))
            .contains("bounds")
    );
    assert!(CmaEs::new(0, CommonSettings::default(), base()).is_err());
    assert!(CmaEs::starting_at(vec![f64::INFINITY], CommonSettings::default(), base()).is_err());
}

/// Gives coordinates the signs of the reference.
struct Signs;

impl crate::Align for Signs {
    fn align(&self, x: &mut [f64], reference: &[f64], _: &mut crate::rng::Rng) {
        x.iter_mut().zip(reference).for_each(|(x, r)| *x = x.abs().copysign(*r));
    }
}

#[test]
fn aligned_candidates_are_those_that_the_distribution_learns_from() {
    // A function with 2^6 equal minima: without alignment, candidates near different minima average out.
    let cost = |x: &[f64]| x.iter().map(|v| (v * v - 4.0).powi(2)).sum::<f64>();
    let generations = |align: Option<Box<dyn crate::Align>>| {
        let settings = (
            CommonSettings { population: Some(40), seed: 3, ..CommonSettings::default() },
            CmaSettings { sigma: 2.0, ..CmaSettings::default() },
        );
        let mut cma = CmaEs::new(6, settings.0, settings.1).unwrap().aligned(align);
        for generation in 0..2000 {
            let mean = cma.mean().to_vec();
            let is_aligned = cma.align.is_some();
            let candidates = cma.ask().candidates.clone();
            let same_signs = |x: &[f64]| x.iter().zip(&mean).all(|(x, m)| x.signum() == m.signum());
            assert!(!is_aligned || candidates.rows().all(same_signs));
            let costs: Vec<f64> = candidates.rows().map(cost).collect();
            if costs.iter().any(|c| *c < 1e-9) {
                return generation;
            }
            cma.tell(&mut costs.into());
        }
        2000
    };
    let (with, without) = (generations(Some(Box::new(Signs))), generations(None));
    assert!(with < without && with < 200, "{with} {without}");
}
