//! What the figures show, computed from records.

use crate::failure::Failure;
use onefold::{Dataset, Method, Training};
use onefold_campaign::statistics::quantile;
use onefold_campaign::summary::Row;
use onefold_campaign::{Campaign, Cell, Record};
use std::collections::BTreeMap;

/// Marks of the evaluation axis in each decade.
const MARKS: f64 = 8.0;
/// Rectangles along each side of a plane of regions.
const GRID: usize = 110;

/// Evaluations, lower quartile, median and upper quartile of the best cost.
pub(super) type Band = Vec<(f64, f64, f64, f64)>;

/// A plane with regions and points.
pub(super) struct Scatter {
    pub(super) span: (f64, f64),
    /// Names of both classes.
    pub(super) classes: Vec<String>,
    pub(super) rectangles: Vec<Region>,
    pub(super) points: Vec<Point>,
}

/// A rectangle in which a class wins.
pub(super) struct Region {
    pub(super) from: (f64, f64),
    pub(super) to: (f64, f64),
    pub(super) class: usize,
}

/// A point of the data.
pub(super) struct Point {
    pub(super) at: (f64, f64),
    pub(super) class: usize,
    pub(super) is_training: bool,
}

/// Evaluations of the runs on a network that reached the threshold.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// Hidden neurons.
    pub(super) neurons: f64,
    /// Quartiles of the evaluations.
    pub(super) lower: f64,
    pub(super) median: f64,
    pub(super) upper: f64,
}

/// The sizes of each method.
pub(super) type BySize = Vec<(Method, Vec<Size>)>;

/// How the methods converge on a network.
pub(super) struct Convergence {
    pub(super) network: String,
    pub(super) series: Vec<(Method, Band)>,
    pub(super) threshold: Option<f64>,
}

/// For each data set with networks of one hidden layer in at least three sizes: evaluations by size and
/// method.
pub(super) fn against_neurons(rows: &[Row<'_>], records: &[Record]) -> Vec<(String, BySize)> {
    let mut sets: BTreeMap<String, BTreeMap<&str, Vec<Size>>> = BTreeMap::new();
    let mut sizes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let is_shown =
        |row: &&Row<'_>| row.cell.table != "ablation" && !row.cell.settings.topology.has_linear_part();
    for row in rows.iter().filter(is_shown) {
        let is_own = |r: &&Record| r.cell == row.cell.name && r.reached && r.seed < row.cell.runs as u64;
        let mut efforts: Vec<f64> = records.iter().filter(is_own).map(Record::effort).collect();
        efforts.sort_by(f64::total_cmp);
        if let ([width], false) = (row.cell.settings.topology.hidden(), efforts.is_empty()) {
            let data = row.cell.source.name().to_string();
            let [lower, median, upper] = [0.25, 0.5, 0.75].map(|q| quantile(&efforts, q));
            let point = Size { neurons: *width as f64, lower, median, upper };
            sets.entry(data.clone()).or_default().entry(row.cell.method().name()).or_default().push(point);
            sizes.entry(data).or_default().push(*width);
        }
    }
    let mut found = Vec::new();
    for (data, methods) in sets {
        let mut of_set = sizes.remove(&data).unwrap_or_default();
        of_set.sort_unstable();
        of_set.dedup();
        if of_set.len() < 3 {
            continue;
        }
        let series = Method::all().filter_map(|method| {
            let mut points = methods.get(method.name())?.clone();
            points.sort_by(|a, b| a.neurons.total_cmp(&b.neurons));
            Some((method, points))
        });
        found.push((data, series.collect()));
    }
    found
}

/// For each network, the band of each method, and the threshold.
pub(super) fn convergence(campaign: &Campaign, records: &[Record]) -> Vec<Convergence> {
    let mut networks: Vec<Convergence> = Vec::new();
    for cell in campaign.cells.iter().filter(|cell| cell.table != "ablation" && cell.table != "figure") {
        let of_cell = records.iter().filter(|r| r.cell == cell.name).map(|r| r.trace.as_slice());
        let traces: Vec<&[(u64, f64)]> = of_cell.filter(|t| t.first().is_some_and(|p| p.0 > 0)).collect();
        if traces.is_empty() {
            continue;
        }
        let series = (cell.method(), band(&traces));
        let network = cell.network();
        match networks.iter_mut().find(|known| known.network == network) {
            Some(known) => known.series.push(series),
            None => networks.push(Convergence {
                network,
                series: vec![series],
                threshold: cell.settings.stop.threshold,
            }),
        }
    }
    networks
}

/// Quartiles of the best cost at the marks of a logarithmic scale.
fn band(traces: &[&[(u64, f64)]]) -> Band {
    let first = traces.iter().filter_map(|t| t.first()).map(|p| p.0).max().unwrap_or(1);
    let last = traces.iter().filter_map(|t| t.last()).map(|p| p.0).max().unwrap_or(1);
    let mark = |evaluations: u64| (evaluations as f64).log10() * MARKS;
    let mut marks: Vec<f64> =
        (mark(first).ceil() as i64..mark(last) as i64).map(|k| 10f64.powf(k as f64 / MARKS)).collect();
    marks.insert(0, first as f64);
    marks.push(last as f64);
    marks
        .into_iter()
        .map(|evaluations| {
            let cost = |trace: &&[(u64, f64)]| {
                trace.iter().take_while(|p| p.0 as f64 <= evaluations * (1.0 + 1e-9)).last().map(|p| p.1)
            };
            let mut costs: Vec<f64> = traces.iter().filter_map(cost).collect();
            costs.sort_by(f64::total_cmp);
            let at = |q| if costs.is_empty() { f64::NAN } else { quantile(&costs, q) };
            (evaluations, at(0.25), at(0.5), at(0.75))
        })
        .filter(|p| p.2.is_finite())
        .collect()
}

/// For each network, the cell of DE-SB (or another method without it), and its run with the median test
/// result.
pub(super) fn representatives<'a>(
    campaign: &'a Campaign,
    records: &'a [Record],
) -> Vec<(&'a Cell, &'a Record)> {
    let mut found: Vec<(&Cell, &Record)> = Vec::new();
    for cell in campaign.cells.iter().filter(|cell| cell.table != "ablation" && cell.table != "figure") {
        let mut reached: Vec<&Record> = records.iter().filter(|r| r.cell == cell.name && r.reached).collect();
        let test = |r: &Record| r.test_accuracy.or(r.test_mse).unwrap_or(0.0);
        reached.sort_by(|a, b| test(a).total_cmp(&test(b)).then(a.seed.cmp(&b.seed)));
        let Some(median) = reached.get(reached.len() / 2) else { continue };
        match found.iter_mut().find(|(other, _)| other.network() == cell.network()) {
            Some(place) if cell.method() == Method::DE_SB => *place = (cell, median),
            Some(_) => {}
            None => found.push((cell, median)),
        }
    }
    found
}

