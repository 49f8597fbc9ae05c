//! The documents are true: their commands run and print what is shown, their tables are those of the records,
//! and what they cite exists.

mod citations;
#[cfg(unix)]
mod commands;
mod markdown;
mod modules;
mod records;
mod reliability;
mod scale;

use std::fs;
use std::path::{Path, PathBuf};

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A document of the repository.
struct Document {
    /// Its path from the root.
    name: String,
    text: String,
}

/// All documents but the changelog, which tells of earlier versions.
fn documents() -> Vec<Document> {
    let root = root();
    let mut names: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "PAPER.md", "SECURITY.md"].map(String::from).to_vec();
    for entry in fs::read_dir(root.join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if Path::new(&name).extension().is_some_and(|ending| ending == "md") {
            names.push(format!("docs/{name}"));
        }
    }
    names.sort();
    names
        .into_iter()
        .map(|name| Document { text: fs::read_to_string(root.join(&name)).unwrap(), name })
        .collect()
}

fn document(name: &str) -> Document {
    documents().into_iter().find(|document| document.name == name).unwrap()
}

#[test]
fn the_readme_is_short_and_opens_with_the_two_commands() {
    let text = document("README.md").text;
    let lines: Vec<_> = text.lines().collect();
    assert!(lines.len() <= 180, "README.md has {} lines", lines.len());
    let first = markdown::blocks(&text).remove(0);
    assert!(first.first_line < 6, "README.md must open with its commands");
    let commands: Vec<_> =
        first.lines.iter().map(|line| line.split('#').next().unwrap().trim_end()).collect();
    assert_eq!(commands, ["cargo run --release -- fit sinc", "make test"]);
}
