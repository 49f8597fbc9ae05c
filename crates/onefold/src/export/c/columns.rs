//! The columns of a table in an exported C header.

use super::super::encoding::{Column, Date, Encoding, Kind, Words};
use super::super::text::{comment, doubles, wrap};
use super::super::{Network, Precision};
use super::{BRACES, literal, names, template};
use crate::data::{DatePart, EMPTY, MARKS};
use std::fmt::Write as _;

/// The struct of a row, and the functions on it.
pub(in super::super) fn functions(encoding: &Encoding, network: &Network<'_>) -> String {
    let name = network.name;
    let real = match network.precision {
        Precision::Float => "float",
        Precision::Double => "double",
    };
    let list = |name: &str, marks: &[&str]| {
        let list = wrap(marks.iter().map(|m| literal(&m.to_ascii_lowercase())), BRACES, 4);
        format!("    static const char *const {name}[] = {list};")
    };
    let (empty, marks) = (list("empty", &EMPTY), list("marks", &MARKS));
    let values = [("REAL", real), ("EMPTY", &empty), ("MARKS", &marks)];
    let template = |text: &str| template(text, name, &values);
    let mut text = "\n/* The columns, as the table has them. */\n".to_string();
    text += &names(&format!("{name}_column_names"), &encoding.names());
    for part in helpers(encoding) {
        text += &template(part);
    }
    text += &structure(encoding, name);
    text += &encode(encoding, name);
    text += &template(include_str!("rows.h"));
    if network.model.is_classification() {
        text += &template(include_str!("classify_row.h"));
    }
    if network.interval.is_some() {
        text += &template(include_str!("interval_row.h"));
    }
    text
}

/// Functions that do not depend on the columns.
fn helpers(encoding: &Encoding) -> Vec<&'static str> {
    let mut parts = Vec::new();
    if encoding.has_text() {
        parts.push(include_str!("text.h"));
    }
    if encoding.has_words() {
        parts.push(include_str!("words.h"));
    }
    if encoding.has_dates() {
        parts.push(include_str!("dates.h"));
    }
    let has_parts = |column: &Column| matches!(&column.kind, Kind::Date(date) if !date.parts.is_empty());
    if encoding.columns.iter().any(has_parts) {
        parts.push(include_str!("angles.h"));
    }
    parts
}

fn structure(encoding: &Encoding, name: &str) -> String {
    let mut text = format!(
        "\n/* A row of the table. NAN is a missing number; texts, also dates, are those of the table in UTF-8, and NULL\n   \
         is a missing one. */\nstruct {name}_row {{\n"
    );
    for column in &encoding.columns {
        let real = if matches!(column.kind, Kind::Number) { "double " } else { "const char *" };
        let _ =
            writeln!(text, "    {real}{}; /* {}, {} */", column.field, comment(&column.name), column.what());
    }
    text + "};\n"
}

/// The function that encodes a row.
fn encode(encoding: &Encoding, name: &str) -> String {
    let upper = name.to_uppercase();
    let mut text = format!(
        "\n/* The {upper}_INPUTS inputs of a row. It returns 0, or the number of the column, from 1, whose value\n   \
         is missing where the network has no answer to that, or no date. */\n\
         static inline int {name}_encode(const struct {name}_row *row, double in[])\n{{\n"
    );
    for (i, column) in encoding.columns.iter().enumerate() {
        text += &match &column.kind {
            Kind::Number => number(column, i + 1),
            Kind::Words(words) => of_words(column, words, name, i + 1),
            Kind::Date(date) => of_date(column, date, name, i + 1),
        };
    }
    text + "    return 0;\n}\n"
}

/// What is done for a missing value of a column, one statement a line.
fn missing(column: &Column, number: usize) -> String {
    let Some(values) = &column.missing else { return format!("        return {number};\n") };
    let mut text = String::new();
    for (k, v) in values.iter().enumerate() {
        let _ = writeln!(text, "        in[{}] = {v:?};", column.first + k);
    }
    text
}

/// The input that says whether a value is missing.
fn indicator(column: &Column, condition: &str) -> String {
    if !column.indicator {
        return String::new();
    }
    format!("    in[{}] = {condition};\n", column.first + column.width)
}

fn number(column: &Column, number: usize) -> String {
    let (field, first) = (&column.field, column.first);
    format!(
        "    if (isnan(row->{field})) {{\n{}    }} else {{\n        in[{first}] = row->{field};\n    }}\n{}",
        missing(column, number),
        indicator(column, &format!("isnan(row->{field}) ? 1 : 0")),
    )
}

fn of_words(column: &Column, words: &Words, name: &str, number: usize) -> String {
    let Column { field, first, width, .. } = column;
    let (count, ignores_case) = (words.known.len(), u8::from(words.ignores_case));
    let list = wrap(words.known.iter().map(|word| literal(word)), BRACES, 4);
    let known = if words.one_hot { format!("k == place_{number}") } else { format!("place_{number}") };
    let unknown = doubles(&words.unknown, BRACES, 4);
    let mut text = format!(
        "    static const char *const words_{number}[{count}] = {list};\n    \
         static const double unknown_{number}[{width}] = {unknown};\n    \
         int place_{number} = {name}_word(row->{field}, words_{number}, {count}, {ignores_case});\n    \
         if (place_{number} == -2) {{\n{}    }} else {{\n        \
         for (int k = 0; k < {width}; k++)\n            \
         in[{first} + k] = place_{number} < 0 ? unknown_{number}[k] : (double)({known});\n    }}\n",
        missing(column, number),
    );
    text += &indicator(column, &format!("place_{number} == -2"));
    text
}

fn of_date(column: &Column, date: &Date, name: &str, number: usize) -> String {
    let Column { field, first, .. } = column;
    let (clock, month_first) = (u8::from(date.clock), u8::from(date.month_first));
    let mut text = format!(
        "    double seconds_{number} = 0;\n    \
         int is_date_{number} = {name}_seconds(row->{field}, {clock}, {month_first}, &seconds_{number});\n    \
         if (is_date_{number} == 0)\n        return {number};\n    \
         if (is_date_{number} == -2) {{\n{}    }} else {{\n        \
         in[{first}] = (seconds_{number} - {:?}) / 86400.0;\n",
        missing(column, number),
        date.origin,
    );
    for (k, part) in date.parts.iter().enumerate() {
        let code = DatePart::ALL.iter().position(|other| other == part).unwrap_or(0);
        let _ = writeln!(text, "        {name}_angle({code}, seconds_{number}, in + {});", first + 1 + 2 * k);
    }
    text += "    }\n";
    text + &indicator(column, &format!("is_date_{number} == -2"))
}
