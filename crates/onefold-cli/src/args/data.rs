//! Flags that choose the rows of a built-in data set and their encoding.

use super::choices::SplitKindArg;
use crate::values::{count, size, split};
use clap::Args;
use onefold::DataOverrides;
use onefold::data::SplitRule;

#[derive(Args, Debug)]
pub(crate) struct DatasetsArgs {
    /// Name of a data set
    #[arg(add = crate::values::builtin_candidates())]
    pub(crate) name: Option<String>,
    /// Print its rows as CSV in their original order, without a header
    #[arg(long, requires = "name", conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

/// The rows of a built-in data set and their encoding.
#[derive(Args, Debug, Default)]
pub(crate) struct DataArgs {
    /// Training rows of a generated set [default: 200]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size, help_heading = "Data")]
    samples: Option<usize>,
    /// Test rows of a generated set [default: 200]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size, help_heading = "Data")]
    test_samples: Option<usize>,
    /// Standard deviation of the noise of a generated set [default: 0.005]
    #[arg(long, value_name = "SIGMA", allow_negative_numbers = true, help_heading = "Data")]
    noise: Option<f64>,
    /// Seed of a generated set [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, help_heading = "Data")]
    data_seed: Option<u64>,
    /// Split of a table: A training rows, then B test rows, and so on [default: 1/1; two-spirals 2/2; for
    /// a file see --test-fraction]
    #[arg(long, value_name = "A/B", value_parser = split, help_heading = "Data")]
    split: Option<SplitRule>,
    /// Where the pattern of --split starts [default: strict; balance shifted, see PAPER.md]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Data")]
    split_kind: Option<SplitKindArg>,
    /// Input encoding of balance (raw, centred or from-zero) or tic-tac-toe (such as x=1,b=0,o=-1)
    /// [default: raw; x=0,b=-1,o=1]
    #[arg(long, value_name = "HOW", help_heading = "Data")]
    encoding: Option<String>,
}

impl DataArgs {
    /// The options given on the command line.
    pub(crate) fn overrides(&self) -> DataOverrides {
        DataOverrides {
            samples: self.samples,
            test_samples: self.test_samples,
            noise: self.noise,
            data_seed: self.data_seed,
            split: self.split,
            split_kind: self.split_kind.map(Into::into),
            encoding: self.encoding.clone(),
            ..DataOverrides::default()
        }
    }
}
