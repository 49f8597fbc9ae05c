//! The hyperbolic tangent, from multiplications, additions and one division.
//!
//! With $a = |x|$, write $a = k \ln 2 / 2 + r$ with integer $k$ and $|r| \le \ln 2 / 4$. Since
//! $e^{2a} = 2^k (1 + t)/(1 - t)$ with $t = \tanh r$,
//!
//! $$ \tanh a = \frac{(2^k - 1) + t (2^k + 1)}{(2^k + 1) + t (2^k - 1)}, \qquad t = r + r^3 p(r^2). $$
//!
//! For $k = 0$ this is $t$ itself, so the *relative* error stays at a few ulp down to the smallest numbers;
//! the result is exactly odd, never exceeds 1 in magnitude, is 1 from 20 on, and NaN for NaN. One constant
//! for $\ln 2 / 2$ is enough: its rounding changes $r$ by at most $k \cdot 10^{-17}$, and $\tanh a$ grows
//! with $r$ only at a rate of $4 \cdot 2^{-k}$.

use super::lanes::{Lanes, MAGIC};

/// Largest error of the kernels' `tanh` in units in the last place, as measured against a more exact
/// computation in the tests.
pub const TANH_MAX_ULP: f64 = 2.5;

/// Beyond this `tanh` rounds to one: `1 - tanh 20` is `8.5e-18`.
const SATURATED: f64 = 20.0;

const TWO_BY_LN2: f64 = 2.885_390_081_777_926_8;
const HALF_LN2: f64 = 0.346_573_590_279_972_64;

/// `p`, lowest power first: minimax on `|r| <= ln 2 / 4`, relative error of `t` below 1.5e-17.
const P: [f64; 6] = [
    -0.333_333_333_333_332_8,
    0.133_333_333_332_133_18,
    -0.053_968_253_500_939_34,
    0.021_869_421_950_240_442,
    -0.008_858_940_933_284_511,
    0.003_463_981_136_073_952_5,
];

#[inline(always)]
pub(crate) fn tanh<L: Lanes>(x: L) -> L {
    let a = x.abs().capped(L::splat(SATURATED));
    let magic = L::splat(MAGIC);
    let rounded = a.mul_add(L::splat(TWO_BY_LN2), magic);
    let k = rounded.sub(magic);
    let r = k.neg_mul_add(L::splat(HALF_LN2), a);
    let z = r.mul(r);
    let mut p = L::splat(P[5]);
    for c in P[..5].iter().rev() {
        p = p.mul_add(z, L::splat(*c));
    }
    let t = r.mul(z).mul_add(p, r);
    let two_k = rounded.exp2_of_magic();
    let less = two_k.sub(L::splat(1.0));
    let more = two_k.add(L::splat(1.0));
    t.mul_add(more, less).div(t.mul_add(less, more)).with_sign_of(x)
}

/// Factor of the argument of [`tanhs_of_sixteenths`]: `x` in units of `ln 2 / 32`.
pub(crate) const SIXTEENTHS: f64 = 32.0 / std::f64::consts::LN_2;
/// Bound on the absolute error of [`tanhs_of_sixteenths`] for exact arguments.
pub(crate) const QUICK_ERROR: f64 = 6e-15;

/// Beyond this many units the result is one, up to [`QUICK_ERROR`].
const MOST_SIXTEENTHS: f64 = 860.0;

/// `2^(r / 16)` for `|r| <= 1/2`, lowest power first: the Taylor polynomial with the sixth power replaced by
/// its best approximation of degree 4.
const EXP2: [f64; 6] = [
    1.000_000_000_000_004_4,
    0.043_321_698_784_996_58,
    0.000_938_384_792_486_209_8,
    1.355_080_777_949_745_5e-5,
    1.467_644_461_865_344_8e-7,
    1.271_587_195_055_813e-9,
];

/// `2^(j / 16)`
pub(crate) const POWERS: [f64; 16] = [
    1.0,
    1.044_273_782_427_413_8,
    1.090_507_732_665_257_7,
    1.138_788_634_756_691_6,
    1.189_207_115_002_721,
    1.241_857_812_073_484,
    1.296_839_554_651_009_6,
    1.354_255_546_936_892_7,
    std::f64::consts::SQRT_2,
    1.476_826_145_939_499_3,
    1.542_210_825_407_940_7,
    1.610_490_331_949_254_3,
    1.681_792_830_507_429,
    1.756_252_160_373_299_5,
    1.834_008_086_409_342_4,
    1.915_206_561_397_147_4,
];

/// Numbers of which [`tanhs_of_sixteenths`] computes the `tanh` together.
pub(crate) const TOGETHER: usize = 4;

/// `tanh(x / SIXTEENTHS)` of four numbers, faster and with a small absolute, not relative, error:
/// $1 - 2 / (1 + e^{2 x})$, where $e^{2 x}$ is a power of two from a table times a polynomial.
///
/// Divisions take longest, so there is one for all four, by the product of the denominators, which is at most
/// $2^{216}$. Each quotient, at most 2, has four roundings in place of one: a further error of less than
/// 7e-16. If one of the four numbers is a NaN, all results are.
#[inline(always)]
pub(crate) fn tanhs_of_sixteenths<L: Lanes>(x: [L; TOGETHER]) -> [L; TOGETHER] {
    let one = L::splat(1.0);
    let mut of = [one; TOGETHER];
    for i in 0..TOGETHER {
        of[i] = denominator(x[i]);
    }
    let (first, second) = (of[0].mul(of[1]), of[2].mul(of[3]));
    let quotient = L::splat(2.0).div(first.mul(second));
    let (by_first, by_second) = (quotient.mul(second), quotient.mul(first));
    [
        of[1].neg_mul_add(by_first, one),
        of[0].neg_mul_add(by_first, one),
        of[3].neg_mul_add(by_second, one),
        of[2].neg_mul_add(by_second, one),
    ]
}

/// $1 + e^{2 x}$
#[inline(always)]
fn denominator<L: Lanes>(x: L) -> L {
    let x = x.clamped(MOST_SIXTEENTHS);
    let magic = L::splat(MAGIC);
    let rounded = x.add(magic);
    let r = x.sub(rounded.sub(magic));
    let mut p = L::splat(EXP2[5]);
    for c in EXP2[..5].iter().rev() {
        p = p.mul_add(r, L::splat(*c));
    }
    rounded.exp2_of_sixteenths(&POWERS).mul_add(p, L::splat(1.0))
}
