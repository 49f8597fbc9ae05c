//! Training of candidates on some rows, and their losses on others.

use super::association::Association;
use super::candidates::Shape;
use super::race::{LossShape, Losses};
use super::rungs::Part;
use super::settings::SelectionSettings;
use crate::activation::softmax;
use crate::data::winner;
use crate::objective::time_of_evaluation;
use crate::readout::Logistic;
use crate::scores::Metric;
use crate::{
    Cancellation, Dataset, Error, FitSettings, Fitted, Model, StopReason, Topology, TrainTest, Training,
};
use serde::{Deserialize, Serialize};

/// Temperatures by which the scores of classes are divided, so that probabilities of a network that fits its
/// training rows too well are not too far from one half.
pub(super) const TEMPERATURES: [f64; 7] = [1.0, 1.5, 2.5, 4.0, 8.0, 16.0, 40.0];
/// Patience of descents with a decay that begins at the network of the decay before.
const PATIENCE_AFTER: u64 = 1;
/// Fraction of a task's effort for the first decay.
const FRACTION_OF_FIRST: f64 = 0.4;
/// Every training has at least this many evaluations.
const LEAST_EVALUATIONS: f64 = 60.0;
/// Least L2 penalty of the logistic output layer: without one, weights grow without limit where classes can
/// be separated.
const LEAST_PENALTY: f64 = 1e-6;
/// The evaluations, derivatives counted as such, that a network is expected to take with one decay.
const EXPECTED_EVALUATIONS: f64 = 2000.0;
/// Time of the logistic output layer in nanoseconds, for each row, column and class.
const TIME_OF_LOGISTIC: f64 = 60.0;
/// Columns of the output layer that double the time of an evaluation: the more there are, the more often they
/// are nearly collinear and need a slower factorisation.
const COLUMNS_THAT_DOUBLE: f64 = 64.0;

/// The candidates of one shape after training on one part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// For each candidate its losses; none if it could not be trained.
    pub(super) losses: Vec<Option<Losses>>,
    /// What it took, in nanoseconds that were counted, not measured.
    pub(super) effort: f64,
}

impl Outcome {
    /// Whether all losses [fit](Losses::fits).
    pub(super) fn fits(&self, rows: usize, shape: LossShape) -> bool {
        self.losses.iter().flatten().all(|losses| losses.fits(rows, shape))
    }
}

/// How candidates are trained and compared.
pub(super) struct Trials<'a> {
    pub(super) template: &'a FitSettings,
    pub(super) metric: Metric,
    /// Weight of the squared error of each output.
    pub(super) weights: &'a [f64],
}

/// How long candidates are trained.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Descents in a row without improvement that end the search for the weakest decay.
    pub(super) patience: u64,
    /// The limit for all decays of a shape, in nanoseconds that are counted.
    pub(super) limit: f64,
}

/// The time of an evaluation of a network on some of these rows, and of its logistic output layer, in
/// nanoseconds that are counted.
fn times(topology: &Topology, data: &Dataset, rows: usize, template: &FitSettings) -> (f64, f64) {
    let columns = topology.readout_columns() as f64;
    let time = time_of_evaluation(topology, rows, template.cost.output_bias);
    let of_logistic = if data.classification { TIME_OF_LOGISTIC } else { 0.0 };
    let of_output_layer = (rows * data.outputs.len()) as f64 * columns * of_logistic;
    ((time * (1.0 + columns / COLUMNS_THAT_DOUBLE)).max(1.0), of_output_layer)
}

/// The least effort for a network with one decay on this many of the rows.
pub(super) fn least_effort(topology: &Topology, data: &Dataset, rows: usize, template: &FitSettings) -> f64 {
    let (time, of_output_layer) = times(topology, data, rows, template);
    LEAST_EVALUATIONS * time + of_output_layer
}

/// What a network with one decay is expected to take on this many of the rows.
pub(super) fn expected_effort(
    topology: &Topology,
    data: &Dataset,
    rows: usize,
    template: &FitSettings,
) -> f64 {
    let (time, of_output_layer) = times(topology, data, rows, template);
    let derivatives = if topology.dim() == 0 { 0.0 } else { EXPECTED_EVALUATIONS };
    (1.0 + derivatives) * time + of_output_layer
}

/// Trains a network from a start, if there is one; none if it was cancelled.
fn train(
    data: &TrainTest,
    fit: &FitSettings,
    start: Option<&[f64]>,
    cancellation: &Cancellation,
) -> Result<Option<Fitted>, Error> {
    let training = Training::new("", data, fit)?.cancel_by(&cancellation.for_part());
    match start {
        Some(start) => training.start_at(start).run_unless_cancelled(),
        None => training.run_unless_cancelled(),
    }
}

