//! The rows of a file, one after the other, and what its first line is.

use super::cursor::{Cursor, Found, Layout, MOST_COLUMNS};
use super::delimiter::{Delimiter, count, find_delimiter, lines_above, named_delimiter};
use super::header::{Cell, Verdict};
use super::notice::TableNotice;
use super::pieces::{Batches, Piece, Pieces};
use super::records::{Fields, split};
use crate::error::{Advice, Error, ProblemKind, TableError, TableProblem};
use std::io::{self, Read};

/// So many lines and bytes of a file are looked at before it is read; two lines in any case.
const HEAD_LINES: usize = 200;
const HEAD_BYTES: usize = 1 << 16;

/// What some programs put in front of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The rows of a file, one after the other, all of the same length.
pub(super) struct Lines<R: Read> {
    name: String,
    pieces: Pieces<R>,
    /// The piece that is read.
    piece: Vec<u8>,
    cursor: Cursor,
    pub(super) layout: Layout,
    /// Line of the first row, where the file begins with it and nobody said that it does.
    pub(super) doubtful_row: Option<u64>,
    notices: Vec<TableNotice>,
}

/// What comes next in a file.
pub(super) enum Next<'a> {
    /// A row, with its line number.
    Row(u64, Fields<'a>),
    /// A row that cannot be used; there may be others after it.
    Bad(TableProblem),
    End,
}

