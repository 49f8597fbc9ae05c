//! The tables of a campaign, in every format.

mod csv;
mod entries;
mod json;
mod latex;

pub(crate) use entries::{grid, scientific, three, with_interval};
pub(crate) use json::as_json;

use crate::output;
use onefold::error::shown;
use onefold_campaign::summary::Row;
use std::fmt::Write as _;

/// Format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// aligned columns
    Terminal,
    /// GitHub-flavoured Markdown
    Markdown,
    /// plain numbers, one line for each cell
    Csv,
    /// LaTeX tabular environments
    Latex,
    /// one JSON object
    Json,
    /// one self-contained HTML page with tables and figures
    Html,
}

/// A short table instead of the full ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum View {
    /// how many cells agree with the paper, by which test, and what that test can detect
    Verdicts,
    /// ratio of the evaluations of DE to those of DE-SB, compared with the paper's
    Gains,
    /// one row for each interpretation of the paper and one column for each network and method, of cells
    /// named DATA/TOPOLOGY/METHOD/READING
    Readings,
}

/// The explanation of columns and tests below every table.
pub(crate) const NOTE: &str = "[population, robustness] mean evaluations to the target ± standard deviation, over the runs that reached it. In curly brackets Wilson's 95 % interval of the robustness. \
Ratio: ours to the paper's, with a 95 % interval on the logarithmic scale. For a fixed table it is Welch's, and robustness is compared by Fisher's exact test at 5 %. \
Where the runs were made on several noisy samples it is the prediction interval for the mean of 50 runs on another sample (variances between and within samples by analysis of variance; \
the ratio is the geometric mean over samples), and robustness is compared with the beta-binomial distribution for another sample, or by Fisher's test where all runs end alike. \
\"Agrees\": the interval contains 1, and robustness does not differ. Ratio to the cell beside it: Welch's interval over all runs. \
DE / DE-SB: in brackets where the ratio of another 50 runs of each is expected (on another sample). \
Training and test: success, and mean squared error in brackets, or the error alone, over the runs that reached the target, or all where none did.";

/// Columns of numbers.
const RIGHT: [&str; 3] = ["samples", "runs", "the paper's"];

/// The tables of a campaign, each below its name.
pub(crate) fn write(rows: &[Row<'_>], format: Format) -> String {
    let one: fn(&str, &[&str], &[Vec<String>]) -> String = match format {
        Format::Csv => return csv::write(rows),
        Format::Json => return output::json(&as_json(rows)),
        Format::Terminal => terminal,
        Format::Markdown | Format::Html => markdown,
        Format::Latex => latex::tabular,
    };
    let mut text = String::new();
    for (name, part) in by_table(rows) {
        let (header, entries) = grid(&part);
        text += &one(&shown(name), &header, &entries);
    }
    if format == Format::Latex { text } else { text + NOTE + "\n" }
}

fn terminal(name: &str, header: &[&str], entries: &[Vec<String>]) -> String {
    let right: Vec<bool> = header.iter().map(|title| RIGHT.contains(title)).collect();
    let mut all = vec![header.iter().map(ToString::to_string).collect()];
    all.extend_from_slice(entries);
    format!("{}\n{}\n", console::style(name).bold(), output::table(&all, &right))
}

fn markdown(name: &str, header: &[&str], entries: &[Vec<String>]) -> String {
    let mut text = format!(
        "**{}**\n\n| {} |\n|{}\n",
        in_markdown(name),
        header.join(" | "),
        "---|".repeat(header.len())
    );
    for row in entries {
        let escaped: Vec<String> = row.iter().map(|entry| in_markdown(entry)).collect();
        let _ = writeln!(text, "| {} |", escaped.join(" | "));
    }
    text + "\n"
}

/// Characters that mean something in Markdown wherever they stand.
const MARKDOWN: &str = r"\`*_|~$";

/// A text for an entry of a table in Markdown. Brackets stay as they are unless they begin a link.
pub(crate) fn in_markdown(text: &str) -> String {
    let mut escaped = String::new();
    for c in shown(text).chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            c if MARKDOWN.contains(c) => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    // An address becomes a link by itself.
    escaped.replace("](", "]\\(").replace("][", "]\\[").replace("]:", "]\\:").replace("://", "&#58;//")
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

#[cfg(test)]
mod tests {
    use super::in_markdown;

    #[test]
    fn names_in_markdown_make_no_links_tags_or_columns() {
        let hostile = "![x](http://e.example/x.png) [l][m] [r]: <b> a|b `c` *d* &lt;";
        let escaped = in_markdown(hostile);
        for part in ["](", "][", "]:", "://", "<", " a|b", " `c", " *d"] {
            assert!(!escaped.contains(part), "{part} in {escaped}");
        }
        assert_eq!(in_markdown("[80, 1] {0.98..1.00} 3.41e4 ± 9.1e3"), "[80, 1] {0.98..1.00} 3.41e4 ± 9.1e3");
    }
}
