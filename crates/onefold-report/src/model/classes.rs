//! Predicted and true classes.

use super::Subject;
use crate::chart::{Axis, Chart, Layer, Point, Style};
use crate::number::{counted, four};
use crate::page::{Block, Figure, Key, Section};
use crate::table::{Cell, Column, Table};
use curves::{Bin, calibration, characteristic};

mod curves;

/// Most classes whose confusions fit a table.
const MOST_CLASSES: usize = 12;
/// Most curves of a chart.
const MOST_CURVES: usize = 12;

pub(super) fn section(subject: &Subject<'_>) -> Section {
    let answers = subject.best();
    let mut blocks = vec![Block::Text(format!("All of this is about {}.", super::sentence::place(answers)))];
    let confusion = answers.scores.confusion.clone().unwrap_or_default();
    if confusion.len() <= MOST_CLASSES {
        blocks.push(Block::Table(confusion_table(subject, &confusion)));
    } else {
        blocks.push(Block::Table(worst_confusions(subject, &confusion)));
    }
    blocks.push(Block::Table(class_table(subject)));
    let mut figures = vec![roc(subject)];
    figures.extend(reliability(subject));
    blocks.push(Block::Figures(figures));
    Section::new("Predicted and true", blocks)
}

/// A row for each true class, a column for each predicted one; shaded by the fraction of the row.
fn confusion_table(subject: &Subject<'_>, confusion: &[Vec<u64>]) -> Table {
    const SHADES: [&str; 7] = ["h0 zero", "h1", "h2", "h3", "h4", "h5", "h6"];
    let names = subject.model.output_names();
    let mut table = Table::new(
        "Confusion matrix: a row for each true class, a column for each predicted one; numbers are rows, and right \
         answers stand on the diagonal.",
        &["true class"],
    );
    table.is_matrix = true;
    let predicted = |name: &String| Column { title: crate::markup::shortened(name, 18), is_number: true };
    table.columns.extend(names.iter().map(predicted));
    for (i, counts) in confusion.iter().enumerate() {
        let all = counts.iter().sum::<u64>().max(1) as f64;
        let cell = |n: &u64| {
            let shade = (6.0 * *n as f64 / all).ceil() as usize;
            Cell::count(*n).of_class(SHADES[shade.min(6)])
        };
        let mut row: Vec<Cell> = vec![names[i].as_str().into()];
        row.extend(counts.iter().map(cell));
        table.rows.push(row);
    }
    table
}

/// The most frequent wrong answers, where there are too many classes for a matrix.
fn worst_confusions(subject: &Subject<'_>, confusion: &[Vec<u64>]) -> Table {
    let names = subject.model.output_names();
    let mut wrong: Vec<(u64, usize, usize)> = Vec::new();
    for (i, counts) in confusion.iter().enumerate() {
        wrong.extend(counts.iter().enumerate().filter(|(j, n)| *j != i && **n > 0).map(|(j, n)| (*n, i, j)));
    }
    wrong.sort_by_key(|(rows, _, _)| std::cmp::Reverse(*rows));
    let mut table = Table::new(
        "The most frequent wrong answers; there are too many classes for a confusion matrix.",
        &["true class", "predicted class", "#rows"],
    );
    for (n, i, j) in wrong.into_iter().take(20) {
        table.rows.push(vec![names[i].as_str().into(), names[j].as_str().into(), Cell::count(n)]);
    }
    table
}

fn class_table(subject: &Subject<'_>) -> Table {
    let mut table = Table::new(
        "Each class. Precision: of the rows predicted as it, the fraction that is; recall: of its rows, the fraction \
         that is found; F1: their harmonic mean; AUC: the chance that a row of it has a higher score than another.",
        &["class", "#rows", "#precision", "#recall", "#F1", "#AUC"],
    )
    .sortable();
    let answers = subject.best();
    for class in &answers.scores.classes {
        table.rows.push(vec![
            class.class.as_str().into(),
            Cell::count(class.rows),
            Cell::percent(class.precision),
            Cell::percent(class.recall),
            Cell::four(class.f1),
            Cell::four(class.auc),
        ]);
    }
    table
}

