//! The functions of CEC 2014 and CEC 2017, by formula, and those of JADE's paper.
//!
//! They are what the organisers' programs compute, which is not always what their reports say: Schaffer's
//! F7 of 2017 is not rotated, and the steps of the "non-continuous" Rastrigin function of 2017 are
//! overwritten before they are used.

use onefold::rng::{LongRng, Purpose, Streams};
use std::f64::consts::{E, PI, TAU};

/// The largest dimension.
pub(crate) const MAX: usize = 30;

/// What is computed from the shifted, scaled and rotated point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ellipsoid,
    BentCigar,
    Discus,
    Zakharov,
    Rosenbrock,
    Ackley,
    Weierstrass,
    Griewank,
    Rastrigin,
    Schwefel,
    Katsuura,
    HappyCat,
    HgBat,
    GriewankRosenbrock,
    Scaffer6,
    SchafferF7,
    Lunacek,
    Levy,
    /// F11 of 2017: Zakharov on a fifth of the coordinates, Rosenbrock and Rastrigin on two fifths each, in
    /// random order.
    Hybrid1,
}

/// How the point is transformed before.
///
/// The organisers' matrices are not dense: they mix the coordinates within random blocks only, of 3, 3 and
/// 4 coordinates in 10 dimensions and of 2, 3, 4, 5, 7 and 9 in 30. From the smallest block to the largest,
/// they are orthogonal and stretched in turn. `benchmarks/cec2014_matrices.py` finds this in the copy of
/// their data that pygmo has; of 2017 it is an assumption. It matters: with dense matrices errors are up to
/// several times as large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rotation {
    /// Not at all.
    None,
    /// By blocks, every other one with singular values from 1 to 2.
    Stretched,
    /// By orthogonal blocks.
    Orthogonal,
    /// By a dense orthogonal matrix.
    Dense,
}

/// A function with its own shift, matrix and order of coordinates.
pub(crate) struct Instance {
    kind: Kind,
    dim: usize,
    shift: Vec<f64>,
    /// Row-major.
    matrix: Option<Vec<f64>>,
    order: Vec<usize>,
}

impl Instance {
    /// The shift is uniform in [-80, 80]; see [`Rotation`] for the matrix.
    pub(crate) fn new(kind: Kind, rotation: Rotation, dim: usize, seed: u64) -> Self {
        let streams = Streams::new(seed, Purpose::Data, dim as u64);
        let mut rng = streams.long(0);
        let shift = (0..dim).map(|_| rng.between(-80.0, 80.0)).collect();
        let matrix = match rotation {
            Rotation::None => None,
            Rotation::Stretched => Some(blocks(dim, 2.0, &mut streams.long(1))),
            Rotation::Orthogonal => Some(blocks(dim, 1.0, &mut streams.long(1))),
            Rotation::Dense => Some(orthogonal(dim, &mut streams.long(1))),
        };
        let order = shuffled(dim, &mut streams.long(2));
        Self { kind, dim, shift, matrix, order }
    }

    /// How much the value at `x` lies above the minimum.
    pub(crate) fn error(&self, x: &[f64]) -> f64 {
        let d = self.dim;
        let (mut y, mut z) = ([0.0; MAX], [0.0; MAX]);
        let rate = self.kind.rate();
        for (y, (x, shift)) in y.iter_mut().zip(x.iter().zip(&self.shift)) {
            *y = (x - shift) * rate;
        }
        if self.kind == Kind::Lunacek {
            // The second funnel lies where there is more room.
            y.iter_mut().zip(&self.shift).for_each(|(y, s)| *y *= if *s < 0.0 { -2.0 } else { 2.0 });
        }
        match &self.matrix {
            Some(matrix) => {
                for (z, row) in z.iter_mut().zip(matrix.chunks_exact(d)) {
                    *z = row.iter().zip(&y).map(|(m, y)| m * y).sum();
                }
            }
            None => z = y,
        }
        match self.kind {
            Kind::SchafferF7 => schaffer_f7(&y[..d]),
            Kind::Lunacek => lunacek(&y[..d], &z[..d]),
            Kind::Hybrid1 => {
                let mut w = [0.0; MAX];
                for (w, i) in w.iter_mut().zip(&self.order) {
                    *w = z[*i];
                }
                let (a, rest) = w[..d].split_at(d.div_ceil(5));
                let (b, c) = rest.split_at((2 * d).div_ceil(5));
                let part = |kind: Kind, z: &[f64]| {
                    let mut scaled = [0.0; MAX];
                    scaled.iter_mut().zip(z).for_each(|(s, z)| *s = z * kind.rate());
                    kind.value(&scaled[..z.len()])
                };
                part(Kind::Zakharov, a) + part(Kind::Rosenbrock, b) + part(Kind::Rastrigin, c)
            }
            kind => kind.value(&z[..d]),
        }
    }
}

