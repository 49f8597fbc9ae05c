//! The data of a run, and its description in the report.

use crate::args::FitArgs;
use crate::failure::{Failure, noticed, print_notices};
use crate::output::{grouped, short};
use crate::row_notes::Notes;
use crate::source::{Rows, Source, watched};
use console::style;
use onefold::data::{
    ColumnSummary, Contents, InputKind, Missing, Role, TableSchema, TableSource, TableSummary, Task,
};
use onefold::error::shown;
use onefold::{Builtin, Dataset, Split, Table, TrainTest};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The data of a run.
pub(super) struct Input {
    pub(super) source: Source,
    /// The name of the data in the model file.
    pub(super) name: String,
    pub(super) data: TrainTest,
    /// The whole table, for cross-validation.
    pub(super) table: Option<Table>,
    /// Seed of a random split or of the folds.
    pub(super) seed: u64,
    summary: Option<TableSummary>,
    /// What was assumed about the table and the test file.
    notes: Vec<String>,
    /// Number of training rows that became one with others.
    merged: usize,
}

impl Input {
    pub(super) fn load(args: &FitArgs) -> Result<Self, Failure> {
        let source = Source::find(&args.data)?;
        let name = source.name();
        let given = args.table.overrides(&args.input);
        let seed = given.split_seed();
        if let Source::Builtin(builtin) = source {
            let data = builtin.load(&given.for_builtin(builtin)?)?;
            let (notes, merged) = (Vec::new(), 0);
            return Ok(Self { source, name, data, table: None, seed, summary: None, notes, merged });
        }
        let settings = given.for_table()?;
        let split = given.split_of_table(given.random_split())?;
        let table = source.table(&settings, args.threads.unwrap_or(0))?;
        let summary = Some(table.summary());
        let mut notes: Vec<String> = table.notices().iter().map(noticed).collect();
        if args.json {
            print_notices(&source.shown(), table.notices());
        }
        let whole = args.table.folds.map(|_| table.clone());
        let used = table.rows();
        let mut data = table.split(&split)?;
        let merged = used.saturating_sub(data.train.rows() + data.test.rows());
        if let (Some(path), Some(made)) = (&args.table.test, &data.table) {
            let (rows, more) = test_file(&path.display().to_string(), args, &made.schema, &data.train)
                .map_err(|e| e.of_flag("--test"))?;
            data.test = rows;
            notes.extend(more);
        }
        Ok(Self { source, name, data, table: whole, seed, summary, notes, merged })
    }

    pub(super) fn builtin(&self) -> Option<Builtin> {
        match self.source {
            Source::Builtin(builtin) => Some(builtin),
            _ => None,
        }
    }

