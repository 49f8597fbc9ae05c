//! The report as one page that needs no network.

use super::figure::{Figure, Theme};
use crate::campaign::Campaign;
use crate::campaign::summary::{Row, Verdict};
use crate::campaign::table::{self, Format, NOTE};
use crate::failure::Failure;
use std::fmt::Write as _;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1a1a1a; --ground: #fff; --faint: #8886; --good: #0a7d4f; --bad: #b3470b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --ground: #15171a; --good: #4cc38a; --bad: #f0883e; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 1700px; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.25rem 0.7rem; border-bottom: 1px solid var(--faint); white-space: nowrap; }
.agrees { color: var(--good); } .differs { color: var(--bad); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(560px, 1fr)); gap: 1.5rem; }
@media (max-width: 620px) { .figures { grid-template-columns: 1fr; } }
figure { margin: 0; } figure svg { width: 100%; height: auto; } figcaption { font-size: 0.88rem; }
figure svg text { fill: var(--ink); font-family: system-ui, sans-serif; }
figure svg [stroke='#000000'] { stroke: var(--ink); }
pre { overflow: auto; font-size: 0.8rem; max-height: 24rem; border: 1px solid var(--faint); padding: 0.7rem; }
";

pub(crate) fn write(campaign: &Campaign, rows: &[Row<'_>], figures: &[Figure]) -> Result<String, Failure> {
    let trials: usize = rows.iter().map(|row| row.runs).sum();
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>onefold: {name}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>Campaign {name}</h1>\n<p>{trials} trials of {cells} cells.</p>\n",
        name = escape(&campaign.name),
        cells = rows.len(),
    );
    for (name, part) in table::by_table(rows) {
        let _ = writeln!(page, "<h2>{}</h2>\n<div class=\"wide\"><table>\n<tr>", escape(name));
        let (header, lines) = table::grid(&part);
        for title in &header {
            let _ = write!(page, "<th>{}</th>", escape(title));
        }
        page += "</tr>\n";
        for (row, line) in part.iter().zip(lines) {
            page += "<tr>";
            for (title, cell) in header.iter().zip(line) {
                let class = match &row.verdict {
                    Verdict::Agrees if *title == "verdict" => " class=\"agrees\"",
                    Verdict::Differs(_) if *title == "verdict" => " class=\"differs\"",
                    _ => "",
                };
                let _ = write!(page, "<td{class}>{}</td>", escape(&cell));
            }
            page += "</tr>\n";
        }
        page += "</table></div>\n";
    }
    let _ = writeln!(page, "<p>{}</p>\n<h2>Figures</h2>\n<div class=\"figures\">", escape(NOTE));
    for figure in figures {
        let svg = figure.svg(Theme::Page)?;
        // Scaled by the page.
        let (width, height) = figure.size();
        let svg = svg.replacen(&format!("<svg width=\"{width}\" height=\"{height}\""), "<svg", 1);
        let _ = writeln!(
            page,
            "<figure id=\"{}\">{svg}<figcaption>{}</figcaption></figure>",
            escape(&figure.name),
            escape(&figure.caption)
        );
    }
    let _ = writeln!(
        page,
        "</div>\n<h2>Numbers</h2>\n<details><summary>All numbers as CSV</summary><pre>{}</pre></details>\n</body>\n</html>",
        escape(&table::write(rows, Format::Csv))
    );
    Ok(page)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
