//! Later rows, encoded one by one like those of training.

use super::Missing;
use super::columns::differs;
use super::field::{Field, is_missing, is_missing_number, read_field};
use super::header::Cell;
use super::lines::{Lines, Next};
use super::matching::{Known, Places, find_columns};
use super::notice::TableNotice;
use super::records::Fields;
use super::schema::{Encoded, TableSchema, number};
use crate::error::{Advice, Error, ProblemKind, TableError, TableProblem};
use std::io::Read;

/// The rows of a table, read one by one and encoded as a schema says.
pub struct TableRows<'a, R: Read> {
    pub(super) name: String,
    pub(super) lines: Lines<R>,
    pub(super) encoder: Encoder<'a>,
    /// The first line has names that the schema does not know.
    has_other_names: bool,
}

/// Encodes rows.
pub(super) struct Encoder<'a> {
    pub(super) schema: &'a TableSchema,
    pub(super) classes: Option<&'a [String]>,
    pub(super) places: Places,
    names: Vec<String>,
    /// What messages call the columns.
    labels: Vec<String>,
    /// Line of a first row that could be names.
    doubtful_row: Option<u64>,
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
    /// Its weight, where there is a column of weights; otherwise 1.
    pub weight: f64,
    /// Columns without a value that no training row lacks, filled in like those that some lack.
    pub filled: Vec<String>,
    /// Columns with a text that the training rows did not have, and the text. The mean of the training rows
    /// stands for it.
    pub unknown: Vec<(String, String)>,
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
    /// Whether the targets are read, too, and the weights where the table has them. Default false.
    pub targets: bool,
    /// The column of weights, by name or by number from 1. Default that of the schema, if it has one that the
    /// table has.
    pub weight_column: Option<String>,
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
        let is_header = |first: &[Cell], rows: &[Vec<Cell>]| {
            let known = Known { schema, classes, with_targets: settings.targets };
            known.is_header(first, rows)
        };
        let lines = Lines::open(name, settings.delimiter, settings.header, is_header, source)?;
        let names = lines.names();
        let is_named = schema.header && lines.header().is_some();
        let mut places = if is_named {
            Places::by_name(name, schema, settings.targets, &names)?
        } else {
            Places::by_number(name, schema, settings.targets, names.len())?
        };
        if !settings.id_column.is_empty() {
            places.ids = find_columns("id_column", name, &settings.id_column, &names)?;
        }
        if let Some(column) = &settings.weight_column {
            let found = find_columns("weight_column", name, std::slice::from_ref(column), &names)?;
            places.weight = found.first().copied();
        }
        let encoder = Encoder {
            schema,
            classes,
            places,
            names,
            labels: (0..lines.width()).map(|i| lines.layout.label(i)).collect(),
            doubtful_row: lines.doubtful_row,
        };
        let has_other_names = lines.header().is_some() && !schema.header && settings.header.is_none();
        Ok(Self { name: name.into(), lines, encoder, has_other_names })
    }

    /// What was assumed about the table so far.
    #[must_use]
    pub fn notices(&self) -> Vec<TableNotice> {
        let mut notices = self.lines.notices();
        if let Some(fields) = self.lines.header().cloned().filter(|_| self.has_other_names) {
            notices.retain(|notice| !matches!(notice, TableNotice::TakenForNames { .. }));
            notices.insert(0, TableNotice::NamesNotUsed { fields });
        }
        notices
    }

    /// Name of the column of weights that is read, if one is.
    #[must_use]
    pub fn weight_name(&self) -> Option<&str> {
        self.encoder.places.weight.map(|i| self.encoder.names[i].as_str())
    }

    /// Names of the columns that identify rows.
    #[must_use]
    pub fn id_names(&self) -> Vec<String> {
        self.encoder.places.ids.iter().map(|i| self.encoder.names[*i].clone()).collect()
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
}

