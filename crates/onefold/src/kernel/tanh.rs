//! The hyperbolic tangent, from multiplications, additions and one division.
//!
//! With $a = |x|$, write $a = k \ln 2 / 2 + r$ with integer $k$ and $|r| \le \ln 2 / 4$. Since
//! $e^{2a} = 2^k (1 + t)/(1 - t)$ with $t = \tanh r$,
//!
//! $$ \tanh a = \frac{(2^k - 1) + t (2^k + 1)}{(2^k + 1) + t (2^k - 1)}, \qquad t = r + r^3 p(r^2). $$
//!
//! For $k = 0$ this is $t$ itself, so the *relative* error stays at a few ulp down to the smallest numbers; the result is
//! exactly odd, never exceeds 1 in magnitude, is 1 from 20 on, and NaN for NaN. One constant for $\ln 2 / 2$ is enough: what it
//! leaves out of $r$ is at most $k \cdot 10^{-17}$, and $\tanh a$ grows with $r$ only at a rate of $4 \cdot 2^{-k}$.

use super::lanes::{Lanes, MAGIC};

/// Largest error of the kernels' `tanh` in units in the last place, as measured against a more exact computation in the tests.
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
    let a = x.abs().capped(SATURATED);
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
