//! Exported models take rows of the table, and answer as `onefold predict` does: `check.py` compares them on
//! awkward tables (`make export-rows` on all of them, with many more rows), `fixed.py` networks of integers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Tables with words, dates, yes and no, missing values, written numbers, other alphabets, classes.
const TABLES: &str = "gaps_in_text,half_of_all_missing,true_and_false_with_gaps,american_dates,times_of_day,\
                      iso_times_with_offset,accents_and_other_alphabets,target_of_yes_and_no,euros_behind,many_cities";

/// Runs a script of this folder with the Python that `make test` prepares.
fn script(name: &str, args: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert!(
        root.join(".venv-test/installed").exists(),
        "this test runs exported models with numpy, onnxruntime and node; run `make test` once, which installs them into .venv-test"
    );
    let unix = root.join(".venv-test/bin/python");
    let python: PathBuf = if unix.exists() { unix } else { root.join(".venv-test/Scripts/python.exe") };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export_rows");
    let output = Command::new(python)
        .arg("-B")
        .arg(folder.join(name))
        .args(["--binary", env!("CARGO_BIN_EXE_onefold")])
        .args(args)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[test]
fn exports_agree_with_predict_on_raw_columns() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/awkward/tables");
    let said = script("check.py", &["--tables", tables.to_str().unwrap(), "--only", TABLES, "--rows", "300"]);
    assert!(said.starts_with("10 tables of 300 rows each, 9 with prediction intervals; 0 that"), "{said}");
}

#[test]
fn hostile_names_are_compiled_and_run_safely() {
    script("check.py", &["--hostile", "--rows", "200", "--with-tests"]);
}

#[test]
fn dates_are_read_alike_in_all_languages() {
    script("dates.py", &[]);
}

#[test]
fn integers_are_as_accurate_as_floating_point() {
    script("fixed.py", &[]);
}
