//! Cross-validation: how well networks do on rows that they were not trained on.

use super::{Chooser, Keeping, Size, search};
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::output::{self, error, percent};
use onefold::{CrossValidation, FitSettings, StopReason, Table, Topology, TrainTest, Training};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

/// Trains once for each fold, with these settings or those that are chosen in each; none if that was interrupted.
pub(super) fn run(
    args: &FitArgs,
    folds: usize,
    (name, table): (&str, &Table),
    settings: Option<&FitSettings>,
    chooser: Option<&Chooser<'_>>,
    interrupted: &AtomicBool,
) -> Result<Option<CrossValidation>, Failure> {
    let mut results = CrossValidation { seed: args.table.seed(), mse: Vec::new(), accuracy: Vec::new() };
    for fold in 0..folds {
        let data = table.fold(fold, folds, results.seed)?;
        let settings = match (chooser, settings) {
            (Some(chooser), _) => match chooser.choose(&data.train)? {
                Some(choice) => chooser.settings(&data.train, Size::from(&choice))?,
                None => return Ok(interrupted_in(fold, folds)),
            },
            (None, Some(settings)) => like(settings, &data)?,
            (None, None) => return Ok(None),
        };
        let training = Training::new(name, &data, &settings)?;
        let fitted =
            search(training, &settings.stop, &Keeping::nowhere(name, &data, &settings), interrupted)?;
        if fitted.report.stop == StopReason::Observer {
            return Ok(interrupted_in(fold, folds));
        }
        let metrics = &fitted.model.metrics;
        results.mse.extend(metrics.test_mse);
        results.accuracy.extend(metrics.test_accuracy);
        if !args.json {
            let correct =
                metrics.test_accuracy.map_or(String::new(), |a| format!(", {} correct", percent(a)));
            let mse = metrics.test_mse.map_or(String::new(), error);
            let rows = data.test.rows();
            let by = chooser.map_or(String::new(), |_| format!(" by {}", settings.topology));
            output::print(&format!("  fold {:<4} error {mse}{correct} on {rows} rows{by}\n", fold + 1))?;
        }
    }
    if !args.json {
        output::print(&format!("  folds     {}\n\n", summary(&results)))?;
    }
    Ok(Some(results))
}

/// The same settings for a fold: a word that only the fold's own rows have is no input there.
fn like(settings: &FitSettings, data: &TrainTest) -> Result<FitSettings, Failure> {
    let hidden: Vec<String> = settings.topology.hidden().iter().map(ToString::to_string).collect();
    let (inputs, outputs) = (data.train.inputs.len(), data.train.outputs.len());
    let topology = Topology::with_hidden(inputs, &hidden.join("-"), outputs)?;
    Ok(FitSettings { topology, ..settings.clone() })
}

fn interrupted_in(fold: usize, folds: usize) -> Option<CrossValidation> {
    eprintln!("interrupted in fold {} of {folds}; there is no model yet", fold + 1);
    None
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
