//! What the fuzz runner is asked for.

use crate::values::count;
use clap::{Args, ValueEnum};

#[derive(Args, Debug)]
pub(crate) struct FuzzArgs {
    /// What reads the inputs [default: each in turn]
    #[arg(value_enum)]
    pub(crate) target: Option<FuzzTarget>,
    /// Inputs for each
    #[arg(long, value_name = "N", default_value = "1e6", value_parser = count)]
    pub(crate) runs: u64,
    /// Seed of the mutations
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    pub(crate) seed: u64,
    /// Number of the first input, to repeat one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count)]
    pub(crate) first: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FuzzTarget {
    Csv,
    Model,
    Checkpoint,
    Toml,
}

impl FuzzTarget {
    pub(crate) const ALL: [Self; 4] = [Self::Csv, Self::Model, Self::Checkpoint, Self::Toml];
}
