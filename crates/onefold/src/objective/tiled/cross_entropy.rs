//! Cross-entropies of the probabilities of classes, and their gradient.

use super::tile::{Network, Pass, Sums, Tile};
use super::{Rows, Tiled};
use crate::kernel::{Block, WIDTH, add_products, subtract_outputs};
use crate::rows::weigh;

impl Tiled {
    /// The mean cross-entropy of the network with these hidden parameters and output weights, which are one
    /// run for each output: those of the columns, and the bias or zero. Its gradient, without a penalty, is
    /// written by the hidden parameters and then by the output weights, without what stands for no bias.
    pub(crate) fn cross_entropy(
        &mut self,
        rows: Rows<'_>,
        theta: &[f64],
        weights: &[f64],
        gradient: &mut [f64],
    ) -> f64 {
        self.run(rows, theta, Pass::CrossEntropy(weights));
        // Residuals are targets minus probabilities.
        let scale = -1.0 / rows.source.rows() as f64;
        let sums = self.sums.gradient.iter().chain(&self.sums.of_outputs);
        gradient.iter_mut().zip(sums).for_each(|(g, sum)| *g = scale * sum);
        -scale * self.sums.cross_entropy
    }
}

impl Tile {
    /// Turns targets into residuals, targets minus probabilities, and adds cross-entropies and their
    /// gradient by the output weights. The targets of a row are 1 for its class and 0 for others; where there
    /// is no row all are 0, and so are the residuals. With weights of rows, residuals times their roots
    /// replace the weighted targets.
    pub(super) fn add_cross_entropy(&mut self, network: Network<'_>, weights: &[f64], sums: &mut Sums) {
        let Self { isa, columns, blocks, matrix, roots, weighted, .. } = self;
        let (isa, columns, blocks) = (*isa, *columns, *blocks);
        let outputs = network.topology.outputs();
        let matrix = &mut matrix[..(columns + outputs) * blocks];
        let targets = matrix[columns * blocks..].to_vec();
        matrix[columns * blocks..].fill(Block::ZERO);
        subtract_outputs(isa, matrix, blocks, columns, weights);
        let (mut seen, residuals) = matrix.split_at_mut(columns * blocks);
        for b in 0..blocks {
            for lane in 0..WIDTH {
                let weight = roots.get(b).map_or(1.0, |roots| roots[lane] * roots[lane]);
                sums.cross_entropy += weight * softmax_residuals(&targets, residuals, blocks, (b, lane));
            }
        }
        let mut residuals = &*residuals;
        if !roots.is_empty() {
            let (columns, targets) = weighted.split_at_mut(columns * blocks);
            targets.copy_from_slice(residuals);
            weigh(roots, targets);
            (seen, residuals) = (columns, targets);
        }
        add_products(isa, residuals, seen, blocks, &mut sums.of_outputs);
    }
}

/// Replaces the negative scores of one row by residuals; the cross-entropy. What becomes of a row does not
/// depend on the instruction set.
fn softmax_residuals(
    targets: &[Block],
    scores: &mut [Block],
    blocks: usize,
    (b, lane): (usize, usize),
) -> f64 {
    let places = || (b..targets.len()).step_by(blocks);
    let total: f64 = places().map(|i| targets[i][lane]).sum();
    let lowest = places().map(|i| scores[i][lane]).fold(f64::INFINITY, f64::min);
    let (mut sum, mut expected) = (0.0, 0.0);
    for i in places() {
        let score = lowest - scores[i][lane];
        expected += targets[i][lane] * score;
        scores[i][lane] = libm::exp(score);
        sum += scores[i][lane];
    }
    for i in places() {
        scores[i][lane] = targets[i][lane] - total * scores[i][lane] / sum;
    }
    total * libm::log(sum) - expected
}