/// Networks of one shape, trained with one decay after the other.
struct Chain<T> {
    /// What was made of each network; none if it could not be trained.
    results: Vec<Option<T>>,
    effort: f64,
    /// The hidden parameters of the last one.
    last: Option<Vec<f64>>,
}

impl Trials<'_> {
    /// How many losses a row has.
    pub(super) fn shape(&self, classification: bool) -> LossShape {
        let temperatures = if classification { TEMPERATURES.len() } else { 0 };
        let of_row = if self.metric == Metric::LogLoss { temperatures } else { 1 };
        let targets = if classification { 0 } else { self.weights.len() };
        LossShape { of_row, temperatures, targets }
    }

    /// Trains some candidates of a shape on a part, and compares them on its held-out rows; none if it was
    /// cancelled.
    pub(super) fn run(
        &self,
        shape: &Shape,
        candidates: &[usize],
        part: &Part,
        effort: Effort,
        cancellation: &Cancellation,
    ) -> Option<Outcome> {
        let chain = self.chain(shape, candidates, (&part.data, cancellation), effort, |fitted, decay| {
            let mut losses = self.losses(&fitted.model, decay, part).ok()?;
            losses.is_cut_short = fitted.report.stop == StopReason::Evaluations;
            Some(losses)
        })?;
        Some(Outcome { losses: chain.results, effort: chain.effort })
    }

    /// The hidden parameters of the last of some candidates of a shape after the same training on these
    /// rows; none if it was cancelled or cannot be trained.
    pub(super) fn start(
        &self,
        shape: &Shape,
        candidates: &[usize],
        data: &TrainTest,
        effort: Effort,
        cancellation: &Cancellation,
    ) -> Option<Vec<f64>> {
        let chain = self.chain(shape, candidates, (data, cancellation), effort, |_, _| Some(()))?;
        chain.last.filter(|_| chain.results.last().is_some_and(Option::is_some))
    }

    /// Trains some candidates of a shape, from the weakest to the strongest decay, each from the network
    /// before; none if it was cancelled.
    fn chain<T>(
        &self,
        shape: &Shape,
        candidates: &[usize],
        (data, cancellation): (&TrainTest, &Cancellation),
        effort: Effort,
        make: impl Fn(&Fitted, f64) -> Option<T>,
    ) -> Option<Chain<T>> {
        let (time, of_output_layer) = times(&shape.topology, &data.train, data.train.rows(), self.template);
        let mut chain = Chain { results: Vec::new(), effort: 0.0, last: None };
        for (place, candidate) in candidates.iter().enumerate() {
            // Even the preparation of a training takes a while on a large table.
            if cancellation.is_cancelled() {
                return None;
            }
            let after = (candidates.len() - place) as f64;
            let fraction = if place == 0 { FRACTION_OF_FIRST.max(1.0 / after) } else { 1.0 / after };
            let left = (effort.limit - chain.effort).max(0.0) * fraction;
            let patience = if chain.last.is_some() { PATIENCE_AFTER } else { effort.patience };
            let decay = shape.decays[candidate - shape.first];
            let mut fit =
                SelectionSettings::fit_settings(self.template, shape.topology.clone(), decay, patience);
            fit.stop.max_evaluations = Some((left / time).max(LEAST_EVALUATIONS) as u64);
            let fitted = train(data, &fit, chain.last.as_deref(), cancellation);
            let fitted = fitted.ok().flatten();
            let made = fitted.as_ref().map(|fitted| (make(fitted, decay), fitted));
            if cancellation.is_cancelled() {
                return None;
            }
            if let Some((_, fitted)) = &made {
                chain.effort += fitted.report.evaluation_equivalents * time + of_output_layer;
            }
            let (result, best) =
                made.map_or((None, None), |(made, fitted)| (made, Some(&fitted.report.best)));
            chain.last = best.cloned().or(chain.last);
            chain.results.push(result);
        }
        Some(chain)
    }

    /// The losses of a network on the held-out rows, and their mean on the training rows.
    fn losses(&self, model: &Model, decay: f64, part: &Part) -> Result<Losses, Error> {
        let (train, test) = (&part.data.train, &part.test);
        let (weights_of_train, weights_of_test) = (train.weights.as_deref(), test.weights.as_deref());
        let mean = |losses: Vec<f64>| train.mean(|row| losses[row]);
        let single = |losses: Vec<f64>| -> Vec<f32> { losses.iter().map(|v| *v as f32).collect() };
        let (of_train, of_test) = (targets(train), targets(test));
        if !train.classification {
            let predict = |data: &Dataset| -> Vec<Vec<f64>> {
                (0..data.rows()).map(|row| model.predict(&data.input(row))).collect()
            };
            let on_training = predict(train);
            let training = mean(self.metric.losses(&on_training, &of_train, self.weights, weights_of_train));
            let predicted = predict(test);
            let losses = single(self.metric.losses(&predicted, &of_test, self.weights, weights_of_test));
            let errors = |target: usize| {
                single(predicted.iter().zip(&of_test).map(|(p, y)| (p[target] - y[target]).abs()).collect())
            };
            return Ok(Losses {
                errors: (0..self.weights.len()).map(errors).collect(),
                of_rows: vec![losses],
                of_temperatures: Vec::new(),
                training,
                correct: Vec::new(),
                association: Association::new(&predicted, &of_test, self.weights, weights_of_test),
                is_cut_short: false,
            });
        }
        let seen = columns(model, train);
        let classes: Vec<usize> = of_train.iter().map(|y| winner(y)).collect();
        let penalty = decay.max(LEAST_PENALTY);
        let count = train.outputs.len();
        let logistic =
            Logistic { columns: &seen, classes: &classes, count, penalty, of_rows: weights_of_train };
        let weights = logistic.solve(&twice(model.readout(), seen.len()))?;
        let at = |scores: &[Vec<f64>], t: f64| -> Vec<Vec<f64>> {
            scores.iter().map(|scores| probabilities(scores, t)).collect()
        };
        let of_rows = scores(&weights, &columns(model, test), test.rows());
        let by_temperature: Vec<Vec<Vec<f64>>> = TEMPERATURES.iter().map(|t| at(&of_rows, *t)).collect();
        let of_temperatures = by_temperature.iter().map(|p| {
            let losses = Metric::LogLoss.losses(p, &of_test, self.weights, weights_of_test);
            losses.iter().enumerate().map(|(row, loss)| test.weight(row) * loss).sum()
        });
        let count = self.shape(true).of_row;
        let losses =
            |p: &Vec<Vec<f64>>| single(self.metric.losses(p, &of_test, self.weights, weights_of_test));
        let correct = of_rows.iter().zip(&of_test).map(|(s, y)| winner(s) == winner(y)).collect();
        let on_training = at(&scores(&weights, &seen, train.rows()), 1.0);
        Ok(Losses {
            of_rows: by_temperature[..count].iter().map(losses).collect(),
            of_temperatures: of_temperatures.collect(),
            training: mean(self.metric.losses(&on_training, &of_train, self.weights, weights_of_train)),
            correct,
            errors: Vec::new(),
            association: Association::new(&by_temperature[0], &of_test, self.weights, weights_of_test),
            is_cut_short: false,
        })
    }
}

