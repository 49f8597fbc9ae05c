//! The columns of a table in an exported Python module.

use super::super::Network;
use super::super::encoding::{Column, Encoding, Kind};
use super::super::text::{doubles, wrap};
use super::{BRACKETS, literal};
use crate::data::{EMPTY, MARKS};
use std::fmt::Write as _;

const NUMBER: &str = include_str!("number.py");
const TEXT: &str = include_str!("text.py");
const WORDS: &str = include_str!("words.py");
const DATES: &str = include_str!("dates.py");

/// What it imports besides numpy.
pub(super) fn imports(encoding: &Encoding) -> &'static str {
    if encoding.has_dates() { "import math\nimport re\n\n" } else { "" }
}

/// The functions on rows of the table.
pub(super) fn functions(encoding: &Encoding, network: &Network<'_>) -> String {
    let mut text = String::new();
    if encoding.has_numbers() {
        text += NUMBER;
    }
    if encoding.has_text() {
        text += "\n\n# Texts that stand for a missing value, whatever the size of their letters.\n";
        text += &marks("_EMPTY", &EMPTY);
        if encoding.has_dates() {
            text += &marks("_MARKS", &MARKS);
        }
        text += TEXT.trim_start_matches('\n');
    }
    if encoding.has_words() {
        text += WORDS;
    }
    if encoding.has_dates() {
        text += DATES;
    }
    text += "\n\n# Of each column: its name, how its values become inputs, the inputs of a missing value (None: a row\n\
             # without it has no answer), and whether one more input says that it is missing.\n_COLUMNS = [\n";
    for column in &encoding.columns {
        text += &entry(column);
    }
    let names = wrap(encoding.columns.iter().map(|column| literal(&column.name)), BRACKETS, 0);
    let _ = write!(text, "]\nCOLUMN_NAMES = {names}\n");
    text += include_str!("rows.py");
    if network.model.is_classification() {
        text += include_str!("classify_rows.py");
    }
    if network.interval.is_some() {
        text += include_str!("interval_rows.py");
    }
    text
}

fn marks(name: &str, marks: &[&str]) -> String {
    let list = wrap(marks.iter().map(|mark| literal(&mark.to_ascii_lowercase())), ["{", "}"], 0);
    format!("{name} = {list}\n")
}

fn entry(column: &Column) -> String {
    let flag = |name: &str, is_set: bool| if is_set { format!(", {name}=True") } else { String::new() };
    let read = match &column.kind {
        Kind::Number => "_number".to_string(),
        Kind::Words(words) => {
            let list = wrap(words.known.iter().map(|word| literal(word)), BRACKETS, 8);
            let unknown = doubles(&words.unknown, BRACKETS, 8);
            let (one_hot, case) = (flag("one_hot", words.one_hot), flag("ignores_case", words.ignores_case));
            format!("_words({list}, {unknown}{one_hot}{case})")
        }
        Kind::Date(date) => {
            let parts = wrap(date.parts.iter().map(|part| literal(part.name())), BRACKETS, 8);
            let flags = flag("clock", date.clock) + &flag("month_first", date.month_first);
            format!("_date({:?}, {parts}{flags})", date.origin)
        }
    };
    let missing = column.missing.as_ref().map_or("None".into(), |values| doubles(values, BRACKETS, 8));
    let indicator = if column.indicator { "True" } else { "False" };
    let name = literal(&column.name);
    format!("    (\n        {name},\n        {read},\n        {missing},\n        {indicator},\n    ),\n")
}
