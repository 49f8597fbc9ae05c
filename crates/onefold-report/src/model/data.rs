//! The columns of the table, and how each is read.

use super::Subject;
use crate::number::{counted, fixed, four};
use crate::page::{Block, Section};
use crate::table::{Cell, Table};
use onefold::data::{ColumnSummary, Contents, InputColumn, InputKind, Role};

/// Most columns that are listed at once.
const MOST_COLUMNS: usize = 40;

pub(super) fn section(subject: &Subject<'_>) -> Section {
    let mut blocks = vec![Block::Text(introduction(subject))];
    let table = columns(subject);
    let rows = table.rows.len();
    if rows > MOST_COLUMNS {
        blocks.push(Block::MoreRows(format!("All {rows} columns"), table));
    } else {
        blocks.push(Block::Table(table));
    }
    if !subject.rows.notices.is_empty() {
        blocks.push(Block::Heading("What was assumed when the table was read".into()));
        let notices = subject.rows.notices.iter().map(|notice| onefold::error::shown(notice).into_owned());
        blocks.push(Block::List(notices.collect()));
    }
    Section::new("Data", blocks)
}

fn introduction(subject: &Subject<'_>) -> String {
    let schema = subject.model.schema();
    let name = onefold::error::shown(&subject.rows.name).into_owned();
    let rows: usize = subject.answers.iter().map(super::Answers::rows).sum();
    let (columns, inputs) = (schema.inputs.len(), subject.model.topology().inputs());
    let become_ = if columns == inputs {
        format!("{} are inputs of the network as they are", counted(columns, "column"))
    } else {
        format!("{} become {} of the network", counted(columns, "column"), counted(inputs, "input"))
    };
    format!("{name}: {} with a target. {become_}.", counted(rows, "row"))
}

/// One row for each column of the table.
fn columns(subject: &Subject<'_>) -> Table {
    let schema = subject.model.schema();
    let of_table = |name: &str| {
        let table = subject.rows.table.as_ref()?;
        table.columns.iter().find(|column| column.name == name)
    };
    let has_table = subject.rows.table.is_some();
    let mut titles = vec!["column", "use", "read as", "#inputs"];
    if has_table {
        titles.extend(["from", "to", "#missing"]);
    }
    let mut table = Table::new("Columns of the table.", &titles).sortable();
    let mut add = |name: &str, role: &str, read: String, inputs: usize| {
        let inputs = if inputs > 0 { Cell::count(inputs as u64) } else { Cell::default() };
        let mut row: Vec<Cell> = vec![name.into(), role.into(), read.into(), inputs];
        if has_table {
            let found = of_table(name);
            let (from, to) = found.map_or((Cell::default(), Cell::default()), ends);
            row.extend([from, to, found.map_or_else(Cell::default, |c| Cell::count(c.missing as u64))]);
        }
        table.rows.push(row);
    };
    for column in &schema.inputs {
        add(&column.name, "input", reading(column), column.width());
    }
    for column in &schema.targets {
        let read = subject.model.classes().map_or("numbers".into(), |c| counted(c.len(), "class"));
        add(&column.name, "target", read, 0);
    }
    for column in subject.rows.table.iter().flat_map(|table| &table.columns) {
        match column.role {
            Role::Id => add(&column.name, "identifies rows", "text".into(), 0),
            Role::Weight => add(&column.name, "weight of rows", "number".into(), 0),
            Role::Ignored => add(&column.name, "not used", "text".into(), 0),
            Role::Input | Role::Target => {
                // A column that was the same in all training rows.
                let is_used = schema.inputs.iter().any(|input| input.name == column.name)
                    || schema.targets.iter().any(|target| target.name == column.name);
                if !is_used {
                    add(&column.name, "not used", "constant".into(), 0);
                }
            }
        }
    }
    table
}

/// How a column becomes inputs.
fn reading(column: &InputColumn) -> String {
    let read = match &column.kind {
        InputKind::Number { .. } => "number".to_string(),
        InputKind::OneHot { categories, other, .. } => {
            let other = if other.is_some() { " and others" } else { "" };
            format!("{}{other}, one input each", counted(categories.len(), "word"))
        }
        InputKind::Ordinal { categories, .. } => format!("place among {}", counted(categories.len(), "word")),
        InputKind::Boolean { yes, no, .. } => format!("{yes} or {no}"),
        InputKind::Date { clock, parts, .. } => {
            let names: Vec<&str> = parts.iter().map(|part| part.name()).collect();
            let what = if *clock { "time of day" } else { "date" };
            if names.is_empty() { what.into() } else { format!("{what}, with {}", names.join(", ")) }
        }
    };
    if column.indicator { format!("{read}, and whether it is missing") } else { read }
}

/// The least and the largest value, or how many different ones.
fn ends(column: &ColumnSummary) -> (Cell, Cell) {
    match &column.contents {
        Contents::Numbers { low, high, whole, .. } => {
            let cell = |v: f64| {
                let is_short = *whole && v.abs() < 1e9;
                Cell::number(if is_short { fixed(v, 0) } else { four(v) }, v)
            };
            (cell(*low), cell(*high))
        }
        Contents::Dates { first, last } => (first.as_str().into(), last.as_str().into()),
        Contents::Text { different: Some(n) } => (Cell::from(format!("{n} different")), Cell::default()),
        Contents::Text { different: None } => (Cell::from("many different"), Cell::default()),
        Contents::Nothing => (Cell::default(), Cell::default()),
    }
}
