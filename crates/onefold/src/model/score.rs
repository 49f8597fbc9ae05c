//! The error of a model on rows, in the units of the data.

use super::Model;
use crate::Dataset;
use crate::data::{Scaler, squared_error, winner};
use crate::network::{Plain, PlainWork};
use crate::resources::in_order;
use rayon::ThreadPool;

/// Rows that one thread predicts at a time.
const CHUNK: usize = 1024;

/// How well a network does on rows. [`Evaluation`](crate::model_selection::Evaluation) gives the same bits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Score {
    pub(crate) mse: f64,
    pub(crate) mse_of_outputs: Vec<f64>,
    /// The share of rows where the largest output is that of the row's class.
    pub(crate) accuracy: f64,
}

impl Score {
    /// None without rows. Threads predict; the sums are over the rows in order.
    pub(crate) fn new(
        data: &Dataset,
        network: Plain<'_>,
        scaler: &Scaler,
        pool: Option<&ThreadPool>,
    ) -> Option<Self> {
        let (rows, outputs) = (data.rows(), data.outputs.len());
        let predict = |chunk: usize| {
            let (mut work, mut predicted) = (PlainWork::default(), Vec::with_capacity(CHUNK * outputs));
            for row in chunk * CHUNK..((chunk + 1) * CHUNK).min(rows) {
                work.x.clear();
                work.x.extend(data.inputs.iter().map(|column| column[row]));
                scaler.scale(&mut work.x);
                network.run(&mut work);
                predicted.extend_from_slice(&work.outputs);
            }
            predicted
        };
        let (mut squared, mut of_outputs) = (0.0, vec![0.0; outputs]);
        let (mut row, mut correct, mut actual) = (0, 0_usize, Vec::new());
        in_order(pool, rows.div_ceil(CHUNK), predict, |predicted| {
            for predicted in predicted.chunks_exact(outputs) {
                actual.clear();
                actual.extend(data.outputs.iter().map(|column| column[row]));
                squared += squared_error(predicted, &actual);
                for (sum, (p, y)) in of_outputs.iter_mut().zip(predicted.iter().zip(&actual)) {
                    *sum += squared_error(&[*p], &[*y]);
                }
                correct += usize::from(winner(predicted) == winner(&actual));
                row += 1;
            }
        });
        let rows = rows as f64;
        (rows > 0.0).then(|| Self {
            mse: squared / (rows * outputs as f64),
            mse_of_outputs: of_outputs.iter().map(|sum| sum / rows).collect(),
            accuracy: correct as f64 / rows,
        })
    }
}

impl Model {
    /// Mean squared error and, for a classification, accuracy over all rows of `data`; none without rows.
    #[must_use]
    pub fn score(&self, data: &Dataset) -> Option<(f64, Option<f64>)> {
        let score = Score::new(data, self.network(), &self.scaler, None)?;
        Some((score.mse, self.classification.then_some(score.accuracy)))
    }
}
