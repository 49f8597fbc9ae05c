//! Test vectors: rows of the table with the outputs that an exported network must have for them.

use super::network::Network;
use super::rounding::Rounding;
use crate::data::{FieldValue, InputColumn, InputKind, iso, winner};
use crate::model::InputRange;

/// Most rows, and most values that are tried of a column of words.
const MOST_ROWS: usize = 100;
const MOST_WORDS: usize = 4;
/// What no table has.
const UNSEEN: &str = "\u{2603} \"unseen\" \\ */ word";

/// Rows, with what they must give.
pub(super) struct Vectors {
    pub(super) rows: Vec<Vector>,
    /// How far each output may be from what is expected.
    pub(super) tolerance: Vec<f64>,
}

/// A row, and the model's answer.
pub(super) struct Vector {
    /// What stands in each column.
    pub(super) values: Vec<FieldValue>,
    /// The same encoded.
    pub(super) inputs: Vec<f64>,
    pub(super) outputs: Vec<f64>,
    /// The class, unless two are so near to each other that rounding may exchange them.
    pub(super) class: Option<usize>,
}

impl Vectors {
    /// Every column at its edges, the others at ordinary values: the lowest and the highest number, words, a
    /// word that no table has, a missing value; and rows that mix them.
    pub(super) fn new(network: &Network<'_>, rounding: &Rounding) -> Self {
        let model = network.model;
        let schema = model.schema();
        let mut first = 0;
        let mut choices = Vec::new();
        for column in &schema.inputs {
            let range = range(network, first);
            let mut values = values(column, range);
            if column.inputs_of(&FieldValue::Missing, schema.missing).is_some() {
                values.push(FieldValue::Missing);
            }
            choices.push(values);
            first += column.width();
        }
        let row = |pick: &dyn Fn(usize) -> usize| -> Vec<FieldValue> {
            choices.iter().enumerate().map(|(c, values)| values[pick(c) % values.len()].clone()).collect()
        };
        let mut rows = vec![row(&|_| 0)];
        let longest = choices.iter().map(Vec::len).max().unwrap_or(0);
        // First all columns at once, so that a few rows have all values even of a wide table.
        for value in 1..longest {
            rows.push(row(&|column| value + column));
        }
        for (column, values) in choices.iter().enumerate() {
            for value in 1..values.len() {
                rows.push(row(&|c| if c == column { value } else { 0 }));
            }
        }
        rows.truncate(MOST_ROWS);
        let encode = |values: Vec<FieldValue>| {
            let inputs = schema.inputs.iter().zip(&values).map(|(c, v)| c.inputs_of(v, schema.missing));
            let inputs = inputs.collect::<Option<Vec<_>>>()?.concat();
            let outputs = model.predict(&inputs);
            outputs.iter().all(|y| y.is_finite()).then_some(Vector { values, inputs, outputs, class: None })
        };
        let rows: Vec<Vector> = rows.into_iter().filter_map(encode).collect();
        let tolerance = tolerance(network, rounding, &rows);
        let mut vectors = Self { rows, tolerance };
        if model.is_classification() {
            vectors.find_classes();
        }
        vectors
    }

    /// The classes that rounding cannot change.
    fn find_classes(&mut self) {
        for row in &mut self.rows {
            let best = winner(&row.outputs);
            let is_clear = |o: usize| {
                o == best || row.outputs[best] - row.outputs[o] > self.tolerance[o] + self.tolerance[best]
            };
            row.class = (0..row.outputs.len()).all(is_clear).then_some(best);
        }
    }
}

/// What rounding may change: as measured in the range of the training rows, and on these rows.
fn tolerance(network: &Network<'_>, rounding: &Rounding, rows: &[Vector]) -> Vec<f64> {
    let here = Rounding::measure_on(network, rows.iter().map(|row| row.inputs.clone()));
    let tolerance = |o: usize| {
        let largest = rows.iter().map(|row| row.outputs[o].abs()).fold(1.0, f64::max);
        let measured = rounding.max[o].max(here.max[o]);
        if measured.is_finite() {
            measured + 64.0 * network.precision.unit_roundoff() * largest
        } else {
            f64::MAX
        }
    };
    (0..network.outputs()).map(tolerance).collect()
}

/// The values of an input in the training rows.
fn range(network: &Network<'_>, input: usize) -> InputRange {
    let scaler = network.model.scaler();
    if let Some(rows) = network.model.training_rows() {
        return rows.inputs[input];
    }
    let (offset, by) = (scaler.offset[input], 3.0 * scaler.scale[input].abs());
    InputRange { low: offset - by, high: offset + by, whole: false }
}

/// What a column may hold, an ordinary value first.
fn values(column: &InputColumn, range: InputRange) -> Vec<FieldValue> {
    let InputRange { low, high, .. } = range;
    let text = |text: &str| FieldValue::Text(text.into());
    match &column.kind {
        InputKind::Number { .. } => {
            [range.at(0.4), low, high, range.at(0.7)].map(FieldValue::Number).to_vec()
        }
        InputKind::OneHot { categories, .. } | InputKind::Ordinal { categories, .. } => {
            let step = categories.len().div_ceil(MOST_WORDS).max(1);
            let known = categories.iter().step_by(step).map(|word| text(word));
            known.chain([text(UNSEEN), text(&format!(" {}\u{a0}", categories[0]))]).collect()
        }
        InputKind::Boolean { yes, no, .. } => {
            vec![text(yes), text(&no.to_uppercase()), text(UNSEEN), text(&format!("\t{yes} "))]
        }
        InputKind::Date { origin, clock, .. } => {
            let written = |days: f64| {
                let seconds = (origin + days * 86_400.0).round();
                let whole = iso(seconds);
                // A time of day is the end of a date and time.
                let time = format!("{whole} 00:00:00")[11..19].to_string();
                text(if *clock { &time } else { &whole })
            };
            [range.at(0.4), low, high, range.at(0.7)].map(written).to_vec()
        }
    }
}
