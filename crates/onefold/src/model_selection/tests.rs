use super::*;
use crate::rng::{Purpose, Rng};
use crate::settings::OutputLayer;
use crate::{Cancellation, Dataset, FitSettings, Method, MethodSettings};

/// Inputs uniform in (-2, 2), and noisy targets.
fn table(rows: usize, inputs: usize, noise: f64, answer: impl Fn(&[f64]) -> f64) -> Dataset {
    let mut data = Dataset {
        inputs: vec![crate::data::Column::default(); inputs],
        outputs: vec![Vec::new()],
        input_names: (0..inputs).map(|i| format!("x{i}")).collect(),
        output_names: vec!["y".into()],
        classification: false,
        weights: None,
    };
    for row in 0..rows {
        let mut rng = Rng::stream(3, Purpose::Data, 0, row);
        let x: Vec<f64> = (0..inputs).map(|_| rng.between(-2.0, 2.0)).collect();
        data.outputs[0].push(answer(&x) + noise * rng.between(-1.0, 1.0));
        data.inputs.iter_mut().zip(x).for_each(|(column, v)| column.push(v));
    }
    data
}

/// The same rows as two classes, by whether the target is above a number.
fn classes(mut data: Dataset, above: f64) -> Dataset {
    let inside: Vec<f64> = data.outputs[0].iter().map(|y| f64::from(u8::from(*y > above))).collect();
    data.outputs = vec![inside.iter().map(|v| 1.0 - v).collect(), inside];
    data.output_names = vec!["out".into(), "in".into()];
    data.classification = true;
    data
}

/// A bump along one direction, which needs two neurons.
fn bump(x: &[f64]) -> f64 {
    2.0 * ((x[0] + 0.5 * x[1] + 0.7).tanh() - (x[0] + 0.5 * x[1] - 0.7).tanh())
}

fn template(data: &Dataset) -> FitSettings {
    let mut template = FitSettings::for_data(data, "1", Method::AUTO).unwrap();
    template.method.common.seed = 5;
    template
}

/// Few shapes and little effort, so that tests are fast.
fn settings() -> SelectionSettings {
    let shapes = ["1", "2", "3", "5", "4-1-4"].map(String::from).to_vec();
    SelectionSettings { shapes, decays: vec![1e-5, 1e-3, 1e-1], effort: Some(0.4), ..Default::default() }
}

fn selected(data: &Dataset, settings: &SelectionSettings) -> Selection {
    select(data, &template(data), settings, &Cancellation::default(), |_| {}).unwrap().unwrap()
}

fn tried<'a>(selection: &'a Selection, topology: &str) -> &'a Tried {
    let of_it = selection.tried.iter().filter(|tried| tried.topology.to_string() == topology);
    of_it.max_by(|a, b| a.fraction.unwrap().total_cmp(&b.fraction.unwrap())).unwrap()
}

/// Squares of these are far outside what single precision holds.
#[test]
fn targets_of_any_size_have_the_same_race() {
    let data = table(120, 2, 0.3, bump);
    let plain = selected(&data, &settings());
    for metric in [Metric::Rmse, Metric::Mae] {
        let settings = SelectionSettings { metric: Some(metric), ..settings() };
        let plain = selected(&data, &settings);
        for unit in [2.0_f64.powi(-200), 2.0_f64.powi(200)] {
            let mut large = data.clone();
            large.outputs[0].iter_mut().for_each(|y| *y *= unit);
            let selection = selected(&large, &settings);
            assert_eq!(selection.topology, plain.topology, "{metric} {unit}");
            assert_eq!(selection.tried.len(), plain.tried.len());
            for (tried, expected) in selection.tried.iter().zip(&plain.tried) {
                assert_eq!((tried.verdict, tried.decay), (expected.verdict, expected.decay));
                assert!((tried.score / (expected.score * unit) - 1.0).abs() < 1e-9, "{tried:?} {expected:?}");
            }
            let widths = |of: &Selection| of.intervals.as_ref().unwrap().half_widths(0.9).unwrap()[0];
            assert!((widths(&selection) / (widths(&plain) * unit) - 1.0).abs() < 1e-6);
        }
    }
    assert_eq!(plain.topology.to_string(), "2-2-1");
}

