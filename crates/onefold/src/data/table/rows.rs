//! Later rows, encoded one by one like those of training.

use super::lines::{Lines, Next};
use super::schema::{Encoded, TableColumn, TableSchema};
use super::{Field, Missing, check_number, is_missing, read_field};
use crate::data::Dataset;
use crate::error::{Advice, Error, ProblemKind, TableError, TableProblem, check_size, list};
use csv::StringRecord;
use std::io::Read;

/// The rows of a table, read one by one and encoded as a schema says.
pub struct TableRows<'a, R> {
    name: String,
    lines: Lines<R>,
    encoder: Encoder<'a>,
}

/// Where the columns of a schema stand in a table.
struct Encoder<'a> {
    schema: &'a TableSchema,
    classes: Option<&'a [String]>,
    /// Indices of columns.
    inputs: Vec<usize>,
    targets: Vec<usize>,
    ids: Vec<usize>,
    names: Vec<String>,
    /// What messages call the columns.
    labels: Vec<String>,
}

/// One row, encoded.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow {
    /// Its line in the file.
    pub line: u64,
    /// What stands in the columns that identify it.
    pub ids: Vec<String>,
    /// Its inputs; none where one is missing and the schema says that such rows are left out.
    pub inputs: Option<Vec<f64>>,
    /// Its outputs, where they were asked for and are not missing.
    pub outputs: Option<Vec<f64>>,
    /// A column with a text that the training rows did not have, and the text.
    pub unknown: Option<(String, String)>,
}

/// What to read of a table besides inputs, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowSettings {
    /// As in [`TableSettings`](super::TableSettings).
    pub delimiter: Option<char>,
    /// As in [`TableSettings`](super::TableSettings).
    pub header: Option<bool>,
    /// Columns that identify rows, by name or by number from 1. Default those of the schema that the table
    /// has.
    pub id_column: Vec<String>,
    /// Whether the targets are read, too. Default false.
    pub targets: bool,
}

impl<'a, R: Read> TableRows<'a, R> {
    /// Finds the columns of a schema in a table: by name where both have a first line of names, otherwise by
    /// number. `classes` are those of the model, for a classification; `name` stands for the table in
    /// messages.
    ///
    /// # Errors
    /// Says what is wrong with the table, or which columns it does not have.
    pub fn open(
        name: &str,
        schema: &'a TableSchema,
        classes: Option<&'a [String]>,
        settings: &RowSettings,
        source: R,
    ) -> Result<Self, Error> {
        let wanted: Vec<&str> = schema
            .inputs
            .iter()
            .map(|c| c.name.as_str())
            .chain(schema.targets.iter().filter(|_| settings.targets).map(|c| c.name.as_str()))
            .collect();
        let expected = if schema.header { &wanted[..] } else { &[] };
        let lines = Lines::open(name, settings.delimiter, settings.header, expected, source)?;
        let mut encoder = Encoder {
            schema,
            classes,
            inputs: Vec::new(),
            targets: Vec::new(),
            ids: Vec::new(),
            names: lines.names(),
            labels: (0..lines.width()).map(|i| lines.label(i)).collect(),
        };
        if schema.header && lines.header.is_some() {
            encoder.match_names(name, settings)?;
        } else {
            encoder.match_numbers(name, settings)?;
        }
        encoder.find_ids(name, &settings.id_column)?;
        Ok(Self { name: name.into(), lines, encoder })
    }

    /// Names of the columns that identify rows.
    #[must_use]
    pub fn id_names(&self) -> Vec<String> {
        self.encoder.ids.iter().map(|i| self.encoder.names[*i].clone()).collect()
    }

    /// The next row, or none at the end.
    ///
    /// # Errors
    /// Where a row is wrong, the rest of the table is read as well, so that the error says everything that is
    /// wrong from there on, with lines and columns.
    pub fn next_row(&mut self) -> Result<Option<TableRow>, Error> {
        let mut problems = TableError::new(&self.name);
        loop {
            match self.lines.next_row()? {
                Next::End => return problems.check().map(|()| None),
                Next::Bad(problem) => problems.add(problem.line, || problem),
                Next::Row(line, fields) => {
                    let row = self.encoder.encode(line, fields, &mut problems);
                    if problems.problems.is_empty() {
                        return Ok(Some(row));
                    }
                }
            }
        }
    }

