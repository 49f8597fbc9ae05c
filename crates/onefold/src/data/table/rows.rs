//! Later rows, encoded one by one like those of training.

use super::lines::Lines;
use super::schema::{Encoded, InputColumn, TableColumn, TableSchema};
use super::{Field, Missing, check_number, is_missing, list_of, read_field};
use crate::Error;
use crate::data::Dataset;
use crate::error::check_size;
use std::io::Read;

/// The rows of a table, read one by one and encoded as a schema says.
pub struct TableRows<'a, R> {
    name: String,
    lines: Lines<R>,
    schema: &'a TableSchema,
    classes: Option<&'a [String]>,
    /// Indices of columns.
    inputs: Vec<usize>,
    targets: Vec<usize>,
    ids: Vec<usize>,
    names: Vec<String>,
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
    /// A column with a word that the training rows did not have, and the word.
    pub unknown: Option<(String, String)>,
}

/// What to read of a table besides inputs, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowSettings {
    /// As in [`TableSettings`](super::TableSettings).
    pub delimiter: Option<char>,
    /// As in [`TableSettings`](super::TableSettings).
    pub header: Option<bool>,
    /// Columns that identify rows, by name or by number from 1. Default those of the schema that the table has.
    pub ids: Vec<String>,
    /// Whether the targets are read, too. Default false.
    pub targets: bool,
}