/// What a thread reads in one piece.
pub(super) struct Part<T> {
    contents: T,
    /// Empty lines.
    empty: u64,
    /// Nothing after this can be trusted.
    is_over: bool,
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
        let mut pieces = Pieces::new(source);
        let mut head = Head::read(&mut pieces).map_err(|e| unreadable(name, &e))?;
        let delimiter = head.skip_named_delimiter().filter(|_| delimiter.is_none()).or(delimiter);
        // What is stored in columns has names, and is converted with commas.
        let (delimiter, header) =
            if pieces.is_columnar() { (Some(','), Some(true)) } else { (delimiter, header) };
        let looked_at = head.lines().0;
        if looked_at.iter().all(|line| line.trim_ascii().is_empty()) {
            return Err(TableError::of(name, ProblemKind::EmptyFile, &[]));
        }
        if let Some(line) = looked_at.iter().find(|line| line.contains(&0)) {
            let is_utf8 = std::str::from_utf8(line).is_ok();
            let kind = if is_utf8 { ProblemKind::NulBytes } else { ProblemKind::NotUtf8 };
            return Err(TableError::of(name, kind, &[Advice::SaveAsUtf8]));
        }
        let Delimiter { byte, rival } = find_delimiter(delimiter, &looked_at)?;
        check_first_lines(name, &looked_at, byte, head.line)?;
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
        pieces.expect_lines_of(looked_at.iter().map(|line| line.len()).max().unwrap_or(0));
        let mut lines = Self {
            name: name.into(),
            pieces,
            cursor: Cursor::new(head.at, head.line),
            layout: Layout { delimiter: byte, width: 0, header: None },
            doubtful_row: None,
            notices: Vec::new(),
            piece: head.piece,
        };
        lines.read_first(verdict, rival)?;
        if !verdict.is_header {
            lines.doubtful_row = header.is_none().then_some(lines.cursor.line + 1);
        }
        Ok(lines)
    }

    /// Reads the first line as what it is, and notices what is assumed.
    fn read_first(&mut self, verdict: Verdict, rival: Option<u8>) -> Result<(), Error> {
        if let Found::Bad(problem) = self.cursor.next_record(&self.piece, &self.layout) {
            return Err(Error::Table(TableError { problems: vec![problem], ..TableError::new(&self.name) }));
        }
        let fields: Vec<String> =
            self.cursor.fields(&self.piece).iter().map(|f| f.trim().to_string()).collect();
        self.layout.width = fields.len();
        if let Some(other) = rival {
            let notice = TableNotice::TwoDelimiters { used: self.delimiter(), other: char::from(other) };
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
        if verdict.is_header {
            self.layout.header = Some(fields);
        } else {
            // It is read again, as the first row.
            self.cursor.step_back();
        }
        Ok(())
    }

    /// What separates fields.
    pub(super) fn delimiter(&self) -> char {
        char::from(self.layout.delimiter)
    }

    /// Whether the file is stored in columns.
    pub(super) fn is_columnar(&self) -> bool {
        self.pieces.is_columnar()
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.layout.width
    }

    /// The names of the first line, where it holds names.
    pub(super) fn header(&self) -> Option<&Vec<String>> {
        self.layout.header.as_ref()
    }

    /// Names of the columns: those of the first line, and for the others their numbers.
    pub(super) fn names(&self) -> Vec<String> {
        let given = |i: usize| self.header().map(|names| names[i].clone()).filter(|n| !n.is_empty());
        (0..self.width()).map(|i| given(i).unwrap_or_else(|| format!("column{}", i + 1))).collect()
    }

    /// Line of the last record.
    pub(super) fn line(&self) -> u64 {
        self.cursor.line
    }

    /// What was assumed so far.
    pub(super) fn notices(&self) -> Vec<TableNotice> {
        let mut notices = self.notices.clone();
        if self.width() == 1 && self.cursor.empty > 0 {
            notices.push(TableNotice::EmptyLines { count: self.cursor.empty });
        }
        notices
    }

    /// The next row that is not blank.
    pub(super) fn next_row(&mut self) -> Result<Next<'_>, Error> {
        loop {
            match self.next_in_piece() {
                Found::Row => break,
                Found::Bad(problem) => return Ok(Next::Bad(problem)),
                Found::End if self.cursor.is_over => return Ok(Next::End),
                Found::End => {}
            }
            match self.pieces.next_piece().map_err(|e| unreadable(&self.name, &e))? {
                Some(piece) => self.piece = piece.bytes,
                None => return Ok(Next::End),
            }
            self.cursor.go_on();
        }
        let (line, fields) = self.last_row();
        Ok(Next::Row(line, fields))
    }

    /// Reads the next row of the piece that is in memory.
    pub(super) fn next_in_piece(&mut self) -> Found {
        self.cursor.next_row(&self.piece, &self.layout)
    }

    /// The row that was read last, with its line number.
    pub(super) fn last_row(&self) -> (u64, Fields<'_>) {
        (self.cursor.line, self.cursor.fields(&self.piece))
    }

    /// Bytes that were read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.pieces.bytes
    }

    /// The pieces after the one that is in memory, of which nothing may be left. There are no more threads
    /// than given; by default one for each core.
    pub(super) fn rest(&mut self, threads: Option<usize>) -> Rest<'_, R> {
        self.piece = Vec::new();
        self.cursor.go_on();
        let Self { name, pieces, cursor, layout, .. } = self;
        Rest { name, batches: Batches::new(pieces, threads), cursor, layout }
    }
}

/// The pieces of a file that are left, for several threads.
pub(super) struct Rest<'a, R: Read> {
    name: &'a str,
    batches: Batches<'a, R>,
    cursor: &'a mut Cursor,
    layout: &'a Layout,
}

impl<R: Read> Rest<'_, R> {
    /// What `read` makes of the next pieces: it is given one, and a cursor at its beginning, on some thread.
    /// The parts must be [taken](Self::take) in their order. There are none at the end.
    pub(super) fn next<T: Send>(
        &mut self,
        read: impl Fn(&[u8], &mut Cursor, &Layout) -> T + Sync,
    ) -> Result<Vec<Part<T>>, Error> {
        if self.cursor.is_over {
            return Ok(Vec::new());
        }
        let layout = self.layout;
        let parts = self.batches.next(|Piece { bytes, line }| {
            let mut cursor = Cursor::new(0, *line);
            let contents = read(bytes, &mut cursor, layout);
            Part { contents, empty: cursor.empty, is_over: cursor.is_over }
        });
        parts.map_err(|e| unreadable(self.name, &e))
    }

    /// The contents of a part; none where nothing can be trusted any more.
    pub(super) fn take<T>(&mut self, part: Part<T>) -> Option<T> {
        if self.cursor.is_over {
            return None;
        }
        self.cursor.empty += part.empty;
        self.cursor.is_over = part.is_over;
        Some(part.contents)
    }
}

