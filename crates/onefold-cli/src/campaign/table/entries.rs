//! The entries of a table, formatted for people.

use crate::output;
use onefold::error::shown;
use onefold_campaign::statistics::Interval;
use onefold_campaign::summary::{Row, Scores, Verdict};

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

/// Header and entries of a table, each on one line, without the columns that are empty in all rows.
pub(crate) fn grid(rows: &[&Row<'_>]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let lines: Vec<[String; 16]> = rows.iter().map(|row| line(row)).collect();
    let used: Vec<usize> = (0..HEADER.len()).filter(|c| lines.iter().any(|l| !l[*c].is_empty())).collect();
    let texts = lines.iter().map(|l| used.iter().map(|c| shown(&l[*c]).into_owned()).collect());
    (used.iter().map(|c| HEADER[*c]).collect(), texts.collect())
}

/// A number as the paper writes it: `4.47e5`.
pub(crate) fn scientific(v: f64) -> String {
    format!("{v:.2e}")
}

/// The entries of one row, in the order of the header.
fn line(row: &Row<'_>) -> [String; 16] {
    let population = row.cell.settings.population();
    let with = |evaluations: Option<(f64, f64)>| {
        evaluations.map_or("–".into(), |(mean, sd)| format!("{} ± {sd:.1e}", scientific(mean)))
    };
    let ours = match (row.robustness(), row.robustness_interval()) {
        (Some(robustness), Some((low, high))) => {
            format!("[{population}, {}] {{{low:.2}..{high:.2}}} {}", two(robustness), with(row.evaluations))
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
        scores(&if row.cell.is_classification {
            Scores { success: Some(value), error: None }
        } else {
            Scores { success: None, error: Some(value) }
        })
    });
    let versus = row.cell.versus();
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

/// A fraction with its deviation, in percent.
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

/// A fraction with at most two digits: `1`, `0.36`.
fn two(fraction: f64) -> String {
    let text = format!("{fraction:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
