//! Model files.

use super::{Seeds, run_on_iris, table_model};
use onefold::{Method, Model, fit};

pub(crate) fn seeds() -> Seeds {
    let (data, settings) = run_on_iris(Method::DE_SB);
    let fitted = fit("iris", &data, &settings).expect("a good run");
    [fitted.model, table_model()].map(|model| model.to_json().into_bytes()).into()
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
