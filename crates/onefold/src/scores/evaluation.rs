//! Collects predictions row by row, and computes the scores.

use super::calibration::Calibration;
use super::classes::{balanced_accuracy, class_score, macro_f1};
use super::ranking::Ranking;
use super::{Scores, TargetScore};
use crate::data::{squared_error, winner};

/// Least score of a class, so that one wrong prediction does not make the log loss infinite.
const LEAST_SCORE: f64 = 1e-6;
/// The same for probabilities, which say how certain they are: nearer to 0, rounding decides.
const LEAST_PROBABILITY: f64 = f64::EPSILON;

/// Accumulates predictions row by row, in memory that does not grow with their number: of many, a random
/// sample is kept for the scores by rank.
///
/// ```
/// use onefold::scores::Evaluation;
/// let mut evaluation = Evaluation::new(1, None);
/// evaluation.add(&[1.0], &[2.0]);
/// evaluation.add(&[3.0], &[3.0]);
/// let scores = evaluation.scores().unwrap();
/// assert_eq!((scores.mse, scores.mae, scores.r2), (0.5, Some(0.5), Some(-1.0)));
/// ```
#[derive(Clone, Debug)]
pub struct Evaluation {
    classes: Option<Vec<String>>,
    /// Names of the targets of a regression, if they are known.
    targets: Vec<String>,
    /// Whether the outputs are probabilities of the classes.
    has_probabilities: bool,
    outputs: Vec<Output>,
    /// Confusion matrix: a row for each actual class, a column for each predicted class.
    confusion: Vec<Vec<u64>>,
    /// The same with the weights of the rows.
    weighted: Vec<Vec<f64>>,
    ranking: Ranking,
    calibration: Calibration,
    log_loss: f64,
    brier: f64,
    rows: u64,
    /// Sum of the weights of the rows.
    weight: f64,
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

impl Output {
    /// Adds a value with its weight; `total` is the sum of all weights so far.
    fn add(&mut self, predicted: f64, actual: f64, (weight, total): (f64, f64)) {
        let (error, from_mean) = (actual - predicted, actual - self.mean);
        self.squared += weight * (error * error);
        self.absolute += weight * error.abs();
        self.mean += weight * from_mean / total;
        self.about_mean += weight * (from_mean * (actual - self.mean));
    }

    fn r2(&self) -> f64 {
        1.0 - self.squared / self.about_mean
    }
}

impl Evaluation {
    /// For a model with this many outputs, scores where they are classes; `classes` for a classification.
    #[must_use]
    pub fn new(outputs: usize, classes: Option<&[String]>) -> Self {
        let size = classes.map_or(0, <[String]>::len);
        Self {
            classes: classes.map(<[String]>::to_vec),
            targets: Vec::new(),
            has_probabilities: false,
            outputs: vec![Output::default(); outputs],
            confusion: vec![vec![0; size]; size],
            weighted: vec![vec![0.0; size]; size],
            ranking: Ranking::new(size),
            calibration: Calibration::default(),
            log_loss: 0.0,
            brier: 0.0,
            rows: 0,
            weight: 0.0,
            squared: 0.0,
        }
    }

    /// Whether the outputs are probabilities of the classes; otherwise they are made such where a score is
    /// about probabilities.
    #[must_use]
    pub fn with_probabilities(mut self, has_probabilities: bool) -> Self {
        self.has_probabilities = has_probabilities;
        self
    }

    /// Names the targets of a regression, so that each gets its own scores if there are several.
    #[must_use]
    pub fn with_targets(mut self, names: &[String]) -> Self {
        self.targets = names.to_vec();
        self
    }

    /// Makes probabilities of scores by least squares: clipped, and divided by their sum.
    pub(crate) fn make_probabilities(scores: &mut [f64]) {
        scores.iter_mut().for_each(|score| *score = score.clamp(LEAST_SCORE, 1.0));
        let sum: f64 = scores.iter().sum();
        scores.iter_mut().for_each(|score| *score /= sum);
    }

    /// Adds a row: the model's outputs and the targets.
    pub fn add(&mut self, predicted: &[f64], actual: &[f64]) {
        self.add_weighted(predicted, actual, 1.0);
    }

