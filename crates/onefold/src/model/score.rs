//! The error and the scores of a model on rows, in the units of the data.

use super::Model;
use crate::data::{Scaler, squared_error, winner};
use crate::network::{Plain, PlainWork};
use crate::resources::{in_order, or_cores, pool};
use crate::scores::{Evaluation, Scores};
use crate::{Dataset, TrainTest};
use rayon::ThreadPool;

/// Rows that one thread predicts at a time.
const CHUNK: usize = 1024;

/// How well a network does on rows, by their weights. [`Evaluation`] gives the same bits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Score {
    pub(crate) mse: f64,
    pub(crate) mse_of_outputs: Vec<f64>,
    /// The share of rows where the largest output is that of the row's class.
    pub(crate) accuracy: f64,
}

/// Calls `add` with what a network answers to each row, in order, what is right, and the row's weight;
/// threads predict.
fn for_each_row(
    data: &Dataset,
    network: Plain<'_>,
    scaler: &Scaler,
    pool: Option<&ThreadPool>,
    mut add: impl FnMut(&[f64], &[f64], f64),
) {
    let (rows, outputs) = (data.rows(), data.outputs.len());
    let predict = |chunk: usize| {
        let (mut work, mut predicted) = (PlainWork::default(), Vec::with_capacity(CHUNK * outputs));
        for row in chunk * CHUNK..((chunk + 1) * CHUNK).min(rows) {
            work.x.clear();
            work.x.extend(data.inputs.iter().map(|column| column.get(row)));
            scaler.scale(&mut work.x);
            network.run(&mut work);
            predicted.extend_from_slice(&work.outputs);
        }
        predicted
    };
    let (mut row, mut actual) = (0, Vec::new());
    in_order(pool, rows.div_ceil(CHUNK), predict, |predicted| {
        for predicted in predicted.chunks_exact(outputs) {
            actual.clear();
            actual.extend(data.outputs.iter().map(|column| column[row]));
            add(predicted, &actual, data.weight(row));
            row += 1;
        }
    });
}

/// The sums of a [`Score`] over rows.
struct Sums {
    squared: f64,
    of_outputs: Vec<f64>,
    correct: f64,
}

impl Sums {
    fn new(data: &Dataset) -> Self {
        Self { squared: 0.0, of_outputs: vec![0.0; data.outputs.len()], correct: 0.0 }
    }

    fn add(&mut self, predicted: &[f64], actual: &[f64], weight: f64) {
        self.squared += weight * squared_error(predicted, actual);
        for (sum, (p, y)) in self.of_outputs.iter_mut().zip(predicted.iter().zip(actual)) {
            *sum += weight * squared_error(&[*p], &[*y]);
        }
        self.correct += if winner(predicted) == winner(actual) { weight } else { 0.0 };
    }

    fn score(self, data: &Dataset) -> Option<Score> {
        let (total, outputs) = (data.total_weight(), data.outputs.len() as f64);
        (data.rows() > 0).then(|| Score {
            mse: self.squared / (total * outputs),
            mse_of_outputs: self.of_outputs.iter().map(|sum| sum / total).collect(),
            accuracy: self.correct / total,
        })
    }
}

impl Score {
    /// None without rows. Threads predict; the sums are over the rows in order.
    pub(crate) fn new(
        data: &Dataset,
        network: Plain<'_>,
        scaler: &Scaler,
        pool: Option<&ThreadPool>,
    ) -> Option<Self> {
        let mut sums = Sums::new(data);
        for_each_row(data, network, scaler, pool, |predicted, actual, weight| {
            sums.add(predicted, actual, weight);
        });
        sums.score(data)
    }
}

impl Evaluation {
    /// For this model: the log loss of a model with probabilities is that of its probabilities.
    #[must_use]
    pub fn of_model(model: &Model) -> Self {
        let of_model = Self::new(model.topology().outputs(), model.classes());
        of_model.with_probabilities(model.has_probabilities()).with_targets(model.output_names())
    }
}

impl Model {
    /// Mean squared error and, for a classification, accuracy over all rows of `data`, by their weights; none
    /// without rows.
    #[must_use]
    pub fn score(&self, data: &Dataset) -> Option<(f64, Option<f64>)> {
        let score = Score::new(data, self.network(), &self.scaler, None)?;
        Some((score.mse, self.classification.then_some(score.accuracy)))
    }

    /// All scores on rows, by their weights, computed on all cores; none without rows.
    ///
    /// ```
    /// use onefold::{Builtin, FitSettings, Method, fit};
    /// let data = Builtin::Iris.load(&Default::default())?;
    /// let settings = FitSettings::for_builtin(Builtin::Iris, Some("3"), Method::AUTO)?;
    /// let scores = fit("iris", &data, &settings)?.model.scores(&data.test).unwrap();
    /// assert!(scores.accuracy > Some(0.9) && scores.auc > Some(0.9));
    /// # Ok::<(), onefold::Error>(())
    /// ```
    #[must_use]
    pub fn scores(&self, data: &Dataset) -> Option<Scores> {
        self.scores_on_threads(data, 0)
    }

    fn scores_on_threads(&self, data: &Dataset, threads: usize) -> Option<Scores> {
        let mut evaluation = Evaluation::of_model(self);
        self.for_each_row(data, threads, |predicted, actual, weight| {
            evaluation.add_weighted(predicted, actual, weight);
        });
        evaluation.scores()
    }

    /// The score on rows and, if they are wanted, all scores as [metrics](Self::metrics) keep them, of one
    /// prediction.
    pub(super) fn score_and_scores(
        &self,
        data: &Dataset,
        pool: Option<&ThreadPool>,
        wants_scores: bool,
    ) -> (Option<Score>, Option<Scores>) {
        let (mut sums, mut evaluation) = (Sums::new(data), Evaluation::of_model(self));
        for_each_row(data, self.network(), &self.scaler, pool, |predicted, actual, weight| {
            sums.add(predicted, actual, weight);
            if wants_scores {
                evaluation.add_weighted(predicted, actual, weight);
            }
        });
        // Without rows there are none.
        (sums.score(data), evaluation.scores().map(|scores| scores.summary()))
    }

    /// Calls `add` with the outputs for each row, its targets and its weight, in order; at most so many
    /// threads predict, 0 for one of each core.
    pub(crate) fn for_each_row(&self, data: &Dataset, threads: usize, add: impl FnMut(&[f64], &[f64], f64)) {
        // Few rows are predicted before threads have begun.
        let threads = if data.rows() <= CHUNK { 1 } else { or_cores(threads) };
        for_each_row(data, self.network(), &self.scaler, pool(threads).as_ref(), add);
    }

    /// The same model with its scores on these rows, as far as [metrics](Self::metrics) keep them.
    #[must_use]
    pub fn with_scores_on(mut self, data: &TrainTest) -> Self {
        let threads = self.origin.settings.cost.threads;
        let scores = |rows| self.scores_on_threads(rows, threads).map(|scores| scores.summary());
        let [train, test] = [&data.train, &data.test].map(scores);
        (self.metrics.train, self.metrics.test) = (train, test);
        self
    }
}