impl Encoder<'_> {
    /// A row; what is wrong with it is reported.
    pub(super) fn encode(&self, line: u64, fields: Fields<'_>, problems: &mut TableError) -> TableRow {
        let mut report = |i: usize, kind: ProblemKind, advice: &'static [Advice]| {
            let column = Some(self.labels[i].clone());
            problems.add(Some(line), || TableProblem { line: Some(line), column, kind, also: 0, advice });
        };
        let refuses_missing = self.schema.missing == Missing::Refuse;
        let mut row = TableRow {
            line,
            ids: self.places.ids.iter().map(|i| fields.get(*i).to_string()).collect(),
            inputs: None,
            outputs: None,
            weight: 1.0,
            filled: Vec::new(),
            unknown: Vec::new(),
        };
        let advice_on = |kind: &ProblemKind| -> &'static [Advice] {
            let could_be_name =
                self.doubtful_row == Some(line) && matches!(kind, ProblemKind::NotANumber { .. });
            if could_be_name { &[Advice::Names, Advice::Correct] } else { &[] }
        };
        let mut values = Vec::with_capacity(self.schema.inputs.len());
        let mut is_whole = true;
        for (column, i) in self.schema.inputs.iter().zip(&self.places.inputs) {
            match column.encode(fields.get(*i), self.schema.missing, &mut values) {
                Ok(Encoded::Known) => {}
                Ok(Encoded::Filled) => row.filled.push(self.names[*i].clone()),
                Ok(Encoded::UnknownCategory) => {
                    row.unknown.push((self.names[*i].clone(), fields.get(*i).trim().into()));
                }
                Ok(Encoded::Missing) => {
                    is_whole = false;
                    if refuses_missing {
                        report(*i, ProblemKind::MissingValue, &[Advice::FillIn]);
                    }
                }
                Err(kind) => {
                    let advice = advice_on(&kind);
                    report(*i, kind, advice);
                }
            }
        }
        row.inputs = is_whole.then_some(values);
        if let Some(i) = self.places.weight {
            match self.weight(fields.get(i).trim()) {
                Ok(weight) => row.weight = weight,
                Err(ProblemKind::MissingWeight) => report(i, ProblemKind::MissingWeight, &[Advice::FillIn]),
                Err(kind) => report(i, kind, &[Advice::Correct]),
            }
        }
        let is_empty = if self.classes.is_some() { is_missing } else { is_missing_number };
        let missing = self.places.targets.iter().filter(|i| is_empty(fields.get(**i).trim()));
        let missing: Vec<usize> = missing.copied().collect();
        if refuses_missing {
            missing.iter().for_each(|i| report(*i, ProblemKind::MissingValue, &[Advice::FillIn]));
        }
        if missing.is_empty() && !self.places.targets.is_empty() {
            row.outputs = self.outputs(fields, |i, kind| {
                let advice = advice_on(&kind);
                report(i, kind, advice);
            });
        }
        row
    }

    fn weight(&self, text: &str) -> Result<f64, ProblemKind> {
        if is_missing_number(text) {
            return Err(ProblemKind::MissingWeight);
        }
        let notation = self.schema.weight.as_ref().and_then(|column| column.notation.as_ref());
        match number(text, notation)? {
            v if v < 0.0 => Err(ProblemKind::NegativeWeight { text: text.into() }),
            v => Ok(v),
        }
    }

    /// The outputs of a row whose targets are all there, unless something is wrong with them.
    fn outputs(&self, fields: Fields<'_>, mut report: impl FnMut(usize, ProblemKind)) -> Option<Vec<f64>> {
        if let Some(classes) = self.classes {
            let i = *self.places.targets.first()?;
            let text = fields.get(i).trim();
            let Some(class) = class_of(classes, text) else {
                report(i, ProblemKind::UnknownClass { class: text.into(), known: classes.to_vec() });
                return None;
            };
            return Some((0..classes.len()).map(|c| f64::from(u8::from(c == class))).collect());
        }
        let mut values = Vec::with_capacity(self.places.targets.len());
        for (i, column) in self.places.targets.iter().zip(&self.schema.targets) {
            match number(fields.get(*i).trim(), column.notation.as_ref()) {
                Ok(v) => values.push(v),
                Err(kind) => report(*i, kind),
            }
        }
        (values.len() == self.places.targets.len()).then_some(values)
    }
}

/// The place of a class: by its text, or where both are numbers, by its number.
fn class_of(classes: &[String], text: &str) -> Option<usize> {
    let number = |text: &str| match read_field(text) {
        Field::Number(v) => Some(v),
        _ => None,
    };
    let by_number = || {
        let wanted = number(text)?;
        classes.iter().position(|class| number(class).is_some_and(|v| !differs(v, wanted)))
    };
    classes.iter().position(|class| class == text).or_else(by_number)
}