#[test]
fn two_neurons_suffice_for_a_bump() {
    let data = table(150, 3, 0.3, bump);
    let selection = selected(&data, &settings());
    assert_eq!(selection.topology.to_string(), "3-2-1", "{selection:#?}");
    assert_eq!((selection.rows, selection.folds, selection.metric), (150, Some(5), Some(Metric::Rmse)));
    assert_eq!(selection.start.as_ref().map(|start| start.hidden.len()), Some(selection.topology.dim()));
    let of = |verdict| selection.tried.iter().filter(move |tried| tried.verdict == verdict).count();
    assert_eq!(of(Verdict::Selected), 1);
    assert!(tried(&selection, "3-2-1").fraction.unwrap() > 0.8);
    assert!(tried(&selection, "3-1-1").fraction.unwrap() < 0.5);
    assert!(tried(&selection, "3-1+linear").fraction.unwrap() < 0.5, "the linear model is always shown");
    assert!(tried(&selection, "3-1").fraction.unwrap().abs() < 0.1, "and the constant answer");
    let enough = SelectionSettings { effort: Some(3.0), ..settings() };
    let clear = selected(&data, &enough);
    assert!(!clear.notes.contains(&Note::Intensified), "a clear result needs no more restarts: {clear:#?}");
    assert!(tried(&selection, "3-2-1").association.unwrap() > 8.0);
}

#[test]
fn classes_are_compared_by_the_log_loss_of_probabilities() {
    let data = classes(table(160, 2, 0.2, bump), 1.2);
    let selection = selected(&data, &settings());
    assert_eq!((selection.topology.to_string().as_str(), selection.metric), ("2-2-2", Some(Metric::LogLoss)));
    let constant = tried(&selection, "2-2");
    let share = data.outputs[0].iter().sum::<f64>() / 160.0;
    let entropy = -share * share.ln() - (1.0 - share) * (1.0 - share).ln();
    assert!((constant.score - entropy).abs() < 0.02, "{} {entropy}", constant.score);
    let by_accuracy = SelectionSettings { metric: Some(Metric::Accuracy), ..settings() };
    let other = selected(&data, &by_accuracy);
    assert!(tried(&other, "2-2-2").score > 0.85 && other.temperature >= 1.0);
    let wrong = SelectionSettings { metric: Some(Metric::R2), ..settings() };
    assert!(Selector::new(&data, &template(&data), &wrong).is_err());
}

/// With a strong decay, least squares of three layers leads to zero weights, where no descent on the
/// cross-entropy would begin: only the strong decay is given here, so that no weaker one leads to it.
#[test]
fn a_strong_decay_of_cross_entropy_does_not_begin_at_zero_weights() {
    let data = classes(table(300, 4, 0.0, |x| x.iter().map(|v| v * v).sum()), 5.0);
    let settings = SelectionSettings {
        hidden: Some("10-10-10".into()),
        output_layer: Some(OutputLayer::CrossEntropy),
        cross_entropy_decays: vec![1e-2],
        effort: Some(2.0),
        ..SelectionSettings::default()
    };
    let selection = selected(&data, &settings);
    let score = tried(&selection, "4-10-10-10-2").score;
    assert!(score < 0.4, "{score}");
    let start = selection.start.unwrap().hidden;
    assert!(start.iter().any(|w| w.abs() > 0.1), "the network for all rows is not constant, either");
}

/// A longer search for least squares than that of the race could make the log loss much higher than what was
/// estimated.
#[test]
fn a_classifier_whose_search_was_cut_short_is_not_searched_any_further() {
    let data = classes(table(400, 6, 0.0, |x| x.iter().map(|v| v * v).sum()), 8.0);
    let of_least_squares = SelectionSettings { output_layer: Some(OutputLayer::Logistic), ..settings() };
    let shapes = vec!["20-20".to_string()];
    let short = SelectionSettings { shapes, effort: Some(2.0), ..of_least_squares.clone() };
    let selection = selected(&data, &short);
    assert!(selection.notes.contains(&Note::CutShort), "{selection:?}");
    let start = selection.start.unwrap();
    assert!(start.is_kept);
    let train_test = crate::TrainTest { train: data.clone(), ..Default::default() };
    let mut fit = FitSettings::for_data(&data, "20-20", Method::AUTO).unwrap();
    fit.output_layer = OutputLayer::Logistic;
    let fitted = start.begin(crate::Training::new("rows", &train_test, &fit).unwrap()).run().unwrap();
    assert_eq!((fitted.model.hidden(), fitted.report.evaluations), (&start.hidden[..], 1));
    // With given layers only the decay is selected, and the network is trained to its end.
    let given = selected(&data, &SelectionSettings { hidden: Some("20-20".into()), ..short });
    assert!(given.notes.contains(&Note::CutShort) && !given.start.unwrap().is_kept);
    // A search that ended by itself goes on with more restarts.
    let long = SelectionSettings { shapes: vec!["1".into()], effort: Some(20.0), ..of_least_squares };
    let selection = selected(&classes(table(200, 2, 0.5, bump), 0.5), &long);
    assert!(selection.start.is_some_and(|start| !start.is_kept));
}

