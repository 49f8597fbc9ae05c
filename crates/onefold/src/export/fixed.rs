//! Networks of integers: 16-bit weights and values, 32-bit sums, and a table of tanh.
//!
//! An input becomes t = (x - middle) / half its training range, from -1 to 1, with room up to twice the
//! range; offsets and scales are folded into the first layer and the linear part. Weights of a neuron have as
//! many bits behind the point as its sum allows: whatever the inputs, it stays below 2^30. The fewer bits
//! inputs and hidden outputs have, the more are left for weights; those numbers of bits are taken with which
//! the bound of the error is smallest.

use super::network::Layer;
use crate::activation::softmax;
use crate::{Error, Model};

/// Bits behind the point of inputs and of hidden outputs that are tried.
const INPUT_BITS: std::ops::RangeInclusive<i32> = 7..=14;
const HIDDEN_BITS: std::ops::RangeInclusive<i32> = 10..=15;
/// Bits behind the point of the argument of tanh.
pub(super) const TANH_BITS: i32 = 13;
/// tanh is tabulated at multiples of 2^-6 up to 8, and linear between them.
const STEP_BITS: i32 = 6;
const LAST: i32 = 8;
/// No sum is above it.
const LARGEST_SUM: f64 = (1_u64 << 30) as f64;
const LARGEST: f64 = 32_767.0;
/// The distance of a chord between entries of the table from tanh, whose second derivative is at most 0.77.
const CHORD_ERROR: f64 = 0.77 / 8.0 / 4096.0;

/// A network of integers.
pub(super) struct Fixed {
    /// Middle and half of the training range of each input.
    pub(super) inputs: Vec<(f64, f64)>,
    pub(super) hidden: Vec<FixedLayer>,
    pub(super) readout: FixedLayer,
    /// How many of the readout's weights are those of hidden outputs; the others are those of inputs.
    pub(super) last_hidden: usize,
    pub(super) bits: Bits,
    /// The largest error of each output, of probabilities where there are any, in the range of the training
    /// rows.
    pub(super) bound: Vec<f64>,
    has_probabilities: bool,
}

/// Bits behind the point.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    pub(super) input: i32,
    pub(super) hidden: i32,
}

impl Bits {
    /// The largest input: nearly twice the range.
    pub(super) fn largest_input(self) -> i32 {
        (2 << self.input) - 1
    }

    /// The largest hidden output: nearly 1.
    pub(super) fn largest_hidden(self) -> i32 {
        (1 << self.hidden) - 1
    }

    /// Error of tanh: half a step of a table's entry and of the interpolation between two, a chord, and a
    /// largest value below 1.
    fn tanh_error(self) -> f64 {
        2.0 * 2_f64.powi(-self.hidden) + CHORD_ERROR
    }
}

/// Weights, shifts, and for each neuron the bits behind the point of its weights.
pub(super) struct FixedLayer {
    pub(super) weights: Vec<Vec<i16>>,
    pub(super) shifts: Vec<i32>,
    /// Bits behind the point of sums.
    pub(super) bits: Vec<i32>,
}

/// The sum of a neuron, as exact as it was: weights, those of inputs from `first_input` on, and a shift.
struct Neuron<'a> {
    weights: &'a [f64],
    shift: f64,
    first_input: usize,
    bits: Bits,
}

impl Neuron<'_> {
    /// Bits behind the point of the values that weight `i` is multiplied with.
    fn value_bits(&self, i: usize) -> i32 {
        if i < self.first_input { self.bits.hidden } else { self.bits.input }
    }

    /// The largest of those values.
    fn largest_value(&self, i: usize) -> f64 {
        f64::from(if i < self.first_input { self.bits.largest_hidden() } else { self.bits.largest_input() })
    }

    /// The weights for sums with so many bits behind the point, if they and the sum fit.
    fn quantised(&self, bits: i32) -> Option<(Vec<i16>, i32)> {
        let scaled = |i: usize, w: f64| (w * 2_f64.powi(bits - self.value_bits(i))).round();
        let weights: Vec<f64> = self.weights.iter().enumerate().map(|(i, w)| scaled(i, *w)).collect();
        let shift = (self.shift * 2_f64.powi(bits)).round();
        let products = weights.iter().enumerate().map(|(i, w)| w.abs() * self.largest_value(i));
        let sum = products.sum::<f64>() + shift.abs();
        let fits = weights.iter().all(|w| w.abs() <= LARGEST) && sum <= LARGEST_SUM;
        fits.then(|| (weights.iter().map(|w| *w as i16).collect(), shift as i32))
    }

    /// The most bits behind the point that its sum can have.
    fn most_bits(&self, range: std::ops::RangeInclusive<i32>) -> Option<i32> {
        range.rev().find(|bits| self.quantised(*bits).is_some())
    }

    /// How far the sum of integers may be from the exact one, given how far each value may be.
    fn error(&self, bits: i32, errors: &[f64]) -> f64 {
        let Some((weights, shift)) = self.quantised(bits) else { return f64::INFINITY };
        let mut error = (self.shift - f64::from(shift) * 2_f64.powi(-bits)).abs();
        for (i, w) in self.weights.iter().enumerate() {
            let rounded = f64::from(weights[i]) * 2_f64.powi(self.value_bits(i) - bits);
            // Values are at most 1, and half a step more.
            error += w.abs() * errors[i] + (w - rounded).abs() * (1.0 + errors[i]);
        }
        error
    }
}

