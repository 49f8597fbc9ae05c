//! Partial dependence of a model's answers on a column.

use super::columns::{Column, columns, sample};
use crate::data::InputKind;
use crate::error::short;
use crate::resources::{in_order, or_cores, pool};
use crate::{Dataset, Error, Model};
use serde::{Deserialize, Serialize};

/// The fractions of rows below the lower and the upper end of the spread.
const SPREAD: [f64; 2] = [0.1, 0.9];

/// How dependence is computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DependenceSettings {
    /// The most values of a column of numbers or dates: quantiles of those that the rows have. Default 20.
    pub points: usize,
    /// The most rows that are averaged over; of more a random sample. Default 1,000.
    pub rows: usize,
    /// Seed of the sample. Default 0.
    pub seed: u64,
    /// Threads, 0 for one of each core. Default 0. The results do not depend on it.
    pub threads: usize,
}

impl Default for DependenceSettings {
    fn default() -> Self {
        Self { points: 20, rows: 1_000, seed: 0, threads: 0 }
    }
}

/// What a model answers on average for each value of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The column.
    pub column: String,
    /// Names of the outputs: the targets, or the classes.
    pub outputs: Vec<String>,
    /// Number of rows that were averaged over.
    pub rows: usize,
    /// Numbers and dates in increasing order, categories in that of the model.
    pub points: Vec<CurvePoint>,
}

/// The answers for one value of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The value as text: a number, a date, a category, `(other)` or `(missing)`.
    pub value: String,
    /// The value of a number, or of a date in days after the first training row; none for a category.
    pub number: Option<f64>,
    /// Mean of each output over all rows, if all had this value.
    pub mean: Vec<f64>,
    /// The output that a tenth of the rows are below.
    pub lower: Vec<f64>,
    /// The output that a tenth of the rows are above.
    pub upper: Vec<f64>,
}

/// Computes the partial dependence of a model's outputs on a column (Friedman 2001): for each value the mean
/// of the answers over all rows, as if they all had this value. Values of numbers and dates are quantiles of
/// those in the rows; categories are all that the model knows. The same seed gives the same result on any
/// number of threads.
///
/// ```
/// use onefold::inspection::{DependenceSettings, dependence};
/// use onefold::{Builtin, FitSettings, Method, fit};
///
/// let data = Builtin::Sinc.load(&Default::default())?;
/// let settings = FitSettings::for_builtin(Builtin::Sinc, None, Method::AUTO)?;
/// let model = fit("sinc", &data, &settings)?.model;
/// let curve = dependence(&model, &data.test, "x", &DependenceSettings::default())?;
/// let point = &curve.points[7];
/// assert_eq!(point.mean, model.predict(&[point.number.unwrap()]));
/// # Ok::<(), onefold::Error>(())
/// ```
///
/// # Errors
/// If the model has no such input column, or the rows do not fit the model.
pub fn dependence(
    model: &Model,
    data: &Dataset,
    column: &str,
    settings: &DependenceSettings,
) -> Result<Curve, Error> {
    let all = columns(model);
    let Some(column) = all.iter().find(|found| found.column.name == column) else {
        let names: Vec<&str> = all.iter().map(|column| column.column.name.as_str()).collect();
        let expected = format!("must be one of the model's columns: {}", names.join(", "));
        return Err(Error::setting("column", column, expected));
    };
    let sample = sample(model, data, settings.rows, settings.seed)?;
    // All rows have their say in which values occur.
    let values = values(column, data, settings.points.max(2));
    let mut points = Vec::new();
    in_order(
        pool(or_cores(settings.threads)).as_ref(),
        values.len(),
        |place| point(model, &sample, column, &values[place]),
        |point| points.push(point),
    );
    let outputs = model.output_names().to_vec();
    Ok(Curve { column: column.column.name.clone(), outputs, rows: sample.rows(), points })
}

/// A value of a column, and the inputs that it becomes.
struct Value {
    text: String,
    number: Option<f64>,
    inputs: Vec<f64>,
}

