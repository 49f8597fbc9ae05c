//! The output layer of a classification as multinomial logistic regression on the hidden outputs.
//!
//! With columns $x_i$ (hidden outputs and a one), classes $c_i$ and weights $W$, the mean log loss with an L2
//! penalty is convex:
//!
//! $$ -\frac1K \sum_i \ln p_{c_i}(x_i) + \lambda \lVert W \rVert^2, \qquad
//! p_c(x) = \frac{e^{w_c \cdot x}}{\sum_k e^{w_k \cdot x}}. $$
//!
//! Its Hessian is at most that of $\frac14 \lVert X W \rVert^2 / K + \lambda \lVert W \rVert^2$ (Böhning
//! 1992). In coordinates in which this bound is the identity, limited-memory BFGS takes few steps, each of
//! which needs two products with the columns.

use crate::Error;
use std::collections::VecDeque;

/// Pairs of steps and changes of the gradient that are stored.
const MEMORY: usize = 12;
/// Maximum number of steps.
const STEPS: usize = 300;
/// The gradient, in units of the bound, at which the minimum is found.
const LEAST_GRADIENT: f64 = 1e-7;
/// Least decrease of the cost, as a fraction of what the gradient predicts.
const SUFFICIENT: f64 = 1e-4;
/// Added to the diagonal of the bound, as a fraction of it: columns may be collinear.
const SHIFT: f64 = 1e-10;

/// A classification of rows by their columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logistic<'a> {
    /// The columns over all rows, without the ones.
    pub(crate) columns: &'a [Vec<f64>],
    /// The class of each row.
    pub(crate) classes: &'a [usize],
    /// Number of classes.
    pub(crate) count: usize,
    /// L2 penalty on all weights except the biases; positive, so that weights stay finite where the classes
    /// can be separated.
    pub(crate) penalty: f64,
}

impl Logistic<'_> {
    /// The weights with the least cost: for each class those of the columns, and its bias last.
    ///
    /// # Errors
    /// If columns are not finite.
    pub(crate) fn solve(&self) -> Result<Vec<Vec<f64>>, Error> {
        let mut search = Descent::new(self).ok_or(Error::NoFiniteCost)?;
        for _ in 0..STEPS {
            if !search.step() {
                break;
            }
        }
        let size = self.columns.len() + 1;
        Ok(search.weights.chunks_exact(size).map(<[f64]>::to_vec).collect())
    }

    /// The mean log loss with its penalty, and its gradient by the weights, in the layout of the weights.
    fn cost(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let (rows, size) = (self.classes.len(), self.columns.len() + 1);
        let mut scores: Vec<Vec<f64>> = weights.chunks_exact(size).map(|w| self.scores(w)).collect();
        let mut loss = 0.0;
        for i in 0..rows {
            let highest = scores.iter().map(|s| s[i]).fold(f64::NEG_INFINITY, f64::max);
            let own = scores[self.classes[i]][i];
            let mut sum = 0.0;
            for score in &mut scores {
                score[i] = libm::exp(score[i] - highest);
                sum += score[i];
            }
            loss += libm::log(sum) + highest - own;
            scores.iter_mut().for_each(|score| score[i] /= sum);
            scores[self.classes[i]][i] -= 1.0;
        }
        let scale = 1.0 / rows as f64;
        let mut squares = 0.0;
        for ((residuals, w), g) in
            scores.iter().zip(weights.chunks_exact(size)).zip(gradient.chunks_exact_mut(size))
        {
            for ((column, w), g) in self.columns.iter().zip(w).zip(g.iter_mut()) {
                *g = scale * dot(column, residuals) + 2.0 * self.penalty * w;
                squares += w * w;
            }
            g[size - 1] = scale * residuals.iter().sum::<f64>();
        }
        scale * loss + self.penalty * squares
    }

    /// The scores of one class for all rows.
    fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let mut scores = vec![weights[self.columns.len()]; self.classes.len()];
        for (column, w) in self.columns.iter().zip(weights) {
            scores.iter_mut().zip(column).for_each(|(score, x)| *score += w * x);
        }
        scores
    }

    /// The upper triangular Cholesky factor of the bound of the Hessian, by rows; none if it is not finite.
    fn factor(&self) -> Option<Vec<Vec<f64>>> {
        let size = self.columns.len() + 1;
        let scale = 0.5 / self.classes.len() as f64;
        let ones = vec![1.0; self.classes.len()];
        let column = |i: usize| self.columns.get(i).unwrap_or(&ones);
        let mut factor = vec![vec![0.0; size]; size];
        for i in 0..size {
            for j in i..size {
                factor[i][j] = scale * dot(column(i), column(j));
            }
            let penalty = if i + 1 < size { 2.0 * self.penalty } else { 0.0 };
            factor[i][i] = factor[i][i] * (1.0 + SHIFT) + penalty + SHIFT;
        }
        for i in 0..size {
            let (done, rest) = factor.split_at_mut(i);
            let row = &mut rest[0];
            for above in done.iter() {
                let factor = above[i];
                row[i..].iter_mut().zip(&above[i..]).for_each(|(v, a)| *v -= factor * a);
            }
            // A NaN is not positive.
            if !(row[i] > 0.0 && row[i].is_finite()) {
                return None;
            }
            let root = row[i].sqrt();
            row[i..].iter_mut().for_each(|v| *v /= root);
        }
        Some(factor)
    }
}