/// What the network of a record answers to rows.
fn answers(cell: &Cell, record: &Record, rows: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Failure> {
    let data = cell.load(record.seed)?;
    if record.parameters.len() != cell.settings.topology.dim() {
        return Err(Failure::bad_input(format!("seed {} of {} has no parameters", record.seed, cell.name)));
    }
    Ok(Training::new(cell.source.name(), &data, &cell.settings)?.predict(&record.parameters, rows))
}

/// Points of a plane.
type Points = Vec<(f64, f64)>;

/// Training points and the network's curve.
pub(super) fn curve(cell: &Cell, record: &Record) -> Result<(Points, Points), Failure> {
    let data = cell.load(record.seed)?;
    let train = &data.train;
    let xs = &train.inputs[0];
    let low = xs.iter().copied().fold(f64::INFINITY, f64::min);
    let high = xs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let rows: Vec<Vec<f64>> = (0..=300).map(|i| vec![low + (high - low) * f64::from(i) / 300.0]).collect();
    let answers = answers(cell, record, &rows)?;
    let points = xs.iter().copied().zip(train.outputs[0].iter().copied()).collect();
    Ok((points, rows.iter().zip(&answers).map(|(x, y)| (x[0], y[0])).collect()))
}

/// Test data and the network's answers.
pub(super) fn agreement(cell: &Cell, record: &Record) -> Result<Points, Failure> {
    let data = cell.load(record.seed)?;
    let test = &data.test;
    let rows: Vec<Vec<f64>> = (0..test.rows()).map(|row| test.input(row)).collect();
    let answers = answers(cell, record, &rows)?;
    Ok(answers.iter().enumerate().map(|(row, y)| (test.output(row)[0], y[0])).collect())
}

/// The regions of both classes, runs of equal class along a line in one rectangle.
pub(super) fn regions(cell: &Cell, record: &Record) -> Result<Scatter, Failure> {
    let data = cell.load(record.seed)?;
    let winner = |y: &[f64]| usize::from(y.len() > 1 && y[1] > y[0]);
    let points = |part: &Dataset, is_training: bool| -> Vec<Point> {
        (0..part.rows())
            .map(|row| {
                let input = part.input(row);
                Point { at: (input[0], input[1]), class: winner(&part.output(row)), is_training }
            })
            .collect()
    };
    let mut all = points(&data.train, true);
    all.extend(points(&data.test, false));
    let reach = 1.08 * all.iter().fold(0.0_f64, |m, p| m.max(p.at.0.abs()).max(p.at.1.abs()));
    let step = 2.0 * reach / GRID as f64;
    let edge = |i: usize| -reach + step * i as f64;
    let rows: Vec<Vec<f64>> =
        (0..GRID * GRID).map(|k| vec![edge(k % GRID) + step / 2.0, edge(k / GRID) + step / 2.0]).collect();
    let winners: Vec<usize> = answers(cell, record, &rows)?.iter().map(|y| winner(y)).collect();
    let mut rectangles = Vec::new();
    for (j, line) in winners.chunks_exact(GRID).enumerate() {
        let mut start = 0;
        for i in 1..=GRID {
            if i == GRID || line[i] != line[start] {
                let (from, to) = ((edge(start), edge(j)), (edge(i), edge(j + 1)));
                rectangles.push(Region { from, to, class: line[start] });
                start = i;
            }
        }
    }
    let classes = data.train.output_names.clone();
    Ok(Scatter { span: (-reach, reach), classes, rectangles, points: all })
}
