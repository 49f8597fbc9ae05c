//! Sixteen numbers of single precision at a time, more than twice as fast as double precision.
//!
//! They are used only for bounds that account for their rounding errors, never for results.

#[cfg(test)]
use super::dispatch;
use super::lanes::{Block, Lanes, Portable, WIDTH};

/// Lanes of a vector in single precision.
pub(crate) const SINGLES: usize = 2 * WIDTH;

/// One vector of single-precision numbers in memory.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SingleBlock(pub(crate) [f32; SINGLES]);

impl SingleBlock {
    pub(crate) const ZERO: Self = Self([0.0; SINGLES]);
}

/// Sixteen lanes of `f32`, each operation with one rounding, as [`Lanes`] are of `f64`.
pub(crate) trait Singles: Copy {
    /// Eight of them in double precision.
    type Wide: Lanes;
    fn splat(v: f32) -> Self;
    fn load(from: &SingleBlock) -> Self;
    fn store(self, to: &mut SingleBlock);
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// `self * a + b`
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The nearest number between `-limit` and `limit`; a NaN stays a NaN.
    fn clamped(self, limit: f32) -> Self;
    /// The first eight lanes, and the last eight.
    fn widen(self) -> [Self::Wide; 2];
}

/// Bound on the absolute error of [`tanh`], and on its excess over 1; see the tests.
pub(crate) const TANH_ERROR: f64 = 4e-7;

/// Beyond this `tanh` is 1 but for 1e-7.
const SATURATED: f32 = 8.5;

/// Minimax for the absolute error of $x P(x^2) / Q(x^2)$ up to [`SATURATED`], 1.1e-8 before rounding. No
/// coefficient is negative, so there is no cancellation.
const P: [f32; 5] = [0.999_999_94, 0.134_062_05, 0.003_525_818_5, 2.112_156e-5, 1.409_923_2e-8];
const Q: [f32; 5] = [1.0, 0.467_395_16, 0.025_991_132, 3.335_689_3e-4, 8.073_613_5e-7];

/// The hyperbolic tangent with a small absolute, not relative, error: half the operations of the one in
/// double precision.
#[inline(always)]
pub(crate) fn tanh<S: Singles>(x: S) -> S {
    let x = x.clamped(SATURATED);
    let z = x.mul(x);
    let horner =
        |c: [f32; 5]| c[..4].iter().rev().fold(S::splat(c[4]), |sum, c| sum.mul_add(z, S::splat(*c)));
    x.mul(horner(P)).div(horner(Q))
}

#[cfg(test)]
dispatch! {
    /// `tanh` of every number.
    pub(crate) fn tanh_of_singles(x: &mut SingleBlock) {
        tanh_generic
    }
}

#[cfg(test)]
#[inline(always)]
fn tanh_generic<L: Lanes>(x: &mut SingleBlock) {
    tanh(L::Singles::load(x)).store(x);
}

/// The definition, in plain Rust.
#[derive(Clone, Copy)]
pub(crate) struct PortableSingles([f32; SINGLES]);

impl PortableSingles {
    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        Self(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Singles for PortableSingles {
    type Wide = Portable;
    #[inline(always)]
    fn splat(v: f32) -> Self {
        Self([v; SINGLES])
    }
    #[inline(always)]
    fn load(from: &SingleBlock) -> Self {
        Self(from.0)
    }
    #[inline(always)]
    fn store(self, to: &mut SingleBlock) {
        to.0 = self.0;
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
    fn clamped(self, limit: f32) -> Self {
        self.map(|v| {
            let v = if limit < v { limit } else { v };
            if -limit > v { -limit } else { v }
        })
    }
    #[inline(always)]
    fn widen(self) -> [Portable; 2] {
        let half =
            |first: usize| Portable::load(&Block(std::array::from_fn(|i| f64::from(self.0[first + i]))));
        [half(0), half(WIDTH)]
    }
}