    /// All rows without missing values, as a data set.
    ///
    /// # Errors
    /// As [`next_row`](Self::next_row), and if there is no such row.
    pub fn into_dataset(mut self) -> Result<Dataset, Error> {
        let Encoder { schema, classes, targets, .. } = &self.encoder;
        let (width, outputs) = (schema.width(), classes.map_or(targets.len(), <[String]>::len));
        let mut data = Dataset {
            inputs: vec![Vec::new(); width],
            outputs: vec![Vec::new(); outputs],
            input_names: schema.input_names(),
            output_names: match classes {
                Some(classes) => classes.to_vec(),
                None => schema.targets.iter().map(|c| c.name.clone()).collect(),
            },
            classification: classes.is_some(),
        };
        while let Some(row) = self.next_row()? {
            if let (Some(inputs), Some(outputs)) = (row.inputs, row.outputs) {
                data.inputs.iter_mut().zip(inputs).for_each(|(column, v)| column.push(v));
                data.outputs.iter_mut().zip(outputs).for_each(|(column, v)| column.push(v));
            }
            if data.rows().is_power_of_two() {
                let rows = data.rows();
                check_size(&[rows, width + outputs], || format!("{rows} rows"), "use fewer rows")?;
            }
        }
        if data.rows() == 0 {
            return Err(TableError::of(&self.name, ProblemKind::NoRows, &[]));
        }
        Ok(data)
    }
}

