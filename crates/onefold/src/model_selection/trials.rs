//! Training of candidates on some rows, and their losses on others.

use super::candidates::Shape;
use super::metric::Metric;
use super::settings::SelectionSettings;
use crate::activation::softmax;
use crate::data::winner;
use crate::readout::Logistic;
use crate::{Cancellation, Dataset, Error, FitSettings, Model, TrainTest, Training};

/// Descents in a row without improvement that end the search for the weakest decay, and for those after it,
/// which begin at the network of the decay before.
const PATIENCE: [u64; 2] = [3, 1];
/// Least L2 penalty of the logistic output layer: without one, weights grow without limit where classes can
/// be separated.
const LEAST_PENALTY: f64 = 1e-6;

/// Rows to train on, and rows to compare candidates on.
pub(super) struct Part {
    pub(super) data: TrainTest,
    /// The places of the latter among all rows.
    pub(super) rows: Vec<usize>,
}

/// The candidates of one shape after training on one part.
pub(super) struct Outcome {
    /// For each decay the losses on the held-out rows.
    pub(super) losses: Vec<Vec<f64>>,
    /// What it took, in multiplications.
    pub(super) operations: f64,
    pub(super) seconds: f64,
}

/// How candidates are trained and compared.
pub(super) struct Trials<'a> {
    pub(super) template: &'a FitSettings,
    pub(super) metric: Metric,
    /// Weight of the squared error of each output.
    pub(super) weights: &'a [f64],
}

impl Trials<'_> {
    /// Trains a network with some decays, from the weakest to the strongest, each from the network before;
    /// none if it was cancelled.
    pub(super) fn run(
        &self,
        shape: &Shape,
        decays: &[f64],
        part: &Part,
        cancellation: &Cancellation,
    ) -> Result<Option<Outcome>, Error> {
        let mut outcome = Outcome { losses: Vec::new(), operations: 0.0, seconds: 0.0 };
        let mut start: Option<Vec<f64>> = None;
        for decay in decays {
            let patience = PATIENCE[usize::from(start.is_some())];
            let fit =
                SelectionSettings::fit_settings(self.template, shape.topology.clone(), *decay, patience);
            let mut training = Training::new("", &part.data, &fit)?.cancel_by(&cancellation.for_part());
            if let Some(start) = &start {
                training = training.start_at(start);
            }
            let fitted = training.run();
            if cancellation.is_cancelled() {
                return Ok(None);
            }
            let fitted = fitted?;
            outcome.losses.push(self.losses(&fitted.model, *decay, part)?);
            outcome.seconds += fitted.report.seconds;
            outcome.operations += fitted.report.evaluations as f64 + fitted.report.slopes as f64;
            start = Some(fitted.report.best);
        }
        Ok(Some(outcome))
    }

    /// The losses of a network on the held-out rows.
    fn losses(&self, model: &Model, decay: f64, part: &Part) -> Result<Vec<f64>, Error> {
        let TrainTest { train, test, .. } = &part.data;
        let predicted = if train.classification {
            probabilities(model, decay.max(LEAST_PENALTY), train, test)?
        } else {
            (0..test.rows()).map(|row| model.predict(&test.input(row))).collect()
        };
        let actual: Vec<Vec<f64>> = (0..test.rows()).map(|row| test.output(row)).collect();
        Ok(self.metric.losses(&predicted, &actual, self.weights))
    }
}

/// Probabilities of the classes, by logistic regression on what the output layer sees of the training rows.
fn probabilities(
    model: &Model,
    penalty: f64,
    train: &Dataset,
    test: &Dataset,
) -> Result<Vec<Vec<f64>>, Error> {
    let seen: Vec<Vec<f64>> = (0..train.rows()).map(|row| model.columns(&train.input(row))).collect();
    let count = seen.first().map_or(0, Vec::len);
    let columns: Vec<Vec<f64>> =
        (0..count).map(|column| seen.iter().map(|row| row[column]).collect()).collect();
    let classes: Vec<usize> = (0..train.rows()).map(|row| winner(&train.output(row))).collect();
    let logistic = Logistic { columns: &columns, classes: &classes, count: train.outputs.len(), penalty };
    let weights = logistic.solve()?;
    Ok((0..test.rows()).map(|row| class_probabilities(&weights, &model.columns(&test.input(row)))).collect())
}

/// The probabilities of the classes with these weights, biases last.
fn class_probabilities(weights: &[Vec<f64>], columns: &[f64]) -> Vec<f64> {
    let score = |w: &Vec<f64>| columns.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() + w[columns.len()];
    let mut scores: Vec<f64> = weights.iter().map(score).collect();
    softmax(&mut scores);
    scores
}
