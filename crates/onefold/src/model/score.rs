//! The error of a model on rows, in the units of the data.

use super::Model;
use crate::Dataset;
use crate::data::{squared_error, winner};

/// Mean squared error, and the share of rows where the largest output is that of the row's class; none
/// without rows. [`Evaluation`](crate::model_selection::Evaluation) gives the same bits.
pub(crate) fn score(data: &Dataset, mut predict: impl FnMut(&[f64]) -> Vec<f64>) -> Option<(f64, f64)> {
    let (mut squared, mut correct) = (0.0, 0);
    for row in 0..data.rows() {
        let (predicted, output) = (predict(&data.input(row)), data.output(row));
        squared += squared_error(&predicted, &output);
        correct += usize::from(winner(&predicted) == winner(&output));
    }
    let rows = data.rows() as f64;
    (rows > 0.0).then(|| (squared / (rows * data.outputs.len() as f64), correct as f64 / rows))
}

impl Model {
    /// Mean squared error and, for a classification, accuracy over all rows of `data`; none without rows.
    #[must_use]
    pub fn score(&self, data: &Dataset) -> Option<(f64, Option<f64>)> {
        let (mse, accuracy) = score(data, |input| self.predict(input))?;
        Some((mse, self.classification.then_some(accuracy)))
    }
}
