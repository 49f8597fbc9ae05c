//! Eigenvalues and eigenvectors of a symmetric matrix: Householder tridiagonalisation, then implicit QL.
//!
//! Written here because CMA-ES decomposes its matrix almost every generation: nalgebra's takes 1.4 times as
//! long for 40 x 40 and allocates, and the bits of libraries with vector instructions depend on the
//! processor.

use super::dispatch;
use super::lanes::{Block, Lanes, WIDTH};
use super::{is_cut_off, poll};

/// Sweeps for one eigenvalue before it gives up; it needs about two.
const SWEEPS: usize = 60;

/// Room for [`eigen`].
#[derive(Clone, Debug, Default)]
pub(crate) struct EigenWork {
    /// The matrix one column after the other, each in whole blocks; afterwards the eigenvectors.
    columns: Vec<Block>,
    /// Householder vectors, one for each column, and twice the inverses of their squared lengths.
    reflectors: Vec<Block>,
    betas: Vec<f64>,
    /// The subdiagonal.
    off: Vec<f64>,
    product: Vec<Block>,
}

dispatch! {
    /// Decomposes the symmetric matrix of `values.len()` rows whose lower triangle `matrix` holds row by row
    /// in a square. Eigenvector `j`, of length one, is written to `vectors[j * n..][..n]`, its eigenvalue to
    /// `values[j]`; they are in no order. False if a number is not finite, the iteration does not end, or it
    /// was cut off; the results are of no use then.
    pub(crate) fn eigen(
        matrix: &[f64],
        values: &mut [f64],
        vectors: &mut [f64],
        work: &mut EigenWork,
    ) -> bool {
        eigen_generic
    }
}

#[inline(always)]
fn eigen_generic<L: Lanes>(
    matrix: &[f64],
    values: &mut [f64],
    vectors: &mut [f64],
    work: &mut EigenWork,
) -> bool {
    let n = values.len();
    let blocks = n.div_ceil(WIDTH);
    let largest = matrix.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    if !largest.is_finite() || matrix.iter().any(|v| v.is_nan()) {
        return false;
    }
    // Scaled by a power of two, so that squares neither overflow nor vanish.
    let exponent = if largest > 0.0 { libm::ilogb(largest) } else { 0 };
    let (smaller, larger) = (PowerOfTwo::new(-exponent), PowerOfTwo::new(exponent));
    work.columns.clear();
    work.columns.resize(n * blocks, Block::ZERO);
    for i in 0..n {
        for j in 0..=i {
            let v = smaller.times(matrix[i * n + j]);
            work.columns[j * blocks + i / WIDTH][i % WIDTH] = v;
            work.columns[i * blocks + j / WIDTH][j % WIDTH] = v;
        }
    }
    tridiagonalise::<L>(values, blocks, work);
    accumulate::<L>(n, blocks, work);
    if is_cut_off() || !iterate::<L>(values, blocks, work) {
        return false;
    }
    values.iter_mut().for_each(|v| *v = larger.times(*v));
    for (vector, column) in vectors.chunks_exact_mut(n).zip(work.columns.chunks_exact(blocks)) {
        for (part, block) in vector.chunks_mut(WIDTH).zip(column) {
            part.copy_from_slice(&block[..part.len()]);
        }
    }
    true
}

/// `2^exponent`, to multiply with.
#[derive(Clone, Copy)]
struct PowerOfTwo {
    exponent: i32,
    /// The number itself, where it is a normal one.
    factor: Option<f64>,
}

impl PowerOfTwo {
    fn new(exponent: i32) -> Self {
        let factor = (-1022..=1023).contains(&exponent).then(|| libm::ldexp(1.0, exponent));
        Self { exponent, factor }
    }

    /// The product, rounded once: the same bits either way.
    #[inline(always)]
    fn times(self, v: f64) -> f64 {
        self.factor.map_or_else(|| libm::ldexp(v, self.exponent), |factor| v * factor)
    }
}

#[inline(always)]
fn dot<L: Lanes>(a: &[Block], b: &[Block]) -> f64 {
    let mut sum = L::splat(0.0);
    for (a, b) in a.iter().zip(b) {
        sum = L::load(a).mul_add(L::load(b), sum);
    }
    sum.sum()
}

/// `y += scale · x`
#[inline(always)]
fn add_scaled<L: Lanes>(scale: f64, x: &[Block], y: &mut [Block]) {
    let scale = L::splat(scale);
    for (x, y) in x.iter().zip(y) {
        scale.mul_add(L::load(x), L::load(y)).store(y);
    }
}

/// Element `i` of a column.
#[inline(always)]
fn at(column: &[Block], i: usize) -> f64 {
    column[i / WIDTH][i % WIDTH]
}

