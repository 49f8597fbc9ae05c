//! Cross-validation of a training procedure on the folds of a table.

use crate::Error;
use crate::data::{Table, TrainTest};
use crate::model::CrossValidation;
use crate::training::Fitted;

/// One fold of a table.
pub struct Fold<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// Its rows as test rows, all others as training rows.
    pub data: &'a TrainTest,
}

/// Trains once for each fold of a table on the rows of the other folds, and collects the errors on the
/// held-out rows.
///
/// `train` may select settings in each fold; if it returns `None`, cross-validation ends without a result.
///
/// ```no_run
/// use onefold::model_selection::cross_validate;
/// use onefold::{FitSettings, Method, Table, TableSettings, fit};
///
/// let table = Table::read("data.csv".as_ref(), &TableSettings::default())?;
/// let scores = cross_validate(&table, 5, 1, |fold| {
///     let settings = FitSettings::for_data(&fold.data.train, "3", Method::AUTO)?;
///     Ok::<_, onefold::Error>(Some(fit("data", fold.data, &settings)?))
/// })?;
/// println!("{:?}", scores.unwrap().mse);
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
) -> Result<Option<CrossValidation>, E> {
    let mut scores = CrossValidation { seed, mse: Vec::new(), accuracy: Vec::new() };
    for number in 0..folds {
        let data = table.fold(number, folds, seed)?;
        let Some(fitted) = train(Fold { number, data: &data })? else { return Ok(None) };
        scores.mse.extend(fitted.model.metrics().test_mse);
        scores.accuracy.extend(fitted.model.metrics().test_accuracy);
    }
    Ok(Some(scores))
}
