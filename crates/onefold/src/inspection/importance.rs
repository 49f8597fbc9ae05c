//! Permutation importance of columns.

use super::columns::{Column, columns, permutation, sample};
use crate::resources::{in_order, or_cores, pool};
use crate::scores::{Evaluation, Metric, Scale};
use crate::{Dataset, Error, Model};
use serde::{Deserialize, Serialize};

/// Standard errors on either side in an interval that contains the value with a probability of 95 %.
const OF_INTERVAL: f64 = 1.959_963_984_540_054;

/// How importance is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImportanceSettings {
    /// What the model is measured by. Default the log loss for a classification, otherwise the root mean
    /// squared error.
    pub metric: Option<Metric>,
    /// How often each column is permuted. Default 5.
    pub repeats: usize,
    /// Seed of the permutations. Default 0.
    pub seed: u64,
    /// The most rows that are used; of more a random sample. Default 10,000.
    pub rows: usize,
    /// Threads, 0 for one of each core. Default 0. The results do not depend on it.
    pub threads: usize,
}

impl Default for ImportanceSettings {
    fn default() -> Self {
        Self { metric: None, repeats: 5, seed: 0, rows: 10_000, threads: 0 }
    }
}

/// The importance of all columns of a model's table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Importance {
    /// What the model is measured by.
    pub metric: Metric,
    /// The metric on the rows as they are. Errors of several targets are divided by their standard
    /// deviations.
    pub score: f64,
    /// Number of rows that were used.
    pub rows: usize,
    /// How often each column was permuted.
    pub repeats: usize,
    /// The columns, the most important first.
    pub columns: Vec<ColumnImportance>,
}

/// The importance of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnImportance {
    /// The column.
    pub column: String,
    /// By how much the metric gets worse if the values of the column are exchanged at random between rows, in
    /// the mean over repetitions. Below 0 if it gets better, by chance or because the model has learnt what
    /// is not so.
    pub importance: f64,
    /// Its standard error over rows.
    pub standard_error: f64,
    /// Lower end of its confidence interval of 95 %, for other rows like these and other permutations.
    pub lower: f64,
    /// Upper end of it.
    pub upper: f64,
}

/// Measures by how much a model gets worse if the values of a column are exchanged at random between rows
/// (Breiman 2001): for each column of the table, all its inputs together. The rows should be others than
/// those of training; their weights count. The same seed gives the same result on any number of threads.
///
/// ```
/// use onefold::inspection::{ImportanceSettings, importance};
/// use onefold::{Builtin, FitSettings, Method, fit};
///
/// let data = Builtin::Iris.load(&Default::default())?;
/// let settings = FitSettings::for_builtin(Builtin::Iris, Some("3"), Method::AUTO)?;
/// let model = fit("iris", &data, &settings)?.model;
/// let found = importance(&model, &data.test, &ImportanceSettings::default())?;
/// assert!(found.columns[0].column.starts_with("petal"));
/// # Ok::<(), onefold::Error>(())
/// ```
///
/// # Errors
/// If the metric is not for the model's task, there are no repetitions, or the rows do not fit the model.
pub fn importance(model: &Model, data: &Dataset, settings: &ImportanceSettings) -> Result<Importance, Error> {
    let metric = settings.metric.unwrap_or(Metric::default_for(model.is_classification()));
    metric.check_task(model.is_classification())?;
    if settings.repeats == 0 {
        return Err(Error::setting("repeats", 0, "must be at least 1"));
    }
    let data = sample(model, data, settings.rows, settings.seed)?;
    let measure = Measure::new(model, &data, metric);
    let before = measure.losses(None, &[]);
    let columns = columns(model);
    let repeats = settings.repeats;
    let permuted = |task: usize| {
        let (column, repeat) = (task / repeats, task % repeats);
        // The first stream is that of the sample.
        let order = permutation(data.rows(), settings.seed, column as u64 + 1, repeat);
        measure.losses(Some(&columns[column]), &order)
    };
    let mut found = Vec::new();
    let (mut sums, mut done) = (vec![0.0; data.rows()], 0);
    in_order(pool(or_cores(settings.threads)).as_ref(), columns.len() * repeats, permuted, |losses| {
        sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss / repeats as f64);
        done += 1;
        if done % repeats == 0 {
            let name = &columns[done / repeats - 1].column.name;
            found.push(measure.compare(name, &before, &sums));
            sums.fill(0.0);
        }
    });
    found.sort_by(|a, b| b.importance.total_cmp(&a.importance));
    let score = measure.score(&before);
    Ok(Importance { metric, score, rows: data.rows(), repeats, columns: found })
}

