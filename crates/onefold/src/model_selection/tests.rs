use super::*;
use crate::rng::{Purpose, Rng};
use crate::{Cancellation, Dataset, FitSettings, Method, MethodSettings};

/// Inputs uniform in (-2, 2), and noisy targets.
fn table(rows: usize, inputs: usize, noise: f64, answer: impl Fn(&[f64]) -> f64) -> Dataset {
    let mut data = Dataset {
        inputs: vec![Vec::new(); inputs],
        outputs: vec![Vec::new()],
        input_names: (0..inputs).map(|i| format!("x{i}")).collect(),
        output_names: vec!["y".into()],
        classification: false,
    };
    for row in 0..rows {
        let mut rng = Rng::stream(3, Purpose::Data, 0, row);
        let x: Vec<f64> = (0..inputs).map(|_| rng.between(-2.0, 2.0)).collect();
        data.outputs[0].push(answer(&x) + noise * rng.between(-1.0, 1.0));
        data.inputs.iter_mut().zip(x).for_each(|(column, v)| column.push(v));
    }
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

fn chosen(data: &Dataset, template: &FitSettings, settings: &SelectionSettings) -> Selection {
    select(data, template, settings, &Cancellation::default(), |_| {}).unwrap().unwrap()
}

#[test]
fn two_neurons_suffice_for_a_bump() {
    let data = table(150, 3, 0.3, bump);
    let settings = SelectionSettings::default();
    let choice = chosen(&data, &template(&data), &settings);
    assert_eq!(choice.hidden, 2, "{choice:#?}");
    assert_eq!((choice.rows, choice.folds), (150, Some(5)));
    let notes: Vec<Verdict> = choice.tried.iter().map(|t| t.verdict).collect();
    assert_eq!(notes.iter().filter(|n| **n == Verdict::Selected).count(), 1);
    let one = choice.tried.iter().find(|t| t.verdict == Verdict::Worse).unwrap();
    assert_eq!((one.topology.to_string().as_str(), one.parameters), ("3-1-1", 6));
    let it = choice.tried.iter().find(|t| t.verdict == Verdict::Selected).unwrap();
    assert!(it.fraction.unwrap() > 0.8 && one.fraction.unwrap() < 0.5, "{it:?} {one:?}");
}

#[test]
fn classes_are_chosen_by_wrong_answers() {
    let mut data = table(160, 2, 0.2, bump);
    let inside: Vec<f64> = data.outputs[0].iter().map(|y| f64::from(u8::from(*y > 1.2))).collect();
    data.outputs = vec![inside.iter().map(|v| 1.0 - v).collect(), inside];
    data.output_names = vec!["out".into(), "in".into()];
    data.classification = true;
    let choice = chosen(&data, &template(&data), &SelectionSettings::default());
    assert_eq!(choice.hidden, 2, "{choice:#?}");
}

#[test]
fn the_choice_does_not_depend_on_threads() {
    let data = table(90, 4, 0.5, bump);
    let settings = SelectionSettings::default();
    let untimed = |threads| {
        let mut choice = chosen(&data, &template(&data), &SelectionSettings { threads, ..settings.clone() });
        choice.tried.iter_mut().for_each(|t| t.seconds = 0.0);
        choice
    };
    assert_eq!(untimed(1), untimed(2));
    assert_eq!(untimed(1), untimed(3));
}

#[test]
fn a_target_is_reached_by_the_smallest_network() {
    let data = table(100, 2, 0.0, bump);
    let mut template = template(&data);
    template.stop.threshold = Some(1e-8);
    let choice = chosen(&data, &template, &SelectionSettings::default());
    assert_eq!((choice.hidden, &choice.reason, choice.end), (2, &Reason::Threshold, End::Reached));
    let notes: Vec<Verdict> = choice.tried.iter().map(|t| t.verdict).collect();
    assert_eq!(notes, [Verdict::NotReached, Verdict::Selected]);
    // No network of the short list reaches the threshold.
    template.stop.threshold = Some(1e-30);
    let few =
        SelectionSettings { widths: vec![1, 2], patience_for_threshold: 3, ..SelectionSettings::default() };
    let choice = chosen(&data, &template, &few);
    assert_eq!((choice.hidden, &choice.reason, choice.end), (2, &Reason::Nearest, End::List));
}

#[test]
fn wide_tables_and_tall_ones() {
    let widths = vec![1, 2, 3];
    let settings =
        SelectionSettings { widths, folds: 3, repeats: 1, rows: 400, ..SelectionSettings::default() };
    let wide = table(200, 60, 0.5, |x| x[0] + 0.5 * x[1]);
    let choice = chosen(&wide, &template(&wide), &settings);
    assert_eq!(choice.hidden, 1, "{choice:#?}");
    let it = choice.tried.iter().find(|t| t.verdict == Verdict::Selected).unwrap();
    assert!(it.fraction.unwrap() > 0.8, "{it:?}");
    // More inputs than rows: only the smallest is tried.
    let wider = table(40, 120, 0.1, |x| x[0]);
    let choice = chosen(&wider, &template(&wider), &settings);
    assert_eq!((choice.hidden, choice.end), (1, End::Rows));
    let tall = table(3000, 2, 0.1, bump);
    let choice = chosen(&tall, &template(&tall), &settings);
    assert_eq!((choice.rows, choice.hidden), (400, 2), "{choice:#?}");
}

#[test]
fn effort_is_bounded_and_it_can_be_cancelled() {
    let data = table(60, 3, 0.3, bump);
    let little = SelectionSettings { operations: 1.0, ..SelectionSettings::default() };
    let choice = chosen(&data, &template(&data), &little);
    assert_eq!((choice.hidden, choice.end), (1, End::Effort));
    let cancelled = Cancellation::default();
    cancelled.cancel();
    let ended = select(&data, &template(&data), &little, &cancelled, |_| {}).unwrap();
    assert_eq!(ended, None);
    let several = SelectionSettings { widths: vec![2, 1], ..SelectionSettings::default() };
    assert!(select(&data, &template(&data), &several, &Cancellation::default(), |_| {}).is_err());
}

#[test]
fn networks_are_tried_by_descents_whatever_the_method() {
    let data = table(60, 2, 0.3, bump);
    let mut other = template(&data);
    other.method = MethodSettings::new(Method::DE_SB);
    other.method.common.seed = 5;
    other.stop.spread = Some(1e-9);
    let settings = SelectionSettings::default();
    let untimed = |template: &FitSettings| {
        let mut choice = chosen(&data, template, &settings);
        choice.tried.iter_mut().for_each(|t| t.seconds = 0.0);
        choice
    };
    assert_eq!(untimed(&other), untimed(&template(&data)));
}
