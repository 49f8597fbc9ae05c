//! Flags of the reports on models and campaigns.

use super::LinesArgs;
use super::campaign::CellsArgs;
use crate::campaign::table::{Format, View};
use clap::Args;
use std::path::PathBuf;

const REPORT_EXAMPLES: &str = "\
Examples:
  onefold report model.json data.csv -o model.html   one self-contained page about a model
  onefold report results/paper                       tables of a campaign on the terminal
  onefold report results/paper -o report.html        one self-contained page with tables and figures
  onefold report results/paper -o table.tex          format by file extension: html, md, csv, tex, json
  onefold report results/paper --figures figures     every figure as SVG and PNG

The page about a model needs rows with targets. If they are those of the table that the model was trained on, the \
training rows and the held-out rows are told apart.";

#[derive(Args, Debug)]
#[command(after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportArgs {
    /// Model file, or folder of the records of a campaign
    #[arg(value_name = "MODEL|STORE")]
    pub(crate) subject: PathBuf,
    /// With a model: CSV file that contains the targets, - for standard input, or built-in data set
    #[arg(add = crate::values::data_name())]
    pub(crate) data: Option<String>,
    /// Campaign file [default: the one in the folder]
    #[arg(long, value_name = "FILE", help_heading = "Campaign")]
    pub(crate) campaign: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) only: CellsArgs,
    /// Format [default: by the extension of --output; without --output terminal]
    #[arg(long, value_enum, help_heading = "Campaign")]
    pub(crate) format: Option<Format>,
    /// Write to this file instead of standard output; a file of this name is replaced
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print a short table in Markdown instead of the full tables
    #[arg(long, value_enum, help_heading = "Campaign")]
    pub(crate) view: Option<View>,
    /// Also write every figure to this folder, as SVG and PNG; files of the same names are replaced
    #[arg(long, value_name = "DIR", help_heading = "Campaign")]
    pub(crate) figures: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) lines: LinesArgs,
}

impl ReportArgs {
    /// The first flag that is only for campaigns.
    pub(crate) fn campaign_flag(&self) -> Option<&'static str> {
        let flags = [
            ("--campaign", self.campaign.is_some()),
            ("--cells", self.only.cells.is_some()),
            ("--table", self.only.table.is_some()),
            ("--format", self.format.is_some()),
            ("--view", self.view.is_some()),
            ("--figures", self.figures.is_some()),
        ];
        flags.into_iter().find(|(_, is_given)| *is_given).map(|(flag, _)| flag)
    }
}
