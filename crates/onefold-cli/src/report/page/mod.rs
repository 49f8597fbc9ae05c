//! The report on a campaign as one page that needs no network, made of the parts of `onefold-report`.

mod answers;
mod charts;
mod provenance;
mod results;
mod running_time;
mod verdicts;

use crate::campaign::table::{self, Format};
use crate::failure::Failure;
use onefold::Method;
use onefold::error::shown;
use onefold_campaign::summary::{Row, Verdict};
use onefold_campaign::{Campaign, Record};
use onefold_report::chart::Style;
use onefold_report::number::{counted, grouped, percent};
use onefold_report::{Block, Card, Key, Page, Section};
use std::path::Path;

/// What all sections are about.
struct Subject<'a> {
    campaign: &'a Campaign,
    rows: &'a [Row<'a>],
    records: &'a [Record],
    /// The methods of its cells, in the order of the registry.
    methods: Vec<Method>,
}

impl<'a> Subject<'a> {
    fn new(campaign: &'a Campaign, rows: &'a [Row<'a>], records: &'a [Record]) -> Self {
        let is_used = |method: &Method| rows.iter().any(|row| row.cell.method() == *method);
        Self { campaign, rows, records, methods: Method::all().filter(is_used).collect() }
    }

    /// The colour of a method on the whole page.
    fn style(&self, method: Method) -> Style {
        Style(self.methods.iter().position(|m| *m == method).unwrap_or(0))
    }

    /// What the colours of methods mean.
    fn legend(&self) -> Block {
        Block::Legend(
            self.methods.iter().map(|method| Key::line(self.style(*method), method.name())).collect(),
        )
    }

    /// The records that count for a row.
    fn records_of(&self, row: &Row<'_>) -> impl Iterator<Item = &'a Record> {
        let (name, runs) = (row.cell.name.clone(), row.cell.runs as u64);
        self.records.iter().filter(move |record| record.cell == name && record.seed < runs)
    }
}

/// The page. The same records give the same bytes.
pub(crate) fn write(
    campaign: &Campaign,
    rows: &[Row<'_>],
    records: &[Record],
    store: Option<&Path>,
) -> Result<String, Failure> {
    let subject = Subject::new(campaign, rows, records);
    let mut sections: Vec<Section> = verdicts::section(&subject).into_iter().collect();
    sections.extend(results::sections(&subject));
    sections.extend(verdicts::gains(&subject));
    sections.extend(running_time::sections(&subject));
    sections.extend(charts::sections(&subject));
    sections.extend(answers::section(&subject)?);
    sections.push(provenance::section(&subject, store));
    sections.push(Section::new(
        "All numbers",
        vec![Block::Details("All numbers as CSV".into(), table::write(rows, Format::Csv))],
    ));
    let page = Page {
        kind: "onefold campaign".into(),
        title: format!("Campaign {}", shown(&campaign.name)),
        summary: summary(rows),
        cards: cards(&subject),
        sections,
        footer: format!(
            "Made by onefold {}. The page needs no network; nothing in it is loaded from elsewhere.",
            env!("CARGO_PKG_VERSION")
        ),
    };
    page.to_html().map_err(Failure::failed)
}

/// Tables of cells that are read otherwise than the paper on purpose.
const VARIANTS: [&str; 3] = ["ablation", "figure", "printed"];

/// Cells with a verdict, and those that agree; without variants if there are others.
fn agreeing(rows: &[Row<'_>]) -> (usize, usize) {
    let is_judged = |row: &&Row<'_>| matches!(row.verdict, Verdict::Agrees | Verdict::Differs(_));
    let is_variant = |row: &Row<'_>| VARIANTS.contains(&row.cell.table.as_str());
    let has_others = rows.iter().filter(is_judged).any(|row| !is_variant(row));
    let judged = || rows.iter().filter(is_judged).filter(|row| !has_others || !is_variant(row));
    (judged().filter(|row| row.verdict == Verdict::Agrees).count(), judged().count())
}

fn summary(rows: &[Row<'_>]) -> String {
    let (agree, judged) = agreeing(rows);
    let (trials, reached) = rows.iter().fold((0, 0), |sum, row| (sum.0 + row.runs, sum.1 + row.reached));
    let trials_text = format!(
        "{} of {}, of which {} reached the target.",
        counted(trials, "trial"),
        counted(rows.len(), "cell"),
        grouped(reached as u64)
    );
    if judged == 0 {
        return trials_text;
    }
    let all = rows.iter().filter(|row| matches!(row.verdict, Verdict::Agrees | Verdict::Differs(_))).count();
    let not_counted = if all > judged {
        format!(
            ", not counting {} that are read otherwise than the paper on purpose",
            counted(all - judged, "variant")
        )
    } else {
        String::new()
    };
    format!("{agree} of {judged} cells agree with the paper{not_counted}. {trials_text}")
}

fn cards(subject: &Subject<'_>) -> Vec<Card> {
    let rows = subject.rows;
    let (agree, judged) = agreeing(rows);
    let (trials, reached) = rows.iter().fold((0, 0), |sum, row| (sum.0 + row.runs, sum.1 + row.reached));
    let of_rows = || rows.iter().flat_map(|row| subject.records_of(row));
    let evaluations: f64 = of_rows().map(|record| record.evaluations as f64).sum();
    let hours = of_rows().map(|record| record.seconds).sum::<f64>() / 3600.0;
    let card = |value: String, label: &str, note: String| Card { value, label: label.into(), note };
    let mut cards = Vec::new();
    if judged > 0 {
        cards.push(card(format!("{agree} of {judged}"), "cells agree with the paper", String::new()));
    }
    cards.push(card(grouped(trials as u64), "trials", format!("of {}", counted(rows.len(), "cell"))));
    let fraction = if trials > 0 { reached as f64 / trials as f64 } else { 0.0 };
    cards.push(card(percent(fraction), "reached the target", format!("{} trials", grouped(reached as u64))));
    cards.push(card(table::scientific(evaluations), "evaluations", String::new()));
    cards.push(card(format!("{hours:.1} h"), "computing time", "sum over trials".into()));
    cards
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_without_the_papers_numbers_has_no_verdict() {
        assert_eq!(summary(&[]), "0 trials of 0 cells, of which 0 reached the target.");
    }
}
