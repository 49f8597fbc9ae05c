use super::*;
use serde_json::Value;

fn classes(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn near(found: Option<f64>, expected: f64) {
    assert!((found.unwrap() - expected).abs() < 1e-12, "{found:?} instead of {expected}");
}

/// Sums of weights that are added in another order differ by rounding.
#[test]
fn fractions_of_weighted_rows_are_at_most_one() {
    let classes = ["a", "b", "c"].map(String::from);
    for seed in 1..200_u32 {
        let mut evaluation = Evaluation::new(3, Some(&classes)).with_probabilities(true);
        for row in 0..30_u32 {
            let class = (row * seed) as usize % 3;
            let mut actual = [0.0; 3];
            actual[class] = 1.0;
            let weight = 0.1 + f64::from(row * row * seed % 97) / 7.0;
            evaluation.add_weighted(&actual, &actual, weight);
        }
        assert_eq!(evaluation.scores().unwrap().check(), Ok(()), "{seed}");
    }
}

#[test]
fn regressions() {
    let mut evaluation = Evaluation::new(1, None);
    assert_eq!(evaluation.scores(), None);
    for (p, y) in [(1.0, 2.0), (3.0, 3.0), (6.0, 4.0)] {
        evaluation.add(&[p], &[y]);
    }
    let s = evaluation.scores().unwrap();
    assert_eq!((s.rows, s.mae, s.accuracy), (3, Some(1.0), None));
    assert!((s.mse - 5.0 / 3.0).abs() < 1e-15 && (s.rmse * s.rmse - s.mse).abs() < 1e-15);
    assert!((s.r2.unwrap() - (1.0 - 5.0 / 2.0)).abs() < 1e-12);
    let mut constant = Evaluation::new(1, None);
    constant.add(&[1.0], &[1.0]);
    assert_eq!(constant.scores().unwrap().r2, None);
}

#[test]
fn several_targets_have_scores_of_their_own() {
    let mut evaluation = Evaluation::new(2, None).with_targets(&classes(&["u", "v"]));
    for (p, y) in [([1.0, 10.0], [2.0, 30.0]), ([3.0, 20.0], [3.0, 20.0]), ([6.0, 30.0], [4.0, 10.0])] {
        evaluation.add(&p, &y);
    }
    let s = evaluation.scores().unwrap();
    // r2_score([[2, 30], [3, 20], [4, 10]], [[1, 10], [3, 20], [6, 30]], multioutput="raw_values")
    assert_eq!(s.targets.iter().map(|t| t.r2).collect::<Vec<_>>(), [Some(-1.5), Some(-3.0)]);
    assert_eq!((s.r2, s.targets[1].mae, &*s.targets[1].target), (Some(-2.25), 40.0 / 3.0, "v"));
    assert!((s.targets[1].rmse - (800.0_f64 / 3.0).sqrt()).abs() < 1e-12);
}

#[test]
fn classifications() {
    let mut evaluation = Evaluation::new(3, Some(&classes(&["a", "b", "c"])));
    evaluation.add(&[0.8, 0.2, -0.3], &[1.0, 0.0, 0.0]);
    evaluation.add(&[0.5, 0.4, 0.0], &[0.0, 1.0, 0.0]);
    evaluation.add(&[0.1, 0.9, 0.0], &[0.0, 1.0, 0.0]);
    let s = evaluation.scores().unwrap();
    assert_eq!(s.confusion.unwrap(), [[1, 0, 0], [1, 1, 0], [0, 0, 0]]);
    assert_eq!((s.accuracy, s.r2, s.mae), (Some(2.0 / 3.0), None, None));
    let f1: Vec<Option<f64>> = s.classes.iter().map(|c| c.f1).collect();
    assert_eq!(f1, [Some(2.0 / 3.0), Some(2.0 / 3.0), None]);
    assert_eq!((s.classes[0].auc, s.classes[2].auc), (Some(1.0), None));
    near(s.f1, 2.0 / 3.0);
    near(s.balanced_accuracy, 0.75);
    let p = [0.8 / 1.000_001, 0.4 / 0.900_001, 0.9 / 1.000_001];
    near(s.log_loss, -p.iter().map(|p: &f64| p.ln()).sum::<f64>() / 3.0);
}

#[test]
fn the_log_loss_of_probabilities_is_theirs() {
    let mut evaluation = Evaluation::new(2, Some(&classes(&["a", "b"]))).with_probabilities(true);
    evaluation.add(&[1e-9, 1.0 - 1e-9], &[1.0, 0.0]);
    evaluation.add(&[0.25, 0.75], &[0.0, 1.0]);
    let expected = -(1e-9_f64.ln() + 0.75_f64.ln()) / 2.0;
    near(evaluation.scores().unwrap().log_loss, expected);
    evaluation.add(&[0.0, 1.0], &[1.0, 0.0]);
    near(evaluation.scores().unwrap().log_loss, (2.0 * expected - f64::EPSILON.ln()) / 3.0);
}

#[test]
fn a_weight_is_as_good_as_repetitions() {
    let names = classes(&["a", "b"]);
    let rows =
        [([0.8, 0.3], 0, 3), ([0.4, 0.7], 0, 1), ([0.2, 0.9], 1, 2), ([0.6, 0.1], 1, 4), ([0.7, 0.5], 0, 0)];
    for classes in [None, Some(&names[..])] {
        let [mut weighted, mut repeated] = [(); 2].map(|()| Evaluation::new(2, classes).with_targets(&names));
        for (predicted, class, weight) in &rows {
            let actual = [f64::from(1 - class), f64::from(*class)];
            weighted.add_weighted(predicted, &actual, f64::from(*weight));
            (0..*weight).for_each(|_| repeated.add(predicted, &actual));
        }
        let [found, expected] = [weighted, repeated].map(|e| e.scores().unwrap());
        assert_eq!((found.rows, expected.rows), (4, 10), "counts are counts");
        let numbers = |s: &Scores| {
            // Without counts, all that is left are scores.
            let classes = s.classes.iter().map(|c| ClassScore { rows: 0, ..c.clone() }).collect();
            serde_json::to_value(Scores { rows: 0, confusion: None, classes, ..s.clone() }).unwrap()
        };
        is_near(&numbers(&found), &numbers(&expected));
    }
}

/// Whether all numbers of two values are nearly the same.
fn is_near(found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => a.iter().for_each(|(key, value)| is_near(value, &b[key])),
        (Value::Array(a), Value::Array(b)) => a.iter().zip(b).for_each(|(a, b)| is_near(a, b)),
        (Value::Number(a), Value::Number(b)) => near(a.as_f64(), b.as_f64().unwrap()),
        (a, b) => assert_eq!(a, b),
    }
}