    /// The first lines of a report.
    pub(super) fn describe(&self) -> String {
        let (train, test) = (self.data.train.rows(), self.data.test.rows());
        let Some(summary) = &self.summary else {
            let description = self.builtin().map_or("", Builtin::description);
            let title = style(&self.name).bold();
            return format!("{title}  {description}\n  data      {train} training and {test} test rows\n");
        };
        let mut text = title(&self.name, summary);
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "  {name:<9} {}", shown(&value));
        };
        let source = self.data.table.as_deref();
        let constant = source.map_or(&[][..], |s| &s.constant);
        let with = |role: Role| summary.columns.iter().filter(move |c| c.role == role);
        let kinds = source.map(|s| kinds_of(&s.schema)).unwrap_or_default();
        for heading in HEADINGS {
            let inputs = with(Role::Input).filter(|c| !constant.contains(&c.name));
            let found: Vec<_> = inputs.filter(|c| kinds.get(&c.name) == Some(&heading)).collect();
            if !found.is_empty() {
                line(heading, names(&found, heading != HEADINGS[2]));
            }
        }
        for target in with(Role::Target) {
            line("target", format!("{}: {}", target.name, target_contents(target, summary)));
        }
        if let Some(hint) = hint(summary).filter(|_| source.is_some_and(|s| s.settings.task.is_none())) {
            line("", hint);
        }
        let ignored: Vec<_> = with(Role::Id).chain(with(Role::Ignored)).collect();
        if !ignored.is_empty() {
            line("ignored", names(&ignored, true));
        }
        if !constant.is_empty() {
            let names = constant.join(", ");
            line("constant", format!("{names}: ignored, as all training rows have the same value"));
        }
        for column in source.map_or(&[][..], |s| &s.schema.inputs) {
            if let InputKind::OneHot { categories, other: Some(_), .. } = &column.kind {
                let (name, kept) = (&column.name, categories.len());
                line("note", format!("column {name}: the {kept} most frequent texts, and all others as one"));
            }
        }
        if let Some(filled) = source.and_then(|s| filled(summary, s)) {
            line("missing", filled);
        }
        for column in with(Role::Weight) {
            let zero = match summary.weightless {
                0 => String::new(),
                n => format!("; {} with weight 0 left out", rows_of(n)),
            };
            line("weights", format!("{}{zero}", column.name));
        }
        if let Some(weights) = source.and_then(|s| s.settings.class_weight.as_ref()) {
            line("weights", format!("of classes: {weights}"));
        }
        let used = summary.used + summary.weightless;
        if used < summary.rows {
            let dropped = grouped((summary.rows - used) as u64);
            line("missing", format!("{dropped} rows with missing values dropped (--missing)"));
        }
        for note in &self.notes {
            line("note", note.clone());
        }
        let how = source.map_or(String::new(), |source| how_split(source, summary.task));
        line("rows", format!("{} to train, {} to test{how}", grouped(train as u64), grouped(test as u64)));
        if self.merged > 0 {
            line(
                "merged",
                format!("{} that are the same as others (--merge-duplicates)", rows_of(self.merged)),
            );
        }
        text
    }
}

/// A number of rows.
fn rows_of(count: usize) -> String {
    format!("{} row{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// The rows of a separate test file, encoded like the training rows, and what was assumed about it.
fn test_file(
    path: &str,
    args: &FitArgs,
    schema: &TableSchema,
    train: &Dataset,
) -> Result<(Dataset, Vec<String>), Failure> {
    let source = if path == "-" { Source::StandardInput } else { Source::File(path.into()) };
    if source.path().is_some_and(|file| !file.exists()) {
        return Err(Failure::bad_input(format!("{path}: there is no such file")));
    }
    let classes = train.classification.then_some(&train.output_names[..]);
    let name = source.shown();
    let rows = Rows::open(&name, schema, classes, &args.table.rows(), watched(source.open()?))?;
    let notices = rows.notices();
    if args.json {
        print_notices(&name, &notices);
    }
    let mut of_rows = Notes::new(schema);
    let data = rows.into_dataset_with(|row| of_rows.count(row))?;
    if args.json {
        of_rows.print();
    }
    let messages = notices.iter().map(noticed).chain(of_rows.messages());
    Ok((data, messages.map(|message| format!("{name}: {message}")).collect()))
}

fn title(name: &str, summary: &TableSummary) -> String {
    let separated = match summary.delimiter {
        ',' => "commas".into(),
        ';' => "semicolons".into(),
        '\t' => "tabs".into(),
        '|' => "bars".into(),
        ' ' => "spaces".into(),
        other => format!("{other:?}"),
    };
    let header = if summary.header { "with a header" } else { "without a header" };
    let (rows, columns) = (grouped(summary.rows as u64), grouped(summary.columns.len() as u64));
    format!(
        "{}  {rows} rows of {columns} columns separated by {separated}, {header}\n",
        style(shown(name)).bold()
    )
}

/// The names of the first few columns, with their numbers of categories and of missing values.
fn names(columns: &[&ColumnSummary], with_categories: bool) -> String {
    const SHOWN: usize = 8;
    let one = |column: &&ColumnSummary| {
        let mut notes = Vec::new();
        match &column.contents {
            Contents::Text { different: Some(1) } if with_categories => notes.push("1 category".into()),
            Contents::Text { different: Some(n) } if with_categories => notes.push(format!("{n} categories")),
            Contents::Dates { first, last } => notes.push(format!("{first} to {last}")),
            _ => {}
        }
        if column.missing > 0 {
            notes.push(format!("{} missing", grouped(column.missing as u64)));
        }
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        format!("{}{notes}", column.name)
    };
    let more = columns.len().saturating_sub(SHOWN);
    let mut text = columns.iter().take(SHOWN).map(one).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, " and {} more", grouped(more as u64));
    }
    text
}

