//! A Rust program that checks an exported module.

use super::super::text::{doubles, fill, literal, wrap};
use super::super::vectors::{Vector, Vectors};
use super::super::{Network, Precision};
use super::BRACKETS;
use crate::data::FieldValue;
use std::fmt::Write as _;

pub(in super::super) fn write(network: &Network<'_>, vectors: &Vectors, file: &str) -> String {
    let real = match network.precision {
        Precision::Float => "f32",
        Precision::Double => "f64",
    };
    let (input, predict, classify) = if let Some(encoding) = &network.encoding {
        let lifetime = if encoding.has_text() { "<'static>" } else { "" };
        let predict = format!("network::predict_row(row).unwrap_or([{real}::NAN; network::OUTPUTS])");
        (format!("network::Row{lifetime}"), predict, "network::classify_row(row).ok()")
    } else {
        let input = format!("[{real}; network::INPUTS]");
        (input, "network::predict(row)".to_string(), "Some(network::classify(row))")
    };
    let classify = if network.model.is_classification() { classify } else { "None" };
    let (tolerance, rows) = (doubles(&vectors.tolerance, BRACKETS, 0), rows(network, vectors));
    let values = [
        ("TOLERANCES", tolerance.as_str()),
        ("CLASSIFY", classify),
        ("PREDICT", &predict),
        ("INPUT", &input),
        ("COUNT", &vectors.rows.len().to_string()),
        ("FILE", &literal(file)),
        ("ROWS", &rows),
    ];
    fill(include_str!("program.rs"), &values)
}

fn rows(network: &Network<'_>, vectors: &Vectors) -> String {
    let mut text = "[\n".to_string();
    for vector in &vectors.rows {
        let outputs = doubles(&vector.outputs, BRACKETS, 8);
        let _ = writeln!(
            text,
            "    (\n        {},\n        {outputs},\n        {:?},\n    ),",
            row(network, vector),
            vector.class
        );
    }
    text + "]"
}

fn row(network: &Network<'_>, vector: &Vector) -> String {
    let Some(encoding) = &network.encoding else { return network.list(&vector.inputs, BRACKETS, "", 8) };
    let fields = encoding.columns.iter().zip(&vector.values).map(|(column, value)| {
        let value = match value {
            FieldValue::Number(v) => format!("{v:?}"),
            FieldValue::Text(text) => format!("Some({})", literal(text)),
            FieldValue::Missing if column.is_number() => "f64::NAN".into(),
            FieldValue::Missing => "None".into(),
        };
        format!("{}: {value}", column.field)
    });
    format!("network::Row {}", wrap(fields, ["{ ", " }"], 8))
}