/// Reflects one column after the other onto the subdiagonal: `A = Q T Qᵀ`. The diagonal of `T` is written to
/// `diagonal`.
#[inline(always)]
fn tridiagonalise<L: Lanes>(diagonal: &mut [f64], blocks: usize, work: &mut EigenWork) {
    let n = diagonal.len();
    let EigenWork { columns, reflectors, betas, off, product } = work;
    reflectors.clear();
    reflectors.resize(n * blocks, Block::ZERO);
    betas.clear();
    betas.resize(n, 0.0);
    off.clear();
    off.resize(n, 0.0);
    product.clear();
    product.resize(blocks, Block::ZERO);
    for k in 0..n {
        if poll(16 * (n - k) * (blocks - k / WIDTH)) {
            return;
        }
        diagonal[k] = at(&columns[k * blocks..], k);
        if k + 1 == n {
            break;
        }
        // Only rows and columns behind k are left; whole blocks before them are skipped.
        let first = (k + 1) / WIDTH;
        let v = &mut reflectors[k * blocks + first..(k + 1) * blocks];
        v.copy_from_slice(&columns[k * blocks + first..(k + 1) * blocks]);
        let alpha = v[0][(k + 1) % WIDTH];
        v[0][..=(k + 1) % WIDTH].fill(0.0);
        let rest = dot::<L>(v, v);
        if rest == 0.0 {
            off[k] = alpha;
            continue;
        }
        let length = (alpha * alpha + rest).sqrt();
        let head = if alpha > 0.0 { alpha + length } else { alpha - length };
        off[k] = if alpha > 0.0 { -length } else { length };
        v[0][(k + 1) % WIDTH] = head;
        let beta = 2.0 / (head * head + rest);
        betas[k] = beta;
        let p = &mut product[first..];
        p.fill(Block::ZERO);
        for j in k + 1..n {
            let column = &columns[j * blocks + first..(j + 1) * blocks];
            add_scaled::<L>(beta * at(&reflectors[k * blocks..], j), column, p);
        }
        p[0][..(k + 1) % WIDTH].fill(0.0);
        let v = &reflectors[k * blocks + first..(k + 1) * blocks];
        let half = -0.5 * beta * dot::<L>(p, v);
        add_scaled::<L>(half, v, p);
        for j in k + 1..n {
            let column = &mut columns[j * blocks + first..(j + 1) * blocks];
            let (pj, vj) = (at(p, j - first * WIDTH), at(v, j - first * WIDTH));
            add_scaled::<L>(-pj, v, column);
            add_scaled::<L>(-vj, p, column);
        }
    }
}

/// Multiplies the reflections to `Q`, in the place of the matrix.
#[inline(always)]
fn accumulate<L: Lanes>(n: usize, blocks: usize, work: &mut EigenWork) {
    let EigenWork { columns, reflectors, betas, .. } = work;
    columns.fill(Block::ZERO);
    for i in 0..n {
        columns[i * blocks + i / WIDTH][i % WIDTH] = 1.0;
    }
    for k in (0..n.saturating_sub(1)).rev() {
        if poll(16 * (n - k) * (blocks - k / WIDTH)) {
            return;
        }
        if betas[k] != 0.0 {
            let first = (k + 1) / WIDTH;
            let v = &reflectors[k * blocks + first..(k + 1) * blocks];
            for j in k + 1..n {
                let column = &mut columns[j * blocks + first..(j + 1) * blocks];
                let along = betas[k] * dot::<L>(v, column);
                add_scaled::<L>(-along, v, column);
            }
        }
    }
}

/// Implicit QL with Wilkinson's shift; each rotation is applied to two columns of `Q`.
#[inline(always)]
fn iterate<L: Lanes>(d: &mut [f64], blocks: usize, work: &mut EigenWork) -> bool {
    let n = d.len();
    let EigenWork { columns, off: e, .. } = work;
    for l in 0..n {
        let mut sweeps = 0;
        loop {
            let is_small = |m: usize| e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs()).max(1e-280);
            let m = (l..n - 1).find(|m| is_small(*m)).unwrap_or(n - 1);
            if m == l {
                break;
            }
            sweeps += 1;
            if sweeps > SWEEPS || poll(32 * (m - l) * blocks) {
                return false;
            }
            let g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let root = (g * g + 1.0).sqrt();
            let mut g = d[m] - d[l] + e[l] / (g + root.copysign(g));
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut is_split = false;
            for i in (l..m).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = (f * f + g * g).sqrt();
                e[i + 1] = r;
                if r == 0.0 {
                    // The matrix splits here: start again.
                    d[i + 1] -= p;
                    e[m] = 0.0;
                    is_split = true;
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - p;
                let r = (d[i] - g) * s + 2.0 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                let (left, right) = columns[i * blocks..(i + 2) * blocks].split_at_mut(blocks);
                let (sine, cosine) = (L::splat(s), L::splat(c));
                for (x, y) in left.iter_mut().zip(right) {
                    let (a, b) = (L::load(x), L::load(y));
                    sine.mul_add(a, cosine.mul(b)).store(y);
                    sine.neg_mul_add(b, cosine.mul(a)).store(x);
                }
            }
            if !is_split {
                d[l] -= p;
                e[l] = g;
                e[m] = 0.0;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests;
