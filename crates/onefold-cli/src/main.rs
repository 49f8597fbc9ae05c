//! `onefold` trains small neural networks by global search.

use std::process::ExitCode;

fn main() -> ExitCode {
    onefold_cli::main()
}
