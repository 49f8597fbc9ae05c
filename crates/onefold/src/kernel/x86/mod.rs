//! [`Lanes`] in AVX2+FMA (two registers of four) and AVX-512F (one register of eight).
//!
//! Every `unsafe` block below calls vendor intrinsics. They are sound because these types are only used
//! inside functions that carry the matching `target_feature` attribute, and those are only called after
//! [`super::Isa`] has seen the feature on the running processor. Loads and stores go through references to
//! whole blocks, so they are in bounds; the unaligned forms are used, so there is no alignment to uphold.

use super::lanes::{Block, Lanes};
#[allow(clippy::wildcard_imports, reason = "forty intrinsics, all with a telling prefix")]
use std::arch::x86_64::*;

mod singles;

use singles::{Avx2Singles, Avx512Singles};

#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512d);

impl Lanes for Avx512 {
    type Singles = Avx512Singles;
    const NEURONS: usize = 4;
    #[inline(always)]
    fn splat(v: f64) -> Self {
        // SAFETY: AVX-512F is present (module comment).
        Self(unsafe { _mm512_set1_pd(v) })
    }
    #[inline(always)]
    fn load(from: &Block) -> Self {
        // SAFETY: AVX-512F is present; the reference covers eight numbers.
        Self(unsafe { _mm512_loadu_pd(from.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, to: &mut Block) {
        // SAFETY: AVX-512F is present; the reference covers eight numbers.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_add_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_sub_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_mul_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_div_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_fmadd_pd(self.0, a.0, b.0) })
    }
    #[inline(always)]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_fnmadd_pd(self.0, a.0, b.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_abs_pd(self.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        // SAFETY: AVX-512F is present. 0xE4 selects bit-wise: the mask's bits from `sign`, the others from
        // `self`.
        Self(unsafe {
            let mask = _mm512_set1_epi64(i64::MIN);
            let (s, v) = (_mm512_castpd_si512(sign.0), _mm512_castpd_si512(self.0));
            _mm512_castsi512_pd(_mm512_ternarylogic_epi64::<0xE4>(s, v, mask))
        })
    }
    #[inline(always)]
    fn capped(self, cap: Self) -> Self {
        // SAFETY: AVX-512F is present. `min(a, b)` is `a < b ? a : b`, so a NaN in the second operand stays.
        Self(unsafe { _mm512_min_pd(cap.0, self.0) })
    }
    #[inline(always)]
    fn at_least(self, floor: Self) -> Self {
        // SAFETY: AVX-512F is present. `max(a, b)` is `a > b ? a : b`.
        Self(unsafe { _mm512_max_pd(self.0, floor.0) })
    }
    #[inline(always)]
    fn clamped(self, limit: f64) -> Self {
        // SAFETY: AVX-512F is present. `min(a, b)` is `a < b ? a : b`, so a NaN in the second operand stays;
        // so for `max`.
        Self(unsafe { _mm512_max_pd(_mm512_set1_pd(-limit), _mm512_min_pd(_mm512_set1_pd(limit), self.0)) })
    }
    #[inline(always)]
    fn exp2_of_sixteenths(self, powers: &[f64; 16]) -> Self {
        // SAFETY: AVX-512F is present; the reference covers two times eight numbers.
        Self(unsafe {
            let bits = _mm512_castpd_si512(self.0);
            let (low, high) = (_mm512_loadu_pd(powers.as_ptr()), _mm512_loadu_pd(powers.as_ptr().add(8)));
            let power = _mm512_castpd_si512(_mm512_permutex2var_pd(low, bits, high));
            let exponent = _mm512_slli_epi64::<48>(_mm512_and_si512(bits, _mm512_set1_epi64(!15)));
            _mm512_castsi512_pd(_mm512_add_epi64(power, exponent))
        })
    }
    #[inline(always)]
    fn exp2_of_magic(self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe {
            let bits = _mm512_add_epi64(_mm512_castpd_si512(self.0), _mm512_set1_epi64(1023));
            _mm512_castsi512_pd(_mm512_slli_epi64::<52>(bits))
        })
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        // SAFETY: AVX-512F is present, and implies the smaller sets used here.
        unsafe {
            let four = _mm256_add_pd(_mm512_castpd512_pd256(self.0), _mm512_extractf64x4_pd::<1>(self.0));
            sum4(four)
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256d, __m256d);

impl Avx2 {
    #[inline(always)]
    fn map(self, f: impl Fn(__m256d) -> __m256d) -> Self {
        Self(f(self.0), f(self.1))
    }
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(__m256d, __m256d) -> __m256d) -> Self {
        Self(f(self.0, other.0), f(self.1, other.1))
    }
}

impl Lanes for Avx2 {
    type Singles = Avx2Singles;
    #[inline(always)]
    fn splat(v: f64) -> Self {
        // SAFETY: AVX2 and FMA are present (module comment).
        let v = unsafe { _mm256_set1_pd(v) };
        Self(v, v)
    }
    #[inline(always)]
    fn load(from: &Block) -> Self {
        let p = from.as_ptr();
        // SAFETY: AVX2 is present; the reference covers eight numbers, four from `p` and four from `p + 4`.
        unsafe { Self(_mm256_loadu_pd(p), _mm256_loadu_pd(p.add(4))) }
    }
    #[inline(always)]
    fn store(self, to: &mut Block) {
        let p = to.as_mut_ptr();
        // SAFETY: as for `load`.
        unsafe {
            _mm256_storeu_pd(p, self.0);
            _mm256_storeu_pd(p.add(4), self.1);
        }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: AVX2 is present.
        self.zip(other, |a, b| unsafe { _mm256_add_pd(a, b) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: AVX2 is present.
        self.zip(other, |a, b| unsafe { _mm256_sub_pd(a, b) })
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: AVX2 is present.
        self.zip(other, |a, b| unsafe { _mm256_mul_pd(a, b) })
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: AVX2 is present.
        self.zip(other, |a, b| unsafe { _mm256_div_pd(a, b) })
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: FMA is present.
        unsafe { Self(_mm256_fmadd_pd(self.0, a.0, b.0), _mm256_fmadd_pd(self.1, a.1, b.1)) }
    }
    #[inline(always)]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: FMA is present.
        unsafe { Self(_mm256_fnmadd_pd(self.0, a.0, b.0), _mm256_fnmadd_pd(self.1, a.1, b.1)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: AVX2 is present.
        self.map(|v| unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), v) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: AVX2 is present.
        self.map(|v| unsafe { _mm256_sqrt_pd(v) })
    }
    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        // SAFETY: AVX2 is present. The magnitude has no sign bit of its own.
        self.zip(sign, |v, s| unsafe { _mm256_or_pd(v, _mm256_and_pd(_mm256_set1_pd(-0.0), s)) })
    }
    #[inline(always)]
    fn capped(self, cap: Self) -> Self {
        // SAFETY: AVX2 is present. `min(a, b)` is `a < b ? a : b`, so a NaN in the second operand stays.
        self.zip(cap, |v, cap| unsafe { _mm256_min_pd(cap, v) })
    }
    #[inline(always)]
    fn at_least(self, floor: Self) -> Self {
        // SAFETY: AVX2 is present. `max(a, b)` is `a > b ? a : b`.
        self.zip(floor, |v, floor| unsafe { _mm256_max_pd(v, floor) })
    }
    #[inline(always)]
    fn clamped(self, limit: f64) -> Self {
        // SAFETY: AVX2 is present. `min(a, b)` is `a < b ? a : b`, so a NaN in the second operand stays; so
        // for `max`.
        self.map(|v| unsafe {
            _mm256_max_pd(_mm256_set1_pd(-limit), _mm256_min_pd(_mm256_set1_pd(limit), v))
        })
    }
    #[inline(always)]
    fn exp2_of_sixteenths(self, powers: &[f64; 16]) -> Self {
        // SAFETY: AVX2 is present; the indices are below 16.
        self.map(|v| unsafe {
            let bits = _mm256_castpd_si256(v);
            let index = _mm256_and_si256(bits, _mm256_set1_epi64x(15));
            let power = _mm256_castpd_si256(_mm256_i64gather_pd::<8>(powers.as_ptr(), index));
            let exponent = _mm256_slli_epi64::<48>(_mm256_andnot_si256(_mm256_set1_epi64x(15), bits));
            _mm256_castsi256_pd(_mm256_add_epi64(power, exponent))
        })
    }
    #[inline(always)]
    fn exp2_of_magic(self) -> Self {
        // SAFETY: AVX2 is present.
        self.map(|v| unsafe {
            let bits = _mm256_add_epi64(_mm256_castpd_si256(v), _mm256_set1_epi64x(1023));
            _mm256_castsi256_pd(_mm256_slli_epi64::<52>(bits))
        })
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        // SAFETY: AVX2 is present.
        unsafe { sum4(_mm256_add_pd(self.0, self.1)) }
    }
}

/// `((0) + (2)) + ((1) + (3))` of four lanes, the second half of [`Lanes::sum`].
///
/// # Safety
/// The processor has AVX.
#[inline(always)]
unsafe fn sum4(v: __m256d) -> f64 {
    // SAFETY: the caller's promise.
    unsafe {
        let two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd::<1>(v));
        _mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two))
    }
}