impl Fixed {
    /// Folds the scaling into the layers and rounds them.
    pub(super) fn new(model: &Model, hidden: &[Layer], readout: &Layer) -> Result<Self, Error> {
        let mut best: Option<Self> = None;
        let largest = |fixed: &Self| fixed.bound.iter().copied().fold(0.0, f64::max);
        for bits in INPUT_BITS.flat_map(|input| HIDDEN_BITS.map(move |hidden| Bits { input, hidden })) {
            let fixed = Self::with_bits(model, hidden, readout, bits);
            if let Some(fixed) = fixed
                && best.as_ref().is_none_or(|best| largest(&fixed) < largest(best))
            {
                best = Some(fixed);
            }
        }
        let mut best = best.ok_or_else(too_large)?;
        if best.has_probabilities {
            best.bound = of_probabilities(&best.bound);
        }
        Ok(best)
    }

    /// With these bits, and the bound of sums even where there are probabilities; none if a weight does not
    /// fit.
    fn with_bits(model: &Model, hidden: &[Layer], readout: &Layer, bits: Bits) -> Option<Self> {
        let inputs = ranges(model);
        let half_step = 2_f64.powi(-bits.input - 1);
        let mut errors = vec![half_step; inputs.len()];
        let mut layers = Vec::new();
        for (l, layer) in hidden.iter().enumerate() {
            let layer = if l == 0 { folded(layer, 0, model, &inputs) } else { plain(layer) };
            let first_input = if l == 0 { 0 } else { layer.inputs() };
            let (mut fixed, mut next) = (FixedLayer::empty(), Vec::new());
            for (weights, shift) in layer.weights.iter().zip(&layer.shifts) {
                let neuron = Neuron { weights, shift: *shift, first_input, bits };
                let of_sum = neuron.most_bits(TANH_BITS..=TANH_BITS + 30)?;
                // The argument of tanh is rounded, too.
                let sum = neuron.error(of_sum, &errors) + 2_f64.powi(-TANH_BITS - 1);
                next.push(sum.min(2.0) + bits.tanh_error());
                fixed.push(&neuron, of_sum);
            }
            errors = next;
            layers.push(fixed);
        }
        let last_hidden = model.topology().last_hidden();
        let readout = folded(readout, last_hidden, model, &inputs);
        errors.truncate(last_hidden);
        errors.resize(readout.inputs(), half_step);
        let neurons = || {
            let rows = readout.weights.iter().zip(&readout.shifts);
            rows.map(|(weights, shift)| Neuron { weights, shift: *shift, first_input: last_hidden, bits })
        };
        let mut of_sums: Vec<i32> = neurons().map(|n| n.most_bits(-60..=60)).collect::<Option<_>>()?;
        if model.is_classification() {
            // So that the largest of them can be found.
            let least = of_sums.iter().copied().min().unwrap_or(0);
            of_sums.fill(least);
        }
        let mut fixed = FixedLayer::empty();
        neurons().zip(&of_sums).for_each(|(neuron, bits)| fixed.push(&neuron, *bits));
        let bound = neurons().zip(&of_sums).map(|(n, bits)| n.error(*bits, &errors)).collect();
        let has_probabilities = model.has_probabilities();
        Some(Self { inputs, hidden: layers, readout: fixed, last_hidden, bits, bound, has_probabilities })
    }

    /// A row as integers.
    fn quantised(&self, row: &[f64]) -> Vec<i16> {
        let one = |(x, (middle, half)): (&f64, &(f64, f64))| {
            let t = ((x - middle) / half * 2_f64.powi(self.bits.input) + 0.5).floor();
            let largest = f64::from(self.bits.largest_input());
            t.clamp(-largest, largest) as i16
        };
        row.iter().zip(&self.inputs).map(one).collect()
    }

