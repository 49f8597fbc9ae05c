//! The command `onefold`, which trains small neural networks by global search.
//!
//! A library only so that `fuzz/` can reach the command's own readers: the API is the crate `onefold`.

mod args;
mod bench;
mod campaign;
mod completions;
mod datasets;
mod drawing;
mod elsewhere;
mod evaluate;
mod export;
mod failure;
mod fit;
#[doc(hidden)]
pub mod fuzzing;
mod importance;
mod interrupt;
mod output;
mod paths;
mod predict;
mod progress;
mod report;
mod reproduce;
mod row_notes;
mod scores;
mod show;
mod source;
mod spreadsheet;
mod tune;
mod values;

use args::{Cli, Command};
use clap::Parser as _;
use clap::error::ErrorKind;
use failure::Failure;
use std::process::ExitCode;

/// Does what the command line says.
#[must_use]
pub fn main() -> ExitCode {
    completions::answer();
    if let Err(failure) = interrupt::install() {
        return failure.report();
    }
    let done = match Cli::try_parse() {
        Ok(cli) => run(cli.command),
        // Help and version come this way too, and are no failures.
        Err(e) if !e.use_stderr() || e.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            e.exit()
        }
        Err(e) => Err(Failure::from_usage(&e.to_string())),
    };
    done.unwrap_or_else(|failure| failure.report())
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Fit(args) => return fit::run(&args),
        Command::Datasets(args) => datasets::run(&args)?,
        Command::Predict(args) => predict::run(&args)?,
        Command::Evaluate(args) => evaluate::run(&args)?,
        Command::Importance(args) => importance::run(&args)?,
        Command::Show(args) => show::run(&args)?,
        Command::Export(args) => export::run(&args)?,
        Command::Bench(args) => bench::run(&args)?,
        Command::Reproduce(args) => return reproduce::run(&args),
        Command::Report(args) => report::run(&args)?,
        Command::Tune(args) => return tune::run(&args),
        Command::Completions { shell } => completions::run(shell)?,
    }
    Ok(ExitCode::SUCCESS)
}
