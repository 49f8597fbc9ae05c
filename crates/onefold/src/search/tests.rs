use super::*;
use crate::{CommonSettings, DeSettings, DifferentialEvolution, Function, Request};

fn de(population: usize) -> DifferentialEvolution {
    DifferentialEvolution::new(4, CommonSettings::with_population(population), DeSettings::default(), None)
        .unwrap()
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn run(stop: &Stop) -> Report {
    search(&mut Function::new(4, sphere), &mut de(20), stop).unwrap()
}

#[test]
fn every_rule_stops_for_its_reason() {
    let target = run(&Stop { threshold: Some(1e-6), ..Stop::default() });
    assert_eq!((target.stop, target.reached), (StopReason::Threshold, true));
    assert!(target.cost <= 1e-6);
    let evaluations = run(&Stop { threshold: Some(-1.0), max_evaluations: Some(210), ..Stop::default() });
    assert_eq!((evaluations.stop, evaluations.evaluations), (StopReason::Evaluations, 200));
    assert!(!evaluations.reached);
    let generations = run(&Stop { max_generations: Some(7), ..Stop::default() });
    assert_eq!((generations.stop, generations.evaluations), (StopReason::Generations, 140));
    let time = run(&Stop { max_seconds: Some(0.02), ..Stop::default() });
    assert_eq!(time.stop, StopReason::Time);
    assert!(time.seconds >= 0.02);
    let constant = |x: &[f64]| if x[0] > 9.0 { 0.0 } else { 3.0 };
    let stop = Stop { stagnation: Some(5), ..Stop::default() };
    let stagnation = search(&mut Function::new(4, constant), &mut de(20), &stop).unwrap();
    assert_eq!((stagnation.stop, stagnation.generations), (StopReason::Stagnation, 6));
    let spread = run(&Stop { spread: Some(1.0), ..Stop::default() });
    assert_eq!(spread.stop, StopReason::Converged);
}

#[test]
fn the_observer_sees_everything_and_may_stop() {
    let mut seen = Vec::new();
    let (mut objective, mut optimizer) = (Function::new(4, sphere), de(20));
    let search = Search::new(&mut objective, &mut optimizer, &Stop::default()).unwrap();
    let search = search.observe(|p| {
        assert_eq!(p.population.len(), 20);
        let lowest = p.costs().fold(f64::INFINITY, f64::min);
        assert_eq!(lowest.to_bits(), p.best.cost.to_bits());
        assert_eq!(sphere(p.best.x).to_bits(), p.best.cost.to_bits());
        seen.push((p.generation, p.evaluations));
        if p.generation == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let report = search.run().unwrap();
    assert_eq!(seen, [(1, 20), (2, 40), (3, 60)]);
    assert_eq!((report.stop, report.evaluations, report.generations), (StopReason::Observer, 60, 3));
}

#[test]
fn failed_evaluations_count_as_infinitely_bad() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let f = |x: &[f64]| if x[0] < 0.0 { bad } else { sphere(x) };
        let stop = Stop { threshold: Some(1e-6), max_evaluations: Some(50_000), ..Stop::default() };
        let report = search(&mut Function::new(4, f), &mut de(20), &stop).unwrap();
        assert!(report.reached && report.best[0] >= 0.0, "{bad}");
    }
    let stop = Stop { max_generations: Some(3), ..Stop::default() };
    let hopeless = search(&mut Function::new(4, |_: &[f64]| f64::NAN), &mut de(20), &stop);
    assert!(hopeless.unwrap().cost.is_infinite());
}

/// The sphere, where the cost in the search is half of the confirmed cost.
struct Optimist {
    confirmations: u32,
}

impl Objective for Optimist {
    fn dim(&self) -> usize {
        4
    }
    fn evaluate(&mut self, request: &Request<'_>, evaluations: &mut Evaluations) {
        request.candidates.rows().zip(&mut evaluations.costs).for_each(|(x, cost)| *cost = sphere(x) / 2.0);
    }
    fn confirm(&mut self, candidate: &[f64], _: f64) -> f64 {
        self.confirmations += 1;
        sphere(candidate)
    }
}

#[test]
fn a_target_counts_only_when_confirmed() {
    let mut objective = Optimist { confirmations: 0 };
    let stop = Stop { threshold: Some(1e-4), ..Stop::default() };
    let report = search(&mut objective, &mut de(20), &stop).unwrap();
    assert!(report.reached && report.verified_cost <= 1e-4 && report.cost <= 0.5e-4);
    assert!(objective.confirmations > 1, "it went on after the first refusal");
    // Stopped before the confirmed cost reaches the threshold, it does not report success.
    let stop = Stop { threshold: Some(1e-4), ..Stop::default() };
    let (mut objective, mut optimizer) = (Optimist { confirmations: 0 }, de(20));
    let search = Search::new(&mut objective, &mut optimizer, &stop).unwrap();
    let search = search
        .observe(|p| if p.best.cost <= 1e-4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
    let early = search.run().unwrap();
    assert_eq!(early.reached, early.verified_cost <= 1e-4);
}

#[test]
fn rules_that_make_no_sense_are_refused() {
    let name = |stop: Stop| match search(&mut Function::new(4, sphere), &mut de(20), &stop) {
        Err(Error::Setting { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(Stop { threshold: Some(f64::NAN), ..Stop::default() }), "target");
    assert_eq!(name(Stop { max_evaluations: Some(0), ..Stop::default() }), "max_evaluations");
    assert_eq!(name(Stop { max_evaluations: Some(19), ..Stop::default() }), "max_evaluations");
    assert_eq!(name(Stop { max_generations: Some(0), ..Stop::default() }), "max_generations");
    assert_eq!(name(Stop { max_seconds: Some(0.0), ..Stop::default() }), "time");
    assert_eq!(name(Stop { stagnation: Some(0), ..Stop::default() }), "stagnation");
    assert_eq!(name(Stop { spread: Some(-1.0), ..Stop::default() }), "spread");
}

/// The sphere, which cancels the search after this many evaluations.
fn cancelled_after(evaluations: u64, cancellation: &Cancellation) -> Function<impl FnMut(&[f64]) -> f64> {
    let (cancellation, mut count) = (cancellation.clone(), 0);
    Function::new(4, move |x: &[f64]| {
        count += 1;
        if count == evaluations {
            cancellation.cancel();
        }
        sphere(x)
    })
}

#[test]
fn a_generation_that_is_cut_off_is_discarded_unless_it_is_the_first() {
    // A function's work is assumed, so that it takes some evaluations until the request is seen.
    let population = 200;
    for (after, generations) in [(20, 0), (220, 1), (1020, 5)] {
        let cancellation = Cancellation::default();
        let mut objective = cancelled_after(after, &cancellation);
        let mut optimizer = de(population);
        let search = Search::new(&mut objective, &mut optimizer, &Stop::default()).unwrap();
        let report = search.cancel_by(&cancellation).run().unwrap();
        assert_eq!((report.stop, report.generations), (StopReason::Observer, generations));
        assert_eq!(sphere(&report.best).to_bits(), report.cost.to_bits());
        let complete =
            (generations > 0).then(|| Stop { max_generations: Some(generations), ..Stop::default() });
        if let Some(stop) = complete {
            let whole = search_of(population, &stop);
            assert_eq!((whole.best, whole.evaluations), (report.best, report.evaluations));
        } else {
            assert!((20..=200).contains(&report.evaluations), "{}", report.evaluations);
        }
    }
}

fn search_of(population: usize, stop: &Stop) -> Report {
    search(&mut Function::new(4, sphere), &mut de(population), stop).unwrap()
}

#[test]
fn a_search_cancelled_before_its_first_evaluation_evaluates_one_candidate() {
    let cancellation = Cancellation::default();
    cancellation.cancel();
    // Enough candidates that the request is seen while they are drawn.
    let (mut objective, mut optimizer) = (Function::new(4, sphere), de(100_000));
    let search = Search::new(&mut objective, &mut optimizer, &Stop::default()).unwrap();
    let report = search.cancel_by(&cancellation).run().unwrap();
    assert_eq!((report.evaluations, report.generations), (1, 0));
    assert_eq!(sphere(&report.best).to_bits(), report.cost.to_bits());
}
