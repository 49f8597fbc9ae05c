//! The lines of a file: what separates their fields, and whether the first one holds names.

use super::{Field, read_field};
use crate::error::{Advice, Error, ProblemKind, TableError, TableProblem};
use csv::{ErrorKind, ReaderBuilder, StringRecord};
use std::collections::HashSet;
use std::io::{self, Chain, Cursor, Read};

/// So much of a file is looked at before it is read.
const HEAD: usize = 1 << 16;
/// The longest line: one that does not end would take all memory.
const LONGEST_RECORD: usize = 16 << 20;
/// The most columns that a table may have.
const MOST_COLUMNS: usize = 100_000;
/// What some programs put in front of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The rows of a file, one after the other, all of the same length.
pub(super) struct Lines<R> {
    name: String,
    reader: csv::Reader<Limited<Chain<Cursor<Vec<u8>>, R>>>,
    record: StringRecord,
    width: usize,
    pub(super) delimiter: char,
    /// The names of the first line, where it holds names.
    pub(super) header: Option<Vec<String>>,
    /// A first line without names is the first row.
    first_is_row: bool,
    /// Nothing after this can be trusted.
    is_over: bool,
}

/// What comes next in a file.
pub(super) enum Next<'a> {
    /// A row, with its line number.
    Row(u64, &'a StringRecord),
    /// A row that cannot be used; there may be others after it.
    Bad(TableProblem),
    End,
}

impl<R: Read> Lines<R> {
    /// Looks at the beginning of a file; `name` stands for it in messages. What is not given is found out. A
    /// first line with all the `expected` names holds names.
    pub(super) fn open(
        name: &str,
        delimiter: Option<char>,
        header: Option<bool>,
        expected: &[&str],
        mut source: R,
    ) -> Result<Self, Error> {
        let wrong = |kind, advice| TableError::of(name, kind, advice);
        let mut head = Vec::new();
        (&mut source)
            .take(HEAD as u64)
            .read_to_end(&mut head)
            .map_err(|e| wrong(ProblemKind::Unreadable { reason: e.to_string() }, &[]))?;
        if head.starts_with(MARK) {
            head.drain(..MARK.len());
        }
        if head.iter().all(u8::is_ascii_whitespace) {
            return Err(wrong(ProblemKind::EmptyFile, &[]));
        }
        if head.contains(&0) {
            return Err(wrong(ProblemKind::NotUtf8, &[Advice::SaveAsUtf8]));
        }
        let delimiter = find_delimiter(delimiter, &head)?;
        let has_header = header.unwrap_or_else(|| looks_like_names(&head, delimiter, expected));
        let mut lines = Self {
            name: name.into(),
            reader: builder(delimiter)
                .from_reader(Limited { source: Cursor::new(head).chain(source), read: 0 }),
            record: StringRecord::new(),
            width: 0,
            delimiter: char::from(delimiter),
            header: None,
            first_is_row: false,
            is_over: false,
        };
        if let Step::Bad(problem) = lines.advance()? {
            return Err(Error::Table(TableError { problems: vec![problem], ..TableError::new(name) }));
        }
        lines.width = lines.record.len();
        if lines.width > MOST_COLUMNS {
            let reason = format!("it has more than {MOST_COLUMNS} columns");
            return Err(wrong(ProblemKind::Unreadable { reason }, &[Advice::Delimiter]));
        }
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

    /// What messages call column `i`, from 0: its name, or its number from 1.
    pub(super) fn label(&self, i: usize) -> String {
        let name = self.header.as_ref().and_then(|names| names.get(i)).filter(|n| !n.is_empty());
        name.map_or_else(|| (i + 1).to_string(), String::clone)
    }

    /// The next row that is not blank.
    pub(super) fn next_row(&mut self) -> Result<Next<'_>, Error> {
        if !std::mem::take(&mut self.first_is_row) {
            loop {
                match self.advance()? {
                    Step::End => return Ok(Next::End),
                    Step::Bad(problem) => return Ok(Next::Bad(problem)),
                    Step::Record => {}
                }
                let is_blank = self.record.len() == 1 && self.record[0].trim().is_empty();
                if !is_blank || self.width == 1 {
                    break;
                }
            }
        }
        let line = self.line();
        if self.record.len() != self.width {
            let kind = ProblemKind::FieldCount { found: self.record.len(), expected: self.width };
            let advice = &[Advice::EqualFieldCounts];
            return Ok(Next::Bad(TableProblem { line: Some(line), column: None, kind, advice }));
        }
        Ok(Next::Row(line, &self.record))
    }

