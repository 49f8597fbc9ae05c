//! Metrics of a model: errors for a regression; accuracy, confusion matrix, F1 and log loss for a
//! classification.

use crate::Model;
use crate::data::{squared_error, winner};
use serde::Serialize;

/// Least score of a class, so that one wrong prediction does not make the log loss infinite.
const LEAST_SCORE: f64 = 1e-6;
/// The same for probabilities, which say how certain they are: nearer to 0, rounding decides.
const LEAST_PROBABILITY: f64 = f64::EPSILON;

/// Accumulates predictions row by row without storing them.
#[derive(Clone, Debug)]
pub struct Evaluation {
    classes: Option<Vec<String>>,
    /// Whether the outputs are probabilities of the classes.
    has_probabilities: bool,
    outputs: Vec<Output>,
    /// Confusion matrix: a row for each actual class, a column for each predicted class.
    confusion: Vec<Vec<u64>>,
    log_loss: f64,
    rows: u64,
    /// Squared errors of all rows and outputs.
    squared: f64,
}

#[derive(Clone, Debug, Default)]
struct Output {
    squared: f64,
    absolute: f64,
    /// Mean of the actual values, and sum of squares about it.
    mean: f64,
    about_mean: f64,
}

/// The metrics of a model on some rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// Rows that were evaluated.
    pub rows: u64,
    /// Mean squared error over rows and outputs; for a classification of the scores or probabilities, against
    /// 1 for the class and 0 for the others.
    pub mse: f64,
    /// Its root.
    pub rmse: f64,
    /// Coefficient of determination, averaged over outputs; none for a classification, or where an
    /// output is constant.
    pub r2: Option<f64>,
    /// Mean absolute error over rows and outputs; none for a classification.
    pub mae: Option<f64>,
    /// Fraction of rows classified correctly.
    pub accuracy: Option<f64>,
    /// Confusion matrix: a row for each actual class, a column for each predicted class.
    pub confusion: Option<Vec<Vec<u64>>>,
    /// Macro-averaged F1 over the classes that occur in the rows or in the predictions.
    pub f1: Option<f64>,
    /// Mean of `-ln p` of the actual class, at most about 36 for a row. Outputs that are scores by least
    /// squares and not [probabilities](Model::has_probabilities) are clipped to `[1e-6, 1]` and divided by
    /// their sum.
    pub log_loss: Option<f64>,
    /// Each class; empty for a regression.
    pub classes: Vec<ClassScore>,
}

/// The metrics of one class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassScore {
    /// The class.
    pub class: String,
    /// Rows of this class.
    pub rows: u64,
    /// Fraction of correct ones among the rows predicted as this class; none without such rows.
    pub precision: Option<f64>,
    /// Fraction of correct ones among the rows of this class; none without such rows.
    pub recall: Option<f64>,
    /// Harmonic mean of precision and recall, 0 if no prediction is correct; none if the class does not
    /// occur.
    pub f1: Option<f64>,
}

impl Evaluation {
    /// For this model: the log loss of a model with probabilities is that of its probabilities.
    #[must_use]
    pub fn of_model(model: &Model) -> Self {
        let has_probabilities = model.has_probabilities();
        Self { has_probabilities, ..Self::new(model.topology().outputs(), model.classes()) }
    }

    /// For a model with this many outputs, scores where they are classes; `classes` for a classification.
    #[must_use]
    pub fn new(outputs: usize, classes: Option<&[String]>) -> Self {
        let size = classes.map_or(0, <[String]>::len);
        Self {
            classes: classes.map(<[String]>::to_vec),
            has_probabilities: false,
            outputs: vec![Output::default(); outputs],
            confusion: vec![vec![0; size]; size],
            log_loss: 0.0,
            rows: 0,
            squared: 0.0,
        }
    }

    /// Adds a row: the model's outputs and the targets.
    pub fn add(&mut self, predicted: &[f64], actual: &[f64]) {
        self.rows += 1;
        self.squared += squared_error(predicted, actual);
        for (output, (p, y)) in self.outputs.iter_mut().zip(predicted.iter().zip(actual)) {
            let (error, from_mean) = (y - p, y - output.mean);
            output.squared += error * error;
            output.absolute += error.abs();
            output.mean += from_mean / self.rows as f64;
            output.about_mean += from_mean * (y - output.mean);
        }
        if self.classes.is_some() {
            let class = winner(actual);
            self.confusion[class][winner(predicted)] += 1;
            let least = if self.has_probabilities { LEAST_PROBABILITY } else { LEAST_SCORE };
            let clipped = |score: f64| score.clamp(least, 1.0);
            let sum: f64 = predicted.iter().map(|s| clipped(*s)).sum();
            self.log_loss -= (clipped(predicted[class]) / sum).ln();
        }
    }

