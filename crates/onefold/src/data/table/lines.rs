//! The rows of a file, one after the other, and what its first line is.

use super::delimiter::{Delimiter, count, find_delimiter};
use super::header::{Cell, Verdict};
use super::notice::TableNotice;
use super::records::{QuoteProblem, RawLines, split};
use crate::error::{Advice, Error, ProblemKind, TableError, TableProblem};
use csv::StringRecord;
use std::collections::VecDeque;
use std::io::Read;

/// So many lines and bytes of a file are looked at before it is read; two lines in any case.
const HEAD_LINES: usize = 200;
const HEAD_BYTES: usize = 1 << 16;
/// The most columns that a table may have.
const MOST_COLUMNS: usize = 100_000;

/// The rows of a file, one after the other, all of the same length.
pub(super) struct Lines<R> {
    name: String,
    source: RawLines<R>,
    /// The lines that were looked at and are not read yet, with their numbers.
    head: VecDeque<(u64, Vec<u8>)>,
    bytes: Vec<u8>,
    record: StringRecord,
    /// Line of the record.
    line: u64,
    width: usize,
    pub(super) delimiter: char,
    /// The names of the first line, where it holds names.
    pub(super) header: Option<Vec<String>>,
    /// Line of the first row, where the file begins with it and nobody said that it does.
    pub(super) doubtful_row: Option<u64>,
    /// A first line without names is the first row.
    first_is_row: bool,
    /// Nothing after this can be trusted.
    is_over: bool,
    notices: Vec<TableNotice>,
    /// Empty lines so far.
    empty: u64,
}

/// What comes next in a file.
pub(super) enum Next<'a> {
    /// A row, with its line number.
    Row(u64, &'a StringRecord),
    /// A row that cannot be used; there may be others after it.
    Bad(TableProblem),
    End,
}

/// What reading one record gives.
enum Step {
    Record,
    Bad(TableProblem),
    End,
}

impl<R: Read> Lines<R> {
    /// Looks at the beginning of a file; `name` stands for it in messages. What is not given is found out:
    /// `is_header` is asked about the first line and some that follow.
    pub(super) fn open(
        name: &str,
        delimiter: Option<char>,
        header: Option<bool>,
        is_header: impl FnOnce(&[Cell], &[Vec<Cell>]) -> Verdict,
        source: R,
    ) -> Result<Self, Error> {
        let mut source = RawLines::new(source);
        let head = read_head(&mut source).map_err(|e| unreadable(name, &e))?;
        if head.iter().all(|(_, line)| line.trim_ascii().is_empty()) {
            return Err(TableError::of(name, ProblemKind::EmptyFile, &[]));
        }
        if let Some((_, line)) = head.iter().find(|(_, line)| line.contains(&0)) {
            let is_utf8 = std::str::from_utf8(line).is_ok();
            let kind = if is_utf8 { ProblemKind::NulBytes } else { ProblemKind::NotUtf8 };
            return Err(TableError::of(name, kind, &[Advice::SaveAsUtf8]));
        }
        let looked_at: Vec<&[u8]> = head.iter().map(|(_, line)| &line[..]).collect();
        let Delimiter { byte, rival } = find_delimiter(delimiter, &looked_at)?;
        let verdict = match header {
            Some(true) => Verdict::NAMES,
            Some(false) => Verdict::ROW,
            None => {
                let mut cells = looked_at.iter().filter(|l| !l.is_empty()).map(|line| cells(line, byte));
                // What is wrong with a line is said when it is read.
                let first = cells.next().flatten().unwrap_or_default();
                is_header(&first, &cells.flatten().collect::<Vec<_>>())
            }
        };
        let mut lines = Self {
            name: name.into(),
            source,
            head: head.into(),
            bytes: Vec::new(),
            record: StringRecord::new(),
            line: 0,
            width: 0,
            delimiter: char::from(byte),
            header: None,
            doubtful_row: None,
            first_is_row: false,
            is_over: false,
            notices: Vec::new(),
            empty: 0,
        };
        lines.read_first(verdict, rival)?;
        if lines.first_is_row {
            lines.doubtful_row = header.is_none().then_some(lines.line);
        }
        Ok(lines)
    }