/// A descent by limited-memory BFGS in the coordinates $R W$, where $R^\top R$ is the bound of the Hessian.
struct Descent<'a> {
    problem: &'a Logistic<'a>,
    factor: Vec<Vec<f64>>,
    weights: Vec<f64>,
    /// In the coordinates of the descent.
    gradient: Vec<f64>,
    cost: f64,
    pairs: VecDeque<(Vec<f64>, Vec<f64>)>,
}

impl<'a> Descent<'a> {
    fn new(problem: &'a Logistic<'a>) -> Option<Self> {
        let size = problem.count * (problem.columns.len() + 1);
        let factor = problem.factor()?;
        let (weights, mut gradient) = (vec![0.0; size], vec![0.0; size]);
        let cost = problem.cost(&weights, &mut gradient);
        let mut descent = Self { problem, factor, weights, gradient, cost, pairs: VecDeque::new() };
        descent.transform_gradient();
        cost.is_finite().then_some(descent)
    }

    /// One step; false at the minimum.
    fn step(&mut self) -> bool {
        if norm(&self.gradient) <= LEAST_GRADIENT {
            return false;
        }
        let mut direction = self.direction();
        let mut slope = dot(&direction, &self.gradient);
        if slope >= 0.0 {
            self.pairs.clear();
            direction = self.gradient.iter().map(|g| -g).collect();
            slope = -dot(&self.gradient, &self.gradient);
        }
        let step = self.in_weights(&direction);
        let (before, cost) = (self.gradient.clone(), self.cost);
        let start = self.weights.clone();
        let mut length = 1.0;
        while length > 1e-6 {
            for ((w, start), s) in self.weights.iter_mut().zip(&start).zip(&step) {
                *w = start + length * s;
            }
            self.cost = self.problem.cost(&self.weights, &mut self.gradient);
            if self.cost <= cost + SUFFICIENT * length * slope {
                self.transform_gradient();
                let change: Vec<f64> = self.gradient.iter().zip(&before).map(|(a, b)| a - b).collect();
                direction.iter_mut().for_each(|d| *d *= length);
                if dot(&direction, &change) > 0.0 {
                    self.pairs.push_back((direction, change));
                }
                if self.pairs.len() > MEMORY {
                    self.pairs.pop_front();
                }
                return true;
            }
            length *= 0.5;
        }
        // Rounding errors are all that is left.
        (self.weights, self.gradient, self.cost) = (start, before, cost);
        false
    }

    /// The product of the approximate inverse Hessian with the gradient, negative.
    fn direction(&self) -> Vec<f64> {
        let mut v: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let mut factors = Vec::with_capacity(self.pairs.len());
        for (step, change) in self.pairs.iter().rev() {
            let factor = dot(step, &v) / dot(step, change);
            factors.push(factor);
            v.iter_mut().zip(change).for_each(|(v, y)| *v -= factor * y);
        }
        if let Some((step, change)) = self.pairs.back() {
            let scale = dot(step, change) / dot(change, change);
            v.iter_mut().for_each(|v| *v *= scale);
        }
        for ((step, change), factor) in self.pairs.iter().zip(factors.iter().rev()) {
            let correction = factor - dot(change, &v) / dot(step, change);
            v.iter_mut().zip(step).for_each(|(v, s)| *v += correction * s);
        }
        v
    }

    /// The change of the weights that a direction is: $R^{-1}$ times it.
    fn in_weights(&self, direction: &[f64]) -> Vec<f64> {
        let size = self.factor.len();
        let mut step = direction.to_vec();
        for of_class in step.chunks_exact_mut(size) {
            for i in (0..size).rev() {
                let known: f64 = (i + 1..size).map(|j| self.factor[i][j] * of_class[j]).sum();
                of_class[i] = (of_class[i] - known) / self.factor[i][i];
            }
        }
        step
    }

