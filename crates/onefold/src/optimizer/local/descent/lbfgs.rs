//! Descents by limited-memory BFGS (Liu and Nocedal 1989).
//!
//! The step is $-H g$ with half of the gradient $g$, where $H$ approximates the inverse of half of the
//! Hessian from the last pairs of steps and changes of $g$. A step that does not decrease the cost enough
//! (Armijo's condition) is shortened by quadratic interpolation. Points outside of the sphere are scaled
//! back to its surface; on the surface, where the cost decreases outwards, only the tangential part of the
//! gradient counts.

use super::{Descent, Position};
use crate::kernel::dot;
use crate::request::{Derivatives, Slopes};
use serde::{Deserialize, Serialize};

/// Number of pairs stored.
const MEMORY: usize = 20;
/// Least decrease of the cost, as a fraction of what the gradient predicts for the step.
const SUFFICIENT: f64 = 1e-4;
/// Length of the first step, as a fraction of that of the start.
const FIRST_STEP: f64 = 0.1;
/// A pair is stored if the cosine between step and change of gradient is above this.
const LEAST_COSINE: f64 = 1e-8;
/// A descent has converged when the predicted decrease is at most this fraction of the cost.
const LEAST_GAIN: f64 = 1e-8;
/// A descent has converged when a step has been shortened to this fraction.
const SHORTEST: f64 = 1e-10;

/// A descent by limited-memory BFGS, which needs only gradients: many steps, each of which takes little more
/// time than a few evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lbfgs {
    at: Position,
    /// Half of the gradient at `x`; empty before it is known, and while the descent is paused.
    half_gradient: Vec<f64>,
    /// The latest steps with the changes of the half-gradient, oldest first.
    pairs: Vec<Pair>,
    direction: Vec<f64>,
    /// The fraction of the direction that leads to `trial`.
    length: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
}

impl Descent for Lbfgs {
    const NAME: &'static str = "local-search-lbfgs";
    const DERIVATIVES: Derivatives = Derivatives::Gradient;
    const SLOW_STEPS: u32 = 10;
    type Work = ();

    fn work(_: usize) {}

    /// That of the paused descents of a race is not known before.
    fn numbers_per_dimension(_: usize) -> usize {
        2 * (MEMORY + 4)
    }

    fn new(start: Vec<f64>) -> Self {
        let direction = Vec::new();
        Self {
            at: Position::new(start),
            half_gradient: Vec::new(),
            pairs: Vec::new(),
            direction,
            length: 1.0,
        }
    }

    /// The curvature is nearly that of the rows before.
    fn on_other_rows(&self) -> Self {
        Self { pairs: self.pairs.clone(), ..Self::new(self.at.x.clone()) }
    }

    fn position(&self) -> &Position {
        &self.at
    }

    fn position_mut(&mut self) -> &mut Position {
        &mut self.at
    }

    fn needs_slopes(&self) -> bool {
        self.half_gradient.is_empty()
    }

    fn discard_slopes(&mut self) {
        self.half_gradient = Vec::new();
        self.direction = Vec::new();
        self.at.trial.copy_from_slice(&self.at.x);
    }

    fn has_shape(&self, dim: usize) -> bool {
        let fits = |list: &[f64]| list.len() == dim;
        let slopes = (self.half_gradient.len(), self.direction.len());
        self.at.has_shape(dim)
            && (slopes == (dim, dim) || slopes == (0, 0))
            && self.pairs.len() <= MEMORY
            && self.pairs.iter().all(|pair| fits(&pair.step) && fits(&pair.change))
    }

    fn learn(&mut self, cost: f64, slopes: &mut Slopes, radius: f64, (): &mut ()) {
        if self.needs_slopes() {
            if !cost.is_finite() {
                self.at.has_converged = true;
                return;
            }
            std::mem::swap(&mut self.half_gradient, &mut slopes.half_gradient);
            self.at.cost = cost;
            self.at.has_converged = !self.turn(radius);
            return;
        }
        self.at.steps = self.at.steps.saturating_add(1);
        let step: Vec<f64> = self.at.trial.iter().zip(&self.at.x).map(|(t, x)| t - x).collect();
        let predicted = 2.0 * dot(&self.half_gradient, &step);
        if cost <= self.at.cost + SUFFICIENT * predicted && cost < self.at.cost {
            self.accept(cost, step, &mut slopes.half_gradient, radius);
            self.at.has_converged = !self.turn(radius);
        } else {
            self.at.has_converged = !self.shorten(cost, predicted, radius);
        }
    }
}

