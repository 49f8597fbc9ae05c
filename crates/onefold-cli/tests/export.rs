//! `onefold export` as a user meets it. What the exported files compute is tested in the library.

mod common;

use common::onefold;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn stdout(folder: &Path, args: &[&str]) -> Vec<u8> {
    onefold(folder, args).assert().success().get_output().stdout.clone()
}

/// A folder with a model `iris-1.json`.
fn model() -> TempDir {
    let folder = TempDir::new().unwrap();
    stdout(folder.path(), &["fit", "iris", "--seed", "1", "--max-generations", "5", "-o", "iris-1.json"]);
    folder
}

#[test]
fn formats_follow_the_ending_and_go_to_a_file_or_standard_output() {
    let folder = model();
    for (format, ending, has) in [
        ("onnx", "onnx", "iris_1"),
        ("c", "h", "static inline int iris_1_classify(const float in[])"),
        ("rust", "rs", "pub fn classify(input: &[f32; INPUTS]) -> usize"),
        ("javascript", "mjs", "export const name = \"iris_1\";"),
        ("python", "py", "_REAL = np.float64"),
    ] {
        let file = format!("out.{ending}");
        let said = stdout(folder.path(), &["export", "iris-1.json", "-o", &file]);
        let said = String::from_utf8(said).unwrap();
        assert!(said.starts_with(&format!("{file}  4-3-3, ")) && said.contains("rounding changes"), "{said}");
        let written = fs::read(folder.path().join(&file)).unwrap();
        assert_eq!(stdout(folder.path(), &["export", "iris-1.json", "--format", format]), written);
        assert!(String::from_utf8_lossy(&written).contains(has), "{format}");
    }
    let args = ["export", "iris-1.json", "--format", "c", "--precision", "double", "--name", "flower"];
    let text = String::from_utf8(stdout(folder.path(), &args)).unwrap();
    assert!(text.contains("static inline void flower_predict(const double in[], double out[])"), "{text}");
}

#[test]
fn the_measured_change_is_printed_beside_the_error() {
    let folder = TempDir::new().unwrap();
    stdout(folder.path(), &["fit", "sinc", "--method", "de-sb", "--seed", "7", "-o", "sinc.json"]);
    let said = |more: &[&str]| {
        let args = [&["export", "sinc.json", "-o", "sinc.h"], more].concat();
        String::from_utf8(stdout(folder.path(), &args)).unwrap()
    };
    let float = said(&["--allow-rounding"]);
    assert!(
        float.contains("; rounding changes its outputs by up to 0.0")
            && float.contains(", root mean square ")
            && float.ends_with(" % of its error\n"),
        "{float}"
    );
    let double = said(&["--precision", "double"]);
    assert!(double.ends_with(", less than 0.1 % of its error\n"), "{double}");
}

#[test]
fn refusals_are_one_sentence_and_write_nothing() {
    let folder = model();
    for (args, expected) in [
        ("iris-1.json", "say with --format what to write: onnx, c, rust, javascript, python, c-fixed"),
        (
            "iris-1.json -o x.txt",
            "--output x.txt: the ending must be one of onnx, h, rs, mjs, py, unless --format says what to write",
        ),
        (
            "iris-1.json -o x.h --name 9x",
            "--name \"9x\": must be an identifier: letters, digits and underscores, a letter first and no underscore last",
        ),
        (
            "iris-1.json -o x.mjs --precision float",
            "--precision float: javascript computes in double; leave it out",
        ),
        ("iris-1.json -o no/such/x.h", "--output no/such/x.h: its folder does not exist"),
        ("iris-1.json -o . --format c", "--output .: this is a directory; name a file"),
        (
            "iris-1.json -o ./iris-1.json --format c",
            "--output ./iris-1.json: this is the model; name another file",
        ),
        ("none.json -o x.h", "none.json: No such file or directory (os error 2)"),
    ] {
        let args: Vec<&str> = ["export"].into_iter().chain(args.split(' ')).collect();
        let output = onefold(folder.path(), &args).assert().code(2).get_output().clone();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("error: {expected}\n"));
        assert!(output.stdout.is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{args:?} wrote something");
    }
}

#[test]
fn help() {
    let folder = TempDir::new().unwrap();
    let text = onefold(folder.path(), &["export", "--help"])
        .env_remove("COLUMNS")
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    insta::assert_snapshot!(String::from_utf8(text).unwrap());
}
