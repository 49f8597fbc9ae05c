//! The report as one page that needs no network: `templates/report.html`, filled in and escaped by askama.

use super::figure::{Figure, Theme};
use crate::campaign::table::{self, Format, NOTE};
use crate::failure::Failure;
use askama::Template;
use onefold::error::shown;
use onefold_campaign::Campaign;
use onefold_campaign::summary::{Row, Verdict};
use std::borrow::Cow;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    campaign: &'a str,
    trials: usize,
    cells: usize,
    tables: Vec<PageTable<'a>>,
    note: &'a str,
    figures: Vec<PageFigure<'a>>,
    csv: String,
}

struct PageTable<'a> {
    name: Cow<'a, str>,
    header: Vec<&'static str>,
    rows: Vec<Vec<Entry>>,
}

struct Entry {
    text: String,
    /// Class of the style, or nothing.
    class: &'static str,
}

struct PageFigure<'a> {
    name: &'a str,
    caption: &'a str,
    svg: String,
}

pub(crate) fn write(campaign: &Campaign, rows: &[Row<'_>], figures: &[Figure]) -> Result<String, Failure> {
    let page = Page {
        campaign: &campaign.name,
        trials: rows.iter().map(|row| row.runs).sum(),
        cells: rows.len(),
        tables: table::by_table(rows).into_iter().map(|(name, part)| PageTable::new(name, &part)).collect(),
        note: NOTE,
        figures: figures.iter().map(PageFigure::new).collect::<Result<_, _>>()?,
        csv: table::write(rows, Format::Csv),
    };
    page.render().map_err(|e| Failure::failed(format!("the page cannot be written: {e}")))
}

impl<'a> PageTable<'a> {
    fn new(name: &'a str, part: &[&Row<'_>]) -> Self {
        let (header, lines) = table::grid(part);
        let rows = part.iter().zip(lines).map(|(row, line)| {
            let entries = header.iter().zip(line).map(|(title, text)| {
                let class = match &row.verdict {
                    Verdict::Agrees if *title == "verdict" => "agrees",
                    Verdict::Differs(_) if *title == "verdict" => "differs",
                    _ => "",
                };
                Entry { text, class }
            });
            entries.collect()
        });
        let rows = rows.collect();
        Self { name: shown(name), header, rows }
    }
}

impl<'a> PageFigure<'a> {
    fn new(figure: &'a Figure) -> Result<Self, Failure> {
        // Without a size of its own, so that the page scales it.
        let (width, height) = figure.size();
        let sized = format!("<svg width=\"{width}\" height=\"{height}\"");
        let svg = figure.svg(Theme::Page)?.replacen(&sized, "<svg", 1);
        Ok(Self { name: &figure.name, caption: &figure.caption, svg })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_figures_are_not() {
        let entry = Entry { text: "a < b & \"c\"".into(), class: "agrees" };
        let table = PageTable { name: "<t>".into(), header: vec!["cell"], rows: vec![vec![entry]] };
        let figure = PageFigure { name: "f", caption: "1 > 0", svg: "<svg></svg>".into() };
        let page = Page {
            campaign: "small",
            trials: 12,
            cells: 1,
            tables: vec![table],
            note: "",
            figures: vec![figure],
            csv: "cell\n<a>\n".into(),
        };
        let html = page.render().unwrap();
        for expected in [
            "<h2>&#60;t&#62;</h2>",
            "<tr><td class=\"agrees\">a &#60; b &#38; &#34;c&#34;</td></tr>",
            "<figure id=\"f\"><svg></svg><figcaption>1 &#62; 0</figcaption></figure>",
            "<pre>cell\n&#60;a&#62;\n</pre>",
        ] {
            assert!(html.contains(expected), "{expected} in {html}");
        }
    }
}