/// Whether a row is far from the middle of many inputs: the error of large networks is lower if all weights
/// are trained for cross-entropy.
#[test]
fn networks_are_also_trained_for_cross_entropy() {
    let data = classes(table(400, 6, 0.0, |x| x.iter().map(|v| v * v).sum()), 8.0);
    let shapes = ["4", "32"].map(String::from).to_vec();
    let settings = SelectionSettings { shapes, effort: Some(4.0), threads: 2, ..settings() };
    let both = selected(&data, &SelectionSettings { output_layer: None, ..settings.clone() });
    assert_eq!(both.output_layer, OutputLayer::CrossEntropy, "{both:#?}");
    let count = |selection: &Selection, layer: OutputLayer| {
        let of_layer = |tried: &&Tried| tried.output_layer == layer && !tried.topology.hidden().is_empty();
        selection.tried.iter().filter(of_layer).count()
    };
    let [logistic, cross_entropy] = [OutputLayer::Logistic, OutputLayer::CrossEntropy].map(|layer| {
        let given = SelectionSettings { output_layer: Some(layer), ..settings.clone() };
        let selection = selected(&data, &given);
        assert_eq!(selection.output_layer, layer);
        assert_eq!(count(&selection, layer), count(&both, layer));
        assert!(selection.tried.iter().all(|t| t.output_layer == layer || t.topology.hidden().is_empty()));
        selection
    });
    let score = |selection: &Selection| {
        selection.tried.iter().find(|tried| tried.verdict == Verdict::Selected).unwrap().score
    };
    assert!(score(&cross_entropy) < 0.9 * score(&logistic));
    // A regression has nothing of it.
    let selection = selected(&table(60, 2, 0.3, bump), &self::settings());
    assert!(selection.tried.iter().all(|tried| tried.output_layer == OutputLayer::LeastSquares));
}

#[test]
fn where_there_is_nothing_to_learn_the_constant_is_selected() {
    let mut intensified = 0;
    for seed in 0..5 {
        let noise = |x: &[f64]| Rng::stream(seed, Purpose::Data, x[0].to_bits(), 0).between(-1.0, 1.0);
        let data = table(100, 3, 0.0, noise);
        let selection = selected(&data, &settings());
        assert_eq!(selection.topology.to_string(), "3-1", "{selection:#?}");
        assert!(matches!(selection.reason, Reason::NotBeaten { .. }));
        assert_eq!(selection.start, None);
        intensified += usize::from(selection.notes.contains(&Note::Intensified));
    }
    assert!(intensified > 0, "some networks have lower losses by chance, and are trained again");
}

#[test]
fn a_linear_function_is_left_to_the_linear_model() {
    let data = table(100, 3, 0.5, |x| x[0] - 2.0 * x[2]);
    let selection = selected(&data, &settings());
    assert_eq!(selection.topology.to_string(), "3-1+linear", "{selection:#?}");
}

/// Of so few rows, permutations within folds show nothing.
#[test]
fn a_linear_function_is_found_with_few_rows_and_noise_is_not() {
    for rows in [8, 10, 12, 15, 19, 30] {
        let data = table(rows, 2, 0.2, |x| 3.0 * x[0] - x[1]);
        let selection = selected(&data, &settings());
        assert_ne!(selection.topology.to_string(), "2-1", "{rows} rows: {selection:#?}");
        // A class says less than a number.
        if rows >= 15 {
            let of_classes = selected(&classes(data, 0.0), &settings());
            assert_ne!(of_classes.topology.to_string(), "2-2", "{rows} rows: {of_classes:#?}");
        }
    }
    let mut constants = 0;
    for seed in 0..10 {
        let noise = |x: &[f64]| Rng::stream(seed, Purpose::Data, x[0].to_bits(), 0).between(-1.0, 1.0);
        let selection = selected(&table(12 + seed as usize, 2, 0.0, noise), &settings());
        constants += usize::from(selection.topology.to_string() == "2-1");
    }
    assert!(constants >= 9, "{constants}");
}

/// One neuron gains nothing on an exclusive or, and neither do strong decays: those that need more are kept.
#[test]
fn larger_networks_stay_although_smaller_ones_gain_nothing() {
    let data = classes(table(200, 2, 0.0, |x| x[0] * x[1]), 0.0);
    let selection = selected(&data, &settings());
    assert!(selection.topology.hidden()[0] > 1, "{selection:#?}");
    assert!(tried(&selection, &selection.topology.to_string()).fraction.unwrap() > 0.9);
}

