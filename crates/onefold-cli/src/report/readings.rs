//! `onefold report --view readings`: one row for each reading of the paper, one column for each network and
//! method.

use crate::campaign::table::{self, in_markdown, scientific};
use onefold_campaign::statistics::mean_and_deviation;
use onefold_campaign::summary::Row;
use std::fmt::Write as _;

/// What the tables say about themselves.
const NOTE: &str = "Mean evaluations to the target ± standard deviation over the runs that reached it, and in brackets their ratio to the paper's; before that, where not all runs reached it, how many did. \
Training: share of training rows classified correctly, over those runs of all columns. Distance: root mean square of the logarithms of the ratios; none where no run of a column reached the target. Runs that failed do not enter it, and the budget bounds the ratio, so look at both. Nearest first, readings that were not run in every column last.";

/// A reading: the part of its cells' names after DATA/TOPOLOGY/METHOD.
struct Reading<'r, 'a> {
    name: &'r str,
    /// By column.
    cells: Vec<Option<&'r Row<'a>>>,
}

/// The tables of a campaign in Markdown. Cells whose names have no fourth part are left out.
pub(super) fn markdown(rows: &[Row<'_>]) -> String {
    let mut text = String::new();
    for (name, part) in table::by_table(rows) {
        let named: Vec<_> =
            part.iter().filter_map(|row| split(&row.cell.name).map(|(c, r)| (c, r, *row))).collect();
        if named.is_empty() {
            continue;
        }
        let mut columns: Vec<&str> = Vec::new();
        for (column, _, _) in &named {
            if !columns.contains(column) {
                columns.push(column);
            }
        }
        let mut readings: Vec<Reading<'_, '_>> = Vec::new();
        for (column, reading, row) in &named {
            let at = readings.iter().position(|r| r.name == *reading).unwrap_or_else(|| {
                readings.push(Reading { name: reading, cells: vec![None; columns.len()] });
                readings.len() - 1
            });
            let place = columns.iter().position(|c| c == column).unwrap_or(0);
            readings[at].cells[place] = Some(row);
        }
        readings.sort_by(|a, b| a.rank().total_cmp(&b.rank()));
        let titles: Vec<String> = columns.iter().map(|column| in_markdown(column)).collect();
        let name = in_markdown(name);
        let _ = writeln!(text, "**{name}**\n\n| reading | {} | training | distance |", titles.join(" | "));
        let _ = writeln!(text, "|{}", "---|".repeat(columns.len() + 3));
        for reading in &readings {
            let cells: Vec<String> = reading.cells.iter().map(|row| row.map_or("–".into(), entry)).collect();
            let distance = reading.distance().map_or("–".into(), |d| format!("{d:.2}"));
            let _ = writeln!(
                text,
                "| {} | {} | {} | {distance} |",
                in_markdown(reading.name),
                cells.join(" | "),
                reading.training()
            );
        }
        text.push('\n');
    }
    text + NOTE + "\n"
}

/// DATA/TOPOLOGY/METHOD and the rest of a name.
fn split(name: &str) -> Option<(&str, &str)> {
    let (end, _) = name.match_indices('/').nth(2)?;
    Some((&name[..end], &name[end + 1..]))
}

fn entry(row: &Row<'_>) -> String {
    let count =
        if row.reached < row.runs { format!("{} of {}: ", row.reached, row.runs) } else { String::new() };
    match row.evaluations {
        Some((mean, deviation)) => {
            let ratio = log_ratio(row).map_or(String::new(), |log| format!(" ({:.2})", log.exp()));
            format!("{count}{} ± {deviation:.1e}{ratio}", scientific(mean))
        }
        None => format!("0 of {}", row.runs),
    }
}

fn log_ratio(row: &Row<'_>) -> Option<f64> {
    let papers = row.cell.paper.as_ref()?.evaluations?;
    row.evaluations.map(|(mean, _)| (mean / papers).ln())
}

impl Reading<'_, '_> {
    fn distance(&self) -> Option<f64> {
        let logs: Option<Vec<f64>> = self.cells.iter().flatten().map(|row| log_ratio(row)).collect();
        let squares: Vec<f64> = logs?.iter().map(|log| log * log).collect();
        mean_and_deviation(&squares).map(|(mean, _)| mean.sqrt())
    }

    /// Readings with more columns first, then by distance, then those without one.
    fn rank(&self) -> f64 {
        let missing = self.cells.iter().filter(|c| c.is_none()).count();
        1e6 * missing as f64 + self.distance().unwrap_or(1e3)
    }

    fn training(&self) -> String {
        let (mut sum, mut weight) = (0.0, 0.0);
        for row in self.cells.iter().flatten().filter(|row| row.reached > 0) {
            if let Some((mean, _)) = row.training.success {
                sum += mean * row.reached as f64;
                weight += row.reached as f64;
            }
        }
        if weight > 0.0 { format!("{:.1} %", 100.0 * sum / weight) } else { String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_reading_is_what_follows_the_method() {
        assert_eq!(split("iris/4-3-3/de/uci/strict"), Some(("iris/4-3-3/de", "uci/strict")));
        assert_eq!(split("iris/4-3-3/de"), None);
    }
}
