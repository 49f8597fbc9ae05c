//! The lines of a file: what separates their fields, and whether the first one holds names.

use super::{Field, read_field};
use crate::Error;
use csv::{ErrorKind, ReaderBuilder, StringRecord};
use std::collections::HashSet;
use std::io::{Chain, Cursor, Read};

/// So much of a file is looked at before it is read.
const HEAD: usize = 1 << 16;
/// What some programs put in front of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The rows of a file, one after the other, all of the same length.
pub(super) struct Lines<R> {
    name: String,
    reader: csv::Reader<Chain<Cursor<Vec<u8>>, R>>,
    record: StringRecord,
    width: usize,
    pub(super) delimiter: char,
    /// The names of the first line, where it holds names.
    pub(super) header: Option<Vec<String>>,
    /// A first line without names is the first row.
    first_is_row: bool,
}

impl<R: Read> Lines<R> {
    /// Looks at the beginning of a file; `name` stands for it in messages. What is not given is found out. A first line with all the
    /// `expected` names holds names.
    pub(super) fn open(
        name: &str,
        delimiter: Option<char>,
        header: Option<bool>,
        expected: &[&str],
        mut source: R,
    ) -> Result<Self, Error> {
        let wrong = |reason: String| Error::Data(format!("{name}: {reason}"));
        let mut head = Vec::new();
        (&mut source)
            .take(HEAD as u64)
            .read_to_end(&mut head)
            .map_err(|e| wrong(format!("it cannot be read: {e}")))?;
        if head.starts_with(MARK) {
            head.drain(..MARK.len());
        }
        if head.iter().all(u8::is_ascii_whitespace) {
            return Err(wrong("the file is empty".into()));
        }
        if head.contains(&0) {
            return Err(wrong("this is not UTF-8 text; save the file as UTF-8".into()));
        }
        let delimiter = find_delimiter(delimiter, &head)?;
        let has_header = header.unwrap_or_else(|| looks_like_names(&head, delimiter, expected));
        let mut lines = Self {
            name: name.into(),
            reader: builder(delimiter).from_reader(Cursor::new(head).chain(source)),
            record: StringRecord::new(),
            width: 0,
            delimiter: char::from(delimiter),
            header: None,
            first_is_row: false,
        };
        lines.advance()?;
        lines.width = lines.record.len();
        if has_header {
            lines.header = Some(lines.record.iter().map(|f| f.trim().to_string()).collect());
        } else {
            lines.first_is_row = true;
        }
        Ok(lines)
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Names of the columns: those of the first line, and for the others their numbers.
    pub(super) fn names(&self) -> Vec<String> {
        let given = |i: usize| self.header.as_ref().map(|names| names[i].clone()).filter(|n| !n.is_empty());
        (0..self.width).map(|i| given(i).unwrap_or_else(|| format!("column{}", i + 1))).collect()
    }

    /// The next row with its line number, or none at the end.
    pub(super) fn next_row(&mut self) -> Result<Option<(u64, &StringRecord)>, Error> {
        if !std::mem::take(&mut self.first_is_row) {
            loop {
                if !self.advance()? {
                    return Ok(None);
                }
                let is_blank = self.record.len() == 1 && self.record[0].trim().is_empty();
                if !is_blank || self.width == 1 {
                    break;
                }
            }
        }
        let line = self.line();
        if self.record.len() != self.width {
            let (found, expected) = (self.record.len(), self.width);
            return Err(self.wrong(
                line,
                &format!("{found} fields instead of {expected}; every row needs as many as the first line"),
            ));
        }
        Ok(Some((line, &self.record)))
    }

    fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    fn wrong(&self, line: u64, reason: &str) -> Error {
        Error::Data(format!("{} line {line}: {reason}", self.name))
    }

    fn advance(&mut self) -> Result<bool, Error> {
        let found = match self.reader.read_record(&mut self.record) {
            Ok(found) => found,
            Err(e) => {
                return Err(match e.kind() {
                    ErrorKind::Utf8 { pos, err } => self.wrong(
                        pos.as_ref().map_or(0, csv::Position::line),
                        &format!("column {} is not UTF-8 text; save the file as UTF-8", err.field() + 1),
                    ),
                    _ => Error::Data(format!("{}: it cannot be read: {e}", self.name)),
                });
            }
        };
        if self.record.as_slice().contains(['\n', '\r']) {
            let column = self.record.iter().position(|f| f.contains(['\n', '\r'])).map_or(0, |i| i + 1);
            let reason = format!(
                "the field of column {column} goes on over the end of the line; is a quote not closed?"
            );
            return Err(self.wrong(self.line(), &reason));
        }
        Ok(found)
    }
}

fn builder(delimiter: u8) -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(delimiter);
    builder
}

fn find_delimiter(given: Option<char>, head: &[u8]) -> Result<u8, Error> {
    match given {
        Some(c) if c.is_ascii() && !c.is_ascii_alphanumeric() && !"\"\n\r.+-".contains(c) => Ok(c as u8),
        Some(c) => Err(Error::setting(
            "delimiter",
            format!("{c:?}"),
            "must be one plain character that no number contains, such as , or ;",
        )),
        None => {
            let first = head.split(|b| *b == b'\n' || *b == b'\r').find(|l| !l.is_empty()).unwrap_or(head);
            // Commas first: where several occur equally often, that is the usual one. What stands in quotes does not count.
            let count = |d: u8| {
                let mut is_quoted = false;
                first
                    .iter()
                    .filter(|b| {
                        is_quoted ^= **b == b'"';
                        **b == d && !is_quoted
                    })
                    .count()
            };
            Ok([b',', b';', b'\t', b'|'].into_iter().rev().max_by_key(|d| count(*d)).unwrap_or(b','))
        }
    }
}

/// Whether the first line has all the expected names, or words and no numbers where something speaks for names.
fn looks_like_names(head: &[u8], delimiter: u8, expected: &[&str]) -> bool {
    let mut reader = builder(delimiter).from_reader(head);
    let mut records = reader.byte_records().map_while(Result::ok).take(200);
    let Some(first) = records.next() else { return false };
    let text = |field: &[u8]| String::from_utf8_lossy(field).trim().to_string();
    let mut names: Vec<String> = first.iter().map(text).collect();
    if first.as_slice().len() + first.len() >= head.len() && names.len() > 1 {
        // The line is longer than what is looked at, and its last field may be cut.
        names.pop();
    }
    if !expected.is_empty() && expected.iter().all(|e| names.iter().any(|n| n == e)) {
        return true;
    }
    let is_word = |text: &String| matches!(read_field(text), Field::Word(_));
    let is_number = |text: &String| matches!(read_field(text), Field::Number(_));
    if !names.iter().any(is_word) || names.iter().any(is_number) {
        return false;
    }
    // A column of numbers below a word settles it; otherwise names differ, and do not come again.
    let rows: Vec<Vec<String>> = records.map(|r| r.iter().map(text).collect()).collect();
    let below = |i: usize| rows.iter().filter_map(move |r| r.get(i));
    let is_named = |i: usize| below(i).next().is_some() && below(i).all(is_number) && is_word(&names[i]);
    if (0..names.len()).any(is_named) {
        return true;
    }
    let mut seen = HashSet::new();
    let are_different = names.iter().filter(|n| !n.is_empty()).all(|n| seen.insert(n));
    are_different && !(0..names.len()).any(|i| below(i).any(|t| *t == names[i] && is_word(t)))
}
