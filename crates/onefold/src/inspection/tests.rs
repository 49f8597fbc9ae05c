use super::*;
use crate::data::{Split, Table, TableSettings};
use crate::scores::Metric;
use crate::{Error, FitSettings, Method, Model, TrainTest, fit};
use std::fmt::Write as _;

/// A table of a number that matters, words that matter, a date, a yes or no and a number that do not, and
/// gaps.
fn table(classes: bool) -> (Model, TrainTest) {
    let colours = ["red", "green", "blue", "grey"];
    let mut text = String::from("size,colour,day,member,noise,y\n");
    for i in 0..240_usize {
        let (size, colour) = ((i * 37 % 101) as f64 / 10.0, i * 7 % 4);
        let y = size + [0.0, 3.0, 6.0, 9.0][colour];
        let size = if i % 20 == 3 { String::new() } else { size.to_string() };
        let y = if classes { ["low", "high"][usize::from(y > 9.0)].into() } else { format!("{y:.2}") };
        let _ = writeln!(
            text,
            "{size},{},2024-{:02}-{:02},{},{},{y}",
            colours[colour],
            i % 12 + 1,
            i * 5 % 28 + 1,
            ["yes", "no"][i * 3 % 7 % 2],
            i * 53 % 97,
        );
    }
    let table = Table::from_reader("t.csv", &TableSettings::default(), text.as_bytes()).unwrap();
    let data = table.split(&Split::Fraction { test: 0.25, seed: 1 }).unwrap();
    let settings = FitSettings::for_data(&data.train, "2+linear", Method::AUTO).unwrap();
    let model = fit("t.csv", &data, &settings).unwrap().model;
    (model, data)
}

#[test]
fn columns_that_matter_are_important_and_others_are_not() {
    for (classes, metrics) in [
        (false, &[Metric::Rmse, Metric::Mae, Metric::R2][..]),
        (true, &[Metric::LogLoss, Metric::Accuracy, Metric::BalancedAccuracy, Metric::MacroF1, Metric::Auc]),
    ] {
        let (model, data) = table(classes);
        for metric in metrics {
            let settings = ImportanceSettings { metric: Some(*metric), ..ImportanceSettings::default() };
            let found = importance(&model, &data.train, &settings).unwrap();
            let names: Vec<&str> = found.columns.iter().map(|c| c.column.as_str()).collect();
            assert_eq!(names.len(), 5, "columns of the table, not inputs: {names:?}");
            let first = &names[..2];
            assert!(first.contains(&"size") && first.contains(&"colour"), "{metric}: {names:?}");
            assert!(found.columns[..2].iter().all(|c| c.lower > 0.0), "{metric}: {found:?}");
            let scores = model.scores(&data.train).unwrap();
            let score = metric.of(&scores).unwrap();
            assert!((found.score - score).abs() < 1e-9 * score.max(1.0), "{metric}: {} {score}", found.score);
        }
    }
}

#[test]
fn importance_is_the_same_on_any_number_of_threads_and_follows_its_seed() {
    let (model, data) = table(false);
    let of = |threads, seed| {
        importance(&model, &data.test, &ImportanceSettings { seed, threads, ..ImportanceSettings::default() })
            .unwrap()
    };
    assert_eq!(of(1, 3), of(4, 3));
    assert_ne!(of(1, 3), of(1, 4));
    let few = ImportanceSettings { rows: 20, ..ImportanceSettings::default() };
    assert_eq!(importance(&model, &data.train, &few).unwrap().rows, 20);
}

/// The interval of the importance of a column that is permuted against the difference on many rows.
#[test]
fn a_permuted_column_costs_what_the_formula_says() {
    // y = 3 a + b with independent a and b of variance 1: without a, the mean squared error is 2 * 9.
    let mut rng = crate::rng::Rng::stream(5, crate::rng::Purpose::Data, 0, 0);
    let mut columns = vec![Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..4000 {
        let (a, b) = (rng.normal(), rng.normal());
        [a, b, 3.0 * a + b + 0.1 * rng.normal()].iter().zip(&mut columns).for_each(|(v, c)| c.push(*v));
    }
    let outputs = vec![columns.pop().unwrap()];
    let names = ["a", "b"].map(String::from).to_vec();
    let train = crate::Dataset {
        inputs: columns.into_iter().map(Into::into).collect(),
        outputs,
        input_names: names,
        output_names: vec!["y".into()],
        classification: false,
        weights: None,
    };
    let data = TrainTest { train, ..TrainTest::default() };
    let settings = FitSettings::for_data(&data.train, "none+linear", Method::AUTO).unwrap();
    let model = fit("rows", &data, &settings).unwrap().model;
    let found = importance(&model, &data.train, &ImportanceSettings::default()).unwrap();
    for (column, factor) in [("a", 3.0), ("b", 1.0)] {
        let expected = (2.0 * factor * factor + 0.01_f64).sqrt() - 0.1;
        let c = found.columns.iter().find(|c| c.column == column).unwrap();
        assert!(c.lower < expected && expected < c.upper, "{expected} {c:?}");
        assert!(c.standard_error < 0.05 * expected, "{c:?}");
    }
}

#[test]
fn curves_have_the_values_of_the_table() {
    let (model, data) = table(false);
    let of = |column: &str| dependence(&model, &data.train, column, &DependenceSettings::default()).unwrap();
    let texts = |curve: &Curve| curve.points.iter().map(|p| p.value.clone()).collect::<Vec<_>>();
    let colours = of("colour");
    assert_eq!(texts(&colours), ["blue", "green", "grey", "red"]);
    let at = |colour: usize| colours.points[colour].mean[0];
    assert!((at(0) - at(1) - 3.0).abs() < 1.0 && (at(2) - at(3) - 9.0).abs() < 1.5, "{colours:?}");
    let size = of("size");
    assert_eq!(size.points.len(), 21);
    assert_eq!(size.points.last().unwrap().value, "(missing)");
    assert!(size.points[..20].is_sorted_by(|a, b| a.number < b.number), "{size:?}");
    assert!(size.points[19].mean[0] - size.points[0].mean[0] > 7.0, "{size:?}");
    assert!(size.points.iter().all(|p| p.lower[0] <= p.mean[0] && p.mean[0] <= p.upper[0]));
    let day = of("day");
    assert!(day.points.iter().all(|p| p.value.starts_with("2024-")), "{:?}", texts(&day));
    assert!(texts(&day).is_sorted());
    assert_eq!(texts(&of("member")), ["no", "yes"]);
    let unknown = dependence(&model, &data.train, "sizes", &DependenceSettings::default()).unwrap_err();
    assert!(unknown.to_string().contains("size, colour, day, member, noise"), "{unknown}");
}

#[test]
fn rows_of_other_models_are_refused() {
    let (model, data) = table(false);
    let other = crate::Builtin::Iris.load(&Default::default()).unwrap();
    let settings = ImportanceSettings::default();
    let error = importance(&model, &other.test, &settings).unwrap_err();
    assert!(matches!(error, Error::Mismatch { .. }), "{error}");
    let none = data.test.select(&[]);
    assert!(importance(&model, &none, &settings).is_err());
    let wrong = ImportanceSettings { metric: Some(Metric::Auc), ..settings.clone() };
    let message = importance(&model, &data.test, &wrong).unwrap_err().to_string();
    assert!(message.contains("rmse, mae, r2 for a regression"), "{message}");
    assert!(importance(&model, &data.test, &ImportanceSettings { repeats: 0, ..settings }).is_err());
}