/// The values of a column for which the model is asked.
fn values(Column { column, inputs }: &Column, data: &Dataset, most: usize) -> Vec<Value> {
    let kind = &column.kind;
    let width = kind.width();
    let known = |text: String, number: Option<f64>, mut inputs: Vec<f64>| {
        inputs.extend(column.indicator.then_some(0.0));
        Value { text, number, inputs }
    };
    let mut values: Vec<Value> = match kind {
        InputKind::Number { .. } | InputKind::Date { .. } => {
            let place = inputs.start;
            let is_missing = |row: &usize| column.indicator && data.inputs[place + width][*row] > 0.5;
            let rows: Vec<usize> = (0..data.rows()).filter(|row| !is_missing(row)).collect();
            let of_row = |row: usize| {
                let number = data.inputs[place][row];
                let text = kind.date_text(number).unwrap_or_else(|| short(number));
                // All parts of a date belong together, so that they are those of a row.
                known(text, Some(number), (place..place + width).map(|k| data.inputs[k][row]).collect())
            };
            quantiles(&data.inputs[place], rows, most).into_iter().map(of_row).collect()
        }
        InputKind::OneHot { categories, other, .. } => {
            let one = |k: usize| (0..width).map(|i| f64::from(u8::from(i == k))).collect();
            let texts = categories.iter().cloned().chain(other.map(|_| "(other)".into()));
            texts.enumerate().map(|(k, text)| known(text, None, one(k))).collect()
        }
        InputKind::Ordinal { categories, .. } => {
            let one = |(k, text): (usize, &String)| known(text.clone(), None, vec![k as f64]);
            categories.iter().enumerate().map(one).collect()
        }
        InputKind::Boolean { yes, no, .. } => {
            vec![known(no.clone(), None, vec![0.0]), known(yes.clone(), None, vec![1.0])]
        }
    };
    if let Some(mut filling) = kind.filling().filter(|_| column.indicator) {
        filling.push(1.0);
        values.push(Value { text: "(missing)".into(), number: None, inputs: filling });
    }
    values
}

/// Rows at evenly spaced quantiles of a column, each value once; all values if there are no more.
fn quantiles(column: &[f64], mut rows: Vec<usize>, most: usize) -> Vec<usize> {
    // Zeros of both signs are one number.
    let compare = |a: &usize, b: &usize| (column[*a] + 0.0).total_cmp(&(column[*b] + 0.0));
    rows.sort_by(compare);
    let is_same = |a: &usize, b: &usize| compare(a, b).is_eq();
    let mut different = rows.clone();
    different.dedup_by(|a, b| is_same(a, b));
    if different.len() <= most {
        return different;
    }
    let last = rows.len() - 1;
    let mut chosen: Vec<usize> = (0..most).map(|i| rows[(i * last + (most - 1) / 2) / (most - 1)]).collect();
    chosen.dedup_by(|a, b| is_same(a, b));
    chosen
}

/// The answers for all rows, as if they had one value.
fn point(model: &Model, data: &Dataset, column: &Column, value: &Value) -> CurvePoint {
    let count = model.topology().outputs();
    let mut of_outputs = vec![Vec::with_capacity(data.rows()); count];
    for row in 0..data.rows() {
        let mut input = data.input(row);
        input[column.inputs.clone()].copy_from_slice(&value.inputs);
        of_outputs.iter_mut().zip(model.predict(&input)).for_each(|(all, answer)| all.push(answer));
    }
    // Sums of equal answers are the answer itself.
    let mean = |all: &Vec<f64>| {
        let first = all[0];
        first + all.iter().map(|answer| answer - first).sum::<f64>() / all.len() as f64
    };
    let mean = of_outputs.iter().map(mean).collect();
    of_outputs.iter_mut().for_each(|all| all.sort_by(f64::total_cmp));
    let at = |fraction: f64| -> Vec<f64> {
        let place = |all: &Vec<f64>| all[((all.len() - 1) as f64 * fraction).round() as usize];
        of_outputs.iter().map(place).collect()
    };
    let [lower, upper] = SPREAD.map(at);
    CurvePoint { value: value.text.clone(), number: value.number, mean, lower, upper }
}
