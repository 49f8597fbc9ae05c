//! The network that parameters stand for: hidden parameters inside the sphere and output weights.

use super::super::tiled::Rows;
use super::{Context, NetworkCost, Worker};
use crate::CostSettings;
use crate::activation::OutputActivation;
use crate::cancellation::shield;
use crate::network::Plain;
use crate::readout::Solution;

/// A network as a search leaves it: hidden parameters inside the sphere, output weights, and its cost.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solved {
    pub(crate) hidden: Vec<f64>,
    pub(crate) readout: Solution,
    /// Mean squared error in plain arithmetic with the standard library's `tanh`; of large tables by tiles.
    pub(crate) mse: f64,
    pub(crate) penalty: f64,
}

impl NetworkCost<'_> {
    /// The network that these parameters stand for. It is not cut off.
    pub(crate) fn solve(&mut self, theta: &[f64]) -> Solved {
        let is_same = |(other, _): &&(Vec<f64>, Solved)| {
            other.iter().map(|v| v.to_bits()).eq(theta.iter().map(|v| v.to_bits()))
        };
        if let Some((_, solved)) = self.solved.as_ref().filter(is_same) {
            return solved.clone();
        }
        let _shield = shield();
        let solved = self.solve_anew(theta);
        self.solved = Some((theta.to_vec(), solved.clone()));
        solved
    }

    fn solve_anew(&mut self, theta: &[f64]) -> Solved {
        let mut hidden = theta.to_vec();
        let mut penalty = self.context.sphere.pull_in(theta, &mut hidden).unwrap_or(0.0);
        let with_ridge = self.with_ridge(&hidden);
        let Context { topology, settings: CostSettings { decay, .. }, .. } = &self.context;
        let (mut readout, mut squared) = (Solution::default(), f64::INFINITY);
        if let Some(Worker { full, .. }) = self.workers.first_mut() {
            full.squared_error(&self.context, &hidden);
            readout = full.readout.solve();
            squared = self.context.plain_squared_error(&hidden, &readout.weights);
        }
        // Local steps use the cost of these weights, which do not depend on a rank.
        if let Some((solution, of_tiles)) = with_ridge {
            if self.workers.is_empty() {
                (readout, squared) = (solution, of_tiles);
            } else {
                let with_ridge = self.context.plain_squared_error(&hidden, &solution.weights);
                if *decay > 0.0 || with_ridge < squared {
                    (readout.weights, squared) = (solution.weights, with_ridge);
                }
            }
        }
        if *decay > 0.0 {
            // Biases, which stand behind the weights, are not penalised.
            let of_readout = readout.weights.iter().flat_map(|row| &row[..topology.readout_columns()]);
            penalty += decay * of_readout.chain(&hidden).map(|v| v * v).sum::<f64>();
        }
        Solved { hidden, readout, mse: squared / self.context.terms, penalty }
    }

    /// Output weights with a ridge and the sum of squared errors in tiles, if costs are those of such
    /// weights.
    fn with_ridge(&mut self, hidden: &[f64]) -> Option<(Solution, f64)> {
        if let Some(mut tiled) = self.tiled.take() {
            let rows = Rows { source: self.all_rows(), pool: self.pool.as_ref() };
            let is_finite = tiled.cost(rows, hidden, None).is_finite();
            let solution = is_finite.then(|| (tiled.solution(), tiled.squared_error()));
            self.tiled = Some(tiled);
            return solution;
        }
        let Self { context, workers, .. } = self;
        let gauss_newton = workers.first_mut()?.full.gauss_newton.as_mut()?;
        gauss_newton.cost(&context.topology, hidden);
        let weights = gauss_newton.weights(context.topology.outputs());
        Some((Solution { weights, ..Solution::default() }, f64::INFINITY))
    }
}

impl Context {
    /// Squared error on the rows in memory by a plain forward pass.
    fn plain_squared_error(&self, hidden: &[f64], readout: &[Vec<f64>]) -> f64 {
        Plain { topology: &self.topology, hidden, readout, activation: OutputActivation::Identity }
            .squared_error(&self.samples)
    }
}
