//! The quadrature screen: a few weighted nodes in place of all samples, for networks with one input and one
//! hidden layer.
//!
//! Bound: let the inputs be mapped to $u \in [-1, 1]$, and let the $m$ rows of $S$ be an orthonormal basis of
//! the polynomials of degree below $m$ on the $K$ samples. Gauss quadrature for the distribution of the
//! samples, with nodes $z_i$ and weights $\omega_i$, is exact for products of two such polynomials. The basis
//! can therefore be chosen such that for every such polynomial $p$, with its values on the samples as a
//! vector, $(S p)_i = \sqrt{\omega_i} \, p(z_i)$, which needs the nodes alone. And for any targets $y$, by
//! Pythagoras,
//!
//! $$ \lVert p - y \rVert^2 = \lVert S p - S y \rVert^2 + \lVert y - S^\top S y \rVert^2. $$
//!
//! If hidden outputs were such polynomials, least squares on the $m$ nodes with targets $S y$, plus a
//! constant that no network can explain, would be least squares on all samples. In fact they are at a
//! distance from polynomials that `kernel/screening/quadrature.rs` bounds. This approximation error counts as
//! an error of the columns $\hat H$ in the bounds of `error_bounds.rs`; otherwise the bound is that of
//! `incremental.rs`.
//!
//! Nodes and basis come from the Lanczos process and the eigenvectors of its tridiagonal matrix. Their own
//! errors are measured on the Chebyshev polynomials, by which hidden outputs are approximated.

use super::incremental::{FEWEST, Setup, largest_inputs};
use super::{Batch, LARGEST_BATCH, Problem, Screen};
use crate::Dataset;
use crate::kernel::screening::incremental::{Samples, Work};
use crate::kernel::screening::quadrature::{LEAST_DEGREE, approximation_errors};
use crate::kernel::{EigenWork, Isa, WIDTH, eigen};
use std::sync::Arc;

/// Number of nodes.
const NODES: usize = 32;
const _: () = assert!(NODES >= LEAST_DEGREE);
/// With fewer samples for each node than that, the screen is not worth it.
const SAMPLES_PER_NODE: usize = 2;
/// With more samples, the preparation would take longer than the first generations.
const MOST_ROWS: usize = 1 << 16;
/// A new direction shorter than this means that there are hardly more different samples than nodes.
const SHORT: f64 = 1e-6;
/// Largest relative difference between the squared norm of the targets and that of their two projections.
const LARGEST_GAP: f64 = 1e-13;
/// Largest error of nodes and basis.
const LARGEST_DEFECT: f64 = 1e-11;
/// Sum of the Chebyshev coefficients of a neuron with one input and a weight that is not too large.
const COEFFICIENTS: f64 = 8.0;

/// The quadrature screen, with the buffers of one worker.
#[derive(Clone, Debug)]
pub(super) struct Quadrature {
    setup: Arc<Setup>,
    samples: Arc<Samples>,
    interval: Interval,
    work: Work,
}

impl Quadrature {
    /// None where there are more than one input or hidden layer, too few different samples, or too many.
    pub(super) fn new(problem: Problem<'_>) -> Option<Self> {
        let shape = problem.shape;
        if shape.hidden.len() > 1 {
            return None;
        }
        let Nodes { interval, inputs, scales, targets, unexplained, defect } =
            Nodes::new(problem.isa, problem.data)?;
        let samples = Samples::new(shape, inputs, targets, scales, largest_inputs(problem));
        let setup = Setup::new(problem, &samples, 2.0 * COEFFICIENTS * defect, unexplained)?;
        let work = Work::new(shape, &samples);
        Some(Self { setup: Arc::new(setup), samples: Arc::new(samples), interval, work })
    }
}

impl Screen for Quadrature {
    fn batch(&self) -> usize {
        WIDTH
    }

    fn fewest(&self) -> usize {
        FEWEST
    }

    fn price(&self) -> f64 {
        self.setup.price
    }

    /// It takes hardly longer than the subset screen and proves more than the single-precision screen.
    fn is_conclusive(&self) -> bool {
        true
    }

    fn bounds(&mut self, batch: &Batch<'_>, bounds: &mut [f64; LARGEST_BATCH]) {
        let Interval { center, half } = self.interval;
        self.work.load(&batch.parameters());
        let mut errors = approximation_errors(self.setup.isa, &self.work.parameters, center, half, NODES);
        // The error counts twice, on the samples and at the nodes, and its square four times.
        errors.iter_mut().for_each(|error| *error *= 4.0);
        let found = self.setup.bounds(&self.samples, &batch.cutoffs(), &errors, &mut self.work);
        bounds[..WIDTH].copy_from_slice(&found);
    }

    fn boxed_clone(&self) -> Box<dyn Screen> {
        Box::new(self.clone())
    }
}

/// The inputs are from `center - half` to `center + half`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    center: f64,
    half: f64,
}

