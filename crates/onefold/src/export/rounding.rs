//! What rounding changes: exported arithmetic on rows in the range of the training rows, beside the model's.

use super::emulation::{Emulation, Real, Way, softmax};
use super::network::Network;
use super::{ExportSettings, Precision};
use crate::data::winner;
use crate::error::{RoundingCause, RoundingLoss};
use crate::model::{Change, Changes, InputRange};
use crate::rng::{Purpose, Streams};
use crate::{Dataset, Error, Model};

/// Programs may add up in an order that was not tried, and be given rows that were not.
const MARGIN: f64 = 4.0;
/// Largest change in single precision, as a root mean square, as a fraction of the training error: the mean
/// squared error grows by about its square, one per cent.
const MOST_OF_ERROR: f64 = 0.1;
/// Largest fraction of rows whose class changes.
const MOST_OF_CLASSES: f64 = 0.001;
/// Least and largest number of rows that are tried; the more weights, the fewer.
const ROWS: [usize; 2] = [256, 4096];
const WEIGHTS_TIMES_ROWS: usize = 1_000_000;
/// Number of the random streams that the rows are drawn from. It is fixed, so that a model's export always
/// says the same, and differs from those of the built-in data sets, so that the rows are not theirs.
const STREAMS_OF_ROWS: u64 = 0xe4;
/// Half the range of an input, in scales about its offset, where a file does not have the range.
const ASSUMED_SCALES: f64 = 3.0;

/// By how much rounding changes the outputs of an exported network: its arithmetic was carried out on rows in
/// the range of the training rows, and compared with [`Model::predict`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rounding {
    /// Rows that were tried.
    pub rows: usize,
    /// Four times the largest change of each output that was seen, as other programs may add up in another
    /// order; infinite where an output is no longer a number. Of probabilities at least what four times the
    /// largest changes of the scores make of them where they are steepest. Of a network of integers a bound
    /// for all rows in the range of the training rows.
    pub max: Vec<f64>,
    /// The largest change of each output that was seen.
    pub seen: Vec<f64>,
    /// Root mean square of the changes of each output.
    pub rms: Vec<f64>,
    /// The same divided by the output's root mean squared error on the training rows, of the output where
    /// that is largest.
    pub of_error: f64,
    /// Rows whose class changes; none for a regression.
    pub classes: Option<usize>,
    /// Whether the model has the range of its training rows; otherwise inputs were taken up to three scales
    /// from their offsets.
    pub is_in_training_range: bool,
}

impl Rounding {
    pub(super) fn measure(network: &Network<'_>) -> Self {
        let mut rounding = Sample::new(network.model).measure(network);
        if let Some(fixed) = &network.fixed {
            rounding.max.clone_from(&fixed.bound);
            return rounding;
        }
        let changes = network.model.training_rows().and_then(|rows| rows.changes.as_ref());
        let change = changes.and_then(|changes| match network.precision {
            Precision::Float => changes.float.as_ref(),
            Precision::Double => changes.double.as_ref(),
        });
        if let Some(change) = change {
            rounding.add(change, network.model);
        }
        rounding
    }

    /// What rounding changes on these rows.
    pub(super) fn measure_on(network: &Network<'_>, rows: impl Iterator<Item = Vec<f64>>) -> Self {
        let model = network.model;
        let rows = rows.map(|row| (model.predict(&row), row)).map(|(y, row)| (row, y)).collect();
        Sample { model, ranges: Vec::new(), rows }.measure(network)
    }

    /// Takes what changes on the training rows into account: their inputs may depend on each other, as
    /// those of the rows that were tried do not.
    fn add(&mut self, change: &Change, model: &Model) {
        for (max, of_rows) in self.max.iter_mut().zip(&change.max) {
            *max = max.max(MARGIN * of_rows);
        }
        for (rms, of_rows) in self.rms.iter_mut().zip(&change.rms) {
            *rms = rms.max(*of_rows);
        }
        self.of_error = largest_fraction(&self.rms, &training_errors(model));
        let changed = (change.classes * self.rows as f64).ceil() as usize;
        self.classes = self.classes.map(|classes| classes.max(changed));
    }

