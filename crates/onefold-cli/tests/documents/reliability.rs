//! The lists and tables of docs/reliability.md are those of the tests and of the committed counts.

use super::{document, root};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const PAGE: &str = "docs/reliability.md";
const PROMISES: &str = "crates/onefold-cli/tests/promises";
/// What the page says of the runs.
const LEAST_MINUTES: f64 = 30.0;
const LEAST_INPUTS: u64 = 10_000_000;
const FUZZ_TARGETS: [&str; 5] = ["csv", "model", "checkpoint", "campaign", "store"];

/// What stands between `<!-- tests NAME -->`, `<!-- soak TABLE -->` or `<!-- fuzz -->` and `<!-- end -->`:
/// names of tests, and tables of results/torture.json and results/fuzz.json, which `make torture` and
/// `make fuzz` write with `--json`. `UPDATE_RESULTS=1 cargo test -p onefold-cli --test documents` writes it
/// anew.
#[test]
fn the_page_on_reliability_names_all_tests_and_has_the_counts_of_the_soak() {
    let text = document(PAGE).text;
    let expected = expanded(&text);
    if std::env::var_os("UPDATE_RESULTS").is_some() {
        fs::write(root().join(PAGE), &expected).unwrap();
    } else {
        assert!(text == expected, "{PAGE}: UPDATE_RESULTS=1 cargo test -p onefold-cli --test documents");
    }
}

/// The committed counts are those of runs that were long enough, and parsers that did no harm.
#[test]
fn the_counts_are_of_long_runs() {
    let run = read("torture.json");
    assert_eq!(run["violations"].as_u64(), Some(0), "results/torture.json: violations");
    let minutes = run["minutes"].as_f64().unwrap();
    assert!(minutes >= LEAST_MINUTES, "results/torture.json: {minutes} minutes");
    let counts = read("fuzz.json");
    for target in FUZZ_TARGETS {
        let row = &counts[target];
        assert_eq!(row["findings"].as_u64(), Some(0), "results/fuzz.json: findings of {target}");
        let inputs = row["inputs"].as_u64().unwrap();
        assert!(inputs >= LEAST_INPUTS, "results/fuzz.json: {inputs} inputs of {target}");
    }
}

fn expanded(text: &str) -> String {
    let mut expected = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(expected, "{line}");
        let mark = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let made = match mark.map(|mark| mark.split_once(' ').unwrap_or((mark, ""))) {
            Some(("tests", name)) => tests(name),
            Some(("soak", table)) => soak(table),
            Some(("fuzz", _)) => fuzz(),
            _ => continue,
        };
        expected += &made;
        assert!(lines.any(|line| line == "<!-- end -->"), "{PAGE}: no end after {line}");
        expected += "<!-- end -->\n";
    }
    expected
}

/// The names of the tests in a file, or in all files of a folder.
fn tests(name: &str) -> String {
    let place = root().join(PROMISES);
    let file = place.join(format!("{name}.rs"));
    let mut sources = Vec::new();
    if file.exists() {
        sources.push(file);
    }
    if let Ok(folder) = fs::read_dir(place.join(name)) {
        sources.extend(folder.map(|entry| entry.unwrap().path()));
    }
    sources.sort();
    assert!(!sources.is_empty(), "{PAGE}: {PROMISES}/{name}.rs does not exist");
    let mut list = String::new();
    for source in sources {
        let text = fs::read_to_string(&source).unwrap();
        let mut lines = text.lines().map(str::trim);
        while lines.any(|line| line == "#[test]") {
            let function = lines.find_map(|line| line.strip_prefix("fn ")).unwrap();
            let _ = writeln!(list, "- `{}`", function.split('(').next().unwrap());
        }
    }
    list
}

fn read(name: &str) -> Value {
    let text = fs::read_to_string(root().join(Path::new("results")).join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A number with commas between thousands.
fn grouped(value: &Value) -> String {
    let digits = value.as_u64().unwrap().to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn soak(table: &str) -> String {
    let counts = read("torture.json");
    if table == "total" {
        return format!(
            "{}, seed {}, {} minutes on {}: {} cases, {} commands, **{} violations**.\n",
            counts["version"].as_str().unwrap(),
            counts["seed"],
            counts["minutes"],
            counts["machine"].as_str().unwrap(),
            grouped(&counts["cases"]),
            grouped(&counts["commands"]),
            grouped(&counts["violations"])
        );
    }
    let rows = counts[table].as_object().unwrap();
    let mut text = String::from(match table {
        "kinds" => "| cases | violated | kind |\n|---:|---:|---|\n",
        "invariants" => "| checks | violated | what must hold |\n|---:|---:|---|\n",
        _ => {
            "| ends | median | 99 % | most | seconds from the signal or deadline to the end |\n|---:|---:|---:|---:|---|\n"
        }
    });
    for (name, row) in rows {
        let _ = match table {
            "kinds" => {
                writeln!(text, "| {} | {} | {name} |", grouped(&row["cases"]), grouped(&row["violated"]))
            }
            "invariants" => {
                writeln!(text, "| {} | {} | {name} |", grouped(&row["checked"]), grouped(&row["violated"]))
            }
            _ => {
                let count = grouped(&row["count"]);
                writeln!(text, "| {count} | {} | {} | {} | {name} |", row["median"], row["p99"], row["most"])
            }
        };
    }
    text
}

fn fuzz() -> String {
    let mut text = String::from(
        "| target | inputs | accepted | findings | most memory | longest |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for (name, row) in read("fuzz.json").as_object().unwrap() {
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {:.1} MiB | {:.0} ms |",
            grouped(&row["inputs"]),
            grouped(&row["accepted"]),
            grouped(&row["findings"]),
            row["most_mib"].as_f64().unwrap(),
            row["longest_ms"].as_f64().unwrap()
        );
    }
    text
}
