//! The built-in data sets.

use crate::common::{json, stdout};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

#[test]
fn datasets_prints_the_classic_files() {
    let folder = TempDir::new().unwrap();
    for (name, expected) in [
        ("balance", "5611187ef7345d807aa8ae22615945ade52a190537c0b1434bd44c3e877c5bb4"),
        ("tic-tac-toe", "a996a756484d0cf8cbad1680d823aadbfcff8ae2d78c450e6999362d580301c5"),
        ("two-spirals", "8092180091dd09dafe6164758be6ed315c80a7c6d580a8273a19f1f7d3019162"),
        ("iris", "596ffd580471ca4d4880f8e439c7281f3b50d8249a5960353cb200b1490f63a0"),
        ("iris-fisher", "36f668d1cbc29a8c2c1128c5d2f0d400fa04ed4dc62d12246f44ce9360360cc0"),
    ] {
        let text = stdout(folder.path(), &["datasets", name, "--csv"]);
        let sha = Sha256::digest(&text).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        assert_eq!(sha, expected, "{name}");
    }
    let sinc = stdout(folder.path(), &["datasets", "sinc", "--csv", "--samples", "7", "--test-samples", "2"]);
    assert_eq!(sinc.lines().count(), 9);
}

#[test]
fn datasets_lists_and_details() {
    let folder = TempDir::new().unwrap();
    insta::assert_snapshot!(stdout(folder.path(), &["datasets"]));
    insta::assert_snapshot!(stdout(folder.path(), &["datasets", "balance"]));
    assert_eq!(json(folder.path(), &["datasets", "--json"]).as_array().unwrap().len(), 10);
    assert_eq!(json(folder.path(), &["datasets", "iris", "--json"])["train_rows"], 75);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("onefold"))
        .args(["datasets", "sinc", "--csv", "--samples", "200000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
