//! `onefold report`: the tables and figures of a store.

mod curves;
mod figure;
mod page;

use crate::args::ReportArgs;
use crate::campaign::table::{self, Format};
use crate::campaign::{Campaign, Record, Store, summary};
use crate::failure::Failure;
use crate::output;
use figure::{Figure, Theme};
use std::path::Path;

/// The name of the campaign's file inside its store.
pub(crate) const CAMPAIGN: &str = "campaign.toml";

pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    let records = Store::read(&args.store)?;
    let campaign = campaign_of(args)?;
    check(&campaign, &records, &args.store)?;
    let rows = summary::rows(&campaign, &records);
    let rows: Vec<_> = rows.into_iter().filter(|row| row.runs > 0).collect();
    if rows.is_empty() {
        let message = format!("{}: no finished trial of this campaign is in it", args.store.display());
        return Err(Failure::bad_input(message));
    }
    let figures = || figure::all(&campaign, &rows, &records);
    if let Some(folder) = &args.figures {
        save_figures(folder, &figures()?)?;
    }
    let format = args.format.unwrap_or_else(|| format_of(args.output.as_deref()));
    let text = match format {
        Format::Html => page::write(&campaign, &rows, &figures()?)?,
        other => table::write(&rows, other),
    };
    match &args.output {
        Some(path) => Ok(onefold::write_whole(path, text.as_bytes())?),
        None => Ok(output::print(&text)?),
    }
}

/// The campaign that was named, or the one whose file lies in the store.
fn campaign_of(args: &ReportArgs) -> Result<Campaign, Failure> {
    let inside = args.store.join(CAMPAIGN);
    let mut campaign = match &args.campaign {
        Some(path) => Campaign::load(path)?,
        None if inside.exists() => Campaign::load(&inside)?,
        None => {
            let message =
                format!("{} has no {CAMPAIGN}; name the campaign with --campaign", args.store.display());
            return Err(Failure::bad_input(message));
        }
    };
    campaign.select(args.cells.as_deref(), args.table.as_deref())?;
    Ok(campaign)
}

/// Refuses records that were made with other settings than the campaign has.
fn check(campaign: &Campaign, records: &[Record], folder: &Path) -> Result<(), Failure> {
    for cell in &campaign.cells {
        let fingerprint = cell.fingerprint();
        if let Some(record) = records.iter().find(|r| r.cell == cell.name && r.settings != fingerprint) {
            return Err(Failure::bad_input(format!(
                "{}: seed {} of {} was run with other settings ({} there, {} in the campaign)",
                folder.display(),
                record.seed,
                cell.name,
                record.readings,
                cell.readings()
            )));
        }
    }
    Ok(())
}

fn format_of(path: Option<&Path>) -> Format {
    match path.and_then(Path::extension).and_then(|e| e.to_str()) {
        Some("html" | "htm") => Format::Html,
        Some("md") => Format::Markdown,
        Some("csv") => Format::Csv,
        Some("tex") => Format::Latex,
        Some("json") => Format::Json,
        _ => Format::Terminal,
    }
}

/// Each figure as an SVG and a PNG file.
fn save_figures(folder: &Path, figures: &[Figure]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::bad_input(format!("--figures {}: {e}", folder.display())))?;
    for figure in figures {
        let path = |ending: &str| folder.join(format!("{}.{ending}", figure.name));
        onefold::write_whole(&path("svg"), figure.svg(Theme::Paper)?.as_bytes())?;
        onefold::write_whole(&path("png"), &figure.png()?)?;
    }
    Ok(())
}
