//! Cross-validation: how well networks do on rows that they were not trained on.

use super::{Keeping, search};
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::output::{self, error, percent};
use onefold::{CrossValidation, FitSettings, StopReason, Table, Topology, Training};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

/// Trains once for each fold; none if that was interrupted.
pub(super) fn run(
    args: &FitArgs,
    folds: usize,
    (name, table): (&str, &Table),
    settings: &FitSettings,
    interrupted: &AtomicBool,
) -> Result<Option<CrossValidation>, Failure> {
    let mut results = CrossValidation { seed: args.table.seed(), mse: Vec::new(), accuracy: Vec::new() };
    let hidden: Vec<String> = settings.topology.hidden().iter().map(ToString::to_string).collect();
    for fold in 0..folds {
        let data = table.fold(fold, folds, results.seed)?;
        // A word that only the fold's own rows have is no input there.
        let (inputs, outputs) = (data.train.inputs.len(), data.train.outputs.len());
        let topology = Topology::with_hidden(inputs, &hidden.join("-"), outputs)?;
        let settings = FitSettings { topology, ..settings.clone() };
        let training = Training::prepare(name, &data, &settings)?;
        let fitted =
            search(training, &settings.stop, &Keeping::nowhere(name, &data, &settings), interrupted)?;
        if fitted.report.stop == StopReason::Observer {
            eprintln!("interrupted in fold {} of {folds}; there is no model yet", fold + 1);
            return Ok(None);
        }
        let metrics = &fitted.model.metrics;
        results.mse.extend(metrics.test_mse);
        results.accuracy.extend(metrics.test_accuracy);
        if !args.json {
            let correct =
                metrics.test_accuracy.map_or(String::new(), |a| format!(", {} correct", percent(a)));
            let mse = metrics.test_mse.map_or(String::new(), error);
            let rows = data.test.rows();
            output::print(&format!("  fold {:<4} error {mse}{correct} on {rows} rows\n", fold + 1))?;
        }
    }
    if !args.json {
        output::print(&format!("  folds     {}\n\n", summary(&results)))?;
    }
    Ok(Some(results))
}

/// Mean and standard deviation.
pub(crate) fn summary(results: &CrossValidation) -> String {
    let (mean, deviation) = CrossValidation::mean_and_deviation(&results.mse);
    let mut text = format!("{}, error {} ± {}", results.mse.len(), error(mean), error(deviation));
    if !results.accuracy.is_empty() {
        let (mean, deviation) = CrossValidation::mean_and_deviation(&results.accuracy);
        let _ = write!(text, ", {:.1} ± {:.1} % correct", 100.0 * mean, 100.0 * deviation);
    }
    text
}

pub(super) fn as_json(results: &CrossValidation) -> Value {
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
    })
}
