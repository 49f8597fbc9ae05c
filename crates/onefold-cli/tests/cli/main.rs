//! The command as a user meets it: results, files, messages and exit codes.

#[path = "../common/mod.rs"]
mod common;
mod datasets;
mod fit;
mod methods;
mod refusals;

use common::{files, onefold, stdout};
use tempfile::TempDir;

/// A refusal: exit code 2, one sentence on standard error, nothing on standard output, nothing written.
fn refused(args: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    let output = onefold(folder.path(), args).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty(), "{args:?} printed something");
    assert!(files(folder.path()).is_empty(), "{args:?} wrote something");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: "), "{message}");
    message.trim_end().trim_start_matches("error: ").to_string()
}

#[test]
fn help_and_completions() {
    let folder = TempDir::new().unwrap();
    assert!(stdout(folder.path(), &["fit", "--help"]).contains("onefold fit sinc"));
    assert!(stdout(folder.path(), &["completions", "bash"]).contains("_onefold"));
    assert!(stdout(folder.path(), &["--version"]).starts_with("onefold 0."));
    onefold(folder.path(), &[]).assert().code(2);
}
