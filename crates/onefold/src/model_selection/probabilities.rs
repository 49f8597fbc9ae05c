//! What candidates of a classification give: probabilities, after logistic regression of the output layer
//! or the training of all weights for cross-entropy.

use super::association::Association;
use super::race::Losses;
use super::rungs::Part;
use super::trials::{TEMPERATURES, Trials, targets};
use crate::activation::{OutputActivation, softmax};
use crate::data::{Scaler, winner};
use crate::network::{Plain, PlainWork};
use crate::readout::Logistic;
use crate::scores::Metric;
use crate::{Dataset, Error, Model, Topology};

/// Least L2 penalty: without one, weights grow without limit where classes can be separated.
pub(super) const LEAST_PENALTY: f64 = 1e-6;

/// A network whose outputs are scores of classes.
#[derive(Clone, Debug)]
pub(super) struct Classifier {
    pub(super) hidden: Vec<f64>,
    /// For each class the weights of the columns, and its bias.
    pub(super) readout: Vec<Vec<f64>>,
}

impl Classifier {
    /// The network of a model with a logistic output layer that is precise enough to compare networks.
    ///
    /// # Errors
    /// If columns are not finite.
    pub(super) fn logistic(model: &Model, decay: f64, train: &Dataset) -> Result<Self, Error> {
        let (hidden, topology) = (model.hidden().to_vec(), model.topology());
        let seen = columns(topology, &hidden, model.scaler(), train);
        let classes: Vec<usize> = targets(train).iter().map(|y| winner(y)).collect();
        let penalty = decay.max(LEAST_PENALTY);
        let (count, of_rows) = (train.outputs.len(), train.weights.as_deref());
        let logistic = Logistic { columns: &seen, classes: &classes, count, penalty, of_rows };
        let readout = logistic.solve(&twice(model.readout(), seen.len()))?;
        Ok(Self { hidden, readout })
    }

    /// The scores of the classes for each row.
    fn scores(&self, topology: &Topology, scaler: &Scaler, data: &Dataset) -> Vec<Vec<f64>> {
        let columns = columns(topology, &self.hidden, scaler, data);
        let score = |w: &Vec<f64>, row: usize| {
            columns.iter().zip(w).map(|(column, w)| column[row] * w).sum::<f64>() + w[columns.len()]
        };
        (0..data.rows()).map(|row| self.readout.iter().map(|w| score(w, row)).collect()).collect()
    }
}

impl Trials<'_> {
    /// The mean loss of a classifier on some rows.
    pub(super) fn mean_loss_of_classes(
        &self,
        classifier: &Classifier,
        topology: &Topology,
        scaler: &Scaler,
        data: &Dataset,
    ) -> f64 {
        let predicted = at(&classifier.scores(topology, scaler, data), 1.0);
        let losses =
            self.metric.losses(&predicted, &targets(data), &self.scale.weights, data.weights.as_deref());
        data.mean(|row| losses[row])
    }

    /// The losses of a classifier on the held-out rows, and their mean on the training rows.
    pub(super) fn losses_of_classes(
        &self,
        classifier: &Classifier,
        topology: &Topology,
        scaler: &Scaler,
        part: &Part,
    ) -> Losses {
        let (train, test) = (&part.data.train, &part.test);
        let weights_of_test = test.weights.as_deref();
        let single = |losses: Vec<f64>| -> Vec<f32> { losses.iter().map(|v| *v as f32).collect() };
        let of_test = targets(test);
        let of_rows = classifier.scores(topology, scaler, test);
        let by_temperature: Vec<Vec<Vec<f64>>> = TEMPERATURES.iter().map(|t| at(&of_rows, *t)).collect();
        let of_temperatures = by_temperature.iter().map(|p| {
            let losses = Metric::LogLoss.losses(p, &of_test, &self.scale.weights, weights_of_test);
            losses.iter().enumerate().map(|(row, loss)| test.weight(row) * loss).sum()
        });
        let count = self.shape(true).of_row;
        let losses =
            |p: &Vec<Vec<f64>>| single(self.metric.losses(p, &of_test, &self.scale.weights, weights_of_test));
        let correct = of_rows.iter().zip(&of_test).map(|(s, y)| winner(s) == winner(y)).collect();
        Losses {
            of_rows: by_temperature[..count].iter().map(losses).collect(),
            of_temperatures: of_temperatures.collect(),
            training: self.mean_loss_of_classes(classifier, topology, scaler, train),
            correct,
            errors: Vec::new(),
            association: Association::new(&by_temperature[0], &of_test, &self.scale.weights, weights_of_test),
            is_cut_short: false,
        }
    }
}

/// What the output layer sees of some rows, by columns.
fn columns(topology: &Topology, hidden: &[f64], scaler: &Scaler, data: &Dataset) -> Vec<Vec<f64>> {
    let network = Plain { topology, hidden, readout: &[], activation: OutputActivation::Identity };
    let mut columns = vec![Vec::with_capacity(data.rows()); topology.readout_columns()];
    let mut work = PlainWork::default();
    for row in 0..data.rows() {
        work.x.clear();
        work.x.extend(data.inputs.iter().map(|column| column.get(row)));
        scaler.scale(&mut work.x);
        network.run(&mut work);
        columns.iter_mut().zip(&work.x).for_each(|(column, v)| column.push(*v));
    }
    columns
}

/// The probabilities of the classes for the scores of each row.
fn at(scores: &[Vec<f64>], temperature: f64) -> Vec<Vec<f64>> {
    scores.iter().map(|scores| probabilities(scores, temperature)).collect()
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
