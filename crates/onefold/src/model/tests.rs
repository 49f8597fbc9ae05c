use super::*;
use crate::{Builtin, Method, fit};
use std::fs;
use std::ops::ControlFlow;

fn model(output_bias: bool) -> Model {
    let data = Builtin::Iris.load(&Default::default()).unwrap();
    let mut settings = FitSettings::for_builtin(Builtin::Iris, None, Method::DeSb).unwrap();
    settings.stop.max_generations = Some(30);
    settings.cost.output_bias = output_bias;
    settings.scaling = crate::Scaling::Standard;
    fit("iris", &data, &settings, |_| ControlFlow::Continue(())).unwrap().model
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
    assert!((model.metrics.train_mse - model.origin.verified_cost).abs() < 1e-12);
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
        reason(&good.replace("\"format_version\": 1", "\"format_version\": 99"))
            .contains("format version 99")
    );
    assert!(reason(&good[..good.len() / 2]).contains("damaged"));
    assert!(reason(&good.replace("\"4-3-3\"", "\"4-4-3\"")).contains("hidden parameters"));
    assert!(reason(&good.replace("\"4-3-3\"", "\"4-0-3\"")).contains("damaged"));
    assert!(reason(&good.replace("\"hidden\"", "\"hiden\"")).contains("damaged"));
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
