//! Networks with a linear part, and networks without hidden layers: linear models and constants.

use nalgebra::{DMatrix, DVector};
use onefold::{Dataset, Error, FitSettings, Method, Model, StopReason, Topology, TrainTest, Training, fit};
use std::ops::ControlFlow;

/// Uniform numbers from -1 to 1, by a linear congruential generator of Knuth's.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = 2 * seed + 1;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Rows whose target is linear in the inputs, with a bump and noise, in units that need scaling.
fn rows(count: usize, inputs: usize, seed: u64) -> Dataset {
    let mut random = random(seed);
    let inputs: Vec<Vec<f64>> = (0..inputs)
        .map(|i| (0..count).map(|_| 100.0 * i as f64 + 10_f64.powf(i as f64) * random()).collect())
        .collect();
    let target = |row: usize| {
        let linear: f64 = (inputs.iter().enumerate())
            .map(|(i, x)| (x[row] - 100.0 * i as f64) / 10_f64.powf(i as f64) * (1.0 + i as f64))
            .sum();
        1e4 + 50.0 * linear + 20.0 * (4.0 * inputs[0][row]).tanh()
    };
    let outputs = vec![(0..count).map(|row| target(row) + 5.0 * random()).collect()];
    let input_names = (0..inputs.len()).map(|i| format!("x{i}")).collect();
    let inputs = inputs.into_iter().map(Into::into).collect();
    Dataset { inputs, outputs, input_names, output_names: vec!["y".into()], ..Dataset::default() }
}

fn data(count: usize, inputs: usize, seed: u64) -> TrainTest {
    TrainTest {
        train: rows(count, inputs, seed),
        test: rows(200, inputs, seed + 1000),
        ..TrainTest::default()
    }
}

/// Mean and standard deviation.
fn moments(column: &[f64]) -> (f64, f64) {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let variance = column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / column.len() as f64;
    (mean, variance.sqrt())
}

/// Predictions of ridge regression on standardised inputs and targets, for rows of inputs.
fn ridge(train: &Dataset, decay: f64, test: &Dataset) -> Vec<f64> {
    let of_inputs: Vec<(f64, f64)> = train.inputs.iter().map(|column| moments(column)).collect();
    let (mean, deviation) = moments(&train.outputs[0]);
    let scaled =
        |data: &Dataset, i: usize, row: usize| (data.inputs[i][row] - of_inputs[i].0) / of_inputs[i].1;
    let (n, count) = (train.inputs.len(), train.rows());
    let sum = |f: &dyn Fn(usize) -> f64| (0..count).map(f).sum::<f64>() / count as f64;
    let matrix = DMatrix::from_fn(n, n, |i, j| {
        sum(&|row| scaled(train, i, row) * scaled(train, j, row)) + if i == j { decay } else { 0.0 }
    });
    let right = DVector::from_fn(n, |i, _| {
        sum(&|row| scaled(train, i, row) * (train.outputs[0][row] - mean) / deviation)
    });
    let weights = matrix.lu().solve(&right).unwrap();
    (0..test.rows())
        .map(|row| mean + deviation * (0..n).map(|i| weights[i] * scaled(test, i, row)).sum::<f64>())
        .collect()
}

fn settings(data: &TrainTest, hidden: &str, method: Method) -> FitSettings {
    let mut settings = FitSettings::for_data(&data.train, hidden, method).unwrap();
    settings.stop.max_generations = Some(40);
    settings
}

#[test]
fn the_linear_model_is_ordinary_and_ridge_regression() {
    for (count, inputs, seed) in [(10, 1, 1), (40, 3, 2), (500, 5, 3), (6000, 4, 4)] {
        let data = data(count, inputs, seed);
        let spread = moments(&data.train.outputs[0]).1;
        for decay in [0.0, 1e-3, 0.5] {
            let mut settings = settings(&data, "none+linear", Method::AUTO);
            settings.cost.decay = decay;
            let fitted = fit("rows", &data, &settings).unwrap();
            let expected = ridge(&data.train, decay, &data.test);
            let file = Model::from_json(&fitted.model.to_json()).unwrap();
            assert_eq!(file, fitted.model);
            for (row, expected) in expected.iter().enumerate() {
                let found = file.predict(&data.test.input(row))[0];
                assert!((found - expected).abs() <= 1e-7 * spread, "{count} {decay}: {found} not {expected}");
            }
            let report = &fitted.report;
            assert_eq!((report.stop, report.evaluations), (StopReason::NothingToSearch, 1));
            assert!(report.best.is_empty() && file.hidden().is_empty() && !report.reached);
            assert_eq!(file.parameters(), inputs + 1);
        }
    }
}

#[test]
fn a_constant_is_the_mean_of_the_target() {
    let data = data(300, 3, 5);
    let fitted = fit("rows", &data, &settings(&data, "none", Method::AUTO)).unwrap();
    let (mean, deviation) = moments(&data.train.outputs[0]);
    for row in 0..5 {
        assert!((fitted.model.predict(&data.test.input(row))[0] - mean).abs() <= 1e-9 * mean);
    }
    assert!((fitted.model.metrics().train_mse.unwrap() / deviation.powi(2) - 1.0).abs() < 1e-9);
    assert_eq!(
        fitted.model.predict(&[f64::NAN; 3])[0].to_bits(),
        fitted.model.predict(&[0.0; 3])[0].to_bits()
    );
}

