//! The columns of a table in memory.

mod deciding;
mod filling;
mod joining;
mod value;

pub(super) use deciding::{Declared, Rules};

use super::Categories;
use super::dates::DateOrder;
use super::notation::{Decimal, Notation, Sign};
use crate::error::MOST_LISTED;
use std::collections::HashMap;
use std::sync::Arc;
use value::{FieldKind, Value};

/// Stands for a missing value among codes.
const NONE: u16 = u16::MAX;
/// So much of a field is kept for messages.
const SHOWN: usize = 60;

/// A column of a file, and what is remarkable in it, with lines.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Column {
    pub(super) name: String,
    /// Whether the file gives it a name.
    pub(super) is_named: bool,
    values: Values,
    /// What it holds, which is decided once all fields are known.
    pub(super) meaning: Meaning,
    /// Whether somebody says that it holds text.
    pub(super) is_declared: bool,
    /// Whether its numbers or dates can be read in two ways, and nothing tells which is right.
    pub(super) is_ambiguous: bool,
    /// Plain numbers, as long as they are few different ones.
    pub(super) plain: Seen,
    /// Numbers as people write them.
    pub(super) written: Seen,
    pub(super) dates: Seen,
    /// Times of day without a date.
    pub(super) clocks: Seen,
    /// What is neither a number nor a date.
    pub(super) words: Seen,
    pub(super) missing: Seen,
    /// What stands for a missing value among numbers.
    marks: Seen,
    /// Numbers that are not finite or too large.
    pub(super) bad_numbers: Seen,
    /// Whole numbers that are not exact.
    pub(super) rounded: Seen,
    /// Whole numbers that begin with a zero, as far as they were looked for.
    pub(super) leading_zeros: Seen,
    /// Numbers below zero.
    pub(super) negative: Seen,
    /// What the numbers, and the dates, can stand for.
    pub(super) of_numbers: Doubt,
    pub(super) of_dates: Doubt,
    pub(super) signs: Signs,
    /// Whether all its numbers were plain until there were many different ones, which have no other reading.
    has_many_plain: bool,
    /// Whether plain numbers are kept in both ways in which they can be read, too.
    keeps_readings: bool,
    counts: Counts,
    /// Fields that are neither plain numbers nor missing: how many, and the line of the first.
    pub(super) texts: usize,
    first_text: Option<u64>,
    /// Line of the first word.
    first_word: Option<u64>,
    /// The different texts before there were too many, as long as a part may need them.
    former: Vec<Text>,
}

/// What a column holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Meaning {
    /// Numbers, and how they are written if not plainly.
    Numbers(Option<Notation>),
    /// Dates and times, as seconds, or times of day alone.
    Dates(DateOrder),
    #[default]
    Text,
}

/// How many fields hold numbers, dates and words, and how many different ones as far as they are known.
#[derive(Debug, Default)]
struct Counts {
    /// Numbers, also such as cannot be read.
    numbers: usize,
    /// Those that cannot be read.
    odd: usize,
    different_numbers: usize,
    /// Dates and times.
    dates: usize,
    different_dates: usize,
    words: usize,
    different_words: usize,
}

impl Counts {
    fn add(&mut self, kind: FieldKind) {
        match kind {
            FieldKind::Number | FieldKind::BadNumber | FieldKind::Written => self.numbers += 1,
            FieldKind::Odd => {
                self.numbers += 1;
                self.odd += 1;
            }
            FieldKind::Date | FieldKind::Clock => self.dates += 1,
            FieldKind::Word => self.words += 1,
            FieldKind::Mark => {}
        }
    }

    fn add_different(&mut self, kind: FieldKind) {
        match kind {
            FieldKind::Number | FieldKind::BadNumber | FieldKind::Written | FieldKind::Odd => {
                self.different_numbers += 1;
            }
            FieldKind::Date | FieldKind::Clock => self.different_dates += 1,
            FieldKind::Word => self.different_words += 1,
            FieldKind::Mark => {}
        }
    }
}

/// Fields that can be read in one way only, and in two different ways.
#[derive(Debug, Default)]
pub(super) struct Doubt {
    /// Those that cannot be read in the first way, and in the second.
    pub(super) unread: [Seen; 2],
    pub(super) ambiguous: Seen,
}

