//! Rows in memory, in the layout of the kernels.

use super::clear_padding;
use super::columns::roots;
use crate::Dataset;
use crate::kernel::{Block, WIDTH};
use std::ops::Deref;

/// Rows in the layout of the kernels: consecutive blocks for each input and each output, padded with zeros.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    pub(crate) rows: usize,
    pub(crate) blocks: usize,
    pub(crate) inputs: Vec<Block>,
    pub(crate) targets: Vec<Block>,
    /// One column with the root of each row's weight, in units of the mean; empty without weights.
    pub(crate) roots: Vec<Block>,
}

impl Samples {
    pub(crate) fn new(data: &Dataset) -> Self {
        let rows = data.rows();
        let blocks = rows.div_ceil(WIDTH);
        let (inputs, targets) = (to_blocks(&data.inputs, blocks), to_blocks(&data.outputs, blocks));
        let roots = data.weights.as_deref().map(roots);
        Self { rows, blocks, inputs, targets, roots: Self::blocks_of(roots.as_deref(), blocks) }
    }

    /// A column in blocks; empty if there is none.
    pub(super) fn blocks_of(column: Option<&[f64]>, blocks: usize) -> Vec<Block> {
        column.map_or(Vec::new(), |column| to_blocks(&[column], blocks))
    }

    /// The weight of one sample, in units of the mean; 1 without weights.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.roots.get(row / WIDTH).map_or(1.0, |block| block[row % WIDTH] * block[row % WIDTH])
    }

    /// The inputs of one sample.
    pub(crate) fn input(&self, row: usize) -> impl Iterator<Item = f64> {
        lanes_of(&self.inputs, self.blocks, row)
    }

    /// The targets of one sample.
    pub(crate) fn target(&self, row: usize) -> impl Iterator<Item = f64> {
        lanes_of(&self.targets, self.blocks, row)
    }

    /// Sets what belongs to no sample to zero, in columns of all samples.
    pub(crate) fn clear_padding(&self, columns: &mut [Block]) {
        clear_padding(self.rows, columns, self.blocks);
    }

    /// The column of ones that an output bias multiplies.
    pub(crate) fn ones(&self, column: &mut [Block]) {
        column.fill(Block::splat(1.0));
        self.clear_padding(column);
    }
}

fn to_blocks(columns: &[impl Deref<Target = [f64]>], blocks: usize) -> Vec<Block> {
    let mut all = vec![Block::ZERO; columns.len() * blocks];
    for (column, run) in columns.iter().zip(all.chunks_exact_mut(blocks.max(1))) {
        for (block, values) in run.iter_mut().zip(column.chunks(WIDTH)) {
            block[..values.len()].copy_from_slice(values);
        }
    }
    all
}

fn lanes_of(columns: &[Block], blocks: usize, row: usize) -> impl Iterator<Item = f64> {
    columns.chunks_exact(blocks).map(move |column| column[row / WIDTH][row % WIDTH])
}
