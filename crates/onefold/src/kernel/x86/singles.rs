//! [`Singles`] in AVX2+FMA (two registers of eight) and AVX-512F (one register of sixteen). The comment on
//! `unsafe` in the parent module holds here too.

use super::super::singles::{SingleBlock, Singles};
use super::{Avx2, Avx512};
#[allow(clippy::wildcard_imports, reason = "thirty intrinsics, all with a telling prefix")]
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(crate) struct Avx512Singles(__m512);

impl Singles for Avx512Singles {
    type Wide = Avx512;
    #[inline(always)]
    fn splat(v: f32) -> Self {
        // SAFETY: AVX-512F is present (module comment).
        Self(unsafe { _mm512_set1_ps(v) })
    }
    #[inline(always)]
    fn load(from: &SingleBlock) -> Self {
        // SAFETY: AVX-512F is present; the reference covers sixteen numbers.
        Self(unsafe { _mm512_loadu_ps(from.0.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, to: &mut SingleBlock) {
        // SAFETY: AVX-512F is present; the reference covers sixteen numbers.
        unsafe { _mm512_storeu_ps(to.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_mul_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_div_ps(self.0, other.0) })
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: AVX-512F is present.
        Self(unsafe { _mm512_fmadd_ps(self.0, a.0, b.0) })
    }
    #[inline(always)]
    fn clamped(self, limit: f32) -> Self {
        // SAFETY: AVX-512F is present. `min(a, b)` is `a < b ? a : b`, so a NaN in the second operand stays;
        // so for `max`.
        Self(unsafe { _mm512_max_ps(_mm512_set1_ps(-limit), _mm512_min_ps(_mm512_set1_ps(limit), self.0)) })
    }
    #[inline(always)]
    fn widen(self) -> [Avx512; 2] {
        // SAFETY: AVX-512F is present, and implies the smaller sets used here.
        unsafe {
            let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(self.0)));
            [Avx512(_mm512_cvtps_pd(_mm512_castps512_ps256(self.0))), Avx512(_mm512_cvtps_pd(high))]
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Avx2Singles(__m256, __m256);

impl Avx2Singles {
    #[inline(always)]
    fn map(self, f: impl Fn(__m256) -> __m256) -> Self {
        Self(f(self.0), f(self.1))
    }
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(__m256, __m256) -> __m256) -> Self {
        Self(f(self.0, other.0), f(self.1, other.1))
    }
}

impl Singles for Avx2Singles {
    type Wide = Avx2;
    #[inline(always)]
    fn splat(v: f32) -> Self {
        // SAFETY: AVX2 and FMA are present (module comment).
        let v = unsafe { _mm256_set1_ps(v) };
        Self(v, v)
    }
    #[inline(always)]
    fn load(from: &SingleBlock) -> Self {
        let p = from.0.as_ptr();
        // SAFETY: AVX2 is present; the reference covers sixteen numbers, eight from `p` and eight from
        // `p + 8`.
        unsafe { Self(_mm256_loadu_ps(p), _mm256_loadu_ps(p.add(8))) }
    }
    #[inline(always)]
    fn store(self, to: &mut SingleBlock) {
        let p = to.0.as_mut_ptr();
        // SAFETY: as for `load`.
        unsafe {
            _mm256_storeu_ps(p, self.0);
            _mm256_storeu_ps(p.add(8), self.1);
        }
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: AVX2 is present.
        self.zip(other, |a, b| unsafe { _mm256_mul_ps(a, b) })
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: AVX2 is present.
        self.zip(other, |a, b| unsafe { _mm256_div_ps(a, b) })
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // SAFETY: FMA is present.
        unsafe { Self(_mm256_fmadd_ps(self.0, a.0, b.0), _mm256_fmadd_ps(self.1, a.1, b.1)) }
    }
    #[inline(always)]
    fn clamped(self, limit: f32) -> Self {
        // SAFETY: AVX2 is present. `min(a, b)` is `a < b ? a : b`, so a NaN in the second operand stays; so
        // for `max`.
        self.map(|v| unsafe {
            _mm256_max_ps(_mm256_set1_ps(-limit), _mm256_min_ps(_mm256_set1_ps(limit), v))
        })
    }
    #[inline(always)]
    fn widen(self) -> [Avx2; 2] {
        // SAFETY: AVX2 is present.
        let half = |v| unsafe {
            let high = _mm256_extractf128_ps::<1>(v);
            Avx2(_mm256_cvtps_pd(_mm256_castps256_ps128(v)), _mm256_cvtps_pd(high))
        };
        [half(self.0), half(self.1)]
    }
}