impl Kind {
    /// Shrinks [-100, 100] to the range that the function was made for.
    fn rate(self) -> f64 {
        match self {
            Self::Rosenbrock => 0.02048,
            Self::Weierstrass => 0.005,
            Self::Griewank => 6.0,
            Self::Rastrigin => 0.0512,
            Self::Schwefel => 10.0,
            Self::Katsuura | Self::HappyCat | Self::HgBat | Self::GriewankRosenbrock => 0.05,
            Self::Lunacek => 0.1,
            _ => 1.0,
        }
    }

    fn value(self, z: &[f64]) -> f64 {
        let n = z.len() as f64;
        let squares = || z.iter().map(|v| v * v).sum::<f64>();
        match self {
            Self::Ellipsoid => {
                z.iter().enumerate().map(|(i, v)| 10_f64.powf(6.0 * i as f64 / (n - 1.0)) * v * v).sum()
            }
            Self::BentCigar => 1e6 * (squares() - z[0] * z[0]) + z[0] * z[0],
            Self::Discus => squares() + (1e6 - 1.0) * z[0] * z[0],
            Self::Zakharov => {
                let s: f64 = z.iter().enumerate().map(|(i, v)| 0.5 * (i + 1) as f64 * v).sum();
                squares() + s * s + s.powi(4)
            }
            Self::Rosenbrock => z.windows(2).map(|p| rosenbrock(p[0] + 1.0, p[1] + 1.0)).sum(),
            Self::Ackley => {
                let cosines: f64 = z.iter().map(|v| (TAU * v).cos()).sum();
                20.0 - 20.0 * (-0.2 * (squares() / n).sqrt()).exp() + E - (cosines / n).exp()
            }
            Self::Weierstrass => {
                let at = |v: f64| -> f64 {
                    (0..=20).map(|k| 0.5_f64.powi(k) * (TAU * 3_f64.powi(k) * (v + 0.5)).cos()).sum()
                };
                z.iter().map(|v| at(*v)).sum::<f64>() - n * at(0.0)
            }
            Self::Griewank => {
                let product: f64 =
                    z.iter().enumerate().map(|(i, v)| (v / ((i + 1) as f64).sqrt()).cos()).product();
                1.0 + squares() / 4000.0 - product
            }
            Self::Rastrigin => z.iter().map(|v| v * v - 10.0 * (TAU * v).cos() + 10.0).sum(),
            Self::Schwefel => z.iter().map(|v| schwefel(v + 420.968_746_227_503_6, n)).sum(),
            Self::Katsuura => {
                let power = 10.0 / n.powf(1.2);
                let factor = |(i, v): (usize, &f64)| {
                    let wiggle: f64 = (1..=32)
                        .map(|j| {
                            let scaled = 2_f64.powi(j) * v;
                            (scaled - (scaled + 0.5).floor()).abs() / 2_f64.powi(j)
                        })
                        .sum();
                    1.0 + (i + 1) as f64 * wiggle
                };
                let product: f64 = z.iter().enumerate().map(|p| factor(p).powf(power)).product();
                10.0 / (n * n) * (product - 1.0)
            }
            Self::HappyCat | Self::HgBat => {
                let (r, s) = z.iter().map(|v| v - 1.0).fold((0.0, 0.0), |(r, s), v| (r + v * v, s + v));
                let valley = if self == Self::HappyCat {
                    f64::abs(r - n).powf(0.25)
                } else {
                    (r * r - s * s).abs().sqrt()
                };
                valley + (0.5 * r + s) / n + 0.5
            }
            Self::GriewankRosenbrock => around(z, |a, b| {
                let r = rosenbrock(a + 1.0, b + 1.0);
                r * r / 4000.0 - r.cos() + 1.0
            }),
            Self::Scaffer6 => around(z, |a, b| {
                let s = a * a + b * b;
                0.5 + (s.sqrt().sin().powi(2) - 0.5) / (1.0 + 0.001 * s).powi(2)
            }),
            Self::Levy => {
                let w = |v: f64| 1.0 + (v - 1.0) / 4.0;
                let (first, last) = (w(z[0]), w(z[z.len() - 1]));
                // As programmed: 1 inside the sine is added to the angle, and z is not moved to 1. The
                // minimum at z = 1 stays 0.
                let inner = |w: f64| (w - 1.0).powi(2) * (1.0 + 10.0 * (PI * w + 1.0).sin().powi(2));
                let middle: f64 = z[..z.len() - 1].iter().map(|v| inner(w(*v))).sum();
                (PI * first).sin().powi(2)
                    + middle
                    + (last - 1.0).powi(2) * (1.0 + (TAU * last).sin().powi(2))
            }
            Self::SchafferF7 | Self::Lunacek | Self::Hybrid1 => unreachable!("needs more than z"),
        }
    }
}