impl<'a, R: Read> TableRows<'a, R> {
    /// Finds the columns of a schema in a table: by name where both have a first line of names, otherwise by number. `classes` are those
    /// of the model, for a classification; `name` stands for the table in messages.
    ///
    /// # Errors
    /// Says what is wrong with the table, or which column it does not have.
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
        let mut rows = Self {
            name: name.into(),
            names: lines.names(),
            lines,
            schema,
            classes,
            inputs: Vec::new(),
            targets: Vec::new(),
            ids: Vec::new(),
        };
        if schema.header && rows.lines.header.is_some() {
            rows.match_names(settings)?;
        } else {
            rows.match_numbers(settings)?;
        }
        for text in &settings.ids {
            let by_name = rows.names.iter().position(|n| n == text);
            let number = || text.parse::<usize>().ok().filter(|n| (1..=rows.names.len()).contains(n));
            let found = by_name.or_else(|| number().map(|n| n - 1)).ok_or_else(|| {
                let expected = format!("{name} has the columns {}", rows.columns());
                Error::setting("id_column", format!("\"{text}\""), expected)
            })?;
            rows.ids.push(found);
        }
        Ok(rows)
    }

    fn columns(&self) -> String {
        list_of(self.names.iter().map(String::as_str))
    }

    fn match_names(&mut self, settings: &RowSettings) -> Result<(), Error> {
        let find = |what: &str, wanted: &str| {
            let mut found = self.names.iter().enumerate().filter(|(_, n)| *n == wanted).map(|(i, _)| i);
            let wrong = |reason: String| Error::Data(format!("{}: {reason}", self.name));
            match (found.next(), found.next()) {
                (Some(i), None) => Ok(i),
                (Some(_), Some(_)) => Err(wrong(format!("two columns are named {wanted}; rename one"))),
                (None, _) => Err(wrong(format!(
                    "there is no column {wanted}, {what}; it has the columns {}",
                    self.columns()
                ))),
            }
        };
        let input = |c: &InputColumn| find("which the model needs", &c.name);
        let target = |c: &TableColumn| find("the model's target", &c.name);
        let inputs: Vec<usize> = self.schema.inputs.iter().map(input).collect::<Result<_, _>>()?;
        let targets: &[TableColumn] = if settings.targets { &self.schema.targets } else { &[] };
        let targets: Vec<usize> = targets.iter().map(target).collect::<Result<_, _>>()?;
        if settings.ids.is_empty() {
            let ids = self.schema.ids.iter().filter_map(|c| self.names.iter().position(|n| *n == c.name));
            self.ids = ids.collect();
        }
        (self.inputs, self.targets) = (inputs, targets);
        Ok(())
    }

    /// By number: in a table like that of training, one without the targets, or one with nothing but the inputs.
    fn match_numbers(&mut self, settings: &RowSettings) -> Result<(), Error> {
        let (width, schema) = (self.lines.width(), self.schema);
        let without = schema.columns - schema.targets.len();
        if width == schema.columns {
            self.inputs = schema.inputs.iter().map(|c| c.number - 1).collect();
            if settings.targets {
                self.targets = schema.targets.iter().map(|c| c.number - 1).collect();
            }
            if settings.ids.is_empty() {
                self.ids = schema.ids.iter().map(|c| c.number - 1).collect();
            }
            return Ok(());
        }
        if settings.targets || (width != without && width != schema.inputs.len()) {
            let or =
                if settings.targets { String::new() } else { format!(", or {without} without the target") };
            return Err(Error::Data(format!(
                "{}: it has {width} column{}, and without names the model needs the {} it was trained on{or}; is the delimiter right?",
                self.name,
                if width == 1 { "" } else { "s" },
                schema.columns
            )));
        }
        if width == without {
            let before = |n: usize| schema.targets.iter().filter(|t| t.number < n).count();
            self.inputs = schema.inputs.iter().map(|c| c.number - 1 - before(c.number)).collect();
        } else {
            self.inputs = (0..width).collect();
        }
        Ok(())
    }

    /// Names of the columns that identify rows.
    #[must_use]
    pub fn id_names(&self) -> Vec<String> {
        self.ids.iter().map(|i| self.names[*i].clone()).collect()
    }

    /// The next row, or none at the end.
    ///
    /// # Errors
    /// Says what is wrong, with line and column.
    pub fn next_row(&mut self) -> Result<Option<TableRow>, Error> {
        let Self { name, lines, schema, classes, inputs, targets, ids, names } = self;
        let Some((line, fields)) = lines.next_row()? else { return Ok(None) };
        let wrong = |i: usize, reason: &str| {
            Error::Data(format!("{name} line {line}, column {}: {reason}", names[i]))
        };
        let is_missing_at = |i: usize| match schema.missing {
            Missing::Refuse => Err(wrong(i, "the value is missing; fill it in")),
            _ => Ok(()),
        };
        let mut row = TableRow {
            line,
            ids: ids.iter().map(|i| fields[*i].to_string()).collect(),
            inputs: None,
            outputs: None,
            unknown: None,
        };
        let mut values = Vec::with_capacity(schema.inputs.len());
        let mut is_whole = true;
        for (column, i) in schema.inputs.iter().zip(&*inputs) {
            match column.encode(&fields[*i], &mut values).map_err(|reason| wrong(*i, &reason))? {
                Encoded::Known => {}
                Encoded::UnknownWord => row.unknown = Some((names[*i].clone(), fields[*i].trim().into())),
                Encoded::Missing => {
                    is_missing_at(*i)?;
                    is_whole = false;
                }
            }
        }
        row.inputs = is_whole.then_some(values);
        let Some(first) = targets.first() else { return Ok(Some(row)) };
        if let Some(i) = targets.iter().find(|i| is_missing(fields[**i].trim())) {
            is_missing_at(*i)?;
            return Ok(Some(row));
        }
        row.outputs = Some(if let Some(classes) = classes {
            let text = fields[*first].trim();
            let Some(class) = classes.iter().position(|c| c == text) else {
                let known = list_of(classes.iter().map(String::as_str));
                let reason = format!("the model does not know the class \"{text}\", only {known}");
                return Err(wrong(*first, &reason));
            };
            (0..classes.len()).map(|c| f64::from(u8::from(c == class))).collect()
        } else {
            let number = |i: &usize| match read_field(&fields[*i]) {
                Field::Number(v) => {
                    check_number(v, fields[*i].trim()).map(|()| v).map_err(|reason| wrong(*i, &reason))
                }
                _ => Err(wrong(*i, &format!("\"{}\" is not a number", fields[*i].trim()))),
            };
            targets.iter().map(number).collect::<Result<_, _>>()?
        });
        Ok(Some(row))
    }

    /// All rows that are whole, as a data set.
    ///
    /// # Errors
    /// As [`next_row`](Self::next_row), and if no row is whole.
    pub fn into_dataset(mut self) -> Result<Dataset, Error> {
        let (width, outputs) =
            (self.schema.width(), self.classes.map_or(self.targets.len(), <[String]>::len));
        let mut data = Dataset {
            inputs: vec![Vec::new(); width],
            outputs: vec![Vec::new(); outputs],
            input_names: self.schema.input_names(),
            output_names: match self.classes {
                Some(classes) => classes.to_vec(),
                None => self.schema.targets.iter().map(|c| c.name.clone()).collect(),
            },
            classification: self.classes.is_some(),
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
            return Err(Error::Data(format!("{}: there are no rows below the header", self.name)));
        }
        Ok(data)
    }
}
