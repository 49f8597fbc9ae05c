//! The columns of a table as inputs of an ONNX graph, one named input of N rows and one column for each.
//!
//! A text becomes the number of a row of a table by `LabelEncoder`, and `Gather` takes that row: the inputs
//! of a word, of any other text, or of a missing value.

use super::super::Network;
use super::super::encoding::{Column, Encoding, Kind, Words};
use super::graph::{Attribute, Element, Graph};
use crate::data::EMPTY;
use serde_json::json;
use std::collections::HashSet;

/// Names of values in the graph, or how they begin.
const RESERVED: [&str; 19] = [
    "input",
    "output",
    "class",
    "offset",
    "scale",
    "centred",
    "scaled",
    "rows",
    "width",
    "shape",
    "columns",
    "scores",
    "is_nan",
    "instead_of_nan",
    "comparable",
    "axis_of_words",
    "low",
    "high",
    "half_width",
];
const RESERVED_STARTS: [&str; 5] = ["sum_", "hidden_", "weights_", "shifts_", "column_"];

/// An input of the graph.
pub(super) struct Named {
    /// The column's name.
    name: String,
    /// The input's name: that of the column, unless something else in the graph has it.
    pub(super) input: String,
    pub(super) element: Element,
    what: &'static str,
}

/// The inputs of the graph.
pub(super) fn inputs(encoding: &Encoding, network: &Network<'_>) -> Vec<Named> {
    let real = Graph::new(network).real();
    let mut used: HashSet<String> = encoding.columns.iter().map(|column| column.name.clone()).collect();
    let named = encoding.columns.iter().map(|column| {
        let name = column.name.as_str();
        let is_reserved = name.is_empty()
            || RESERVED.contains(&name)
            || RESERVED_STARTS.iter().any(|start| name.starts_with(start));
        let mut input = if name.is_empty() { "(column)".to_string() } else { name.to_string() };
        if is_reserved {
            while used.contains(&input) || RESERVED.contains(&input.as_str()) {
                input += " (column)";
            }
            used.insert(input.clone());
        }
        let (element, what) = match &column.kind {
            Kind::Number => (real, "number"),
            Kind::Words(_) => (Element::Text, column.what()),
            Kind::Date(date) if date.clock => (Element::Double, "seconds of the day"),
            Kind::Date(_) => (Element::Double, "seconds after 1970-01-01"),
        };
        Named { name: column.name.clone(), input, element, what }
    });
    named.collect()
}

/// What the inputs are, for programs.
pub(super) fn metadata(named: &[Named]) -> String {
    let entry = |n: &Named| json!({ "name": n.name, "input": n.input, "holds": n.what });
    json!(named.iter().map(entry).collect::<Vec<_>>()).to_string()
}

impl Graph<'_> {
    /// The nodes that make `input` of the columns.
    pub(super) fn encode(&mut self, encoding: &Encoding, named: &[Named]) {
        let mut parts = Vec::new();
        if encoding.has_words() {
            self.integers("axis_of_words", &[1]);
        }
        for (i, (column, named)) in encoding.columns.iter().zip(named).enumerate() {
            match &column.kind {
                Kind::Number => self.number(column, i, &named.input, &mut parts),
                Kind::Words(words) => parts.push(self.words(column, words, i, &named.input)),
                Kind::Date(date) => self.date(column, date, i, &named.input, &mut parts),
            }
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        self.node("Concat", &parts, "input", &[("axis", 1)]);
    }

    fn number(&mut self, column: &Column, i: usize, input: &str, parts: &mut Vec<String>) {
        let Some(missing) = &column.missing else { return parts.push(input.into()) };
        let [is_missing, filling, value] =
            ["is_missing", "filling", "value"].map(|what| format!("column_{i}_{what}"));
        self.node("IsNaN", &[input], &is_missing, &[]);
        self.tensor(&filling, &[1], missing);
        self.node("Where", &[&is_missing, &filling, input], &value, &[]);
        parts.push(value);
        self.indicator(column, i, &is_missing, parts);
    }

    /// The input that says whether a value is missing.
    pub(super) fn indicator(&mut self, column: &Column, i: usize, is_missing: &str, parts: &mut Vec<String>) {
        if column.indicator {
            let indicator = format!("column_{i}_indicator");
            let to = self.real() as u64;
            self.node("Cast", &[is_missing], &indicator, &[("to", to)]);
            parts.push(indicator);
        }
    }

    /// Gives the name of the inputs of a column of words, that for missing values included.
    fn words(&mut self, column: &Column, words: &Words, i: usize, input: &str) -> String {
        let width = column.width + usize::from(column.indicator);
        let with_indicator = |values: Vec<f64>, is_missing: f64| {
            values.into_iter().chain(column.indicator.then_some(is_missing)).collect::<Vec<f64>>()
        };
        let count = words.known.len();
        let word = |place: usize| {
            if !words.one_hot {
                return vec![place as f64];
            }
            (0..column.width).map(|k| f64::from(u8::from(k == place))).collect()
        };
        let mut table: Vec<f64> = (0..count).flat_map(|place| with_indicator(word(place), 0.0)).collect();
        table.extend(with_indicator(words.unknown.clone(), 0.0));
        let missing = column.missing.clone().unwrap_or_else(|| vec![f64::NAN; column.width]);
        table.extend(with_indicator(missing, 1.0));
        let (keys, rows) = keys(words, count);
        let [row, entries, gathered, value] =
            ["row", "table", "gathered", "value"].map(|what| format!("column_{i}_{what}"));
        let attributes = [
            Attribute::Texts("keys_strings", &keys),
            Attribute::Integers("values_int64s", &rows),
            Attribute::Int("default_int64", count as u64),
        ];
        self.node_of("ai.onnx.ml", "LabelEncoder", &[input], &row, &attributes);
        self.tensor(&entries, &[count + 2, width], &table);
        self.node("Gather", &[&entries, &row], &gathered, &[("axis", 0)]);
        self.node("Squeeze", &[&gathered, "axis_of_words"], &value, &[]);
        value
    }
}

/// Texts, and the rows of the table that they stand for: words, then any other text, then a missing value.
fn keys(words: &Words, count: usize) -> (Vec<String>, Vec<usize>) {
    let missing = EMPTY.iter().flat_map(|mark| letter_cases(mark)).map(|text| (text, count + 1));
    let known = words.known.iter().enumerate().flat_map(|(place, word)| {
        let texts = if words.ignores_case { letter_cases(word) } else { vec![word.clone()] };
        texts.into_iter().map(move |text| (text, place))
    });
    let mut seen = HashSet::new();
    let all = missing.chain(known).filter(|(text, _)| seen.insert(text.clone()));
    all.unzip()
}

/// Most letters whose sizes are all combined.
const MOST_LETTERS: u32 = 8;

/// A text with small and capital letters in every combination.
fn letter_cases(text: &str) -> Vec<String> {
    let letters = text.chars().filter(char::is_ascii_alphabetic).count() as u32;
    if letters > MOST_LETTERS {
        return vec![text.to_ascii_lowercase(), text.to_ascii_uppercase()];
    }
    let with = |capitals: u32| {
        let mut left = capitals;
        let letter = |c: char| {
            if !c.is_ascii_alphabetic() {
                return c;
            }
            let is_capital = left & 1 == 1;
            left >>= 1;
            if is_capital { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
        };
        text.chars().map(letter).collect()
    };
    (0..1 << letters).map(with).collect()
}
