//! Evaluations by the size of networks, and how the best cost decreases.

use super::Subject;
use crate::report::curves::{self, BySize, Convergence};
use onefold::error::shown;
use onefold_report::chart::{Axis, Chart, LOW, Layer, range_of};
use onefold_report::{Block, Figure, Section, anchor};

pub(super) fn sections(subject: &Subject<'_>) -> Vec<Section> {
    let sizes: Vec<Figure> = curves::against_neurons(subject.rows, subject.records)
        .into_iter()
        .map(|(data, series)| by_size(subject, &data, &series))
        .collect();
    let convergence: Vec<Figure> = curves::convergence(subject.campaign, subject.records)
        .into_iter()
        .map(|found| convergence(subject, &found))
        .collect();
    let section = |title: &str, text: &str, figures: Vec<Figure>| {
        (!figures.is_empty()).then(|| {
            Section::new(title, vec![Block::Text(text.into()), subject.legend(), Block::Figures(figures)])
        })
    };
    let by_size = section(
        "Evaluations by size",
        "Evaluations to the target against the number of hidden neurons, of the runs that reached it: medians, and vertical lines \
         from the lower to the upper quartile.",
        sizes,
    );
    let by_time = section(
        "Convergence",
        "The best cost against evaluations: medians over the runs, and bands from the lower to the upper quartile. A run that has \
         ended keeps its last cost. The dashed line is the target.",
        convergence,
    );
    by_size.into_iter().chain(by_time).collect()
}

fn by_size(subject: &Subject<'_>, data: &str, series: &BySize) -> Figure {
    let points = || series.iter().flat_map(|(_, points)| points);
    let x = range_of(points().map(|p| p.neurons), 0.06);
    let (low, high) = range_of(points().flat_map(|p| [p.lower.log10(), p.upper.log10()]), 0.05);
    let mut layers = Vec::new();
    for (i, (method, points)) in series.iter().enumerate() {
        let style = subject.style(*method);
        // Side by side, so that no line covers another.
        let shift = 0.12 * (i as f64 - (series.len() - 1) as f64 / 2.0);
        layers.push(Layer::Intervals(
            style,
            points.iter().map(|p| (p.neurons + shift, p.lower, p.upper)).collect(),
        ));
        layers.push(Layer::Line(style, points.iter().map(|p| (p.neurons + shift, p.median)).collect()));
        layers.push(Layer::Marks(style, points.iter().map(|p| (p.neurons + shift, p.median)).collect()));
    }
    let chart = Chart {
        x: Axis::linear("hidden neurons", x),
        y: Axis::log("evaluations", (10f64.powf(low), 10f64.powf(high))),
        layers,
        height: Some(LOW + 40.0),
    };
    Figure {
        id: format!("neurons-{}", anchor(data)),
        title: shown(data).into_owned(),
        caption: format!("Networks of one hidden layer on {}.", shown(data)),
        svg: chart.to_svg(),
        ..Figure::default()
    }
}

fn convergence(subject: &Subject<'_>, found: &Convergence) -> Figure {
    let Convergence { network, series, threshold } = found;
    let points = || series.iter().flat_map(|(_, band)| band);
    let is_positive = |v: &f64| *v > 0.0;
    let x = range_of(points().map(|p| p.0).filter(is_positive).map(f64::log10), 0.02);
    let costs = points().flat_map(|p| [p.1, p.2, p.3]).chain(*threshold);
    let y = range_of(costs.filter(is_positive).map(f64::log10), 0.04);
    let power = |(low, high): (f64, f64)| (10f64.powf(low), 10f64.powf(high));
    let (x, y) = (power(x), power(y));
    let mut layers = Vec::new();
    for (method, band) in series {
        let style = subject.style(*method);
        layers.push(Layer::Band(style, band.iter().map(|p| (p.0, p.1, p.3)).collect()));
    }
    for (method, band) in series {
        layers.push(Layer::Line(subject.style(*method), band.iter().map(|p| (p.0, p.2)).collect()));
    }
    layers.extend(threshold.map(|threshold| Layer::Guide((x.0, threshold), (x.1, threshold))));
    let chart =
        Chart { x: Axis::log("evaluations", x), y: Axis::log("best cost", y), layers, height: Some(LOW) };
    let target = threshold.map_or("No target".into(), |threshold| format!("Target {threshold:e}"));
    Figure {
        id: format!("convergence-{}", anchor(network)),
        title: shown(network).into_owned(),
        caption: format!("{target}."),
        svg: chart.to_svg(),
        ..Figure::default()
    }
}