    /// Line of the last record.
    pub(super) fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    fn advance(&mut self) -> Result<Step, Error> {
        if self.is_over {
            return Ok(Step::End);
        }
        let bad = |line, column, kind, advice| {
            Ok(Step::Bad(TableProblem { line: Some(line), column: Some(column), kind, advice }))
        };
        self.reader.get_mut().read = 0;
        let line = self.reader.position().line();
        match self.reader.read_record(&mut self.record) {
            Ok(true) => {}
            Ok(false) => return Ok(Step::End),
            Err(e) => {
                let ErrorKind::Utf8 { pos, err } = e.kind() else {
                    let line = Some(line).filter(|_| self.reader.get_ref().is_used_up());
                    let kind = ProblemKind::Unreadable { reason: e.to_string() };
                    let problem = TableProblem { line, column: None, kind, advice: &[] };
                    return Err(Error::Table(TableError {
                        problems: vec![problem],
                        ..TableError::new(&self.name)
                    }));
                };
                let line = pos.as_ref().map_or(0, csv::Position::line);
                return bad(line, self.label(err.field()), ProblemKind::NotUtf8, &[Advice::SaveAsUtf8]);
            }
        }
        if self.record.as_slice().contains(['\n', '\r']) {
            // A quote that is not closed swallows the lines after it, and what follows would be misread.
            self.is_over = true;
            let i = self.record.iter().position(|f| f.contains(['\n', '\r'])).unwrap_or(0);
            return bad(self.line(), self.label(i), ProblemKind::FieldOverLineEnd, &[Advice::CloseQuote]);
        }
        Ok(Step::Record)
    }
}

/// Refuses to read on in a record that is too long.
struct Limited<R> {
    source: R,
    /// Bytes read since the record began.
    read: usize,
}

impl<R> Limited<R> {
    fn is_used_up(&self) -> bool {
        self.read > LONGEST_RECORD
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.is_used_up() {
            let reason = format!("this line is longer than {} MiB", LONGEST_RECORD >> 20);
            return Err(io::Error::other(reason));
        }
        let count = self.source.read(out)?;
        self.read += count;
        Ok(count)
    }
}

/// What reading one record gives.
enum Step {
    Record,
    Bad(TableProblem),
    End,
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
            // Commas first: where several occur equally often, that is the usual one. What stands in quotes
            // does not count.
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

/// Whether the first line has all the expected names, or text and no numbers where something speaks for
/// names.
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
    let is_text = |text: &String| matches!(read_field(text), Field::Text);
    let is_number = |text: &String| matches!(read_field(text), Field::Number(_));
    if !names.iter().any(is_text) || names.iter().any(is_number) {
        return false;
    }
    // A column of numbers below a text settles it; otherwise names differ, and do not come again.
    let rows: Vec<Vec<String>> = records.map(|r| r.iter().map(text).collect()).collect();
    let below = |i: usize| rows.iter().filter_map(move |r| r.get(i));
    let is_named = |i: usize| below(i).next().is_some() && below(i).all(is_number) && is_text(&names[i]);
    if (0..names.len()).any(is_named) {
        return true;
    }
    let mut seen = HashSet::new();
    let are_different = names.iter().filter(|n| !n.is_empty()).all(|n| seen.insert(n));
    are_different && !(0..names.len()).any(|i| below(i).any(|t| *t == names[i] && is_text(t)))
}