fn target_contents(target: &ColumnSummary, summary: &TableSummary) -> String {
    const SHOWN: usize = 8;
    if summary.task == Task::Classification {
        let classes = &summary.classes;
        let one = |(name, count): &(String, usize)| format!("{name} {}", grouped(*count as u64));
        let mut text = format!("{} classes: ", classes.len());
        text += &classes.iter().take(SHOWN).map(one).collect::<Vec<_>>().join(", ");
        if classes.len() > SHOWN {
            let _ = write!(text, " and {} more", classes.len() - SHOWN);
        }
        return text;
    }
    match target.contents {
        Contents::Numbers { low, high, .. } => format!("numbers from {} to {}", short(low), short(high)),
        _ => String::new(),
    }
}

/// How rows were divided into those that train and those that test.
fn how_split(source: &TableSource, task: Task) -> String {
    let settings = &source.settings;
    match &source.split {
        Split::All => String::new(),
        Split::Fraction { test, .. } if *test == 0.0 => String::new(),
        Split::Fraction { seed, .. } => match (&settings.group_column, &settings.split_by_time) {
            (Some(column), _) => format!(" (random by groups of {column}, split seed {seed})"),
            (None, Some(column)) => format!(" (the latest by {column})"),
            (None, None) => {
                let stratified = if task == Task::Classification { ", stratified" } else { "" };
                format!(" (random{stratified}, split seed {seed})")
            }
        },
        Split::Rule(rule) => format!(" (split {rule})"),
        Split::File(file) => format!(" from {file}"),
    }
}

/// What the lines about inputs are called, in their order.
const HEADINGS: [&str; 4] = ["numbers", "dates", "yes or no", "text"];

/// The heading of each input column.
fn kinds_of(schema: &TableSchema) -> HashMap<String, &'static str> {
    let heading = |kind: &InputKind| match kind {
        InputKind::Number { .. } => HEADINGS[0],
        InputKind::Date { .. } => HEADINGS[1],
        InputKind::Boolean { .. } => HEADINGS[2],
        InputKind::OneHot { .. } | InputKind::Ordinal { .. } => HEADINGS[3],
    };
    schema.inputs.iter().map(|column| (column.name.clone(), heading(&column.kind))).collect()
}

/// How missing values were filled in.
fn filled(summary: &TableSummary, source: &TableSource) -> Option<String> {
    let fills = |c: &ColumnSummary| match source.schema.missing {
        Missing::Indicate => true,
        Missing::Mean => !matches!(c.contents, Contents::Text { .. }),
        Missing::Refuse | Missing::Drop => false,
    };
    let is_filled = |c: &&ColumnSummary| {
        c.role == Role::Input && c.missing > 0 && !source.constant.contains(&c.name) && fills(c)
    };
    let columns = summary.columns.iter().filter(is_filled).count();
    if columns == 0 {
        return None;
    }
    let marked = source.schema.inputs.iter().filter(|column| column.indicator).count();
    let plural = if columns == 1 { "" } else { "s" };
    let how = match marked {
        0 => "means".to_string(),
        1 => "means or the most frequent text, and one more input that says where (--missing)".to_string(),
        n => format!("means or the most frequent text, and {n} more inputs that say where (--missing)"),
    };
    Some(format!("values of {columns} column{plural} filled with {how}"))
}

/// A hint where a regression may have been meant as a classification.
fn hint(summary: &TableSummary) -> Option<String> {
    let target = summary.columns.iter().find(|c| c.role == Role::Target)?;
    match target.contents {
        Contents::Numbers { different: Some(n), whole: true, .. }
            if summary.task == Task::Regression && n <= 10 && summary.used >= 5 * n =>
        {
            Some(format!(
                "only {n} different whole numbers; if these are class labels, use --task classification"
            ))
        }
        _ => None,
    }
}
