//! Rows of a data set, scaled while they are read.

use super::Samples;
use crate::Dataset;
use crate::data::{Scaler, TargetScaler};
use crate::kernel::{Block, WIDTH};
use crate::rng::{Purpose, Streams};
use std::borrow::Cow;
use std::ops::Range;

/// The rows of a data set, and how they are scaled.
#[derive(Clone, Debug)]
pub(crate) struct Columns<'a> {
    data: Cow<'a, Dataset>,
    /// For each input what is subtracted, and then divided by.
    inputs: Vec<(f64, f64)>,
    targets: Vec<(f64, f64)>,
    /// The root of each row's weight, in units of the mean; none without weights.
    roots: Option<Vec<f64>>,
}

impl<'a> Columns<'a> {
    /// Rows as they are.
    pub(crate) fn unscaled(data: impl Into<Cow<'a, Dataset>>) -> Self {
        let data = data.into();
        let (inputs, targets) = (vec![(0.0, 1.0); data.inputs.len()], vec![(0.0, 1.0); data.outputs.len()]);
        let roots = data.weights.as_deref().map(roots);
        Self { data, inputs, targets, roots }
    }

    /// Rows with scaled inputs and, if there is a scaler for them, targets.
    pub(crate) fn scaled(data: &'a Dataset, inputs: &Scaler, targets: Option<&TargetScaler>) -> Self {
        let pairs =
            |offset: &[f64], scale: &[f64]| offset.iter().copied().zip(scale.iter().copied()).collect();
        let mut unscaled = Self::unscaled(data);
        let targets = targets.map_or(std::mem::take(&mut unscaled.targets), |t| pairs(&t.offset, &t.scale));
        Self { inputs: pairs(&inputs.offset, &inputs.scale), targets, ..unscaled }
    }

    pub(crate) fn data(&self) -> &Dataset {
        &self.data
    }

    pub(crate) fn rows(&self) -> usize {
        self.data.rows()
    }

    pub(super) fn read_inputs(&self, range: &Range<usize>, to: &mut [Block]) {
        let (rows, mut buffer) = (rows_of(range, self.rows()), Vec::new());
        let columns = self.data.inputs.iter().zip(&self.inputs);
        for ((column, scaling), to) in columns.zip(to.chunks_exact_mut(range.len())) {
            read(column.part(rows.clone(), &mut buffer), *scaling, to);
        }
    }

    pub(super) fn read_targets(&self, range: &Range<usize>, to: &mut [Block]) {
        let rows = rows_of(range, self.rows());
        let columns = self.data.outputs.iter().zip(&self.targets);
        for ((column, scaling), to) in columns.zip(to.chunks_exact_mut(range.len())) {
            read(&column[rows.clone()], *scaling, to);
        }
    }

    pub(super) fn has_weights(&self) -> bool {
        self.roots.is_some()
    }

    pub(super) fn read_roots(&self, range: &Range<usize>, to: &mut [Block]) {
        if let Some(roots) = &self.roots {
            read(&roots[rows_of(range, roots.len())], (0.0, 1.0), to);
        }
    }

    /// A data set of all rows, scaled.
    pub(crate) fn to_dataset(&self) -> Dataset {
        let mut data = self.data.clone().into_owned();
        let inputs = data.inputs.iter_mut().map(|column| &mut column[..]).zip(&self.inputs);
        let outputs = data.outputs.iter_mut().map(|column| &mut column[..]).zip(&self.targets);
        for (column, scaling) in inputs.chain(outputs) {
            column.iter_mut().for_each(|v| *v = scale(*v, *scaling));
        }
        data
    }

    /// A random sample, for which the rows are halved this many times. Smaller samples are parts of larger
    /// ones.
    pub(crate) fn sample(&self, halvings: u32) -> Samples {
        // A row is in the sample if that many bits of its random number are zero.
        let mut rng = Streams::new(0, Purpose::Sample, 0).long(0);
        let chosen: Vec<usize> =
            (0..self.rows()).filter(|_| rng.bits().leading_zeros() >= halvings).collect();
        let rows = chosen.len();
        let blocks = rows.div_ceil(WIDTH);
        let sampled = |scaling: &[(f64, f64)], number: &dyn Fn(usize, usize) -> f64| {
            let mut all = vec![Block::ZERO; scaling.len() * blocks];
            for (column, (scaling, run)) in
                scaling.iter().zip(all.chunks_exact_mut(blocks.max(1))).enumerate()
            {
                for (k, row) in chosen.iter().enumerate() {
                    run[k / WIDTH][k % WIDTH] = scale(number(column, *row), *scaling);
                }
            }
            all
        };
        let inputs = sampled(&self.inputs, &|column, row| self.data.inputs[column].get(row));
        let targets = sampled(&self.targets, &|column, row| self.data.outputs[column][row]);
        // In units of the mean over the sample.
        let weights = self.data.weights.as_ref();
        let roots = weights.map(|all| roots(&chosen.iter().map(|row| all[*row]).collect::<Vec<f64>>()));
        Samples { rows, blocks, inputs, targets, roots: Samples::blocks_of(roots.as_deref(), blocks) }
    }
}

/// The root of each weight, in units of the mean weight: then the sum of the weights is the number of rows.
pub(super) fn roots(weights: &[f64]) -> Vec<f64> {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    weights.iter().map(|w| (w / mean).sqrt()).collect()
}

fn scale(value: f64, (offset, divisor): (f64, f64)) -> f64 {
    (value - offset) / divisor
}

/// The rows of a range of blocks, of so many.
fn rows_of(range: &Range<usize>, rows: usize) -> Range<usize> {
    range.start * WIDTH..(range.end * WIDTH).min(rows)
}

/// Writes numbers as blocks, padded with zeros.
fn read(values: &[f64], scaling: (f64, f64), to: &mut [Block]) {
    let (full, rest) = values.as_chunks::<WIDTH>();
    for (values, to) in full.iter().zip(&mut *to) {
        for (v, to) in values.iter().zip(to.iter_mut()) {
            *to = scale(*v, scaling);
        }
    }
    if !rest.is_empty() {
        let last = &mut to[full.len()];
        *last = Block::ZERO;
        rest.iter().zip(last.iter_mut()).for_each(|(v, to)| *to = scale(*v, scaling));
    }
}
