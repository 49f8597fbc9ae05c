//! Which columns matter, and how answers depend on them.

use super::Subject;
use crate::chart::{Axis, Chart, LOW, Layer, Scale, Style, range_of};
use crate::markup::shortened;
use crate::number::{counted, four};
use crate::page::{Block, Figure, Key, Section, anchor};
use crate::table::{Cell, Table};
use onefold::error::shown;
use onefold::inspection::{
    Curve, CurvePoint, DependenceSettings, Importance, ImportanceSettings, dependence, importance,
};
use onefold::scores::Metric;

/// Most columns in the chart of importances.
const MOST_COLUMNS: usize = 20;
/// Most charts of dependence.
const MOST_CURVES: usize = 6;
/// Most classes of a chart of dependence.
const MOST_CLASSES: usize = 6;
/// Most categories of a chart of dependence.
const MOST_CATEGORIES: usize = 24;
/// Height of a line of a chart with names.
const LINE: f64 = 18.0;

/// None where importance cannot be measured, as on a single row.
pub(super) fn section(subject: &Subject<'_>) -> Option<Section> {
    let data = &subject.best().part.data;
    let found = importance(subject.model, data, &ImportanceSettings::default()).ok()?;
    let mut figures = vec![importances(subject, &found)];
    let outputs = outputs(subject);
    let most = MOST_CURVES / outputs.len().max(1);
    for column in found.columns.iter().take(most.max(1)) {
        let curve = dependence(subject.model, data, &column.column, &DependenceSettings::default());
        let Ok(curve) = curve else { continue };
        figures.extend(outputs.iter().map(|which| dependence_of(subject, &curve, which)));
    }
    let text = format!(
        "Both are measured on {}. They say what the model does, not what causes what: columns that go together share their \
         importance, and values are exchanged or set also where that makes rows that do not occur.",
        super::sentence::place(subject.best())
    );
    Some(Section::new("What matters", vec![Block::Text(text), Block::Figures(figures)]))
}

fn importances(subject: &Subject<'_>, found: &Importance) -> Figure {
    let shown_columns = &found.columns[..found.columns.len().min(MOST_COLUMNS)];
    let ends = shown_columns.iter().flat_map(|c| [c.lower, c.upper]).chain([0.0]);
    let range = range_of(ends, 0.03);
    let bar = |(i, c): (usize, &onefold::inspection::ColumnImportance)| {
        ((0.0, i as f64 - 0.32), (c.importance, i as f64 + 0.32))
    };
    let bars = shown_columns.iter().enumerate().map(bar).collect();
    let intervals = shown_columns.iter().enumerate().map(|(i, c)| (c.lower, c.upper, i as f64)).collect();
    let (what, direction) = metric_text(found.metric);
    let chart = Chart {
        x: Axis::linear(format!("{direction} of the {what}"), range),
        y: Axis::names("", shown_columns.iter().map(|c| shown(&c.column).into_owned()).collect(), true),
        layers: vec![Layer::Rectangles(Style(0), bars), Layer::HorizontalIntervals(Style(8), intervals)],
        height: Some((LINE * shown_columns.len() as f64).max(60.0)),
    };
    let mut numbers =
        Table::new("Importance of each column.", &["column", "#importance", "#low", "#high"]).sortable();
    for column in &found.columns {
        let cells = [column.importance, column.lower, column.upper].map(|v| Cell::four(Some(v)));
        numbers.rows.push(std::iter::once(column.column.as_str().into()).chain(cells).collect());
    }
    let rows = subject.best().rows();
    let of_rows = if found.rows < rows {
        format!(" Measured on {} of these.", counted(found.rows, "row"))
    } else {
        String::new()
    };
    let only = if found.columns.len() > MOST_COLUMNS {
        format!(" The {MOST_COLUMNS} most important of {}.", counted(found.columns.len(), "column"))
    } else {
        String::new()
    };
    Figure {
        id: "importance".into(),
        title: "Importance of columns".into(),
        caption: format!(
            "By how much the {what} gets worse, from {}, if the values of a column are exchanged at random between rows, {}; \
             lines are 95 % intervals.{only}{of_rows}",
            four(found.score),
            if found.repeats == 1 { "once".into() } else { format!("{} times", found.repeats) },
        ),
        svg: chart.to_svg(),
        numbers: Some(numbers),
        is_wide: true,
        ..Figure::default()
    }
}

