//! The tables of a campaign, one number to a cell.

use super::Subject;
use super::running_time::expected;
use crate::campaign::table::{self, three};
use crate::output;
use onefold::error::shown;
use onefold_campaign::summary::{Row, Scores};
use onefold_report::{Block, Cell, Section, Table};

const MEANING: &str = "Reached: fraction of runs that reached the target. Mean and deviation: evaluations of these runs. Expected running time: \
    evaluations of all runs divided by the number of those that reached the target.";

pub(super) fn sections(subject: &Subject<'_>) -> Vec<Section> {
    let tables = table::by_table(subject.rows);
    tables
        .into_iter()
        .map(|(name, part)| {
            let mut blocks = vec![Block::Text(MEANING.into()), Block::Table(evaluations(subject, &part))];
            blocks.push(Block::Table(scores(&part)));
            if part.iter().any(|row| row.versus.is_some()) {
                blocks.push(Block::Table(comparisons(&part)));
            }
            Section::new(&format!("Results: {}", shown(name)), blocks)
        })
        .collect()
}

/// A number of evaluations.
fn count(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::default, |v| Cell::number(table::scientific(v), v))
}

fn evaluations(subject: &Subject<'_>, rows: &[&Row<'_>]) -> Table {
    let has_paper = rows.iter().any(|row| row.cell.paper.is_some());
    let mut titles = vec![
        "cell",
        "#population",
        "#runs",
        "#reached",
        "#mean evaluations",
        "#deviation",
        "#expected running time",
    ];
    if has_paper {
        titles.extend(["#paper reached", "#paper's mean", "#paper's deviation"]);
    }
    let mut made = Table::new("Evaluations to the target.", &titles).sortable();
    for row in rows {
        let mut line = vec![
            Cell::from(row.cell.name.as_str()),
            Cell::count(row.cell.settings.population() as u64),
            Cell::count(row.runs as u64),
            Cell::percent(row.robustness()),
            count(row.evaluations.map(|e| e.0)),
            count(row.evaluations.map(|e| e.1)),
            count(expected(subject.records_of(row))),
        ];
        if has_paper {
            let paper = row.cell.paper.as_ref();
            line.push(Cell::percent(paper.map(|p| p.robustness)));
            line.push(count(paper.and_then(|p| p.evaluations)));
            line.push(count(paper.and_then(|p| p.deviation)));
        }
        made.rows.push(line);
    }
    made
}

fn scores(rows: &[&Row<'_>]) -> Table {
    let is_classes = rows.iter().any(|row| row.cell.is_classification);
    let has_paper = rows.iter().any(|row| row.cell.paper.as_ref().is_some_and(|p| p.test.is_some()));
    let mut titles = vec!["cell", "#training error", "#test error", "#deviation of test error"];
    if is_classes {
        titles.extend(["#training success", "#test success", "#deviation of test success"]);
    }
    if has_paper {
        titles.push("#paper's test");
    }
    titles.push("#seconds of a run");
    let mut made = Table::new(
        "Errors are mean squared errors, over the runs that reached the target, or all where none did; success is the fraction \
         of rows classified correctly.",
        &titles,
    )
    .sortable();
    for row in rows {
        let error = |v: Option<f64>| v.map_or_else(Cell::default, |v| Cell::number(format!("{v:.2e}"), v));
        let Scores { error: test, success } = row.test;
        let mut line = vec![
            Cell::from(row.cell.name.as_str()),
            error(row.training.error.map(|e| e.0)),
            error(test.map(|e| e.0)),
            error(test.map(|e| e.1)),
        ];
        if is_classes {
            line.push(Cell::percent(row.training.success.map(|s| s.0)));
            line.push(Cell::percent(success.map(|s| s.0)));
            line.push(Cell::percent(success.map(|s| s.1)));
        }
        if has_paper {
            let papers = row.cell.paper.as_ref().and_then(|p| p.test);
            line.push(if row.cell.is_classification { Cell::percent(papers) } else { error(papers) });
        }
        line.push(row.seconds.map_or_else(Cell::default, |s| Cell::number(output::time(s), s)));
        made.rows.push(line);
    }
    made
}

/// Ratios to the cells that these are compared with.
fn comparisons(rows: &[&Row<'_>]) -> Table {
    let mut made = Table::new(
        "Ratio of mean evaluations to those of the cell compared with, with Welch's 95 % interval over all runs.",
        &["cell", "compared with", "#ratio", "#low", "#high"],
    )
    .sortable();
    for row in rows {
        let Some((name, (ratio, low, high))) = row.cell.versus().zip(row.versus) else { continue };
        let cell = |v: f64| Cell::number(three(v), v);
        made.rows.push(vec![row.cell.name.as_str().into(), name.into(), cell(ratio), cell(low), cell(high)]);
    }
    made
}
