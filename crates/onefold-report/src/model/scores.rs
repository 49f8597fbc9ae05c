//! The scores of a model.

use super::rows::PartKind;
use super::{Answers, Subject};
use crate::number::{counted, four, percent};
use crate::page::{Block, Card, Section};
use crate::table::{Cell, Column, Table};
use onefold::model::CrossValidation;
use onefold::scores::Scores;

/// How a score is written.
#[derive(Clone, Copy)]
enum Unit {
    Number,
    Fraction,
}

/// A score: its name, what it means, its unit and its value.
type Score = (&'static str, &'static str, Unit, fn(&Scores) -> Option<f64>);

const REGRESSION: [Score; 3] = [
    ("R²", "fraction of the variance that is explained; 1 is best", Unit::Number, |s| s.r2),
    ("RMSE", "root mean squared error, in units of the target", Unit::Number, |s| Some(s.rmse)),
    ("MAE", "mean absolute error, in units of the target", Unit::Number, |s| s.mae),
];

const CLASSES: [Score; 8] = [
    ("accuracy", "fraction of right answers", Unit::Fraction, |s| s.accuracy),
    (
        "AUC",
        "chance that a row of a class has a higher score than another, mean over classes",
        Unit::Number,
        |s| s.auc,
    ),
    ("log loss", "mean of −ln p of the right class; 0 is best", Unit::Number, |s| s.log_loss),
    ("balanced accuracy", "mean over classes of the fraction found", Unit::Fraction, |s| s.balanced_accuracy),
    ("macro F1", "mean over classes of the harmonic mean of precision and recall", Unit::Number, |s| s.f1),
    ("average precision", "mean over classes of the mean precision over recall", Unit::Number, |s| {
        s.average_precision
    }),
    ("Brier score", "mean squared error of probabilities; 0 is best", Unit::Number, |s| s.brier),
    (
        "calibration error",
        "mean distance of probabilities from the fraction of right answers",
        Unit::Number,
        |s| s.calibration_error,
    ),
];

/// Scores that stand above the page.
const MOST_CARDS: usize = 3;

fn all(subject: &Subject<'_>) -> &'static [Score] {
    if subject.model.is_classification() { &CLASSES } else { &REGRESSION }
}

fn shown(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Number => four(value),
        Unit::Fraction => percent(value),
    }
}

/// The scores as large numbers.
pub(super) fn cards(subject: &Subject<'_>) -> Vec<Card> {
    let best = subject.best();
    let training = subject.answers.iter().find(|a| a.part.kind == PartKind::Training);
    let mut cards: Vec<Card> = all(subject)
        .iter()
        .take(MOST_CARDS)
        .filter_map(|(name, _, unit, value)| {
            let note = training
                .filter(|t| t.part.kind != best.part.kind)
                .and_then(|t| value(&t.scores))
                .map_or(String::new(), |v| format!("training rows {}", shown(*unit, v)));
            Some(Card { value: shown(*unit, value(&best.scores)?), label: (*name).into(), note })
        })
        .collect();
    cards.push(Card {
        value: crate::number::grouped(best.rows() as u64),
        label: best.part.kind.name().into(),
        note: training
            .filter(|t| t.part.kind != best.part.kind)
            .map_or(String::new(), |t| format!("{} training", crate::number::grouped(t.rows() as u64))),
    });
    if let Some((half, _)) = super::regression::interval(subject, 0) {
        let note = "around a prediction".into();
        cards.push(Card { value: format!("± {}", four(half)), label: "90 % interval".into(), note });
    }
    cards
}

pub(super) fn section(subject: &Subject<'_>) -> Section {
    let mut table = Table::new("", &["score"]);
    let parts = &subject.answers;
    let number = |title: String| Column { title, is_number: true };
    table.columns.extend(parts.iter().map(|a| number(title(a))));
    let folds = subject.model.metrics().cross_validation.as_ref();
    if let Some(folds) = folds {
        table.columns.push(number(format!("held-out rows of {} folds", folds.mse.len())));
    }
    for (name, _, unit, value) in all(subject) {
        let cell = |v: Option<f64>| v.map_or_else(Cell::default, |v| Cell::number(shown(*unit, v), v));
        let mut row: Vec<Cell> = vec![(*name).into()];
        row.extend(parts.iter().map(|a| cell(value(&a.scores))));
        if let Some(folds) = folds {
            row.push(cell(folds.scores.as_ref().map_or_else(|| of_folds(name, folds), value)));
        }
        table.rows.push(row);
    }
    let rows: Vec<String> = parts.iter().map(super::sentence::place).collect();
    table.caption = format!("Scores on {}.", rows.join(" and on "));
    let meanings = all(subject).iter().map(|(name, what, _, _)| ((*name).into(), (*what).into()));
    let mut blocks = vec![Block::Table(table), Block::Facts(meanings.collect())];
    blocks.extend(targets(subject).map(Block::Table));
    if subject.rows.incomplete > 0 {
        let rows = counted(subject.rows.incomplete as usize, "row");
        blocks.push(Block::Note(format!(
            "{rows} without a target, or with missing values that the training left out, are not counted."
        )));
    }
    if subject.rows.unknown > 0 {
        let rows = counted(subject.rows.unknown as usize, "row");
        blocks.push(Block::Note(format!(
            "{rows} with texts that the training rows did not have: their mean stands for these."
        )));
    }
    Section::new("Scores", blocks)
}

fn title(answers: &Answers<'_>) -> String {
    answers.part.kind.name().into()
}

/// The mean of a score over folds, in files that have no more.
fn of_folds(name: &str, folds: &CrossValidation) -> Option<f64> {
    let mean = |values: &[f64]| CrossValidation::mean_and_deviation(values).0;
    match name {
        "RMSE" => Some(mean(&folds.mse).sqrt()),
        "accuracy" if !folds.accuracy.is_empty() => Some(mean(&folds.accuracy)),
        _ => None,
    }
}

/// The scores of each target, where there are several.
fn targets(subject: &Subject<'_>) -> Option<Table> {
    let best = subject.best();
    let mut table = Table::new(
        &format!("Each target on {}.", super::sentence::place(best)),
        &["target", "#R²", "#RMSE", "#MAE"],
    )
    .sortable();
    for target in &best.scores.targets {
        let cells = [target.r2, Some(target.rmse), Some(target.mae)].map(Cell::four);
        table.rows.push(std::iter::once(target.target.as_str().into()).chain(cells).collect());
    }
    (table.rows.len() > 1).then_some(table)
}
