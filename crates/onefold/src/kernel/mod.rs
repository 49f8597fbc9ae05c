//! Inner loops: `tanh`, one layer, the orthogonal factorisation of the readout, eigenvectors, sums of
//! vectors, and screens.
//!
//! Each kernel is written once, over `Lanes`, and compiled three times on x86-64: with AVX-512, with AVX2 and
//! FMA, and portably (the only one elsewhere). All three perform the same IEEE operations in the same order,
//! fused multiply-adds included, and so return the same bits. On a processor without fused multiply-add the
//! portable version is still exact, but slow.
//!
//! This is the only module in which `unsafe` is allowed.
#![allow(unsafe_code)]
// Generic kernels must be inlined into the function with the target features, or they are compiled without
// them.
#![allow(clippy::inline_always)]
// Several columns are iterated over together, by index.
#![allow(clippy::needless_range_loop)]

mod backward;
mod cholesky;
mod combinations;
mod crossing;
mod dot;
mod eigen;
mod factor;
mod gram;
mod lanes;
mod layer;
mod limit;
mod pivots;
mod products;
pub(crate) mod screening;
mod shape;
mod singles;
mod tanh;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::cancellation::{is_cut_off, poll};

pub(crate) use backward::{derivatives, earlier_deltas, last_deltas};
pub(crate) use cholesky::{cholesky, solve_lower, solve_upper, stride};
pub(crate) use combinations::{add_outer_products, combine, to_blocks};
pub(crate) use crossing::{CrossingWork, cross};
pub(crate) use dot::dot;
pub(crate) use eigen::{EigenWork, eigen};
pub(crate) use factor::{Factor, factorise, project_away};
pub(crate) use gram::{GUARD, Normal, gram, residual, solve_normal};
pub(crate) use lanes::{Block, WIDTH};
pub(crate) use layer::layer;
pub use limit::Limits;
pub(crate) use products::{add_gram, add_products, multiply_pairs, subtract_outputs};
pub(crate) use shape::{Layer, Shape};
pub(crate) use singles::SINGLES;
pub use tanh::TANH_MAX_ULP;

/// Blocks to be multiplied above which a kernel can take long enough to be cut off: then it polls.
const LONG: usize = 1 << 16;

/// The instruction set that the kernels use. A value exists only where the processor has that set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// The fastest set of this processor.
    #[must_use]
    pub fn detect() -> Self {
        *Self::available().last().unwrap_or(&Self(Kind::Portable))
    }

    /// All sets that this processor can run, slowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "only x86-64 has more than one")]
        let mut all = vec![Self(Kind::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(Self(Kind::Avx2));
                if is_x86_feature_detected!("avx512f") {
                    all.push(Self(Kind::Avx512));
                }
            }
        }
        all
    }

    /// `"portable"`, `"avx2"` or `"avx512"`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
        }
    }
}

/// Defines `fn name(isa, ...)`, which calls the generic kernel named in its body, compiled for `isa`.
macro_rules! dispatch {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? { $generic:ident }) => {
        $(#[$doc])*
        $vis fn $name(isa: $crate::kernel::Isa, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f")]
                fn avx512($($arg: $ty),*) $(-> $ret)? {
                    $generic::<$crate::kernel::x86::Avx512>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($arg: $ty),*) $(-> $ret)? {
                    $generic::<$crate::kernel::x86::Avx2>($($arg),*)
                }
                match isa.0 {
                    // SAFETY: an `Isa` of this kind exists only where the processor has the set.
                    $crate::kernel::Kind::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    $crate::kernel::Kind::Avx2 => return unsafe { avx2($($arg),*) },
                    $crate::kernel::Kind::Portable => {}
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            let _ = isa;
            $generic::<$crate::kernel::lanes::Portable>($($arg),*)
        }
    };
}
use dispatch;

/// `tanh` of every number of `x`, as the kernels compute it: with an error of at most [`TANH_MAX_ULP`] ulp,
/// and exactly odd.
pub fn tanh_in_place(isa: Isa, x: &mut [f64]) {
    let mut block = Block::ZERO;
    for part in x.chunks_mut(WIDTH) {
        block[..part.len()].copy_from_slice(part);
        layer::tanh_blocks(isa, std::slice::from_mut(&mut block));
        part.copy_from_slice(&block[..part.len()]);
    }
}

#[cfg(test)]
mod tests;
