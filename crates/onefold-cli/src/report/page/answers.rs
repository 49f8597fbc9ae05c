//! What networks of a campaign answer: curves, answers against data, and regions of classes.

use super::Subject;
use crate::failure::Failure;
use crate::report::curves::{self, Scatter};
use onefold::error::shown;
use onefold_campaign::{Cell, Record};
use onefold_report::chart::{Axis, Chart, LOW, Layer, Style, range_of};
use onefold_report::{Block, Figure, Key, Section, anchor};

/// The colours of data and of a network's curve.
const DATA: Style = Style(8);
const NETWORK: Style = Style(0);

pub(super) fn section(subject: &Subject<'_>) -> Result<Option<Section>, Failure> {
    let mut figures = Vec::new();
    for (cell, record) in curves::representatives(subject.campaign, subject.records) {
        figures.extend(figure(cell, record)?);
    }
    let text = "For each network one run that reached the target: that with the median test result.";
    Ok((!figures.is_empty()).then(|| {
        Section::new("What networks answer", vec![Block::Text(text.into()), Block::Figures(figures)])
    }))
}

/// None for classes in more or less than a plane.
fn figure(cell: &Cell, record: &Record) -> Result<Option<Figure>, Failure> {
    let (inputs, outputs) = (cell.settings.topology.inputs(), cell.settings.topology.outputs());
    let (caption, legend, svg) = match (cell.is_classification, inputs) {
        (true, 2) if outputs == 2 => {
            let scatter = curves::regions(cell, record)?;
            (
                "Regions in which each class wins, and the points of both",
                region_keys(&scatter),
                regions(&scatter),
            )
        }
        (true, _) => return Ok(None),
        (false, 1) => {
            let (points, line) = curves::curve(cell, record)?;
            let keys = vec![Key::area(DATA, "training rows"), Key::line(NETWORK, "network")];
            ("Training rows and the curve of the network", keys, curve(points, line))
        }
        (false, _) => {
            let pairs = curves::agreement(cell, record)?;
            let keys = vec![Key::area(NETWORK, "test rows")];
            (
                "Answers of the network against the data; on the dashed line they are right",
                keys,
                agreement(pairs),
            )
        }
    };
    let network = cell.network();
    Ok(Some(Figure {
        id: format!("answers-{}", anchor(&network)),
        title: shown(&network).into_owned(),
        caption: format!("{caption}. By {}, seed {}.", cell.method(), record.seed),
        legend,
        svg,
        ..Figure::default()
    }))
}

fn curve(points: Vec<(f64, f64)>, line: Vec<(f64, f64)>) -> String {
    let x = range_of(points.iter().map(|p| p.0), 0.02);
    let y = range_of(points.iter().chain(&line).map(|p| p.1), 0.05);
    let layers = vec![Layer::Cloud(DATA, points), Layer::Line(NETWORK, line)];
    Chart { x: Axis::linear("x", x), y: Axis::linear("y", y), layers, height: Some(LOW) }.to_svg()
}

fn agreement(pairs: Vec<(f64, f64)>) -> String {
    let range = range_of(pairs.iter().flat_map(|p| [p.0, p.1]), 0.04);
    let layers = vec![Layer::Guide((range.0, range.0), (range.1, range.1)), Layer::Cloud(NETWORK, pairs)];
    let (x, y) = (Axis::linear("y in the data", range), Axis::linear("y of the network", range));
    Chart { x, y, layers, height: None }.to_svg()
}

/// The styles of both classes: for training points and regions, and for test points.
const CLASSES: [(Style, Style); 2] = [(Style(0), Style(5)), (Style(1), Style(4))];

fn region_keys(scatter: &Scatter) -> Vec<Key> {
    let key = |(name, (train, test)): (&String, (Style, Style))| {
        let name = format!("class {}", shown(name));
        [
            Key::area(train, format!("{name}, region and training points")),
            Key::area(test, format!("{name}, test points")),
        ]
    };
    scatter.classes.iter().zip(CLASSES).flat_map(key).collect()
}

fn regions(scatter: &Scatter) -> String {
    let mut layers = Vec::new();
    for (class, (style, _)) in CLASSES.into_iter().enumerate() {
        let own = scatter.rectangles.iter().filter(|r| r.class == class);
        layers.push(Layer::Regions(style, own.map(|r| (r.from, r.to)).collect()));
    }
    for (class, (train, test)) in CLASSES.into_iter().enumerate() {
        for (style, is_training) in [(train, true), (test, false)] {
            let own = scatter.points.iter().filter(|p| p.class == class && p.is_training == is_training);
            layers.push(Layer::Cloud(style, own.map(|p| p.at).collect()));
        }
    }
    let (x, y) = (Axis::linear("x1", scatter.span), Axis::linear("x2", scatter.span));
    Chart { x, y, layers, height: None }.to_svg()
}