    /// The sums of the output layer for one row of unscaled inputs, as the exported network has them.
    pub(super) fn sums(&self, row: &[f64]) -> Vec<f64> {
        let inputs = self.quantised(row);
        let table = self.tanh_table();
        let mut x = inputs.clone();
        for layer in &self.hidden {
            let of =
                |(n, bits): (usize, &i32)| tanh(&table, rounded_shift(layer.sum(n, &x), bits - TANH_BITS));
            x = layer.bits.iter().enumerate().map(of).collect();
        }
        x.truncate(self.last_hidden);
        x.extend(&inputs[..self.readout.weights[0].len() - self.last_hidden]);
        let output = |(n, bits): (usize, &i32)| f64::from(self.readout.sum(n, &x)) * 2_f64.powi(-bits);
        self.readout.bits.iter().enumerate().map(output).collect()
    }

    /// The outputs for one row of unscaled inputs.
    pub(super) fn outputs(&self, row: &[f64]) -> Vec<f64> {
        let mut outputs = self.sums(row);
        if self.has_probabilities {
            softmax(&mut outputs);
        }
        outputs
    }
}

impl Fixed {
    /// tanh at multiples of the step, in units of hidden outputs.
    pub(super) fn tanh_table(&self) -> Vec<i16> {
        let entry = |k: i32| {
            let y = (f64::from(k) * 2_f64.powi(-STEP_BITS)).tanh() * 2_f64.powi(self.bits.hidden);
            y.round().min(f64::from(self.bits.largest_hidden())) as i16
        };
        (0..=LAST << STEP_BITS).map(entry).collect()
    }
}

impl FixedLayer {
    fn empty() -> Self {
        Self { weights: Vec::new(), shifts: Vec::new(), bits: Vec::new() }
    }

    fn push(&mut self, neuron: &Neuron<'_>, bits: i32) {
        let (weights, shift) = neuron.quantised(bits).unwrap_or_default();
        self.weights.push(weights);
        self.shifts.push(shift);
        self.bits.push(bits);
    }

    fn sum(&self, n: usize, x: &[i16]) -> i32 {
        let products = self.weights[n].iter().zip(x).map(|(w, x)| i32::from(*w) * i32::from(*x));
        products.fold(self.shifts[n], |sum, product| sum + product)
    }
}

/// A quotient by a power of two, rounded.
fn rounded_shift(v: i32, bits: i32) -> i32 {
    if bits == 0 { v } else { (v + (1 << (bits - 1))) >> bits }
}

/// tanh of a number in steps of `TANH_BITS`.
fn tanh(table: &[i16], z: i32) -> i16 {
    let between = TANH_BITS - STEP_BITS;
    let a = z.abs();
    let y = if a >= LAST << TANH_BITS {
        i32::from(table[table.len() - 1])
    } else {
        let k = (a >> between) as usize;
        let (low, high) = (i32::from(table[k]), i32::from(table[k + 1]));
        low + (((high - low) * (a & ((1 << between) - 1)) + (1 << (between - 1))) >> between)
    };
    (if z < 0 { -y } else { y }) as i16
}

/// Middle and half of the range of each input; as in `Rounding`, three scales about the offset where a file
/// does not have the range.
fn ranges(model: &Model) -> Vec<(f64, f64)> {
    let scaler = model.scaler();
    let range = |i: usize| match model.training_rows() {
        Some(rows) => {
            let (low, high) = (rows.inputs[i].low, rows.inputs[i].high);
            let half = (high - low) / 2.0;
            (low + half, if half > 0.0 { half } else { 1.0 })
        }
        None => (scaler.offset[i], 3.0 * scaler.scale[i].abs()),
    };
    (0..model.topology().inputs()).map(range).collect()
}

/// A layer whose weights from `first` on are those of scaled inputs, for inputs from -1 to 1.
fn folded(layer: &Layer, first: usize, model: &Model, inputs: &[(f64, f64)]) -> Layer {
    let scaler = model.scaler();
    let mut layer = plain(layer);
    for (weights, shift) in layer.weights.iter_mut().zip(&mut layer.shifts) {
        for (i, w) in weights.iter_mut().enumerate().skip(first) {
            let (middle, half) = inputs[i - first];
            *shift += *w * ((middle - scaler.offset[i - first]) / scaler.scale[i - first]);
            *w *= half / scaler.scale[i - first];
        }
    }
    layer
}

/// A layer with shifts.
fn plain(layer: &Layer) -> Layer {
    let mut shifts = layer.shifts.clone();
    shifts.resize(layer.neurons(), 0.0);
    Layer { weights: layer.weights.clone(), shifts }
}

/// The errors of probabilities, given those of scores: a derivative is at most 1/4.
fn of_probabilities(scores: &[f64]) -> Vec<f64> {
    let of = |class: usize| {
        let others = scores.iter().enumerate().filter(|(k, _)| *k != class).map(|(_, e)| *e);
        ((scores[class] + others.fold(0.0, f64::max)) / 4.0 + 1e-12).min(1.0)
    };
    (0..scores.len()).map(of).collect()
}

fn too_large() -> Error {
    Error::setting("format", "\"c-fixed\"", "must be another: a weight of the model is too large for 16 bits")
}
