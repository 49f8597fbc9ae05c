//! Few weighted samples that stand for many, for networks with one input and one hidden layer.
//!
//! Hidden outputs are smooth functions of the input, nearly polynomials. Let the $m$ rows of $S$ be an orthonormal basis of the polynomials of degree below $m$ on the samples. For a polynomial $p$ such a basis can be chosen so that
//! $S p$ needs no samples: $(S p)_i = \sqrt{\omega_i} \, p(z_i)$, with the nodes and weights of Gauss quadrature for the samples' distribution, since that is exact for products of two such polynomials. And for any targets
//!
//! $$ \lVert p - y \rVert^2 = \lVert S p - S y \rVert^2 + \lVert y - S^\top S y \rVert^2. $$
//!
//! So $m$ nodes with targets $S y$ and a constant are worth all samples, up to the distance of hidden outputs from polynomials, which is known (`kernel/ridge.rs`).
//!
//! Nodes and basis come from the Lanczos process and the eigenvectors of its matrix. Their own errors are measured on the Chebyshev polynomials, by which hidden outputs are approximated.

use crate::Dataset;
use crate::kernel::{EigenWork, Isa, LEAST_DEGREE, eigen};

/// Number of nodes.
pub(super) const NODES: usize = 32;
const _: () = assert!(NODES >= LEAST_DEGREE);
/// Fewer samples than that times the nodes are not worth it.
const FEWEST: usize = 2;
/// With more samples, the preparation would take longer than the first generations.
const MOST_ROWS: usize = 1 << 16;
/// A new direction shorter than this means that there are hardly more different samples than nodes.
const SHORT: f64 = 1e-6;
/// Largest share of the targets' squares that may get lost in the condensing.
const LARGEST_GAP: f64 = 1e-13;
/// Largest error of nodes and basis.
const LARGEST_DEFECT: f64 = 1e-11;

#[derive(Clone, Debug)]
pub(super) struct Condensed {
    /// The inputs' interval.
    pub(super) center: f64,
    pub(super) half: f64,
    pub(super) nodes: Vec<f64>,
    /// Roots of the weights.
    pub(super) scales: Vec<f64>,
    /// `targets[node * q + output]`, times the scales.
    pub(super) targets: Vec<f64>,
    /// For each output, the squares that no polynomial explains.
    pub(super) rest: Vec<f64>,
    /// For a polynomial whose Chebyshev coefficients add up to one, how far $S p$ is from what the nodes say, divided by the root of the number of samples.
    pub(super) defect: f64,
}

impl Condensed {
    /// None where there are too few different samples, or too many, or more than one input.
    pub(super) fn new(isa: Isa, data: &Dataset) -> Option<Self> {
        let [x] = data.inputs.as_slice() else { return None };
        if !(FEWEST * NODES..=MOST_ROWS).contains(&x.len()) {
            return None;
        }
        let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (v.min(l), v.max(h)));
        let (center, half) = (f64::midpoint(low, high), (high - low) / 2.0);
        let u: Vec<f64> = x.iter().map(|v| (v - center) / half).collect();
        if !u.iter().all(|u| u.abs() <= 1.0 + 1e-12) {
            return None;
        }
        let root = (u.len() as f64).sqrt();
        let (basis, tridiagonal) = lanczos(&u)?;
        let (mut at, mut vectors) = (vec![0.0; NODES], vec![0.0; NODES * NODES]);
        if !eigen(isa, &tridiagonal, &mut at, &mut vectors, &mut EigenWork::default()) {
            return None;
        }
        for vector in vectors.chunks_exact_mut(NODES) {
            let sign = vector[0].signum();
            vector.iter_mut().for_each(|v| *v *= sign);
        }
        let scales: Vec<f64> = vectors.chunks_exact(NODES).map(|v| v[0] * root).collect();
        let (mut targets, mut rest) = (vec![0.0; NODES * data.outputs.len()], Vec::new());
        for (t, y) in data.outputs.iter().enumerate() {
            let (inside, outside) = project(&basis, y);
            for (i, vector) in vectors.chunks_exact(NODES).enumerate() {
                targets[i * data.outputs.len() + t] = dot(vector, &inside);
            }
            rest.push(dot(&outside, &outside));
            let squares = dot(y, y);
            let found = dot(&inside, &inside) + dot(&outside, &outside);
            if (squares - found).abs() > LARGEST_GAP * squares {
                return None;
            }
        }
        let mut defect: f64 = 0.0;
        let mut on_samples = [vec![1.0; u.len()], u.clone()];
        let mut on_nodes = [vec![1.0; NODES], at.clone()];
        for _ in 0..NODES {
            let (inside, outside) = project(&basis, &on_samples[0]);
            let differences = (0..NODES).map(|i| {
                let by_samples = dot(&vectors[i * NODES..(i + 1) * NODES], &inside);
                (by_samples - scales[i] * on_nodes[0][i]).powi(2)
            });
            defect = defect.max((differences.sum::<f64>().sqrt() + dot(&outside, &outside).sqrt()) / root);
            next_chebyshev(&u, &mut on_samples);
            next_chebyshev(&at, &mut on_nodes);
        }
        let nodes = at.iter().map(|u| center + half * u).collect();
        // A NaN is not small.
        (defect <= LARGEST_DEFECT).then_some(Self { center, half, nodes, scales, targets, rest, defect })
    }
}

/// Polynomials that are orthonormal on the samples, as columns, and the matrix of multiplication by `u` among them.
fn lanczos(u: &[f64]) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
    let mut basis = vec![vec![1.0 / (u.len() as f64).sqrt(); u.len()]];
    let mut tridiagonal = vec![0.0; NODES * NODES];
    loop {
        let k = basis.len() - 1;
        let multiplied: Vec<f64> = u.iter().zip(&basis[k]).map(|(u, q)| u * q).collect();
        tridiagonal[k * NODES + k] = dot(&multiplied, &basis[k]);
        if basis.len() == NODES {
            return Some((basis, tridiagonal));
        }
        // Once is not enough to be orthogonal to the last digit.
        let (_, once) = project(&basis, &multiplied);
        let (_, mut next) = project(&basis, &once);
        let length = dot(&next, &next).sqrt();
        if length < SHORT {
            return None;
        }
        next.iter_mut().for_each(|v| *v /= length);
        tridiagonal[(k + 1) * NODES + k] = length;
        basis.push(next);
    }
}

/// Coefficients of a vector in an orthonormal basis, and what they leave of it.
fn project(basis: &[Vec<f64>], vector: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut left = vector.to_vec();
    let coefficients = basis
        .iter()
        .map(|q| {
            let c = dot(q, &left);
            left.iter_mut().zip(q).for_each(|(v, q)| *v -= c * q);
            c
        })
        .collect();
    (coefficients, left)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// From values of two neighbouring Chebyshev polynomials to the next two.
fn next_chebyshev(u: &[f64], values: &mut [Vec<f64>; 2]) {
    let [before, now] = values;
    for ((u, before), now) in u.iter().zip(before.iter_mut()).zip(now.iter_mut()) {
        (*before, *now) = (*now, 2.0 * u * *now - *before);
    }
}