fn rosenbrock(a: f64, b: f64) -> f64 {
    100.0 * (a * a - b).powi(2) + (a - 1.0).powi(2)
}

/// The sum over all neighbours, the last and the first among them.
fn around(z: &[f64], f: impl Fn(f64, f64) -> f64) -> f64 {
    z.windows(2).map(|p| f(p[0], p[1])).sum::<f64>() + f(z[z.len() - 1], z[0])
}

fn schwefel(v: f64, n: f64) -> f64 {
    let inside = if v > 500.0 {
        let m = 500.0 - v % 500.0;
        m * m.sqrt().sin() - ((v - 500.0) / 100.0).powi(2) / n
    } else if v < -500.0 {
        let m = v.abs() % 500.0 - 500.0;
        m * m.abs().sqrt().sin() - ((v + 500.0) / 100.0).powi(2) / n
    } else {
        v * v.abs().sqrt().sin()
    };
    418.982_887_272_433_8 - inside
}

fn schaffer_f7(y: &[f64]) -> f64 {
    let pair = |p: &[f64]| {
        let s = p[0].hypot(p[1]);
        s.sqrt() * (1.0 + (50.0 * s.powf(0.2)).sin().powi(2))
    };
    (y.windows(2).map(pair).sum::<f64>() / (y.len() - 1) as f64).powi(2)
}

/// `y` decides between the two funnels, its rotation `z` has the ripples.
fn lunacek(y: &[f64], z: &[f64]) -> f64 {
    let n = y.len() as f64;
    let s = 1.0 - 1.0 / (2.0 * (n + 20.0).sqrt() - 8.2);
    let (mu0, d) = (2.5, 1.0);
    let mu1 = -((mu0 * mu0 - d) / s).sqrt();
    let near: f64 = y.iter().map(|v| v * v).sum();
    let far: f64 = d * n + s * y.iter().map(|v| (v + mu0 - mu1).powi(2)).sum::<f64>();
    near.min(far) + 10.0 * z.iter().map(|v| 1.0 - (TAU * v).cos()).sum::<f64>()
}

/// An orthogonal matrix, by Gram and Schmidt from normal numbers.
fn orthogonal(dim: usize, rng: &mut LongRng) -> Vec<f64> {
    let mut m = vec![0.0; dim * dim];
    rng.normals(&mut m);
    for i in 0..dim {
        // Twice: once is not exact enough.
        for j in (0..i).chain(0..i) {
            let (before, row) = m.split_at_mut(i * dim);
            let other = &before[j * dim..(j + 1) * dim];
            let product: f64 = row[..dim].iter().zip(other).map(|(a, b)| a * b).sum();
            row[..dim].iter_mut().zip(other).for_each(|(a, b)| *a -= product * b);
        }
        let row = &mut m[i * dim..(i + 1) * dim];
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        row.iter_mut().for_each(|v| *v /= length);
    }
    m
}

