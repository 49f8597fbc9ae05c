//! Files that 0.1.0 wrote, under `fixtures/0.1.0`: its models predict and its checkpoints continue,
//! although defaults have changed since.

mod common;

use common::{failure, json, onefold};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/0.1.0").join(name)
}

/// A folder with a copy of a file of 0.1.0.
fn with(name: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::copy(fixture(name), folder.path().join(name)).unwrap();
    folder
}

/// What the model file itself says, and what `evaluate` finds on the set's training or test rows.
fn errors(model: &str, data: &str, part: &str) -> (f64, f64) {
    let folder = with(model);
    let text = fs::read_to_string(folder.path().join(model)).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let found = json(folder.path(), &["evaluate", model, data, "--part", part, "--json"]);
    (file["metrics"][format!("{part}_mse")].as_f64().unwrap(), found["mse"].as_f64().unwrap())
}

#[test]
fn models_are_evaluated_on_the_rows_that_they_were_trained_and_tested_on() {
    for (model, data) in
        [("two-spirals.json", "two-spirals"), ("syn5.json", "syn5-printed"), ("iris.json", "iris")]
    {
        for part in ["train", "test"] {
            let (recorded, found) = errors(model, data, part);
            assert!((found / recorded - 1.0).abs() < 1e-12, "{model} {part}: {recorded} {found}");
        }
    }
}

#[test]
fn a_model_of_the_printed_syn5_is_not_judged_by_the_corrected_one() {
    let expected = "the model was trained by onefold 0.1.0 on what is called syn5-printed now; name syn5-printed instead of syn5";
    for command in ["evaluate", "predict"] {
        assert_eq!(failure(with("syn5.json").path(), &[command, "syn5.json", "syn5"], 2), expected);
    }
}

#[test]
fn a_checkpoint_continues_to_the_parameters_of_the_whole_run() {
    let folder = with("iris-checkpoint.json");
    let args = "fit iris --method de-sb --seed 4 --target 0 --max-evaluations 4e4 --resume iris-checkpoint.json -o m.json";
    onefold(folder.path(), &args.split(' ').collect::<Vec<_>>()).assert().success();
    let read = |path: &Path| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let (resumed, whole) = (read(&folder.path().join("m.json")), read(&fixture("iris.json")));
    for field in ["hidden", "readout", "metrics"] {
        assert_eq!(resumed[field], whole[field], "{field}");
    }
}