/// The beginning of a file.
#[derive(Default)]
struct Head {
    piece: Vec<u8>,
    /// First byte of the first line that is not blank.
    at: usize,
    /// Number of the line before that.
    line: u64,
}

impl Head {
    /// Reads as many pieces as are needed to look at the first lines.
    fn read<R: Read>(pieces: &mut Pieces<R>) -> io::Result<Self> {
        let mut head = Self::default();
        loop {
            let Some(Piece { bytes, line }) = pieces.next_piece()? else { return Ok(head) };
            let is_first = line == 0;
            head.piece.extend(bytes);
            if is_first && head.piece.starts_with(MARK) {
                head.at = MARK.len();
            }
            head.skip_blank();
            if head.lines().1 {
                return Ok(head);
            }
        }
    }

    /// Goes to the first line that is not blank; without one, nothing of the piece is needed.
    fn skip_blank(&mut self) {
        let mut cursor = Cursor::new(self.at, self.line);
        while let Some(line) = cursor.next_line(&self.piece) {
            if line.iter().any(|b| *b != b' ') {
                cursor.step_back();
                (self.at, self.line) = cursor.place();
                return;
            }
        }
        *self = Self { piece: Vec::new(), at: 0, line: cursor.line };
    }

    /// Goes to the line after one that only names the delimiter, and gives that.
    fn skip_named_delimiter(&mut self) -> Option<char> {
        let mut cursor = Cursor::new(self.at, self.line);
        let named = named_delimiter(cursor.next_line(&self.piece)?)?;
        (self.at, self.line) = cursor.place();
        self.skip_blank();
        Some(named)
    }

    /// The lines to look at, and whether they are enough.
    fn lines(&self) -> (Vec<&[u8]>, bool) {
        let (mut lines, mut bytes) = (Vec::new(), 0);
        let mut cursor = Cursor::new(self.at, self.line);
        while lines.len() < 2 || (lines.len() < HEAD_LINES && bytes < HEAD_BYTES) {
            let Some(line) = cursor.next_line(&self.piece) else { return (lines, false) };
            bytes += line.len();
            lines.push(line);
        }
        (lines, true)
    }
}

/// Refuses lines above the table, which would make every row of it too long.
fn check_first_lines(name: &str, lines: &[&[u8]], delimiter: u8, before: u64) -> Result<(), Error> {
    let lines: Vec<&[u8]> = lines.iter().copied().filter(|line| !line.trim_ascii().is_empty()).collect();
    let Some(above @ 1..) = lines_above(&lines, delimiter) else { return Ok(()) };
    let fields = |line: &&[u8]| count(line, delimiter) + 1;
    let (found, expected) = (lines.first().map_or(0, fields), lines.last().map_or(0, fields));
    let problem = TableProblem {
        line: Some(before + 1),
        column: None,
        kind: ProblemKind::LinesAboveTable { lines: above, found, expected },
        also: 0,
        advice: &[Advice::DeleteLinesAbove],
    };
    Err(Error::Table(TableError { problems: vec![problem], ..TableError::new(name) }))
}

/// The fields of a line, unless something is wrong with it.
fn cells(line: &[u8], delimiter: u8) -> Option<Vec<Cell>> {
    let text = std::str::from_utf8(line).ok().filter(|_| count(line, delimiter) < MOST_COLUMNS)?;
    let mut cells = Vec::new();
    let push = |field: &str, is_quoted| cells.push(Cell { text: field.trim().into(), is_quoted });
    split(text, delimiter, push).ok()?;
    Some(cells)
}

fn unreadable(name: &str, error: &io::Error) -> Error {
    TableError::of(name, ProblemKind::Unreadable { reason: error.to_string() }, &[])
}
