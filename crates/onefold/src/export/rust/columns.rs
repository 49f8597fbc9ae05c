//! The columns of a table in an exported Rust module.

use super::super::encoding::{Column, Date, Encoding, Kind, Words};
use super::super::text::{comment, doubles, literal, wrap};
use super::super::{Network, Precision};
use super::{BRACKETS, names};
use crate::data::{DatePart, EMPTY, MARKS};
use std::fmt::Write as _;

/// The library's own texts, from where they use nothing but `core`.
const DATE_TEXT: &str = include_str!("../../data/table/date_text.rs");
const DAYS: &str = include_str!("../../data/table/days.rs");
const CORE_ONLY: &str = "// From here on also a part of exported Rust modules: nothing but `core`.\n";

/// The struct of a row, and the functions on it.
pub(super) fn functions(encoding: &Encoding, network: &Network<'_>) -> String {
    let real = match network.precision {
        Precision::Float => "f32",
        Precision::Double => "f64",
    };
    let mut text = format!(
        "\n/// Number of columns of the table that are needed.\n#[allow(dead_code)]\npub const COLUMNS: usize = {};\n\
         /// Their names.\n{}",
        encoding.columns.len(),
        names("COLUMN", &encoding.names())
    );
    text += &structure(encoding);
    text += &encode(encoding);
    text += &include_str!("rows.rs").replace("REAL", real);
    if network.model.is_classification() {
        text += include_str!("classify_row.rs");
    }
    if network.interval.is_some() {
        text += &include_str!("interval_row.rs").replace("REAL", real);
    }
    text + &helpers(encoding)
}

/// Functions that do not depend on the columns.
fn helpers(encoding: &Encoding) -> String {
    let list = |name: &str, marks: &[&str]| {
        let list = wrap(marks.iter().map(|mark| literal(mark)), BRACKETS, 0);
        format!("static {name}: [&str; {}] = {list};\n", marks.len())
    };
    let mut text = String::new();
    if encoding.has_text() {
        text += "\n/// Texts that stand for a missing value, whatever the size of their letters.\n";
        text += &list("EMPTY", &EMPTY);
        text += include_str!("text.rs");
    }
    if encoding.has_dates() {
        text += "\n/// Texts that stand for a missing date, too.\n";
        text += &list("MARKS", &MARKS);
        text += &core_only(DATE_TEXT);
        let days = core_only(DAYS);
        // The last function is for parts of times only.
        let (before, civil) = days.split_once("\n/// Year, month and day").unwrap_or((&days, ""));
        text += before;
        let parts = encoding.columns.iter().filter_map(|column| match &column.kind {
            Kind::Date(date) => Some(&date.parts),
            _ => None,
        });
        if parts.flatten().next().is_some() {
            let _ = write!(text, "\n/// Year, month and day{civil}\n{}\n", include_str!("parts.rs"));
            text += include_str!("angle.rs");
        }
    }
    text
}

fn core_only(file: &str) -> String {
    let text = file.split_once(CORE_ONLY).map_or(file, |(_, text)| text);
    text.replace("pub(super) fn", "fn")
}

fn structure(encoding: &Encoding) -> String {
    let lifetime = if encoding.has_text() { "<'a>" } else { "" };
    let mut text = format!(
        "\n/// A row of the table. NaN is a missing number; texts, also dates, are those of the table, and none is a\n\
         /// missing one.\n#[allow(dead_code)]\n#[derive(Clone, Copy, Debug, PartialEq)]\npub struct Row{lifetime} {{\n"
    );
    for column in &encoding.columns {
        let real = if matches!(column.kind, Kind::Number) { "f64" } else { "Option<&'a str>" };
        let (what, name) = (column.what(), comment(&column.name));
        let _ = writeln!(text, "    /// {name}, {what}.\n    pub {}: {real},", column.field);
    }
    text + "}\n"
}

/// The function that encodes a row.
fn encode(encoding: &Encoding) -> String {
    let mut text = "\n/// The inputs of a row. An error is the place in [`COLUMN_NAMES`] of a column whose value is missing where\n\
                    /// the network has no answer to that, or no date.\n\
                    #[allow(dead_code)]\npub fn encode(row: &Row) -> Result<[f64; INPUTS], usize> {\n    \
                    let mut input = [0.0; INPUTS];\n"
        .to_string();
    for (i, column) in encoding.columns.iter().enumerate() {
        let (value, known) = match &column.kind {
            Kind::Number => {
                let value = format!("(!row.{0}.is_nan()).then_some(row.{0})", column.field);
                (value, format!("input[{}] = value", column.first))
            }
            Kind::Words(words) => of_words(column, words),
            Kind::Date(date) => of_date(column, date, i),
        };
        let missing = match &column.missing {
            None => format!("return Err({i})"),
            Some(values) => {
                let list = doubles(values, BRACKETS, 8);
                format!("input[{}..{}].copy_from_slice(&{list})", column.first, column.first + column.width)
            }
        };
        let _ = write!(
            text,
            "    let value = {value};\n    match value {{\n        None => {missing},\n        Some(value) => {known},\n    }}\n"
        );
        if column.indicator {
            let place = column.first + column.width;
            let _ = writeln!(text, "    input[{place}] = if value.is_none() {{ 1.0 }} else {{ 0.0 }};");
        }
    }
    text + "    Ok(input)\n}\n"
}

/// The value of a column of words, and what is done with it.
fn of_words(column: &Column, words: &Words) -> (String, String) {
    let Column { field, first, width, .. } = column;
    let list = wrap(words.known.iter().map(|word| literal(word)), BRACKETS, 12);
    let find = if words.ignores_case {
        format!("{list}.iter().position(|word| word.eq_ignore_ascii_case(value))")
    } else {
        format!("{list}.binary_search(&value).ok()")
    };
    let known = if words.one_hot {
        format!("input[{first} + place] = 1.0")
    } else {
        format!("input[{first}] = place as f64")
    };
    let unknown = doubles(&words.unknown, BRACKETS, 12);
    let known = format!(
        "match {find} {{\n            Some(place) => {known},\n            \
         None => input[{first}..{}].copy_from_slice(&{unknown}),\n        }}",
        first + width
    );
    (format!("present(row.{field}, &[])"), known)
}

/// The value of a column of dates, and what is done with it.
fn of_date(column: &Column, date: &Date, i: usize) -> (String, String) {
    let Column { field, first, .. } = column;
    let order = usize::from(date.month_first);
    let is_right = if date.clock { "is_clock" } else { "!is_clock" };
    let mut known = format!(
        "{{\n            let seconds = match read_text(value) {{\n                \
         Some((readings, is_clock)) if {is_right} && !readings[{order}].is_nan() => readings[{order}],\n                \
         _ => return Err({i}),\n            }};\n            \
         input[{first}] = (seconds - {:?}) / 86_400.0;\n",
        date.origin
    );
    for (k, part) in date.parts.iter().enumerate() {
        let code = DatePart::ALL.iter().position(|other| other == part).unwrap_or(0);
        let place = first + 1 + 2 * k;
        let _ = writeln!(
            known,
            "            input[{place}..{}].copy_from_slice(&angle({code}, seconds));",
            place + 2
        );
    }
    (format!("present(row.{field}, &MARKS)"), known + "        }")
}
