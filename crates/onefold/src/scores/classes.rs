//! Scores that follow from the predicted classes alone.

use super::ClassScore;
use super::ranking::Ranking;
use crate::data::winner;

/// 1 for a row that is classified wrongly, otherwise 0.
pub(super) fn is_wrong(predicted: &[f64], actual: &[f64]) -> f64 {
    f64::from(u8::from(winner(predicted) != winner(actual)))
}

/// Rows of each class, by their weights.
pub(super) fn counts(actual: &[Vec<f64>], of_rows: Option<&[f64]>) -> Vec<f64> {
    let mut counts = vec![0.0; actual.first().map_or(0, Vec::len)];
    actual.iter().enumerate().for_each(|(row, y)| counts[winner(y)] += weight(of_rows, row));
    counts
}

/// The weight of a row, 1 without weights.
pub(super) fn weight(of_rows: Option<&[f64]>, row: usize) -> f64 {
    of_rows.map_or(1.0, |weights| weights[row])
}

/// The sum of the weights of so many rows.
pub(super) fn total(of_rows: Option<&[f64]>, rows: usize) -> f64 {
    of_rows.map_or(rows as f64, |weights| weights.iter().sum())
}

/// Mean of F1 over the classes that occur in rows or in predictions, by a confusion matrix.
pub(super) fn macro_f1(confusion: &[Vec<f64>]) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (class, row) in confusion.iter().enumerate() {
        let actual: f64 = row.iter().sum();
        let predicted: f64 = confusion.iter().map(|row| row[class]).sum();
        if actual + predicted > 0.0 {
            sum += 2.0 * row[class] / (actual + predicted);
            count += 1.0;
        }
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Mean of the recall over the classes that occur in the rows.
pub(super) fn balanced_accuracy(classes: &[ClassScore]) -> f64 {
    let recalls: Vec<f64> = classes.iter().filter_map(|class| class.recall).collect();
    recalls.iter().sum::<f64>() / recalls.len() as f64
}

/// The scores of one class, by a confusion matrix with weights; `rows` is a count.
pub(super) fn class_score(
    confusion: &[Vec<f64>],
    i: usize,
    (class, rows): (&str, u64),
    ranking: &Ranking,
) -> ClassScore {
    let correct = confusion[i][i];
    let actual: f64 = confusion[i].iter().sum();
    let predicted: f64 = confusion.iter().map(|row| row[i]).sum();
    let fraction = |of: f64| (of > 0.0).then(|| (correct / of).min(1.0));
    let f1 = (actual + predicted > 0.0).then(|| (2.0 * correct / (actual + predicted)).min(1.0));
    let (auc, average_precision) = ranking.areas(i).unzip();
    ClassScore {
        class: class.into(),
        rows,
        precision: fraction(predicted),
        recall: fraction(actual),
        f1,
        auc,
        average_precision,
    }
}