    /// What a model file has of it; what is not finite as the largest number.
    fn as_change(&self) -> Change {
        let finite = |v: f64| v.min(f64::MAX);
        Change {
            max: self.max.iter().map(|v| finite(v / MARGIN)).collect(),
            rms: self.rms.iter().map(|v| finite(*v)).collect(),
            classes: self.classes.unwrap_or(0) as f64 / self.rows.max(1) as f64,
        }
    }

    /// Largest of [`max`](Self::max).
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.max.iter().copied().fold(0.0, f64::max)
    }

    /// Whether it is more than the model's own error allows: a root mean square of more than a tenth of the
    /// training error, or for a classification another class in more than one of a thousand rows.
    #[must_use]
    pub fn is_too_much(&self) -> bool {
        let of_classes = self.classes.map(|changed| changed as f64 > MOST_OF_CLASSES * self.rows as f64);
        !self.largest().is_finite() || of_classes.unwrap_or(self.of_error > MOST_OF_ERROR)
    }

    /// Refuses what is too much.
    pub(super) fn check(&self, model: &Model) -> Result<(), Error> {
        if !self.is_too_much() {
            return Ok(());
        }
        let errors = training_errors(model);
        let of_error = |o: &usize| fraction(self.rms[*o], errors[*o]);
        let output = (0..errors.len()).max_by(|a, b| of_error(a).total_cmp(&of_error(b))).unwrap_or(0);
        let loss = Box::new(RoundingLoss {
            max: self.largest(),
            rms: self.rms[output],
            error: self.classes.is_none().then_some(errors[output]),
            classes: self.classes.map(|changed| (changed, self.rows)),
            cause: Sample::new(model).cause(output, self.rms[output]),
        });
        Err(Error::Rounding { loss })
    }
}

/// A change as a fraction of an error, both as root mean squares.
fn fraction(rms: f64, error: f64) -> f64 {
    if rms == 0.0 { 0.0 } else { rms / error }
}

/// The largest such fraction of all outputs.
fn largest_fraction(rms: &[f64], errors: &[f64]) -> f64 {
    rms.iter().zip(errors).map(|(rms, error)| fraction(*rms, *error)).fold(0.0, f64::max)
}

impl Model {
    /// The same model, which knows what exported arithmetic changes on these training rows: on up to 4,096
    /// of them (fewer for a network with many weights), evenly distributed. [`rounding`](Self::rounding)
    /// takes it into account.
    #[must_use]
    pub fn with_rounding_on(self, train: &Dataset) -> Self {
        let sample = Sample::of(&self, train);
        let change = |precision| {
            let settings = ExportSettings { precision: Some(precision), ..ExportSettings::default() };
            let network = Network::new(&self, &settings).ok()?;
            Some(sample.measure(&network).as_change())
        };
        let changes = Changes { float: change(Precision::Float), double: change(Precision::Double) };
        self.with_changes(changes)
    }
}

/// Root mean squared error of each output on the training rows; in files that lack those, of all outputs
/// together, and infinite where it is not known.
fn training_errors(model: &Model) -> Vec<f64> {
    if let Some(rows) = model.training_rows() {
        return rows.mse.iter().map(|mse| mse.sqrt()).collect();
    }
    vec![model.metrics().train_mse.map_or(f64::INFINITY, f64::sqrt); model.topology().outputs()]
}

/// The largest number of rows that are tried.
fn most_rows(model: &Model) -> usize {
    (WEIGHTS_TIMES_ROWS / model.parameters().max(1)).clamp(ROWS[0], ROWS[1])
}

/// Rows in the range of the training rows, with what the model makes of them.
struct Sample<'a> {
    model: &'a Model,
    ranges: Vec<InputRange>,
    rows: Vec<(Vec<f64>, Vec<f64>)>,
}

