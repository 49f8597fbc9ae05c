//! From a table of your own to a model that reads other tables: `cargo run --release --example
//! your_own_table -- data.csv price`.

use onefold::model_selection::Evaluation;
use onefold::{FitSettings, Method, Model, RowSettings, Split, Table, TableRows, TableSettings, fit};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or("data.csv".into());
    let how = TableSettings { target_column: args.collect(), ..TableSettings::default() };
    let table = Table::read(Path::new(&path), &how)?;
    println!("{} rows to learn from", table.rows());

    // Means, categories and scalings are learnt on the training rows only.
    let data = table.split(&Split::Fraction { test: 0.2, seed: 1 })?;
    let mut settings = FitSettings::for_data(&data.train, "3", Method::DE_SB)?;
    settings.method.common.seed = 7;
    settings.stop.max_evaluations = Some(200_000);
    let fitted = fit(&path, &data, &settings)?;
    println!("test error {:?}, in the units of the data", fitted.model.metrics().test_mse);

    // The model file says how rows are encoded, so that any table with the same columns can be read.
    let model = Model::from_json(&fitted.model.to_json())?;
    let (schema, file) = (model.schema(), std::fs::File::open(&path)?);
    let settings = RowSettings { targets: true, ..RowSettings::default() };
    let mut rows = TableRows::open(&path, &schema, model.classes(), &settings, file)?;
    let mut evaluation = Evaluation::of_model(&model);
    while let Some(row) = rows.next_row()? {
        if let (Some(inputs), Some(outputs)) = (row.inputs, row.outputs) {
            evaluation.add(&model.predict(&inputs), &outputs);
        }
    }
    println!("{:#?}", evaluation.scores());
    Ok(())
}
