//! How cells compare with the paper.

use super::Subject;
use crate::campaign::table::three;
use onefold::error::shown;
use onefold_campaign::summary::{Row, Verdict};
use onefold_report::chart::{Axis, Chart, Layer, Style, range_of};
use onefold_report::{Block, Cell, Figure, Key, Section, Table};

/// The colours of cells that agree and of those that differ.
const AGREES: Style = Style(0);
const DIFFERS: Style = Style(4);
/// Height of a cell's line.
const LINE: f64 = 17.0;

/// What the tests are.
const TESTS: &str = "A ratio is our mean number of evaluations to the paper's, over the runs that reached the target, with a 95 % \
    interval on the logarithmic scale. On a fixed table it is Welch's, and the fraction of runs that reached the target is \
    compared by Fisher's exact test at 5 %. Where runs were made on several noisy samples, it is the prediction interval for the \
    mean of 50 runs on another sample, and the fraction is compared with the beta-binomial distribution for another sample. A \
    cell agrees if the interval contains 1 and the fractions do not differ.";

pub(super) fn section(subject: &Subject<'_>) -> Option<Section> {
    let judged: Vec<&Row<'_>> = subject.rows.iter().filter(|row| row.verdict != Verdict::NoPaper).collect();
    if judged.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "Low and high are the ends of the interval; over all runs is the verdict of Welch's and Fisher's tests that treat \
         noisy samples as one.",
        &["cell", "verdict", "#ratio", "#low", "#high", "over all runs"],
    )
    .sortable();
    for row in &judged {
        let (ratio, low, high) =
            row.ratio.map_or((None, None, None), |(r, l, h)| (Some(r), Some(l), Some(h)));
        let cell = |v: Option<f64>| v.map_or_else(Cell::default, |v| Cell::number(three(v), v));
        let over_runs = row.verdict_over_runs.as_ref().map_or_else(Cell::default, |v| Cell::from(v.text()));
        table.rows.push(vec![
            row.cell.name.as_str().into(),
            Cell::from(row.verdict.text()).of_class(class(&row.verdict)),
            cell(ratio),
            cell(low),
            cell(high),
            over_runs,
        ]);
    }
    let mut blocks = vec![Block::Text(TESTS.into())];
    blocks.extend(forest(&judged).map(|figure| Block::Figures(vec![figure])));
    blocks.push(Block::Table(table));
    Some(Section::new("Agreement with the paper", blocks))
}

fn class(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "good",
        Verdict::Differs(_) => "bad",
        _ => "",
    }
}

/// Ratios with their intervals, one line for each cell.
fn forest(judged: &[&Row<'_>]) -> Option<Figure> {
    let rows: Vec<&&Row<'_>> = judged.iter().filter(|row| row.ratio.is_some()).collect();
    if rows.is_empty() {
        return None;
    }
    let ratios = rows.iter().filter_map(|row| row.ratio);
    let (low, high) =
        range_of(ratios.flat_map(|(_, low, high)| [low.log10(), high.log10()]).chain([0.0]), 0.04);
    let mut layers = vec![Layer::Guide((1.0, -1.0), (1.0, rows.len() as f64))];
    for (style, agrees) in [(AGREES, true), (DIFFERS, false)] {
        let of_style = || {
            let all =
                rows.iter().enumerate().filter(move |(_, row)| (row.verdict == Verdict::Agrees) == agrees);
            all.filter_map(|(i, row)| Some((i as f64, row.ratio?)))
        };
        layers.push(Layer::HorizontalIntervals(style, of_style().map(|(i, (_, l, h))| (l, h, i)).collect()));
        layers.push(Layer::Marks(style, of_style().map(|(i, (ratio, _, _))| (ratio, i)).collect()));
    }
    let names = rows.iter().map(|row| shown(&row.cell.name).into_owned()).collect();
    let chart = Chart {
        x: Axis::log("ratio to the paper's evaluations", (10f64.powf(low), 10f64.powf(high))),
        y: Axis::names("", names, true),
        layers,
        height: Some(LINE * rows.len() as f64),
    };
    Some(Figure {
        id: "ratios".into(),
        title: "Evaluations beside the paper's".into(),
        caption: "Ratio of our mean evaluations to the paper's, with the interval that decides; at the dashed line both are \
                  equal. Cells that no run of one side solved have no ratio."
            .into(),
        legend: vec![Key::area(AGREES, "agrees"), Key::area(DIFFERS, "differs")],
        svg: chart.to_svg(),
        numbers: None,
        is_wide: true,
    })
}

/// What symmetry breaking gains.
pub(super) fn gains(subject: &Subject<'_>) -> Option<Section> {
    let mut table = Table::new(
        "Mean evaluations of DE divided by those of DE-SB. Low and high: where the ratio of another 50 runs of each is expected.",
        &["network", "#ratio", "#low", "#high", "#paper's ratio", "paper's inside"],
    )
    .sortable();
    for row in subject.rows {
        let Some((gain, low, high)) = row.gain else { continue };
        let cell = |v: f64| Cell::number(three(v), v);
        let inside = row.paper_gain.map(|papers| (low..=high).contains(&papers));
        table.rows.push(vec![
            row.cell.network().into(),
            cell(gain),
            cell(low),
            cell(high),
            row.paper_gain.map_or_else(Cell::default, cell),
            match inside {
                Some(true) => Cell::from("yes").of_class("good"),
                Some(false) => Cell::from("no").of_class("bad"),
                None => Cell::default(),
            },
        ]);
    }
    (!table.rows.is_empty()).then(|| Section::new("Gain by symmetry breaking", vec![Block::Table(table)]))
}
