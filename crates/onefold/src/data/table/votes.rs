//! What a field of the first line says about the line: like a name, like a row, or nothing.
//!
//! A field votes for names where it is unlike its column: a word above numbers, a number above words, nothing
//! above a full column, a number far outside the range, or one that is written in another way.

use super::field::{Field, read_field};
use super::header::Cell;
use super::notation::read_written;
use std::collections::HashMap;

/// Rows needed before what all of them have in common counts as evidence.
pub(super) const ENOUGH: usize = 20;
/// With fewer rows, what they have in common may be chance.
pub(super) const FEW: usize = 5;
/// Texts recur in a column where at most one row in so many has a text of its own: an estimate of how often a
/// further row would (Good and Turing).
const ROWS_PER_SINGLE: usize = 20;

/// What one field says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vote {
    Name,
    Row,
    Undecided,
}

/// What is below a field of the first line.
pub(super) struct Below<'a> {
    numbers: Vec<f64>,
    /// How many of the numbers are whole numbers, by the way they are written.
    whole: usize,
    pub(super) texts: HashMap<&'a str, usize>,
    /// Shapes of the texts.
    shapes: HashMap<String, usize>,
    missing: usize,
    pub(super) is_quoted: bool,
}

impl<'a> Below<'a> {
    pub(super) fn column(rows: &[&'a [Cell]], i: usize) -> Self {
        let mut below = Self {
            numbers: Vec::new(),
            whole: 0,
            texts: HashMap::new(),
            shapes: HashMap::new(),
            missing: 0,
            is_quoted: false,
        };
        for cell in rows.iter().filter_map(|row| row.get(i)) {
            below.is_quoted |= cell.is_quoted;
            match read_field(&cell.text) {
                Field::Number(v) => {
                    below.numbers.push(v);
                    below.whole += usize::from(is_whole(&cell.text));
                }
                Field::Disguised if value_of(&cell.text).is_some() => {
                    below.numbers.extend(value_of(&cell.text));
                }
                Field::Disguised | Field::Word => {
                    *below.texts.entry(cell.text.as_str()).or_insert(0) += 1;
                    *below.shapes.entry(shape(&cell.text)).or_insert(0) += 1;
                }
                Field::Mark | Field::Missing => below.missing += 1,
            }
        }
        below
    }

    fn all_texts(&self) -> usize {
        self.texts.values().sum()
    }

    pub(super) fn is_numeric(&self) -> bool {
        self.numbers.len() > self.all_texts()
    }

    /// Whether its texts recur, so that one of its rows hardly has a text that no other has.
    fn has_recurring(&self, least: usize) -> bool {
        let all = self.all_texts();
        let single = self.texts.values().filter(|n| **n == 1).count();
        all >= least && single * ROWS_PER_SINGLE <= all
    }

    pub(super) fn recurs(&self) -> bool {
        self.has_recurring(ENOUGH)
    }

    /// The vote of a field above it. Numbers of a regular sequence may be in the range of their columns; with
    /// `by_notation` the way in which they are written counts.
    pub(super) fn vote(&self, cell: &Cell, is_regular: bool, by_notation: bool) -> Vote {
        match read_field(&cell.text) {
            Field::Word if self.is_numeric() => Vote::Name,
            Field::Word => self.vote_on_word(&cell.text),
            Field::Number(v) if self.is_numeric() => match self.vote_on_number(v, is_regular) {
                Vote::Name => Vote::Name,
                _ if by_notation && self.is_written_otherwise(&cell.text) => Vote::Name,
                vote => vote,
            },
            Field::Number(v) if self.is_among_words(v) => Vote::Row,
            Field::Number(_) if self.refuses_numbers() => Vote::Name,
            Field::Number(_) if is_regular => Vote::Undecided,
            Field::Number(_) | Field::Disguised => Vote::Row,
            Field::Missing if cell.text.is_empty() && self.is_full() => Vote::Name,
            Field::Mark | Field::Missing => Vote::Undecided,
        }
    }

    fn is_full(&self) -> bool {
        self.missing == 0 && self.numbers.len() + self.all_texts() >= FEW
    }

    fn is_among_words(&self, v: f64) -> bool {
        self.numbers.iter().any(|below| (below - v).abs() <= 0.0)
    }

    /// Whether it has words in all rows, so that one of its rows hardly has a number.
    pub(super) fn refuses_numbers(&self) -> bool {
        self.numbers.is_empty() && (self.all_texts() >= ENOUGH || self.has_recurring(FEW))
    }

    fn vote_on_word(&self, text: &str) -> Vote {
        if self.texts.contains_key(text) {
            return Vote::Row;
        }
        if self.recurs() {
            return Vote::Name;
        }
        // Texts that are all different may have a shape in common, as r1, r2, r3 have.
        let plain = ["a", "a a"];
        match self.shapes.iter().max_by_key(|(_, n)| **n) {
            Some((common, n))
                if *n >= FEW && n * ROWS_PER_SINGLE >= self.all_texts() * (ROWS_PER_SINGLE - 1) =>
            {
                match shape(text) {
                    own if own == *common && plain.contains(&own.as_str()) => Vote::Undecided,
                    own if own == *common => Vote::Row,
                    _ if plain.contains(&common.as_str()) => Vote::Undecided,
                    _ => Vote::Name,
                }
            }
            _ => Vote::Undecided,
        }
    }

    fn vote_on_number(&self, v: f64, is_regular: bool) -> Vote {
        if let Some(before) = self.value_before() {
            return if is_near(v, before, self.range()) { Vote::Row } else { Vote::Name };
        }
        if self.is_far(v) {
            Vote::Name
        } else if is_regular {
            Vote::Undecided
        } else {
            Vote::Row
        }
    }

    /// Whether all its numbers are whole and this one is not, or the other way round.
    fn is_written_otherwise(&self, text: &str) -> bool {
        let is_all = self.numbers.len() >= ENOUGH && self.texts.is_empty() && self.value_before().is_none();
        is_all && self.whole == if is_whole(text) { 0 } else { self.numbers.len() }
    }

    /// The number before the first one, where all numbers have the same distance.
    fn value_before(&self) -> Option<f64> {
        let [first, second, ..] = self.numbers[..] else { return None };
        let step = second - first;
        let is_regular = self.numbers.windows(2).all(|w| is_near(w[1] - w[0], step, self.range()));
        (self.numbers.len() >= FEW && step.abs() > 0.0 && is_regular).then_some(first - step)
    }

    fn ends(&self) -> (f64, f64) {
        let low = self.numbers.iter().copied().fold(f64::INFINITY, f64::min);
        (low, self.numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    }

    fn range(&self) -> f64 {
        let (low, high) = self.ends();
        high - low
    }

    /// Whether it is below or above all numbers.
    pub(super) fn is_outside(&self, v: f64) -> bool {
        let (low, high) = self.ends();
        v < low || v > high
    }

    /// Whether it is so far outside the range that a further row would hardly have it.
    fn is_far(&self, v: f64) -> bool {
        let ranges = match self.numbers.len() {
            0 | 1 => return false,
            2..FEW => 10.0,
            FEW..10 => 2.0,
            _ => 1.0,
        };
        let (low, high) = self.ends();
        let distance = (low - v).max(v - high);
        high > low && distance > ranges * (high - low)
    }
}

/// Whether a number is written without a point and an exponent.
fn is_whole(text: &str) -> bool {
    text.trim_start_matches(['-', '+']).bytes().all(|b| b.is_ascii_digit())
}

/// Whether two numbers differ by rounding only, among numbers of this range.
fn is_near(a: f64, b: f64, range: f64) -> bool {
    (a - b).abs() <= 1e-6 * range
}

/// A text with `a` for words and `0` for numbers.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    for c in text.chars() {
        let kind = match c {
            c if c.is_numeric() => '0',
            c if c.is_alphabetic() => 'a',
            c => c,
        };
        if !(shape.ends_with(kind) && matches!(kind, '0' | 'a')) {
            shape.push(kind);
        }
    }
    shape
}

