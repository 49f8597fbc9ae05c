//! Where the columns of a model stand in another table.

use super::field::{Field, is_missing_number, read_field};
use super::header::{Cell, Verdict, detect};
use super::schema::{InputKind, TableColumn, TableSchema};
use crate::error::{Advice, Error, ProblemKind, TableError, TableProblem, list};

/// Indices of the columns in a table that a schema needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Places {
    pub(super) inputs: Vec<usize>,
    pub(super) targets: Vec<usize>,
    pub(super) ids: Vec<usize>,
    /// Where the targets are, that of the weights too, if the table has them.
    pub(super) weight: Option<usize>,
}

impl Places {
    /// By name, in any order.
    pub(super) fn by_name(
        table: &str,
        schema: &TableSchema,
        with_targets: bool,
        names: &[String],
    ) -> Result<Self, Error> {
        let mut problems = TableError::new(table);
        let mut find = |wanted: Vec<&String>, are_targets: bool| {
            let (mut places, mut missing) = (Vec::new(), Vec::new());
            for name in wanted {
                let mut found = names.iter().enumerate().filter(|(_, n)| *n == name).map(|(i, _)| i);
                match (found.next(), found.next()) {
                    (Some(i), None) => places.push(i),
                    (Some(_), Some(_)) => problems.add(None, || TableProblem {
                        line: None,
                        column: Some(name.clone()),
                        kind: ProblemKind::DuplicateName,
                        also: 0,
                        advice: &[Advice::Rename],
                    }),
                    (None, _) => missing.push(name.clone()),
                }
            }
            if !missing.is_empty() {
                let kind =
                    ProblemKind::MissingColumns { names: missing, are_targets, columns: names.to_vec() };
                problems.add(None, || TableProblem { line: None, column: None, kind, also: 0, advice: &[] });
            }
            places
        };
        let inputs = find(schema.inputs.iter().map(|c| &c.name).collect(), false);
        let targets: &[TableColumn] = if with_targets { &schema.targets } else { &[] };
        let targets = find(targets.iter().map(|c| &c.name).collect(), true);
        problems.check()?;
        let ids = schema.ids.iter().filter_map(|c| names.iter().position(|n| *n == c.name)).collect();
        let weight = schema.weight.as_ref().filter(|_| with_targets);
        let weight = weight.and_then(|c| names.iter().position(|n| *n == c.name));
        Ok(Self { inputs, targets, ids, weight })
    }

    /// By number: in a table like that of training, one without the targets, or one with nothing but the
    /// inputs.
    pub(super) fn by_number(
        table: &str,
        schema: &TableSchema,
        with_targets: bool,
        width: usize,
    ) -> Result<Self, Error> {
        Self::of_width(schema, with_targets, width).ok_or_else(|| {
            let without_targets = (!with_targets).then_some(schema.columns - schema.targets.len());
            let kind = ProblemKind::ColumnCount { found: width, expected: schema.columns, without_targets };
            TableError::of(table, kind, &[Advice::Delimiter])
        })
    }

    /// The places in a table of so many columns, if it can be one of the schema's.
    fn of_width(schema: &TableSchema, with_targets: bool, width: usize) -> Option<Self> {
        let indices = |columns: &[TableColumn]| columns.iter().map(|c| c.number - 1).collect();
        if width == schema.columns {
            return Some(Self {
                inputs: schema.inputs.iter().map(|c| c.number - 1).collect(),
                targets: if with_targets { indices(&schema.targets) } else { Vec::new() },
                ids: indices(&schema.ids),
                weight: schema.weight.as_ref().filter(|_| with_targets).map(|c| c.number - 1),
            });
        }
        if with_targets {
            return None;
        }
        if width == schema.columns - schema.targets.len() {
            let before = |n: usize| schema.targets.iter().filter(|t| t.number < n).count();
            let place = |number: usize| number - 1 - before(number);
            let is_target = |c: &TableColumn| schema.targets.iter().any(|t| t.number == c.number);
            let ids = schema.ids.iter().filter(|c| !is_target(c)).map(|c| place(c.number)).collect();
            let inputs = schema.inputs.iter().map(|c| place(c.number)).collect();
            return Some(Self { inputs, ids, ..Self::default() });
        }
        (width == schema.inputs.len()).then(|| Self { inputs: (0..width).collect(), ..Self::default() })
    }
}

