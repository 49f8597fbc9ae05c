//! What a model answers to a row.

use super::{Model, OutputActivation};
use crate::data::winner;
use crate::network::Plain;

impl Model {
    /// The outputs for one row of unscaled inputs; with [`OutputActivation::Softmax`] probabilities of the
    /// classes.
    ///
    /// # Panics
    /// If the number of inputs differs from that of the network.
    #[must_use]
    pub fn predict(&self, input: &[f64]) -> Vec<f64> {
        assert_eq!(input.len(), self.topology.inputs(), "inputs of a row");
        self.network().outputs(self.scaler.apply(input))
    }

    /// The sums of the output layer for one row of unscaled inputs.
    pub(crate) fn sums(&self, input: &[f64]) -> Vec<f64> {
        let network = Plain { activation: OutputActivation::Identity, ..self.network() };
        network.outputs(self.scaler.apply(input))
    }

    pub(super) fn network(&self) -> Plain<'_> {
        let Self { topology, hidden, readout, output_activation: activation, .. } = self;
        Plain { topology, hidden, readout, activation: *activation }
    }

    /// The predicted class for one row of unscaled inputs; none for a regression.
    ///
    /// # Panics
    /// As [`predict`](Self::predict).
    #[must_use]
    pub fn classify(&self, input: &[f64]) -> Option<&str> {
        self.classification.then(|| self.output_names[winner(&self.predict(input))].as_str())
    }

    /// The class with the largest of these outputs; none for a regression.
    #[must_use]
    pub fn winner(&self, outputs: &[f64]) -> Option<&str> {
        self.output_names.get(winner(outputs)).filter(|_| self.classification).map(String::as_str)
    }
}
