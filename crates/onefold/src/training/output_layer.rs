//! The output layer of a classification, solved again by logistic regression after the search.

use super::Training;
use super::cross_entropy::CrossEntropyDescent;
use super::stored::Stored;
use crate::activation::OutputActivation;
use crate::data::Scaler;
use crate::network::{Plain, PlainWork};
use crate::readout::{PRECISE, Regression, SeenRows};
use crate::resources::{available, in_order};
use crate::settings::OutputLayer;
use crate::{Dataset, Error, StopReason};
use rayon::ThreadPool;
use std::ops::Range;
use std::time::{Duration, Instant};

/// After the end of the time limit the regression may still take this long: on most tables that is enough.
const LEAST_TIME: Duration = Duration::from_millis(100);
/// The same after a request to end, which somebody waits for.
const LEAST_TIME_ON_REQUEST: Duration = Duration::from_millis(40);
/// Rows whose columns one thread computes at a time.
const PART: usize = 1024;
/// What the output layer sees is stored up to so many bytes, and up to this part of the memory that is left;
/// otherwise it is computed again in each step.
const MOST_BYTES: u64 = 1 << 30;
const PART_OF_MEMORY: u64 = 4;

impl Training<'_> {
    /// Solves the output layer so that it gives probabilities, and reports a `descent` of all weights. Where
    /// it is cut short, the weights so far are kept, and the reason is returned; `started` is when the run
    /// was.
    pub(super) fn make_probabilities(
        &self,
        stored: &mut Stored,
        descent: &mut Option<CrossEntropyDescent>,
        started: Instant,
    ) -> Result<Option<StopReason>, Error> {
        let mut reason = self.solve_logistic(stored, started)?;
        let is_with_hidden = self.settings.output_layer == OutputLayer::CrossEntropy;
        if is_with_hidden && self.settings.topology.dim() > 0 && reason.is_none() {
            let descended = self.descend_on_cross_entropy(stored, started)?;
            (*descent, reason) = (Some(descended.0), descended.1);
        }
        stored.readout.iter_mut().flatten().for_each(|w| *w /= self.settings.temperature);
        stored.activation = OutputActivation::Softmax;
        Ok(reason)
    }

    /// Solves the output layer by logistic regression, from twice the weights of least squares on.
    fn solve_logistic(&self, stored: &mut Stored, started: Instant) -> Result<Option<StopReason>, Error> {
        self.cancellation.obey();
        let (cancellation, stop, begun) = (&self.cancellation, &self.settings.stop, Instant::now());
        let is_dispensable = self.is_dispensable;
        let is_ended = || cancellation.is_cancelled() || stop.is_over(started.elapsed());
        let least = || {
            if is_dispensable {
                Duration::ZERO
            } else if cancellation.is_requested() {
                LEAST_TIME_ON_REQUEST
            } else {
                LEAST_TIME
            }
        };
        let is_over = || begun.elapsed() >= least() && is_ended();
        let pool = self.cost.cost.pool();
        let start: Vec<Vec<f64>> =
            stored.readout.iter().map(|row| row.iter().map(|w| 2.0 * w).collect()).collect();
        let network = stored.network(&self.settings.topology);
        let mut seen = Seen { network, scaler: &stored.scaler, data: &self.data.train, stored: None };
        seen.store(pool, &is_over);
        let regression = Regression {
            rows: &seen,
            count: start.len(),
            bias: self.settings.cost.output_bias,
            penalty: self.settings.logistic_penalty(),
            pool,
            least_gradient: PRECISE,
            is_over: &is_over,
        };
        let fitted = regression.solve(Some(&start))?;
        stored.readout = fitted.weights;
        let reason = if cancellation.is_requested() { StopReason::Observer } else { StopReason::Time };
        Ok((!fitted.is_complete).then_some(reason))
    }
}

/// The training rows as the output layer sees them.
struct Seen<'a> {
    network: Plain<'a>,
    scaler: &'a Scaler,
    data: &'a Dataset,
    /// The columns of all rows, if there is memory for them.
    stored: Option<Vec<Vec<f64>>>,
}

impl Seen<'_> {
    /// Stores the columns of all rows if there is memory for them, unless it is ended.
    fn store(&mut self, pool: Option<&ThreadPool>, is_over: &(dyn Fn() -> bool + Sync)) {
        let (rows, count) = (self.rows(), self.columns());
        let bytes = (rows as u64).saturating_mul(8 * count as u64);
        if bytes > MOST_BYTES || bytes > available() / PART_OF_MEMORY {
            return;
        }
        let mut columns: Vec<Vec<f64>> = (0..count).map(|_| Vec::with_capacity(rows)).collect();
        let compute = |part: usize| {
            let mut values = Vec::new();
            if !is_over() {
                self.compute(part * PART..((part + 1) * PART).min(rows), &mut values);
            }
            values
        };
        in_order(pool, rows.div_ceil(PART), compute, |values| {
            let of_part = values.chunks_exact((values.len() / count.max(1)).max(1));
            columns.iter_mut().zip(of_part).for_each(|(column, values)| column.extend_from_slice(values));
        });
        self.stored = columns.iter().all(|column| column.len() == rows).then_some(columns);
    }

    /// The columns of some rows, one after the other.
    fn compute(&self, rows: Range<usize>, values: &mut Vec<f64>) {
        let (count, first) = (rows.len(), rows.start);
        let mut work = PlainWork::default();
        values.clear();
        values.resize(count * self.columns(), 0.0);
        for row in rows {
            work.x.clear();
            work.x.extend(self.data.inputs.iter().map(|column| column.get(row)));
            self.scaler.scale(&mut work.x);
            self.network.run(&mut work);
            let of_row = values.iter_mut().skip(row - first).step_by(count);
            of_row.zip(&work.x).for_each(|(value, x)| *value = *x);
        }
    }
}

impl SeenRows for Seen<'_> {
    fn rows(&self) -> usize {
        self.data.rows()
    }

    fn columns(&self) -> usize {
        self.network.topology.readout_columns()
    }

    fn part<'b>(&'b self, rows: Range<usize>, buffer: &'b mut Vec<f64>) -> Vec<&'b [f64]> {
        if let Some(columns) = &self.stored {
            return columns.iter().map(|column| &column[rows.clone()]).collect();
        }
        self.compute(rows.clone(), buffer);
        buffer.chunks_exact(rows.len().max(1)).collect()
    }

    fn weights(&self) -> Option<&[f64]> {
        self.data.weights.as_deref()
    }

    /// The first class with the largest target.
    fn class(&self, row: usize) -> usize {
        let outputs = &self.data.outputs;
        (1..outputs.len()).fold(0, |best, n| if outputs[n][row] > outputs[best][row] { n } else { best })
    }
}
