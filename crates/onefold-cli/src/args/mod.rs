//! Commands and flags of the command line.

mod bench;
mod campaign;
mod choices;
mod data;
mod fit;
mod model;
mod report;
mod table;

pub(crate) use bench::BenchArgs;
pub(crate) use campaign::{BatchSystem, ReproduceArgs, TuneArgs};
pub(crate) use data::{DataArgs, DatasetsArgs};
pub(crate) use fit::FitArgs;
pub(crate) use model::{EvaluateArgs, ImportanceArgs, Part, PredictArgs, ShowArgs};
pub(crate) use report::ReportArgs;
pub(crate) use table::{LinesArgs, TableArgs};

use clap::{Parser, Subcommand};

/// Train small neural networks by global search, in one fold of their symmetric parameter space.
#[derive(Parser, Debug)]
#[command(
    name = "onefold",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    max_term_width = 110
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Train a network
    Fit(Box<FitArgs>),
    /// List the built-in data sets, or show one
    Datasets(DatasetsArgs),
    /// Predict the targets of the rows of a table
    Predict(PredictArgs),
    /// Compute errors and scores of a model on the rows of a table
    Evaluate(EvaluateArgs),
    /// Measure by how much a model depends on each column of a table
    Importance(ImportanceArgs),
    /// Show a model file
    Show(ShowArgs),
    /// Write a model for other programs: ONNX, C, Rust, JavaScript or Python
    Export(crate::export::ExportArgs),
    /// Measure evaluations per second, and compare them with the peak performance of this machine
    Bench(BenchArgs),
    /// Run the paper's experiments, or your own campaign, and compare the results with the paper's
    Reproduce(ReproduceArgs),
    /// Find the population size of a cell as the paper did: fewest evaluations with no failed run
    Tune(TuneArgs),
    /// Make an HTML page about a model, or tables, figures or a page from the records of a campaign
    Report(Box<ReportArgs>),
    /// Print a completion script for a shell
    Completions {
        /// Name of the shell
        shell: clap_complete::Shell,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;
    use onefold::{DataOverrides, Overrides};

    #[test]
    fn the_flags_are_consistent() {
        Cli::command().debug_assert();
    }

    /// Flags and keys of campaign cells are the same options under the same names.
    #[test]
    fn every_option_of_the_schema_is_a_flag_of_fit_and_every_other_flag_is_about_files_or_the_selection() {
        let command = Cli::command();
        let fit = command.find_subcommand("fit").expect("a subcommand");
        let flags: Vec<String> = fit.get_arguments().map(|arg| arg.get_id().to_string()).collect();
        let options = [Overrides::names(), DataOverrides::names()].concat();
        for option in &options {
            assert!(flags.contains(option), "{option} is not a flag");
        }
        let others: Vec<_> =
            flags.iter().filter(|flag| !options.contains(flag)).map(String::as_str).collect();
        assert_eq!(
            others,
            ["data", "metric", "prefer", "output", "checkpoint", "checkpoint_every", "resume", "json"]
        );
    }
}
