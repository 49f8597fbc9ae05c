//! How the columns of a table become the inputs of a network: one description that every format writes out.

use super::identifiers::identifiers;
use crate::data::{DateOrder, DatePart, InputKind, TableSchema};

/// The columns that become inputs, in the order of their inputs.
pub(super) struct Encoding {
    pub(super) columns: Vec<Column>,
}

/// A column of the table.
pub(super) struct Column {
    /// Its name in the table.
    pub(super) name: String,
    /// The same as an identifier, unlike those of all other columns.
    pub(super) field: String,
    /// Place of its first input.
    pub(super) first: usize,
    /// Number of its inputs, without that for missing values.
    pub(super) width: usize,
    /// The inputs where its value is missing; none where a row without it has no answer.
    pub(super) missing: Option<Vec<f64>>,
    /// Whether it has one more input, 1 where its value is missing and 0 elsewhere.
    pub(super) indicator: bool,
    pub(super) kind: Kind,
}

/// How a value that is not missing becomes inputs.
pub(super) enum Kind {
    /// A number is one input.
    Number,
    Words(Words),
    Date(Date),
}

/// Texts that were in the training rows, and all others.
pub(super) struct Words {
    /// In ascending order of their bytes; of a boolean column what stands for 0 and for 1.
    pub(super) known: Vec<String>,
    /// One input for each word, 1 where it stands and 0 elsewhere; otherwise one input, the place of the
    /// word from 0.
    pub(super) one_hot: bool,
    /// Whether upper and lower case letters are the same.
    pub(super) ignores_case: bool,
    /// The inputs of any other text.
    pub(super) unknown: Vec<f64>,
}

/// Dates and times: days after the origin, and the sine and cosine of the parts that come again.
pub(super) struct Date {
    /// In seconds after 1 January 1970.
    pub(super) origin: f64,
    /// Whether these are times of day without a date.
    pub(super) clock: bool,
    /// Whether `03/04/2021` is 4 March.
    pub(super) month_first: bool,
    pub(super) parts: Vec<DatePart>,
}

impl Encoding {
    pub(super) fn new(schema: &TableSchema) -> Self {
        let fields = identifiers(schema.inputs.iter().map(|c| (c.name.as_str(), c.number)));
        let mut first = 0;
        let columns = schema.inputs.iter().zip(fields).map(|(column, field)| {
            let described = Column {
                name: column.name.clone(),
                field,
                first,
                width: column.kind.width(),
                missing: column.filling(schema.missing),
                indicator: column.indicator,
                kind: Kind::new(&column.kind),
            };
            first += column.width();
            described
        });
        Self { columns: columns.collect() }
    }

    /// Whether there are columns of words or of dates.
    pub(super) fn has_text(&self) -> bool {
        self.has(|kind| !matches!(kind, Kind::Number))
    }

    pub(super) fn has_words(&self) -> bool {
        self.has(|kind| matches!(kind, Kind::Words(_)))
    }

    pub(super) fn has_numbers(&self) -> bool {
        self.has(|kind| matches!(kind, Kind::Number))
    }

    pub(super) fn has_dates(&self) -> bool {
        self.has(|kind| matches!(kind, Kind::Date(_)))
    }

    fn has(&self, is_it: impl Fn(&Kind) -> bool) -> bool {
        self.columns.iter().any(|column| is_it(&column.kind))
    }

    /// Names of the columns, as the table has them.
    pub(super) fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }
}

impl Column {
    pub(super) fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Number)
    }

    /// One line on its values, for documentation in the file.
    pub(super) fn what(&self) -> &'static str {
        match &self.kind {
            Kind::Number => "number",
            Kind::Words(words) if words.ignores_case => "yes or no",
            Kind::Words(_) => "text",
            Kind::Date(date) if date.clock => "time of day",
            Kind::Date(_) => "date",
        }
    }
}

impl Kind {
    fn new(kind: &InputKind) -> Self {
        let words = |words: Vec<String>, one_hot, ignores_case| {
            let unknown = kind.average().unwrap_or_default();
            Self::Words(Words { known: words, one_hot, ignores_case, unknown })
        };
        match kind {
            InputKind::Number { .. } => Self::Number,
            InputKind::OneHot { categories, .. } => words(categories.clone(), true, false),
            InputKind::Ordinal { categories, .. } => words(categories.clone(), false, false),
            InputKind::Boolean { yes, no, .. } => words(vec![no.clone(), yes.clone()], false, true),
            InputKind::Date { origin, clock, order, parts, .. } => Self::Date(Date {
                origin: *origin,
                clock: *clock,
                month_first: *order == DateOrder::MonthFirst,
                parts: parts.clone(),
            }),
        }
    }
}
