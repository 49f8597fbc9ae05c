//! The descent to the weights of a logistic regression.

use super::{Regression, SeenRows};
use crate::Error;
use crate::kernel::dot;
use std::collections::VecDeque;

/// Pairs of steps and changes of the gradient that are stored.
const MEMORY: usize = 12;
/// Least decrease of the cost, as a fraction of what the gradient predicts.
const SUFFICIENT: f64 = 1e-4;

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Descended,
    /// There is nothing left to descend.
    Minimum,
    /// It was ended and undone.
    Ended,
}

/// A descent by limited-memory BFGS in the coordinates $R W$, where $R^\top R$ is the bound of the Hessian.
pub(super) struct Descent<'a, R> {
    problem: &'a Regression<'a, R>,
    /// $R$ by rows.
    factor: Vec<f64>,
    weights: Vec<f64>,
    /// In the coordinates of the descent.
    gradient: Vec<f64>,
    cost: f64,
    pairs: VecDeque<(Vec<f64>, Vec<f64>)>,
}

impl<'a, R: SeenRows> Descent<'a, R> {
    /// From these weights, or from zero where that costs less; none if it was ended.
    ///
    /// # Errors
    /// If the cost of zero weights is not finite.
    pub(super) fn new(
        problem: &'a Regression<'a, R>,
        factor: Vec<f64>,
        start: &[f64],
    ) -> Result<Option<Self>, Error> {
        let (mut weights, mut gradient) = (start.to_vec(), vec![0.0; start.len()]);
        let Some(mut cost) = problem.cost(&weights, &mut gradient) else { return Ok(None) };
        // All classes have the same probability with zero weights. A NaN is not below.
        let is_below = cost < libm::log(problem.count as f64);
        if !is_below && weights.iter().any(|w| *w != 0.0) {
            weights.fill(0.0);
            let Some(of_zero) = problem.cost(&weights, &mut gradient) else { return Ok(None) };
            cost = of_zero;
        }
        if !cost.is_finite() {
            return Err(Error::NoFiniteCost);
        }
        let mut descent = Self { problem, factor, weights, gradient, cost, pairs: VecDeque::new() };
        descent.transform_gradient();
        Ok(Some(descent))
    }

    pub(super) fn into_weights(self) -> Vec<f64> {
        self.weights
    }

    pub(super) fn step(&mut self) -> Step {
        if dot(&self.gradient, &self.gradient).sqrt() <= self.problem.least_gradient {
            return Step::Minimum;
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
        let (mut length, mut outcome) = (1.0, Step::Minimum);
        while length > 1e-6 {
            for ((w, start), s) in self.weights.iter_mut().zip(&start).zip(&step) {
                *w = start + length * s;
            }
            let Some(found) = self.problem.cost(&self.weights, &mut self.gradient) else {
                outcome = Step::Ended;
                break;
            };
            if found <= cost + SUFFICIENT * length * slope {
                self.cost = found;
                self.transform_gradient();
                self.remember(direction, length, &before);
                return Step::Descended;
            }
            length *= 0.5;
        }
        // It was ended, or rounding errors are all that is left.
        (self.weights, self.gradient, self.cost) = (start, before, cost);
        outcome
    }

    /// Stores a step of this length and the change of the gradient.
    fn remember(&mut self, mut direction: Vec<f64>, length: f64, before: &[f64]) {
        let change: Vec<f64> = self.gradient.iter().zip(before).map(|(a, b)| a - b).collect();
        direction.iter_mut().for_each(|d| *d *= length);
        if dot(&direction, &change) > 0.0 {
            self.pairs.push_back((direction, change));
        }
        if self.pairs.len() > MEMORY {
            self.pairs.pop_front();
        }
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
        let size = self.problem.size();
        let mut step = direction.to_vec();
        for of_class in step.chunks_exact_mut(size) {
            for (i, row) in self.factor.chunks_exact(size).enumerate().rev() {
                let known: f64 = (i + 1..size).map(|j| row[j] * of_class[j]).sum();
                of_class[i] = (of_class[i] - known) / row[i];
            }
        }
        step
    }

    /// From the gradient by the weights to that in the coordinates of the descent: $R^{-\top}$ times it.
    fn transform_gradient(&mut self) {
        let size = self.problem.size();
        for of_class in self.gradient.chunks_exact_mut(size) {
            for (i, row) in self.factor.chunks_exact(size).enumerate() {
                let value = of_class[i] / row[i];
                of_class[i] = value;
                let (row, rest) = (&row[i + 1..], &mut of_class[i + 1..]);
                rest.iter_mut().zip(row).for_each(|(g, r)| *g -= value * r);
            }
        }
    }
}
