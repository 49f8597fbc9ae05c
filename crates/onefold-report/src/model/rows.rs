//! The rows that a page is about: those of training and those held out, where the table tells them apart.

use onefold::data::{Column, Table, TableSummary};
use onefold::{Builtin, BuiltinSettings, Dataset, Error, Model, RowSettings, TableRows};
use std::io::Read;

/// Rows with targets, for a page about a model.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The name of the table.
    pub name: String,
    /// The rows, in one part or in two.
    pub parts: Vec<Part>,
    /// What the table holds, where it was read as one.
    pub table: Option<TableSummary>,
    /// What was noticed when it was read.
    pub notices: Vec<String>,
    /// Rows without a target or with missing values that the model does not take.
    pub incomplete: u64,
    /// Rows with texts that the training rows did not have.
    pub unknown: u64,
}

/// A part of the rows.
#[derive(Clone, Debug)]
pub struct Part {
    /// What the model knows of them.
    pub kind: PartKind,
    /// The rows.
    pub data: Dataset,
}

/// What a model knows of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// It was trained on them.
    Training,
    /// They were held out of its training.
    Unseen,
    /// It is not known whether it was trained on them.
    Given,
}

impl PartKind {
    /// What the rows are called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Training => "training rows",
            Self::Unseen => "unseen rows",
            Self::Given => "rows given",
        }
    }
}

impl Rows {
    /// Rows of which nothing is known.
    #[must_use]
    pub fn given(name: &str, data: Dataset) -> Self {
        Self { parts: vec![Part { kind: PartKind::Given, data }], ..Self::empty(name) }
    }

    fn empty(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    fn of_two(name: &str, train: Dataset, test: Dataset) -> Self {
        let parts = [(PartKind::Training, train), (PartKind::Unseen, test)];
        // On the page every row counts once.
        let part = |(kind, data)| Part { kind, data: Dataset { weights: None, ..data } };
        let parts = parts.into_iter().map(part);
        Self { parts: parts.filter(|part| part.data.rows() > 0).collect(), ..Self::empty(name) }
    }

    /// The rows of a built-in set: the training and the test rows where the model was trained on it, else
    /// all.
    ///
    /// # Errors
    /// If it cannot be loaded with these settings.
    pub fn of_builtin(model: &Model, builtin: Builtin, settings: &BuiltinSettings) -> Result<Self, Error> {
        let data = builtin.load(settings)?;
        if model.builtin() == Some(builtin) && is_score(model, &data.train) {
            return Ok(Self::of_two(builtin.name(), data.train, data.test));
        }
        Ok(Self::given(builtin.name(), builtin.rows(settings)?))
    }

    /// The rows of a table, which `open` opens, once or twice: if it is the one that the model was trained
    /// on, divided as then.
    ///
    /// # Errors
    /// Says what is wrong with the table, with lines and columns.
    pub fn read<R: Read>(
        model: &Model,
        name: &str,
        settings: &RowSettings,
        mut open: impl FnMut() -> Result<R, Error>,
    ) -> Result<Self, Error> {
        let read = read_as_trained(model, name, settings, open()?);
        let (table, found) = read.map_or((None, None), |(table, found)| (Some(table), found));
        let mut rows = match found {
            Some(rows) => rows,
            None => Self::read_encoded(model, name, settings, open()?)?,
        };
        if let Some(table) = table {
            rows.notices = table.notices().iter().map(ToString::to_string).collect();
            rows.table = Some(table.summary());
        }
        Ok(rows)
    }

    /// The rows of a table that the model need not know.
    fn read_encoded(
        model: &Model,
        name: &str,
        settings: &RowSettings,
        source: impl Read,
    ) -> Result<Self, Error> {
        let schema = model.schema();
        let settings = RowSettings { targets: true, ..settings.clone() };
        let mut table = TableRows::open(name, &schema, model.classes(), &settings, source)?;
        let mut rows = Self::empty(name);
        let mut data = Dataset {
            inputs: vec![Column::default(); model.topology().inputs()],
            outputs: vec![Vec::new(); model.topology().outputs()],
            input_names: model.input_names().to_vec(),
            output_names: model.output_names().to_vec(),
            classification: model.is_classification(),
            // On the page every row counts once.
            weights: None,
        };
        while let Some(row) = table.next_row()? {
            rows.unknown += u64::from(!row.unknown.is_empty());
            let (Some(inputs), Some(outputs)) = (row.inputs, row.outputs) else {
                rows.incomplete += 1;
                continue;
            };
            data.inputs.iter_mut().zip(inputs).for_each(|(column, v)| column.push(v));
            data.outputs.iter_mut().zip(outputs).for_each(|(column, v)| column.push(v));
        }
        rows.parts = vec![Part { kind: PartKind::Given, data }];
        Ok(rows)
    }
}

/// The table, read as the one of training was, and its rows if it is that table. One that cannot be read like
/// this is another.
fn read_as_trained(
    model: &Model,
    name: &str,
    settings: &RowSettings,
    source: impl Read,
) -> Option<(Table, Option<Rows>)> {
    let origin = model.origin();
    let mut reading = origin.table_settings.clone()?;
    reading.delimiter = settings.delimiter.or(reading.delimiter);
    reading.header = settings.header.or(reading.header);
    let table = Table::from_reader(name, &reading, source).ok()?;
    let split = origin.partition.as_ref().and_then(|split| table.clone().split(split).ok());
    let rows = split.and_then(|data| {
        let is_same =
            data.table.as_deref().map(|t| &t.schema) == model.table() && is_score(model, &data.train);
        is_same.then(|| Rows::of_two(name, data.train, data.test))
    });
    Some((table, rows))
}

/// Whether the error on these rows is the one that the model file has for its training rows. Other rows do
/// not have all of its digits.
fn is_score(model: &Model, train: &Dataset) -> bool {
    let is_score = |expected: f64| {
        model.score(train).is_some_and(|(mse, _)| (mse - expected).abs() <= 1e-9 * expected.abs())
    };
    model.metrics().train_mse.is_some_and(is_score)
}
