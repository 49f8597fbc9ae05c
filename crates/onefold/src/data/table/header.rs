//! Whether the first line of a file holds names.
//!
//! Each field of the line is compared with its column, and the majority decides. Words alone are names where
//! one is above numbers, or above texts that recur and do not have it. Numbers that make a sequence, as years
//! and column numbers do, may be in the range of their columns. A row with one wrong field stays a row, and
//! the field is reported. What is not certain is said.

use super::field::{Field, read_field};
use super::votes::{Below, FEW, Sequence, Vote, sequence};
use std::collections::HashSet;

/// A field of one of the first lines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) is_quoted: bool,
}

/// What the first line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) is_header: bool,
    /// Whether there is no doubt.
    pub(super) is_sure: bool,
}

impl Verdict {
    pub(super) const NAMES: Self = Self { is_header: true, is_sure: true };
    pub(super) const ROW: Self = Self { is_header: false, is_sure: true };

    /// The same, but in doubt.
    pub(super) fn in_doubt(self) -> Self {
        Self { is_sure: false, ..self }
    }
}

/// Whether the first line of a table that nothing is known about holds names.
pub(super) fn detect(first: &[Cell], rows: &[Vec<Cell>]) -> Verdict {
    let kinds: Vec<Field> = first.iter().map(|cell| read_field(&cell.text)).collect();
    let all: Vec<&[Cell]> = rows.iter().map(Vec::as_slice).collect();
    // A line of names that comes again says nothing about the column.
    let others: Vec<&[Cell]> = all.iter().copied().filter(|row| !is_same(row, first)).collect();
    let below: Vec<Below<'_>> = (0..first.len()).map(|i| Below::column(&others, i)).collect();
    let quoted_names = first.iter().all(|cell| cell.is_quoted);
    if quoted_names && below.iter().any(|column| column.is_numeric() && !column.is_quoted) {
        return Verdict::NAMES;
    }
    let has_words = kinds.contains(&Field::Word);
    let has_values = kinds.iter().any(|k| matches!(k, Field::Number(_) | Field::Disguised));
    if rows.is_empty() {
        return if has_values || !has_words { Verdict::ROW } else { Verdict::NAMES };
    }
    let line = Line { first, kinds: &kinds, others: &others, below: &below };
    match (has_words, has_values) {
        (true, true) => line.with_words_and_numbers(),
        (true, false) => line.with_words(others.len() < all.len()),
        (false, _) => line.without_words(),
    }
}

/// Whether two lines have the same fields.
fn is_same(row: &[Cell], first: &[Cell]) -> bool {
    row.len() == first.len() && row.iter().zip(first).all(|(a, b)| a.text == b.text)
}

/// The first line and what is below it.
struct Line<'a> {
    first: &'a [Cell],
    kinds: &'a [Field],
    others: &'a [&'a [Cell]],
    below: &'a [Below<'a>],
}

/// How many fields are like names and like a row.
struct Votes {
    names: usize,
    rows: usize,
}

