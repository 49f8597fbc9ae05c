//! The columns of a table in memory.

use super::field::{Field, check_number, is_rounded, read_field};
use super::{Categories, MOST_CATEGORIES};
use crate::error::MOST_LISTED;
use std::collections::HashMap;
use std::sync::Arc;

/// Stands for a missing value among codes.
const NONE: u16 = u16::MAX;
/// So much of a field is kept for messages.
const SHOWN: usize = 60;

/// A column of a file, and what is remarkable in it, with lines.
#[derive(Debug, Default)]
pub(super) struct Column {
    pub(super) name: String,
    /// Whether the file gives it a name.
    pub(super) is_named: bool,
    values: Values,
    /// Whether it holds text, which is decided once all fields are known.
    is_text: bool,
    /// Fields that are neither numbers nor missing.
    pub(super) texts: Seen,
    pub(super) missing: Seen,
    /// What stands for a missing value among numbers.
    marks: Seen,
    /// Numbers that are not finite or too large.
    pub(super) bad_numbers: Seen,
    /// Whole numbers that are not exact.
    pub(super) rounded: Seen,
    counts: Counts,
}

/// What somebody says that a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Numbers,
    Text,
}

/// How many fields hold numbers and words, and how many different ones as far as they are known.
#[derive(Debug, Default)]
struct Counts {
    /// Numbers, also in a notation that is not read.
    numbers: usize,
    /// Those in a notation that is not read.
    disguised: usize,
    different_numbers: usize,
    words: usize,
    different_words: usize,
}

/// Fields of some sort: how many there are, and the first ones with their lines.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) count: usize,
    pub(super) first: Vec<(u64, String)>,
}

impl Seen {
    fn add(&mut self, line: u64, field: &str) {
        self.count += 1;
        if self.first.len() < MOST_LISTED {
            self.first.push((line, field.chars().take(SHOWN).collect()));
        }
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first.extend(other.first);
        self.first.sort_by_key(|(line, _)| *line);
        self.first.truncate(MOST_LISTED);
    }
}

#[derive(Debug)]
enum Values {
    /// Few different texts: for each row a place in the list. Numbers are kept as texts as well, since they
    /// are categories where other texts stand beside them.
    Coded { texts: Vec<Text>, places: HashMap<String, u16>, codes: Vec<u16> },
    /// Many numbers; NaN where one is missing.
    Numbers(Vec<f64>),
    /// More categories than anybody can learn from.
    TooMany,
}

#[derive(Debug)]
struct Text {
    field: String,
    /// NaN if it is no number.
    number: f64,
    kind: FieldKind,
}

/// What a field that is not missing holds.
#[derive(Clone, Copy, Debug)]
enum FieldKind {
    Number,
    BadNumber,
    Disguised,
    Word,
    Mark,
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

    /// What messages call it: its name, or its number where the file gives it no name.
    pub(super) fn label(&self, number: usize) -> String {
        if self.is_named { self.name.clone() } else { number.to_string() }
    }

    /// Appends a field.
    pub(super) fn push(&mut self, line: u64, field: &str) {
        let field = field.trim();
        if let Values::Coded { texts, places, codes } = &mut self.values
            && let Some(place) = places.get(field)
        {
            codes.push(*place);
            let kind = texts[usize::from(*place)].kind;
            self.note(line, field, kind);
            return;
        }
        let (number, kind) = match read_field(field) {
            Field::Missing => {
                self.missing.add(line, field);
                match &mut self.values {
                    Values::Coded { codes, .. } => codes.push(NONE),
                    Values::Numbers(numbers) => numbers.push(f64::NAN),
                    Values::TooMany => {}
                }
                return;
            }
            Field::Number(v) if check_number(v, field).is_ok() => (v, FieldKind::Number),
            Field::Number(v) => (v, FieldKind::BadNumber),
            Field::Disguised => (f64::NAN, FieldKind::Disguised),
            Field::Word => (f64::NAN, FieldKind::Word),
            Field::Mark => (f64::NAN, FieldKind::Mark),
        };
        if is_rounded(number, field) {
            self.rounded.add(line, field);
        }
        self.note(line, field, kind);
        match &mut self.values {
            Values::Coded { texts, places, codes } if texts.len() < MOST_CATEGORIES => {
                let place = texts.len() as u16;
                places.insert(field.to_string(), place);
                texts.push(Text { field: field.to_string(), number, kind });
                codes.push(place);
                match kind {
                    FieldKind::Number | FieldKind::BadNumber | FieldKind::Disguised => {
                        self.counts.different_numbers += 1;
                    }
                    FieldKind::Word => self.counts.different_words += 1,
                    FieldKind::Mark => {}
                }
            }
            Values::Coded { texts, codes, .. } if self.texts.count == 0 && self.counts.numbers > 0 => {
                let number_of = |code: &u16| texts.get(usize::from(*code)).map_or(f64::NAN, |t| t.number);
                let mut numbers: Vec<f64> = codes.iter().map(number_of).collect();
                numbers.push(number);
                self.values = Values::Numbers(numbers);
            }
            Values::Numbers(numbers) if self.texts.count == 0 => numbers.push(number),
            values => *values = Values::TooMany,
        }
    }