/// What a metric is called, and in which direction it gets worse.
fn metric_text(metric: Metric) -> (&'static str, &'static str) {
    let name = match metric {
        Metric::LogLoss => "log loss",
        Metric::Rmse => "RMSE",
        other => other.name(),
    };
    (name, if metric.is_better_if_higher() { "decrease" } else { "increase" })
}

/// The outputs of one chart of dependence.
struct Outputs {
    places: Vec<usize>,
    /// What the values are.
    label: String,
}

/// For numbers one chart for each target, for classes one chart for all, of two classes for the second.
fn outputs(subject: &Subject<'_>) -> Vec<Outputs> {
    let names = subject.model.output_names();
    if !subject.model.is_classification() {
        let of_target =
            |(k, name): (usize, &String)| Outputs { places: vec![k], label: format!("predicted {name}") };
        return names.iter().enumerate().take(3).map(of_target).collect();
    }
    let what = if subject.model.has_probabilities() { "probability" } else { "score" };
    if names.len() == 2 {
        return vec![Outputs { places: vec![1], label: format!("{what} of {}", names[1]) }];
    }
    vec![Outputs { places: (0..names.len().min(MOST_CLASSES)).collect(), label: what.into() }]
}

fn dependence_of(subject: &Subject<'_>, curve: &Curve, which: &Outputs) -> Figure {
    let is_numbers = curve.points.iter().any(|point| point.number.is_some());
    let chart = if is_numbers { of_numbers(curve, which) } else { of_categories(curve, which) };
    let names = subject.model.output_names();
    let legend = if which.places.len() > 1 {
        let key = |(i, k): (usize, &usize)| Key {
            style: Style(i),
            is_line: is_numbers,
            label: shortened(&names[*k], 24),
        };
        which.places.iter().enumerate().map(key).collect()
    } else {
        Vec::new()
    };
    let mut titles = vec![shown(&curve.column).into_owned()];
    titles.extend(which.places.iter().map(|k| format!("#{}", shortened(&names[*k], 18))));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut numbers = Table::new(&format!("Mean of the {}.", shown(&which.label)), &titles);
    for point in &curve.points {
        let cells = which.places.iter().map(|k| Cell::four(Some(point.mean[*k])));
        numbers.rows.push(std::iter::once(point.value.as_str().into()).chain(cells).collect());
    }
    let missing = curve.points.iter().find(|point| is_numbers && point.number.is_none());
    let missing = missing.map_or(String::new(), |point| {
        let means: Vec<String> = which.places.iter().map(|k| four(point.mean[*k])).collect();
        format!(" Where it is missing: {}.", means.join(", "))
    });
    let spread = if which.places.len() == 1 { ", with the spread of eight tenths of the rows" } else { "" };
    let some = if which.places.len() < names.len() && which.places.len() > 1 {
        format!(" The first {MOST_CLASSES} classes.")
    } else {
        String::new()
    };
    let cut = if !is_numbers && curve.points.len() > MOST_CATEGORIES {
        format!(" The first {MOST_CATEGORIES} of {} values.", curve.points.len())
    } else {
        String::new()
    };
    Figure {
        id: format!("dependence-{}-{}", anchor(&curve.column), column_number(subject, curve, which)),
        title: format!("Dependence on {}", shown(&curve.column)),
        caption: format!(
            "Mean of the {} if all rows had this value{spread}.{missing}{some}{cut}",
            shown(&which.label)
        ),
        legend,
        svg: chart.to_svg(),
        numbers: Some(numbers),
        is_wide: false,
    }
}

