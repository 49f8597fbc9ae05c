//! Training of candidates on some rows, and their losses on others.

use super::association::Association;
use super::candidates::Shape;
use super::chain::{Chain, Effort, Network};
use super::probabilities::Classifier;
use super::race::{LossShape, Losses};
use super::rungs::Part;
use super::selection::Start;
use crate::scores::{Metric, Scale};
use crate::{Cancellation, Dataset, Error, FitSettings, Fitted, Model, StopReason, TrainTest};
use serde::{Deserialize, Serialize};

/// Temperatures by which the scores of classes are divided, so that probabilities of a network that fits its
/// training rows too well are not too far from one half.
pub(super) const TEMPERATURES: [f64; 7] = [1.0, 1.5, 2.5, 4.0, 8.0, 16.0, 40.0];
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
    pub(super) scale: &'a Scale,
}

/// Whether the limit of the effort ended a search.
fn is_cut_short(fitted: &Fitted) -> bool {
    fitted.report.stop == StopReason::Evaluations
}

impl Trials<'_> {
    /// How many losses a row has.
    pub(super) fn shape(&self, classification: bool) -> LossShape {
        let temperatures = if classification { TEMPERATURES.len() } else { 0 };
        let of_row = if self.metric == Metric::LogLoss { temperatures } else { 1 };
        let targets = if classification { 0 } else { self.scale.weights.len() };
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
        let make = |network: &Network<'_>, decay: f64| self.losses(network, decay, part).ok();
        let chain = Chain::new(self.template, shape, &part.data, effort, cancellation);
        let (losses, effort) = chain.run(candidates, make)?;
        Some(Outcome { losses, effort })
    }

    /// The last of some candidates of a shape after the same training on these rows, and its mean loss on
    /// them; none if it was cancelled or cannot be trained.
    pub(super) fn start(
        &self,
        shape: &Shape,
        candidates: &[usize],
        data: &TrainTest,
        effort: Effort,
        cancellation: &Cancellation,
    ) -> Option<(Start, f64)> {
        let train = &data.train;
        let of_classes = |classifier: &Classifier, model: &Model| {
            self.mean_loss_of_classes(classifier, model.topology(), model.scaler(), train)
        };
        let make = |network: &Network<'_>, decay: f64| {
            Some(match network {
                Network::Searched(fitted) => {
                    let (hidden, model) = (fitted.report.best.clone(), &fitted.model);
                    let is_kept = train.classification && is_cut_short(fitted);
                    let loss = if train.classification {
                        of_classes(&Classifier::logistic(model, decay, train).ok()?, model)
                    } else {
                        self.mean_loss_of_numbers(model, train)
                    };
                    (Start { hidden, is_kept }, loss)
                }
                Network::Descended(classifier, model, _) => {
                    let hidden = classifier.hidden.clone();
                    (Start { hidden, is_kept: false }, of_classes(classifier, model))
                }
            })
        };
        let chain = Chain::new(self.template, shape, data, effort, cancellation);
        chain.run(candidates, make)?.0.pop().flatten()
    }

    /// The losses of a network on the held-out rows, and their mean on the training rows.
    fn losses(&self, network: &Network<'_>, decay: f64, part: &Part) -> Result<Losses, Error> {
        let (train, test) = (&part.data.train, &part.test);
        match network {
            Network::Searched(fitted) => {
                let model = &fitted.model;
                let losses = if train.classification {
                    let logistic = Classifier::logistic(model, decay, train)?;
                    self.losses_of_classes(&logistic, model.topology(), model.scaler(), part)
                } else {
                    self.losses_of_numbers(model, train, test)
                };
                Ok(Losses { is_cut_short: is_cut_short(fitted), ..losses })
            }
            Network::Descended(classifier, model, is_cut_short) => {
                let losses = self.losses_of_classes(classifier, model.topology(), model.scaler(), part);
                Ok(Losses { is_cut_short: *is_cut_short, ..losses })
            }
        }
    }

    /// The mean loss of a regression on some rows.
    fn mean_loss_of_numbers(&self, model: &Model, data: &Dataset) -> f64 {
        let losses = self.row_losses(&predictions(model, data), data);
        data.mean(|row| losses[row])
    }

    fn row_losses(&self, predicted: &[Vec<f64>], data: &Dataset) -> Vec<f64> {
        self.metric.losses(predicted, &targets(data), &self.scale.weights, data.weights.as_deref())
    }

    fn losses_of_numbers(&self, model: &Model, train: &Dataset, test: &Dataset) -> Losses {
        let (predicted, of_test) = (predictions(model, test), targets(test));
        let Scale { weights, units, .. } = self.scale;
        let errors = |target: usize| -> Vec<f32> {
            let error = |(p, y): (&Vec<f64>, &Vec<f64>)| (p[target] - y[target]).abs() / units[target];
            predicted.iter().zip(&of_test).map(|row| error(row) as f32).collect()
        };
        let unit = self.scale.unit_of_losses(self.metric);
        Losses {
            errors: (0..weights.len()).map(errors).collect(),
            of_rows: vec![self.row_losses(&predicted, test).iter().map(|v| (v / unit) as f32).collect()],
            of_temperatures: Vec::new(),
            training: self.mean_loss_of_numbers(model, train),
            correct: Vec::new(),
            association: Association::new(&predicted, &of_test, weights, test.weights.as_deref()),
            is_cut_short: false,
        }
    }
}

fn predictions(model: &Model, data: &Dataset) -> Vec<Vec<f64>> {
    (0..data.rows()).map(|row| model.predict(&data.input(row))).collect()
}

pub(super) fn targets(data: &Dataset) -> Vec<Vec<f64>> {
    (0..data.rows()).map(|row| data.output(row)).collect()
}
