//! What the triangular factors of eight least-squares problems, one in each lane, tell about their solutions.

use super::lanes::{Block, Lanes, WIDTH};

/// Eight factorised problems $\hat H w \approx y$, with $\hat H = Q R$, $Q$ orthogonal columns, $R$ unit upper triangular.
#[derive(Clone, Debug)]
pub(super) struct Triangle {
    /// `factor[k * n + j]`: how much of column `k` was taken from column `j > k`.
    pub(super) factor: Vec<Block>,
    /// `with_targets[t * n + k]`: how much of column `k` was taken from target `t`.
    pub(super) with_targets: Vec<Block>,
    /// Inverse squared norms of what was left of the columns.
    pub(super) inverse: Vec<Block>,
    vector: Vec<Block>,
}

/// What was found for each of eight candidates.
#[derive(Clone, Debug)]
pub(crate) struct Found {
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

    /// Weights and the trace of the inverse.
    #[inline(always)]
    pub(super) fn sizes<L: Lanes>(&mut self, found: &mut Found) {
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
        for k in 0..n {
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

impl Found {
    pub(super) fn new(targets: usize) -> Self {
        let room = vec![Block::ZERO; targets];
        Self { squares: room.clone(), weights: room, inverse_trace: Block::ZERO }
    }
}