impl Line<'_> {
    fn votes(&self, is_regular: bool, by_notation: bool) -> Votes {
        let fields = self.first.iter().zip(self.below);
        let votes = fields.map(|(cell, below)| below.vote(cell, is_regular, by_notation));
        let mut sum = Votes { names: 0, rows: 0 };
        for vote in votes {
            match vote {
                Vote::Name => sum.names += 1,
                Vote::Row => sum.rows += 1,
                Vote::Undecided => {}
            }
        }
        sum
    }

    /// The sequence that its numbers make, if other lines do not make one as well.
    fn sequence(&self) -> Option<Sequence> {
        let places: Vec<usize> =
            (0..self.kinds.len()).filter(|i| matches!(self.kinds[*i], Field::Number(_))).collect();
        let numbers = |cells: &[Cell]| -> Option<Vec<f64>> {
            let number = |i: &usize| match read_field(&cells.get(*i)?.text) {
                Field::Number(v) => Some(v),
                _ => None,
            };
            places.iter().map(number).collect()
        };
        let own = numbers(self.first)?;
        let found = sequence(&own)?;
        let is_outside =
            |(i, v): (&usize, &f64)| !self.below[*i].is_numeric() || self.below[*i].is_outside(*v);
        if found == Sequence::Years && !places.iter().zip(&own).all(is_outside) {
            return None;
        }
        let as_regular = |row: &&&[Cell]| numbers(row).is_some_and(|of_row| sequence(&of_row).is_some());
        let regular = self.others.iter().filter(as_regular).count();
        (regular * 10 <= self.others.len()).then_some(found)
    }

    fn word_comes_again(&self) -> bool {
        (0..self.first.len()).any(|i| {
            let column = &self.below[i];
            self.kinds[i] == Field::Word
                && !column.is_numeric()
                && column.texts.contains_key(self.first[i].text.as_str())
        })
    }

    fn words_above_numbers(&self) -> usize {
        self.kinds.iter().zip(self.below).filter(|(k, b)| **k == Field::Word && b.is_numeric()).count()
    }

    /// Words, and no numbers.
    fn with_words(&self, repeats: bool) -> Verdict {
        let comes_again = self.word_comes_again();
        if self.words_above_numbers() > 0 {
            return if comes_again { Verdict::ROW.in_doubt() } else { Verdict::NAMES };
        }
        if comes_again {
            return Verdict::ROW;
        }
        let is_unlike_rows =
            self.kinds.iter().zip(self.below).any(|(kind, below)| *kind == Field::Word && below.recurs());
        let mut seen = HashSet::new();
        let mut names = self.first.iter().map(|cell| cell.text.as_str()).filter(|name| !name.is_empty());
        let are_different = names.all(|name| seen.insert(name));
        let has_marks = self.kinds.iter().zip(self.first).any(|(kind, cell)| {
            matches!(kind, Field::Mark) || (*kind == Field::Missing && !cell.text.is_empty())
        });
        match is_unlike_rows {
            _ if has_marks || repeats || !are_different => Verdict::ROW.in_doubt(),
            true => Verdict::NAMES,
            false => Verdict::NAMES.in_doubt(),
        }
    }

    /// Words and numbers: what most fields are like.
    fn with_words_and_numbers(&self) -> Verdict {
        let sequence = self.sequence();
        let has_word_above_number = self.words_above_numbers() > 0;
        // In a row with a wrong field, other fields may be written in another way, too.
        let by_notation = !has_word_above_number || sequence.is_some();
        let Votes { names, rows } = self.votes(sequence.is_some(), by_notation);
        if self.word_comes_again() {
            let is_doubtful = has_word_above_number || names > rows;
            return if is_doubtful { Verdict::ROW.in_doubt() } else { Verdict::ROW };
        }
        // One wrong field in a row does not make it names; the field is reported instead.
        if names > rows || (has_word_above_number && names == rows && names > 1) {
            return Verdict::NAMES.in_doubt();
        }
        let is_doubtful = has_word_above_number || names > 0 || (sequence.is_some() && rows == 0);
        if is_doubtful { Verdict::ROW.in_doubt() } else { Verdict::ROW }
    }

    /// Numbers alone are names only where they make a sequence, or stand above words.
    fn without_words(&self) -> Verdict {
        let numbers = self.kinds.iter().filter(|kind| matches!(kind, Field::Number(_))).count();
        let sequence = self.sequence().filter(|_| numbers > 1);
        let Votes { names, rows } = self.votes(sequence.is_some(), true);
        let is_above_words = self
            .kinds
            .iter()
            .zip(self.below)
            .any(|(kind, below)| matches!(kind, Field::Number(_)) && below.refuses_numbers());
        let is_enough = self.others.len() >= FEW;
        if is_enough && names > rows && (sequence.is_some() || is_above_words) {
            return Verdict::NAMES.in_doubt();
        }
        let is_remarkable = match sequence {
            Some(Sequence::Counting) => numbers > 2 && is_enough && rows == 0,
            Some(Sequence::EqualSteps) => numbers > 3 && is_enough && rows == 0,
            Some(Sequence::Years) => rows == 0,
            None => false,
        };
        if is_remarkable || is_above_words || (names > rows && numbers > 1) {
            Verdict::ROW.in_doubt()
        } else {
            Verdict::ROW
        }
    }
}

#[cfg(test)]
mod tests;
