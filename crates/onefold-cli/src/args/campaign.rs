//! Flags of the commands that run campaigns and report on them.

use crate::campaign::table::Format;
use crate::values::{at_least_one, duration, size};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Which cells of a campaign.
#[derive(Args, Debug)]
pub(crate) struct CellsArgs {
    /// Only cells whose name matches, such as 'sinc/*'; * matches any text
    #[arg(long, value_name = "PATTERN")]
    pub(crate) cells: Option<String>,
    /// Only the cells of these tables, separated by commas, such as regression or classification
    #[arg(long, value_name = "NAMES")]
    pub(crate) table: Option<String>,
}

/// A batch system with arrays of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BatchSystem {
    /// Slurm
    Slurm,
    /// Sun or Univa Grid Engine
    Sge,
    /// PBS Pro or `OpenPBS`
    Pbs,
}

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  onefold reproduce --quick                          a small subset, in less than a minute
  onefold reproduce --cells 'iris/*'                 all methods on iris; * matches any text
  onefold reproduce                                  everything; takes hours
  onefold reproduce --shard 3/8                      the third of eight processes that share one store
  onefold reproduce --campaign mine.toml             your own campaign, written like experiments/paper.toml
  onefold reproduce --on dask://10.0.0.1:8786        on a Dask cluster, by the Python package (docs/scaling.md)
  onefold reproduce --slurm --shards 64 > jobs.sh    64 shards as an array of Slurm jobs: sbatch jobs.sh

Finished trials are never repeated. Ctrl-C stops at once; the next call resumes unfinished trials from their \
last checkpoint and restarts those without one.";

#[derive(Args, Debug)]
#[command(after_help = REPRODUCE_EXAMPLES)]
pub(crate) struct ReproduceArgs {
    /// Campaign file [default: the paper's experiments, built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) campaign: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) only: CellsArgs,
    /// At most this many runs of each cell
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) runs: Option<usize>,
    /// Only the cells and runs of the quick subset, which takes less than a minute
    #[arg(long)]
    pub(crate) quick: bool,
    /// Folder of the records [default: results/NAME, with the campaign's name]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Only part I of N equal parts of the trials, I from 1 to N
    #[arg(long, value_name = "I/N", value_parser = crate::values::shard, conflicts_with = "on")]
    pub(crate) shard: Option<(usize, usize)>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    /// Print a script that runs the shards as an array of jobs on this batch system, and run nothing
    #[arg(long, value_name = "SYSTEM", value_enum, conflicts_with_all = ["on", "shard"])]
    pub(crate) print_jobs: Option<BatchSystem>,
    /// The same as --print-jobs slurm
    #[arg(long, conflicts_with_all = ["on", "shard", "print_jobs"])]
    pub(crate) slurm: bool,
    /// Jobs of the array
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 16, value_parser = at_least_one)]
    pub(crate) shards: usize,
    /// Trials run in parallel, 0 for one per core
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = size)]
    pub(crate) threads: usize,
    /// Time between checkpoints of a running trial
    #[arg(long, value_name = "TIME", default_value = "1min", allow_hyphen_values = true, value_parser = duration)]
    pub(crate) checkpoint_every: Duration,
    /// Format of the tables
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    pub(crate) format: Format,
    /// The same as --format json
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where trials run.
#[derive(Args, Debug)]
pub(crate) struct EngineArgs {
    /// Run the trials on an engine by the Python package, which must be installed: local,
    /// dask://HOST:PORT or ray://HOST:PORT
    #[arg(long, value_name = "ENGINE")]
    pub(crate) on: Option<String>,
    /// Python interpreter for --on
    #[arg(long, value_name = "FILE", default_value = "python3", requires = "on")]
    pub(crate) python: PathBuf,
}

const TUNE_EXAMPLES: &str = "\
Examples:
  onefold tune syn5/1-3-1/de-sb                      compares populations around the cell's own
  onefold tune 'iris/*/de' --runs 20 -o iris.toml    the cell with its new population, as a campaign file
  onefold tune 'sinc/1-5-1/de' --on dask://HOST:8786 on a Dask cluster, by the Python package (docs/scaling.md)

Compares populations that differ by a factor of 1.5: first a tenth of the runs of each, then three tenths, then \
all. A population is dropped as soon as one of its runs misses the target, or when it needs significantly more \
evaluations than the best. Every run is recorded, and an interrupted tuning continues when called again.";

#[derive(Args, Debug)]
#[command(after_help = TUNE_EXAMPLES)]
pub(crate) struct TuneArgs {
    /// Name of the cell, such as sinc/1-5-1/de-sb; * matches any text
    pub(crate) cell: String,
    /// Campaign file [default: the paper's experiments, built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) campaign: Option<PathBuf>,
    /// Runs that must all reach the target
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
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    /// Trials run in parallel, 0 for one per core
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = size)]
    pub(crate) threads: usize,
    /// Write the cell with its new population to this file instead of standard output; a file of this name is
    /// replaced
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
