use super::*;
use crate::request::Slopes;
use crate::rng::{Purpose, Streams};
use crate::{Builtin, FitSettings, Method, NetworkCost, Stop, Topology, fit, search, symmetry};

fn settings(method: Method, hidden: &str, seed: u64) -> FitSettings {
    let mut settings = FitSettings::for_builtin(Builtin::Sinc, Some(hidden), method).unwrap();
    settings.method.common.seed = seed;
    settings
}

#[test]
fn every_method_with_local_descents_reaches_the_thresholds_of_the_paper() {
    for (builtin, hidden) in [
        (Builtin::Syn5, "3"),
        (Builtin::Sinc, "5"),
        (Builtin::Incsinc, "6"),
        (Builtin::Iris, "3"),
        (Builtin::Balance, "5-1-5"),
    ] {
        let data = builtin.load(&Default::default()).unwrap();
        for method in [Method::AUTO, Method::MULTISTART, Method::HYBRID] {
            let mut settings = FitSettings::for_builtin(builtin, Some(hidden), method).unwrap();
            settings.method.common.seed = 3;
            let fitted = fit("test", &data, &settings).unwrap();
            let report = &fitted.report;
            assert!(report.reached, "{builtin} {method}");
            // Only the cost of the search contains the ridge penalty.
            assert!(report.verified_cost <= report.cost * (1.0 + 1e-9), "{builtin} {method}");
            assert!(report.slopes > 0 && report.evaluation_equivalents > report.evaluations as f64);
        }
    }
}

#[test]
fn mirror_images_of_an_optimum_are_one_optimum() {
    let topology: Topology = "2-3-2-3-1".parse().unwrap();
    let align = crate::Alignment::Ideal.build(&topology).unwrap();
    let mut rng = Streams::new(1, Purpose::Data, 0).of(0);
    let x: Vec<f64> = (0..topology.dim()).map(|_| rng.between(-1.0, 1.0)).collect();
    let mut optima = Optima::default();
    for _ in 0..50 {
        let mut image = x.clone();
        for layer in 0..3 {
            let width = topology.hidden()[layer];
            symmetry::flip(&topology, &mut image, layer, rng.below(width));
            symmetry::swap(&topology, &mut image, layer, rng.below(width), rng.below(width));
        }
        optima.add(&image, 0.5, true, Some(&*align));
    }
    // Deep networks are aligned layer by layer, which occasionally misses the nearest mirror image.
    assert!(optima.list.len() <= 3 && optima.list[0].found >= 30, "{:?}", optima.list.len());
    optima.add(&x, 0.6, true, Some(&*align));
    assert!(optima.list.iter().any(|o| o.cost > 0.55), "another cost is another optimum");
}

#[test]
fn stops_when_all_optima_are_known() {
    // One neuron: few optima, and a threshold that cannot be reached.
    let mut s = settings(Method::AUTO, "1", 1);
    s.stop = Stop { threshold: Some(1e-12), max_evaluations: Some(3_000_000), ..Stop::default() };
    let data = Builtin::Sinc.load(&Default::default()).unwrap();
    let fitted = fit("sinc", &data, &s).unwrap();
    assert_eq!(fitted.report.stop, crate::StopReason::Optimizer(Termination::AllOptima));
    assert!(!fitted.report.optima.is_empty());
    let costs: Vec<f64> = fitted.report.optima.iter().map(|o| o.cost).collect();
    assert!(costs.is_sorted());
}

#[test]
fn slopes_never_exceed_the_budget() {
    let data = Builtin::Sinc.load(&Default::default()).unwrap();
    for method in [Method::AUTO, Method::MULTISTART] {
        for max in [7, 50, 51, 52, 53, 54, 200, 1001] {
            let mut s = settings(method, "3", 1);
            s.stop = Stop { threshold: Some(1e-12), max_evaluations: Some(max), ..Stop::default() };
            let report = fit("sinc", &data, &s).unwrap().report;
            assert!(report.evaluation_equivalents <= max as f64, "{method} {max}: {report:?}");
            assert!(report.evaluation_equivalents > max as f64 - 6.0, "nearly all is used: {method} {max}");
        }
    }
}

#[test]
fn patience_ends_a_search_without_a_threshold() {
    let mut s = settings(Method::AUTO, "2", 1);
    s.stop = Stop { max_evaluations: Some(10_000_000), ..Stop::default() };
    s.method.own_mut::<LocalSettings>().unwrap().patience = Some(5);
    let data = Builtin::Sinc.load(&Default::default()).unwrap();
    let fitted = fit("sinc", &data, &s).unwrap();
    assert_eq!(fitted.report.stop, crate::StopReason::Optimizer(Termination::Patience));
}

