//! What the documents cite: links, files, functions and tests.

use super::markdown::{anchors, links, spans};
use super::{Document, document, documents, root};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

#[test]
fn links_lead_somewhere() {
    let all = documents();
    let mut wrong = String::new();
    for Document { name, text } in &all {
        let folder = Path::new(name).parent().unwrap();
        for link in links(text).into_iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { root().join(name) } else { root().join(folder).join(file) };
            let is_found = target.exists()
                && (anchor.is_empty()
                    || anchors(&fs::read_to_string(&target).unwrap()).iter().any(|a| a == anchor));
            if !is_found {
                let _ = writeln!(wrong, "{name}: {link}");
            }
        }
    }
    assert!(wrong.is_empty(), "these links lead nowhere:\n{wrong}");
}

/// Where a path in a document may begin.
const PLACES: [&str; 14] = [
    "",
    "crates/onefold",
    "crates/onefold/src",
    "crates/onefold-cli",
    "crates/onefold-cli/src",
    "crates/onefold-cli/src/campaign",
    "crates/onefold-campaign/src",
    "crates/onefold/examples",
    "crates/onefold-py/src",
    "crates/onefold-report",
    "crates/onefold-report/src",
    "crates/onefold-report/src/model",
    "python/onefold",
    "crates/onefold/tests/export",
];

#[test]
fn files_that_are_named_exist() {
    let mut wrong = String::new();
    for Document { name, text } in documents() {
        for span in spans(&text) {
            let is_path = span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            let is_file =
                [".rs", ".toml", ".py", ".md"].iter().any(|ending| span.len() > 3 && span.ends_with(ending));
            let is_ours = is_path && (span.ends_with('/') || is_file) && !EXAMPLES.contains(&span);
            if is_ours && !PLACES.iter().any(|place| root().join(place).join(span).exists()) {
                let _ = writeln!(wrong, "{name}: {span}");
            }
        }
    }
    assert!(wrong.is_empty(), "these files do not exist:\n{wrong}");
}

/// Files that a reader makes.
const EXAMPLES: [&str; 5] = ["iris.rs", "iris_test.rs", "iris.py", "iris_test.py", "mine.toml"];

/// All Rust sources.
fn sources() -> String {
    fn collect(folder: &Path, text: &mut String) {
        let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() && !path.ends_with("target") {
                collect(&path, text);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                text.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut text = String::new();
    collect(&root().join("crates"), &mut text);
    text
}

/// Whether the sources define it: an item, a field or a variant. A `*` at the end stands for any ending.
fn is_defined(name: &str, sources: &str) -> bool {
    let stem = name.trim_end_matches('*');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let keywords = ["fn ", "struct ", "enum ", "trait ", "const ", "static ", "mod ", "type ", "pub "];
    sources.match_indices(stem).any(|(at, _)| {
        let (head, tail) = (&sources[..at], &sources[at + stem.len()..]);
        let is_whole = name.ends_with('*') || !tail.starts_with(is_word);
        let is_item = keywords.iter().any(|keyword| head.ends_with(keyword));
        let is_variant = head.ends_with("    ") && tail.trim_start().starts_with([',', '(', '{', ':']);
        is_whole && (is_item || is_variant)
    })
}

/// The table that maps the paper to functions and tests.
#[test]
fn the_map_of_the_paper_names_what_exists() {
    let text = document("PAPER.md").text;
    let (_, rest) = text.split_once("## Where everything is").unwrap();
    let (map, _) = rest.split_once("\n## ").unwrap();
    let sources = sources();
    let mut wrong = String::new();
    let is_name = |span: &&str| span.chars().all(|c| c.is_alphanumeric() || "_:…*".contains(c));
    for span in spans(map).into_iter().skip(2).filter(is_name) {
        for part in span.split("::").filter(|part| !part.trim_matches(['…', '*']).is_empty()) {
            if !is_defined(part, &sources) {
                let _ = writeln!(wrong, "{span}: no {part}");
            }
        }
    }
    assert!(wrong.is_empty(), "PAPER.md names what does not exist:\n{wrong}");
}

/// A name of four words or more is that of a test or a function.
#[test]
fn tests_that_are_named_exist() {
    let sources = sources();
    let mut wrong = String::new();
    for Document { name, text } in documents() {
        for span in spans(&text) {
            let test = span.rsplit("::").next().unwrap();
            let is_test = test.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            if is_test && test.matches('_').count() >= 3 && !is_defined(test, &sources) {
                let _ = writeln!(wrong, "{name}: {span}");
            }
        }
    }
    assert!(wrong.is_empty(), "these tests do not exist:\n{wrong}");
}

#[test]
fn every_method_is_described() {
    let text = document("docs/methods.md").text;
    for method in onefold::Method::all() {
        assert!(text.contains(&format!("\n| `{method}` | ")), "docs/methods.md has no row for {method}");
    }
}
