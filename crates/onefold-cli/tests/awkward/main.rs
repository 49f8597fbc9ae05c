//! Awkward tables, each named after its trouble (`make.py` writes them): what is read, said and predicted.
//!
//! For each one the snapshot has the report of `fit` on the table, the inputs that its columns became, and
//! the first answers of `predict`; or what is refused.

#[path = "../common/mod.rs"]
mod common;

use common::{onefold, words};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Tables that are also read with more arguments.
const WITH_FLAGS: &[(&str, &str)] = &[
    ("comma_that_may_be_either.csv", "--decimal ,"),
    ("comma_that_may_be_either.csv", "--thousands ,"),
    ("dates_of_either_order.csv", "--date-order month-first"),
    ("gaps_in_numbers.csv", "--missing refuse"),
    ("gaps_in_numbers.csv", "--missing drop"),
    ("gaps_in_text.csv", "--missing mean"),
    ("names_of_every_row.csv", "--id-column name"),
    ("numbers_as_codes.csv", "--text-column zip"),
    ("target_of_0_and_1.csv", "--task regression"),
    ("yes_and_no.csv", "--categories ordinal"),
];

fn folder_of_tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/awkward/tables")
}

/// The report up to the network: what follows depends on the machine.
fn until_network(report: &str) -> String {
    report
        .lines()
        .take_while(|line| !line.starts_with("  network"))
        .fold(String::new(), |t, line| t + line + "\n")
}

/// Answers with few digits, as the last ones may differ between machines.
fn shorter(answers: &str) -> String {
    let mut text = String::new();
    for line in answers.lines().take(5) {
        let field = |field: &str| match field.parse::<f64>() {
            Ok(v) => format!("{v:.4}"),
            Err(_) => field.to_string(),
        };
        let _ = writeln!(text, "{}", line.split(',').map(field).collect::<Vec<_>>().join(","));
    }
    text
}

/// What is said about a table, and what is predicted.
fn described(folder: &Path, file: &str, flags: &str) -> String {
    let fit = format!("fit {file} --hidden none --linear-part --decay 0.01 --seed 1 -o m.json {flags}");
    let output = onefold(folder, &words(&fit)).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(2), "{file}: {said}");
        assert!(!folder.join("m.json").exists(), "{file}: a refused table leaves no model");
        return said;
    }
    let mut text = until_network(&String::from_utf8(output.stdout).unwrap());
    let model: Value = serde_json::from_str(&fs::read_to_string(folder.join("m.json")).unwrap()).unwrap();
    let names: Vec<&str> =
        model["input_names"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let shown =
        if names.len() > 12 { format!("{} and more", names[..12].join(" | ")) } else { names.join(" | ") };
    let _ = writeln!(text, "\n{} inputs: {shown}", names.len());
    let answers = onefold(folder, &["predict", "m.json", file]).output().unwrap();
    let said = String::from_utf8(answers.stderr).unwrap();
    assert!(answers.status.success(), "{file}: a model predicts the table it was made of: {said}");
    let rows = String::from_utf8(answers.stdout).unwrap();
    assert!(rows.lines().skip(1).all(|line| !line.contains("NaN")), "{file}: {rows}");
    let _ = write!(text, "\n{}{said}", shorter(&rows));
    fs::remove_file(folder.join("m.json")).unwrap();
    text
}

#[test]
fn awkward_tables_are_read_as_meant_or_refused_with_all_reasons() {
    let folder = TempDir::new().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder_of_tables())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() >= 40, "{} tables", names.len());
    for name in &names {
        fs::copy(folder_of_tables().join(name), folder.path().join(name)).unwrap();
        insta::assert_snapshot!(name.replace('.', "_"), described(folder.path(), name, ""));
    }
    for (name, flags) in WITH_FLAGS {
        let title = format!("{} {flags}", name.trim_end_matches(".csv")).replace([' ', '.', ','], "_");
        insta::assert_snapshot!(title, described(folder.path(), name, flags));
    }
}
