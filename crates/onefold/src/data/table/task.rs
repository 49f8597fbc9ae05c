//! What is learnt where nobody says: classes or numbers.
//!
//! Text is always classes. Numbers are classes where their few values look like labels: two different
//! numbers, or at most ten different whole numbers that lie close together, each of them in several rows.
//! Other numbers are a regression. What was decided for numbers is said in a notice.

use super::columns::Column;
use super::notice::TableNotice;
use super::{Table, Task};

/// Most different whole numbers that are taken for classes.
const MOST_LABELS: usize = 10;
/// Rows for each different number, in the mean.
const ROWS_PER_LABEL: usize = 5;
/// Rows of the rarest one: one to train and one to test.
const RAREST: usize = 2;
/// The distance of the smallest and the largest of `n` labels is at most so many times `n`.
const SPREAD: f64 = 2.0;

impl Table {
    /// Decides what is learnt, once targets and the contents of columns are known.
    pub(super) fn choose_task(&mut self) {
        if let Some(task) = self.settings.task {
            self.task = task;
            return;
        }
        if self.targets.iter().any(|i| self.columns[*i].has_text()) {
            self.task = Task::Classification;
            return;
        }
        let [target] = self.targets[..] else { return };
        let column = &self.columns[target];
        if let Some(different) = label_count(column, self.all_rows) {
            self.task = Task::Classification;
            let column = column.label(target + 1);
            self.notices.push(TableNotice::TakenForClasses { column, different });
        }
    }
}

/// The number of classes, if the numbers of a column are taken for labels.
fn label_count(column: &Column, rows: usize) -> Option<usize> {
    let all: Vec<usize> = (0..rows).collect();
    let mut labels: Vec<(f64, usize)> = Vec::new();
    if column.strangers().count > 0 || column.bad_numbers.count > 0 || column.different()? > MOST_LABELS + 1 {
        return None;
    }
    for (code, count) in column.counts(&all).into_iter().enumerate() {
        let number = column.number_of(code);
        if !number.is_nan() {
            labels.push((number, count));
        }
    }
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    // The same number in two notations would be two classes.
    let are_different = labels.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let n = labels.len();
    let (&(low, _), &(high, _)) = (labels.first()?, labels.last()?);
    let are_close = labels.iter().all(|(v, _)| v.fract() == 0.0) && high - low <= SPREAD * n as f64;
    let are_frequent = labels.iter().all(|(_, count)| *count >= RAREST)
        && labels.iter().map(|(_, count)| count).sum::<usize>() >= ROWS_PER_LABEL * n;
    let are_labels = n == 2 || (3..=MOST_LABELS).contains(&n) && are_close;
    (are_different && are_frequent && are_labels).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TableSettings;
    use std::fmt::Write as _;

    fn read(targets: &[&str], task: Option<Task>) -> Table {
        let mut text = String::from("x,y\n");
        for (i, target) in targets.iter().cycle().take(targets.len() * 6).enumerate() {
            let _ = writeln!(text, "{},{target}", (i * i) % 17);
        }
        let settings = TableSettings { task, ..TableSettings::default() };
        Table::from_reader("t.csv", &settings, text.as_bytes()).unwrap()
    }

    #[test]
    fn few_numbers_that_look_like_labels_are_classes() {
        for (targets, classes) in [
            (&["0", "1"][..], 2),
            (&["0.0", "1.0", "1.0"], 2),
            (&["-1", "1"], 2),
            (&["0.5", "250"], 2),
            (&["3", "4", "5", "6", "7", "8"], 6),
            (&["1", "2", "3", "5", "6", "7"], 6),
        ] {
            let table = read(targets, None);
            assert_eq!(table.summary().classes.len(), classes, "{targets:?}");
            let said = TableNotice::TakenForClasses { column: "y".into(), different: classes };
            assert_eq!(table.notices(), [said], "{targets:?}");
        }
    }

    #[test]
    fn other_numbers_are_a_regression() {
        for targets in [
            &["0", "10", "20"][..],
            &["0.5", "1.5", "2"],
            &["0", "0.0", "1", "2"],
            &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"],
        ] {
            let table = read(targets, None);
            assert_eq!((table.task(), table.notices()), (Task::Regression, &[][..]), "{targets:?}");
        }
        // Too few rows, or a number in one row only.
        for text in ["x,y\n1,0\n2,1\n3,0\n4,1\n", "x,y\n1,0\n2,0\n3,0\n4,0\n5,0\n6,0\n7,0\n8,0\n9,0\n10,1\n"]
        {
            let table = Table::from_reader("t.csv", &TableSettings::default(), text.as_bytes()).unwrap();
            assert_eq!(table.task(), Task::Regression, "{text}");
        }
        let table = read(&["0", "1"], Some(Task::Regression));
        assert_eq!((table.task(), table.notices()), (Task::Regression, &[][..]));
        let table = read(&["0", "1"], Some(Task::Classification));
        assert_eq!((table.task(), table.notices()), (Task::Classification, &[][..]));
    }
}
