//! Scores as people read them.

use crate::output::{error, percent, readable};
use onefold::Model;
use onefold::model::CrossValidation;
use onefold::scores::Scores;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The scores that matter most, on one line: of numbers R², RMSE and MAE, of classes how many are correct,
/// the area under the curve and the log loss.
pub(crate) fn line(s: &Scores) -> String {
    let fraction = |name: &str, v: Option<f64>| v.map(|v| format!("{name} {v:.4}"));
    let size = |name: &str, v: Option<f64>| v.map(|v| format!("{name} {}", readable(v)));
    let parts = if let Some(accuracy) = s.accuracy {
        vec![
            Some(format!("{} correct", percent(accuracy))),
            fraction("AUC", s.auc),
            size("log loss", s.log_loss),
        ]
    } else {
        vec![fraction("R²", s.r2), size("RMSE", Some(s.rmse)), size("MAE", s.mae)]
    };
    let error = Some(format!("error {}", error(s.mse)));
    parts.into_iter().chain([error]).flatten().collect::<Vec<_>>().join(", ")
}

/// What a model file says about its training rows and its test rows, a line each.
pub(crate) fn lines_of(model: &Model) -> Vec<(&'static str, String)> {
    let m = model.metrics();
    // Files of older versions have only errors and accuracies.
    let older = |mse: f64, accuracy: Option<f64>| {
        let correct = accuracy.map_or(String::new(), |a| format!("{} correct, ", percent(a)));
        format!("{correct}error {}", error(mse))
    };
    let train = match (&m.train, m.train_mse) {
        (Some(scores), _) => line(scores),
        (None, Some(mse)) => older(mse, m.train_accuracy),
        (None, None) => "not measured: the network was not trained as it is".to_owned(),
    };
    let test = m.test.as_ref().map(line).or_else(|| Some(older(m.test_mse?, m.test_accuracy)));
    [("train", Some(train)), ("test", test)].into_iter().filter_map(|(part, s)| Some((part, s?))).collect()
}

/// Means and standard deviations over the folds, and the scores of all held-out rows together.
pub(crate) fn of_folds(results: &CrossValidation) -> Vec<String> {
    let (mean, deviation) = CrossValidation::mean_and_deviation(&results.mse);
    let mut text = format!("{}, error {} ± {}", results.mse.len(), error(mean), error(deviation));
    if !results.accuracy.is_empty() {
        let (mean, deviation) = CrossValidation::mean_and_deviation(&results.accuracy);
        let _ = write!(text, ", {:.1} ± {:.1} % correct", 100.0 * mean, 100.0 * deviation);
    }
    let together = results.scores.as_ref().map(|scores| format!("all held-out rows: {}", line(scores)));
    [Some(text), together].into_iter().flatten().collect()
}

/// What prediction intervals a model has.
pub(crate) fn about_intervals(model: &Model) -> Option<String> {
    let intervals = model.intervals()?;
    let (rows, outputs) = (intervals.rows, model.output_names());
    // With few rows, only at lower levels.
    let level = if intervals.half_widths(0.9).is_ok() { 0.9 } else { *intervals.levels.last()? };
    let level = (1000.0 * level).floor() / 1000.0;
    let half_widths = intervals.half_widths(level).ok()?;
    let one = |(name, half): (&String, &f64)| format!("{name} ± {}", readable(*half));
    let shown: Vec<String> = outputs.iter().zip(&half_widths).take(3).map(one).collect();
    let more = if outputs.len() > 3 { ", …" } else { "" };
    Some(format!(
        "{}{more} for {} of new rows, by the errors of {rows} held-out rows (predict --interval {level})",
        shown.join(", "),
        percent(level)
    ))
}

/// The results of a cross-validation as JSON.
pub(crate) fn of_folds_as_json(results: &CrossValidation) -> Value {
    let (mse_mean, mse_deviation) = CrossValidation::mean_and_deviation(&results.mse);
    let accuracy =
        (!results.accuracy.is_empty()).then(|| CrossValidation::mean_and_deviation(&results.accuracy));
    json!({
        "folds": results.mse.len(),
        "seed": results.seed,
        "mse": results.mse,
        "mse_mean": mse_mean,
        "mse_deviation": mse_deviation,
        "accuracy": results.accuracy,
        "accuracy_mean": accuracy.map(|(mean, _)| mean),
        "accuracy_deviation": accuracy.map(|(_, deviation)| deviation),
        "scores": results.scores,
    })
}
