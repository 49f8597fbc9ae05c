use super::super::Covariance;
use super::*;
use crate::{Function, Report, Stop, StopReason, search};

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|v| 10.0 + v * v - 10.0 * (std::f64::consts::TAU * v).cos()).sum()
}

fn run(rule: RestartRule, seed: u64, max_evaluations: u64) -> Report {
    let settings = (
        CommonSettings { start: (-5.0, 5.0), seed, ..CommonSettings::default() },
        CmaSettings { sigma: 2.0, ..CmaSettings::default() },
    );
    let mut restarts = Restarts::of_cma_es(5, settings.0, settings.1, rule).unwrap();
    let stop = Stop { threshold: Some(1e-9), max_evaluations: Some(max_evaluations), ..Stop::default() };
    search(&mut Function::new(5, rastrigin), &mut restarts, &stop).unwrap()
}

#[test]
fn restarts_find_what_one_run_misses() {
    for rule in [RestartRule::Ipop, RestartRule::Bipop] {
        let reports: Vec<_> = (0..5).map(|seed| run(rule, seed, 200_000)).collect();
        assert!(reports.iter().all(|r| r.reached), "{rule:?}");
        assert!(reports.iter().any(|r| !r.restarts.is_empty()), "{rule:?}");
    }
}

#[test]
fn ipop_doubles_and_the_record_adds_up() {
    for seed in 0..5 {
        let report = run(RestartRule::Ipop, seed, 200_000);
        let mut population = 8;
        for restart in &report.restarts {
            assert_eq!(restart.from.population, population);
            population *= 2;
            assert_eq!((restart.to.population, restart.to.regime), (population, Regime::Large));
            assert_eq!(restart.evaluations, restart.generations * restart.from.population as u64);
            assert!(restart.cost >= report.cost);
        }
        let before: u64 = report.restarts.iter().map(|r| r.evaluations).sum();
        assert_eq!((report.evaluations - before) % population as u64, 0);
    }
}

#[test]
fn bipop_balances_the_evaluations_and_limits_small_runs() {
    // Without a threshold the whole budget is used.
    let settings = (
        CommonSettings { start: (-5.0, 5.0), ..CommonSettings::default() },
        CmaSettings { sigma: 2.0, ..CmaSettings::default() },
    );
    let mut restarts = Restarts::of_cma_es(4, settings.0, settings.1, RestartRule::Bipop).unwrap();
    let stop = Stop { max_evaluations: Some(150_000), ..Stop::default() };
    let mut cost = Function::new(4, |x: &[f64]| 1.0 + rastrigin(x));
    let report = search(&mut cost, &mut restarts, &stop).unwrap();
    assert_eq!(report.stop, StopReason::Evaluations);
    assert!(report.evaluations <= 150_000);
    let (mut small, mut large) = (0, 0);
    let mut last_large = 0;
    for restart in &report.restarts {
        match restart.from.regime {
            Regime::Large => (large, last_large) = (large + restart.evaluations, restart.evaluations),
            Regime::Small => {
                assert!(restart.evaluations <= last_large / 2 || restart.generations == 1);
                assert!(restart.from.step <= 1.0 && restart.from.step >= 0.01);
                small += restart.evaluations;
            }
            Regime::First => small += restart.evaluations,
        }
        let expected = if small < large { Regime::Small } else { Regime::Large };
        assert_eq!(restart.to.regime, expected);
    }
    assert!(report.restarts.iter().any(|r| r.from.regime == Regime::Small));
    assert!(report.restarts.iter().any(|r| r.from.regime == Regime::Large));
}

#[test]
fn a_constant_cost_ends_with_a_reason() {
    let settings = (
        CommonSettings::default(),
        CmaSettings { covariance: Covariance::Diagonal, ..CmaSettings::default() },
    );
    let mut restarts = Restarts::of_cma_es(2, settings.0, settings.1, RestartRule::Ipop).unwrap();
    let stop = Stop::default();
    let report = search(&mut Function::new(2, |_: &[f64]| 1.0), &mut restarts, &stop);
    assert_eq!(report.unwrap().stop, StopReason::Optimizer(Termination::PopulationTooLarge));
}
