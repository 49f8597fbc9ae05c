//! The columns of a table, read on several threads: the same as one thread reads.

use super::columns::Column;
use super::cursor::{Cursor, Found, Layout};
use super::lines::{Lines, Next};
use super::source::Source;
use crate::error::{Advice, Error, ProblemKind, TableError, TableProblem, check_memory};
use std::collections::HashSet;
use std::io::Read;

/// Fewer rows are read without a look at the memory that is left.
const LEAST_CHECKED: usize = 1 << 12;

/// The columns of a file and the number of its rows; rows that cannot be used are left out and reported.
pub(super) fn read_columns<R: Read>(
    lines: &mut Lines<R>,
    problems: &mut TableError,
    about: Source,
) -> Result<(Vec<Column>, usize), Error> {
    let mut columns = empty_columns(lines, problems, about);
    let mut rows = 0;
    while rows < about.first_rows {
        match lines.next_row()? {
            Next::Row(line, fields) => {
                rows += 1;
                columns.iter_mut().zip(fields.iter()).for_each(|(column, field)| column.push(line, field));
            }
            Next::Bad(problem) => problems.add(problem.line, || problem),
            Next::End => break,
        }
    }
    if rows == about.first_rows {
        rows += read_piece(lines, problems, &mut columns);
        let memory = Memory { about, checked: LEAST_CHECKED };
        memory.expect(rows, lines.bytes(), &columns)?;
        rows = read_rest(lines, problems, &mut columns, rows, memory)?;
    }
    columns.iter_mut().for_each(Column::forget_texts);
    Ok((columns, rows))
}

/// Reads the rest of the piece that is in memory, and counts its rows.
fn read_piece<R: Read>(lines: &mut Lines<R>, problems: &mut TableError, columns: &mut [Column]) -> usize {
    let mut rows = 0;
    loop {
        match lines.next_in_piece() {
            Found::Row => {
                rows += 1;
                let (line, fields) = lines.last_row();
                columns.iter_mut().zip(fields.iter()).for_each(|(column, field)| column.push(line, field));
            }
            Found::Bad(problem) => problems.add(problem.line, || problem),
            Found::End => return rows,
        }
    }
}

/// The columns without rows; names that several have are reported.
fn empty_columns<R: Read>(lines: &Lines<R>, problems: &mut TableError, about: Source) -> Vec<Column> {
    let has_name = |i: usize| lines.header().is_some_and(|names| !names[i].is_empty());
    let columns: Vec<Column> = lines
        .names()
        .into_iter()
        .enumerate()
        .map(|(i, n)| Column::new(n, has_name(i), about.decimal))
        .collect();
    let (mut seen, mut reported) = (HashSet::new(), HashSet::new());
    for column in &columns {
        if !seen.insert(&column.name) && reported.insert(&column.name) {
            let line = Some(lines.line());
            problems.add(line, || TableProblem {
                line,
                column: Some(column.name.clone()),
                kind: ProblemKind::DuplicateName,
                also: 0,
                advice: &[Advice::Rename, Advice::Header],
            });
        }
    }
    columns
}

/// What is read of one piece.
struct PieceRead {
    columns: Vec<Column>,
    rows: usize,
    problems: TableError,
}

impl PieceRead {
    fn new(bytes: &[u8], cursor: &mut Cursor, layout: &Layout, before: &[Column]) -> Self {
        let most = memchr::memchr2_iter(b'\n', b'\r', bytes).count() + 1;
        let mut columns: Vec<Column> = before.iter().map(|column| column.part(most)).collect();
        let (mut rows, mut problems) = (0, TableError::new(""));
        loop {
            match cursor.next_row(bytes, layout) {
                Found::Row => {
                    rows += 1;
                    let (line, fields) = (cursor.line, cursor.fields(bytes));
                    for ((part, column), field) in columns.iter_mut().zip(before).zip(fields.iter()) {
                        part.push_after(Some(column), line, field);
                    }
                }
                Found::Bad(problem) => problems.add(problem.line, || problem),
                Found::End => return Self { columns, rows, problems },
            }
        }
    }
}

/// Reads the pieces that are left, after so many rows; gives the number of all rows.
fn read_rest<R: Read>(
    lines: &mut Lines<R>,
    problems: &mut TableError,
    columns: &mut [Column],
    mut rows: usize,
    mut memory: Memory,
) -> Result<usize, Error> {
    let mut rest = lines.rest(memory.about.threads);
    loop {
        columns.iter_mut().for_each(Column::forget_texts);
        let before = &*columns;
        let parts = rest.next(|bytes, cursor, layout| PieceRead::new(bytes, cursor, layout, before))?;
        if parts.is_empty() {
            return Ok(rows);
        }
        for part in parts {
            let Some(piece) = rest.take(part) else { break };
            rows += piece.rows;
            memory.check(rows, columns)?;
            columns.iter_mut().zip(piece.columns).for_each(|(column, part)| column.append(part));
            problems.append(piece.problems);
        }
    }
}

/// Refuses tables that are larger than the memory.
struct Memory {
    about: Source,
    /// For so many rows there is enough.
    checked: usize,
}

impl Memory {
    /// A table that will be too large, as far as its first rows tell, is refused at once.
    fn expect(&self, rows: usize, bytes: u64, columns: &[Column]) -> Result<(), Error> {
        let Some(size) = self.about.size else { return Ok(()) };
        let rows = rows as f64 * (size as f64 / bytes as f64);
        // Other rows may be longer.
        let least = (0.8 * rows) as usize;
        let what = || format!("a table of about {rows:.0} rows and {} columns", columns.len());
        check_memory(0, least.saturating_mul(row_size(columns)) as u64, what, ADVICE)
    }

    /// Looks at the memory that is left before columns grow.
    fn check(&mut self, rows: usize, columns: &[Column]) -> Result<(), Error> {
        if rows <= self.checked {
            return Ok(());
        }
        self.checked = rows + rows / 4;
        let size = row_size(columns);
        let (held, more) = (rows.saturating_mul(size), (self.checked - rows).saturating_mul(size));
        let what = || format!("a table of more than {rows} rows and {} columns", columns.len());
        check_memory(held as u64, more as u64, what, ADVICE)
    }
}

const ADVICE: &str = "use fewer rows or columns";

fn row_size(columns: &[Column]) -> usize {
    columns.iter().map(Column::row_size).sum()
}

#[cfg(test)]
mod tests;
