//! The columns of a table in an exported ECMAScript module.

use super::super::Network;
use super::super::encoding::{Column, Encoding, Kind};
use super::super::text::{doubles, literal, wrap};
use super::BRACKETS;
use crate::data::{EMPTY, MARKS};
use std::fmt::Write as _;

/// The functions on rows of the table.
pub(super) fn functions(encoding: &Encoding, network: &Network<'_>) -> String {
    let mut text = String::new();
    if encoding.has_numbers() {
        text += include_str!("number.js");
    }
    if encoding.has_text() {
        text += include_str!("text.js");
        text += "\n// Texts that stand for a missing value, whatever the size of their letters.\n";
        text += &marks("empty", EMPTY.iter());
        if encoding.has_dates() {
            text += &marks("marksOfDates", EMPTY.iter().chain(&MARKS));
        }
    }
    if encoding.has_words() {
        text += include_str!("words.js");
    }
    if encoding.has_dates() {
        text += include_str!("dates.js");
    }
    text += "\n// Of each column: its name, how its values become inputs, the inputs of a missing value (null: a row\n\
             // without it has no answer), and whether one more input says that it is missing.\nconst columns = [\n";
    for column in &encoding.columns {
        text += &entry(column);
    }
    text += "];\nexport const columnNames = columns.map(([name]) => name);\n";
    text += include_str!("rows.js");
    if network.model.is_classification() {
        text += include_str!("classify_row.js");
    }
    if network.interval.is_some() {
        text += include_str!("interval_row.js");
    }
    text
}

fn marks<'a>(name: &str, marks: impl Iterator<Item = &'a &'a str>) -> String {
    let list = wrap(marks.map(|mark| literal(&mark.to_ascii_lowercase())), BRACKETS, 0);
    format!("const {name} = new Set({list});\n")
}

fn entry(column: &Column) -> String {
    let read = match &column.kind {
        Kind::Number => "number".to_string(),
        Kind::Words(words) => {
            let list = wrap(words.known.iter().map(|word| literal(word)), BRACKETS, 4);
            let unknown = doubles(&words.unknown, BRACKETS, 4);
            format!("words({list}, {unknown}, {}, {})", words.one_hot, words.ignores_case)
        }
        Kind::Date(date) => {
            let parts = wrap(date.parts.iter().map(|part| literal(part.name())), BRACKETS, 4);
            format!("date({:?}, {parts}, {}, {})", date.origin, date.clock, date.month_first)
        }
    };
    let missing = column.missing.as_ref().map_or("null".into(), |values| doubles(values, BRACKETS, 4));
    let mut text = format!("  [\n    {},\n    {read},\n    {missing},\n", literal(&column.name));
    let _ = write!(text, "    {},\n  ],\n", column.indicator);
    text
}