/// What tells figures apart whose columns have like names.
fn column_number(subject: &Subject<'_>, curve: &Curve, which: &Outputs) -> String {
    let schema = subject.model.schema();
    let place = schema.inputs.iter().position(|column| column.name == curve.column).unwrap_or(0);
    format!("{}-{}", place + 1, which.places.first().map_or(0, |k| k + 1))
}

/// The range of all values that are drawn.
fn range(points: &[&CurvePoint], which: &Outputs) -> (f64, f64) {
    let is_alone = which.places.len() == 1;
    let values = points.iter().flat_map(|point| {
        which.places.iter().flat_map(move |k| {
            if is_alone { [point.lower[*k], point.mean[*k], point.upper[*k]] } else { [point.mean[*k]; 3] }
        })
    });
    range_of(values, 0.05)
}

fn of_numbers(curve: &Curve, which: &Outputs) -> Chart {
    let points: Vec<&CurvePoint> = curve.points.iter().filter(|point| point.number.is_some()).collect();
    let at = |point: &CurvePoint| point.number.unwrap_or(f64::NAN);
    let x = range_of(points.iter().map(|point| at(point)), 0.02);
    // A date stands for itself, not for the days after the first one.
    let is_date = points.iter().any(|point| point.value.matches(['-', ':']).count() >= 2);
    let mut layers = Vec::new();
    for (i, k) in which.places.iter().enumerate() {
        if which.places.len() == 1 {
            layers.push(Layer::Band(
                Style(i),
                points.iter().map(|p| (at(p), p.lower[*k], p.upper[*k])).collect(),
            ));
        }
        layers.push(Layer::Line(Style(i), points.iter().map(|p| (at(p), p.mean[*k])).collect()));
    }
    let scale = if is_date { Scale::At(some_dates(&points)) } else { Scale::Linear };
    Chart {
        x: Axis { label: curve.column.clone(), range: x, scale },
        y: Axis::linear(which.label.clone(), range(&points, which)),
        layers,
        height: Some(LOW),
    }
}

/// The first, a middle and the last date.
fn some_dates(points: &[&CurvePoint]) -> Vec<(f64, String)> {
    let text = |point: &CurvePoint| {
        let date = point.value.split([' ', 'T']).next().unwrap_or_default();
        Some((point.number?, date.to_string()))
    };
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let middle = f64::midpoint(first.number.unwrap_or(0.0), last.number.unwrap_or(0.0));
    let distance = |point: &&&CurvePoint| (point.number.unwrap_or(0.0) - middle).abs();
    let nearest = points.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    [Some(first), nearest, Some(last)].into_iter().flatten().filter_map(|point| text(point)).collect()
}

fn of_categories(curve: &Curve, which: &Outputs) -> Chart {
    let points: Vec<&CurvePoint> = curve.points.iter().take(MOST_CATEGORIES).collect();
    let mut layers = Vec::new();
    for (i, k) in which.places.iter().enumerate() {
        let place = |(row, _): &(usize, &&CurvePoint)| *row as f64;
        if which.places.len() == 1 {
            let spread = points.iter().enumerate().map(|p| (p.1.lower[*k], p.1.upper[*k], place(&p)));
            layers.push(Layer::HorizontalIntervals(Style(8), spread.collect()));
        }
        let means = points.iter().enumerate().map(|p| (p.1.mean[*k], place(&p)));
        layers.push(Layer::Marks(Style(i), means.collect()));
    }
    Chart {
        x: Axis::linear(which.label.clone(), range(&points, which)),
        y: Axis::names("", points.iter().map(|point| shown(&point.value).into_owned()).collect(), true),
        layers,
        height: Some((LINE * points.len() as f64).max(60.0)),
    }
}
