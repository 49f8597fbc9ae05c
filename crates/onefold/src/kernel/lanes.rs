//! Eight numbers at a time: the operations in which every kernel is written once.

use super::singles::{PortableSingles, Singles};
use std::ops::{Deref, DerefMut};

/// Lanes per vector. Samples are padded to a multiple of it.
pub(crate) const WIDTH: usize = 8;

/// One vector of numbers in memory, aligned to a cache line: a load or store across two lines takes twice as
/// long.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Block(pub(crate) [f64; WIDTH]);

impl Block {
    pub(crate) const ZERO: Self = Self::splat(0.0);

    pub(crate) const fn splat(v: f64) -> Self {
        Self([v; WIDTH])
    }
}

impl Deref for Block {
    type Target = [f64; WIDTH];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Block {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// Writes number `i` of each of eight lists to block `i`.
pub(crate) fn transpose(lists: &[&[f64]; WIDTH], blocks: &mut [Block]) {
    for (i, block) in blocks.iter_mut().enumerate() {
        *block = Block(std::array::from_fn(|lane| lists[lane][i]));
    }
}

/// Adding and subtracting this rounds to the nearest integer, and leaves that integer in the low bits.
pub(crate) const MAGIC: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// Eight lanes of `f64`.
///
/// Every operation is the IEEE operation in each lane, with one rounding. `mul_add` is fused everywhere, so
/// all implementations return the same bits; [`Portable`] is the definition that the others are tested
/// against.
pub(crate) trait Lanes: Copy {
    /// Twice as many lanes of single precision.
    type Singles: Singles<Wide = Self>;
    /// Neurons whose sums over a few blocks fit into registers together.
    const NEURONS: usize = 1;
    fn splat(v: f64) -> Self;
    fn load(from: &Block) -> Self;
    fn store(self, to: &mut Block);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// `self * a + b`
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `b - self * a`
    fn neg_mul_add(self, a: Self, b: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`; `self` must not be negative.
    fn with_sign_of(self, sign: Self) -> Self;
    /// `cap` where `self > cap`, otherwise `self`; a NaN stays a NaN.
    fn capped(self, cap: Self) -> Self;
    /// `floor` where `self` is not larger; it is not where it is a NaN.
    fn at_least(self, floor: Self) -> Self;
    /// Between `-limit` and `limit`; a NaN stays a NaN.
    fn clamped(self, limit: f64) -> Self;
    /// `2^(k / 16)` for `self = MAGIC + k` with integer `k` in `-16352..=16368`, from the sixteen with `k`
    /// from 0 to 15.
    fn exp2_of_sixteenths(self, powers: &[f64; 16]) -> Self;
    /// `2^k` for `self = MAGIC + k` with integer `k` in `-1022..=1023`.
    fn exp2_of_magic(self) -> Self;
    /// The sum of the lanes, added as `((0+4) + (2+6)) + ((1+5) + (3+7))`.
    fn sum(self) -> f64;
}

/// The definition, in plain Rust. Used where no faster set is available.
#[derive(Clone, Copy)]
pub(crate) struct Portable([f64; WIDTH]);

impl Portable {
    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Lanes for Portable {
    type Singles = PortableSingles;
    #[inline(always)]
    fn splat(v: f64) -> Self {
        Self([v; WIDTH])
    }
    #[inline(always)]
    fn load(from: &Block) -> Self {
        Self(from.0)
    }
    #[inline(always)]
    fn store(self, to: &mut Block) {
        to.0 = self.0;
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].mul_add(a.0[i], b.0[i])))
    }
    #[inline(always)]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| (-self.0[i]).mul_add(a.0[i], b.0[i])))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f64::abs)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }
    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        self.zip(sign, f64::copysign)
    }
    #[inline(always)]
    fn capped(self, cap: Self) -> Self {
        self.zip(cap, |v, cap| if cap < v { cap } else { v })
    }
    #[inline(always)]
    fn at_least(self, floor: Self) -> Self {
        self.zip(floor, |v, floor| if v > floor { v } else { floor })
    }
    #[inline(always)]
    fn clamped(self, limit: f64) -> Self {
        self.map(|v| {
            if limit < v {
                limit
            } else if -limit > v {
                -limit
            } else {
                v
            }
        })
    }
    #[inline(always)]
    fn exp2_of_sixteenths(self, powers: &[f64; 16]) -> Self {
        self.map(|v| {
            let (bits, power) = (v.to_bits(), powers[(v.to_bits() & 15) as usize]);
            f64::from_bits(power.to_bits().wrapping_add((bits & !15) << 48))
        })
    }
    #[inline(always)]
    fn exp2_of_magic(self) -> Self {
        self.map(|v| f64::from_bits(v.to_bits().wrapping_add(1023) << 52))
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        let v = self.0;
        ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]))
    }
}
