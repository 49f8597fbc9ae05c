//! One layer of tanh neurons over all samples.

use super::lanes::{Block, Lanes};
#[cfg(test)]
use super::tanh::{TOGETHER, tanhs_of_sixteenths};
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
    let size = inputs.len() / blocks + 1;
    // How many neurons are computed together does not change a sum.
    let together = outputs.len() / blocks / L::NEURONS * L::NEURONS;
    let (etas, other_etas) = parameters.split_at(together * size);
    let (first, rest) = outputs.split_at_mut(together * blocks);
    match L::NEURONS {
        4 => neurons::<L, 4>(etas, inputs, blocks, first),
        _ => neurons::<L, 1>(etas, inputs, blocks, first),
    }
    neurons::<L, 1>(other_etas, inputs, blocks, rest);
}

/// Groups of `G` neurons.
#[inline(always)]
fn neurons<L: Lanes, const G: usize>(
    parameters: &[f64],
    inputs: &[Block],
    blocks: usize,
    outputs: &mut [Block],
) {
    let size = inputs.len() / blocks + 1;
    let is_long = outputs.len() * size >= LONG;
    for (etas, output) in parameters.chunks_exact(G * size).zip(outputs.chunks_exact_mut(G * blocks)) {
        if is_long && poll(8 * (size + 9) * G * blocks) {
            return;
        }
        let tiled = blocks / TILE * TILE;
        for start in (0..tiled).step_by(TILE) {
            group::<L, G, TILE>(etas, &inputs[start..], blocks, &mut output[start..]);
        }
        for start in tiled..blocks {
            group::<L, G, 1>(etas, &inputs[start..], blocks, &mut output[start..]);
        }
    }
}

/// `G` neurons for `N` blocks, given inputs and outputs from the first of these on.
#[inline(always)]
fn group<L: Lanes, const G: usize, const N: usize>(
    etas: &[f64],
    inputs: &[Block],
    blocks: usize,
    outputs: &mut [Block],
) {
    let size = etas.len() / G;
    let mut sums = [[L::splat(0.0); N]; G];
    for g in 0..G {
        sums[g] = [L::splat(etas[(g + 1) * size - 1]); N];
    }
    for i in 0..size - 1 {
        let mut x = [L::splat(0.0); N];
        for b in 0..N {
            x[b] = L::load(&inputs[i * blocks..][..N][b]);
        }
        for g in 0..G {
            let w = L::splat(etas[g * size + i]);
            for b in 0..N {
                sums[g][b] = w.mul_add(x[b], sums[g][b]);
            }
        }
    }
    for g in 0..G {
        for b in 0..N {
            tanh(sums[g][b]).store(&mut outputs[g * blocks + b]);
        }
    }
}

#[cfg(test)]
dispatch! {
    /// [`tanhs_of_sixteenths`] of every number.
    pub(crate) fn quick_tanh_blocks(x: &mut [Block; TOGETHER]) {
        quick_generic
    }
}

#[cfg(test)]
#[inline(always)]
fn quick_generic<L: Lanes>(x: &mut [Block; TOGETHER]) {
    let mut four = [L::splat(0.0); TOGETHER];
    for i in 0..TOGETHER {
        four[i] = L::load(&x[i]);
    }
    for (y, block) in tanhs_of_sixteenths(four).into_iter().zip(x) {
        y.store(block);
    }
}

#[inline(always)]
fn tanh_generic<L: Lanes>(x: &mut [Block]) {
    for block in x {
        tanh(L::load(block)).store(block);
    }
}
