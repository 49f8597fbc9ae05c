//! The arithmetic of exported networks, step by step in their precision, subnormal numbers included.
//!
//! Languages and libraries differ in the order of a sum, in fused products and in their `tanh`; a few such
//! ways stand for all.

use super::network::{Layer, Network};
use std::ops::{Add, Div, Mul, Sub};

mod tanh_float {
    #![allow(clippy::unreadable_literal, clippy::excessive_precision)]
    include!("tanh_float.rs");
    pub(crate) fn exported(x: f32) -> f32 {
        tanh(x)
    }
}

mod tanh_double {
    #![allow(clippy::unreadable_literal, clippy::excessive_precision)]
    include!("tanh_double.rs");
    pub(crate) fn exported(x: f64) -> f64 {
        tanh(x)
    }
}

mod exp_float {
    #![allow(clippy::unreadable_literal, clippy::excessive_precision)]
    include!("exp_float.rs");
    pub(crate) fn exported(x: f32) -> f32 {
        exp(x)
    }
}

mod exp_double {
    #![allow(clippy::unreadable_literal, clippy::excessive_precision)]
    include!("exp_double.rs");
    pub(crate) fn exported(x: f64) -> f64 {
        exp(x)
    }
}

#[cfg(test)]
pub(super) use exp_double::exported as double_exp;
#[cfg(test)]
pub(super) use exp_float::exported as float_exp;
#[cfg(test)]
pub(super) use tanh_double::exported as double_tanh;
#[cfg(test)]
pub(super) use tanh_float::exported as float_tanh;

/// A way to compute.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// As the C text reads, with an exact `tanh` and `exp`.
    InOrder,
    /// With fused products and the `tanh` and `exp` of the Rust text.
    Fused,
    /// Four partial sums, as vector units have them, and the `tanh` and `exp` of the Rust text.
    Lanes,
}

impl Way {
    pub(super) const ALL: [Self; 3] = [Self::InOrder, Self::Fused, Self::Lanes];
}

/// The numbers of a precision.
pub(super) trait Real:
    Copy
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Into<f64>
{
    fn round(v: f64) -> Self;
    fn fused(self, factor: Self, sum: Self) -> Self;
    fn exact_tanh(self) -> Self;
    fn exported_tanh(self) -> Self;
    fn exact_exp(self) -> Self;
    fn exported_exp(self) -> Self;
}

impl Real for f32 {
    fn round(v: f64) -> Self {
        v as Self
    }

    fn fused(self, factor: Self, sum: Self) -> Self {
        self.mul_add(factor, sum)
    }

    fn exact_tanh(self) -> Self {
        f64::from(self).tanh() as Self
    }

    fn exported_tanh(self) -> Self {
        tanh_float::exported(self)
    }

    fn exact_exp(self) -> Self {
        libm::exp(f64::from(self)) as Self
    }

    fn exported_exp(self) -> Self {
        exp_float::exported(self)
    }
}

impl Real for f64 {
    fn round(v: f64) -> Self {
        v
    }

    fn fused(self, factor: Self, sum: Self) -> Self {
        self.mul_add(factor, sum)
    }

    fn exact_tanh(self) -> Self {
        self.tanh()
    }

    fn exported_tanh(self) -> Self {
        tanh_double::exported(self)
    }

    fn exact_exp(self) -> Self {
        libm::exp(self)
    }

    fn exported_exp(self) -> Self {
        exp_double::exported(self)
    }
}

/// A network with its numbers rounded.
pub(super) struct Emulation<R> {
    /// Tables of offsets, and of scales where there are some.
    scaling: Vec<Vec<R>>,
    hidden: Vec<Rounded<R>>,
    readout: Rounded<R>,
    has_linear_part: bool,
}

/// Weights and shifts of a layer.
type Rounded<R> = (Vec<Vec<R>>, Vec<R>);

