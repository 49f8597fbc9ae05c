//! How fast this processor is at the two operations that an evaluation consists of: `tanh` and multiply-adds.

use super::lanes::{Block, Lanes, WIDTH};
use super::layer::tanh_blocks;
use super::{Isa, dispatch};
use std::hint::black_box;
use std::time::Instant;

/// Seconds for one operation at full throughput, on data in registers or the first-level cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// `tanh` in `f64`, as the kernels compute it.
    pub tanh: f64,
    /// Multiply-add in `f64`.
    pub multiply_add: f64,
    /// `tanh` in `f32`, to about that precision.
    pub tanh_f32: f64,
    /// Multiply-add in `f32`.
    pub multiply_add_f32: f64,
}

/// Independent sums: enough to hide the latency of a multiply-add.
const SUMS: usize = 10;
/// Multiply-adds of each sum.
const STEPS: usize = 1000;
/// Numbers per vector in `f32`.
const WIDTH_F32: usize = 2 * WIDTH;
/// Vectors of numbers whose `tanh` is taken.
const VECTORS: usize = 64;

impl Limits {
    /// Measures for about this many seconds in all. The shortest of many times counts, as that is the limit.
    #[must_use]
    pub fn measure(isa: Isa, seconds: f64) -> Self {
        let mut x = [Block::splat(0.7); VECTORS];
        let mut y = [[0.7_f32; WIDTH_F32]; VECTORS];
        let shortest = |mut run: Box<dyn FnMut() + '_>| {
            let (begin, mut best) = (Instant::now(), f64::INFINITY);
            while begin.elapsed().as_secs_f64() < seconds / 4.0 {
                let started = Instant::now();
                (0..10).for_each(|_| run());
                best = best.min(started.elapsed().as_secs_f64() / 10.0);
            }
            best
        };
        let (tanhs, sums) = ((VECTORS * WIDTH) as f64, (STEPS * SUMS * WIDTH) as f64);
        Self {
            tanh: shortest(Box::new(|| tanh_blocks(isa, black_box(&mut x)))) / tanhs,
            multiply_add: shortest(Box::new(|| {
                black_box(burst(isa, black_box(0.5)));
            })) / sums,
            tanh_f32: shortest(Box::new(|| tanh_f32(isa, black_box(&mut y)))) / (2.0 * tanhs),
            multiply_add_f32: shortest(Box::new(|| {
                black_box(burst_f32(isa, black_box(0.5)));
            })) / (2.0 * sums),
        }
    }
}

dispatch! {
    /// Only multiply-adds, in registers.
    fn burst(factor: f64) -> Block {
        burst_generic
    }
}

dispatch! {
    /// The same in `f32`.
    fn burst_f32(factor: f32) -> [f32; WIDTH_F32] {
        burst_f32_generic
    }
}

dispatch! {
    /// `tanh` in `f32`, by the formula of the `f64` kernel with fewer coefficients.
    fn tanh_f32(x: &mut [[f32; WIDTH_F32]]) {
        tanh_f32_generic
    }
}

#[inline(always)]
fn burst_generic<L: Lanes>(factor: f64) -> Block {
    let factor = L::splat(factor);
    let mut sums = [factor; SUMS];
    for _ in 0..STEPS {
        for sum in &mut sums {
            *sum = sum.mul_add(factor, factor);
        }
    }
    let mut total = factor;
    for sum in sums {
        total = total.add(sum);
    }
    let mut out = Block::ZERO;
    total.store(&mut out);
    out
}

#[inline(always)]
fn burst_f32_generic<L: Lanes>(factor: f32) -> [f32; WIDTH_F32] {
    let mut sums = [[factor; WIDTH_F32]; SUMS];
    for _ in 0..STEPS {
        for sum in &mut sums {
            for v in sum {
                *v = v.mul_add(factor, factor);
            }
        }
    }
    let mut total = [0.0; WIDTH_F32];
    for sum in sums {
        for (t, v) in total.iter_mut().zip(sum) {
            *t += v;
        }
    }
    total
}

#[inline(always)]
fn tanh_f32_generic<L: Lanes>(x: &mut [[f32; WIDTH_F32]]) {
    const MAGIC: f32 = 12_582_912.0; // 1.5 * 2^23
    for v in x.as_flattened_mut() {
        let a = v.abs().min(10.0);
        let rounded = a.mul_add(2.885_39, MAGIC);
        let r = (rounded - MAGIC).mul_add(-0.346_573_6, a);
        let z = r * r;
        let p = z.mul_add(-0.053_97, 0.133_333_3).mul_add(z, -0.333_333_3);
        let t = (r * z).mul_add(p, r);
        let two_k = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
        *v = (t.mul_add(two_k + 1.0, two_k - 1.0) / t.mul_add(two_k - 1.0, two_k + 1.0)).copysign(*v);
    }
}

#[cfg(test)]
mod tests;
