//! Output layers by logistic regression: the outputs are probabilities of the classes.

use onefold::model::OutputActivation;
use onefold::model_selection::Evaluation;
use onefold::settings::OutputLayer;
use onefold::{
    Cancellation, Dataset, FitSettings, Fitted, Method, Model, StopReason, TrainTest, Training, fit,
};
use std::ops::ControlFlow;

/// Uniform numbers from 0 to 1, by a linear congruential generator of Knuth's.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = 2 * seed + 1;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Scores of the classes of a row, by which its class is drawn: linear, and bent in the first input.
fn scores(row: &[f64], classes: usize) -> Vec<f64> {
    let score = |c: usize| {
        let c = c as f64;
        2.0 * (c - 1.0) * row[0] + (1.5 - c) * row[1] + (2.0 * row[0] - c).tanh()
    };
    (0..classes).map(score).collect()
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let sum: f64 = scores.iter().map(|s| s.exp()).sum();
    scores.iter().map(|s| s.exp() / sum).collect()
}

/// Rows whose class is drawn with the probabilities of [`scores`].
fn rows(count: usize, classes: usize, seed: u64) -> Dataset {
    let mut random = random(seed);
    let mut inputs = vec![Vec::new(), Vec::new()];
    let mut outputs = vec![Vec::new(); classes];
    for _ in 0..count {
        let row = [2.0 * random() - 1.0, 2.0 * random() - 1.0];
        inputs.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
        let (mut left, mut class) = (random(), classes - 1);
        for (c, p) in softmax(&scores(&row, classes)).iter().enumerate().rev() {
            class = c;
            left -= p;
            if left < 0.0 {
                break;
            }
        }
        outputs.iter_mut().enumerate().for_each(|(c, column)| column.push(f64::from(u8::from(c == class))));
    }
    let input_names = vec!["a".into(), "b".into()];
    let output_names = (0..classes).map(|c| format!("class {c}")).collect();
    let inputs = inputs.into_iter().map(Into::into).collect();
    Dataset { inputs, outputs, input_names, output_names, classification: true, weights: None }
}

fn data(count: usize, classes: usize, seed: u64) -> TrainTest {
    TrainTest {
        train: rows(count, classes, seed),
        test: rows(500, classes, seed + 1000),
        ..TrainTest::default()
    }
}

fn settings(data: &TrainTest, hidden: &str) -> FitSettings {
    let mut settings = FitSettings::for_data(&data.train, hidden, Method::AUTO).unwrap();
    settings.stop.max_generations = Some(20);
    settings.output_layer = OutputLayer::Logistic;
    settings
}

fn log_loss(model: &Model, data: &Dataset) -> f64 {
    let mut evaluation = Evaluation::of_model(model);
    (0..data.rows()).for_each(|row| evaluation.add(&model.predict(&data.input(row)), &data.output(row)));
    evaluation.scores().unwrap().log_loss.unwrap()
}

