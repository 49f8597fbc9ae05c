//! The tables of a campaign, in every format.

use super::statistics::Interval;
use super::summary::{Row, Scores, Verdict};
use crate::output;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// aligned columns
    Terminal,
    /// a table for GitHub and the like
    Markdown,
    /// plain numbers, one line for each cell
    Csv,
    /// tabular environments
    Latex,
    /// one object
    Json,
    /// one self-contained page with tables and figures
    Html,
}

/// A short table instead of the full ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum View {
    /// how many cells agree with the paper, by which test, and what that test can detect
    Verdicts,
    /// the factor that symmetry breaking gains, beside the paper's
    Gains,
    /// one row for each reading of the paper and one column for each network and method, of cells named
    /// DATA/TOPOLOGY/METHOD/READING
    Readings,
}

/// What every table says about its tests.
pub(crate) const NOTE: &str = "[population, robustness] mean evaluations to the target ± standard deviation, over the runs that reached it. In curly brackets Wilson's 95 % interval of the robustness. \
Ratio: ours to the paper's, with a 95 % interval on the logarithmic scale. For a fixed table it is Welch's, and robustness is compared by Fisher's exact test at 5 %. \
Where the runs were made on several noisy samples it is the prediction interval for the mean of 50 runs on another sample (variances between and within samples by analysis of variance; \
the ratio is the geometric mean over samples), and robustness is compared with the beta-binomial distribution for another sample, or by Fisher's test where all runs end alike. \
\"Agrees\": the interval contains 1, and robustness does not differ. Ratio to the cell beside it: Welch's interval over all runs. \
DE / DE-SB: in brackets where the ratio of another 50 runs of each is expected (on another sample). \
Training and test: success, and mean squared error in brackets, or the error alone, over the runs that reached the target, or all where none did.";

const HEADER: [&str; 16] = [
    "cell",
    "samples",
    "runs",
    "onefold",
    "paper",
    "ratio",
    "beside",
    "ratio to it",
    "mean time",
    "DE / DE-SB",
    "the paper's",
    "training",
    "test",
    "the paper's test",
    "verdict",
    "Welch's and Fisher's tests over all runs",
];
/// Columns of numbers.
const RIGHT: [&str; 3] = ["samples", "runs", "the paper's"];

