//! A C program that checks an exported header.

use super::super::text::doubles;
use super::super::vectors::{Vector, Vectors};
use super::super::{Network, Precision};
use super::{BRACES, literal, template};
use crate::data::FieldValue;
use std::fmt::Write as _;

pub(in super::super) fn write(network: &Network<'_>, vectors: &Vectors, file: &str) -> String {
    let name = network.name;
    let real = match network.precision {
        Precision::Float => "float",
        Precision::Double => "double",
    };
    let (input, predict, classify) = if network.encoding.is_some() {
        let predict = format!("{name}_predict_row(&test->row, out)");
        (format!("struct {name}_row row"), predict, format!("{name}_classify_row(&test->row)"))
    } else {
        let predict = format!("({name}_predict(test->in, out), 0)");
        (format!("{real} in[{}]", network.inputs()), predict, format!("{name}_classify(test->in)"))
    };
    let classify = if network.model.is_classification() { classify } else { "-1".into() };
    let (tolerance, rows) = (doubles(&vectors.tolerance, BRACES, 0), rows(network, vectors));
    let values = [
        ("TOLERANCES", tolerance.as_str()),
        ("CLASSIFY", &classify),
        ("PREDICT", &predict),
        ("INPUT", &input),
        ("COUNT", &vectors.rows.len().to_string()),
        ("REAL", real),
        ("FILE", &format!("\"{file}\"")),
        ("ROWS", &rows),
    ];
    template(include_str!("program.c"), name, &values)
}

fn rows(network: &Network<'_>, vectors: &Vectors) -> String {
    let mut text = "{\n".to_string();
    for vector in &vectors.rows {
        let outputs = doubles(&vector.outputs, BRACES, 4);
        let class = vector.class.map_or("-1".into(), |class| class.to_string());
        let _ = writeln!(text, "    {{{}, {outputs}, {class}}},", row(network, vector));
    }
    text + "}"
}

fn row(network: &Network<'_>, vector: &Vector) -> String {
    if network.encoding.is_none() {
        let suffix = if network.precision == Precision::Float { "f" } else { "" };
        return network.list(&vector.inputs, BRACES, suffix, 4);
    }
    let value = |value: &FieldValue, is_number: bool| match value {
        FieldValue::Number(v) => format!("{v:?}"),
        FieldValue::Text(text) => literal(text),
        FieldValue::Missing if is_number => "NAN".into(),
        FieldValue::Missing => "NULL".into(),
    };
    let columns = network.encoding.iter().flat_map(|encoding| &encoding.columns);
    let values = columns.zip(&vector.values).map(|(column, v)| value(v, column.is_number()));
    super::super::text::wrap(values, BRACES, 4)
}