#[test]
fn probabilities_are_stored_and_metrics_are_theirs() {
    for (count, classes, hidden, seed) in
        [(60, 2, "2", 1), (300, 3, "3+linear", 2), (900, 4, "none+linear", 3), (400, 3, "2-2", 4)]
    {
        let data = data(count, classes, seed);
        let settings = settings(&data, hidden);
        let Fitted { model, report, .. } = fit("rows", &data, &settings).unwrap();
        assert_eq!(model.output_activation(), OutputActivation::Softmax);
        assert!(model.has_probabilities() && !report.reached);
        let file = Model::from_json(&model.to_json()).unwrap();
        assert_eq!(file, model);
        let mut error = 0.0;
        for row in 0..data.test.rows() {
            let (input, actual) = (data.test.input(row), data.test.output(row));
            let p = file.predict(&input);
            assert!(p.iter().all(|p| (0.0..=1.0).contains(p)) && (p.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let largest = p.iter().copied().fold(0.0, f64::max);
            let class = file.output_names().iter().position(|c| Some(c.as_str()) == file.classify(&input));
            assert_eq!(p[class.unwrap()].to_bits(), largest.to_bits());
            error += p.iter().zip(&actual).map(|(p, y)| (p - y).powi(2)).sum::<f64>();
        }
        let mse = error / (data.test.rows() * classes) as f64;
        assert!((model.metrics().test_mse.unwrap() / mse - 1.0).abs() < 1e-12);
        assert_eq!(
            model.score(&data.train).unwrap().0.to_bits(),
            model.metrics().train_mse.unwrap().to_bits()
        );
        let plain = FitSettings { output_layer: OutputLayer::LeastSquares, ..settings };
        let plain = fit("rows", &data, &plain).unwrap();
        assert_eq!(plain.report, Fitted { report, ..plain.clone() }.report.with_seconds_of(&plain));
        assert!(!plain.model.to_json().contains("output_activation"));
        assert_eq!(model.hidden(), plain.model.hidden());
    }
}

/// Mean log loss on the training rows with the L2 penalty.
fn cost(model: &Model, data: &Dataset, penalty: f64) -> f64 {
    let weights = model.readout().iter().flat_map(|row| &row[..model.topology().readout_columns()]);
    log_loss(model, data) + penalty * weights.map(|w| w * w).sum::<f64>()
}

/// The cost is convex, so that weights are best if none nearby are better.
#[test]
fn no_other_output_weights_have_a_lower_loss() {
    for (count, classes, hidden, decay) in
        [(60, 2, "2", 0.0), (300, 3, "3+linear", 1e-3), (500, 4, "none+linear", 0.0), (200, 3, "none", 0.1)]
    {
        let data = data(count, classes, 21);
        let mut settings = settings(&data, hidden);
        settings.cost.decay = decay;
        let model = fit("rows", &data, &settings).unwrap().model;
        let least = cost(&model, &data.train, decay.max(1e-6));
        let mut random = random(5);
        for size in [1e-4, 1e-3, 1e-2, 0.1, 1.0].repeat(6) {
            let mut file: serde_json::Value = serde_json::from_str(&model.to_json()).unwrap();
            for w in
                file["readout"].as_array_mut().unwrap().iter_mut().flat_map(|row| row.as_array_mut().unwrap())
            {
                *w = (w.as_f64().unwrap() + size * (random() - 0.5)).into();
            }
            let other = Model::from_json(&file.to_string()).unwrap();
            let found = cost(&other, &data.train, decay.max(1e-6));
            assert!(found >= least - 1e-13, "{hidden} {size}: {found} is below {least}");
        }
    }
}

trait WithSeconds {
    fn with_seconds_of(self, other: &Fitted) -> Self;
}

impl WithSeconds for onefold::Report {
    /// The time that a search takes is never the same.
    fn with_seconds_of(self, other: &Fitted) -> Self {
        Self { seconds: other.report.seconds, ..self }
    }
}

/// Classes that are drawn by a network with a linear part are predicted with the probabilities that they were
/// drawn with.
#[test]
fn many_rows_give_the_probabilities_that_classes_were_drawn_with() {
    let data = data(20_000, 3, 7);
    let mut settings = settings(&data, "4+linear");
    settings.cost.threads = 2;
    let model = fit("rows", &data, &settings).unwrap().model;
    let (mut worst, mut sum): (f64, f64) = (0.0, 0.0);
    for row in 0..data.test.rows() {
        let input = data.test.input(row);
        for (p, exact) in model.predict(&input).iter().zip(softmax(&scores(&input, 3))) {
            worst = worst.max((p - exact).abs());
            sum += (p - exact).abs();
        }
    }
    let mean = sum / (3 * data.test.rows()) as f64;
    assert!(worst < 0.1 && mean < 0.015, "{worst} {mean}");
}

/// Mean log loss on the training rows with the L2 penalty on all weights, not on shifts and biases.
fn cost_of_all(model: &Model, data: &Dataset, penalty: f64) -> f64 {
    let topology = model.topology();
    let mut squares = 0.0;
    for (l, neurons) in topology.hidden().iter().enumerate() {
        for n in 0..*neurons {
            let parameters = &model.hidden()[topology.neuron(l, n)];
            squares += parameters[..parameters.len() - 1].iter().map(|w| w * w).sum::<f64>();
        }
    }
    cost(model, data, penalty) + penalty * squares
}

#[test]
fn all_weights_descend_on_the_cross_entropy() {
    for (count, classes, hidden, seed) in
        [(200, 2, "3", 1), (300, 3, "3+linear", 2), (400, 3, "3-2", 4), (300, 3, "none+linear", 5)]
    {
        let data = data(count, classes, seed);
        let mut settings = settings(&data, hidden);
        (settings.cost.decay, settings.cost.threads) = (1e-3, 1);
        let logistic = fit("rows", &data, &settings).unwrap();
        assert_eq!(logistic.descent, None);
        settings.output_layer = OutputLayer::CrossEntropy;
        let fitted = fit("rows", &data, &settings).unwrap();
        let least = cost_of_all(&fitted.model, &data.train, 1e-3);
        if hidden == "none+linear" {
            assert_eq!((fitted.descent, fitted.model.readout()), (None, logistic.model.readout()));
            continue;
        }
        let descent = fitted.descent.unwrap();
        assert!((descent.cost / least - 1.0).abs() < 1e-9, "{descent:?} but {least}");
        assert!(least < 0.999 * cost_of_all(&logistic.model, &data.train, 1e-3), "{hidden}: {least}");
        assert_eq!(fitted.report.best, logistic.report.best, "the search is the same");
        assert_eq!(Model::from_json(&fitted.model.to_json()).unwrap(), fitted.model);
        settings.cost.threads = 3;
        assert_eq!(fit("rows", &data, &settings).unwrap().model.hidden(), fitted.model.hidden());
        // From given hidden parameters nothing is searched.
        let from =
            |hidden: &[f64]| Training::new("rows", &data, &settings).unwrap().start_at(hidden).run().unwrap();
        let again = from(logistic.model.hidden());
        assert_eq!((again.report.stop, again.report.evaluations), (StopReason::NothingToSearch, 1));
        assert_eq!(again.model.hidden(), fitted.model.hidden());
        let further = from(fitted.model.hidden());
        let further = further.descent.unwrap().cost;
        assert!(further <= least * (1.0 + 1e-12), "{hidden}: {further} from {least}");
    }
}

#[test]
fn neither_the_number_of_threads_nor_an_interruption_and_resumption_changes_a_bit() {
    let data = data(3000, 3, 9);
    let mut settings = settings(&data, "3");
    settings.cost.threads = 1;
    let whole = fit("rows", &data, &settings).unwrap().model;
    let on_three = FitSettings {
        cost: onefold::CostSettings { threads: 3, ..settings.cost.clone() },
        ..settings.clone()
    };
    assert_eq!(fit("rows", &data, &on_three).unwrap().model.readout(), whole.readout());
    let mut saved = None;
    let first = Training::new("rows", &data, &settings).unwrap().observe(|progress| {
        saved = Some(progress.save());
        if progress.generation == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(first.run().unwrap().report.stop, StopReason::Observer);
    let saved = saved.unwrap();
    let resumed = Training::new("rows", &data, &settings).unwrap().resume(&saved).run().unwrap().model;
    assert_eq!(resumed, whole);
}

#[test]
fn a_temperature_divides_all_weights_and_a_missing_bias_stays_missing() {
    let data = data(300, 3, 11);
    for (hidden, bias) in [("2", true), ("none+linear", false), ("none", true)] {
        let mut settings = settings(&data, hidden);
        settings.cost.output_bias = bias;
        let one = fit("rows", &data, &settings).unwrap().model;
        assert_eq!(one.has_output_bias(), bias);
        settings.temperature = 4.0;
        let four = fit("rows", &data, &settings).unwrap().model;
        for (w, quarter) in one.readout().iter().flatten().zip(four.readout().iter().flatten()) {
            assert_eq!((w / 4.0).to_bits(), quarter.to_bits());
        }
        assert_eq!(four.origin().settings.temperature.to_bits(), 4_f64.to_bits());
    }
}

/// Cancelled at once, it still has probabilities: on a small table the same as without.
#[test]
fn a_cancelled_training_has_probabilities() {
    let data = data(200, 3, 13);
    let settings = settings(&data, "2");
    let cancellation = Cancellation::default();
    cancellation.cancel();
    let fitted = Training::new("rows", &data, &settings).unwrap().cancel_by(&cancellation).run().unwrap();
    assert_eq!(fitted.report.stop, StopReason::Observer);
    assert!(fitted.model.has_probabilities());
    assert!(log_loss(&fitted.model, &data.train) < 3_f64.ln());
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut data = data(50, 2, 15);
    let refusal = |settings: &FitSettings, data: &TrainTest| {
        Training::new("rows", data, settings).err().unwrap().to_string()
    };
    let mut with_threshold = settings(&data, "2");
    with_threshold.stop.threshold = Some(0.1);
    let message = refusal(&with_threshold, &data);
    assert!(message.starts_with("output_layer is logistic, but must be least-squares where"), "{message}");
    for temperature in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let wrong = FitSettings { temperature, ..settings(&data, "2") };
        assert!(refusal(&wrong, &data).contains("must be a positive number"));
    }
    let alone =
        FitSettings { temperature: 2.0, output_layer: OutputLayer::LeastSquares, ..settings(&data, "2") };
    assert!(refusal(&alone, &data).contains("unless output_layer is logistic"));
    let logistic = settings(&data, "2");
    data.train.classification = false;
    assert!(refusal(&logistic, &data).contains("must be least-squares for a regression"));
    let whole = FitSettings { output_layer: OutputLayer::CrossEntropy, ..logistic };
    assert!(refusal(&whole, &data).contains("regression: cross-entropy gives probabilities"));
}

#[test]
fn model_files_of_regressions_have_no_probabilities() {
    let data = data(50, 2, 17);
    let model = fit("rows", &data, &settings(&data, "1")).unwrap().model;
    let text = model.to_json();
    assert!(text.contains("\"output_activation\": \"softmax\""), "{text}");
    let regression = text.replace("\"classification\": true", "\"classification\": false");
    let message = Model::from_json(&regression).unwrap_err();
    assert!(message.contains("its outputs are probabilities of classes"), "{message}");
    assert!(Model::from_json(&text.replace("softmax", "softmin")).is_err());
}