#[test]
fn given_layers_keep_their_decay_only() {
    let data = table(100, 3, 0.5, |x| x[0] - 2.0 * x[2]);
    let given = SelectionSettings { hidden: Some("3".into()), ..settings() };
    let selection = selected(&data, &given);
    assert_eq!((selection.topology.to_string().as_str(), &selection.reason), ("3-3-1", &Reason::Lowest));
    assert!(selection.tried.iter().any(|tried| tried.topology.hidden().is_empty()), "baselines are shown");
    let linear = SelectionSettings { hidden: Some("none+linear".into()), ..settings() };
    let selection = selected(&data, &linear);
    assert_eq!((selection.topology.to_string().as_str(), &selection.reason), ("3-1+linear", &Reason::Lowest));
}

#[test]
fn the_selection_does_not_depend_on_threads_or_interruptions() {
    let numbers = table(60, 2, 0.5, bump);
    is_the_same_after_interruptions(&numbers, &settings());
    // Of classes, with all weights trained for cross-entropy.
    let cross_entropy = Some(OutputLayer::CrossEntropy);
    let settings = SelectionSettings { output_layer: cross_entropy, ..settings() };
    is_the_same_after_interruptions(&classes(numbers, 1.2), &settings);
}

fn is_the_same_after_interruptions(data: &Dataset, settings: &SelectionSettings) {
    let whole = selected(data, settings);
    assert!(whole.start.is_some());
    assert_eq!(whole, selected(data, &SelectionSettings { threads: 3, ..settings.clone() }));
    // Continued from what was saved at the end of each rung, also of the last one.
    let mut ends = Vec::new();
    let observe = |progress: &SelectionProgress<'_>| match progress {
        SelectionProgress::Race(race) if race.is_rung_complete => ends.push(race.save()),
        _ => {}
    };
    select(data, &template(data), settings, &Cancellation::default(), observe).unwrap();
    assert!(ends.len() >= 3);
    for (rung, saved) in ends.iter().enumerate() {
        let template = template(data);
        let resumed = Selector::new(data, &template, settings).unwrap().resume(saved);
        assert_eq!(resumed.run().unwrap().unwrap(), whole, "rung {rung}");
    }
    // Ended after some networks, and continued from what was saved.
    for tasks in [1, 7, 15, 30, 45] {
        let (cancellation, mut saved, mut count) = (Cancellation::default(), Vec::new(), 0);
        let observe = |progress: &SelectionProgress<'_>| {
            count += 1;
            if let (SelectionProgress::Race(race), true) = (progress, count <= tasks) {
                saved = race.save();
            }
            if count == tasks {
                cancellation.cancel();
            }
        };
        let template = template(data);
        let ended = select(data, &template, settings, &cancellation, observe).unwrap();
        assert!(ended.is_some_and(|ended| ended.end == End::Cancelled), "the best so far");
        let resumed = Selector::new(data, &template, settings).unwrap().resume(&saved);
        assert_eq!(resumed.run().unwrap().unwrap(), whole, "{tasks}");
        let mut damaged = saved.clone();
        damaged.truncate(saved.len() / 2);
        assert!(Selector::new(data, &template, settings).unwrap().resume(&damaged).run().is_err());
    }
}

#[test]
fn large_tables_are_tried_on_samples_first() {
    let data = table(6000, 2, 0.3, bump);
    let mut samples = Vec::new();
    let tell = |progress: &SelectionProgress<'_>| {
        if let SelectionProgress::Race(race) = progress {
            samples.push(race.training_rows);
        }
    };
    let few = SelectionSettings { shapes: vec!["1".into(), "2".into()], ..settings() };
    let selection = select(&data, &template(&data), &few, &Cancellation::default(), tell).unwrap().unwrap();
    samples.dedup();
    assert_eq!(samples, [1000, 4800]);
    assert_eq!(selection.topology.hidden(), [2], "{selection:#?}");
}