#[test]
fn the_best_descent_is_never_paused() {
    // A search that ends by patience leaves no descent unfinished that is better than the result.
    let data = Builtin::Sinc.load(&Default::default()).unwrap();
    let s = settings(Method::AUTO, "5", 0);
    let mut cost = NetworkCost::new(s.topology.clone(), &data.train, &s.cost).unwrap();
    let mut paused = 0;
    for seed in 0..10 {
        let settings = (
            CommonSettings { seed, ..CommonSettings::default() },
            LocalSettings { patience: Some(3), ..LocalSettings::default() },
        );
        let mut local =
            LocalSearch::<LevenbergMarquardt>::new(s.topology.dim(), settings.0, settings.1, None).unwrap();
        let report = search(&mut cost, &mut local, &Stop::default()).unwrap();
        assert_eq!(report.stop, crate::StopReason::Optimizer(Termination::Patience), "{seed}");
        assert!(local.state.race.paused().all(|descent| descent.position().cost > report.cost), "{seed}");
        paused += local.state.race.paused().count();
    }
    assert!(paused > 0, "some descents were paused");
}

#[test]
fn a_descent_at_the_threshold_needs_no_slopes_and_can_still_continue() {
    let sphere = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>();
    let slopes_at = |x: &[f64]| {
        let matrix = (0..9).map(|i| f64::from(u8::from(i % 4 == 0))).collect();
        Slopes { half_gradient: x.to_vec(), matrix }
    };
    let settings =
        (CommonSettings::default(), LocalSettings { threshold: Some(0.1), ..LocalSettings::multistart() });
    let mut search = LocalSearch::<LevenbergMarquardt>::new(3, settings.0, settings.1, None).unwrap();
    let (mut without, mut last) = (0, f64::INFINITY);
    for _ in 0..40 {
        let ask = search.ask();
        let (x, cutoff) = (ask.candidates.row(0).to_vec(), ask.cutoffs[0]);
        let (cost, no_slopes_below) = (sphere(&x), ask.slopes.unwrap());
        let is_requested = cost > no_slopes_below && cost <= cutoff;
        without += usize::from(cost <= no_slopes_below);
        // As an objective does: only requested slopes are computed.
        let slopes = vec![if is_requested { slopes_at(&x) } else { Slopes::default() }];
        search.tell(&mut Evaluations { costs: vec![cost], slopes, ..Evaluations::default() });
        last = last.min(cost);
        if without > 0 && last < 1e-12 {
            break;
        }
    }
    assert!(without > 0 && last < 1e-12, "{without} {last}");
}

#[test]
fn candidates_of_a_start_have_one_scale_and_each_coordinate_has_its_own_factor() {
    let settings =
        (CommonSettings { population: Some(200), ..CommonSettings::default() }, LocalSettings::default());
    let search = |starts| {
        let search =
            LocalSearch::<LevenbergMarquardt>::new(2, settings.0.clone(), settings.1.clone(), None).unwrap();
        let mut search = search.with_scales(vec![0.01, 0.1]).unwrap();
        search.state.starts = starts;
        search
    };
    let mut scales = Vec::new();
    for starts in 0..20 {
        let mut search = search(starts);
        let candidates = search.ask().candidates;
        let largest = |j: usize| candidates.rows().map(|x| x[j].abs()).fold(0.0, f64::max);
        let scale = largest(1) / 0.1;
        assert!((0.9..=2.0).contains(&scale), "{scale}");
        assert!((largest(0) * 10.0 / largest(1) - 1.0).abs() < 0.1);
        scales.push(scale);
    }
    scales.sort_by(f64::total_cmp);
    assert!(scales[0] < 1.2 && scales[19] > 1.7, "{scales:?}");
}

#[test]
fn settings_out_of_range_are_named() {
    let wrong = |change: fn(&mut CommonSettings, &mut LocalSettings)| {
        let (mut common, mut settings) = Default::default();
        change(&mut common, &mut settings);
        LocalSearch::<LevenbergMarquardt>::new(3, common, settings, None).err().unwrap().to_string()
    };
    assert!(wrong(|c, _| c.population = Some(0)).contains("population"));
    assert!(wrong(|_, s| s.recombination = 1.5).contains("recombination"));
    assert!(wrong(|_, s| s.max_steps = 0).contains("max_steps"));
    assert!(wrong(|_, s| s.patience = Some(0)).contains("patience"));
    assert!(wrong(|c, _| c.start = (1.0, -1.0)).contains("start"));
    assert!(wrong(|c, _| c.bounds = Some((-2.0, 2.0))).contains("bounds"));
    assert!(wrong(|_, s| s.radius = Some(0.0)).contains("radius"));
    let scales = |scales: &[f64]| {
        let search = LocalSearch::<LevenbergMarquardt>::new(
            3,
            CommonSettings::default(),
            LocalSettings::default(),
            None,
        )
        .unwrap();
        search.with_scales(scales.to_vec()).err().unwrap().to_string()
    };
    assert!(scales(&[1.0, 1.0]).contains("each of the 3 coordinates"));
    assert!(scales(&[1.0, 0.0, 1.0]).contains("must be positive"));
}

#[test]
fn an_objective_without_slopes_is_refused() {
    let mut sphere = crate::Function::new(3, |x: &[f64]| x.iter().map(|v| v * v).sum());
    let mut local =
        LocalSearch::<LevenbergMarquardt>::new(3, CommonSettings::default(), LocalSettings::default(), None)
            .unwrap();
    let stop = Stop { max_evaluations: Some(100), ..Stop::default() };
    let error = search(&mut sphere, &mut local, &stop).unwrap_err();
    assert_eq!(error, Error::Slopes);
}
