//! One layer of tanh neurons over all samples.

use super::lanes::{Block, Lanes};
#[cfg(test)]
use super::tanh::tanh_of_sixteenths;
use super::{LONG, dispatch, poll, tanh::tanh};

dispatch! {
    /// Paper, eq. 2: `outputs[n] = tanh(w_n · inputs + tau_n)` for each neuron `n` and each sample.
    ///
    /// `parameters` holds `(w_n, tau_n)` for each neuron; `inputs` and `outputs` hold one run of `blocks`
    /// blocks for each input and each neuron.
    pub(crate) fn layer(parameters: &[f64], inputs: &[Block], blocks: usize, outputs: &mut [Block]) {
        layer_generic
    }
}

dispatch! {
    /// `tanh` of every number.
    pub(crate) fn tanh_blocks(x: &mut [Block]) {
        tanh_generic
    }
}

/// Blocks whose sums are in registers together.
const TILE: usize = 4;

#[inline(always)]
fn layer_generic<L: Lanes>(parameters: &[f64], inputs: &[Block], blocks: usize, outputs: &mut [Block]) {
    let width = inputs.len() / blocks;
    let is_long = outputs.len() * (width + 1) >= LONG;
    for (eta, output) in parameters.chunks_exact(width + 1).zip(outputs.chunks_exact_mut(blocks)) {
        if is_long && poll(8 * (width + 10) * blocks) {
            return;
        }
        let (tiles, rest) = output.as_chunks_mut::<TILE>();
        let start = tiles.len() * TILE;
        for (tile, out) in tiles.iter_mut().enumerate() {
            neuron::<L, TILE>(eta, &inputs[tile * TILE..], blocks, out);
        }
        for (b, out) in rest.iter_mut().enumerate() {
            neuron::<L, 1>(eta, &inputs[start + b..], blocks, std::array::from_mut(out));
        }
    }
}

/// One neuron for a few blocks, given the inputs from the first of these on.
#[inline(always)]
fn neuron<L: Lanes, const N: usize>(eta: &[f64], inputs: &[Block], blocks: usize, out: &mut [Block; N]) {
    let (weights, shift) = eta.split_at(eta.len() - 1);
    let mut sums = [L::splat(shift[0]); N];
    for (i, w) in weights.iter().enumerate() {
        let (w, x) = (L::splat(*w), &inputs[i * blocks..][..N]);
        for b in 0..N {
            sums[b] = w.mul_add(L::load(&x[b]), sums[b]);
        }
    }
    for b in 0..N {
        tanh(sums[b]).store(&mut out[b]);
    }
}

#[cfg(test)]
dispatch! {
    /// [`tanh_of_sixteenths`] of every number.
    pub(crate) fn quick_tanh_blocks(x: &mut [Block]) {
        quick_generic
    }
}

#[cfg(test)]
#[inline(always)]
fn quick_generic<L: Lanes>(x: &mut [Block]) {
    for block in x {
        tanh_of_sixteenths(L::load(block)).store(block);
    }
}

#[inline(always)]
fn tanh_generic<L: Lanes>(x: &mut [Block]) {
    for block in x {
        tanh(L::load(block)).store(block);
    }
}
