//! A program for Node that checks an exported module.

use super::super::Network;
use super::super::text::{doubles, fill, literal};
use super::super::vectors::{Vector, Vectors};
use super::BRACKETS;
use crate::data::FieldValue;
use std::fmt::Write as _;

pub(in super::super) fn write(network: &Network<'_>, vectors: &Vectors, file: &str) -> String {
    let [predict, classify] =
        if network.encoding.is_some() { ["predictRow", "classifyRow"] } else { ["predict", "classify"] };
    let (tolerance, rows) = (doubles(&vectors.tolerance, BRACKETS, 0), rows(network, vectors));
    let values = [
        ("TOLERANCES", tolerance.as_str()),
        ("CLASSIFY", classify),
        ("FUNCTION", predict),
        ("FILE", &literal(file)),
        ("ROWS", &rows),
    ];
    fill(include_str!("program.js"), &values)
}

fn rows(network: &Network<'_>, vectors: &Vectors) -> String {
    let mut text = "[\n".to_string();
    for vector in &vectors.rows {
        let outputs = doubles(&vector.outputs, BRACKETS, 4);
        let class = vector.class.map_or("null".into(), |class| class.to_string());
        let _ = writeln!(text, "  [\n    {},\n    {outputs},\n    {class},\n  ],", row(network, vector));
    }
    text + "]"
}

/// Keys are computed, as `__proto__` would be no column otherwise.
fn row(network: &Network<'_>, vector: &Vector) -> String {
    let Some(encoding) = &network.encoding else { return doubles(&vector.inputs, BRACKETS, 4) };
    let mut text = "{\n".to_string();
    for (column, value) in encoding.columns.iter().zip(&vector.values) {
        let value = match value {
            FieldValue::Number(v) => format!("{v:?}"),
            FieldValue::Text(value) => literal(value),
            FieldValue::Missing => "null".into(),
        };
        let _ = writeln!(text, "      [{}]: {value},", literal(&column.name));
    }
    text + "    }"
}
