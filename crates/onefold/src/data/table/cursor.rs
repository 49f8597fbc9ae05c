//! The rows of a piece of a file, one after the other, all of the same length.

use super::delimiter::count;
use super::records::{Fields, QuoteProblem, Record};
use crate::error::{Advice, ProblemKind, TableProblem};
use std::ops::Range;

/// The most columns that a table may have.
pub(super) const MOST_COLUMNS: usize = 100_000;

/// What all lines of a file have in common.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) delimiter: u8,
    /// Number of columns.
    pub(super) width: usize,
    /// The names of the first line, where it holds names.
    pub(super) header: Option<Vec<String>>,
}

/// A field that is wrong, from 0, and how.
type WrongField = (usize, ProblemKind, &'static [Advice]);

impl Layout {
    /// What messages call column `i`, from 0: its name, or its number from 1.
    pub(super) fn label(&self, i: usize) -> String {
        let name = self.header.as_ref().and_then(|names| names.get(i)).filter(|n| !n.is_empty());
        name.map_or_else(|| (i + 1).to_string(), String::clone)
    }

    /// Splits a line into fields, or says what is wrong with which field, from 0.
    fn split(&self, line: &[u8], record: &mut Record) -> Result<(), WrongField> {
        let field_of = |end: usize| count(&line[..end], self.delimiter);
        if line.len() > MOST_COLUMNS && count(line, self.delimiter) >= MOST_COLUMNS {
            return Err((
                MOST_COLUMNS,
                ProblemKind::TooManyColumns { most: MOST_COLUMNS },
                &[Advice::Delimiter],
            ));
        }
        if let Some(place) = memchr::memchr(0, line) {
            return Err((field_of(place), ProblemKind::NulByte, &[Advice::SaveAsUtf8]));
        }
        let text = std::str::from_utf8(line)
            .map_err(|e| (field_of(e.valid_up_to()), ProblemKind::NotUtf8, &[Advice::SaveAsUtf8][..]))?;
        record.split(text, self.delimiter).map_err(|(i, problem)| {
            let (kind, advice): (_, &'static [Advice]) = match problem {
                QuoteProblem::TextAfter => (ProblemKind::TextAfterQuote, &[Advice::DoubleQuotes]),
                QuoteProblem::Inside => (ProblemKind::QuoteInside, &[Advice::DoubleQuotes]),
                QuoteProblem::Open => (ProblemKind::FieldOverLineEnd, &[Advice::CloseQuote]),
            };
            (i, kind, advice)
        })
    }
}

/// What comes next in a piece.
pub(super) enum Found {
    /// A row: [`Cursor::fields`].
    Row,
    /// A row that cannot be used; there may be others after it.
    Bad(TableProblem),
    End,
}

/// A place in a piece of a file, which is given with every call.
#[derive(Default)]
pub(super) struct Cursor {
    /// First byte of the next line.
    at: usize,
    /// Number of the last line.
    pub(super) line: u64,
    /// Bytes of the last line, without its end.
    bytes: Range<usize>,
    /// Empty lines so far.
    pub(super) empty: u64,
    /// Nothing after this can be trusted.
    pub(super) is_over: bool,
    record: Record,
}

impl Cursor {
    /// A cursor that begins at a byte, after line `line`.
    pub(super) fn new(at: usize, line: u64) -> Self {
        Self { at, line, ..Self::default() }
    }

    /// Begins with another piece.
    pub(super) fn go_on(&mut self) {
        self.at = 0;
    }

    /// First byte of the next line, and the number of the line before it.
    pub(super) fn place(&self) -> (usize, u64) {
        (self.at, self.line)
    }

    /// Goes back to the line that was read last.
    pub(super) fn step_back(&mut self) {
        self.at = self.bytes.start;
        self.line -= 1;
    }

    /// Goes to the next line, and gives its bytes.
    pub(super) fn next_line<'a>(&mut self, piece: &'a [u8]) -> Option<&'a [u8]> {
        let rest = piece.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let end = if rest[length..].starts_with(b"\r\n") { 2 } else { 1 };
        self.bytes = self.at..self.at + length;
        self.at += length + end;
        self.line += 1;
        Some(&rest[..length])
    }

    /// Reads the next line that is not empty, whatever its length.
    pub(super) fn next_record(&mut self, piece: &[u8], layout: &Layout) -> Found {
        loop {
            if self.is_over {
                return Found::End;
            }
            let Some(line) = self.next_line(piece) else { return Found::End };
            if line.is_empty() {
                self.empty += 1;
                continue;
            }
            let Err((i, kind, advice)) = layout.split(line, &mut self.record) else { return Found::Row };
            // The lines after an open quote may belong to the field, and would be misread.
            self.is_over = kind == ProblemKind::FieldOverLineEnd;
            let (line, column) = (Some(self.line), Some(layout.label(i)));
            return Found::Bad(TableProblem { line, column, kind, also: 0, advice });
        }
    }

    /// Reads the next row that is not blank.
    pub(super) fn next_row(&mut self, piece: &[u8], layout: &Layout) -> Found {
        let fields = loop {
            match self.next_record(piece, layout) {
                Found::Row => {}
                other => return other,
            }
            let fields = self.fields(piece);
            let is_blank = fields.len() == 1 && fields.get(0).trim().is_empty();
            if !is_blank || layout.width == 1 {
                break fields;
            }
        };
        let bad = |kind, advice| {
            Found::Bad(TableProblem { line: Some(self.line), column: None, kind, also: 0, advice })
        };
        let found = fields.len();
        if found != layout.width {
            let kind = ProblemKind::FieldCount { found, expected: layout.width };
            return bad(kind, &[Advice::EqualFieldCounts]);
        }
        // In a table of one column this may be a word like others.
        let names = layout.header.as_ref().filter(|_| layout.width > 1);
        if names.is_some_and(|names| names.iter().zip(fields.iter()).all(|(n, f)| n == f.trim())) {
            return bad(ProblemKind::RepeatedNames, &[Advice::DeleteLine]);
        }
        Found::Row
    }

    /// The fields of the last line.
    pub(super) fn fields<'a>(&'a self, piece: &'a [u8]) -> Fields<'a> {
        // It was text when it was split.
        self.record.fields(std::str::from_utf8(&piece[self.bytes.clone()]).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_all_three_ends_and_are_counted() {
        let piece = "a\r\nb\rc\n\n\rd".as_bytes();
        let (mut cursor, mut all) = (Cursor::default(), Vec::new());
        while let Some(line) = cursor.next_line(piece) {
            all.push((String::from_utf8(line.to_vec()).unwrap(), cursor.line));
        }
        let expected = [("a", 1), ("b", 2), ("c", 3), ("", 4), ("", 5), ("d", 6)];
        assert_eq!(all, expected.map(|(text, n)| (text.to_string(), n)));
    }
}
