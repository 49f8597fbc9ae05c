//! What a page says first.

use super::rows::PartKind;
use super::{Answers, Subject};
use crate::number::{counted, four, percent};

/// What the model predicts, and how well, on which rows.
pub(super) fn summary(subject: &Subject<'_>) -> String {
    let best = subject.best();
    let columns = subject.model.schema().inputs.len();
    let what = format!(
        "A {} network predicts {} from {}.",
        subject.model.topology(),
        subject.target(),
        counted(columns, "column")
    );
    format!("{what} {} {}", quality(subject, best), caution(subject))
}

fn quality(subject: &Subject<'_>, answers: &Answers<'_>) -> String {
    let where_ = place(answers);
    let scores = &answers.scores;
    if let Some(accuracy) = scores.accuracy {
        let most =
            scores.classes.iter().map(|class| class.rows).max().unwrap_or(0) as f64 / scores.rows as f64;
        return format!(
            "On {where_}, {} of its answers are right; always the most frequent class would be right in {}.",
            percent(accuracy),
            percent(most)
        );
    }
    let off = scores.mae.map_or(String::new(), |mae| format!("it is off by {} in the mean", four(mae)));
    let several = if subject.model.topology().outputs() > 1 { ", over all targets" } else { "" };
    match scores.r2 {
        Some(r2) if r2 > 0.0 => {
            format!("On {where_}, it explains {} of the variance, and {off}{several}.", percent(r2))
        }
        Some(_) => format!("On {where_}, it is no better than the mean of the target; {off}{several}."),
        None => format!("On {where_}, {off}{several}."),
    }
}

/// Rows in words.
pub(super) fn place(answers: &Answers<'_>) -> String {
    let rows = counted(answers.rows(), "row");
    match answers.part.kind {
        PartKind::Training => format!("the {rows} that it was trained on"),
        PartKind::Unseen => format!("{rows} that it has not seen in training"),
        PartKind::Given => format!("the {rows} given"),
    }
}

fn caution(subject: &Subject<'_>) -> &'static str {
    match (subject.best().part.kind, &subject.model.metrics().cross_validation) {
        (PartKind::Training, None) => {
            "No row was held out, so that this says little about new rows: see the scores on other rows before you \
             rely on it."
        }
        (PartKind::Training, Some(_)) => "No row was held out; the scores below have a cross-validation.",
        _ => "",
    }
}
