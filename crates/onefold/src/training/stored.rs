//! Whether a threshold is reached: by the network as it would be stored, in the units of the data.

use crate::activation::OutputActivation;
use crate::data::{Scaler, TargetScaler};
use crate::model::Score;
use crate::network::Plain;
use crate::{Dataset, Derivatives, Error, Evaluations, NetworkCost, Objective, Request, Topology};

/// A network as a model file has it, and how well it does.
#[derive(Clone)]
pub(super) struct Stored {
    pub(super) hidden: Vec<f64>,
    /// Output weights for targets as they are.
    pub(super) readout: Vec<Vec<f64>>,
    pub(super) activation: OutputActivation,
    /// How its inputs are scaled.
    pub(super) scaler: Scaler,
    pub(super) rank: usize,
    pub(super) least_share: f64,
    /// Mean squared error on the training rows, the same bits that the model has; NaN where nobody needs it,
    /// without a threshold and with targets as they are.
    pub(super) train_mse: f64,
    /// The same and the penalty, in the units of the data.
    pub(super) verified_cost: f64,
    /// The same as the search counts it.
    cost_in_search: f64,
    /// The penalty that is a part of it.
    penalty: f64,
}

impl Stored {
    /// The outputs for one row of unscaled inputs, as [`Model::predict`](crate::Model::predict) has them.
    pub(super) fn predict(&self, topology: &Topology, input: &[f64]) -> Vec<f64> {
        self.network(topology).outputs(self.scaler.apply(input))
    }

    pub(super) fn network<'a>(&'a self, topology: &'a Topology) -> Plain<'a> {
        Plain { topology, hidden: &self.hidden, readout: &self.readout, activation: self.activation }
    }
}

/// The cost of networks on scaled rows. A threshold is confirmed only where the network reaches it that would
/// be stored: undoing the scaling rounds, and a target of large numbers then has another error.
pub(super) struct Verified<'a> {
    pub(super) cost: NetworkCost<'a>,
    pub(super) topology: &'a Topology,
    /// The training rows as they are.
    pub(super) train: &'a Dataset,
    pub(super) scaler: Scaler,
    pub(super) targets: Option<TargetScaler>,
    /// In the units of the data.
    pub(super) threshold: Option<f64>,
}

impl Verified<'_> {
    /// The network that these parameters stand for.
    pub(super) fn stored(&mut self, theta: &[f64]) -> Stored {
        let mut stored = self.unscored(theta);
        if self.threshold.is_some() || self.targets.is_some() {
            let network = stored.network(self.topology);
            let score = Score::new(self.train, network, &self.scaler, self.cost.pool());
            self.set_error(&mut stored, score.map_or(f64::NAN, |score| score.mse));
        }
        stored
    }

    /// The same without its error on the training rows, which takes a prediction of all of them.
    pub(super) fn unscored(&mut self, theta: &[f64]) -> Stored {
        let solved = self.cost.solve(theta);
        let mut readout = solved.readout.weights;
        if let Some(targets) = &self.targets {
            targets.unscale(&mut readout, self.topology.readout_columns());
        }
        Stored {
            hidden: solved.hidden,
            readout,
            activation: OutputActivation::Identity,
            scaler: self.scaler.clone(),
            rank: solved.readout.rank,
            least_share: solved.readout.least_share,
            train_mse: f64::NAN,
            verified_cost: solved.mse + solved.penalty,
            cost_in_search: solved.mse + solved.penalty,
            penalty: solved.penalty,
        }
    }

    /// Sets the error of a stored network on the training rows, and what follows from it.
    pub(super) fn set_error(&self, stored: &mut Stored, train_mse: f64) {
        stored.train_mse = train_mse;
        match &self.targets {
            None => {}
            Some(targets) if targets.scale.len() == 1 => {
                stored.verified_cost = train_mse + stored.penalty * self.unit();
            }
            // The penalty of several scaled targets has no unit of the data.
            Some(_) => stored.verified_cost = train_mse,
        }
    }

    /// Whether there is a threshold, and the stored network reaches it. An L2 penalty is no error; the
    /// penalty outside the sphere counts, as in the paper.
    pub(super) fn is_reached(&self, stored: &Stored) -> bool {
        let Stored { train_mse, verified_cost, .. } = *stored;
        let has_decay = self.cost.has_decay();
        self.threshold
            .is_some_and(|threshold| train_mse <= threshold && (has_decay || verified_cost <= threshold))
    }

    /// A cost of 1 in the search, in the units of the data.
    pub(super) fn unit(&self) -> f64 {
        self.targets.as_ref().map_or(1.0, TargetScaler::unit)
    }

    /// A cost of the search above which no network reaches the threshold.
    pub(super) fn threshold_of_search(&self) -> Option<f64> {
        let threshold = self.threshold?;
        Some(match self.targets.as_ref().map(|targets| &targets.scale[..]) {
            None => threshold,
            // Slightly lower, so that the threshold is mostly still reached after rounding of the unscaled
            // output weights.
            Some([_]) => (threshold / self.unit() * (1.0 - 1e-12)).min(f64::MAX),
            // All of the error may be that of the target with the smallest scale.
            Some(scales) => {
                let least = scales.iter().copied().fold(f64::INFINITY, f64::min);
                (threshold / (least * least)).min(f64::MAX)
            }
        })
    }
}

impl Objective for Verified<'_> {
    fn dim(&self) -> usize {
        self.cost.dim()
    }

    fn evaluate(&mut self, request: &Request<'_>, evaluations: &mut Evaluations) {
        self.cost.evaluate(request, evaluations);
    }

    fn prepare_slopes(&mut self, derivatives: Derivatives) -> Result<(), Error> {
        self.cost.prepare_slopes(derivatives)
    }

    fn cost_of_slopes(&self) -> f64 {
        self.cost.cost_of_slopes()
    }

    /// The cost by a plain forward pass, moved to the side of the search's threshold on which the stored
    /// network is.
    fn confirm(&mut self, candidate: &[f64], cost: f64) -> f64 {
        let Some(threshold) = self.threshold_of_search() else {
            return self.cost.confirm(candidate, cost);
        };
        let stored = self.stored(candidate);
        if self.is_reached(&stored) {
            stored.cost_in_search.min(threshold)
        } else {
            stored.cost_in_search.max(threshold.next_up())
        }
    }
}