fn targets(data: &Dataset) -> Vec<Vec<f64>> {
    (0..data.rows()).map(|row| data.output(row)).collect()
}

/// What the output layer sees of some rows, by columns.
fn columns(model: &Model, data: &Dataset) -> Vec<Vec<f64>> {
    let mut columns = vec![Vec::with_capacity(data.rows()); model.topology().readout_columns()];
    for row in 0..data.rows() {
        columns.iter_mut().zip(model.columns(&data.input(row))).for_each(|(column, v)| column.push(v));
    }
    columns
}

/// The scores of the classes for each row, with these weights for each class, biases last.
fn scores(weights: &[Vec<f64>], columns: &[Vec<f64>], rows: usize) -> Vec<Vec<f64>> {
    let score = |w: &Vec<f64>, row: usize| {
        columns.iter().zip(w).map(|(column, w)| column[row] * w).sum::<f64>() + w[columns.len()]
    };
    (0..rows).map(|row| weights.iter().map(|w| score(w, row)).collect()).collect()
}

/// The probabilities of the classes for these scores.
fn probabilities(scores: &[f64], temperature: f64) -> Vec<f64> {
    let mut scores: Vec<f64> = scores.iter().map(|score| score / temperature).collect();
    softmax(&mut scores);
    scores
}

/// Twice the weights of least squares, with a bias for each class: a good start for the logistic regression.
fn twice(readout: &[Vec<f64>], columns: usize) -> Vec<Vec<f64>> {
    let twice = |row: &Vec<f64>| {
        let mut row: Vec<f64> = row.iter().map(|w| 2.0 * w).collect();
        row.resize(columns + 1, 0.0);
        row
    };
    readout.iter().map(twice).collect()
}