impl<R: Real> Emulation<R> {
    pub(super) fn new(network: &Network<'_>) -> Self {
        let list = |values: &[f64]| -> Vec<R> { values.iter().map(|v| R::round(*v)).collect() };
        let layer =
            |layer: &Layer| (layer.weights.iter().map(|row| list(row)).collect(), list(&layer.shifts));
        Self {
            scaling: network.tables_of_scaling().map(|(_, values)| list(values)).collect(),
            hidden: network.hidden.iter().map(layer).collect(),
            readout: layer(&network.readout),
            has_linear_part: network.has_linear_part(),
        }
    }

    /// The sums of the output layer for one row of unscaled inputs.
    pub(super) fn sums(&self, row: &[f64], way: Way) -> Vec<R> {
        let mut x: Vec<R> = row.iter().map(|v| R::round(*v)).collect();
        if let Some(offset) = self.scaling.first() {
            x.iter_mut().zip(offset).for_each(|(x, o)| *x = *x - *o);
        }
        if let Some(scale) = self.scaling.get(1) {
            x.iter_mut().zip(scale).for_each(|(x, s)| *x = *x / *s);
        }
        let inputs = if self.has_linear_part { x.clone() } else { Vec::new() };
        if self.hidden.is_empty() {
            x.clear();
        }
        for layer in &self.hidden {
            let tanh = |sum: R| match way {
                Way::InOrder => sum.exact_tanh(),
                Way::Fused | Way::Lanes => sum.exported_tanh(),
            };
            x = sums(layer, &x, way).map(tanh).collect();
        }
        x.extend(inputs);
        sums(&self.readout, &x, way).collect()
    }
}

/// Probabilities of the classes from their scores.
pub(super) fn softmax<R: Real>(scores: &[R], way: Way) -> Vec<R> {
    let highest = scores[1..].iter().fold(scores[0], |most, s| if *s > most { *s } else { most });
    let power = |score: &R| match way {
        Way::InOrder => (*score - highest).exact_exp(),
        Way::Fused | Way::Lanes => (*score - highest).exported_exp(),
    };
    let powers: Vec<R> = scores.iter().map(power).collect();
    let sum = powers.iter().fold(R::default(), |sum, power| sum + *power);
    powers.into_iter().map(|power| power / sum).collect()
}

fn sums<R: Real>((weights, shifts): &Rounded<R>, x: &[R], way: Way) -> impl Iterator<Item = R> {
    weights.iter().enumerate().map(move |(n, weights)| {
        let sum = sum(weights, x, way);
        shifts.get(n).map_or(sum, |shift| sum + *shift)
    })
}

fn sum<R: Real>(weights: &[R], x: &[R], way: Way) -> R {
    let products = weights.iter().zip(x);
    match way {
        Way::InOrder => products.fold(R::default(), |sum, (w, x)| sum + *w * *x),
        Way::Fused => products.fold(R::default(), |sum, (w, x)| w.fused(*x, sum)),
        Way::Lanes => {
            let mut lanes = [R::default(); 4];
            products.enumerate().for_each(|(i, (w, x))| lanes[i % 4] = lanes[i % 4] + *w * *x);
            (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
        }
    }
}

/// The outputs for a row, by all ways to compute.
#[cfg(test)]
pub(super) fn outputs(network: &Network<'_>, row: &[f64]) -> Vec<Vec<f64>> {
    fn all<R: Real>(network: &Network<'_>, row: &[f64]) -> Vec<Vec<f64>> {
        let emulation = Emulation::<R>::new(network);
        let of_way = |way| {
            let sums = emulation.sums(row, way);
            let outputs = if network.model.has_probabilities() { softmax(&sums, way) } else { sums };
            outputs.into_iter().map(Into::into).collect()
        };
        Way::ALL.map(of_way).to_vec()
    }
    match network.precision {
        super::Precision::Float => all::<f32>(network, row),
        super::Precision::Double => all::<f64>(network, row),
    }
}