    /// Reads the first line as what it is, and notices what is assumed.
    fn read_first(&mut self, verdict: Verdict, rival: Option<u8>) -> Result<(), Error> {
        if let Step::Bad(problem) = self.advance()? {
            return Err(Error::Table(TableError { problems: vec![problem], ..TableError::new(&self.name) }));
        }
        self.width = self.record.len();
        let fields: Vec<String> = self.record.iter().map(|f| f.trim().to_string()).collect();
        if let Some(other) = rival {
            let notice = TableNotice::TwoDelimiters { used: self.delimiter, other: char::from(other) };
            self.notices.push(notice);
        }
        if !verdict.is_sure {
            let fields = fields.clone();
            self.notices.push(if verdict.is_header {
                TableNotice::TakenForNames { fields }
            } else {
                TableNotice::TakenForRow { fields }
            });
        }
        self.first_is_row = !verdict.is_header;
        self.header = verdict.is_header.then_some(fields);
        Ok(())
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

    /// Line of the last record.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// What was assumed so far.
    pub(super) fn notices(&self) -> Vec<TableNotice> {
        let mut notices = self.notices.clone();
        if self.width == 1 && self.empty > 0 {
            notices.push(TableNotice::EmptyLines { count: self.empty });
        }
        notices
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
        let found = self.record.len();
        if found != self.width {
            let kind = ProblemKind::FieldCount { found, expected: self.width };
            return Ok(Next::Bad(self.bad_line(kind, &[Advice::EqualFieldCounts])));
        }
        // In a table of one column this may be a word like others.
        let names = self.header.as_ref().filter(|_| self.width > 1);
        if names.is_some_and(|names| names.iter().zip(&self.record).all(|(n, f)| n == f.trim())) {
            return Ok(Next::Bad(self.bad_line(ProblemKind::RepeatedNames, &[Advice::DeleteLine])));
        }
        Ok(Next::Row(self.line, &self.record))
    }

    fn bad_line(&self, kind: ProblemKind, advice: &'static [Advice]) -> TableProblem {
        TableProblem { line: Some(self.line), column: None, kind, advice }
    }

    /// Reads the next line that is not empty.
    fn advance(&mut self) -> Result<Step, Error> {
        loop {
            if self.is_over {
                return Ok(Step::End);
            }
            if let Some((line, bytes)) = self.head.pop_front() {
                (self.line, self.bytes) = (line, bytes);
            } else {
                let read = self.source.next_line(&mut self.bytes).map_err(|e| unreadable(&self.name, &e))?;
                let Some(line) = read else { return Ok(Step::End) };
                self.line = line;
            }
            if !self.bytes.is_empty() {
                break;
            }
            self.empty += 1;
        }
        let wrong = match self.split_line() {
            Ok(()) => return Ok(Step::Record),
            Err(wrong) => wrong,
        };
        let (i, kind, advice) = wrong;
        // The lines after an open quote may belong to the field, and would be misread.
        self.is_over = kind == ProblemKind::FieldOverLineEnd;
        let (line, column) = (Some(self.line), Some(self.label(i)));
        Ok(Step::Bad(TableProblem { line, column, kind, advice }))
    }

    /// Splits the line into the fields of the record, or says what is wrong with which field, from 0.
    fn split_line(&mut self) -> Result<(), (usize, ProblemKind, &'static [Advice])> {
        let delimiter = self.delimiter as u8;
        let field_of = |end: usize| count(&self.bytes[..end], delimiter);
        if self.bytes.len() > MOST_COLUMNS && count(&self.bytes, delimiter) >= MOST_COLUMNS {
            return Err((
                MOST_COLUMNS,
                ProblemKind::TooManyColumns { most: MOST_COLUMNS },
                &[Advice::Delimiter],
            ));
        }
        if let Some(place) = self.bytes.iter().position(|b| *b == 0) {
            return Err((field_of(place), ProblemKind::NulByte, &[Advice::SaveAsUtf8]));
        }
        let text = std::str::from_utf8(&self.bytes)
            .map_err(|e| (field_of(e.valid_up_to()), ProblemKind::NotUtf8, &[Advice::SaveAsUtf8][..]))?;
        self.record.clear();
        split(text, delimiter, |field, _| self.record.push_field(field)).map_err(|(i, problem)| {
            let (kind, advice): (_, &'static [Advice]) = match problem {
                QuoteProblem::TextAfter => (ProblemKind::TextAfterQuote, &[Advice::DoubleQuotes]),
                QuoteProblem::Inside => (ProblemKind::QuoteInside, &[Advice::DoubleQuotes]),
                QuoteProblem::Open => (ProblemKind::FieldOverLineEnd, &[Advice::CloseQuote]),
            };
            (i, kind, advice)
        })
    }
}

/// The first lines, without blank ones before them.
fn read_head<R: Read>(source: &mut RawLines<R>) -> std::io::Result<Vec<(u64, Vec<u8>)>> {
    let (mut head, mut bytes) = (Vec::new(), 0);
    let mut line = Vec::new();
    while head.len() < 2 || (head.len() < HEAD_LINES && bytes < HEAD_BYTES) {
        let Some(number) = source.next_line(&mut line)? else { break };
        if !(head.is_empty() && line.iter().all(|b| *b == b' ')) {
            bytes += line.len();
            head.push((number, line.clone()));
        }
    }
    Ok(head)
}

/// The fields of a line, unless something is wrong with it.
fn cells(line: &[u8], delimiter: u8) -> Option<Vec<Cell>> {
    let text = std::str::from_utf8(line).ok().filter(|_| count(line, delimiter) < MOST_COLUMNS)?;
    let mut cells = Vec::new();
    let push = |field: &str, is_quoted| cells.push(Cell { text: field.trim().into(), is_quoted });
    split(text, delimiter, push).ok()?;
    Some(cells)
}

fn unreadable(name: &str, error: &std::io::Error) -> Error {
    TableError::of(name, ProblemKind::Unreadable { reason: error.to_string() }, &[])
}
