//! A table in memory, as it was read and understood.

use super::columns::Column;
use super::header;
use super::lines::Lines;
use super::notice::TableNotice;
use super::reading::read_columns;
use super::schema::TableSchema;
use super::{Decimal, TableSettings, Task};
use crate::data::{Related, Split};
use crate::error::{Error, ProblemKind, TableError};
use crate::files::DataFile;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A table that has been read and understood, and is ready to be split into training and test rows.
///
/// ```
/// use onefold::{Split, Table, TableSettings};
/// let text = "size,colour,price\n1,red,10\n2,blue,20.5\n3,red,-1e1\n";
/// let table = Table::from_reader("shop.csv", &TableSettings::default(), text.as_bytes())?;
/// let data = table.split(&Split::All)?;
/// assert_eq!(data.train.input_names, ["size", "colour=blue", "colour=red"]);
/// # Ok::<(), onefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) name: String,
    pub(super) settings: TableSettings,
    pub(super) delimiter: char,
    pub(super) header: bool,
    /// Line of the first row, where it is one only because nothing speaks for names.
    pub(super) doubtful_row: Option<u64>,
    pub(super) notices: Vec<TableNotice>,
    /// Shared, so that cross-validation needs no copy, and freed one by one when they become inputs.
    pub(super) columns: Vec<Arc<Column>>,
    /// Indices of columns.
    pub(super) inputs: Vec<usize>,
    pub(super) targets: Vec<usize>,
    pub(super) ids: Vec<usize>,
    /// Columns without name and content, as a delimiter at the end of lines makes them.
    pub(super) blank: Vec<usize>,
    /// The columns by which rows belong together.
    pub(super) group_column: Option<usize>,
    pub(super) time_column: Option<usize>,
    /// The column of weights.
    pub(super) weight_column: Option<usize>,
    /// Columns that nothing could be learnt from.
    pub(super) left_out: Vec<usize>,
    pub(super) task: Task,
    /// Classes in their order, with the codes of their texts.
    pub(super) classes: Vec<(String, usize)>,
    /// Rows of the file.
    pub(super) all_rows: usize,
    /// Those without missing values, or with such as can be filled in.
    pub(super) rows: Vec<usize>,
    /// Number of rows that are left out because their weight is zero.
    pub(super) weightless: usize,
}

/// Where training and test rows come from, when it is a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSource {
    /// How the columns became inputs and outputs.
    pub schema: TableSchema,
    /// How the file was read.
    pub settings: TableSettings,
    /// Which rows train.
    pub split: Split,
    /// Columns that were left out because all training rows have the same in them.
    pub constant: Vec<String>,
    /// How the training rows belong together, if a column says so.
    pub related: Option<Arc<Related>>,
}

/// What is known about the bytes of a table before they are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// Most threads to read with; none for one of each core.
    pub(super) threads: Option<usize>,
    /// How many there are, where that is known.
    pub(super) size: Option<u64>,
    /// What separates the fraction of a number, where that is known.
    pub(super) decimal: Option<Decimal>,
    /// So many rows are read one after the other, before threads read pieces.
    pub(super) first_rows: usize,
}

impl Default for Source {
    fn default() -> Self {
        // Then most columns of many different numbers are known to be such.
        Self { threads: None, size: None, decimal: None, first_rows: 2000 }
    }
}

impl Table {
    /// Reads a file.
    ///
    /// # Errors
    /// Says everything that is wrong, with lines and columns.
    pub fn read(path: &Path, settings: &TableSettings) -> Result<Self, Error> {
        Self::from_file(settings, DataFile::open(path)?)
    }

    /// Reads a file that has been opened.
    ///
    /// # Errors
    /// Says everything that is wrong, with lines and columns.
    pub fn from_file(settings: &TableSettings, file: DataFile) -> Result<Self, Error> {
        let (name, threads, size) = (file.name().to_string(), file.most_threads(), file.size());
        Self::from_source(&name, settings, file, Source { threads, size, ..Source::default() })
    }

    /// Reads text; `name` stands for it in messages.
    ///
    /// # Errors
    /// Says everything that is wrong, with lines and columns.
    pub fn from_reader<R: Read>(name: &str, settings: &TableSettings, source: R) -> Result<Self, Error> {
        Self::from_source(name, settings, source, Source::default())
    }

    pub(super) fn from_source<R: Read>(
        name: &str,
        settings: &TableSettings,
        source: R,
        about: Source,
    ) -> Result<Self, Error> {
        let mut problems = TableError::new(name);
        let mut lines = Lines::open(name, settings.delimiter, settings.header, header::detect, source)?;
        let decimal = if lines.is_columnar() { Some(Decimal::Point) } else { settings.decimal };
        let about = Source { decimal, ..about };
        let (columns, rows) = read_columns(&mut lines, &mut problems, about)?;
        if rows == 0 {
            problems.check()?;
            return Err(TableError::of(name, ProblemKind::NoRows, &[]));
        }
        let mut table = Self {
            name: name.into(),
            settings: settings.clone(),
            delimiter: lines.delimiter(),
            header: lines.header().is_some(),
            doubtful_row: lines.doubtful_row,
            notices: lines.notices(),
            columns: columns.into_iter().map(Arc::new).collect(),
            inputs: Vec::new(),
            targets: Vec::new(),
            ids: Vec::new(),
            blank: Vec::new(),
            group_column: None,
            time_column: None,
            weight_column: None,
            left_out: Vec::new(),
            task: Task::Regression,
            classes: Vec::new(),
            all_rows: rows,
            rows: Vec::new(),
            weightless: 0,
        };
        table.choose_roles()?;
        table.check_columns(&mut problems);
        problems.check()?;
        table.choose_rows()?;
        table.check_targets()?;
        table.notice_columns();
        table.notice_leaks();
        Ok(table)
    }

    /// What was assumed about it, and what may not be what was meant.
    #[must_use]
    pub fn notices(&self) -> &[TableNotice] {
        &self.notices
    }

    /// Rows that can be used.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// What is learnt.
    #[must_use]
    pub fn task(&self) -> Task {
        self.task
    }

    pub(super) fn wrong(&self, kind: ProblemKind) -> Error {
        TableError::of(&self.name, kind, &[])
    }
}