/// A model and the rows that it is measured on.
struct Measure<'a> {
    model: &'a Model,
    data: &'a Dataset,
    actual: Vec<Vec<f64>>,
    metric: Metric,
    scale: Scale,
}

impl<'a> Measure<'a> {
    fn new(model: &'a Model, data: &'a Dataset, metric: Metric) -> Self {
        let actual = (0..data.rows()).map(|row| data.output(row)).collect();
        Self { model, data, actual, metric, scale: Scale::new(data) }
    }

    /// What the model answers, with the inputs of a column taken from other rows.
    fn predict(&self, column: Option<&Column>, order: &[usize]) -> Vec<Vec<f64>> {
        let answer = |row: usize| {
            let mut input = self.data.input(row);
            for place in column.map_or(0..0, |column| column.inputs.clone()) {
                input[place] = self.data.inputs[place][order[row]];
            }
            self.model.predict(&input)
        };
        (0..self.data.rows()).map(answer).collect()
    }

    /// The loss of each row.
    fn losses(&self, column: Option<&Column>, order: &[usize]) -> Vec<f64> {
        let mut predicted = self.predict(column, order);
        if self.metric == Metric::LogLoss && !self.model.has_probabilities() {
            predicted.iter_mut().for_each(|scores| Evaluation::make_probabilities(scores));
        }
        self.metric.losses(&predicted, &self.actual, &self.scale.weights, self.data.weights.as_deref())
    }

    /// The metric on the rows as they are, by the losses of rows; F1, whose losses are pseudo-values, itself.
    fn score(&self, losses: &[f64]) -> f64 {
        let itself = || self.metric.of(&self.model.scores(self.data)?);
        let mean = self.data.mean(|row| losses[row]);
        let by_losses = || self.metric.score(mean, 0.0, &self.scale).0;
        if self.metric == Metric::MacroF1 { itself().unwrap_or_else(by_losses) } else { by_losses() }
    }

    /// By how much the losses became worse.
    fn compare(&self, column: &str, before: &[f64], after: &[f64]) -> ColumnImportance {
        let n = before.len() as f64;
        let mean = |losses: &[f64]| self.data.mean(|row| losses[row]);
        // The metric, and by how much it changes with the mean loss.
        let at = |losses: &[f64]| self.metric.score(mean(losses), 1.0, &self.scale);
        let ((value_before, slope_before), (value_after, slope_after)) = (at(before), at(after));
        let difference = value_after - value_before;
        let importance = if self.metric.is_better_if_higher() { -difference } else { difference };
        let of_rows: Vec<f64> =
            before.iter().zip(after).map(|(b, a)| slope_after * a - slope_before * b).collect();
        let centre = mean(&of_rows);
        // A row of a large weight is one observation.
        let of_one = self.data.total_weight() / n;
        let weight = |row: usize| self.data.weight(row) / of_one;
        let squares =
            of_rows.iter().enumerate().map(|(row, d)| (weight(row) * (d - centre)).powi(2)).sum::<f64>();
        let standard_error = (squares / (n * (n - 1.0).max(1.0))).sqrt();
        let half = OF_INTERVAL * standard_error;
        ColumnImportance {
            column: column.into(),
            importance,
            standard_error,
            lower: importance - half,
            upper: importance + half,
        }
    }
}