    /// The scores; none without rows.
    #[must_use]
    pub fn scores(&self) -> Option<Scores> {
        if self.rows == 0 {
            return None;
        }
        let (rows, outputs) = (self.rows as f64, self.outputs.len() as f64);
        let mse = self.squared / (rows * outputs);
        let mut scores = Scores {
            rows: self.rows,
            mse,
            rmse: mse.sqrt(),
            r2: None,
            mae: None,
            accuracy: None,
            confusion: None,
            f1: None,
            log_loss: None,
            classes: Vec::new(),
        };
        let Some(classes) = &self.classes else {
            let explained =
                self.outputs.iter().map(|o| 1.0 - o.squared / o.about_mean).sum::<f64>() / outputs;
            scores.r2 = Some(explained).filter(|r2| r2.is_finite());
            scores.mae = Some(self.outputs.iter().map(|o| o.absolute).sum::<f64>() / (rows * outputs));
            return Some(scores);
        };
        let correct: u64 = (0..classes.len()).map(|i| self.confusion[i][i]).sum();
        scores.accuracy = Some(correct as f64 / rows);
        scores.log_loss = Some(self.log_loss / rows);
        scores.classes = classes.iter().enumerate().map(|(i, class)| self.class_score(i, class)).collect();
        let f1: Vec<f64> = scores.classes.iter().filter_map(|c| c.f1).collect();
        scores.f1 = Some(f1.iter().sum::<f64>() / f1.len() as f64);
        scores.confusion = Some(self.confusion.clone());
        Some(scores)
    }

    fn class_score(&self, i: usize, class: &str) -> ClassScore {
        let correct = self.confusion[i][i] as f64;
        let rows: u64 = self.confusion[i].iter().sum();
        let predicted: u64 = self.confusion.iter().map(|row| row[i]).sum();
        let fraction = |of: u64| (of > 0).then(|| correct / of as f64);
        let f1 = (rows + predicted > 0).then(|| 2.0 * correct / (rows + predicted) as f64);
        ClassScore { class: class.into(), rows, precision: fraction(predicted), recall: fraction(rows), f1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regressions() {
        let mut evaluation = Evaluation::new(1, None);
        assert_eq!(evaluation.scores(), None);
        for (p, y) in [(1.0, 2.0), (3.0, 3.0), (6.0, 4.0)] {
            evaluation.add(&[p], &[y]);
        }
        let s = evaluation.scores().unwrap();
        assert_eq!((s.rows, s.mae, s.accuracy), (3, Some(1.0), None));
        assert!((s.mse - 5.0 / 3.0).abs() < 1e-15 && (s.rmse * s.rmse - s.mse).abs() < 1e-15);
        assert!((s.r2.unwrap() - (1.0 - 5.0 / 2.0)).abs() < 1e-12);
        let mut constant = Evaluation::new(1, None);
        constant.add(&[1.0], &[1.0]);
        assert_eq!(constant.scores().unwrap().r2, None);
    }

    #[test]
    fn classifications() {
        let classes = ["a", "b", "c"].map(String::from);
        let mut evaluation = Evaluation::new(3, Some(&classes));
        evaluation.add(&[0.8, 0.2, -0.3], &[1.0, 0.0, 0.0]);
        evaluation.add(&[0.5, 0.4, 0.0], &[0.0, 1.0, 0.0]);
        evaluation.add(&[0.1, 0.9, 0.0], &[0.0, 1.0, 0.0]);
        let s = evaluation.scores().unwrap();
        assert_eq!(s.confusion.unwrap(), [[1, 0, 0], [1, 1, 0], [0, 0, 0]]);
        assert_eq!((s.accuracy, s.r2, s.mae), (Some(2.0 / 3.0), None, None));
        let f1: Vec<Option<f64>> = s.classes.iter().map(|c| c.f1).collect();
        assert_eq!(f1, [Some(2.0 / 3.0), Some(2.0 / 3.0), None]);
        assert!((s.f1.unwrap() - 2.0 / 3.0).abs() < 1e-15);
        let p = [0.8 / 1.000_001, 0.4 / 0.900_001, 0.9 / 1.000_001];
        let expected = -p.iter().map(|p: &f64| p.ln()).sum::<f64>() / 3.0;
        assert!((s.log_loss.unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn the_log_loss_of_probabilities_is_theirs() {
        let classes = ["a", "b"].map(String::from);
        let mut evaluation = Evaluation { has_probabilities: true, ..Evaluation::new(2, Some(&classes)) };
        evaluation.add(&[1e-9, 1.0 - 1e-9], &[1.0, 0.0]);
        evaluation.add(&[0.25, 0.75], &[0.0, 1.0]);
        let expected = -(1e-9_f64.ln() + 0.75_f64.ln()) / 2.0;
        assert!((evaluation.scores().unwrap().log_loss.unwrap() - expected).abs() < 1e-12);
        evaluation.add(&[0.0, 1.0], &[1.0, 0.0]);
        let expected = (2.0 * expected - f64::EPSILON.ln()) / 3.0;
        assert!((evaluation.scores().unwrap().log_loss.unwrap() - expected).abs() < 1e-12);
    }
}
