//! The columns of a table in memory.

use super::{Field, MOST_WORDS, Words, check_number, read_field};
use std::collections::HashMap;
use std::sync::Arc;

/// Stands for a missing value among codes.
const NONE: u16 = u16::MAX;

/// A column of a file, and what is remarkable in it, with lines.
#[derive(Debug, Default)]
pub(super) struct Column {
    pub(super) name: String,
    /// Whether the file gives it a name.
    pub(super) is_named: bool,
    values: Values,
    pub(super) first_word: Option<(u64, String)>,
    pub(super) first_missing: Option<u64>,
    pub(super) missing: usize,
    /// The first number that is not finite or too large, and why.
    pub(super) bad_number: Option<(u64, String)>,
}

#[derive(Debug)]
enum Values {
    /// Few different texts, numbers too, since these are words where there are words beside them: for each row a place in the list.
    Coded { texts: Vec<Text>, places: HashMap<String, u16>, codes: Vec<u16> },
    /// Many numbers; NaN where one is missing.
    Numbers(Vec<f64>),
    /// More different words than anybody can learn from.
    TooMany,
}

#[derive(Debug)]
struct Text {
    text: String,
    /// NaN for a word.
    number: f64,
}

impl Default for Values {
    fn default() -> Self {
        Self::Coded { texts: Vec::new(), places: HashMap::new(), codes: Vec::new() }
    }
}

impl Column {
    pub(super) fn new(name: String, is_named: bool) -> Self {
        Self { name, is_named, ..Self::default() }
    }

    /// Appends a field.
    pub(super) fn push(&mut self, line: u64, field: &str) {
        let field = field.trim();
        if let Values::Coded { places, codes, .. } = &mut self.values
            && let Some(place) = places.get(field)
        {
            codes.push(*place);
            return;
        }
        let number = match read_field(field) {
            Field::Missing => {
                self.missing += 1;
                self.first_missing.get_or_insert(line);
                match &mut self.values {
                    Values::Coded { codes, .. } => codes.push(NONE),
                    Values::Numbers(numbers) => numbers.push(f64::NAN),
                    Values::TooMany => {}
                }
                return;
            }
            Field::Number(v) => {
                if let Err(reason) = check_number(v, field) {
                    self.bad_number.get_or_insert((line, reason));
                }
                v
            }
            Field::Word(word) => {
                self.first_word.get_or_insert_with(|| (line, word.to_string()));
                f64::NAN
            }
        };
        match &mut self.values {
            Values::Coded { texts, places, codes } if texts.len() < MOST_WORDS => {
                let place = texts.len() as u16;
                places.insert(field.to_string(), place);
                texts.push(Text { text: field.to_string(), number });
                codes.push(place);
            }
            Values::Coded { texts, codes, .. } if self.first_word.is_none() => {
                let number_of = |code: &u16| texts.get(usize::from(*code)).map_or(f64::NAN, |t| t.number);
                let mut numbers: Vec<f64> = codes.iter().map(number_of).collect();
                numbers.push(number);
                self.values = Values::Numbers(numbers);
            }
            Values::Numbers(numbers) if self.first_word.is_none() => numbers.push(number),
            values => *values = Values::TooMany,
        }
    }

    /// Whether it holds words.
    pub(super) fn has_words(&self) -> bool {
        self.first_word.is_some()
    }

    /// Whether there are too many different words.
    pub(super) fn has_too_many(&self) -> bool {
        matches!(self.values, Values::TooMany)
    }

    /// Whether there is nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.values, Values::Coded { texts, .. } if texts.is_empty())
    }

    /// The number in a row, NaN where it is missing or a word.
    pub(super) fn number(&self, row: usize) -> f64 {
        match &self.values {
            Values::Coded { texts, codes, .. } => {
                texts.get(usize::from(codes[row])).map_or(f64::NAN, |t| t.number)
            }
            Values::Numbers(numbers) => numbers[row],
            Values::TooMany => f64::NAN,
        }
    }

    /// The numbers of these rows, without a copy where they are all rows of a column with many.
    pub(super) fn into_numbers(self: Arc<Self>, rows: &[usize], all: usize) -> Vec<f64> {
        match Arc::try_unwrap(self) {
            Ok(Self { values: Values::Numbers(numbers), .. }) if rows.len() == all => numbers,
            Ok(column) => rows.iter().map(|row| column.number(*row)).collect(),
            Err(shared) => rows.iter().map(|row| shared.number(*row)).collect(),
        }
    }

    /// Most inputs that it can become.
    pub(super) fn width(&self, words: Words) -> usize {
        if self.has_words() && words == Words::OneHot { self.different().unwrap_or(1) } else { 1 }
    }

    /// Number of different texts, where it is known.
    pub(super) fn different(&self) -> Option<usize> {
        match &self.values {
            Values::Coded { texts, .. } => Some(texts.len()),
            _ => None,
        }
    }

    /// The place in [`text`](Self::text) of what stands in a row; none where it is missing.
    pub(super) fn code(&self, row: usize) -> Option<usize> {
        match &self.values {
            Values::Coded { codes, .. } => Some(usize::from(codes[row])).filter(|c| *c != usize::from(NONE)),
            _ => None,
        }
    }

    /// One of the different texts.
    pub(super) fn text(&self, code: usize) -> &str {
        match &self.values {
            Values::Coded { texts, .. } => texts.get(code).map_or("", |t| &t.text),
            _ => "",
        }
    }

    /// Whether a row has no value.
    pub(super) fn is_missing(&self, row: usize) -> bool {
        match &self.values {
            Values::Coded { codes, .. } => codes[row] == NONE,
            Values::Numbers(numbers) => numbers[row].is_nan(),
            Values::TooMany => false,
        }
    }

    /// How often each of the different texts stands in these rows.
    pub(super) fn counts(&self, rows: &[usize]) -> Vec<usize> {
        let mut counts = vec![0; self.different().unwrap_or(0)];
        for row in rows {
            if let Some(code) = self.code(*row) {
                counts[code] += 1;
            }
        }
        counts
    }
}
