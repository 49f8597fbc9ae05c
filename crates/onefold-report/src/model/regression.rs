//! Predicted and true numbers, and what is between them.

use super::answers::sample;
use super::rows::PartKind;
use super::{Answers, Subject};
use crate::chart::{Axis, Chart, LOW, Layer, Style, range_of};
use crate::number::{counted, fixed, four, grouped, percent};
use crate::page::{Block, Figure, Key, Section, anchor};
use crate::table::{Cell, Table};

/// Most points of a chart.
const MOST_POINTS: usize = 1500;
/// The level of prediction intervals.
const LEVEL: f64 = 0.9;
/// The colour of prediction intervals.
const BAND: Style = Style(2);
/// Most targets with charts.
const MOST_TARGETS: usize = 6;

pub(super) fn section(subject: &Subject<'_>) -> Section {
    let names = subject.model.output_names();
    let mut blocks = Vec::new();
    for (output, name) in names.iter().enumerate().take(MOST_TARGETS) {
        if names.len() > 1 {
            blocks.push(Block::Heading(onefold::error::shown(name).into_owned()));
        }
        let pairs: Vec<Pairs<'_>> = subject.answers.iter().map(|a| Pairs::new(a, output)).collect();
        let figures = vec![
            against(name, &pairs, interval(subject, output)),
            residuals(name, &pairs),
            histogram(name, subject, output),
        ];
        blocks.push(Block::Figures(figures));
    }
    if names.len() > MOST_TARGETS {
        let rest = names.len() - MOST_TARGETS;
        blocks.push(Block::Note(format!("{} without charts.", counted(rest, "more target"))));
    }
    Section::new("Predicted and true", blocks)
}

/// The points of a part that are drawn.
struct Pairs<'a> {
    answers: &'a Answers<'a>,
    style: Style,
    points: Vec<(f64, f64)>,
}

impl<'a> Pairs<'a> {
    fn new(answers: &'a Answers<'a>, output: usize) -> Self {
        let all = answers.pairs(output);
        let points = sample(all.len(), MOST_POINTS).into_iter().map(|i| all[i]).collect();
        Self { answers, style: style(answers), points }
    }

    fn key(&self) -> Key {
        let (shown, all) = (self.points.len(), self.answers.rows());
        let some = if shown < all {
            format!(", {} of {}", grouped(shown as u64), grouped(all as u64))
        } else {
            String::new()
        };
        Key::area(self.style, format!("{}{some}", self.answers.part.kind.name()))
    }
}

/// The colour of a part on all charts.
fn style(answers: &Answers<'_>) -> Style {
    Style(if answers.part.kind == PartKind::Training { 8 } else { 0 })
}

/// Half of the width of a target's 90 % prediction interval, and the fraction of the rows whose true value
/// lies in it; none unless the model has intervals.
pub(super) fn interval(subject: &Subject<'_>, output: usize) -> Option<(f64, f64)> {
    subject.model.intervals()?;
    let half = *subject.model.half_widths(LEVEL).ok()?.get(output)?;
    let pairs = subject.best().pairs(output);
    let inside = pairs.iter().filter(|(y, p)| (y - p).abs() <= half).count();
    Some((half, inside as f64 / pairs.len() as f64))
}