/// Gauss quadrature for the distribution of the samples.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    interval: Interval,
    /// The nodes, in the units of the samples' inputs.
    pub(super) inputs: Vec<f64>,
    /// Square roots of the weights.
    pub(super) scales: Vec<f64>,
    /// `targets[node * q + output]`, times the scales: $S y$.
    pub(super) targets: Vec<f64>,
    /// For each output, the squared norm of what no polynomial explains: $y - S^\top S y$.
    pub(super) unexplained: Vec<f64>,
    /// For a polynomial $p$ whose Chebyshev coefficients add up to one, the largest distance of $S p$ from
    /// the scaled values at the nodes, divided by the square root of the number of samples.
    pub(super) defect: f64,
}

impl Nodes {
    /// None where there are too few different samples, or too many, or more than one input.
    pub(super) fn new(isa: Isa, data: &Dataset) -> Option<Self> {
        let [x] = data.inputs.as_slice() else { return None };
        if !(SAMPLES_PER_NODE * NODES..=MOST_ROWS).contains(&x.len()) {
            return None;
        }
        let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (v.min(l), v.max(h)));
        let (center, half) = (f64::midpoint(low, high), (high - low) / 2.0);
        let u: Vec<f64> = x.iter().map(|v| (v - center) / half).collect();
        if !u.iter().all(|u| u.abs() <= 1.0 + 1e-12) {
            return None;
        }
        let basis = Basis::new(isa, &u)?;
        let scales: Vec<f64> = basis.vectors().map(|v| v[0] * (u.len() as f64).sqrt()).collect();
        let (mut targets, mut unexplained) = (vec![0.0; NODES * data.outputs.len()], Vec::new());
        for (t, y) in data.outputs.iter().enumerate() {
            let (inside, outside) = project(&basis.polynomials, y);
            for (i, vector) in basis.vectors().enumerate() {
                targets[i * data.outputs.len() + t] = dot(vector, &inside);
            }
            unexplained.push(dot(&outside, &outside));
            let squares = dot(y, y);
            let found = dot(&inside, &inside) + dot(&outside, &outside);
            if (squares - found).abs() > LARGEST_GAP * squares {
                return None;
            }
        }
        let defect = basis.defect(&u, &scales);
        let inputs = basis.nodes.iter().map(|u| center + half * u).collect();
        let interval = Interval { center, half };
        // A NaN is not small.
        (defect <= LARGEST_DEFECT).then_some(Self { interval, inputs, scales, targets, unexplained, defect })
    }
}

/// The orthonormal basis $S$, as the product of eigenvectors and polynomials of increasing degree.
struct Basis {
    /// Values of orthonormal polynomials on the samples.
    polynomials: Vec<Vec<f64>>,
    /// Nodes from -1 to 1: eigenvalues of the multiplication by `u`.
    nodes: Vec<f64>,
    /// Eigenvectors one after the other, with positive first components.
    eigenvectors: Vec<f64>,
}

impl Basis {
    fn new(isa: Isa, u: &[f64]) -> Option<Self> {
        let (polynomials, tridiagonal) = lanczos(u)?;
        let (mut nodes, mut eigenvectors) = (vec![0.0; NODES], vec![0.0; NODES * NODES]);
        if !eigen(isa, &tridiagonal, &mut nodes, &mut eigenvectors, &mut EigenWork::default()) {
            return None;
        }
        for vector in eigenvectors.chunks_exact_mut(NODES) {
            let sign = vector[0].signum();
            vector.iter_mut().for_each(|v| *v *= sign);
        }
        Some(Self { polynomials, nodes, eigenvectors })
    }

    /// Eigenvectors, one for each node.
    fn vectors(&self) -> impl Iterator<Item = &[f64]> {
        self.eigenvectors.chunks_exact(NODES)
    }

    /// The defect of [`Nodes`], measured on the Chebyshev polynomials.
    fn defect(&self, u: &[f64], scales: &[f64]) -> f64 {
        let root = (u.len() as f64).sqrt();
        let mut defect: f64 = 0.0;
        let mut on_samples = [vec![1.0; u.len()], u.to_vec()];
        let mut on_nodes = [vec![1.0; NODES], self.nodes.clone()];
        for _ in 0..NODES {
            let (inside, outside) = project(&self.polynomials, &on_samples[0]);
            let differences = self
                .vectors()
                .enumerate()
                .map(|(i, vector)| (dot(vector, &inside) - scales[i] * on_nodes[0][i]).powi(2));
            defect = defect.max((differences.sum::<f64>().sqrt() + dot(&outside, &outside).sqrt()) / root);
            next_chebyshev(u, &mut on_samples);
            next_chebyshev(&self.nodes, &mut on_nodes);
        }
        defect
    }
}

/// Values of orthonormal polynomials on the samples, by degree, and the matrix of the multiplication by `u`
/// among them.
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
        // Projected twice, to be orthogonal to the last digit.
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

/// Coefficients of a vector in an orthonormal basis, and the rest of the vector.
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