/// The signs beside numbers.
#[derive(Debug, Default)]
pub(super) struct Signs(pub(super) Vec<(Sign, Seen)>);

impl Signs {
    fn add(&mut self, sign: Sign, line: u64, field: &str) {
        if let Some((_, seen)) = self.0.iter_mut().find(|(own, _)| *own == sign) {
            return seen.add(line, field);
        }
        let mut seen = Seen::default();
        seen.add(line, field);
        self.0.push((sign, seen));
    }
}

/// Fields of some sort: how many there are, and the first ones with their lines.
#[derive(Clone, Debug, Default)]
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

    /// Puts others among them, by line.
    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.first.extend_from_slice(&other.first);
        self.first.sort_by_key(|(line, _)| *line);
        self.first.truncate(MOST_LISTED);
    }
}

/// The place of each text. One is looked up for every field of a file.
type Places = HashMap<String, u16, foldhash::fast::RandomState>;

#[derive(Debug)]
enum Values {
    /// Few different texts: for each row a place in the list. Numbers are kept as texts as well, since they
    /// are categories where other texts stand beside them. Of a part, the first `known` places are those of
    /// the column before it.
    Coded { texts: Vec<Text>, places: Places, codes: Vec<u16>, known: usize },
    /// Many plain numbers, or what was decided on; NaN where one is missing.
    Numbers(Vec<f64>),
    /// Many numbers as people write them, or dates, in both ways in which they can be read.
    Readings(Vec<[f64; 2]>),
    /// More categories than anybody can learn from.
    TooMany,
}

#[derive(Clone, Debug)]
struct Text {
    field: String,
    /// Line where it stands first in a part.
    line: u64,
    /// What it stands for, NaN if that is no number.
    number: f64,
    value: Value,
}

impl Default for Values {
    fn default() -> Self {
        Self::Coded { texts: Vec::new(), places: Places::default(), codes: Vec::new(), known: 0 }
    }
}

impl Column {
    /// An empty one; with decimal commas, points in plain numbers may separate thousands.
    pub(super) fn new(name: String, is_named: bool, decimal: Option<Decimal>) -> Self {
        Self { name, is_named, keeps_readings: decimal == Some(Decimal::Comma), ..Self::default() }
    }

    /// What messages call it: its name, or its number where the file gives it no name.
    pub(super) fn label(&self, number: usize) -> String {
        if self.is_named { self.name.clone() } else { number.to_string() }
    }

    /// Whether it holds text.
    pub(super) fn has_text(&self) -> bool {
        self.meaning == Meaning::Text
    }

    /// Whether there are too many categories.
    pub(super) fn has_too_many(&self) -> bool {
        match self.values {
            Values::Coded { .. } => false,
            Values::Numbers(_) | Values::Readings(_) => self.has_text(),
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
            Values::Readings(readings) => readings[row][0],
            Values::TooMany => f64::NAN,
        }
    }

    /// The number of one of the different texts, NaN if it is none.
    pub(super) fn number_of(&self, code: usize) -> f64 {
        match &self.values {
            Values::Coded { texts, .. } => texts.get(code).map_or(f64::NAN, |t| t.number),
            _ => f64::NAN,
        }
    }

    /// Whether it has more than one value, apart from those that are missing.
    pub(super) fn varies(&self) -> bool {
        match &self.values {
            Values::Coded { texts, .. } if self.has_text() => texts.len() != 1,
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
            Values::Coded { codes, .. } if self.has_text() => codes[row] == NONE,
            Values::Coded { .. } | Values::Numbers(_) | Values::Readings(_) => self.number(row).is_nan(),
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

/// What a code can stand for, NaN without one; `known` are the texts before those of a part.
fn readings_of(code: u16, known: &[Text], texts: &[Text]) -> [f64; 2] {
    let code = usize::from(code);
    let text = known.get(code).or_else(|| texts.get(code.checked_sub(known.len())?));
    text.map_or([f64::NAN; 2], |text| text.value.readings)
}

/// Whether two numbers differ. Zero is the same with either sign, so bits do not tell.
pub(super) fn differs(a: f64, b: f64) -> bool {
    a.partial_cmp(&b).map_or(a.is_nan() != b.is_nan(), std::cmp::Ordering::is_ne)
}