/// A sequence that the numbers of a line make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    /// Whole numbers one after the other from 0 or 1, at least two.
    Counting,
    /// At least three at equal distances.
    EqualSteps,
    /// Years in order, or one.
    Years,
}

/// The sequence that numbers make, if any.
pub(super) fn sequence(numbers: &[f64]) -> Option<Sequence> {
    let is_year = |v: &f64| (1900.0..=2100.0).contains(v) && v.fract().abs() <= 0.0;
    let are_years = numbers.iter().all(is_year);
    let [first, .., last] = *numbers else {
        return (numbers.len() == 1 && are_years).then_some(Sequence::Years);
    };
    let step = numbers[1] - first;
    let range = (last - first).abs();
    let is_regular = step.abs() > 0.0 && numbers.windows(2).all(|w| is_near(w[1] - w[0], step, range));
    let is_one = |v: f64| is_near(v, 1.0, 1.0);
    if is_regular && is_one(step) && (first.abs() <= 0.0 || is_one(first)) {
        return Some(Sequence::Counting);
    }
    if are_years && (numbers.is_sorted_by(|a, b| a < b) || numbers.is_sorted_by(|a, b| a > b)) {
        return Some(Sequence::Years);
    }
    (is_regular && numbers.len() > 2).then_some(Sequence::EqualSteps)
}

/// A number as people write it, in either way in which it can be read.
fn value_of(text: &str) -> Option<f64> {
    let readings = read_written(text)?.readings;
    readings.into_iter().find(|v| !v.is_nan())
}