/// `P N Q` with random orthogonal `P` and `Q`, and singular values `condition^u` from 1 to `condition`: the
/// rule of CEC 2005.
fn stretched(dim: usize, condition: f64, rng: &mut LongRng) -> Vec<f64> {
    let (p, q) = (orthogonal(dim, rng), orthogonal(dim, rng));
    let u: Vec<f64> = (0..dim).map(|_| rng.uniform()).collect();
    let (low, high) = u.iter().fold((1.0_f64, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
    let mut m = vec![0.0; dim * dim];
    for i in 0..dim {
        for k in 0..dim {
            let scaled = p[i * dim + k] * condition.powf((u[k] - low) / (high - low));
            for j in 0..dim {
                m[i * dim + j] += scaled * q[k * dim + j];
            }
        }
    }
    m
}

/// A matrix of blocks on random coordinates, every other one stretched.
fn blocks(dim: usize, condition: f64, rng: &mut LongRng) -> Vec<f64> {
    let sizes: &[usize] = if dim == 10 { &[3, 3, 4] } else { &[2, 3, 4, 5, 7, 9] };
    assert_eq!(sizes.iter().sum::<usize>(), dim, "blocks are known for 10 and 30 dimensions");
    let order = shuffled(dim, rng);
    let mut m = vec![0.0; dim * dim];
    let mut first = 0;
    for (at, size) in sizes.iter().enumerate() {
        let block = if at % 2 == 1 { stretched(*size, condition, rng) } else { orthogonal(*size, rng) };
        let members = &order[first..first + size];
        for (row, i) in block.chunks_exact(*size).zip(members) {
            for (value, j) in row.iter().zip(members) {
                m[i * dim + j] = *value;
            }
        }
        first += size;
    }
    m
}

/// All indices below `n` in random order.
fn shuffled(n: usize, rng: &mut LongRng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, rng.below(i + 1));
    }
    order
}

/// A function of JADE's paper: its half range, and its value.
pub(crate) fn classic(number: usize) -> (f64, fn(&[f64]) -> f64) {
    match number {
        1 => (100.0, |x| x.iter().map(|v| v * v).sum()),
        2 => (10.0, |x| x.iter().map(|v| v.abs()).sum::<f64>() + x.iter().map(|v| v.abs()).product::<f64>()),
        3 => (100.0, |x| {
            let mut sum = 0.0;
            x.iter()
                .map(|v| {
                    sum += v;
                    sum * sum
                })
                .sum()
        }),
        4 => (100.0, |x| x.iter().fold(0.0, |m, v| m.max(v.abs()))),
        5 => (30.0, |x| x.windows(2).map(|p| rosenbrock(p[0], p[1])).sum()),
        6 => (100.0, |x| x.iter().map(|v| (v + 0.5).floor().powi(2)).sum()),
        8 => (500.0, |x| x.iter().map(|v| 418.982_887_272_433_7 - v * v.abs().sqrt().sin()).sum::<f64>()),
        9 => (5.12, |x| Kind::Rastrigin.value(x)),
        10 => (32.0, |x| Kind::Ackley.value(x)),
        11 => (600.0, |x| Kind::Griewank.value(x)),
        12 => (50.0, |x| {
            let n = x.len();
            let y = |v: f64| 1.0 + (v + 1.0) / 4.0;
            let inner: f64 = x
                .windows(2)
                .map(|p| (y(p[0]) - 1.0).powi(2) * (1.0 + 10.0 * (PI * y(p[1])).sin().powi(2)))
                .sum();
            let sum = 10.0 * (PI * y(x[0])).sin().powi(2) + inner + (y(x[n - 1]) - 1.0).powi(2);
            PI / n as f64 * sum + outside(x, 10.0)
        }),
        13 => (50.0, |x| {
            let n = x.len();
            let inner: f64 =
                x.windows(2).map(|p| (p[0] - 1.0).powi(2) * (1.0 + (3.0 * PI * p[1]).sin().powi(2))).sum();
            let last = x[n - 1];
            let end = (last - 1.0).powi(2) * (1.0 + (TAU * last).sin().powi(2));
            0.1 * ((3.0 * PI * x[0]).sin().powi(2) + inner + end) + outside(x, 5.0)
        }),
        _ => unreachable!("f7 has noise and is left out"),
    }
}

/// The penalty of the classic functions 12 and 13.
fn outside(x: &[f64], a: f64) -> f64 {
    x.iter().map(|v| 100.0 * (v.abs() - a).max(0.0).powi(4)).sum()
}
