use super::*;
use crate::data::winner;
use crate::{Builtin, Method, fit};
use crate::{FitSettings, Split, TableSettings};
use serde_json::json;
use std::fs;

fn model(output_bias: bool) -> Model {
    let data = Builtin::Iris.load(&Default::default()).unwrap();
    let mut settings = FitSettings::for_builtin(Builtin::Iris, None, Method::DE_SB).unwrap();
    settings.stop.max_generations = Some(30);
    settings.cost.output_bias = output_bias;
    settings.scaling = crate::Scaling::Standard;
    fit("iris", &data, &settings).unwrap().model
}

#[test]
fn a_file_gives_back_every_bit() {
    for output_bias in [false, true] {
        let model = model(output_bias);
        assert_eq!(model.has_output_bias(), output_bias);
        assert_eq!(model.parameters(), 15 + 3 * (3 + usize::from(output_bias)));
        let again = Model::from_json(&model.to_json()).unwrap();
        assert_eq!(model, again);
        assert_eq!(model.to_json(), again.to_json());
    }
}

#[test]
fn metrics_are_those_of_the_predictions() {
    let model = model(false);
    let data = Builtin::Iris.load(&Default::default()).unwrap();
    let correct = (0..75).filter(|row| {
        let class = winner(&data.test.output(*row));
        model.classify(&data.test.input(*row)) == Some(data.test.output_names[class].as_str())
    });
    assert_eq!(model.metrics.test_accuracy, Some(correct.count() as f64 / 75.0));
    assert!((model.metrics.train_mse.unwrap() - model.origin.verified_cost).abs() < 1e-12);
    assert_eq!(model.score(&data.test.select(&[])), None);
}

#[test]
fn foreign_and_damaged_files_are_refused_with_a_reason() {
    let good = model(false).to_json();
    let reason = |text: &str| Model::from_json(text).unwrap_err();
    assert!(reason("").contains("not a model file"));
    assert!(reason("[1, 2]").contains("not a model file"));
    assert!(reason("[]").contains("does not say"));
    assert!(reason("{}").contains("does not say"));
    assert!(reason("{\"format\": \"onnx\"}").contains("does not say"));
    assert!(reason("{\"format\": \"onefold-model\"}").contains("no format_version"));
    assert!(
        reason(&good.replace("\"format_version\": 2", "\"format_version\": 99"))
            .contains("format version 99")
    );
    assert!(reason(&good[..good.len() / 2]).contains("damaged"));
    assert!(reason(&good.replace("\"4-3-3\"", "\"4-4-3\"")).contains("hidden parameters"));
    assert!(reason(&good.replace("\"4-3-3\"", "\"4-0-3\"")).contains("damaged"));
    assert!(reason(&good.replace("\"hidden\"", "\"hiden\"")).contains("damaged"));
}

#[test]
fn damaged_numbers_are_refused_with_their_place() {
    let good: serde_json::Value = serde_json::from_str(&model(false).to_json()).unwrap();
    let with = |path: &str, value: serde_json::Value| {
        let mut file = good.clone();
        *file.pointer_mut(path).unwrap() = value;
        Model::from_json(&file.to_string()).unwrap_err()
    };
    for (path, value, expected) in [
        ("/hidden/2", json!(null), "hidden parameter 3 is null, so it was no finite number"),
        ("/hidden/2", json!("x"), "hidden parameter 3 is not a number"),
        ("/hidden", json!({}), "it has no list of hidden parameters"),
        ("/hidden", json!([1.0]), "it has 1 hidden parameters, and 4-3-3 needs 15"),
        ("/readout/1/0", json!(null), "readout 2 weight 1 is null"),
        ("/readout/1", json!([1.0, 2.0]), "its readout rows differ in length"),
        ("/readout", json!([]), "it has 0 readout rows"),
        ("/scaler/scale/0", json!(null), "scaler scale 1 is null"),
        ("/scaler/scale/0", json!(0.0), "its scaler divides by zero"),
        ("/scaler/scale/0", json!(1e-310), "its scaler divides by zero"),
        ("/output_names/1", json!("Iris-setosa"), "it has the class Iris-setosa twice"),
        ("/metrics/train_mse", json!(-1.0), "one of its errors"),
        ("/metrics/test_accuracy", json!(2.0), "one of its accuracies"),
        ("/topology", json!("4-1000000-1000000-3"), "2^32"),
        ("/topology", json!("4-3-2"), "it has 3 readout rows"),
        ("/origin/settings/topology", json!("4-2-3"), "it is a 4-3-3, and was trained as 4-2-3"),
        ("/origin/rank", json!(99), "a larger rank"),
        ("/origin/rank", json!(-1), "invalid value"),
        ("/format_version", json!(0), "no format version 0"),
        ("/format_version", json!("1"), "no format_version"),
    ] {
        let message = with(path, value);
        assert!(message.contains(expected), "{path}: {message}");
    }
    // Nobody may have measured the error, as of an average of networks.
    let mut unmeasured = good.clone();
    unmeasured["metrics"] = json!({});
    let unmeasured = Model::from_json(&unmeasured.to_string()).unwrap();
    assert!(unmeasured.metrics().train_mse.is_none() && !unmeasured.to_json().contains("train_mse"));
    let nested = format!("{{\"format\": \"onefold-model\", \"hidden\": {}1", "[".repeat(100_000));
    assert!(Model::from_json(&nested).unwrap_err().contains("recursion limit"));
    let large = good.to_string().replacen("\"hidden\":[", "\"hidden\":[1e999,", 1);
    assert!(Model::from_json(&large).unwrap_err().contains("number out of range"));
}