/// Titles and texts of a table, without the columns that are empty in all of its rows.
pub(crate) fn grid(rows: &[&Row<'_>]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let lines: Vec<[String; 16]> = rows.iter().map(|row| line(row)).collect();
    let used: Vec<usize> = (0..HEADER.len()).filter(|c| lines.iter().any(|l| !l[*c].is_empty())).collect();
    let texts = lines.iter().map(|l| used.iter().map(|c| l[*c].clone()).collect());
    (used.iter().map(|c| HEADER[*c]).collect(), texts.collect())
}

/// The tables of a campaign, one after the other, each under its name.
pub(crate) fn write(rows: &[Row<'_>], format: Format) -> String {
    match format {
        Format::Csv => csv(rows),
        Format::Json => format!("{:#}\n", as_json(rows)),
        Format::Terminal | Format::Markdown | Format::Latex | Format::Html => {
            let mut text = String::new();
            for (name, part) in by_table(rows) {
                let (header, cells) = grid(&part);
                match format {
                    Format::Terminal => {
                        let right: Vec<bool> = header.iter().map(|title| RIGHT.contains(title)).collect();
                        let mut all = vec![header.iter().map(ToString::to_string).collect()];
                        all.extend(cells);
                        let _ = writeln!(
                            text,
                            "{}\n{}",
                            console::style(name).bold(),
                            output::table(&all, &right)
                        );
                    }
                    Format::Markdown => {
                        let _ = writeln!(text, "**{name}**\n\n| {} |", header.join(" | "));
                        let _ = writeln!(text, "|{}", "---|".repeat(header.len()));
                        for row in cells {
                            let escaped: Vec<String> = row.iter().map(|c| c.replace('|', "\\|")).collect();
                            let _ = writeln!(text, "| {} |", escaped.join(" | "));
                        }
                        text.push('\n');
                    }
                    _ => text += &latex(name, &header, &cells),
                }
            }
            match format {
                Format::Latex => text,
                _ => text + NOTE + "\n",
            }
        }
    }
}

/// The rows of each table, in the order in which tables first appear.
pub(crate) fn by_table<'r, 'a>(rows: &'r [Row<'a>]) -> Vec<(&'r str, Vec<&'r Row<'a>>)> {
    let mut tables: Vec<(&str, Vec<&Row<'a>>)> = Vec::new();
    for row in rows {
        let name = row.cell.table.as_str();
        match tables.iter_mut().find(|(n, _)| *n == name) {
            Some((_, part)) => part.push(row),
            None => tables.push((name, vec![row])),
        }
    }
    tables
}

/// A number as the paper writes it: `4.47e5`.
pub(crate) fn scientific(v: f64) -> String {
    format!("{v:.2e}")
}

/// The texts of one row, in the order of the header.
fn line(row: &Row<'_>) -> [String; 16] {
    let population = row.cell.settings.population();
    let with = |evaluations: Option<(f64, f64)>| {
        evaluations.map_or("–".into(), |(mean, sd)| format!("{} ± {sd:.1e}", scientific(mean)))
    };
    let ours = match (row.robustness(), row.robustness_interval()) {
        (Some(share), Some((low, high))) => {
            format!("[{population}, {}] {{{low:.2}..{high:.2}}} {}", two(share), with(row.evaluations))
        }
        _ => "–".into(),
    };
    let paper = row.cell.paper.as_ref();
    let papers = paper.map_or(String::new(), |p| {
        format!("[{population}, {}] {}", two(p.robustness), with(p.evaluations.zip(p.deviation)))
    });
    let scores = |scores: &Scores| match (scores.success, scores.error) {
        (Some(success), Some((error, _))) => format!("{} ({error:.1e})", percent(success)),
        (Some(success), None) => percent(success),
        (None, Some((error, deviation))) => format!("{} ± {deviation:.1e}", scientific(error)),
        (None, None) => String::new(),
    };
    let papers_test = paper.and_then(|p| p.test.zip(p.test_deviation)).map(|value| {
        let is_share = row.cell.is_classification;
        scores(&if is_share {
            Scores { success: Some(value), error: None }
        } else {
            Scores { success: None, error: Some(value) }
        })
    });
    let versus = row.cell.given.versus.as_deref();
    [
        row.cell.name.clone(),
        if row.samples > 1 { row.samples.to_string() } else { String::new() },
        row.runs.to_string(),
        ours,
        papers,
        row.ratio.map_or(String::new(), |(r, low, high)| format!("{r:.2} ({low:.2}..{high:.2})")),
        versus.map_or(String::new(), |name| name.rsplit('/').next().unwrap_or(name).into()),
        row.versus.map_or(String::new(), with_interval),
        row.seconds.filter(|_| versus.is_some()).map_or(String::new(), output::time),
        row.gain.map_or(String::new(), with_interval),
        row.paper_gain.map_or(String::new(), three),
        scores(&row.training),
        scores(&row.test),
        papers_test.unwrap_or_default(),
        row.verdict.text(),
        row.verdict_over_runs.as_ref().map_or(String::new(), Verdict::text),
    ]
}

/// A share with its deviation, in percent.
fn percent((mean, deviation): (f64, f64)) -> String {
    format!("{:.1} ± {:.1} %", 100.0 * mean, 100.0 * deviation)
}

pub(crate) fn with_interval((value, low, high): Interval) -> String {
    format!("{} ({}..{})", three(value), three(low), three(high))
}

/// A ratio with three digits: `0.00235`, `1.35`, `24.1`.
pub(crate) fn three(v: f64) -> String {
    let digits = (2.0 - v.abs().log10().floor()).clamp(0.0, 8.0) as usize;
    format!("{v:.digits$}")
}

/// A share with at most two digits: `1`, `0.36`.
fn two(share: f64) -> String {
    let text = format!("{share:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn csv(rows: &[Row<'_>]) -> String {
    let mut text = String::from(
        "table,cell,population,samples,runs,reached,robustness,robustness_low,robustness_high,evaluations,deviation,paper_robustness,\
         paper_evaluations,paper_deviation,ratio,ratio_low,ratio_high,de_to_de_sb,de_to_de_sb_low,de_to_de_sb_high,paper_de_to_de_sb,\
         training_success,training_error,test_success,test_success_deviation,test_error,test_error_deviation,paper_test,\
         paper_test_deviation,seconds,verdict,verdict_over_runs\n",
    );
    for row in rows {
        let number = |v: Option<f64>| v.map_or(String::new(), |v| v.to_string());
        let paper = row.cell.paper.as_ref();
        let fields = [
            quoted(&row.cell.table),
            quoted(&row.cell.name),
            row.cell.settings.population().to_string(),
            row.samples.to_string(),
            row.runs.to_string(),
            row.reached.to_string(),
            number(row.robustness()),
            number(row.robustness_interval().map(|i| i.0)),
            number(row.robustness_interval().map(|i| i.1)),
            number(row.evaluations.map(|e| e.0)),
            number(row.evaluations.map(|e| e.1)),
            number(paper.map(|p| p.robustness)),
            number(paper.and_then(|p| p.evaluations)),
            number(paper.and_then(|p| p.deviation)),
            number(row.ratio.map(|r| r.0)),
            number(row.ratio.map(|r| r.1)),
            number(row.ratio.map(|r| r.2)),
            number(row.gain.map(|g| g.0)),
            number(row.gain.map(|g| g.1)),
            number(row.gain.map(|g| g.2)),
            number(row.paper_gain),
            number(row.training.success.map(|t| t.0)),
            number(row.training.error.map(|t| t.0)),
            number(row.test.success.map(|t| t.0)),
            number(row.test.success.map(|t| t.1)),
            number(row.test.error.map(|t| t.0)),
            number(row.test.error.map(|t| t.1)),
            number(paper.and_then(|p| p.test)),
            number(paper.and_then(|p| p.test_deviation)),
            number(row.seconds),
            quoted(&row.verdict.text()),
            quoted(&row.verdict_over_runs.as_ref().map_or(String::new(), Verdict::text)),
        ];
        text += &fields.join(",");
        text.push('\n');
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

fn latex(name: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let escape = |text: &str| {
        text.replace('\\', "\\textbackslash ")
            .replace('%', "\\%")
            .replace('&', "\\&")
            .replace('#', "\\#")
            .replace('$', "\\$")
            .replace('±', "$\\pm$")
            .replace('–', "--")
            .replace('_', "\\_")
            .replace('{', "\\{")
            .replace('}', "\\}")
    };
    let mut text = format!("% {name}\n\\begin{{tabular}}{{{}}}\n", "l".repeat(header.len()));
    let titles = header.iter().map(ToString::to_string).collect();
    for row in std::iter::once(titles).chain(rows.iter().cloned()) {
        let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
        let _ = writeln!(text, "{} \\\\", cells.join(" & "));
    }
    text + "\\end{tabular}\n\n"
}

pub(crate) fn as_json(rows: &[Row<'_>]) -> Value {
    let rows = rows.iter().map(|row| {
        let pair = |v: Option<(f64, f64)>| v.map(|(mean, sd)| json!({ "mean": mean, "deviation": sd }));
        let scores = |s: &Scores| json!({ "success": pair(s.success), "error": pair(s.error) });
        let interval =
            |v: Option<Interval>| v.map(|(r, low, high)| json!({ "ratio": r, "low": low, "high": high }));
        json!({
            "table": row.cell.table,
            "cell": row.cell.name,
            "data": row.cell.source.name(),
            "topology": row.cell.settings.topology,
            "method": row.cell.method(),
            "population": row.cell.settings.population(),
            "planned": row.cell.runs,
            "samples": row.samples,
            "runs": row.runs,
            "reached": row.reached,
            "robustness": row.robustness(),
            "robustness_interval": row.robustness_interval(),
            "evaluations": pair(row.evaluations),
            "ratio": interval(row.ratio),
            "versus": row.cell.given.versus,
            "versus_ratio": interval(row.versus),
            "de_to_de_sb": interval(row.gain),
            "paper_de_to_de_sb": row.paper_gain,
            "training": scores(&row.training),
            "test": scores(&row.test),
            "seconds": row.seconds,
            "paper": row.cell.paper,
            "readings": row.cell.readings(),
            "verdict": match &row.verdict { Verdict::NoPaper => None, other => Some(other.text()) },
            "verdict_over_runs": row.verdict_over_runs.as_ref().map(Verdict::text),
        })
    });
    json!({ "cells": rows.collect::<Vec<_>>() })
}
