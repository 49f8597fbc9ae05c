//! Which rows of a built-in set, and how they are encoded.

use super::SplitKindArg;
use crate::values::{count, size, split};
use clap::{Args, ValueEnum as _};
use onefold::{Builtin, BuiltinSettings, Error, SplitKind, SplitRule};

/// Which rows of a built-in set, and how they are encoded.
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
    /// Split of a table: A rows train, the next B test, and so on [default: 1/1; two-spirals 2/2; see
    /// --test-fraction for files]
    #[arg(long, value_name = "A/B", value_parser = split, help_heading = "Data")]
    split: Option<SplitRule>,
    /// Where the split's pattern starts [default: strict; balance shifted, see PAPER.md]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Data")]
    split_kind: Option<SplitKindArg>,
    /// Encoding of balance (raw, centred or from-zero) or tic-tac-toe (such as x=1,b=0,o=-1) [default: raw;
    /// x=0,b=-1,o=1]
    #[arg(long, value_name = "HOW", help_heading = "Data")]
    encoding: Option<String>,
}

impl DataArgs {
    pub(crate) fn settings(&self, builtin: Builtin) -> Result<BuiltinSettings, Error> {
        let mut split = self.split.map(|rule| match builtin.split() {
            Some(default) => SplitRule { kind: default.kind, ..rule },
            None => rule,
        });
        if let Some(kind) = self.split_kind {
            let wrong = || Error::Setting {
                name: "split_kind",
                value: kind.to_possible_value().map_or(String::new(), |v| v.get_name().into()),
                expected: format!("{builtin} is generated in two parts and has no split"),
            };
            let rule = split.or(builtin.split()).ok_or_else(wrong)?;
            split = Some(SplitRule { kind: kind.into(), ..rule });
        }
        let mut settings = BuiltinSettings {
            samples: self.samples,
            test_samples: self.test_samples,
            noise: self.noise,
            data_seed: self.data_seed,
            split,
            ..BuiltinSettings::default()
        };
        if let Some(text) = &self.encoding {
            settings.set_encoding(builtin, text)?;
        }
        Ok(settings)
    }

    /// The split of a file's rows, where one is given.
    pub(crate) fn split_of_file(&self) -> Option<SplitRule> {
        let kind = self.split_kind.map_or(SplitKind::Strict, Into::into);
        self.split.map(|rule| SplitRule { kind, ..rule })
    }

    /// Flags that mean nothing for a file, and whether they are given.
    pub(crate) fn of_builtin(&self) -> [(&'static str, bool); 6] {
        [
            ("--samples", self.samples.is_some()),
            ("--test-samples", self.test_samples.is_some()),
            ("--noise", self.noise.is_some()),
            ("--data-seed", self.data_seed.is_some()),
            ("--encoding", self.encoding.is_some()),
            ("--split-kind", self.split_kind.is_some() && self.split.is_none()),
        ]
    }
}
