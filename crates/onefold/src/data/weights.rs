//! Weights of rows: a row of weight `k` counts as much as `k` rows like it.

use super::Dataset;
use super::order::key;
use crate::error::{DatasetProblem, Error};
use std::cmp::Ordering;

impl Dataset {
    /// The same rows with these weights. Training then minimises the weighted mean squared error, so that
    /// only their ratios matter; a row of weight zero is left out.
    ///
    /// ```
    /// use onefold::Dataset;
    /// let (inputs, outputs) = (vec![vec![1.0, 2.0, 3.0].into()], vec![vec![4.0, 5.0, 6.0]]);
    /// let data = Dataset { inputs, outputs, ..Dataset::default() };
    /// let data = data.with_weights(vec![2.0, 0.0, 0.5])?;
    /// assert_eq!(data.inputs[0], [1.0, 3.0]);
    /// assert_eq!((data.weight(0), data.total_weight()), (2.0, 2.5));
    /// # Ok::<(), onefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a weight is negative or not finite, all of them are zero, or there are more or fewer than rows.
    pub fn with_weights(self, mut weights: Vec<f64>) -> Result<Self, Error> {
        let wrong = |row: Option<usize>, problem| Err(Error::Dataset { column: None, row, problem });
        if weights.len() != self.rows() {
            let problem = DatasetProblem::WeightCount { found: weights.len(), expected: self.rows() };
            return wrong(None, problem);
        }
        if let Some(row) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            return wrong(Some(row + 1), DatasetProblem::Weight { value: weights[row] });
        }
        let most = weights.iter().copied().fold(0.0, f64::max);
        if most == 0.0 {
            return wrong(None, DatasetProblem::NoWeight);
        }
        // Only ratios matter; products and sums of weights of a usual size are finite.
        let scale = if (VANISHING..1.0 / VANISHING).contains(&most) { 1.0 } else { most };
        weights.iter_mut().for_each(|w| *w /= scale);
        let is_kept = |row: &usize| weights[*row] > VANISHING * (most / scale);
        let kept: Vec<usize> = (0..weights.len()).filter(is_kept).collect();
        let mut data = Self { weights: Some(weights), ..self };
        if kept.len() < data.rows() {
            data = data.select(&kept);
        }
        Ok(data)
    }

    /// The weight of a row, 1 without weights.
    #[must_use]
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// The sum of the weights, without weights the number of rows.
    #[must_use]
    pub fn total_weight(&self) -> f64 {
        self.weights.as_ref().map_or(self.rows() as f64, |weights| weights.iter().sum())
    }

    /// The mean of a value of each row, by their weights; 0 without rows.
    pub(crate) fn mean(&self, value: impl Fn(usize) -> f64) -> f64 {
        let sum = (0..self.rows()).map(|row| self.weight(row) * value(row)).sum::<f64>();
        sum / self.total_weight().max(f64::MIN_POSITIVE)
    }

    /// Whether all weights are positive numbers, one for each row.
    pub(super) fn check_weights(&self) -> Result<(), Error> {
        let Some(weights) = &self.weights else { return Ok(()) };
        let wrong = |row, problem| Err(Error::Dataset { column: None, row, problem });
        if weights.len() != self.rows() {
            let problem = DatasetProblem::WeightCount { found: weights.len(), expected: self.rows() };
            return wrong(None, problem);
        }
        match weights.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            Some(row) => wrong(Some(row + 1), DatasetProblem::Weight { value: weights[row] }),
            None => Ok(()),
        }
    }

    /// Merges rows that are the same in all inputs and outputs into one with the sum of their weights. The
    /// second part of the result has the place of one such row for each row that is left.
    ///
    /// Where the weights then differ, rows are put in the order of their numbers, so that a table with
    /// weights, in any order, and one in which rows are repeated instead become the same data. Where they do
    /// not, there are no weights, and the rows that are left stay in their order: without weights and
    /// repetitions nothing changes.
    #[must_use]
    pub fn merged(self, together: Option<&super::Related>) -> (Self, Vec<usize>) {
        let of_related = |a: usize, b: usize| together.map_or(Ordering::Equal, |r| r.compare(a, b));
        let compare = |a: usize, b: usize| {
            let columns = 0..self.inputs.len() + self.outputs.len();
            let of_column = |c: usize| key(self.number(c, a)).cmp(&key(self.number(c, b)));
            let of_columns = columns.map(of_column).find(|o| o.is_ne());
            of_columns.unwrap_or_else(|| of_related(a, b))
        };
        let order = self.order(of_related);
        if self.weights.is_none() && order.windows(2).all(|two| compare(two[0], two[1]).is_ne()) {
            drop(order);
            let rows = (0..self.rows()).collect();
            return (self, rows);
        }
        let merge = |rows: &[usize]| (rows[0], rows.iter().map(|row| self.weight(*row)).sum::<f64>());
        let mut left: Vec<(usize, f64)> = order.chunk_by(|a, b| compare(*a, *b).is_eq()).map(merge).collect();
        let is_weighted = left.iter().any(|(_, w)| w.to_bits() != left[0].1.to_bits());
        if !is_weighted {
            left.sort_by_key(|(row, _)| *row);
        }
        let (rows, weights): (Vec<usize>, Vec<f64>) = left.into_iter().unzip();
        let is_same = rows.iter().copied().eq(0..self.rows());
        let mut data = if is_same { self } else { self.select(&rows) };
        data.weights = is_weighted.then_some(weights);
        (data, rows)
    }

    /// A number of a row: of its inputs, then of its outputs.
    fn number(&self, column: usize, row: usize) -> f64 {
        match column.checked_sub(self.inputs.len()) {
            None => self.inputs[column].get(row),
            Some(output) => self.outputs[output][row],
        }
    }

    /// The rows in the order of their numbers, column by column, then by `of_same`, then of their places.
    /// Numbers of one column at a time are sorted beside their rows, in a fraction of the time of comparing
    /// rows.
    fn order(&self, of_same: impl Fn(usize, usize) -> Ordering) -> Vec<usize> {
        let columns = self.inputs.len() + self.outputs.len();
        let mut rows: Vec<(i64, usize)> = (0..self.rows()).map(|row| (0, row)).collect();
        // Ranges of rows that are the same in so many columns.
        let mut left = vec![(0..rows.len(), 0)];
        while let Some((range, depth)) = left.pop() {
            let (start, same) = (range.start, &mut rows[range]);
            if depth == columns {
                same.sort_by(|a, b| of_same(a.1, b.1));
                continue;
            }
            same.iter_mut().for_each(|(key_of_row, row)| *key_of_row = key(self.number(depth, *row)));
            same.sort_unstable();
            let mut end = start;
            for run in same.chunk_by(|a, b| a.0 == b.0) {
                end += run.len();
                if run.len() > 1 {
                    left.push((end - run.len()..end, depth + 1));
                }
            }
        }
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

/// A weight that is smaller by this factor than the largest one counts as zero.
const VANISHING: f64 = 1e-100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_put_in_the_order_of_their_numbers() {
        let values = [0.0, -0.0, 1.5, -2.5, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324];
        let plain = |v: f64| if v == 0.0 { 0.0 } else { v };
        let column =
            |by: usize| -> Vec<f64> { (0..200).map(|row| values[row * row / by % values.len()]).collect() };
        let data = Dataset {
            inputs: vec![column(1).into(), column(3).into()],
            outputs: vec![column(7)],
            ..Dataset::default()
        };
        let of_same = |a: usize, b: usize| (b % 2).cmp(&(a % 2));
        let mut expected: Vec<usize> = (0..200).collect();
        expected.sort_by(|a, b| {
            let of_column = |c: usize| plain(data.number(c, *a)).total_cmp(&plain(data.number(c, *b)));
            let of_columns = (0..3).map(of_column).find(|o| o.is_ne());
            of_columns.unwrap_or_else(|| of_same(*a, *b))
        });
        assert_eq!(data.order(of_same), expected);
    }
}
