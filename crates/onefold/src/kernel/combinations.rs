//! Linear combinations of vectors, and of their outer products: what CMA-ES spends its time with.
//!
//! Products are rounded before they are added, and summands are added in the order given, each element by
//! itself: the same bits as a loop over plain slices.

use super::dispatch;
use super::lanes::{Block, Lanes, WIDTH};

/// Blocks whose sums are kept in registers.
const GROUP: usize = 4;

/// Writes vectors, one after the other, in whole blocks.
pub(crate) fn to_blocks<'a>(vectors: impl Iterator<Item = &'a [f64]>, blocks: &mut Vec<Block>) {
    blocks.clear();
    for vector in vectors {
        for part in vector.chunks(WIDTH) {
            let mut block = Block::ZERO;
            block[..part.len()].copy_from_slice(part);
            blocks.push(block);
        }
    }
}

dispatch! {
    /// `out = Σ coefficients[k] · vectors[k]`, the vectors in whole blocks.
    pub(crate) fn combine(coefficients: &[f64], vectors: &[Block], out: &mut [f64]) {
        combine_generic
    }
}

#[inline(always)]
fn combine_generic<L: Lanes>(coefficients: &[f64], vectors: &[Block], out: &mut [f64]) {
    let blocks = out.len().div_ceil(WIDTH);
    for (group, out) in out.chunks_mut(GROUP * WIDTH).enumerate() {
        match out.len().div_ceil(WIDTH) {
            1 => combine_group::<L, 1>(coefficients, vectors, blocks, group * GROUP, out),
            2 => combine_group::<L, 2>(coefficients, vectors, blocks, group * GROUP, out),
            3 => combine_group::<L, 3>(coefficients, vectors, blocks, group * GROUP, out),
            _ => combine_group::<L, GROUP>(coefficients, vectors, blocks, group * GROUP, out),
        }
    }
}

/// Blocks `first` to `first + N` of the sum.
#[inline(always)]
fn combine_group<L: Lanes, const N: usize>(
    coefficients: &[f64],
    vectors: &[Block],
    blocks: usize,
    first: usize,
    out: &mut [f64],
) {
    let mut sums = [L::splat(0.0); N];
    for (coefficient, vector) in coefficients.iter().zip(vectors.chunks_exact(blocks)) {
        let coefficient = L::splat(*coefficient);
        for (sum, v) in sums.iter_mut().zip(&vector[first..first + N]) {
            *sum = sum.add(coefficient.mul(L::load(v)));
        }
    }
    store::<L, N>(sums, out);
}

dispatch! {
    /// `matrix += Σ weights[k] · v[k] v[k]ᵀ` in the lower triangle of a square of `n` rows; the vectors in
    /// whole blocks.
    pub(crate) fn add_outer_products(weights: &[f64], vectors: &[Block], n: usize, matrix: &mut [f64]) {
        add_outer_products_generic
    }
}

#[inline(always)]
fn add_outer_products_generic<L: Lanes>(weights: &[f64], vectors: &[Block], n: usize, matrix: &mut [f64]) {
    for (i, row) in matrix.chunks_exact_mut(n).enumerate() {
        for (group, part) in row[..=i].chunks_mut(GROUP * WIDTH).enumerate() {
            match part.len().div_ceil(WIDTH) {
                1 => add_group::<L, 1>(weights, vectors, n, (i, group * GROUP), part),
                2 => add_group::<L, 2>(weights, vectors, n, (i, group * GROUP), part),
                3 => add_group::<L, 3>(weights, vectors, n, (i, group * GROUP), part),
                _ => add_group::<L, GROUP>(weights, vectors, n, (i, group * GROUP), part),
            }
        }
    }
}

/// Blocks `first` to `first + N` of row `i`.
#[inline(always)]
fn add_group<L: Lanes, const N: usize>(
    weights: &[f64],
    vectors: &[Block],
    n: usize,
    (i, first): (usize, usize),
    row: &mut [f64],
) {
    let blocks = n.div_ceil(WIDTH);
    let mut parts = [Block::ZERO; N];
    let (whole, rest) = row.as_chunks::<WIDTH>();
    parts.iter_mut().zip(whole).for_each(|(part, values)| part.0 = *values);
    if let Some(part) = parts.get_mut(whole.len()) {
        part.0.iter_mut().zip(rest).for_each(|(part, v)| *part = *v);
    }
    let mut sums = parts.map(|part| L::load(&part));
    for (weight, vector) in weights.iter().zip(vectors.chunks_exact(blocks)) {
        let scale = L::splat(weight * vector[i / WIDTH][i % WIDTH]);
        for (sum, v) in sums.iter_mut().zip(&vector[first..first + N]) {
            *sum = sum.add(scale.mul(L::load(v)));
        }
    }
    store::<L, N>(sums, row);
}

#[inline(always)]
fn store<L: Lanes, const N: usize>(sums: [L; N], out: &mut [f64]) {
    let mut block = Block::ZERO;
    // Whole blocks are stored at once; a call for the copy would take longer than the sums.
    let (whole, rest) = out.as_chunks_mut::<WIDTH>();
    for (sum, out) in sums.iter().zip(&mut *whole) {
        sum.store(&mut block);
        *out = block.0;
    }
    if let Some(sum) = sums.get(whole.len()) {
        sum.store(&mut block);
        rest.iter_mut().zip(&block.0).for_each(|(out, v)| *out = *v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Isa;
    use crate::rng::{Purpose, Rng};

    #[test]
    fn sums_have_the_bits_of_plain_loops_on_every_instruction_set() {
        let mut rng = Rng::stream(1, Purpose::Data, 0, 0);
        for n in [1, 2, 7, 8, 9, 20, 31, 32, 33, 70] {
            for count in [0, 1, 5, 40] {
                let vectors: Vec<Vec<f64>> =
                    (0..count).map(|_| (0..n).map(|_| rng.normal()).collect()).collect();
                let weights: Vec<f64> = (0..count).map(|_| rng.normal()).collect();
                let before: Vec<f64> = (0..n * n).map(|_| rng.normal()).collect();
                let (mut sum, mut matrix) = (vec![0.0; n], before.clone());
                for (w, v) in weights.iter().zip(&vectors) {
                    sum.iter_mut().zip(v).for_each(|(s, v)| *s += w * v);
                    for i in 0..n {
                        (0..=i).for_each(|j| matrix[i * n + j] += w * v[i] * v[j]);
                    }
                }
                let mut blocks = Vec::new();
                to_blocks(vectors.iter().map(Vec::as_slice), &mut blocks);
                for isa in Isa::available() {
                    let (mut out, mut square) = (vec![f64::NAN; n], before.clone());
                    combine(isa, &weights, &blocks, &mut out);
                    add_outer_products(isa, &weights, &blocks, n, &mut square);
                    let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(&out), bits(&sum), "{n} {count} {}", isa.name());
                    assert_eq!(bits(&square), bits(&matrix), "{n} {count} {}", isa.name());
                }
            }
        }
    }
}
