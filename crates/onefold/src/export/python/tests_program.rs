//! A program that checks an exported Python module.

use super::super::Network;
use super::super::text::{doubles, fill};
use super::super::vectors::{Vector, Vectors};
use super::{BRACKETS, literal};
use crate::data::FieldValue;
use std::fmt::Write as _;

pub(in super::super) fn write(network: &Network<'_>, vectors: &Vectors, file: &str) -> String {
    let has_columns = network.encoding.is_some();
    let function = if has_columns { "predict_row" } else { "predict" };
    let classify = match (network.model.is_classification(), has_columns) {
        (false, _) => "lambda row: None",
        (true, true) => "network.classify_row",
        (true, false) => "network.classify",
    };
    let (tolerance, rows) = (doubles(&vectors.tolerance, BRACKETS, 0), rows(network, vectors));
    let values = [
        ("TOLERANCES", tolerance.as_str()),
        ("CLASSIFY", classify),
        ("FUNCTION", function),
        ("FILE", &literal(file)),
        ("ROWS", &rows),
    ];
    fill(include_str!("program.py"), &values)
}

/// Rows, outputs and classes.
pub(in super::super) fn rows(network: &Network<'_>, vectors: &Vectors) -> String {
    let mut text = "[\n".to_string();
    for vector in &vectors.rows {
        let outputs = doubles(&vector.outputs, BRACKETS, 8);
        let class = vector.class.map_or("None".into(), |class| class.to_string());
        let _ = writeln!(
            text,
            "    (\n        {},\n        {outputs},\n        {class},\n    ),",
            row(network, vector)
        );
    }
    text + "]"
}

fn row(network: &Network<'_>, vector: &Vector) -> String {
    let Some(encoding) = &network.encoding else { return doubles(&vector.inputs, BRACKETS, 8) };
    let mut text = "{\n".to_string();
    for (column, value) in encoding.columns.iter().zip(&vector.values) {
        let value = match value {
            FieldValue::Number(v) => format!("{v:?}"),
            FieldValue::Text(value) => literal(value),
            FieldValue::Missing => "None".into(),
        };
        let _ = writeln!(text, "            {}: {value},", literal(&column.name));
    }
    text + "        }"
}