    /// Adds a row that counts as much as so many rows like it; with a weight of 0 it does not. Counts of rows
    /// stay counts.
    pub fn add_weighted(&mut self, predicted: &[f64], actual: &[f64], weight: f64) {
        if weight == 0.0 {
            return;
        }
        self.rows += 1;
        self.weight += weight;
        let weights = (weight, self.weight);
        self.squared += weight * squared_error(predicted, actual);
        let both = predicted.iter().zip(actual);
        self.outputs.iter_mut().zip(both).for_each(|(output, (p, y))| output.add(*p, *y, weights));
        if self.classes.is_some() {
            self.add_class(predicted, winner(actual), weight);
        }
    }

    fn add_class(&mut self, predicted: &[f64], class: usize, weight: f64) {
        let answer = winner(predicted);
        self.confusion[class][answer] += 1;
        self.weighted[class][answer] += weight;
        self.ranking.add(predicted, class, weight);
        let least = if self.has_probabilities { LEAST_PROBABILITY } else { LEAST_SCORE };
        let clipped = |score: f64| score.clamp(least, 1.0);
        let sum: f64 = predicted.iter().map(|s| clipped(*s)).sum();
        self.log_loss -= weight * (clipped(predicted[class]) / sum).ln();
        let probability =
            |k: usize| if self.has_probabilities { predicted[k] } else { clipped(predicted[k]) / sum };
        let squares =
            (0..predicted.len()).map(|k| (probability(k) - f64::from(u8::from(k == class))).powi(2));
        self.brier += weight * squares.sum::<f64>();
        self.calibration.add(probability(answer), answer == class, weight);
    }

    /// The scores; none without rows.
    #[must_use]
    pub fn scores(&self) -> Option<Scores> {
        if self.rows == 0 {
            return None;
        }
        let (total, outputs) = (self.weight, self.outputs.len() as f64);
        let mse = self.squared / (total * outputs);
        let scores = Scores {
            rows: self.rows,
            mse,
            rmse: mse.sqrt(),
            r2: None,
            mae: None,
            targets: Vec::new(),
            accuracy: None,
            balanced_accuracy: None,
            f1: None,
            auc: None,
            average_precision: None,
            log_loss: None,
            brier: None,
            calibration_error: None,
            confusion: None,
            classes: Vec::new(),
        };
        Some(match &self.classes {
            Some(classes) => self.of_classes(classes, scores),
            None => self.of_numbers(scores),
        })
    }

    fn of_numbers(&self, scores: Scores) -> Scores {
        let (total, outputs) = (self.weight, self.outputs.len() as f64);
        let explained = self.outputs.iter().map(Output::r2).sum::<f64>() / outputs;
        let of_target = |(output, target): (&Output, &String)| TargetScore {
            target: target.clone(),
            rmse: (output.squared / total).sqrt(),
            mae: output.absolute / total,
            r2: Some(output.r2()).filter(|r2| r2.is_finite()),
        };
        let has_several = self.outputs.len() > 1;
        Scores {
            r2: Some(explained).filter(|r2| r2.is_finite()),
            mae: Some(self.outputs.iter().map(|o| o.absolute).sum::<f64>() / (total * outputs)),
            targets: if has_several {
                self.outputs.iter().zip(&self.targets).map(of_target).collect()
            } else {
                Vec::new()
            },
            ..scores
        }
    }

    fn of_classes(&self, classes: &[String], scores: Scores) -> Scores {
        let correct: f64 = (0..classes.len()).map(|i| self.weighted[i][i]).sum();
        let mean = |values: Vec<f64>| {
            let count = values.len() as f64;
            (count > 0.0).then(|| values.iter().sum::<f64>() / count)
        };
        let of_class = |(i, class): (usize, &String)| {
            let rows = self.confusion[i].iter().sum();
            class_score(&self.weighted, i, (class, rows), &self.ranking)
        };
        let of_classes: Vec<_> = classes.iter().enumerate().map(of_class).collect();
        // Of two classes, one probability is the rest of the other.
        let halves = if classes.len() == 2 { 0.5 } else { 1.0 };
        Scores {
            // Sums of weights in another order may differ by rounding.
            accuracy: Some((correct / self.weight).min(1.0)),
            balanced_accuracy: Some(balanced_accuracy(&of_classes)),
            f1: Some(macro_f1(&self.weighted).min(1.0)),
            auc: mean(of_classes.iter().filter_map(|class| class.auc).collect()),
            average_precision: mean(of_classes.iter().filter_map(|class| class.average_precision).collect()),
            log_loss: Some(self.log_loss / self.weight),
            brier: Some(halves * self.brier / self.weight),
            calibration_error: Some(self.calibration.error().min(1.0)),
            confusion: Some(self.confusion.clone()),
            classes: of_classes,
            ..scores
        }
    }
}