impl<'a> Sample<'a> {
    fn new(model: &'a Model) -> Self {
        let scaler = model.scaler();
        let assumed = |(o, s): (&f64, &f64)| {
            let by = ASSUMED_SCALES * s.abs();
            InputRange { low: o - by, high: o + by, whole: false }
        };
        let ranges: Vec<InputRange> = match model.training_rows() {
            Some(rows) => rows.inputs.clone(),
            None => scaler.offset.iter().zip(&scaler.scale).map(assumed).collect(),
        };
        let count = most_rows(model);
        let streams = Streams::new(0, Purpose::Data, STREAMS_OF_ROWS);
        let row = |i: usize| -> Vec<f64> {
            let mut rng = streams.long(i);
            let value = |range: &InputRange| match i {
                0 => range.low,
                1 => range.high,
                _ if i % 2 == 1 && may_lie_between(range) => {
                    InputRange { whole: false, ..*range }.at(rng.uniform())
                }
                _ => range.at(rng.uniform()),
            };
            ranges.iter().map(value).collect()
        };
        let rows = (0..count).map(row).map(|row| (model.predict(&row), row)).map(|(y, row)| (row, y));
        // Where the model itself overflows there is nothing to compare.
        let rows = rows.filter(|(_, y)| y.iter().all(|y| y.is_finite())).collect();
        Self { model, ranges, rows }
    }

    /// Some of the training rows.
    fn of(model: &'a Model, train: &Dataset) -> Self {
        let step = train.rows().div_ceil(most_rows(model)).max(1);
        let row = |i: usize| train.input(i);
        let rows = (0..train.rows()).step_by(step).map(row).map(|row| (model.predict(&row), row));
        let rows = rows.map(|(y, row)| (row, y)).filter(|(_, y)| y.iter().all(|y| y.is_finite())).collect();
        Self { model, ranges: Vec::new(), rows }
    }

    fn measure(&self, network: &Network<'_>) -> Rounding {
        let u = network.precision.unit_roundoff();
        match (&network.fixed, network.precision) {
            (Some(fixed), _) => self.compare(u, |row| vec![(fixed.sums(row), fixed.outputs(row))]),
            (None, Precision::Float) => self.compare(u, all_ways::<f32>(network)),
            (None, Precision::Double) => self.compare(u, all_ways::<f64>(network)),
        }
    }

    /// The changes of outputs and classes by all ways to compute, which give the sums of the output layer and
    /// the outputs.
    fn compare(&self, unit_roundoff: f64, ways: impl Fn(&[f64]) -> Vec<(Vec<f64>, Vec<f64>)>) -> Rounding {
        let outputs = self.model.topology().outputs();
        let (mut seen, mut squares, mut classes) = (vec![0.0_f64; outputs], vec![0.0; outputs], 0);
        let mut of_scores = vec![0.0_f64; outputs];
        for (row, expected) in &self.rows {
            let mut changes = vec![0.0_f64; outputs];
            let mut other_class = false;
            let scores = self.model.has_probabilities().then(|| self.model.sums(row));
            for (sums, found) in ways(row) {
                if let Some(scores) = &scores {
                    add_changes(&mut of_scores, &sums, scores);
                }
                other_class |= winner(&found) != winner(expected);
                add_changes(&mut changes, &found, expected);
            }
            classes += usize::from(other_class);
            for (o, change) in changes.into_iter().enumerate() {
                seen[o] = seen[o].max(change);
                squares[o] += change * change;
            }
        }
        let mut max: Vec<f64> = seen.iter().map(|change| MARGIN * change).collect();
        if self.model.has_probabilities() {
            let most = steepest_changes(&of_scores, unit_roundoff);
            max.iter_mut().zip(most).for_each(|(max, most)| *max = max.max(most));
        }
        let count = self.rows.len().max(1) as f64;
        let rms: Vec<f64> = squares.iter().map(|sum| (sum / count).sqrt()).collect();
        Rounding {
            rows: self.rows.len(),
            of_error: largest_fraction(&rms, &training_errors(self.model)),
            max,
            seen,
            rms,
            classes: self.model.is_classification().then_some(classes),
            is_in_training_range: self.model.training_rows().is_some(),
        }
    }