impl Encoder<'_> {
    fn match_names(&mut self, table: &str, settings: &RowSettings) -> Result<(), Error> {
        let mut problems = TableError::new(table);
        let mut find = |wanted: Vec<&String>, are_targets: bool| {
            let (mut places, mut missing) = (Vec::new(), Vec::new());
            for name in wanted {
                let mut found = self.names.iter().enumerate().filter(|(_, n)| *n == name).map(|(i, _)| i);
                match (found.next(), found.next()) {
                    (Some(i), None) => places.push(i),
                    (Some(_), Some(_)) => problems.add(None, || TableProblem {
                        line: None,
                        column: Some(name.clone()),
                        kind: ProblemKind::DuplicateName,
                        advice: &[Advice::Rename],
                    }),
                    (None, _) => missing.push(name.clone()),
                }
            }
            if !missing.is_empty() {
                let kind =
                    ProblemKind::MissingColumns { names: missing, are_targets, columns: self.names.clone() };
                problems.add(None, || TableProblem { line: None, column: None, kind, advice: &[] });
            }
            places
        };
        let inputs = find(self.schema.inputs.iter().map(|c| &c.name).collect(), false);
        let targets: &[TableColumn] = if settings.targets { &self.schema.targets } else { &[] };
        let targets = find(targets.iter().map(|c| &c.name).collect(), true);
        problems.check()?;
        if settings.id_column.is_empty() {
            let ids = self.schema.ids.iter().filter_map(|c| self.names.iter().position(|n| *n == c.name));
            self.ids = ids.collect();
        }
        (self.inputs, self.targets) = (inputs, targets);
        Ok(())
    }

    /// By number: in a table like that of training, one without the targets, or one with nothing but the
    /// inputs.
    fn match_numbers(&mut self, table: &str, settings: &RowSettings) -> Result<(), Error> {
        let (width, schema) = (self.names.len(), self.schema);
        let without = schema.columns - schema.targets.len();
        if width == schema.columns {
            self.inputs = schema.inputs.iter().map(|c| c.number - 1).collect();
            if settings.targets {
                self.targets = schema.targets.iter().map(|c| c.number - 1).collect();
            }
            if settings.id_column.is_empty() {
                self.ids = schema.ids.iter().map(|c| c.number - 1).collect();
            }
            return Ok(());
        }
        if settings.targets || (width != without && width != schema.inputs.len()) {
            let without_targets = (!settings.targets).then_some(without);
            let kind = ProblemKind::ColumnCount { found: width, expected: schema.columns, without_targets };
            return Err(TableError::of(table, kind, &[Advice::Delimiter]));
        }
        if width == without {
            let before = |n: usize| schema.targets.iter().filter(|t| t.number < n).count();
            self.inputs = schema.inputs.iter().map(|c| c.number - 1 - before(c.number)).collect();
        } else {
            self.inputs = (0..width).collect();
        }
        Ok(())
    }

    fn find_ids(&mut self, table: &str, texts: &[String]) -> Result<(), Error> {
        for text in texts {
            let by_name = self.names.iter().position(|n| n == text);
            let number = || text.parse::<usize>().ok().filter(|n| (1..=self.names.len()).contains(n));
            let found = by_name.or_else(|| number().map(|n| n - 1)).ok_or_else(|| {
                let expected = format!("{table} has the columns {}", list(&self.names));
                Error::setting("id_column", format!("\"{text}\""), expected)
            })?;
            self.ids.push(found);
        }
        Ok(())
    }

    /// A row; what is wrong with it is reported.
    fn encode(&self, line: u64, fields: &StringRecord, problems: &mut TableError) -> TableRow {
        let mut report = |i: usize, kind: ProblemKind, advice: &'static [Advice]| {
            let column = Some(self.labels[i].clone());
            problems.add(Some(line), || TableProblem { line: Some(line), column, kind, advice });
        };
        let refuses_missing = self.schema.missing == Missing::Refuse;
        let mut row = TableRow {
            line,
            ids: self.ids.iter().map(|i| fields[*i].to_string()).collect(),
            inputs: None,
            outputs: None,
            unknown: None,
        };
        let mut values = Vec::with_capacity(self.schema.inputs.len());
        let mut is_whole = true;
        for (column, i) in self.schema.inputs.iter().zip(&self.inputs) {
            match column.encode(&fields[*i], &mut values) {
                Ok(Encoded::Known) => {}
                Ok(Encoded::UnknownCategory) => {
                    row.unknown = Some((self.names[*i].clone(), fields[*i].trim().into()));
                }
                Ok(Encoded::Missing) => {
                    is_whole = false;
                    if refuses_missing {
                        report(*i, ProblemKind::MissingValue, &[Advice::FillIn]);
                    }
                }
                Err(kind) => report(*i, kind, &[]),
            }
        }
        row.inputs = is_whole.then_some(values);
        let missing = self.targets.iter().filter(|i| is_missing(fields[**i].trim()));
        let missing: Vec<usize> = missing.copied().collect();
        if refuses_missing {
            missing.iter().for_each(|i| report(*i, ProblemKind::MissingValue, &[Advice::FillIn]));
        }
        if missing.is_empty() && !self.targets.is_empty() {
            row.outputs = self.outputs(fields, |i, kind| report(i, kind, &[]));
        }
        row
    }

    /// The outputs of a row whose targets are all there, unless something is wrong with them.
    fn outputs(&self, fields: &StringRecord, mut report: impl FnMut(usize, ProblemKind)) -> Option<Vec<f64>> {
        if let Some(classes) = self.classes {
            let i = *self.targets.first()?;
            let text = fields[i].trim();
            let Some(class) = classes.iter().position(|c| c == text) else {
                report(i, ProblemKind::UnknownClass { class: text.into(), known: classes.to_vec() });
                return None;
            };
            return Some((0..classes.len()).map(|c| f64::from(u8::from(c == class))).collect());
        }
        let mut values = Vec::with_capacity(self.targets.len());
        for i in &self.targets {
            let text = fields[*i].trim();
            match read_field(text) {
                Field::Number(v) => match check_number(v, text) {
                    Ok(()) => values.push(v),
                    Err(kind) => report(*i, kind),
                },
                _ => report(*i, ProblemKind::NotANumber { text: text.into() }),
            }
        }
        (values.len() == self.targets.len()).then_some(values)
    }
}
