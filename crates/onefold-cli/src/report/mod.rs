//! `onefold report`: the page about a model, or the tables and figures of a store.

mod curves;
mod figure;
mod model;
mod page;
mod readings;
mod verdicts;

use crate::args::ReportArgs;
use crate::campaign::table::{self, Format, View};
use crate::campaign::{self, inputs};
use crate::failure::Failure;
use crate::output;
use crate::paths::{Input, check_file, check_output, check_standard_output};
use figure::Figure;
use onefold_campaign::store::{self, CAMPAIGN};
use onefold_campaign::summary::{self, Row};
use onefold_campaign::{Campaign, Record, Store};
use std::path::Path;

pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    match &args.data {
        Some(data) => model::run(args, data),
        None => of_campaign(args),
    }
}

fn of_campaign(args: &ReportArgs) -> Result<(), Failure> {
    if args.subject.is_file() {
        return Err(Failure::bad_input(format!(
            "{}: the page about a model needs rows; name a table with the targets after it",
            args.subject.display()
        )));
    }
    if let Some(flag) = args.lines.given() {
        return Err(Failure::bad_input(format!("{flag} is for the data of a model; leave it out")));
    }
    let format = match args.format {
        Some(format) => format,
        None => format_of(args.output.as_deref())?,
    };
    let records = Store::read(&args.subject)?;
    let campaign = campaign_of(args)?;
    let files = store::files(&args.subject)?;
    let inputs = inputs(args.campaign.as_deref(), &campaign, &files);
    match &args.output {
        Some(path) => check_output(path, &inputs)?,
        None => check_standard_output(&inputs)?,
    }
    check(&campaign, &records, &args.subject)?;
    let rows = summary::rows(&campaign, &records);
    let rows: Vec<_> = rows.into_iter().filter(|row| row.runs > 0).collect();
    if rows.is_empty() {
        let message = format!("{}: no finished trial of this campaign is in it", args.subject.display());
        return Err(Failure::bad_input(message));
    }
    if let Some(folder) = &args.figures {
        save_figures(folder, &figure::all(&campaign, &rows, &records)?, &inputs)?;
    }
    if args.view.is_some() && !matches!(format, Format::Markdown | Format::Terminal) {
        return Err(Failure::bad_input("--view writes Markdown; leave --format out, or end --output in .md"));
    }
    let text = match args.view {
        None => write(&campaign, &rows, &records, format, Some(&args.subject))?,
        Some(View::Verdicts) => verdicts::verdicts(&rows),
        Some(View::Gains) => verdicts::gains(&rows),
        Some(View::Readings) => readings::markdown(&rows),
    };
    match &args.output {
        Some(path) => Ok(onefold::files::write_whole(path, text.as_bytes())?),
        None => Ok(output::print(&text)?),
    }
}

/// The tables of a campaign, or the page.
pub(crate) fn write(
    campaign: &Campaign,
    rows: &[Row<'_>],
    records: &[Record],
    format: Format,
    store: Option<&Path>,
) -> Result<String, Failure> {
    match format {
        Format::Html => page::write(campaign, rows, records, store),
        other => Ok(table::write(rows, other)),
    }
}

/// The campaign that was named, or the one whose file lies in the store.
fn campaign_of(args: &ReportArgs) -> Result<Campaign, Failure> {
    let inside = if args.campaign.is_some() { None } else { store::read_campaign(&args.subject)? };
    let mut campaign = match (&args.campaign, inside) {
        (Some(path), _) => campaign::load(path)?,
        (None, Some(text)) => campaign::parse(&text, &args.subject.join(CAMPAIGN).display().to_string())?,
        (None, None) => {
            let message =
                format!("{} has no {CAMPAIGN}; name the campaign with --campaign", args.subject.display());
            return Err(Failure::bad_input(message));
        }
    };
    campaign.select(args.only.cells.as_deref(), args.only.table.as_deref())?;
    Ok(campaign)
}

/// Refuses records that were made with other settings than the campaign has.
fn check(campaign: &Campaign, records: &[Record], folder: &Path) -> Result<(), Failure> {
    for cell in campaign.cells.iter().chain(&campaign.others) {
        let fingerprint = cell.fingerprint();
        if let Some(record) = records.iter().find(|r| r.cell == cell.name && r.settings != fingerprint) {
            return Err(Failure::bad_input(format!(
                "{}: seed {} of {} was run with other settings than the campaign has: {}; remove its records, or name its campaign with --campaign",
                folder.display(),
                record.seed,
                cell.name,
                cell.difference(&record.readings)
            )));
        }
    }
    Ok(())
}

fn format_of(path: Option<&Path>) -> Result<Format, Failure> {
    let Some(path) = path else { return Ok(Format::Terminal) };
    Ok(match path.extension().and_then(|e| e.to_str()) {
        Some("html" | "htm") => Format::Html,
        Some("md") => Format::Markdown,
        Some("csv") => Format::Csv,
        Some("tex") => Format::Latex,
        Some("json") => Format::Json,
        Some("txt") => Format::Terminal,
        _ => {
            return Err(Failure::bad_input(format!(
                "--output {}: the ending must be html, md, csv, tex, json or txt, unless --format says how to write it",
                path.display()
            )));
        }
    })
}

/// Each figure as an SVG and a PNG file. The files were not named, so that links in their place are not
/// followed.
fn save_figures(folder: &Path, figures: &[Figure], inputs: &[Input<'_>]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::bad_input(format!("--figures {}: {e}", folder.display())))?;
    for figure in figures {
        for (ending, bytes) in [("svg", figure.svg()?.into_bytes()), ("png", figure.png()?)] {
            let path = folder.join(format!("{}.{ending}", figure.name));
            check_file("--figures", &path, inputs)?;
            onefold::files::write_plain(&path, &bytes)?;
        }
    }
    Ok(())
}
