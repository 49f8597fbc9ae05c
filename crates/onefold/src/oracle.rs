//! Arithmetic with about 106 bits, for tests: a number is the unevaluated sum of two `f64`.

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

fn two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let bb = high - a;
    Double { high, low: (a - (high - bb)) + (b - bb) }
}

impl From<f64> for Double {
    fn from(v: f64) -> Self {
        Self { high: v, low: 0.0 }
    }
}

impl From<Double> for f64 {
    fn from(v: Double) -> Self {
        v.high + v.low
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (s, t) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let s = two_sum(s.high, s.low + t.high);
        two_sum(s.high, s.low + t.low)
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high) + (self.high * other.low + self.low * other.high);
        two_sum(high, low)
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * first.into();
        let second = rest.high / other.high;
        let rest = rest - other * second.into();
        two_sum(first, second) + (rest.high / other.high).into()
    }
}

/// `exp x - 1` to about 100 bits.
fn expm1(x: f64) -> Double {
    // expm1(x / 2^k) by its series, then expm1(2y) = expm1(y) (expm1(y) + 2).
    let mut halvings = 0;
    let mut y = x;
    while y.abs() > 0.03 {
        y /= 2.0;
        halvings += 1;
    }
    let y = Double::from(y);
    let mut sum = Double::from(0.0);
    for n in (1..=14).rev() {
        sum = (sum + 1.0.into()) * y / f64::from(n).into();
    }
    for _ in 0..halvings {
        sum = sum * (sum + 2.0.into());
    }
    sum
}

/// `tanh x` to about 100 bits.
pub(crate) fn tanh(x: f64) -> Double {
    let sum = expm1(2.0 * x);
    sum / (sum + 2.0.into())
}

/// `exp x` to about 95 bits, for negative numbers by way of their inverse.
pub(crate) fn exp(x: f64) -> Double {
    if x < 0.0 { Double::from(1.0) / exp(-x) } else { expm1(x) + 1.0.into() }
}

/// Minimum over `w` of the sum of squares of `y - H w`, by Gram-Schmidt in this arithmetic with column
/// pivoting; a column whose remaining squared norm is below 1e-50 counts as dependent.
pub(crate) fn least_squares(columns: &[Vec<f64>], targets: &[Vec<f64>]) -> f64 {
    let dot =
        |a: &[Double], b: &[Double]| a.iter().zip(b).fold(Double::from(0.0), |sum, (a, b)| sum + *a * *b);
    let lift = |list: &[Vec<f64>]| -> Vec<Vec<Double>> {
        list.iter().map(|c| c.iter().map(|v| (*v).into()).collect()).collect()
    };
    let (mut columns, mut targets) = (lift(columns), lift(targets));
    let norms: Vec<f64> = columns.iter().map(|c| f64::from(dot(c, c))).collect();
    let mut open: Vec<usize> = (0..columns.len()).filter(|j| norms[*j] > 0.0).collect();
    while !open.is_empty() {
        let share = |j: usize, columns: &[Vec<Double>]| f64::from(dot(&columns[j], &columns[j])) / norms[j];
        let k = (0..open.len())
            .max_by(|a, b| share(open[*a], &columns).total_cmp(&share(open[*b], &columns)))
            .unwrap();
        let pivot = open.swap_remove(k);
        if share(pivot, &columns) < 1e-50 {
            break;
        }
        let q = columns[pivot].clone();
        let norm = dot(&q, &q);
        let mut project_out = |column: &mut Vec<Double>| {
            // Twice, since reorthogonalising once more suffices for full accuracy.
            for _ in 0..2 {
                let c = dot(&q, column) / norm;
                column.iter_mut().zip(&q).for_each(|(v, q)| *v = *v - c * *q);
            }
        };
        open.iter().for_each(|j| project_out(&mut columns[*j]));
        targets.iter_mut().for_each(&mut project_out);
    }
    targets.iter().map(|t| f64::from(dot(t, t))).sum()
}
