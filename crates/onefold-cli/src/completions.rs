//! `onefold completions`, and what the shell asks for later: options, methods and data sets of this very program.

use crate::args::Cli;
use crate::failure::Failure;
use crate::output;
use clap::CommandFactory as _;
use clap_complete::env::{CompleteEnv, Shells};

/// The variable in which a shell says that it wants completions.
const VARIABLE: &str = "ONEFOLD_COMPLETE";

/// Answers a shell that wants completions, and ends the program then.
pub(crate) fn answer() {
    CompleteEnv::with_factory(Cli::command).var(VARIABLE).complete();
}

/// Prints the script that makes a shell ask.
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
