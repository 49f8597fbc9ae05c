//! Solutions of eight least-squares problems, one in each lane, from their triangular factors.

use super::super::lanes::{Block, Lanes, WIDTH};
use super::super::{LONG, poll};

/// Eight factorised problems $\hat H w \approx y$: $\hat H = Q R$, where the columns of $Q$ are orthogonal
/// and $R$ is upper triangular with ones on its diagonal.
#[derive(Clone, Debug)]
pub(super) struct Triangle {
    /// $R$ without its diagonal: `factor[k * n + j]` of column `k` of $Q$ was subtracted from column `j > k`.
    pub(super) factor: Vec<Block>,
    /// `with_targets[t * n + k]` of column `k` of $Q$ was subtracted from target `t`.
    pub(super) with_targets: Vec<Block>,
    /// Inverse squared norms of the columns of $Q$.
    pub(super) inverse: Vec<Block>,
    /// Room for back-substitution.
    vector: Vec<Block>,
}

/// What bounds need to know of the solutions of eight candidates.
#[derive(Clone, Debug)]
pub(crate) struct Solutions {
    /// For each target, the least sum of squared residuals.
    pub(crate) squares: Vec<Block>,
    /// For each target, the squared norm of its weights.
    pub(crate) weights: Vec<Block>,
    /// The trace of $(\hat H^\top \hat H)^{-1}$; infinity where it is not known.
    pub(crate) inverse_trace: Block,
}

impl Triangle {
    pub(super) fn new(columns: usize, targets: usize) -> Self {
        let room = |n: usize| vec![Block::ZERO; n];
        Self {
            factor: room(columns * columns),
            with_targets: room(columns * targets),
            inverse: room(columns),
            vector: room(columns),
        }
    }

    /// Norms of the weights and the trace of the inverse, by back-substitution.
    #[inline(always)]
    pub(super) fn back_substitute<L: Lanes>(&mut self, found: &mut Solutions) {
        let Self { factor, with_targets, inverse, vector } = self;
        let n = inverse.len();
        for (target, norm) in with_targets.chunks_exact(n).zip(&mut found.weights) {
            let mut sum = L::splat(0.0);
            for k in (0..n).rev() {
                let mut weight = L::load(&target[k]);
                for i in k + 1..n {
                    weight = L::load(&factor[k * n + i]).neg_mul_add(L::load(&vector[i]), weight);
                }
                weight.store(&mut vector[k]);
                sum = weight.mul_add(weight, sum);
            }
            sum.store(norm);
        }
        let mut inverse_trace = L::splat(0.0);
        let is_long = n * n * n >= LONG;
        for k in 0..n {
            if is_long && poll(4 * k * k) {
                return;
            }
            L::splat(1.0).store(&mut vector[k]);
            let mut sum = L::splat(1.0);
            for i in (0..k).rev() {
                let mut v = L::splat(0.0);
                for m in i + 1..=k {
                    v = L::load(&factor[i * n + m]).neg_mul_add(L::load(&vector[m]), v);
                }
                v.store(&mut vector[i]);
                sum = v.mul_add(v, sum);
            }
            inverse_trace = sum.mul_add(L::load(&inverse[k]), inverse_trace);
        }
        inverse_trace.store(&mut found.inverse_trace);
        for lane in 0..WIDTH {
            // A NaN is not positive.
            if !inverse.iter().all(|v| v[lane] > 0.0) {
                found.inverse_trace[lane] = f64::INFINITY;
            }
        }
    }
}

impl Solutions {
    pub(super) fn new(targets: usize) -> Self {
        let room = vec![Block::ZERO; targets];
        Self { squares: room.clone(), weights: room, inverse_trace: Block::ZERO }
    }
}
