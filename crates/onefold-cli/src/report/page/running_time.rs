//! Expected running times, and which fraction of the runs has reached the target after how many evaluations.

use super::Subject;
use crate::campaign::table::scientific;
use onefold::Method;
use onefold::error::shown;
use onefold_campaign::Record;
use onefold_campaign::summary::Row;
use onefold_report::chart::{Axis, Chart, LOW, Layer, range_of};
use onefold_report::{Block, Cell, Figure, Section, Table, anchor};

/// Height of a network's line.
const LINE: f64 = 24.0;

/// The expected running time: evaluations of all runs, by the number of those that reached the target. None
/// where no run did.
pub(super) fn expected<'r>(records: impl Iterator<Item = &'r Record>) -> Option<f64> {
    let (mut sum, mut reached) = (0.0, 0.0);
    for record in records {
        sum += record.effort();
        reached += f64::from(u8::from(record.reached));
    }
    (reached > 0.0).then(|| sum / reached)
}

/// The rows of each network, in order; cells of ablations have the same networks with other settings.
fn by_network<'s, 'a>(subject: &'s Subject<'a>) -> Vec<(String, Vec<&'s Row<'a>>)> {
    let mut networks: Vec<(String, Vec<&Row<'_>>)> = Vec::new();
    for row in subject.rows.iter().filter(|row| row.cell.table != "ablation") {
        let network = row.cell.network();
        match networks.iter_mut().find(|(known, _)| *known == network) {
            Some((_, rows)) => rows.push(row),
            None => networks.push((network, vec![row])),
        }
    }
    networks
}

pub(super) fn sections(subject: &Subject<'_>) -> Vec<Section> {
    let networks = by_network(subject);
    let mut sections = Vec::new();
    if let Some(figure) = running_times(subject, &networks) {
        sections.push(Section::new(
            "Expected running time",
            vec![subject.legend(), Block::Figures(vec![figure])],
        ));
    }
    let figures: Vec<Figure> = networks
        .iter()
        .filter(|(_, rows)| rows.iter().any(|row| row.cell.table != "figure"))
        .filter_map(|(network, rows)| reached_by(subject, network, rows))
        .collect();
    if !figures.is_empty() {
        let text = "Empirical distribution of the evaluations that runs needed: the fraction of the runs that have reached the \
                    target within so many evaluations. A line that ends below 100 % belongs to a method some of whose runs failed.";
        sections.push(Section::new(
            "Runs solved by evaluations",
            vec![Block::Text(text.into()), subject.legend(), Block::Figures(figures)],
        ));
    }
    sections
}

/// Expected running times of all networks, one line for each.
fn running_times(subject: &Subject<'_>, networks: &[(String, Vec<&Row<'_>>)]) -> Option<Figure> {
    let mut points: Vec<(Method, f64, usize)> = Vec::new();
    for (i, (_, rows)) in networks.iter().enumerate() {
        for row in rows {
            points.extend(expected(subject.records_of(row)).map(|time| (row.cell.method(), time, i)));
        }
    }
    if points.is_empty() {
        return None;
    }
    let (low, high) = range_of(points.iter().map(|(_, time, _)| time.log10()), 0.05);
    let of_method = |method: &Method| {
        let own = points.iter().filter(|(m, _, _)| m == method);
        Layer::Marks(subject.style(*method), own.map(|(_, time, i)| (*time, *i as f64)).collect())
    };
    let names: Vec<String> = networks.iter().map(|(name, _)| shown(name).into_owned()).collect();
    let mut titles = vec!["network".to_string()];
    titles.extend(subject.methods.iter().map(|method| format!("#{method}")));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut numbers = Table::new("Expected running times in evaluations.", &titles).sortable();
    for (i, name) in names.iter().enumerate() {
        let time = |method: &Method| {
            let found = points.iter().find(|(m, _, k)| m == method && *k == i);
            found.map_or_else(Cell::default, |(_, time, _)| Cell::number(scientific(*time), *time))
        };
        numbers
            .rows
            .push(std::iter::once(name.as_str().into()).chain(subject.methods.iter().map(time)).collect());
    }
    let count = names.len() as f64;
    let mut layers: Vec<Layer> = (0..names.len())
        .map(|i| Layer::Guide((10f64.powf(low), i as f64), (10f64.powf(high), i as f64)))
        .collect();
    layers.extend(subject.methods.iter().map(of_method));
    let chart = Chart {
        x: Axis::log("evaluations", (10f64.powf(low), 10f64.powf(high))),
        y: Axis::names("", names, true),
        layers,
        height: Some(LINE * count),
    };
    Some(Figure {
        id: "expected-running-time-chart".into(),
        title: "Expected running time".into(),
        caption: "Evaluations of all runs divided by the number of those that reached the target: what one success costs, \
                  failures included. A method without a point never reached it."
            .into(),
        svg: chart.to_svg(),
        numbers: Some(numbers),
        is_wide: true,
        ..Figure::default()
    })
}

/// The fraction of runs that have reached the target, against evaluations.
fn reached_by(subject: &Subject<'_>, network: &str, rows: &[&Row<'_>]) -> Option<Figure> {
    let mut curves = Vec::new();
    for row in rows {
        let mut efforts: Vec<f64> =
            subject.records_of(row).filter(|record| record.reached).map(Record::effort).collect();
        efforts.sort_by(f64::total_cmp);
        let last = subject.records_of(row).map(Record::effort).fold(0.0, f64::max);
        curves.push((row.cell.method(), efforts, last, row.runs as f64));
    }
    let ends = curves.iter().flat_map(|(_, efforts, last, _)| efforts.iter().copied().chain([*last]));
    let (low, high) = range_of(ends.filter(|v| *v > 0.0).map(f64::log10), 0.04);
    let line = |(method, efforts, last, runs): &(Method, Vec<f64>, f64, f64)| {
        let mut points = vec![(10f64.powf(low), 0.0)];
        for (i, effort) in efforts.iter().enumerate() {
            points.push((*effort, i as f64 / runs));
            points.push((*effort, (i + 1) as f64 / runs));
        }
        points.push((*last, efforts.len() as f64 / runs));
        Layer::Line(subject.style(*method), points)
    };
    if curves.is_empty() {
        return None;
    }
    let chart = Chart {
        x: Axis::log("evaluations", (10f64.powf(low), 10f64.powf(high))),
        y: Axis { range: (0.0, 1.02), ..Axis::fraction("runs solved") },
        layers: curves.iter().map(line).collect(),
        height: Some(LOW),
    };
    let text: Vec<String> = curves
        .iter()
        .map(|(method, efforts, _, runs)| format!("{method}: {} of {runs} runs", efforts.len()))
        .collect();
    Some(Figure {
        id: format!("solved-{}", anchor(network)),
        title: shown(network).into_owned(),
        caption: format!("{}.", text.join(", ")),
        svg: chart.to_svg(),
        ..Figure::default()
    })
}
