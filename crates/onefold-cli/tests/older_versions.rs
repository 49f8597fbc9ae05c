//! Files that earlier versions wrote, under `fixtures/`: their models predict, their checkpoints continue
//! to the same parameters and their stores are complete, although names and defaults have changed since.

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
    let (resumed, whole) = (read(&folder.path().join("m.json")), read(&fixture("iris.json")));
    assert_same(&resumed, &whole, "iris");
}

/// Both models have the same weights, and the same errors as far as the older file has them.
fn assert_same(now: &serde_json::Value, older: &serde_json::Value, what: &str) {
    for field in ["hidden", "readout"] {
        assert_eq!(now[field], older[field], "{what}: {field}");
    }
    for (name, value) in older["metrics"].as_object().unwrap() {
        assert_eq!(now["metrics"][name], *value, "{what}: {name}");
    }
}

/// A folder with copies of files of 0.2.0.
fn with_files_of_0_2_0(names: &[&str]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/0.2.0");
    for name in names {
        let to = folder.path().join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from.join(name), to).unwrap();
    }
    folder
}

fn read(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn models_of_0_2_0_predict_the_same_and_show_their_settings() {
    let folder = with_files_of_0_2_0(&["auto.json", "auto-predictions.csv", "houses.csv", "jade.json"]);
    let at = |name: &str| folder.path().join(name);
    let args = "predict auto.json houses.csv --id-column id -o now.csv";
    onefold(folder.path(), &args.split(' ').collect::<Vec<_>>()).assert().success();
    assert_eq!(
        fs::read_to_string(at("now.csv")).unwrap(),
        fs::read_to_string(at("auto-predictions.csv")).unwrap()
    );
    let shown = json(folder.path(), &["show", "jade.json", "--json"]);
    assert_eq!(shown["origin"]["settings"]["method"]["jade"]["seed"], 2);
    assert!(shown["origin"]["settings"]["method"]["jade"].get("variant").is_none());
}

/// Local descents with a threshold, without one, and after the selection of a size; adaptive DE. The names
/// of their settings have changed.
#[test]
fn checkpoints_of_0_2_0_continue_to_the_parameters_of_the_whole_run() {
    let houses = "fit houses.csv --id-column id --seed 3";
    for (name, args) in [
        ("target", format!("{houses} --hidden 3 --target 1e-9 --max-evaluations 20000")),
        ("patience", format!("{houses} --hidden 8")),
        ("selected", format!("{houses} --target 1e-6 --max-evaluations 1e6")),
        ("jade", "fit iris --method jade --seed 2 --max-evaluations 20000 --target 0".into()),
    ] {
        let [checkpoint, whole] = ["checkpoint", "whole"].map(|part| format!("{name}-{part}.json"));
        let folder = with_files_of_0_2_0(&["houses.csv", &checkpoint, &whole]);
        let args = format!("{args} --resume {checkpoint} -o m.json");
        onefold(folder.path(), &args.split(' ').collect::<Vec<_>>()).assert().success();
        let (resumed, whole) = (read(&folder.path().join("m.json")), read(&folder.path().join(whole)));
        assert_same(&resumed, &whole, name);
    }
}

#[test]
fn a_store_of_0_2_0_is_complete_and_reported() {
    let folder =
        with_files_of_0_2_0(&["houses.csv", "small.toml", "store/campaign.toml", "store/trials.jsonl"]);
    let records = fs::read_to_string(folder.path().join("store/trials.jsonl")).unwrap();
    let args = ["reproduce", "--campaign", "small.toml", "--store", "store", "--json"];
    let table = json(folder.path(), &args);
    let runs: Vec<_> = table["cells"].as_array().unwrap().iter().map(|cell| cell["runs"].as_u64()).collect();
    assert_eq!(runs, [Some(3); 3]);
    let after = fs::read_to_string(folder.path().join("store/trials.jsonl")).unwrap();
    assert_eq!(after, records, "nothing is run again");
    onefold(folder.path(), &["report", "store"]).assert().success();
}
