//! A Python program that checks an exported ONNX file.

use super::super::Network;
use super::super::encoding::{Date, Kind};
use super::super::python::{literal, tests_program::rows};
use super::super::text::{doubles, fill};
use super::super::vectors::{Vector, Vectors};
use crate::data::{FieldValue, seconds_of};

pub(in super::super) fn write(network: &Network<'_>, vectors: &Vectors, file: &str) -> String {
    let vectors = Vectors {
        rows: vectors.rows.iter().map(|vector| as_graph(network, vector)).collect(),
        tolerance: vectors.tolerance.clone(),
    };
    let (tolerance, rows) = (doubles(&vectors.tolerance, ["[", "]"], 0), rows(network, &vectors));
    let values = [("TOLERANCES", tolerance.as_str()), ("FILE", &literal(file)), ("ROWS", &rows)];
    fill(include_str!("program.py"), &values)
}

/// A row as the graph takes it: texts without spaces around them, dates as seconds.
fn as_graph(network: &Network<'_>, vector: &Vector) -> Vector {
    let kinds = network.encoding.iter().flat_map(|encoding| &encoding.columns).map(|column| &column.kind);
    let value = |(value, kind): (&FieldValue, &Kind)| match (value, kind) {
        (FieldValue::Text(text), Kind::Date(Date { month_first, .. })) => {
            seconds_of(text, *month_first).map_or(FieldValue::Missing, FieldValue::Number)
        }
        (FieldValue::Text(text), _) => FieldValue::Text(text.trim().into()),
        (other, _) => other.clone(),
    };
    Vector {
        values: vector.values.iter().zip(kinds).map(value).collect(),
        inputs: vector.inputs.clone(),
        outputs: vector.outputs.clone(),
        class: vector.class,
    }
}
