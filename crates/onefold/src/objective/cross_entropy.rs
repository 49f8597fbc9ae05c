//! The cost of all weights of a classification's network: the mean cross-entropy with an L2 penalty.
//!
//! With hidden weights $U$ and shifts $\tau$, output weights $W$ and biases, and the probability
//! $p_{c_i}(x_i)$ that the softmax of the outputs gives to the class of row $i$ of $K$ rows, it is
//!
//! $$ -\frac1K \sum_i \ln p_{c_i}(x_i) + \lambda \left( \lVert U \rVert^2 + \lVert W \rVert^2 \right). $$
//!
//! Where rows have weights, the mean is weighted. Neither shifts nor biases are penalised, other than by the
//! cost of least squares, whose L2 penalty includes the shifts: a function that is even around a point needs
//! neurons with large shifts, and on tables of classes by radius a penalty on them increases the log loss on
//! other rows by a fourth.

use super::tiled::{Rows, Tiled};
use crate::data::Scaler;
use crate::kernel::Isa;
use crate::request::{Derivatives, Slopes};
use crate::rows::{Columns, Source};
use crate::{Dataset, Error, Topology};
use rayon::ThreadPool;

/// The cost of networks of one topology on some rows. A point is all of a network's weights: hidden
/// parameters, then for each output the weights of its columns and its bias, if there is one.
pub(crate) struct CrossEntropy<'a> {
    columns: Columns<'a>,
    topology: Topology,
    bias: bool,
    /// The factor of the L2 penalty.
    pub(crate) penalty: f64,
    pool: Option<&'a ThreadPool>,
    tiled: Tiled,
    /// The weights and shifts that are penalised, by 1, and those that are not, by 0.
    penalised: Vec<f64>,
    gradient: Vec<f64>,
}

impl<'a> CrossEntropy<'a> {
    /// The cost on these rows, with inputs scaled on the way.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(
        data: &'a Dataset,
        scaler: &Scaler,
        topology: &Topology,
        bias: bool,
        pool: Option<&'a ThreadPool>,
    ) -> Result<Self, Error> {
        let threads = pool.map_or(1, ThreadPool::current_num_threads);
        let columns = Columns::scaled(data, scaler, None);
        let mut tiled = Tiled::new(Isa::detect(), topology, bias, 0.0, Derivatives::Gradient, threads)?;
        tiled.keep(Source::Columns(&columns));
        let mut penalised = vec![1.0; topology.dim()];
        for (l, neurons) in topology.hidden().iter().enumerate() {
            (0..*neurons).for_each(|n| penalised[topology.neuron(l, n).end - 1] = 0.0);
        }
        for _ in 0..topology.outputs() {
            penalised.extend(std::iter::repeat_n(1.0, topology.readout_columns()));
            penalised.extend(bias.then_some(0.0));
        }
        let gradient = vec![0.0; penalised.len()];
        Ok(Self { columns, topology: topology.clone(), bias, penalty: 0.0, pool, tiled, penalised, gradient })
    }

    /// The cost of a point, and half of its gradient.
    pub(crate) fn cost(&mut self, point: &[f64], slopes: &mut Slopes) -> f64 {
        let (hidden, readout) = point.split_at(self.topology.dim());
        let size = self.topology.readout_columns() + usize::from(self.bias);
        let mut weights = Vec::with_capacity(self.topology.outputs() * (size + 1));
        for of_output in readout.chunks_exact(size) {
            weights.extend_from_slice(of_output);
            weights.extend((!self.bias).then_some(0.0));
        }
        let rows = Rows { source: Source::Columns(&self.columns), pool: self.pool };
        let loss = self.tiled.cross_entropy(rows, hidden, &weights, &mut self.gradient);
        slopes.half_gradient.clear();
        let mut squares = 0.0;
        for ((g, v), p) in self.gradient.iter().zip(point).zip(&self.penalised) {
            squares += p * v * v;
            slopes.half_gradient.push(0.5 * g + self.penalty * p * v);
        }
        loss + self.penalty * squares
    }

    /// The point of a network.
    pub(crate) fn point(hidden: &[f64], readout: &[Vec<f64>]) -> Vec<f64> {
        hidden.iter().chain(readout.iter().flatten()).copied().collect()
    }

    /// The hidden parameters and output weights of a point.
    pub(crate) fn network(&self, point: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (hidden, readout) = point.split_at(self.topology.dim());
        let size = self.topology.readout_columns() + usize::from(self.bias);
        (hidden.to_vec(), readout.chunks_exact(size).map(<[f64]>::to_vec).collect())
    }
}

/// The time of a cost with its gradient in nanoseconds, counted from operations.
pub(crate) fn time_of_cross_entropy(topology: &Topology, rows: usize, bias: bool) -> f64 {
    let (outputs, dim) = (topology.outputs() as f64, topology.dim() as f64);
    let columns = topology.readout_columns() as f64 + f64::from(u8::from(bias));
    let neurons = topology.hidden().iter().sum::<usize>() as f64;
    rows.div_ceil(crate::kernel::WIDTH) as f64
        * (0.3 * dim + 5.0 * neurons + outputs * (1.0 * columns + 60.0))
}

#[cfg(test)]
mod tests;
