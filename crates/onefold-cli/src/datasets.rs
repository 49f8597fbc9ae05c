//! `onefold datasets`.

use crate::args::{DataArgs, DatasetsArgs};
use crate::failure::Failure;
use crate::output::{self, short, table};
use console::style;
use onefold::{Builtin, FitSettings, Method, TrainTest};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(crate) fn run(args: &DatasetsArgs) -> Result<(), Failure> {
    let text = match &args.name {
        None if args.json => {
            let all: Result<Vec<Value>, Failure> =
                Builtin::ALL.into_iter().map(|b| as_json(b, &args.input)).collect();
            output::json(&Value::from(all?))
        }
        None => list()?,
        Some(name) => {
            let builtin: Builtin = name.parse()?;
            if args.csv {
                builtin.text(&args.input.overrides().for_builtin(builtin)?)?
            } else if args.json {
                output::json(&as_json(builtin, &args.input)?)
            } else {
                details(builtin, &args.input)?
            }
        }
    };
    Ok(output::print(&text)?)
}

fn list() -> Result<String, Failure> {
    let mut rows = vec![["name", "train/test", "network", "target", ""].map(String::from).to_vec()];
    for b in Builtin::ALL {
        let TrainTest { train, test, .. } = b.load(&Default::default())?;
        let settings = FitSettings::for_builtin(b, None, Method::DE_SB)?;
        rows.push(vec![
            b.name().into(),
            format!("{}/{}", train.rows(), test.rows()),
            settings.topology.to_string(),
            short(b.threshold()),
            b.description().into(),
        ]);
    }
    let footer = "\nonefold fit NAME trains on one, onefold datasets NAME tells more, --csv prints it.\n";
    Ok(table(&rows, &[false, true, false, true, false]) + footer)
}

fn details(builtin: Builtin, input: &DataArgs) -> Result<String, Failure> {
    let settings = input.overrides().for_builtin(builtin)?;
    let TrainTest { train, test, .. } = builtin.load(&settings)?;
    let mut text = format!("{}  {}\n", style(builtin.name()).bold(), builtin.description());
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<9} {value}");
    };
    let kind = if train.classification { "classes" } else { "outputs" };
    line("rows", format!("{} to train, {} to test", train.rows(), test.rows()));
    if let Some(split) = settings.split.or(builtin.split()) {
        line("split", split.to_string());
    }
    line("inputs", train.input_names.join(", "));
    line(kind, train.output_names.join(", "));
    line("target", short(builtin.threshold()));
    text += "\n  The paper's networks, with population and mean evaluations:\n";
    let mut rows = vec![["", "network", "de", "", "de-sb", "", "cma-es", ""].map(String::from).to_vec()];
    for cell in builtin.paper_cells() {
        let topology = FitSettings::for_builtin(builtin, Some(cell.hidden), Method::DE)?.topology;
        let mut row = vec!["  ".to_string(), topology.to_string()];
        for result in [cell.de, cell.de_sb, cell.cma_es] {
            let mean = result.evaluations.map_or("never".into(), |(mean, _)| format!("{mean:.2e}"));
            row.extend([result.population.to_string(), mean]);
        }
        rows.push(row);
    }
    Ok(text + &table(&rows, &[false, false, true, true, true, true, true, true]))
}

fn as_json(builtin: Builtin, input: &DataArgs) -> Result<Value, Failure> {
    let settings = input.overrides().for_builtin(builtin)?;
    let TrainTest { train, test, .. } = builtin.load(&settings)?;
    let cells = builtin.paper_cells().iter().map(|cell| {
        let result = |r: &onefold::paper::PaperResult| {
            json!({
                "population": r.population,
                "robustness": r.robustness,
                "mean_evaluations": r.evaluations.map(|(mean, _)| mean),
                "deviation": r.evaluations.map(|(_, deviation)| deviation),
            })
        };
        json!({
            "hidden": cell.hidden,
            "de": result(&cell.de),
            "de-sb": result(&cell.de_sb),
            "cma-es": result(&cell.cma_es),
        })
    });
    Ok(json!({
        "name": builtin.name(),
        "description": builtin.description(),
        "classification": train.classification,
        "train_rows": train.rows(),
        "test_rows": test.rows(),
        "split": settings.split.or(builtin.split()).map(|s| s.to_string()),
        "inputs": train.input_names,
        "outputs": train.output_names,
        "target": builtin.threshold(),
        "paper": cells.collect::<Vec<_>>(),
    }))
}