fn against(name: &str, parts: &[Pairs<'_>], interval: Option<(f64, f64)>) -> Figure {
    let all = parts.iter().flat_map(|p| &p.points);
    let range = range_of(all.flat_map(|(y, p)| [*y, *p]), 0.04);
    let band = |(half, _)| {
        let ends = [range.0 - half, range.1 + half];
        Layer::Band(BAND, ends.map(|x: f64| (x, x - half, x + half)).to_vec())
    };
    let mut layers: Vec<Layer> = interval.map(band).into_iter().collect();
    layers.push(Layer::Guide((range.0, range.0), (range.1, range.1)));
    layers.extend(parts.iter().map(|p| Layer::Cloud(p.style, p.points.clone())));
    let chart = Chart {
        x: Axis::linear(format!("true {name}"), range),
        y: Axis::linear(format!("predicted {name}"), range),
        layers,
        height: None,
    };
    let mut legend: Vec<Key> = parts.iter().map(Pairs::key).collect();
    let best = parts.last().map_or("", |part| part.answers.part.kind.name());
    let coverage = interval.map_or(String::new(), |(half, inside)| {
        legend.push(Key::area(BAND, format!("90 % prediction interval, ± {}", four(half))));
        format!(
            " In the band they are not farther off than the prediction interval: {} of the {best}.",
            percent(inside)
        )
    });
    Figure {
        id: format!("against-{}", anchor(name)),
        title: "Predicted against true".into(),
        caption: format!("On the dashed line predictions are right.{coverage}"),
        legend,
        svg: chart.to_svg(),
        ..Figure::default()
    }
}

fn residuals(name: &str, parts: &[Pairs<'_>]) -> Figure {
    let off = |(y, p): &(f64, f64)| (*p, y - p);
    let points: Vec<Vec<(f64, f64)>> = parts.iter().map(|p| p.points.iter().map(off).collect()).collect();
    let x = range_of(points.iter().flatten().map(|p| p.0), 0.04);
    let y = range_of(points.iter().flatten().map(|p| p.1).chain([0.0]), 0.06);
    let mut layers: Vec<Layer> =
        parts.iter().zip(points).map(|(p, points)| Layer::Cloud(p.style, points)).collect();
    layers.push(Layer::Guide((x.0, 0.0), (x.1, 0.0)));
    let chart = Chart {
        x: Axis::linear(format!("predicted {name}"), x),
        y: Axis::linear("residual: true − predicted", y),
        layers,
        height: None,
    };
    Figure {
        id: format!("residuals-{}", anchor(name)),
        title: "Residuals against predictions".into(),
        caption:
            "A good model leaves a band without a shape around 0; a bend is something it has not learnt, a \
                  funnel an error that grows."
                .into(),
        legend: parts.iter().map(Pairs::key).collect(),
        svg: chart.to_svg(),
        ..Figure::default()
    }
}

/// The residuals of the part that says most about new rows.
fn histogram(name: &str, subject: &Subject<'_>, output: usize) -> Figure {
    let answers = subject.best();
    let residuals: Vec<f64> = answers.pairs(output).iter().map(|(y, p)| y - p).collect();
    let bins = Bins::new(residuals);
    let most = bins.counts.iter().copied().max().unwrap_or(1) as f64;
    let bar = |(i, n): (usize, &usize)| {
        ((bins.edge(i) + 0.06 * bins.width, 0.0), (bins.edge(i + 1) - 0.06 * bins.width, *n as f64))
    };
    let bars = bins.counts.iter().enumerate().filter(|(_, n)| **n > 0).map(bar).collect();
    let ends = (bins.edge(0), bins.edge(bins.counts.len()));
    let chart = Chart {
        x: Axis::linear("residual: true − predicted", ends),
        y: Axis::linear("rows", (0.0, 1.06 * most)),
        layers: vec![Layer::Rectangles(style(answers), bars), Layer::Guide((0.0, 0.0), (0.0, 2.0 * most))],
        height: Some(LOW),
    };
    let mut numbers = Table::new("Rows by residual.", &["#from", "#to", "#rows"]);
    for (i, n) in bins.counts.iter().enumerate() {
        let cell = |v: f64| Cell::number(fixed(v, bins.decimals()), v);
        numbers.rows.push(vec![cell(bins.edge(i)), cell(bins.edge(i + 1)), Cell::count(*n as u64)]);
    }
    Figure {
        id: format!("histogram-{}", anchor(name)),
        title: "Histogram of residuals".into(),
        caption: format!(
            "{}. Half of them lie between {} and {}.",
            sentence_case(answers.part.kind.name()),
            four(bins.quartiles.0),
            four(bins.quartiles.1)
        ),
        svg: chart.to_svg(),
        numbers: Some(numbers),
        ..Figure::default()
    }
}

fn sentence_case(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Counts in bins of equal, round width, of which one begins at 0.
struct Bins {
    first: f64,
    width: f64,
    counts: Vec<usize>,
    quartiles: (f64, f64),
}

impl Bins {
    fn new(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |q: f64| values[((values.len() - 1) as f64 * q).round() as usize];
        let (low, high) = (at(0.0), at(1.0));
        // As many as Freedman and Diaconis advise, within limits.
        let advised = 2.0 * (at(0.75) - at(0.25)) / (values.len() as f64).cbrt();
        let span = (high - low).max(f64::MIN_POSITIVE.max(1e-12 * high.abs()));
        let rough = advised.clamp(span / 40.0, span / 7.0);
        let power = 10f64.powf(rough.log10().floor());
        let width =
            [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|w| *w >= rough).unwrap_or(rough);
        let first = (low / width).floor();
        let count = ((high / width).floor() - first) as usize + 1;
        let mut counts = vec![0; count.min(100)];
        let last = counts.len() - 1;
        values
            .iter()
            .for_each(|v| counts[((v / width).floor() - first).clamp(0.0, last as f64) as usize] += 1);
        Self { first, width, counts, quartiles: (at(0.25), at(0.75)) }
    }

    fn edge(&self, i: usize) -> f64 {
        (self.first + i as f64) * self.width
    }

    /// Decimals that tell edges apart.
    fn decimals(&self) -> usize {
        (-self.width.log10().floor()).clamp(0.0, 12.0) as usize
    }
}
