//! What local descents do after the threshold is reached: the effort until then is what it would be without,
//! and the network is never worse.

use onefold::{
    Builtin, Cancellation, Destination, FitSettings, Fitted, Method, Report, StopReason, TrainTest, Training,
    fit,
};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

fn settings(builtin: Builtin, method: Method, seed: u64) -> FitSettings {
    let mut settings = FitSettings::for_builtin(builtin, None, method).unwrap();
    settings.method.common.seed = seed;
    settings
}

fn data(builtin: Builtin) -> TrainTest {
    builtin.load(&Default::default()).unwrap()
}

fn without_time(report: &Report) -> Report {
    Report { seconds: 0.0, ..report.clone() }
}

/// Checks what holds after any continuation that was not cut short.
fn check(fitted: &Fitted, at_threshold: &Fitted, what: &str) {
    assert_eq!(without_time(&fitted.report), without_time(&at_threshold.report), "{what}");
    assert!(at_threshold.continuation.is_none(), "{what}");
    let continuation = fitted.continuation.as_ref().unwrap();
    assert!(continuation.verified_cost <= fitted.report.verified_cost, "{what}: {continuation:?}");
    assert!(continuation.evaluations > 0 && continuation.slopes > 0, "{what}: {continuation:?}");
    let threshold = fitted.model.origin().settings.stop.threshold.unwrap();
    assert!(
        fitted.model.metrics().train_mse.unwrap() <= threshold && fitted.model.origin().reached,
        "{what}"
    );
    assert_eq!(fitted.model.origin().verified_cost.to_bits(), continuation.verified_cost.to_bits(), "{what}");
    if continuation.destination == Destination::Threshold {
        assert_eq!(fitted.model, at_threshold.model, "{what}");
    }
}

#[test]
fn the_error_is_at_most_that_at_the_threshold_and_the_counters_are_those_of_the_threshold() {
    for builtin in Builtin::ALL {
        let data = data(builtin);
        let methods = [(Method::AUTO, 1), (Method::HYBRID, 2), (Method::MULTISTART, 3), (Method::AUTO, 4)];
        // Other sets of classes take seconds.
        let is_quick = !data.train.classification || builtin == Builtin::Iris;
        for (method, seed) in methods.into_iter().take(if is_quick { 4 } else { 1 }) {
            let settings = settings(builtin, method, seed);
            let what = format!("{} {method:?} {seed}", builtin.name());
            let at_threshold = Training::new("x", &data, &settings).unwrap().run().unwrap();
            let fitted = fit("x", &data, &settings).unwrap();
            assert!(fitted.report.reached, "{what}");
            check(&fitted, &at_threshold, &what);
            let destination = fitted.continuation.as_ref().unwrap().destination;
            assert_ne!(destination, Destination::Threshold, "{what}: a minimum has a lower error");
            assert!(data.train.classification || destination == Destination::Minimum, "{what}");
        }
    }
}

#[test]
fn networks_of_two_spirals_do_well_on_test_rows() {
    let data = data(Builtin::TwoSpirals);
    let accuracy = |seed| {
        let fitted = fit("x", &data, &settings(Builtin::TwoSpirals, Method::AUTO, seed)).unwrap();
        fitted.model.metrics().test_accuracy.unwrap()
    };
    let mean = (0..2).map(accuracy).sum::<f64>() / 2.0;
    assert!(mean >= 0.9, "{mean}");
}

#[test]
fn tables_with_scaled_targets_and_a_target_or_a_decay_are_continued_too() {
    let mut data = data(Builtin::Sinc);
    data.train.outputs[0].iter_mut().for_each(|y| *y = 1e3 * *y + 5e3);
    data.test.outputs[0].iter_mut().for_each(|y| *y = 1e3 * *y + 5e3);
    for (seed, decay) in [(0, 0.0), (1, 0.0), (2, 1e-9), (3, 1e-7)] {
        let mut settings = FitSettings::for_data(&data.train, "6", Method::AUTO).unwrap();
        settings.method.common.seed = seed;
        settings.stop.threshold = Some(1e3);
        settings.cost.decay = decay;
        let at_threshold = Training::new("x", &data, &settings).unwrap().run().unwrap();
        assert!(at_threshold.report.reached);
        check(&fit("x", &data, &settings).unwrap(), &at_threshold, &format!("{seed} {decay}"));
    }
}

