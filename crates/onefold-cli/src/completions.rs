//! `onefold completions`. The printed script calls this program for candidates, so that options, methods and
//! data sets are always those of the installed version.

use crate::args::Cli;
use crate::failure::Failure;
use crate::output;
use clap::CommandFactory as _;
use clap_complete::env::{CompleteEnv, Shells};

/// The environment variable with which a shell requests completions.
const VARIABLE: &str = "ONEFOLD_COMPLETE";

/// Prints completions and ends the program, if a shell has requested them.
pub(crate) fn answer() {
    CompleteEnv::with_factory(Cli::command).var(VARIABLE).complete();
}

/// Prints the script that registers this program for completions.
pub(crate) fn run(shell: clap_complete::Shell) -> Result<(), Failure> {
    let name = shell.to_string();
    let shells = Shells::builtins();
    let completer = shells
        .completer(&name)
        .ok_or_else(|| Failure::bad_input(format!("there are no completions for {name}")))?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "onefold", "onefold", "onefold", &mut script)?;
    Ok(output::print(&String::from_utf8_lossy(&script))?)
}
