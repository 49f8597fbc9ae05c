//! Later rows in parts, which several threads read at the same time.

use super::cursor::Found;
use super::records::Fields;
use super::rows::{Encoder, TableRow, TableRows};
use crate::data::{Column, Dataset};
use crate::error::{Error, ProblemKind, TableError, check_memory};
use std::io::Read;

/// What became of the rows of a part.
struct Part<T, E> {
    made: T,
    /// Why `work` ended before the end of the part.
    failed: Option<E>,
    /// What is wrong with the first row that cannot be read, and with those after it.
    problems: TableError,
}

impl<T: Default, E> Part<T, E> {
    fn new() -> Self {
        Self { made: T::default(), failed: None, problems: TableError::new("") }
    }

    /// Encodes a row, and works on it if nothing was wrong so far.
    fn add(
        &mut self,
        encoder: &Encoder<'_>,
        (line, fields): (u64, Fields<'_>),
        work: Option<&impl Fn(&mut T, TableRow) -> Result<(), E>>,
    ) {
        let row = encoder.encode(line, fields, &mut self.problems);
        if let Some(work) = work
            && self.problems.problems.is_empty()
            && self.failed.is_none()
        {
            self.failed = work(&mut self.made, row).err();
        }
    }
}

impl<R: Read> TableRows<'_, R> {
    /// Gives all rows that are left to `work`, on all cores, and what it makes of a part of the table, row
    /// after row, to `take`: part by part, in the order of the table. Memory does not grow with the table.
    ///
    /// ```
    /// # use onefold::{RowSettings, TableRows, data::TableSchema, Error};
    /// let schema = TableSchema::of_names(&["x".to_string()], &["y".to_string()], false);
    /// let text = "x\n1\n2\n4\n";
    /// let mut rows = TableRows::open("t.csv", &schema, None, &RowSettings::default(), text.as_bytes())?;
    /// let mut sum = 0.0;
    /// let add = |part: &mut f64, row: onefold::data::TableRow| {
    ///     *part += row.inputs.map_or(0.0, |inputs| inputs[0]);
    ///     Ok::<(), Error>(())
    /// };
    /// rows.for_each_part(add, |part| {
    ///     sum += part;
    ///     Ok(())
    /// })?;
    /// assert_eq!(sum, 7.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The first one of `work` or `take`; rows after it are not taken. Where a row is wrong, those before it
    /// are taken, and the rest of the table is read as well, so that the error says everything that is wrong.
    pub fn for_each_part<T, E>(
        &mut self,
        work: impl Fn(&mut T, TableRow) -> Result<(), E> + Sync,
        mut take: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E>
    where
        T: Default + Send,
        E: From<Error> + Send,
    {
        let Self { name, lines, encoder, .. } = self;
        let encoder = &*encoder;
        let mut problems = TableError::new(name);
        let mut finish = |part: Part<T, E>, problems: &mut TableError| {
            // Nothing counts after a row that is wrong, but others that are wrong, too.
            let failed = if problems.problems.is_empty() {
                take(part.made)?;
                part.failed
            } else {
                None
            };
            problems.append(part.problems);
            failed.map_or(Ok(()), Err)
        };
        let mut first = Part::new();
        loop {
            match lines.next_in_piece() {
                Found::Row => first.add(encoder, lines.last_row(), Some(&work)),
                Found::Bad(problem) => first.problems.add(problem.line, || problem),
                Found::End => break,
            }
        }
        finish(first, &mut problems)?;
        let mut rest = lines.rest(None);
        loop {
            let work = Some(&work).filter(|_| problems.problems.is_empty());
            let parts = rest.next(|bytes, cursor, layout| {
                let mut part = Part::new();
                loop {
                    match cursor.next_row(bytes, layout) {
                        Found::Row => part.add(encoder, (cursor.line, cursor.fields(bytes)), work),
                        Found::Bad(problem) => part.problems.add(problem.line, || problem),
                        Found::End => return part,
                    }
                }
            })?;
            if parts.is_empty() {
                return Ok(problems.check()?);
            }
            for part in parts {
                let Some(part) = rest.take(part) else { break };
                finish(part, &mut problems)?;
            }
        }
    }

    /// All rows without missing values, and with a positive weight, as a data set.
    ///
    /// # Errors
    /// As [`next_row`](Self::next_row), and if there is no such row.
    pub fn into_dataset(self) -> Result<Dataset, Error> {
        self.into_dataset_with(|_| {})
    }

    /// The same; `see` is shown every row, in their order, also those that are left out.
    ///
    /// # Errors
    /// As [`into_dataset`](Self::into_dataset).
    pub fn into_dataset_with(mut self, mut see: impl FnMut(&TableRow)) -> Result<Dataset, Error> {
        let Encoder { schema, classes, places, .. } = &self.encoder;
        let (width, outputs) = (schema.width(), classes.map_or(places.targets.len(), <[String]>::len));
        let mut data = Dataset {
            inputs: vec![Column::default(); width],
            outputs: vec![Vec::new(); outputs],
            input_names: schema.input_names(),
            output_names: match classes {
                Some(classes) => classes.to_vec(),
                None => schema.targets.iter().map(|c| c.name.clone()).collect(),
            },
            classification: classes.is_some(),
            weights: None,
        };
        let mut checked = 0;
        let mut weights = places.weight.map(|_| Vec::new());
        let collect = |rows: &mut Vec<TableRow>, row: TableRow| {
            rows.push(row);
            Ok(())
        };
        self.for_each_part(collect, |part| {
            let rows = data.rows() + part.len();
            if rows > checked {
                // Columns that grow take up to three times their size while they are moved.
                checked = 2 * rows;
                let more = (8 * 3 * rows as u64).saturating_mul((width + outputs) as u64);
                check_memory(0, more, || format!("more than {rows} rows"), "use fewer rows")?;
            }
            part.iter().for_each(&mut see);
            let values = |row: TableRow| Some((row.inputs?, row.outputs?, row.weight));
            for (inputs, outputs, weight) in part.into_iter().filter_map(values).filter(|(_, _, w)| *w > 0.0)
            {
                weights.iter_mut().for_each(|weights| weights.push(weight));
                data.inputs.iter_mut().zip(inputs).for_each(|(column, v)| column.push(v));
                data.outputs.iter_mut().zip(outputs).for_each(|(column, v)| column.push(v));
            }
            Ok::<(), Error>(())
        })?;
        if data.rows() == 0 {
            return Err(TableError::of(&self.name, ProblemKind::NoRows, &[]));
        }
        data.weights = weights;
        Ok(data)
    }
}