#[test]
fn a_target_is_reached_by_the_smallest_network() {
    let data = table(100, 2, 0.0, bump);
    let mut template = template(&data);
    template.stop.threshold = Some(1e-8);
    let run = |template: &FitSettings, settings: &SelectionSettings| {
        select(&data, template, settings, &Cancellation::default(), |_| {}).unwrap().unwrap()
    };
    let selection = run(&template, &SelectionSettings::default());
    assert_eq!((selection.topology.hidden(), selection.end), (&[2][..], End::Reached));
    assert_eq!(selection.reason, Reason::Threshold);
    let verdicts: Vec<Verdict> = selection.tried.iter().map(|t| t.verdict).collect();
    assert_eq!(verdicts, [Verdict::NotReached, Verdict::Selected]);
    // No network of the short list reaches the threshold.
    template.stop.threshold = Some(1e-30);
    let few =
        SelectionSettings { widths: vec![1, 2], patience_for_threshold: 3, ..SelectionSettings::default() };
    let selection = run(&template, &few);
    assert_eq!((selection.topology.hidden(), selection.end), (&[2][..], End::List));
    assert_eq!(selection.reason, Reason::Nearest);
}

#[test]
fn small_and_odd_tables_are_no_failure() {
    // Two rows, more inputs than rows, a constant target in some folds, a class with a single row.
    let tiny = table(2, 1, 0.5, |x| x[0]);
    assert_eq!(selected(&tiny, &settings()).topology.to_string(), "1-1");
    let wide = table(12, 40, 0.1, |x| x[0]);
    assert!(selected(&wide, &settings()).tried.len() > 2);
    let rare = table(30, 2, 0.0, |x| f64::from(u8::from(x[0] > 1.9)));
    assert!(selected(&rare, &settings()).tried.len() > 2);
    assert!(selected(&classes(rare, 0.5), &settings()).tried.len() > 2);
    let mut same = table(30, 2, 0.0, |_| 1.0);
    same.inputs[1] = vec![3.0; 30].into();
    assert_eq!(selected(&same, &settings()).topology.to_string(), "2-1");
}

#[test]
fn settings_out_of_range_are_refused_and_nothing_is_selected_after_a_cancellation() {
    let data = table(60, 3, 0.3, bump);
    let cancelled = Cancellation::default();
    cancelled.cancel();
    assert_eq!(select(&data, &template(&data), &settings(), &cancelled, |_| {}).unwrap(), None);
    for wrong in [
        SelectionSettings { widths: vec![2, 1], ..settings() },
        SelectionSettings { decays: vec![1e-1, 1e-3], ..settings() },
        SelectionSettings { cross_entropy_decays: vec![0.0, 1e-3], ..settings() },
        SelectionSettings { shapes: Vec::new(), ..settings() },
        SelectionSettings { effort: Some(0.0), ..settings() },
        SelectionSettings { folds: 1, ..settings() },
    ] {
        assert!(Selector::new(&data, &template(&data), &wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn networks_are_tried_by_descents_whatever_the_method() {
    let data = table(60, 2, 0.3, bump);
    let mut other = template(&data);
    other.method = MethodSettings::new(Method::DE_SB);
    other.method.common.seed = 5;
    other.stop.spread = Some(1e-9);
    let run = |template: &FitSettings| {
        select(&data, template, &settings(), &Cancellation::default(), |_| {}).unwrap()
    };
    assert_eq!(run(&other), run(&template(&data)));
}

/// Every fit by a worker of its own, in any order, as on machines that share nothing.
#[test]
fn fits_elsewhere_make_the_same_selection() {
    for data in [table(150, 3, 0.3, bump), classes(table(150, 2, 0.2, bump), 1.0)] {
        let (settings, template) = (settings(), template(&data));
        let (mut fits, never) = (0, Cancellation::default());
        let mut elsewhere = |work: &RaceFits<'_>| {
            fits += work.count;
            let fit = |number| RaceWorker::new(work.parcel).unwrap().fit(work.state, number, &never).unwrap();
            let mut results: Vec<_> = (0..work.count).rev().map(fit).collect();
            results.reverse();
            results.into_iter().collect()
        };
        let selector = Selector::new(&data, &template, &settings).unwrap();
        let selection = selector.run_fits_by(&mut elsewhere).run().unwrap().unwrap();
        assert_eq!(selection, selected(&data, &settings));
        assert!(fits > 20, "{fits}");
    }
}

#[test]
fn strange_results_of_fits_are_refused() {
    let data = table(100, 2, 0.3, bump);
    let (settings, template) = (settings(), template(&data));
    let run = |elsewhere: &mut Elsewhere<'_>| {
        Selector::new(&data, &template, &settings).unwrap().run_fits_by(elsewhere).run()
    };
    assert!(matches!(run(&mut |_| Some(Vec::new())), Err(crate::Error::State(_))));
    assert!(matches!(run(&mut |work| Some(vec![vec![1, 2]; work.count])), Err(crate::Error::State(_))));
    assert!(run(&mut |_| None).unwrap().is_none());
    assert!(RaceWorker::new(b"no parcel").is_err());
}
