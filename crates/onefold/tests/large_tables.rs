//! Tables of many rows: tiles, threads, growing samples.

use onefold::objective::Radius;
use onefold::rng::{Purpose, Rng};
use onefold::{Builtin, Dataset, Derivatives, FitSettings, Method, Topology, TrainTest, Training, fit};
use std::ops::ControlFlow;

/// `sin(3 x)` and normally distributed noise of variance 0.04; the second input says nothing.
fn noisy_sine(rows: usize, seed: u64) -> Dataset {
    let mut rng = Rng::stream(seed, Purpose::Data, 0, 0);
    let [mut x, mut other, mut y] = [(); 3].map(|()| Vec::with_capacity(rows));
    for _ in 0..rows {
        let v = rng.between(-1.0, 1.0);
        x.push(v);
        other.push(5.0 + rng.uniform());
        y.push((3.0 * v).sin() + 0.2 * rng.normal());
    }
    Dataset {
        inputs: vec![x.into(), other.into()],
        outputs: vec![y],
        input_names: vec!["x".into(), "other".into()],
        output_names: vec!["y".into()],
        classification: false,
        weights: None,
    }
}

fn data(rows: usize) -> TrainTest {
    TrainTest { train: noisy_sine(rows, 1), test: noisy_sine(20_000, 2), ..TrainTest::default() }
}

fn settings(data: &TrainTest, hidden: &str) -> FitSettings {
    let mut settings = FitSettings::for_data(&data.train, hidden, Method::AUTO).unwrap();
    settings.method.common.seed = 7;
    settings
}

#[test]
fn growing_samples_end_on_all_rows_near_the_noise() {
    let data = data(90_000);
    let fitted = fit("sine", &data, &settings(&data, "3")).unwrap();
    let metrics = fitted.model.metrics();
    assert!((metrics.test_mse.unwrap() / 0.04 - 1.0).abs() < 0.03, "{metrics:?}");
    let report = &fitted.report;
    assert!((report.cost / report.verified_cost - 1.0).abs() < 1e-9, "the cost is that on all rows");
    assert!((metrics.train_mse.unwrap() / report.verified_cost - 1.0).abs() < 1e-9);
}

#[test]
fn the_model_does_not_depend_on_the_number_of_threads() {
    let data = data(45_000);
    let on = |threads: usize| {
        let mut settings = settings(&data, "2");
        settings.cost.threads = threads;
        let fitted = fit("sine", &data, &settings).unwrap();
        (fitted.model.hidden().to_vec(), fitted.model.metrics().clone(), fitted.report.evaluations)
    };
    let one = on(1);
    assert_eq!(on(2), one);
    assert_eq!(on(5), one);
}

#[test]
fn a_run_resumed_at_any_time_ends_like_the_whole_one() {
    let data = data(45_000);
    let settings = settings(&data, "2");
    let mut states = Vec::new();
    let whole = Training::new("sine", &data, &settings)
        .unwrap()
        .observe(|progress| {
            states.push(progress.save());
            ControlFlow::Continue(())
        })
        .run()
        .unwrap();
    let last = states.len() - 1;
    // In the search on the first sample, and in the refinement on larger ones.
    for state in [last / 3, last - 8, last - 4, last - 1] {
        let training = Training::new("sine", &data, &settings).unwrap();
        let resumed = training.resume(&states[state]).run().unwrap();
        assert_eq!(resumed.model.hidden(), whole.model.hidden(), "from {state} of {last}");
        assert_eq!(resumed.report.evaluations, whole.report.evaluations);
    }
}

#[test]
fn a_run_that_ends_between_two_samples_has_a_network() {
    let data = data(45_000);
    let whole = fit("sine", &data, &settings(&data, "2")).unwrap();
    let most = whole.report.evaluations;
    for max_evaluations in most - 10..most {
        let mut settings = settings(&data, "2");
        settings.stop.max_evaluations = Some(max_evaluations);
        let fitted = fit("sine", &data, &settings).unwrap();
        assert!(fitted.model.metrics().train_mse.unwrap() < 0.06, "after {max_evaluations} evaluations");
    }
}

#[test]
fn starts_on_the_surface_of_the_sphere_have_slopes() {
    let data = data(5_000);
    for seed in 0..20 {
        let mut settings = settings(&data, "8");
        settings.method.common.seed = seed;
        settings.stop.max_evaluations = Some(400);
        // Most starts are longer than this and are pulled to the surface.
        settings.cost.penalty_radius = Radius::Fixed(1.5);
        let fitted = fit("sine", &data, &settings).unwrap();
        assert!(fitted.report.slopes > 0 && fitted.model.metrics().train_mse.unwrap() < 0.5, "seed {seed}");
    }
}

#[test]
fn steps_are_chosen_by_their_price() {
    let derivatives = |settings: &FitSettings, rows| settings.optimizer(rows).unwrap().derivatives();
    for builtin in Builtin::ALL {
        let settings = FitSettings::for_builtin(builtin, None, Method::AUTO).unwrap();
        let rows = builtin.load(&Default::default()).unwrap().train.rows();
        assert_eq!(derivatives(&settings, rows), Some(Derivatives::Matrix), "{builtin}");
    }
    let data = data(100);
    let mut settings = settings(&data, "8");
    for (topology, rows, expected) in [
        ("10-8-1", 1_000_000, Derivatives::Matrix),
        ("60-16-10", 1_400, Derivatives::Gradient),
        ("1000-100-1000", 10_000, Derivatives::Gradient),
    ] {
        settings.topology = topology.parse::<Topology>().unwrap();
        assert_eq!(derivatives(&settings, rows), Some(expected), "{topology}");
    }
}
