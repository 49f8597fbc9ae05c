//! Cross-validation of a training procedure on the folds of a table.

use crate::Error;
use crate::data::{Table, TrainTest};
use crate::model::{CrossValidation, HeldOutErrors, Intervals};
use crate::scores::Evaluation;
use crate::training::Fitted;

/// One fold of a table.
pub struct Fold<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// Its rows as test rows, all others as training rows.
    pub data: &'a TrainTest,
}

/// What networks did on the folds that they were not trained on.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossValidated {
    /// How well, for [`Model::with_cross_validation`](crate::Model::with_cross_validation).
    pub scores: CrossValidation,
    /// Prediction intervals from their errors, for [`Model::with_intervals`](crate::Model::with_intervals);
    /// none for a classification.
    pub intervals: Option<Intervals>,
}

/// Trains once for each fold of a table on the rows of the other folds, and collects scores and errors on the
/// held-out rows.
///
/// `train` may select settings in each fold; if it returns `None`, cross-validation ends without a result.
///
/// ```no_run
/// use onefold::model_selection::cross_validate;
/// use onefold::{FitSettings, Method, Table, TableSettings, fit};
///
/// let table = Table::read("data.csv".as_ref(), &TableSettings::default())?;
/// let held_out = cross_validate(&table, 5, 1, |fold| {
///     let settings = FitSettings::for_data(&fold.data.train, "3", Method::AUTO)?;
///     Ok::<_, onefold::Error>(Some(fit("data", fold.data, &settings)?))
/// })?;
/// println!("{:?}", held_out.unwrap().scores.mse);
/// # Ok::<(), onefold::Error>(())
/// ```
///
/// # Errors
/// If there are fewer rows than the folds need, and any error of `train`.
pub fn cross_validate<E: From<Error>>(
    table: &Table,
    folds: usize,
    seed: u64,
    mut train: impl FnMut(Fold<'_>) -> Result<Option<Fitted>, E>,
) -> Result<Option<CrossValidated>, E> {
    let mut scores = CrossValidation { seed, mse: Vec::new(), accuracy: Vec::new(), scores: None };
    let mut all: Option<(Evaluation, HeldOutErrors)> = None;
    for number in 0..folds {
        let data = table.fold(number, folds, seed)?;
        let Some(Fitted { model, .. }) = train(Fold { number, data: &data })? else { return Ok(None) };
        scores.mse.extend(model.metrics().test_mse);
        scores.accuracy.extend(model.metrics().test_accuracy);
        let begin = || (Evaluation::of_model(&model), HeldOutErrors::new(model.topology().outputs()));
        let (evaluation, errors) = all.get_or_insert_with(begin);
        model.for_each_row(&data.test, model.origin().settings.cost.threads, |predicted, actual, weight| {
            evaluation.add_weighted(predicted, actual, weight);
            errors.add(predicted, actual);
        });
    }
    scores.scores = all.as_ref().and_then(|(evaluation, _)| Some(evaluation.scores()?.summary()));
    let intervals = all.filter(|_| scores.accuracy.is_empty()).and_then(|(_, errors)| errors.intervals());
    Ok(Some(CrossValidated { scores, intervals }))
}
