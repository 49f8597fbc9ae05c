//! The command as a user meets it: results, files, messages and exit codes.

mod answers;
#[path = "../common/mod.rs"]
mod common;
mod datasets;
mod fit;
mod linear_part;
mod methods;
mod probabilities;
mod refusals;
mod report;

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

/// What a shell asks the program itself for, as the scripts of `onefold completions` do.
#[test]
fn completions_offer_methods_data_sets_and_files() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("sales.csv"), "a,y\n").unwrap();
    let offered = |words: &[&str]| {
        let mut command = onefold(folder.path(), &[&["--", "onefold"], words].concat());
        command.env("ONEFOLD_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        let output = command.env("_CLAP_IFS", "\n").assert().success().get_output().stdout.clone();
        String::from_utf8(output).unwrap().lines().map(String::from).collect::<Vec<_>>()
    };
    let methods = offered(&["fit", "sinc", "--method", ""]);
    assert_eq!(methods, onefold::Method::all().map(|method| method.name().to_string()).collect::<Vec<_>>());
    assert_eq!(offered(&["fit", "s"]), ["syn5", "syn5-printed", "sinc", "sinc2d", "sales.csv"]);
    assert_eq!(offered(&["export", "m.json", "--format", "ja"]), ["javascript"]);
}
