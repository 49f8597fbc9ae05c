//! Model files.

use super::{Seeds, run_on_iris, table_model};
use onefold::{Method, Model, fit};

pub(crate) fn seeds() -> Seeds {
    let (data, settings) = run_on_iris(Method::DE_SB);
    let mut models = vec![fit("iris", &data, &settings).expect("a good run").model, table_model()];
    for topology in ["4-2-3+linear", "4-3+linear", "4-3"] {
        let mut settings = settings.clone();
        settings.topology = topology.parse().expect("a topology");
        settings.cost.output_bias = true;
        models.push(fit("iris", &data, &settings).expect("a good run").model);
    }
    models.iter().map(|model| model.to_json().into_bytes()).collect()
}

/// Whether bytes are accepted as a model.
///
/// # Panics
///
/// Where an accepted model cannot predict or be drawn, or its file does not read as the same model.
#[must_use]
pub fn model(bytes: &[u8]) -> bool {
    let Ok(model) = Model::from_json(&String::from_utf8_lossy(bytes)) else { return false };
    let answer = model.predict(&vec![0.5; model.topology().inputs()]);
    let _ = (model.winner(&answer), model.norm(), model.origin().settings.population());
    onefold_cli::fuzzing::draw(&model);
    let again = Model::from_json(&model.to_json()).expect("the file of an accepted model is accepted");
    assert!(again == model, "the file of an accepted model reads as the same model");
    true
}
