//! One layer of tanh neurons over all samples.

use super::lanes::{Block, Lanes};
#[cfg(test)]
use super::tanh::tanh_of_sixteenths;
use super::{dispatch, tanh::tanh};

dispatch! {
    /// Paper, eq. 2: `outputs[n] = tanh(w_n · inputs + tau_n)` for each neuron `n` and each sample.
    ///
    /// `parameters` holds `(w_n, tau_n)` for each neuron; `inputs` and `outputs` hold one run of `blocks` blocks for
    /// each input and each neuron.
    pub(crate) fn layer(parameters: &[f64], inputs: &[Block], blocks: usize, outputs: &mut [Block]) = layer_generic
}

dispatch! {
    /// `tanh` of every number.
    pub(crate) fn tanh_blocks(x: &mut [Block]) = tanh_generic
}

#[inline(always)]
fn layer_generic<L: Lanes>(parameters: &[f64], inputs: &[Block], blocks: usize, outputs: &mut [Block]) {
    let width = inputs.len() / blocks;
    for (eta, output) in parameters.chunks_exact(width + 1).zip(outputs.chunks_exact_mut(blocks)) {
        let (weights, shift) = (&eta[..width], L::splat(eta[width]));
        for (b, out) in output.iter_mut().enumerate() {
            let mut sum = shift;
            for (w, input) in weights.iter().zip(inputs.chunks_exact(blocks)) {
                sum = L::splat(*w).mul_add(L::load(&input[b]), sum);
            }
            tanh(sum).store(out);
        }
    }
}

#[cfg(test)]
dispatch! {
    /// [`tanh_of_sixteenths`] of every number.
    pub(crate) fn quick_tanh_blocks(x: &mut [Block]) = quick_generic
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
