//! Inputs that may leak: row numbers, and columns that nearly determine the target by themselves.
//!
//! They are used, as they may be right, and pointed out.

use super::columns::{Column, Meaning};
use super::notice::TableNotice;
use super::{Table, Task};

/// Fewer rows tell nothing.
const LEAST_ROWS: usize = 20;
/// Of more rows, so many are looked at.
const MOST_ROWS: usize = 10_000;
/// Fraction of the target's variance that a column explains by a line or by the means of its categories.
const EXPLAINED: f64 = 0.999;
/// Fraction of the rows, without those of the most frequent class, whose class a column determines.
const DETERMINED: f64 = 0.99;
/// Rows for each category or class, in the mean.
const ROWS_PER_GROUP: usize = 5;

impl Table {
    /// Notices inputs that may leak. An only input is what there is to learn from.
    pub(super) fn notice_leaks(&mut self) {
        let (&[target], true) = (&self.targets[..], self.inputs.len() > 1 && self.rows.len() >= LEAST_ROWS)
        else {
            return;
        };
        let step = self.rows.len().div_ceil(MOST_ROWS);
        let rows: Vec<usize> = self.rows.iter().copied().step_by(step).collect();
        for i in &self.inputs {
            let (column, goal) = (&self.columns[*i], &self.columns[target]);
            let is_near = match self.task {
                Task::Regression => explains(column, goal, &rows),
                Task::Classification => determines(column, goal, &rows),
            };
            let (name, target) = (column.label(i + 1), goal.label(target + 1));
            if is_near {
                self.notices.push(TableNotice::NearlyTarget { column: name, target });
            } else if counts_rows(column, &self.rows) {
                self.notices.push(TableNotice::RowNumber { column: name });
            }
        }
    }
}

/// Whether it counts the rows.
fn counts_rows(column: &Column, rows: &[usize]) -> bool {
    let Meaning::Numbers(_) = column.meaning else { return false };
    let first = column.number(rows[0]) - rows[0] as f64;
    rows.iter().all(|row| (column.number(*row) - *row as f64 - first).abs() <= 0.0)
}

/// Whether the numbers of a target follow from a column by a line, or from its categories.
fn explains(column: &Column, goal: &Column, rows: &[usize]) -> bool {
    let y = |row: usize| goal.number(row);
    let rows: Vec<usize> =
        rows.iter().copied().filter(|row| !column.is_missing(*row) && !y(*row).is_nan()).collect();
    if rows.len() < LEAST_ROWS {
        return false;
    }
    if !column.has_text() {
        let x: Vec<f64> = rows.iter().map(|row| column.number(*row)).collect();
        let y: Vec<f64> = rows.iter().map(|row| y(*row)).collect();
        return squared_correlation(&x, &y) >= EXPLAINED;
    }
    let Some(different) = column.different().filter(|n| ROWS_PER_GROUP * n <= rows.len()) else {
        return false;
    };
    let mut sums = vec![(0.0, 0.0); different];
    let mean = rows.iter().map(|row| y(*row)).sum::<f64>() / rows.len() as f64;
    for row in &rows {
        if let Some(code) = column.code(*row) {
            sums[code].0 += y(*row) - mean;
            sums[code].1 += 1.0;
        }
    }
    let between: f64 = sums.iter().filter(|(_, n)| *n > 0.0).map(|(sum, n)| sum * sum / n).sum();
    let all: f64 = rows.iter().map(|row| (y(*row) - mean).powi(2)).sum();
    all > 0.0 && between / all >= EXPLAINED
}

/// The squared correlation of two columns.
fn squared_correlation(x: &[f64], y: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (dx, dy) = (x - mean_x, y - mean_y);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    if xx > 0.0 && yy > 0.0 { (xy / xx) * (xy / yy) } else { 0.0 }
}

/// Whether the class follows from a column: from its category, or from the interval in which its number is,
/// with one interval for each class. Rows of the most frequent class would be right without the column.
fn determines(column: &Column, goal: &Column, rows: &[usize]) -> bool {
    let value = |row: &usize| {
        let value = if column.has_text() { column.code(*row)? as f64 } else { column.number(*row) };
        Some((value, goal.code(*row)?)).filter(|_| !value.is_nan())
    };
    let mut pairs: Vec<(f64, usize)> = rows.iter().filter_map(value).collect();
    let mut classes: Vec<usize> = pairs.iter().map(|(_, class)| *class).collect();
    classes.sort_unstable();
    let of_classes: Vec<usize> = classes.chunk_by(|a, b| a == b).map(<[_]>::len).collect();
    let most_frequent = of_classes.iter().max().copied().unwrap_or(0);
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut groups, mut wrong, mut changes, mut last) = (0, 0, 0, None);
    for group in pairs.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let of_class = group.chunk_by(|a, b| a.1 == b.1).map(|rows| (rows.len(), rows[0].1)).max();
        let Some((right, class)) = of_class else { continue };
        groups += 1;
        wrong += group.len() - right;
        changes += usize::from(last.is_some_and(|last| last != class));
        last = Some(class);
    }
    if pairs.len() < LEAST_ROWS || of_classes.len() < 2 {
        return false;
    }
    let is_meaningful = !column.has_text() || ROWS_PER_GROUP * groups <= pairs.len();
    let intervals = if column.has_text() { 0 } else { changes.saturating_sub(of_classes.len() - 1) };
    let others = (pairs.len() - most_frequent) as f64;
    is_meaningful && (wrong + intervals) as f64 <= (1.0 - DETERMINED) * others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TableSettings;
    use std::fmt::Write as _;

    #[test]
    fn row_numbers_and_copies_of_the_target_are_pointed_out() {
        let mut text = String::from("n,noise,twice,colour,y\n");
        for i in 0..60 {
            let y = f64::from(i * 37 % 53) / 7.0;
            let colour = ["red", "blue"][usize::from(y > 3.0)];
            let _ = writeln!(text, "{i},{},{},{colour},{y}", i * 29 % 31, 2.0 * y + 1.0);
        }
        let table = Table::from_reader("t.csv", &TableSettings::default(), text.as_bytes()).unwrap();
        let near = TableNotice::NearlyTarget { column: "twice".into(), target: "y".into() };
        assert_eq!(table.notices(), [TableNotice::RowNumber { column: "n".into() }, near]);
        let classes = TableSettings { target_column: vec!["colour".into()], ..TableSettings::default() };
        let table = Table::from_reader("t.csv", &classes, text.as_bytes()).unwrap();
        let near = |name: &str| TableNotice::NearlyTarget { column: name.into(), target: "colour".into() };
        assert_eq!(table.notices()[1..], [near("twice"), near("y")]);
    }

    #[test]
    fn nearly_constant_columns_and_rare_classes_leak_nothing() {
        let mut text = String::from("flat,kind,x,y\n");
        for i in 0..400 {
            let (flat, kind) = (i32::from(i % 200 == 7), ["a", "b"][usize::from(i % 3 == 0)]);
            let y = if i % 100 == 0 { "rare" } else { ["one", "two"][usize::from(i % 400 < 2)] };
            let _ = writeln!(text, "{flat},{kind},{},{y}", i * 29 % 31);
        }
        let table = Table::from_reader("t.csv", &TableSettings::default(), text.as_bytes()).unwrap();
        assert_eq!(table.notices(), []);
    }
}