    /// Where most of the changes of an output come from, with this root mean square.
    fn cause(&self, output: usize, rms: f64) -> RoundingCause {
        let single = |v: f64| f64::from(v as f32);
        let change_by = |i: usize| {
            self.rms(|row, expected| {
                let mut row = row.to_vec();
                row[i] = single(row[i]);
                self.model.predict(&row)[output] - expected[output]
            })
        };
        let changes: Vec<f64> = (0..self.ranges.len()).map(change_by).collect();
        let most = (0..changes.len()).max_by(|a, b| changes[*a].total_cmp(&changes[*b])).unwrap_or(0);
        let is_cause = |change: f64| change.is_nan() || change >= 0.3 * rms;
        if is_cause(changes[most]) {
            let InputRange { low, high, .. } = self.ranges[most];
            return column(&self.model.input_names()[most], low, high);
        }
        if !self.model.is_classification()
            && is_cause(self.rms(|_, expected| single(expected[output]) - expected[output]))
        {
            let values = || self.rows.iter().map(|(_, y)| y[output]);
            let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::MIN, f64::max));
            return column(&self.model.output_names()[output], low, high);
        }
        RoundingCause::Sums
    }

    fn rms(&self, change: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
        let squares: f64 = self.rows.iter().map(|(row, y)| change(row, y).powi(2)).sum();
        (squares / self.rows.len().max(1) as f64).sqrt()
    }
}

/// The sums of the output layer, and the outputs, by all ways to compute.
fn all_ways<R: Real>(network: &Network<'_>) -> impl Fn(&[f64]) -> Vec<(Vec<f64>, Vec<f64>)> {
    let (emulation, has_probabilities) = (Emulation::<R>::new(network), network.model.has_probabilities());
    move |row| {
        let of_way = |way| {
            let sums = emulation.sums(row, way);
            let outputs = if has_probabilities { as_f64(&softmax(&sums, way)) } else { as_f64(&sums) };
            (as_f64(&sums), outputs)
        };
        Way::ALL.map(of_way).to_vec()
    }
}

fn as_f64<R: Real>(values: &[R]) -> Vec<f64> {
    values.iter().map(|v| (*v).into()).collect()
}

/// Raises changes to those between these outputs; infinite where one is no number.
fn add_changes(changes: &mut [f64], found: &[f64], expected: &[f64]) {
    for (change, (y, expected)) in changes.iter_mut().zip(found.iter().zip(expected)) {
        let by = if y.to_bits() == expected.to_bits() { 0.0 } else { (y - expected).abs() };
        *change = change.max(if by.is_nan() { f64::INFINITY } else { by });
    }
}

/// Roundings of a softmax of no classes, in units of roundoff; each class adds two.
const SOFTMAX: f64 = 12.0;

/// How far probabilities may change where they are steepest, given how far scores do. The derivative of a
/// probability p by its score is p (1 - p), at most 1/4, and by all others together as much. What softmax
/// itself rounds is added: differences of scores, exponentials, their sum and the quotient.
fn steepest_changes(of_scores: &[f64], unit_roundoff: f64) -> Vec<f64> {
    let classes = of_scores.len() as f64;
    // Both the model and the export round.
    let own = 2.0 * unit_roundoff * (SOFTMAX + 2.0 * classes);
    let change = |class: usize| {
        let others = of_scores.iter().enumerate().filter(|(k, _)| *k != class);
        let most = others.map(|(_, change)| *change).fold(0.0, f64::max);
        (MARGIN * (of_scores[class] + most) / 4.0 + own).min(1.0)
    };
    (0..of_scores.len()).map(change).collect()
}

/// Whether an input of whole numbers may be an encoded category: unknown texts are encoded as averages.
/// Numbers that are large for what they differ by, such as years, are never between.
fn may_lie_between(range: &InputRange) -> bool {
    range.whole && range.low.abs().max(range.high.abs()) <= range.high - range.low
}

/// A column whose values are too large for what they differ by.
fn column(name: &str, low: f64, high: f64) -> RoundingCause {
    let near = if low.abs() > high.abs() { low } else { high };
    let single = (near as f32).abs();
    // A round number: a multiple of the power of ten above the range.
    let power = 10_f64.powf((high - low).log10().ceil());
    let subtract = if power.is_normal() { (low / power).floor() * power } else { low };
    RoundingCause::Column {
        name: name.into(),
        near,
        step: f64::from(single.next_up()) - f64::from(single),
        subtract,
    }
}
