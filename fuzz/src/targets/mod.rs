//! One target a file.

pub(crate) mod campaign;
pub(crate) mod checkpoint;
pub(crate) mod csv;
pub(crate) mod model;
pub(crate) mod store;

use onefold::data::Missing;
use onefold::{Builtin, FitSettings, Method, Model, Split, Table, TableSettings, TrainTest, fit};

/// Good inputs, which the runner damages and libFuzzer starts from.
pub type Seeds = Vec<Vec<u8>>;

/// A built-in set and settings for a short run on it.
fn run_on_iris(method: Method) -> (TrainTest, FitSettings) {
    let data = Builtin::Iris.load(&Default::default()).expect("a built-in set");
    let settings = FitSettings::for_builtin(Builtin::Iris, Some("2"), method);
    let mut settings = settings.expect("the paper has such a network");
    settings.method.common.population = Some(8);
    settings.stop.max_generations = Some(2);
    (data, settings)
}

/// A model of a table with identifiers, words and missing values.
fn table_model() -> Model {
    let text = "id,size,colour,price\nu,1,red,10\nv,2,blue,25\nw,3,red,31\nx,,blue,4\n";
    let how =
        TableSettings { id_column: vec!["id".into()], missing: Missing::Mean, ..TableSettings::default() };
    let data = Table::from_reader("t.csv", &how, text.as_bytes()).and_then(|t| t.split(&Split::All));
    let data = data.expect("a good table");
    let mut settings = FitSettings::for_data(&data.train, "1", Method::DE).expect("a good network");
    settings.stop.max_generations = Some(1);
    fit("t.csv", &data, &settings).expect("a good run").model
}