#[test]
fn readouts_of_a_linear_part_have_its_weights() {
    let data = Builtin::Iris.load(&Default::default()).unwrap();
    let mut settings = FitSettings::for_builtin(Builtin::Iris, Some("2+linear"), Method::DE_SB).unwrap();
    settings.stop.max_generations = Some(3);
    let file = |settings: &FitSettings| -> serde_json::Value {
        serde_json::from_str(&fit("iris", &data, settings).unwrap().model.to_json()).unwrap()
    };
    let reason = |mut file: serde_json::Value, topology: Option<&str>, columns: usize| {
        if let Some(topology) = topology {
            (file["topology"], file["origin"]["settings"]["topology"]) = (json!(topology), json!(topology));
        }
        file["readout"] = json!(vec![vec![0.5; columns]; 3]);
        Model::from_json(&file.to_string()).map(|model| model.has_output_bias())
    };
    let linear = file(&settings);
    assert_eq!(linear["readout"][0].as_array().unwrap().len(), 2 + 4);
    assert_eq!((reason(linear.clone(), None, 6), reason(linear.clone(), None, 7)), (Ok(false), Ok(true)));
    let wrong = "it has 3 readout columns, and 4-2-3+linear needs 6";
    assert!(reason(linear.clone(), None, 3).unwrap_err().contains(wrong));
    assert!(reason(linear.clone(), Some("4-2-3"), 6).unwrap_err().contains("and 4-2-3 needs 2"));
    assert!(reason(linear, Some("4-3+linear"), 4).unwrap_err().contains("it has 10 hidden parameters"));
    settings.topology = "4-3".parse().unwrap();
    settings.cost.output_bias = true;
    let constant = file(&settings);
    assert_eq!(reason(constant.clone(), None, 1), Ok(true));
    assert!(
        reason(constant.clone(), None, 0).unwrap_err().contains("it has 0 readout columns, and 4-3 needs 1")
    );
    assert!(reason(constant, None, 2).is_err());
}

#[test]
fn files_of_the_first_version_are_read() {
    let model = model(true);
    let old = model.to_json().replace("\"format_version\": 2", "\"format_version\": 1");
    assert!(!old.contains("table") && !old.contains("target_scaler") && !old.contains("cross_validation"));
    assert_eq!(Model::from_json(&old).unwrap(), model);
}

#[test]
fn tables_and_scaled_targets_survive_their_file() {
    let line =
        |i: usize| format!("r{i},{},{},{}", i % 7, ["a", "b", "c"][i % 3], 1e6 + 50.0 * (i % 7) as f64);
    let text = (0..60).map(line).collect::<Vec<_>>().join("\n");
    let how = TableSettings { id_column: vec!["1".into()], ..TableSettings::default() };
    let table = crate::Table::from_reader("t.csv", &how, text.as_bytes()).unwrap();
    let data = table.split(&Split::Fraction { test: 0.25, seed: 3 }).unwrap();
    let mut settings = FitSettings::for_data(&data.train, "2", Method::DE_SB).unwrap();
    settings.stop.threshold = Some(30.0);
    settings.stop.max_evaluations = Some(100_000);
    let fitted = fit("t.csv", &data, &settings).unwrap();
    let model = fitted.model;
    // The target is in the units of the data, and so are all errors.
    assert!(fitted.report.reached && model.metrics.train_mse.unwrap() <= 30.0, "{:?}", model.metrics);
    assert!((fitted.report.verified_cost / model.metrics.train_mse.unwrap() - 1.0).abs() < 1e-6);
    assert!(model.has_output_bias() && model.origin.target_scaler.is_some());
    assert!((model.predict(&data.test.input(0))[0] - data.test.outputs[0][0]).abs() < 50.0);
    let again = Model::from_json(&model.to_json()).unwrap();
    assert_eq!(again, model);
    assert_eq!(again.schema().input_names(), ["column2", "column3=a", "column3=b", "column3=c"]);
    let damaged = model.to_json().replace("\"a\",", "\"z\",");
    assert!(
        Model::from_json(&damaged).unwrap_err().contains("the words of its column column3 are not in order")
    );
    // Without an output bias in the search, the offset becomes one.
    settings.cost.output_bias = false;
    let model = fit("t.csv", &data, &settings).unwrap().model;
    let offset = model.origin.target_scaler.as_ref().unwrap().offset[0];
    assert_eq!(model.readout[0].last().unwrap().to_bits(), offset.to_bits());
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let folder = std::env::temp_dir().join(format!("onefold-model-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("model.json");
    let model = model(false);
    model.save(&path).unwrap();
    assert_eq!(Model::load(&path).unwrap(), model);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
    assert!(matches!(model.save(&folder), Err(Error::Write { .. })));
    assert!(matches!(model.save(&folder.join("no/such/folder.json")), Err(Error::Write { .. })));
    assert!(matches!(Model::load(&folder.join("none.json")), Err(Error::Model { .. })));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn scores_of_a_training_are_those_computed_afterwards() {
    for builtin in [Builtin::Iris, Builtin::Sinc] {
        let data = builtin.load(&Default::default()).unwrap();
        let mut settings = FitSettings::for_builtin(builtin, Some("2"), Method::AUTO).unwrap();
        settings.stop.max_evaluations = Some(300);
        let train = || crate::Training::new("data", &data, &settings).unwrap();
        let afterwards = train().run().unwrap().model;
        assert!(afterwards.metrics().train.is_none() && afterwards.metrics().test.is_none());
        let afterwards = afterwards.with_scores_on(&data);
        assert_eq!(train().with_scores().run().unwrap().model.to_json(), afterwards.to_json());
    }
}