    fn note(&mut self, line: u64, field: &str, kind: FieldKind) {
        match kind {
            FieldKind::Number | FieldKind::BadNumber | FieldKind::Disguised => self.counts.numbers += 1,
            FieldKind::Word => self.counts.words += 1,
            FieldKind::Mark => {}
        }
        match kind {
            FieldKind::Number => {}
            FieldKind::BadNumber => self.bad_numbers.add(line, field),
            FieldKind::Disguised | FieldKind::Word => self.texts.add(line, field),
            FieldKind::Mark => self.marks.add(line, field),
        }
        self.counts.disguised += usize::from(matches!(kind, FieldKind::Disguised));
    }

    /// Decides what it holds, once all fields are known: what is declared, or else text where words are the
    /// majority of both the fields and the different ones. What else is no number is a mistake, or missing.
    pub(super) fn decide(&mut self, declared: Option<Declared>) {
        let Counts { numbers, different_numbers, words, different_words, .. } = self.counts;
        let has_numbers = numbers > 0 && (numbers >= words || different_numbers >= different_words);
        self.is_text = match declared {
            Some(declared) => declared == Declared::Text,
            None => !has_numbers && (words > 0 || self.marks.count > 0),
        };
        if !self.is_text {
            self.missing.merge(std::mem::take(&mut self.marks));
        }
    }

    /// Whether it holds text.
    pub(super) fn has_text(&self) -> bool {
        self.is_text
    }

    /// Whether no fewer fields are numbers as they are read than are anything else.
    pub(super) fn mostly_plain(&self) -> bool {
        self.counts.numbers - self.counts.disguised >= self.texts.count
    }

    /// Whether there are too many categories.
    pub(super) fn has_too_many(&self) -> bool {
        match self.values {
            Values::Coded { .. } => false,
            Values::Numbers(_) => self.is_text,
            Values::TooMany => true,
        }
    }

    /// Whether there is nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.values, Values::Coded { texts, .. } if texts.is_empty())
    }

    /// The number in a row, NaN where it is missing or text.
    pub(super) fn number(&self, row: usize) -> f64 {
        match &self.values {
            Values::Coded { texts, codes, .. } => {
                texts.get(usize::from(codes[row])).map_or(f64::NAN, |t| t.number)
            }
            Values::Numbers(numbers) => numbers[row],
            Values::TooMany => f64::NAN,
        }
    }

    /// Whether it has more than one value, apart from those that are missing.
    pub(super) fn varies(&self) -> bool {
        match &self.values {
            Values::Coded { texts, .. } if self.is_text => texts.len() != 1,
            Values::Coded { texts, .. } => {
                let mut numbers = texts.iter().map(|t| t.number).filter(|v| !v.is_nan());
                let Some(first) = numbers.next() else { return true };
                numbers.any(|v| differs(v, first))
            }
            _ => true,
        }
    }

    /// Whether it has the same number in all of these rows.
    pub(super) fn is_same_in(&self, rows: &[usize]) -> bool {
        let mut numbers = rows.iter().map(|row| self.number(*row));
        let Some(first) = numbers.next() else { return true };
        !numbers.any(|v| differs(v, first))
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
    pub(super) fn width(&self, categories: Categories) -> usize {
        let is_one_hot = self.has_text() && categories == Categories::OneHot;
        if is_one_hot { self.different().unwrap_or(1) } else { 1 }
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
            Values::Coded { codes, .. } if !self.is_missing(row) => Some(usize::from(codes[row])),
            _ => None,
        }
    }

    /// One of the different texts.
    pub(super) fn text(&self, code: usize) -> &str {
        match &self.values {
            Values::Coded { texts, .. } => texts.get(code).map_or("", |t| &t.field),
            _ => "",
        }
    }

    /// Whether a row has no value.
    pub(super) fn is_missing(&self, row: usize) -> bool {
        match &self.values {
            Values::Coded { codes, .. } if self.is_text => codes[row] == NONE,
            Values::Coded { .. } | Values::Numbers(_) => self.number(row).is_nan(),
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

/// Whether two numbers differ. Zero is the same with either sign, so bits do not tell.
pub(super) fn differs(a: f64, b: f64) -> bool {
    a.partial_cmp(&b).map_or(a.is_nan() != b.is_nan(), std::cmp::Ordering::is_ne)
}
