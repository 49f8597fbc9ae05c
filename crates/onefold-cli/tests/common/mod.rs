//! Runs the command in a folder.

#![allow(dead_code, unreachable_pub, reason = "not every test file needs all of it")]

use assert_cmd::Command;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The command under test: this build, or the one that `ONEFOLD_BINARY` names.
pub fn binary() -> PathBuf {
    std::env::var_os("ONEFOLD_BINARY").map_or_else(|| assert_cmd::cargo::cargo_bin("onefold"), PathBuf::from)
}

pub fn onefold(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.current_dir(folder).args(args);
    command
}

pub fn stdout(folder: &Path, args: &[&str]) -> String {
    String::from_utf8(onefold(folder, args).assert().success().get_output().stdout.clone()).unwrap()
}

pub fn json(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&stdout(folder, args)).unwrap()
}

pub fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

pub fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Exit code and message of a command that must fail and write nothing.
pub fn failure(folder: &Path, args: &[&str], code: i32) -> String {
    let before = files(folder);
    let output = onefold(folder, args).assert().code(code).get_output().clone();
    assert_eq!(files(folder), before, "{args:?} wrote something");
    // A stream of answers may have begun, and a run may have ended, before something goes wrong; bad input is
    // found before.
    assert!(output.stdout.is_empty() || args[0] != "fit" || code != 2, "{args:?} printed something");
    let message = without_rungs(&String::from_utf8(output.stderr).unwrap());
    // One sentence, or the list of a table's problems.
    let is_list = message.lines().next().is_some_and(|first| first.ends_with(" problems:"));
    let is_sentence = message.trim_end().lines().count() == 1;
    assert!(message.starts_with("error: ") && (is_sentence || is_list), "{message}");
    message.trim_end().trim_start_matches("error: ").to_string()
}

/// What a command says besides a line for each rung of a race.
pub fn without_rungs(said: &str) -> String {
    said.split_inclusive('\n').filter(|line| !line.starts_with("rung ")).collect()
}

/// Rows of a small regression: number, word, identifier and target.
pub fn prices() -> String {
    let mut text = "id,size,colour,price\n".to_string();
    for i in 0..60_u32 {
        let (size, colour) = (i % 12, ["red", "blue", "green"][(i % 3) as usize]);
        let _ = writeln!(text, "r{i},{size},{colour},{}", 1000 + 250 * size + 40 * (i % 3));
    }
    text
}

/// A folder with prices.csv and a model that was trained on it.
pub fn with_model() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("prices.csv"), prices()).unwrap();
    let args =
        "fit prices.csv --target-column price --id-column id --hidden 2 --seed 1 --target 100 -o m.json";
    let text = stdout(folder.path(), &words(args));
    assert!(text.contains("reached 100"), "{text}");
    folder
}
