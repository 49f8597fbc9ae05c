//! The columns of a table in memory.

mod filling;
mod joining;

use super::Categories;
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
    /// The different texts before there were too many, as long as a part may need them.
    former: Vec<Text>,
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

impl Counts {
    fn add_different(&mut self, kind: FieldKind) {
        match kind {
            FieldKind::Number | FieldKind::BadNumber | FieldKind::Disguised => self.different_numbers += 1,
            FieldKind::Word => self.different_words += 1,
            FieldKind::Mark => {}
        }
    }
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

/// The place of each text. One is looked up for every field of a file.
type Places = HashMap<String, u16, foldhash::fast::RandomState>;

#[derive(Debug)]
enum Values {
    /// Few different texts: for each row a place in the list. Numbers are kept as texts as well, since they
    /// are categories where other texts stand beside them. Of a part, the first `known` places are those of
    /// the column before it.
    Coded { texts: Vec<Text>, places: Places, codes: Vec<u16>, known: usize },
    /// Many numbers; NaN where one is missing.
    Numbers(Vec<f64>),
    /// More categories than anybody can learn from.
    TooMany,
}

#[derive(Clone, Debug)]
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
        Self::Coded { texts: Vec::new(), places: Places::default(), codes: Vec::new(), known: 0 }
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

/// The number of a code, NaN without one; `known` are the texts before those of a part.
fn number_of(code: u16, known: &[Text], texts: &[Text]) -> f64 {
    let code = usize::from(code);
    let text = known.get(code).or_else(|| texts.get(code.checked_sub(known.len())?));
    text.map_or(f64::NAN, |text| text.number)
}

/// Whether two numbers differ. Zero is the same with either sign, so bits do not tell.
pub(super) fn differs(a: f64, b: f64) -> bool {
    a.partial_cmp(&b).map_or(a.is_nan() != b.is_nan(), std::cmp::Ordering::is_ne)
}