#[test]
fn every_method_gives_the_same_network_where_there_is_nothing_to_search() {
    let data = data(100, 3, 6);
    for hidden in ["none", "none+linear"] {
        let mut first: Option<Vec<Vec<f64>>> = None;
        for method in Method::all() {
            let mut settings = settings(&data, hidden, method);
            settings.stop.max_evaluations = Some(1);
            settings.stop.max_seconds = Some(1e-6);
            let fitted = fit("rows", &data, &settings).unwrap();
            assert_eq!((fitted.report.evaluations, fitted.report.stop), (1, StopReason::NothingToSearch));
            let first = first.get_or_insert_with(|| fitted.model.readout().to_vec());
            assert_eq!(fitted.model.readout(), *first, "{method}");
            assert_eq!(settings.population(), 1);
        }
    }
}

#[test]
fn a_threshold_is_reached_or_not_and_nothing_is_resumed() {
    let data = data(100, 2, 7);
    let mut settings = settings(&data, "none+linear", Method::DE_SB);
    let mse = fit("rows", &data, &settings).unwrap().model.metrics().train_mse.unwrap();
    for (threshold, reached) in [(1.01 * mse, true), (0.99 * mse, false)] {
        settings.stop.threshold = Some(threshold);
        let mut observed = 0;
        let training = Training::new("rows", &data, &settings).unwrap().observe(|_| {
            observed += 1;
            ControlFlow::Break(())
        });
        let fitted = training.run().unwrap();
        assert_eq!((fitted.report.reached, fitted.model.origin().reached), (reached, reached));
        assert_eq!((fitted.report.stop, observed), (StopReason::NothingToSearch, 0));
    }
    let resumed = Training::new("rows", &data, &settings).unwrap().resume(&[1, 2, 3]).run();
    assert!(matches!(resumed, Err(Error::State(_))), "{resumed:?}");
    assert!(settings.optimizer(100).is_err(), "no optimiser searches in no dimensions");
}

#[test]
fn without_anything_to_solve_for_it_is_refused() {
    let data = data(20, 2, 8);
    let mut settings = settings(&data, "none", Method::AUTO);
    settings.cost.output_bias = false;
    let message = settings.validate().unwrap_err().to_string();
    assert!(message.starts_with("output_bias is no, but a network without hidden layers"), "{message}");
    assert!(fit("rows", &data, &settings).is_err());
    settings.topology = Topology::new(&[2, 1]).unwrap().with_linear_part(true);
    assert!(fit("rows", &data, &settings).is_ok());
}

/// The outputs that a model file stands for, from its parts.
fn outputs(model: &Model, input: &[f64]) -> Vec<f64> {
    let scaled = model.scaler().apply(input);
    let mut x = if model.topology().hidden().is_empty() { Vec::new() } else { scaled.clone() };
    for (l, width) in model.topology().hidden().iter().enumerate() {
        let neuron = |n: usize| {
            let (shift, weights) = model.hidden()[model.topology().neuron(l, n)].split_last().unwrap();
            (weights.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() + shift).tanh()
        };
        x = (0..*width).map(neuron).collect();
    }
    let columns: Vec<f64> = x.into_iter().chain(scaled).chain([1.0]).collect();
    model.readout().iter().map(|row| row.iter().zip(&columns).map(|(w, x)| w * x).sum()).collect()
}

#[test]
fn a_linear_part_lowers_the_error_and_its_weights_stand_behind_the_hidden_ones() {
    let data = data(120, 3, 9);
    let error = |hidden: &str, method| {
        let mut settings = settings(&data, hidden, method);
        settings.stop.max_generations = if method == Method::AUTO { None } else { Some(40) };
        let fitted = fit("rows", &data, &settings).unwrap();
        let model = Model::from_json(&fitted.model.to_json()).unwrap();
        if model.topology().has_linear_part() {
            assert_eq!(model.readout()[0].len(), model.topology().last_hidden() + 3 + 1);
            assert!(model.has_output_bias());
            for row in 0..20 {
                let input = data.test.input(row);
                let (found, expected) = (model.predict(&input)[0], outputs(&model, &input)[0]);
                assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} {expected}");
            }
        }
        model.metrics().train_mse.unwrap()
    };
    let linear = error("none+linear", Method::AUTO);
    for method in Method::all() {
        for hidden in ["1", "2-1"] {
            let with = error(&format!("{hidden}+linear"), method);
            assert!(with <= linear * (1.0 + 1e-9), "{method} {hidden}: {with} above {linear}");
        }
    }
    let (with, without) = (error("1+linear", Method::AUTO), error("1", Method::AUTO));
    assert!(with < 0.5 * without, "{with} and {without}");
}

#[test]
fn the_same_bits_on_any_number_of_threads_and_resumed() {
    for (count, hidden) in [(300, "3+linear"), (300, "2-2+linear"), (5000, "3+linear"), (5000, "none+linear")]
    {
        let data = data(count, 4, 10);
        for method in [Method::AUTO, Method::DE_SB] {
            let mut settings = settings(&data, hidden, method);
            settings.stop.max_generations = Some(12);
            let whole = fit("rows", &data, &settings).unwrap();
            settings.cost.early_rejection = false;
            for threads in [2, 3] {
                settings.cost.threads = threads;
                let other = fit("rows", &data, &settings).unwrap();
                assert_eq!(other.model.hidden(), whole.model.hidden(), "{hidden} {method} {threads}");
                assert_eq!(other.model.readout(), whole.model.readout(), "{hidden} {method} {threads}");
            }
            let mut saved = None;
            let observe = |progress: &onefold::Progress<'_>| {
                if progress.generation == 5 {
                    saved = Some(progress.save());
                }
                ControlFlow::Continue(())
            };
            Training::new("rows", &data, &settings).unwrap().observe(observe).run().unwrap();
            if let Some(saved) = saved {
                let resumed = Training::new("rows", &data, &settings).unwrap().resume(&saved).run().unwrap();
                assert_eq!(resumed.model.readout(), whole.model.readout(), "{hidden} {method} resumed");
            }
        }
    }
}