    /// From the gradient by the weights to that in the coordinates of the descent: $R^{-\top}$ times it.
    fn transform_gradient(&mut self) {
        let size = self.factor.len();
        for of_class in self.gradient.chunks_exact_mut(size) {
            for i in 0..size {
                let value = of_class[i] / self.factor[i][i];
                of_class[i] = value;
                let (row, rest) = (&self.factor[i][i + 1..], &mut of_class[i + 1..]);
                rest.iter_mut().zip(row).for_each(|(g, r)| *g -= value * r);
            }
        }
    }
}

/// The scalar product, by eight sums at once.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};

    /// Random columns, and classes that depend on them, on chance, or on both.
    fn problem(rows: usize, columns: usize, count: usize, noise: f64) -> (Vec<Vec<f64>>, Vec<usize>) {
        let mut rng = Rng::stream(7, Purpose::Data, count as u64, rows);
        let columns: Vec<Vec<f64>> =
            (0..columns).map(|_| (0..rows).map(|_| rng.between(-1.0, 1.0)).collect()).collect();
        let class = |i: usize| {
            let sum: f64 = columns.iter().enumerate().map(|(j, c)| (j as f64 - 1.0) * c[i]).sum();
            let shifted = sum + noise * rng.between(-1.0, 1.0);
            ((shifted + 1.0) / 2.0 * count as f64).clamp(0.0, count as f64 - 1.0) as usize
        };
        let classes = (0..rows).map(class).collect();
        (columns, classes)
    }

    #[test]
    fn the_gradient_vanishes_at_the_solution_and_is_that_of_the_cost() {
        for (rows, size, count, noise, penalty) in
            [(60, 3, 2, 1.0, 1e-3), (200, 5, 4, 0.5, 1e-6), (150, 4, 3, 0.0, 1e-5), (40, 30, 3, 1.0, 1e-2)]
        {
            let (columns, classes) = problem(rows, size, count, noise);
            let logistic = Logistic { columns: &columns, classes: &classes, count, penalty };
            let weights: Vec<f64> = logistic.solve().unwrap().concat();
            let mut gradient = vec![0.0; weights.len()];
            let least = logistic.cost(&weights, &mut gradient);
            assert!(gradient.iter().all(|g| g.abs() < 1e-5), "{rows} rows: {gradient:?}");
            let mut rng = Rng::stream(1, Purpose::Start, 0, 0);
            let other: Vec<f64> = weights.iter().map(|w| w + rng.between(-0.3, 0.3)).collect();
            let cost = logistic.cost(&other, &mut gradient);
            assert!(cost > least);
            let mut unused = vec![0.0; weights.len()];
            for i in 0..weights.len() {
                let mut moved = |by: f64| {
                    let mut moved = other.clone();
                    moved[i] += by;
                    logistic.cost(&moved, &mut unused)
                };
                let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((difference - gradient[i]).abs() < 1e-8, "{difference} {}", gradient[i]);
            }
        }
    }

    #[test]
    fn without_columns_the_probabilities_are_the_shares_of_the_classes() {
        let classes = [0, 0, 0, 1, 2, 2];
        let logistic = Logistic { columns: &[], classes: &classes, count: 3, penalty: 1e-3 };
        let biases: Vec<f64> = logistic.solve().unwrap().concat();
        let sum: f64 = biases.iter().map(|b| b.exp()).sum();
        for (bias, share) in biases.iter().zip([0.5, 1.0 / 6.0, 1.0 / 3.0]) {
            assert!((bias.exp() / sum - share).abs() < 1e-6, "{biases:?}");
        }
    }

    #[test]
    fn collinear_columns_and_separable_classes_have_finite_weights() {
        let column: Vec<f64> = (0..20).map(|i| f64::from(i) - 9.5).collect();
        let columns = vec![column.clone(), column.clone(), vec![1.0; 20]];
        let classes: Vec<usize> = column.iter().map(|x| usize::from(*x > 0.0)).collect();
        let logistic = Logistic { columns: &columns, classes: &classes, count: 2, penalty: 1e-6 };
        let weights = logistic.solve().unwrap();
        assert!(weights.concat().iter().all(|w| w.is_finite()));
        assert!(weights[1][0] > weights[0][0]);
        let columns = vec![vec![f64::NAN; 20]];
        let broken = Logistic { columns: &columns, ..logistic };
        assert!(broken.solve().is_err());
    }
}
