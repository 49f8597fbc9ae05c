//! Cross-validation: the errors of networks on held-out rows.

use super::checkpoints::Checkpoints;
use super::plan::Plan;
use super::selection;
use super::time::Step;
use super::training;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::tell;
use crate::scores;
use onefold::automatic::{Choice, Selected};
use onefold::model_selection::{CrossValidated, Fold, cross_validate};
use onefold::{FitSettings, Fitted, Topology, TrainTest};

/// Trains once for each fold, if `--folds` is given: with these settings, or with a size selected in each
/// fold. None without folds, and after an interrupt.
pub(super) fn validate(plan: &Plan<'_>, settings: &FitSettings) -> Result<Option<CrossValidated>, Failure> {
    let (Some(folds), Some(table)) = (plan.args.table.folds, &plan.input.table) else {
        return Ok(None);
    };
    if interrupt::is_interrupted() {
        tell("interrupted: the network is trained without cross-validation");
        return Ok(None);
    }
    let results = cross_validate(table, folds, plan.input.seed, |fold| {
        let fitted = train_fold(plan, settings, &fold, &Step::fold(fold.number, folds))?;
        if fitted.is_none() {
            let place = format!("interrupted in fold {} of {folds}", fold.number + 1);
            tell(&format!("{place}: the network is trained without cross-validation"));
        }
        Ok::<_, Failure>(fitted)
    })?;
    if let Some(results) = &results {
        let mut names = ["folds"].into_iter();
        let line = |text| format!("  {:<9} {text}\n", names.next().unwrap_or_default());
        let lines: String = scores::of_folds(&results.scores).into_iter().map(line).collect();
        plan.print(&(lines + "\n"));
    }
    Ok(results)
}

fn train_fold(
    plan: &Plan<'_>,
    settings: &FitSettings,
    fold: &Fold<'_>,
    step: &Step,
) -> Result<Option<Fitted>, Failure> {
    let train_rows = &fold.data.train;
    let mut start = None;
    let settings = if plan.choice() == Choice::Nothing {
        settings_for_fold(settings, fold.data)?
    } else {
        let selection = selection::select(plan, fold.data, &step.for_selection(train_rows.rows()), false)?;
        if interrupt::is_interrupted() {
            return Ok(None);
        }
        let selected =
            selection.as_ref().map_or(plan.smallest(), |selection| Some(Selected::from(selection)));
        start = selected.as_ref().and_then(|selected| selected.start.clone());
        plan.settings(train_rows, selected.as_ref())?
    };
    let checkpoints = Checkpoints::none(&plan.input.name, fold.data, &settings);
    let training = training::prepare(plan, fold.data, &settings, &checkpoints, start.as_ref())?;
    let fitted = training::run(plan, training, &settings, &checkpoints, &step.of_part())?;
    if fitted.is_interrupted() {
        return Ok(None);
    }
    let scores = fitted.model.scores(&fold.data.test).as_ref().map_or(String::new(), scores::line);
    let rows = fold.data.test.rows();
    let by =
        if plan.choice() == Choice::Network { format!(" by {}", settings.topology) } else { String::new() };
    plan.print(&format!("  fold {:<4} {scores} on {rows} rows{by}\n", fold.number + 1));
    Ok(Some(fitted))
}

/// The same settings with the number of inputs of a fold: a category that occurs only in the held-out rows
/// has no input.
fn settings_for_fold(settings: &FitSettings, data: &TrainTest) -> Result<FitSettings, Failure> {
    let (inputs, outputs) = (data.train.inputs.len(), data.train.outputs.len());
    let topology = Topology::with_hidden(inputs, &settings.topology.hidden_text(), outputs)?;
    Ok(FitSettings { topology, ..settings.clone() })
}