/// Receiver operating characteristics of each class against the others.
fn roc(subject: &Subject<'_>) -> Figure {
    let answers = subject.best();
    let names = subject.model.output_names();
    // Of two classes, the curve of one is that of the other, turned.
    let classes: Vec<usize> = if names.len() == 2 { vec![1] } else { (0..names.len()).collect() };
    let area = |k: usize| answers.scores.classes[k].auc;
    let mut curves: Vec<(usize, f64, Vec<Point>)> =
        classes.into_iter().filter_map(|k| Some((k, area(k)?, characteristic(answers, k)?))).collect();
    let all = curves.len();
    curves.sort_by(|a, b| a.1.total_cmp(&b.1));
    curves.truncate(MOST_CURVES);
    curves.sort_by_key(|(k, _, _)| *k);
    let mut layers = vec![Layer::Guide((0.0, 0.0), (1.0, 1.0))];
    let mut legend = Vec::new();
    for (i, (k, area, points)) in curves.into_iter().enumerate() {
        let name = crate::markup::shortened(&names[k], 24);
        legend.push(Key::line(Style(i), format!("{name}, area {area:.3}")));
        layers.push(Layer::Line(Style(i), points));
    }
    let chart = Chart {
        x: Axis::fraction("false positive rate"),
        y: Axis::fraction("true positive rate"),
        layers,
        height: None,
    };
    let which = match (names.len(), all > MOST_CURVES) {
        (2, _) => "The class in the legend against the other one.".to_string(),
        (_, false) => "Each class against all others.".to_string(),
        (_, true) => format!("The {MOST_CURVES} classes with the smallest areas, each against all others."),
    };
    Figure {
        id: "roc".into(),
        title: "Receiver operating characteristic".into(),
        caption: format!(
            "{which} The nearer to the upper left corner, the better; the dashed line is chance."
        ),
        legend,
        svg: chart.to_svg(),
        ..Figure::default()
    }
}

/// Whether probabilities are as often right as they say.
fn reliability(subject: &Subject<'_>) -> Option<Figure> {
    if !subject.model.has_probabilities() {
        return None;
    }
    let bins: Vec<Bin> = calibration(subject.best()).into_iter().filter(|bin| bin.rows > 0).collect();
    let marks = bins.iter().map(|bin| (bin.probability, bin.correct)).collect();
    let intervals = bins.iter().map(|bin| (bin.probability, bin.interval.0, bin.interval.1)).collect();
    let line = bins.iter().map(|bin| (bin.probability, bin.correct)).collect();
    let chart = Chart {
        x: Axis::fraction("predicted probability"),
        y: Axis::fraction("right answers"),
        layers: vec![
            Layer::Guide((0.0, 0.0), (1.0, 1.0)),
            Layer::Intervals(Style(8), intervals),
            Layer::Line(Style(0), line),
            Layer::Marks(Style(0), marks),
        ],
        height: None,
    };
    let mut numbers = Table::new(
        "Rows by the probability of the predicted class.",
        &["#mean probability", "#right", "#rows"],
    );
    for bin in &bins {
        numbers.rows.push(vec![
            Cell::percent(Some(bin.probability)),
            Cell::percent(Some(bin.correct)),
            Cell::count(bin.rows as u64),
        ]);
    }
    let error = subject.best().scores.calibration_error.unwrap_or(f64::NAN);
    Some(Figure {
        id: "calibration".into(),
        title: "Calibration".into(),
        caption: format!(
            "Rows in {} by the probability of the predicted class. On the dashed line, probabilities are as often right \
             as they say; below it they promise too much. Vertical lines: 95 % intervals. Expected calibration error {}.",
            counted(bins.len(), "bin"),
            four(error)
        ),
        legend: Vec::new(),
        svg: chart.to_svg(),
        numbers: Some(numbers),
        is_wide: false,
    })
}