/// Predictions and their scores by scikit-learn, made by `tests/scores/make.py`.
const SKLEARN: &str = include_str!("../../tests/scores/sklearn.json");

#[test]
fn scores_are_those_of_scikit_learn() {
    let all: Value = serde_json::from_str(SKLEARN).unwrap();
    for (name, case) in all["cases"].as_object().unwrap() {
        let rows = |part: &str| -> Vec<Vec<f64>> { serde_json::from_value(case[part].clone()).unwrap() };
        let (predicted, actual) = (rows("predicted"), rows("actual"));
        let names: Vec<String> = (0..actual[0].len()).map(|k| format!("n{k}")).collect();
        let classes = case.get("of_classes").map(|_| &names[..]);
        let new = Evaluation::new(names.len(), classes).with_probabilities(true).with_targets(&names);
        let mut evaluation = new;
        predicted.iter().zip(&actual).for_each(|(p, y)| evaluation.add(p, y));
        let scores = serde_json::to_value(evaluation.scores().unwrap()).unwrap();
        let compare = |what: &str, found: &Value, expected: &Value| {
            let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
            assert!(
                (found - expected).abs() < 1e-12 * expected.abs().max(1.0),
                "{name}: {what} {found} {expected}"
            );
        };
        for (score, expected) in case["expected"].as_object().unwrap() {
            compare(score, &scores[score], expected);
        }
        let (part, of_parts) =
            if classes.is_some() { ("of_classes", "classes") } else { ("of_targets", "targets") };
        for (score, expected) in case[part].as_object().unwrap() {
            let expected = expected.as_array().unwrap();
            // A single target has no scores beside those of all.
            let found = scores.get(of_parts).and_then(Value::as_array).cloned().unwrap_or_default();
            assert!(found.len() == expected.len() || expected.len() == 1, "{name}");
            found.iter().zip(expected).for_each(|(found, expected)| compare(score, &found[score], expected));
        }
    }
}

#[test]
fn of_many_rows_a_random_sample_is_ranked() {
    let mut rng = crate::rng::Rng::stream(3, crate::rng::Purpose::Data, 0, 0);
    let names: Vec<String> = (0..64).map(|k| k.to_string()).collect();
    let mut evaluation = Evaluation::new(64, Some(&names)).with_probabilities(true);
    // Of 64 classes 65,536 rows are kept. The area of the first class is 1 - 1/2 * 1/4.
    let mut outputs = vec![0.0; 64];
    for i in 0..100_000_usize {
        let class = i % 2;
        outputs[0] = if class == 0 { 0.5 + rng.uniform() } else { rng.uniform() };
        let actual: Vec<f64> = (0..64).map(|k| f64::from(u8::from(k == class))).collect();
        evaluation.add(&outputs, &actual);
    }
    let scores = evaluation.scores().unwrap();
    let auc = scores.classes[0].auc.unwrap();
    assert!((auc - 0.875).abs() < 0.005 && scores.rows == 100_000, "{auc}");
}

#[test]
fn a_summary_is_read_back_and_nonsense_is_refused() {
    let mut evaluation = Evaluation::new(2, Some(&classes(&["a", "b"]))).with_probabilities(true);
    evaluation.add(&[0.3, 0.7], &[1.0, 0.0]);
    evaluation.add(&[0.25, 0.75], &[0.0, 1.0]);
    let summary = evaluation.scores().unwrap().summary();
    let text = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<Scores>(&text).unwrap(), summary);
    summary.check().unwrap();
    for wrong in [
        Scores { auc: Some(1.5), ..summary.clone() },
        Scores { mse: -1.0, ..summary.clone() },
        Scores { log_loss: Some(f64::NAN), ..summary.clone() },
        Scores { r2: Some(2.0), ..summary },
    ] {
        assert!(wrong.check().is_err(), "{wrong:?}");
    }
}
