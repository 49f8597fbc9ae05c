//! Flags of `onefold bench`.

use crate::values::{at_least_one, positive};
use clap::Args;

#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // flags of the command line
pub(crate) struct BenchArgs {
    /// Only the networks of this data set
    #[arg(conflicts_with = "scaling", add = crate::values::builtin_candidates())]
    pub(crate) data: Option<String>,
    /// Measure how time grows with samples, width, depth, population and dimension instead
    #[arg(long)]
    pub(crate) scaling: bool,
    /// Measure the time of derivatives (gradient and Gauss-Newton matrix), in evaluations, instead
    #[arg(long, conflicts_with = "scaling")]
    pub(crate) slopes: bool,
    /// Measure derivatives on 10^4 to 10^6 rows, on one thread and two, instead
    #[arg(long, conflicts_with_all = ["data", "scaling", "slopes"])]
    pub(crate) rows: bool,
    /// Time of the beginning of a run, in seconds; ten times as long for all runs to the threshold
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 0.5, value_parser = positive)]
    pub(crate) seconds: f64,
    /// Runs of each measurement; runs to the threshold have the seeds 1 to N
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 3, value_parser = at_least_one)]
    pub(crate) repeats: usize,
    /// Instruction set: portable, avx2 or avx512 [default: the fastest that this machine has]
    #[arg(long, value_name = "NAME")]
    pub(crate) isa: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
