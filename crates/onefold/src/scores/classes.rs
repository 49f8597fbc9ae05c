//! Scores that follow from the predicted classes alone.

use super::ClassScore;
use super::ranking::Ranking;
use crate::data::winner;

/// 1 for a row that is classified wrongly, otherwise 0.
pub(super) fn is_wrong(predicted: &[f64], actual: &[f64]) -> f64 {
    f64::from(u8::from(winner(predicted) != winner(actual)))
}

/// Rows of each class.
pub(super) fn counts(actual: &[Vec<f64>]) -> Vec<f64> {
    let mut counts = vec![0.0; actual.first().map_or(0, Vec::len)];
    actual.iter().for_each(|y| counts[winner(y)] += 1.0);
    counts
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

/// The scores of one class.
pub(super) fn class_score(confusion: &[Vec<u64>], i: usize, class: &str, ranking: &Ranking) -> ClassScore {
    let correct = confusion[i][i] as f64;
    let rows: u64 = confusion[i].iter().sum();
    let predicted: u64 = confusion.iter().map(|row| row[i]).sum();
    let fraction = |of: u64| (of > 0).then(|| correct / of as f64);
    let f1 = (rows + predicted > 0).then(|| 2.0 * correct / (rows + predicted) as f64);
    let (auc, average_precision) = ranking.areas(i).unzip();
    ClassScore {
        class: class.into(),
        rows,
        precision: fraction(predicted),
        recall: fraction(rows),
        f1,
        auc,
        average_precision,
    }
}
