//! Flags of the commands that run campaigns and report on them.

use crate::campaign::table::{Format, View};
use crate::values::{at_least_one, size};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  onefold reproduce --quick                          seconds: a subset that shows DE-SB ahead of DE
  onefold reproduce --cells 'iris/*'                 all methods on iris; * stands for anything
  onefold reproduce                                  everything: hours; finished trials are never repeated
  onefold reproduce --shard 3/8                      the third of eight array jobs, on one store
  onefold reproduce --campaign mine.toml             a campaign of your own, written like experiments/paper.toml

Ctrl-C stops at once and loses at most the trials that were running; long ones continue where they were.";

#[derive(Args, Debug)]
#[command(after_help = REPRODUCE_EXAMPLES)]
pub(crate) struct ReproduceArgs {
    /// A campaign file [default: the paper's, built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) campaign: Option<PathBuf>,
    /// Only cells whose name matches, such as 'sinc/*'; * stands for anything
    #[arg(long, value_name = "PATTERN")]
    pub(crate) cells: Option<String>,
    /// Only the cells of these tables, separated by commas, such as regression or classification
    #[arg(long, value_name = "NAMES")]
    pub(crate) table: Option<String>,
    /// At most this many runs of each cell
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) runs: Option<usize>,
    /// Only a subset that takes less than a minute
    #[arg(long)]
    pub(crate) quick: bool,
    /// Folder of the records [default: results/ and the campaign's name]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Only this share of the trials: I of N, from 1
    #[arg(long, value_name = "I/N", value_parser = crate::values::shard)]
    pub(crate) shard: Option<(usize, usize)>,
    /// Trials at a time, 0 for one per core
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = size)]
    pub(crate) threads: usize,
    /// How often a running trial saves its state, to go on from there
    #[arg(long, value_name = "TIME", default_value = "1min", allow_hyphen_values = true, value_parser = humantime::parse_duration)]
    pub(crate) checkpoint_every: Duration,
    /// How the tables are written
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    pub(crate) format: Format,
    /// The same as --format json
    #[arg(long)]
    pub(crate) json: bool,
}

const TUNE_EXAMPLES: &str = "\
Examples:
  onefold tune syn5/1-3-1/de-sb                      races populations around the cell's own
  onefold tune 'iris/*/de' --runs 20 -o iris.toml    the cell with its new population, as a campaign file

Populations 1.5 times apart begin with a tenth of the runs; those in which a run fails, or that need significantly more
evaluations than the best, leave the race. Every run is kept in the store, and an interrupted race goes on.";

#[derive(Args, Debug)]
#[command(after_help = TUNE_EXAMPLES)]
pub(crate) struct TuneArgs {
    /// The cell, such as sinc/1-5-1/de-sb; * stands for anything
    pub(crate) cell: String,
    /// A campaign file [default: the paper's, built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) campaign: Option<PathBuf>,
    /// Runs that must all succeed
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 50, value_parser = at_least_one)]
    pub(crate) runs: usize,
    /// Smallest population [default: a quarter of the cell's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size)]
    pub(crate) from: Option<usize>,
    /// Largest population [default: four times the cell's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size)]
    pub(crate) to: Option<usize>,
    /// Folder of the records [default: results/tune]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Trials at a time, 0 for one per core
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = size)]
    pub(crate) threads: usize,
    /// Write the cell with its new population to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

const REPORT_EXAMPLES: &str = "\
Examples:
  onefold report results/paper                       tables on the terminal
  onefold report results/paper -o report.html        one page with tables and figures, readable without network
  onefold report results/paper -o table.tex          by the ending: html, md, csv, tex, json
  onefold report results/paper --figures figures     every figure as SVG and PNG";

#[derive(Args, Debug)]
#[command(after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportArgs {
    /// The folder with the records
    pub(crate) store: PathBuf,
    /// The campaign file [default: the one in the store]
    #[arg(long, value_name = "FILE")]
    pub(crate) campaign: Option<PathBuf>,
    /// Only cells whose name matches, such as 'sinc/*'; * stands for anything
    #[arg(long, value_name = "PATTERN")]
    pub(crate) cells: Option<String>,
    /// Only the cells of these tables, separated by commas
    #[arg(long, value_name = "NAMES")]
    pub(crate) table: Option<String>,
    /// How it is written [default: by the ending of --output; terminal without]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// A short table in Markdown instead of the full ones
    #[arg(long, value_enum)]
    pub(crate) view: Option<View>,
    /// Also write every figure to this folder, as SVG and PNG
    #[arg(long, value_name = "DIR")]
    pub(crate) figures: Option<PathBuf>,
}
