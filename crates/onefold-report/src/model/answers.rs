//! What a model answers to rows.

use super::rows::Part;
use onefold::Model;
use onefold::scores::{Evaluation, Scores};

/// The answers to a part of the rows.
pub(super) struct Answers<'a> {
    pub(super) part: &'a Part,
    /// The outputs, row after row.
    outputs: Vec<f64>,
    pub(super) scores: Scores,
}

impl<'a> Answers<'a> {
    /// None without rows.
    pub(super) fn new(model: &Model, part: &'a Part) -> Option<Self> {
        let mut evaluation = Evaluation::of_model(model);
        let mut outputs = Vec::with_capacity(part.data.rows() * model.topology().outputs());
        for row in 0..part.data.rows() {
            let answer = model.predict(&part.data.input(row));
            evaluation.add(&answer, &part.data.output(row));
            outputs.extend(answer);
        }
        Some(Self { part, outputs, scores: evaluation.scores()? })
    }

    pub(super) fn rows(&self) -> usize {
        self.part.data.rows()
    }

    /// The outputs for a row.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        let width = self.part.data.outputs.len();
        &self.outputs[row * width..(row + 1) * width]
    }

    /// True and predicted values of a target.
    pub(super) fn pairs(&self, output: usize) -> Vec<(f64, f64)> {
        let actual = &self.part.data.outputs[output];
        actual.iter().enumerate().map(|(row, y)| (*y, self.row(row)[output])).collect()
    }

    /// The class of a row.
    pub(super) fn class(&self, row: usize) -> usize {
        let outputs = &self.part.data.outputs;
        (0..outputs.len()).find(|k| outputs[*k][row] > 0.5).unwrap_or(0)
    }
}

/// At most so many places of a list, spread over it without a pattern.
pub(super) fn sample(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    // Multiples of the golden ratio modulo 1 leave no gaps.
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let mut places: Vec<usize> =
        (0..most).map(|i| ((i as f64 * golden).fract() * count as f64) as usize).collect();
    places.sort_unstable();
    places.dedup();
    places
}
