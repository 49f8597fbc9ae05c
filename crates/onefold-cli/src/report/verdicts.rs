//! `onefold report --view verdicts` and `--view gains`: short tables of the cells for which the paper has a
//! number.

use crate::campaign::table::{in_markdown, three, with_interval};
use onefold_campaign::statistics::Interval;
use onefold_campaign::summary::{Row, Verdict};
use std::fmt::Write as _;

/// Verdicts, and what the tests behind them can detect, in Markdown.
pub(super) fn verdicts(rows: &[Row<'_>]) -> String {
    let judged: Vec<&Row<'_>> = rows.iter().filter(|row| row.verdict != Verdict::NoPaper).collect();
    let agrees = |verdict: &Verdict| *verdict == Verdict::Agrees;
    let over_runs = |row: &Row<'_>| row.verdict_over_runs.clone().unwrap_or(row.verdict.clone());
    let mut text = format!(
        "**{} of {} cells agree** with the paper; {} by Welch's and Fisher's tests over all runs, as if no noisy sample were harder than another.\n\n\
         | cell | samples | runs | ratio to the paper's | detects | verdict | over all runs |\n|---|---|---|---|---|---|---|\n",
        judged.iter().filter(|row| agrees(&row.verdict)).count(),
        judged.len(),
        judged.iter().filter(|row| agrees(&over_runs(row))).count(),
    );
    for row in judged {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            in_markdown(&row.cell.name),
            row.samples,
            row.runs,
            row.ratio.map_or("–".into(), with_interval),
            row.ratio.map_or("–".into(), |ratio| format!("{} x", three(detectable(ratio)))),
            row.verdict.text(),
            row.verdict_over_runs.as_ref().map_or("the same test".into(), Verdict::text),
        );
    }
    text + "\nRatio: with the 95 % interval that decides. Detects: the smallest observed factor that is called different; a true one of this size is found in about half of the cases.\n"
}

/// The interval is symmetric on the logarithmic scale.
fn detectable((_, low, high): Interval) -> f64 {
    (high / low).sqrt()
}

/// The factor that symmetry breaking gains, in Markdown.
pub(super) fn gains(rows: &[Row<'_>]) -> String {
    let mut text = String::from(
        "| network | MFE(DE) / MFE(DE-SB) | where the paper's is expected | the paper's | inside |\n|---|---|---|---|---|\n",
    );
    for row in rows {
        if let (Some((gain, low, high)), Some(papers)) = (row.gain, row.paper_gain) {
            let inside = if (low..=high).contains(&papers) { "yes" } else { "no" };
            let _ = writeln!(
                text,
                "| {} | {} | {} to {} | {} | {inside} |",
                in_markdown(&row.cell.network()),
                three(gain),
                three(low),
                three(high),
                three(papers)
            );
        }
    }
    text
}
