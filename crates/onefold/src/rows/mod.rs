//! Training rows as the network's cost reads them: blocks in the layout of the kernels, or columns that are
//! scaled while they are read.

mod columns;
mod samples;

pub(crate) use columns::Columns;
pub(crate) use samples::Samples;

use crate::kernel::{Block, WIDTH};
use std::ops::Range;

/// Where scaled rows are read from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// From memory, in the layout of the kernels.
    Samples(&'a Samples),
    /// From the data, scaled on the way: no second copy of a large table is needed.
    Columns(&'a Columns<'a>),
}

impl Source<'_> {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Samples(samples) => samples.rows,
            Self::Columns(columns) => columns.rows(),
        }
    }

    /// Number of blocks, the last one of which may have fewer rows.
    pub(crate) fn blocks(&self) -> usize {
        self.rows().div_ceil(WIDTH)
    }

    /// Writes a range of blocks of each input, one after another.
    pub(crate) fn read_inputs(&self, range: &Range<usize>, to: &mut [Block]) {
        match self {
            Self::Samples(samples) => copy_blocks(&samples.inputs, samples.blocks, range, to),
            Self::Columns(columns) => columns.read_inputs(range, to),
        }
    }

    /// Writes a range of blocks of each target, one after another.
    pub(crate) fn read_targets(&self, range: &Range<usize>, to: &mut [Block]) {
        match self {
            Self::Samples(samples) => copy_blocks(&samples.targets, samples.blocks, range, to),
            Self::Columns(columns) => columns.read_targets(range, to),
        }
    }

    /// Whether rows have different weights.
    pub(crate) fn has_weights(&self) -> bool {
        match self {
            Self::Samples(samples) => !samples.roots.is_empty(),
            Self::Columns(columns) => columns.has_weights(),
        }
    }

    /// Writes a range of blocks of the roots of the weights, if there are any.
    pub(crate) fn read_roots(&self, range: &Range<usize>, to: &mut [Block]) {
        match self {
            Self::Samples(samples) if samples.roots.is_empty() => {}
            Self::Samples(samples) => copy_blocks(&samples.roots, samples.blocks, range, to),
            Self::Columns(columns) => columns.read_roots(range, to),
        }
    }

    /// Sets what belongs to no row to zero, in columns of this number of blocks up to the last row.
    pub(crate) fn clear_padding(&self, columns: &mut [Block], blocks: usize) {
        clear_padding(self.rows(), columns, blocks);
    }
}

/// Multiplies columns by the roots of the weights: least squares of such columns and targets is weighted
/// least squares. Without weights, where there are no roots, nothing changes.
pub(crate) fn weigh(roots: &[Block], columns: &mut [Block]) {
    if roots.is_empty() {
        return;
    }
    for column in columns.chunks_exact_mut(roots.len()) {
        for (block, roots) in column.iter_mut().zip(roots) {
            block.iter_mut().zip(**roots).for_each(|(v, root)| *v *= root);
        }
    }
}

fn clear_padding(rows: usize, columns: &mut [Block], blocks: usize) {
    let filled = rows - (rows.div_ceil(WIDTH).max(1) - 1) * WIDTH;
    for column in columns.chunks_exact_mut(blocks) {
        column[blocks - 1][filled..].fill(0.0);
    }
}

fn copy_blocks(columns: &[Block], blocks: usize, range: &Range<usize>, to: &mut [Block]) {
    for (column, to) in columns.chunks_exact(blocks).zip(to.chunks_exact_mut(range.len())) {
        to.copy_from_slice(&column[range.clone()]);
    }
}

#[cfg(test)]
mod tests;
