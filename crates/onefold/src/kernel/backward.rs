//! Derivatives of outputs by hidden parameters: the backward pass (backpropagation) over all samples.

use super::dispatch;
use super::lanes::{Block, Lanes};

dispatch! {
    /// `deltas[n] = weights[n] (1 - h_n²)` for each neuron `n` of the last hidden layer and each sample: the
    /// derivative of one output by the neuron's weighted sum.
    pub(crate) fn last_deltas(weights: &[f64], h: &[Block], blocks: usize, deltas: &mut [Block]) {
        last_generic
    }
}

dispatch! {
    /// The deltas of a layer from those of the next one, whose `parameters` are one run for each neuron that
    /// begins with the weights of this layer; `h` holds the outputs of the layer.
    pub(crate) fn earlier_deltas(
        parameters: &[f64],
        next: &[Block],
        h: &[Block],
        blocks: usize,
        deltas: &mut [Block],
    ) {
        earlier_generic
    }
}

dispatch! {
    /// For each neuron of a layer its delta times each of the layer's inputs, and then the delta itself: the
    /// derivatives of an output by the layer's parameters, in their order.
    pub(crate) fn derivatives(deltas: &[Block], inputs: &[Block], blocks: usize, columns: &mut [Block]) {
        derivatives_generic
    }
}

#[inline(always)]
fn last_generic<L: Lanes>(weights: &[f64], h: &[Block], blocks: usize, deltas: &mut [Block]) {
    for ((w, h), deltas) in weights.iter().zip(h.chunks_exact(blocks)).zip(deltas.chunks_exact_mut(blocks)) {
        let w = L::splat(*w);
        for (h, delta) in h.iter().zip(deltas) {
            let h = L::load(h);
            h.neg_mul_add(h, L::splat(1.0)).mul(w).store(delta);
        }
    }
}

#[inline(always)]
fn earlier_generic<L: Lanes>(
    parameters: &[f64],
    next: &[Block],
    h: &[Block],
    blocks: usize,
    deltas: &mut [Block],
) {
    let size = parameters.len() / (next.len() / blocks);
    for (i, (h, deltas)) in h.chunks_exact(blocks).zip(deltas.chunks_exact_mut(blocks)).enumerate() {
        for (b, (h, delta)) in h.iter().zip(deltas).enumerate() {
            let mut sum = L::splat(0.0);
            for (eta, next) in parameters.chunks_exact(size).zip(next.chunks_exact(blocks)) {
                sum = L::splat(eta[i]).mul_add(L::load(&next[b]), sum);
            }
            let h = L::load(h);
            h.neg_mul_add(h, L::splat(1.0)).mul(sum).store(delta);
        }
    }
}

#[inline(always)]
fn derivatives_generic<L: Lanes>(deltas: &[Block], inputs: &[Block], blocks: usize, columns: &mut [Block]) {
    let width = inputs.len() / blocks;
    for (delta, columns) in deltas.chunks_exact(blocks).zip(columns.chunks_exact_mut((width + 1) * blocks)) {
        let (products, last) = columns.split_at_mut(width * blocks);
        for (input, product) in inputs.chunks_exact(blocks).zip(products.chunks_exact_mut(blocks)) {
            for b in 0..blocks {
                L::load(&delta[b]).mul(L::load(&input[b])).store(&mut product[b]);
            }
        }
        last.copy_from_slice(delta);
    }
}
