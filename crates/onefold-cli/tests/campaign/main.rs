//! Campaigns as a user meets them.

mod cells;
mod engines;
mod refusals;
mod report;
mod store;

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use tempfile::TempDir;

const SMALL: &str = r#"
name = "small"
runs = 12

[[cell]]
data = "iris"
hidden = "3"
method = "de-sb"
table = "classification"
paper = { evaluations = 1.24e4, deviation = 2.5e3, robustness = 1.0 }

[[cell]]
data = "iris"
hidden = "3"
method = "de"
table = "classification"
paper = { evaluations = 1.46e4, deviation = 3.3e3, robustness = 1.0 }

[[cell]]
data = "syn5"
hidden = "3"
method = "cma-es"
data_seed = "run"
quick = 2
"#;

fn onefold(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("onefold").unwrap();
    command.args(args);
    command
}

/// A folder with the small campaign in it.
fn setting() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("small.toml");
    fs::write(&file, SMALL).unwrap();
    (folder, file)
}

fn reproduce(file: &Path, store: &Path) -> Vec<String> {
    [
        "reproduce",
        "--campaign",
        file.to_str().unwrap(),
        "--store",
        store.to_str().unwrap(),
        "--format",
        "markdown",
    ]
    .map(String::from)
    .to_vec()
}

fn table(file: &Path, store: &Path) -> String {
    let output = onefold(&[]).args(reproduce(file, store)).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

fn start(file: &Path, store: &Path, more: &[&str]) -> Child {
    std::process::Command::new(assert_cmd::cargo::cargo_bin("onefold"))
        .args(reproduce(file, store))
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Cell, seed and everything that does not depend on the clock, for each line of a store.
fn records(store: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(store).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "jsonl") {
            for line in fs::read_to_string(path).unwrap().lines() {
                let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
                value["seconds"] = 0.into();
                lines.push(value.to_string());
            }
        }
    }
    lines.sort();
    lines
}

fn stdout_of(args: &[&str]) -> String {
    String::from_utf8(onefold(args).assert().success().get_output().stdout.clone()).unwrap()
}