impl Lbfgs {
    /// Moves to `trial`, and stores what the step says about the curvature.
    fn accept(&mut self, cost: f64, step: Vec<f64>, half_gradient: &mut Vec<f64>, radius: f64) {
        let before = tangential(&self.half_gradient, &self.at.x, radius);
        self.at.cost = cost;
        self.at.x.copy_from_slice(&self.at.trial);
        std::mem::swap(&mut self.half_gradient, half_gradient);
        let after = tangential(&self.half_gradient, &self.at.x, radius);
        let change: Vec<f64> = after.iter().zip(&before).map(|(a, b)| a - b).collect();
        if dot(&step, &change) > LEAST_COSINE * norm(&step) * norm(&change) {
            if self.pairs.len() == MEMORY {
                self.pairs.remove(0);
            }
            self.pairs.push(Pair { step, change });
        }
    }

    /// Takes a new direction; false if no step promises a sufficient decrease.
    fn turn(&mut self, radius: f64) -> bool {
        let gradient = tangential(&self.half_gradient, &self.at.x, radius);
        self.direction = self.two_loops(&gradient);
        if dot(&self.direction, &gradient) >= 0.0 {
            self.pairs.clear();
            self.direction = self.two_loops(&gradient);
        }
        self.length = 1.0;
        if self.pairs.is_empty() {
            let first = FIRST_STEP * norm(&self.at.x).max(FIRST_STEP * radius.min(1.0));
            self.length = first / norm(&gradient);
        }
        // A NaN is not above the limit.
        let is_worth_it = -self.length * dot(&self.direction, &gradient) > LEAST_GAIN * self.at.cost;
        if is_worth_it {
            self.place_trial(radius);
        }
        is_worth_it
    }

    /// The product $-H g$, by the recursion of two loops.
    fn two_loops(&self, gradient: &[f64]) -> Vec<f64> {
        let mut v: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut factors = Vec::with_capacity(self.pairs.len());
        for Pair { step, change } in self.pairs.iter().rev() {
            let factor = dot(step, &v) / dot(step, change);
            factors.push(factor);
            v.iter_mut().zip(change).for_each(|(v, y)| *v -= factor * y);
        }
        if let Some(Pair { step, change }) = self.pairs.last() {
            let scale = dot(step, change) / dot(change, change);
            v.iter_mut().for_each(|v| *v *= scale);
        }
        for (Pair { step, change }, factor) in self.pairs.iter().zip(factors.iter().rev()) {
            let correction = factor - dot(change, &v) / dot(step, change);
            v.iter_mut().zip(step).for_each(|(v, s)| *v += correction * s);
        }
        v
    }

    /// Shortens the step to the minimum of the parabola through both costs and the slope; false if it is too
    /// short already.
    fn shorten(&mut self, cost: f64, predicted: f64, radius: f64) -> bool {
        let excess = cost - self.at.cost - predicted;
        let best = if excess.is_finite() { -0.5 * predicted / excess } else { 0.1 };
        self.length *= if best.is_nan() { 0.1 } else { best.clamp(0.1, 0.5) };
        self.place_trial(radius);
        if self.length > SHORTEST && self.at.trial != self.at.x {
            return true;
        }
        // The approximation of the Hessian may be wrong; the gradient is not.
        let had_pairs = !self.pairs.is_empty();
        self.pairs.clear();
        had_pairs && self.turn(radius)
    }

    fn place_trial(&mut self, radius: f64) {
        let Position { x, trial, .. } = &mut self.at;
        for ((trial, x), d) in trial.iter_mut().zip(&*x).zip(&self.direction) {
            *trial = x + self.length * d;
        }
        let length = norm(trial);
        if length > radius {
            let shorter = radius / length * (1.0 - 1e-12);
            trial.iter_mut().for_each(|v| *v *= shorter);
        }
    }
}

/// The gradient, without its radial part where the sphere prevents a step outwards.
fn tangential(gradient: &[f64], x: &[f64], radius: f64) -> Vec<f64> {
    let (squared, radial) = (dot(x, x), dot(gradient, x));
    let is_outwards = radial < 0.0 && squared.sqrt() >= radius * (1.0 - 1e-9);
    let part = if is_outwards { radial / squared } else { 0.0 };
    gradient.iter().zip(x).map(|(g, x)| g - part * x).collect()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
