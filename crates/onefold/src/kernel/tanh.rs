//! The hyperbolic tangent, from multiplications, additions and one division.
//!
//! With $a = |x|$, write $2a = k \ln 2 + 2r$ with integer $k$ and $|r| \le \ln 2 / 4$. Then
//! $h = (e^{2a} - 1)/2 = 2^k e + (2^k - 1)/2$ where $e = (e^{2r} - 1)/2 = r + r^2 g(r)$, and $\tanh a = h / (h + 1)$.
//! Near zero $k = 0$ and $h = e$, so the *relative* error stays at a few ulp down to the smallest numbers; the result
//! is exactly odd, never exceeds 1 in magnitude, is 1 from 20 on, and NaN for NaN.

use super::lanes::{Lanes, MAGIC};

/// Largest error of the kernels' `tanh` in units in the last place, as measured against a more exact computation in the tests.
pub const TANH_MAX_ULP: f64 = 2.5;

/// Beyond this `tanh` rounds to one: `1 - tanh 20` is `8.5e-18`.
const SATURATED: f64 = 20.0;

const TWO_BY_LN2: f64 = 2.885_390_081_777_926_8;
const HALF_LN2_HIGH: f64 = 0.346_573_590_279_972_64;
const HALF_LN2_LOW: f64 = 1.159_523_406_923_149_8e-17;

/// `g(r)`, lowest power first: minimax on `|r| <= ln 2 / 4`, relative error of `e` below 3.6e-17.
const G: [f64; 10] = [
    1.000_000_000_000_000_2,
    0.666_666_666_666_667,
    0.333_333_333_332_993_25,
    0.133_333_333_333_155_45,
    0.044_444_444_535_034_835,
    0.012_698_412_727_402_495,
    0.003_174_594_728_979_987_7,
    0.000_705_465_404_540_142_6,
    0.000_141_414_793_211_750_46,
    2.571_268_012_025_100_8e-5,
];

#[inline(always)]
pub(crate) fn tanh<L: Lanes>(x: L) -> L {
    let a = x.abs().capped(SATURATED);
    let magic = L::splat(MAGIC);
    let t = a.mul_add(L::splat(TWO_BY_LN2), magic);
    let k = t.sub(magic);
    let r = k.neg_mul_add(L::splat(HALF_LN2_HIGH), a);
    let r = k.neg_mul_add(L::splat(HALF_LN2_LOW), r);
    let mut g = L::splat(G[9]);
    for c in G[..9].iter().rev() {
        g = g.mul_add(r, L::splat(*c));
    }
    let e = r.mul(r).mul_add(g, r);
    let two_k = t.exp2_of_magic();
    let h = two_k.mul_add(e, two_k.mul_add(L::splat(0.5), L::splat(-0.5)));
    h.div(h.add(L::splat(1.0))).with_sign_of(x)
}