/// Columns by name or by number from 1, as a setting names them.
pub(super) fn find_columns(
    setting: &'static str,
    table: &str,
    texts: &[String],
    names: &[String],
) -> Result<Vec<usize>, Error> {
    let find = |text: &String| {
        let by_name = names.iter().position(|n| n == text);
        let number = || text.parse::<usize>().ok().filter(|n| (1..=names.len()).contains(n));
        by_name
            .or_else(|| number().map(|n| n - 1))
            .ok_or_else(|| Error::setting(setting, format!("\"{text}\""), no_column(table, names)))
    };
    texts.iter().map(find).collect()
}

/// What is expected of the name of a column.
pub(super) fn no_column(table: &str, names: &[impl AsRef<str>]) -> String {
    format!("there is no such column; {table} has the columns {}", list(names))
}

/// What is known about the columns of a table before it is read.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) schema: &'a TableSchema,
    pub(super) classes: Option<&'a [String]>,
    pub(super) with_targets: bool,
}

/// How the fields of a first line fit the columns that are known.
#[derive(Default)]
struct Fit {
    /// A number in a column of numbers.
    numbers: usize,
    /// A category of its column.
    categories: usize,
    /// A word in a column of numbers.
    words_for_numbers: usize,
    /// A text that its column did not have in training.
    unknown: usize,
}

impl Known<'_> {
    /// Whether the first line of a table for the model holds names: where it has the model's names, or words
    /// in columns of numbers and nothing like a row of training. Words alone are a row, as nothing else tells
    /// them from names.
    pub(super) fn is_header(self, first: &[Cell], rows: &[Vec<Cell>]) -> Verdict {
        if self.schema.header && self.has_names(first) {
            return Verdict::NAMES;
        }
        let Some(places) = Places::of_width(self.schema, self.with_targets, first.len()) else {
            // It is refused in any case, and the message is about names if there are any.
            return detect(first, rows);
        };
        let fit = self.fit(first, &places);
        let is_like_training = fit.categories + fit.numbers > 0;
        if fit.words_for_numbers > 0 && !is_like_training {
            return Verdict::NAMES;
        }
        let is_doubtful = match fit {
            Fit { categories: 1.., .. } => false,
            Fit { numbers: 0, unknown, .. } => unknown > 0,
            _ => detect(first, rows) != Verdict::ROW,
        };
        if is_doubtful { Verdict::ROW.in_doubt() } else { Verdict::ROW }
    }

    /// Whether a line has all names of the model's inputs, or one that cannot be a value.
    fn has_names(self, first: &[Cell]) -> bool {
        let schema = self.schema;
        let has = |name: &String| first.iter().any(|cell| cell.text == *name);
        let is_value = |name: &String| {
            matches!(read_field(name), Field::Number(_))
                || schema.inputs.iter().any(|c| c.kind.place(name).is_some())
                || self.classes.is_some_and(|classes| classes.contains(name))
        };
        let inputs = || schema.inputs.iter().map(|c| &c.name);
        let targets = schema.targets.iter().filter(|_| self.with_targets).map(|c| &c.name);
        inputs().all(has) || inputs().chain(targets).any(|name| has(name) && !is_value(name))
    }

    fn fit(self, first: &[Cell], places: &Places) -> Fit {
        let mut fit = Fit::default();
        let number = |fit: &mut Fit, text: &str| match read_field(text) {
            Field::Number(_) | Field::Disguised => fit.numbers += 1,
            Field::Word => fit.words_for_numbers += 1,
            Field::Mark | Field::Missing => {}
        };
        let category = |fit: &mut Fit, is_known: bool, text: &str| {
            if is_known {
                fit.categories += 1;
            } else if !is_missing_number(text) {
                fit.unknown += 1;
            }
        };
        for (column, i) in self.schema.inputs.iter().zip(&places.inputs) {
            let text = first[*i].text.as_str();
            match &column.kind {
                kind @ InputKind::Date { .. } if kind.number(text).is_ok() => fit.numbers += 1,
                InputKind::Number { .. } | InputKind::Date { .. } => number(&mut fit, text),
                kind => category(&mut fit, kind.place(text).is_some(), text),
            }
        }
        for i in &places.targets {
            let text = first[*i].text.as_str();
            match self.classes {
                None => number(&mut fit, text),
                Some(classes) => category(&mut fit, classes.iter().any(|c| c == text), text),
            }
        }
        fit
    }
}