#[test]
fn nothing_is_continued_without_descents_or_a_threshold_or_beyond_the_limits() {
    let data = data(Builtin::Iris);
    let by_population = fit("x", &data, &settings(Builtin::Iris, Method::DE_SB, 0)).unwrap();
    assert!(by_population.report.reached && by_population.continuation.is_none());
    let auto = settings(Builtin::Iris, Method::AUTO, 0);
    let reached = fit("x", &data, &auto).unwrap().report;
    let limited = |change: &dyn Fn(&mut FitSettings)| {
        let mut settings = auto.clone();
        change(&mut settings);
        fit("x", &data, &settings).unwrap()
    };
    let never = limited(&|settings| {
        settings.stop.threshold = None;
        settings.stop.max_evaluations = Some(1000);
    });
    assert!(never.continuation.is_none());
    let unreached = limited(&|settings| {
        settings.stop.threshold = Some(1e-9);
        settings.stop.max_evaluations = Some(1000);
    });
    assert!(!unreached.report.reached && unreached.continuation.is_none());
    let all_used = limited(&|settings| settings.stop.max_generations = Some(reached.generations));
    assert!(all_used.report.reached && all_used.continuation.is_none());
    let more = reached.evaluation_equivalents as u64 + 1000;
    let some_left = limited(&|settings| settings.stop.max_evaluations = Some(more));
    let continuation = some_left.continuation.unwrap();
    assert!(reached.evaluation_equivalents + continuation.evaluation_equivalents <= more as f64);
}

#[test]
fn a_cancellation_ends_the_continuation_at_once_and_leaves_a_network_that_reaches_the_threshold() {
    let data = data(Builtin::TwoSpirals);
    let settings = settings(Builtin::TwoSpirals, Method::AUTO, 5);
    let threshold = settings.stop.threshold.unwrap();
    for milliseconds in [0, 50] {
        let cancellation = Cancellation::default();
        let mut cancelled_at = None;
        let training = Training::new("x", &data, &settings)
            .unwrap()
            .continue_after_threshold()
            .cancel_by(&cancellation)
            .observe(|progress| {
                if progress.best.cost <= threshold && cancelled_at.is_none() {
                    let wait = Duration::from_millis(milliseconds);
                    cancelled_at = Some(Instant::now() + wait);
                    let cancellation = cancellation.clone();
                    std::thread::spawn(move || {
                        std::thread::sleep(wait);
                        cancellation.cancel();
                    });
                }
                ControlFlow::Continue(())
            });
        let fitted = training.run().unwrap();
        assert!(cancelled_at.unwrap().elapsed() < Duration::from_millis(500));
        assert_eq!(fitted.report.stop, StopReason::Threshold);
        assert!(fitted.report.reached && fitted.model.metrics().train_mse.unwrap() <= threshold);
        if milliseconds > 0 {
            let continuation = fitted.continuation.as_ref().unwrap();
            assert!(continuation.is_cut_short() && fitted.is_interrupted(), "{continuation:?}");
            assert!(continuation.verified_cost <= fitted.report.verified_cost);
        }
    }
}

#[test]
fn a_resumed_run_continues_to_the_same_bits() {
    for builtin in [Builtin::Sinc, Builtin::Balance] {
        let (data, settings) = (data(builtin), settings(builtin, Method::AUTO, 7));
        let whole = fit("x", &data, &settings).unwrap();
        for generation in [1, whole.report.generations / 2, whole.report.generations] {
            let mut saved = Vec::new();
            let training = Training::new("x", &data, &settings).unwrap().observe(|progress| {
                saved = progress.save();
                if progress.generation >= generation {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            training.run().unwrap();
            let training = Training::new("x", &data, &settings).unwrap().resume(&saved);
            let resumed = training.continue_after_threshold().run().unwrap();
            assert_eq!(resumed.model, whole.model);
            assert_eq!(without_time(&resumed.report), without_time(&whole.report));
        }
    }
}
