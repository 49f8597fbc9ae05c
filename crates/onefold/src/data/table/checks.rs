//! Whether a network can be trained on the columns and rows of a table.

use super::columns::{Column, Meaning, Seen};
use super::field::{check_number, is_missing};
use super::notice::TableNotice;
use super::{Categories, MOST_CATEGORIES, Missing, Table, Task};
use crate::error::{Advice, Error, ProblemKind, TableError, TableProblem, check_memory};
use std::sync::Arc;

impl Table {
    /// Reports everything that is wrong in the columns that are used.
    pub(super) fn check_columns(&self, problems: &mut TableError) {
        if self.task == Task::Classification && self.targets.len() > 1 {
            let kind = ProblemKind::SeveralClassTargets { found: self.targets.len() };
            problems.add(None, || TableProblem { line: None, column: None, kind, also: 0, advice: &[] });
        }
        let mut used = [&self.targets[..], &self.inputs].concat();
        used.extend(self.weight_column);
        used.sort_unstable();
        for i in used {
            let check = ColumnCheck {
                column: &self.columns[i],
                number: i + 1,
                is_target: self.targets.contains(&i),
                doubtful_row: self.doubtful_row,
                problems,
            };
            if self.weight_column == Some(i) { check.run_on_weights() } else { check.run(self) }
        }
    }

    /// Notices what is remarkable in the columns that are used.
    pub(super) fn notice_columns(&mut self) {
        for i in self.inputs.iter().chain(&self.targets) {
            let column = &self.columns[*i];
            if let Some((line, text)) = column.leading_zeros.first.first()
                && matches!(column.meaning, Meaning::Numbers(_))
            {
                let (column, text) = (column.label(i + 1), text.clone());
                self.notices.push(TableNotice::LeadingZeros { column, line: *line, text });
            }
            if let Some((line, text)) = column.rounded.first.first()
                && !column.has_text()
            {
                let (column, text) = (column.label(i + 1), text.clone());
                self.notices.push(TableNotice::Rounded { column, line: *line, text });
            }
        }
    }

    /// Leaves out rows with missing values, as chosen.
    pub(super) fn choose_rows(&mut self) -> Result<(), Error> {
        let fills = |i: &usize| match self.settings.missing {
            Missing::Indicate => true,
            Missing::Mean => !self.columns[*i].has_text(),
            Missing::Drop | Missing::Refuse => false,
        };
        // A column that is the same wherever it has a value becomes no input, and so loses no row.
        let is_used = |i: &usize| self.columns[*i].varies();
        let needed: Vec<&Arc<Column>> = self
            .targets
            .iter()
            .chain(self.inputs.iter().filter(|i| !fills(i) && is_used(i)))
            .map(|i| &self.columns[*i])
            .filter(|c| c.missing.count > 0)
            .collect();
        self.rows = (0..self.all_rows).filter(|row| !needed.iter().any(|c| c.is_missing(*row))).collect();
        if self.rows.is_empty() {
            return Err(self.wrong(ProblemKind::NoCompleteRows));
        }
        if let Some(weights) = self.weight_column.map(|i| &self.columns[i]) {
            let complete = self.rows.len();
            self.rows.retain(|row| weights.number(*row) > 0.0);
            self.weightless = complete - self.rows.len();
            if self.rows.is_empty() {
                return Err(self.wrong(ProblemKind::NoWeight { name: weights.name.clone() }));
            }
        }
        let width_of = |i: &usize| self.columns[*i].width(self.settings.categories);
        let width: usize = self.inputs.iter().map(width_of).sum();
        // Columns of many numbers are not copied; what else becomes inputs takes more than it does here.
        let is_copied = |i: &&usize| self.columns[**i].different().is_some();
        let copied: usize = self.inputs.iter().filter(is_copied).map(width_of).sum();
        let rows = self.rows.len();
        let size = |columns: usize| (rows as u64).saturating_mul(8).saturating_mul(columns as u64);
        let what = || format!("{rows} rows of {width} inputs");
        let more = size(copied + self.targets.len());
        check_memory(size(width - copied), more, what, "use fewer rows")
    }

    /// Whether there is something to learn; finds the classes.
    pub(super) fn check_targets(&mut self) -> Result<(), Error> {
        if self.task == Task::Classification {
            let column = &self.columns[self.targets[0]];
            let Some(different) = column.different().filter(|n| *n <= MOST_CATEGORIES) else {
                return Err(self.wrong(ProblemKind::TooManyClasses { most: MOST_CATEGORIES }));
            };
            let counts = column.counts(&self.rows);
            let mut classes: Vec<(String, usize)> =
                (0..different).filter(|c| counts[*c] > 0).map(|c| (column.text(c).to_string(), c)).collect();
            // Classes in alphabetical order, or that of numbers, so that the order of rows does not matter.
            let number =
                |text: &str| text.parse::<f64>().ok().filter(|v| !v.is_nan()).unwrap_or(f64::INFINITY);
            classes.sort_by(|a, b| number(&a.0).total_cmp(&number(&b.0)).then_with(|| a.0.cmp(&b.0)));
            if let [(only, _)] = &classes[..] {
                return Err(self.wrong(ProblemKind::OneClass { class: only.clone() }));
            }
            self.classes = classes;
            return Ok(());
        }
        for i in &self.targets {
            let column = &self.columns[*i];
            if column.is_same_in(&self.rows) {
                return Err(self.wrong(ProblemKind::ConstantTarget { name: column.name.clone() }));
            }
        }
        Ok(())
    }
}

/// One column that is used, and where its problems go.
struct ColumnCheck<'a> {
    column: &'a Column,
    /// From 1.
    number: usize,
    is_target: bool,
    /// Line of a first row that could be names.
    doubtful_row: Option<u64>,
    problems: &'a mut TableError,
}

/// So many fields of a column are listed that are wrong in the same way.
const MOST_OF_A_COLUMN: usize = 3;
/// What would help with text among numbers.
const STRAY: [Advice; 3] = [Advice::Correct, Advice::TextColumn, Advice::IgnoreColumn];
/// The same for a target.
const STRAY_TARGET: [Advice; 2] = [Advice::Correct, Advice::Task];

impl ColumnCheck<'_> {
    fn run(mut self, table: &Table) {
        let column = self.column;
        if column.is_empty() {
            return self.column_is(ProblemKind::EmptyColumn, &[Advice::IgnoreColumn]);
        }
        if column.has_text() {
            if self.is_target && column.different().is_none_or(|n| n > MOST_CATEGORIES) {
                self.column_is(ProblemKind::TooManyClasses { most: MOST_CATEGORIES }, &[]);
            }
        } else {
            self.check_strangers(table);
            self.check_notation();
        }
        // Among categories a number is a name, and may be any.
        if !column.has_text() {
            let kind = |text: String| {
                let number = text.parse().unwrap_or(f64::NAN);
                check_number(number, &text).err().unwrap_or(ProblemKind::NotFinite { text })
            };
            self.fields_are(&column.bad_numbers, kind, &[]);
        }
        if table.settings.missing == Missing::Refuse {
            let kind = |text: String| {
                if is_missing(&text) { ProblemKind::MissingValue } else { ProblemKind::MissingMark { text } }
            };
            self.fields_are(&column.missing, kind, &[Advice::FillIn, Advice::Missing]);
        }
    }

    /// Whether every row has a weight, a number that is not negative.
    fn run_on_weights(mut self) {
        let column = self.column;
        if column.is_empty() {
            return self.column_is(ProblemKind::EmptyColumn, &[]);
        }
        let correct = &[Advice::Correct];
        self.fields_are(&column.strangers(), |text| ProblemKind::NotANumber { text }, correct);
        self.check_notation();
        self.fields_are(&column.bad_numbers, |text| ProblemKind::NotFinite { text }, correct);
        self.fields_are(&column.negative, |text| ProblemKind::NegativeWeight { text }, correct);
        self.fields_are(&column.missing, |_| ProblemKind::MissingWeight, &[Advice::FillIn]);
    }

    /// What is no number in a column of numbers, and no date in one of dates.
    fn check_strangers(&mut self, table: &Table) {
        let refuses_text = !self.is_target && table.settings.categories == Categories::Refuse;
        let strangers = self.column.strangers();
        if self.is_target && table.task == Task::Regression {
            let is_chosen = table.settings.task.is_some();
            let kind = |text| ProblemKind::TargetNotANumber { text };
            self.fields_are(&strangers, kind, if is_chosen { &[] } else { &STRAY_TARGET });
        } else if matches!(self.column.meaning, Meaning::Dates(_)) {
            self.fields_are(&strangers, |text| ProblemKind::NotADate { text }, &STRAY);
        } else if refuses_text {
            let kind = |text| ProblemKind::NotANumber { text };
            self.fields_are(&strangers, kind, &[Advice::IgnoreColumn, Advice::Categories]);
        } else {
            let has_numbers = self.column.mostly_plain();
            let kind = |text| {
                if has_numbers { ProblemKind::StrayText { text } } else { ProblemKind::NotANumber { text } }
            };
            self.fields_are(&strangers, kind, &STRAY);
        }
    }

    /// Numbers and dates that can be read in two ways, or in another way than the rest.
    fn check_notation(&mut self) {
        let column = self.column;
        let others = column.written_otherwise();
        match &column.meaning {
            Meaning::Dates(_) if column.is_ambiguous => {
                let kind = |text| ProblemKind::AmbiguousDate { text };
                self.first_is(&column.of_dates.ambiguous, kind, &[Advice::DateOrder]);
            }
            Meaning::Dates(_) => {
                self.fields_are(&others, |text| ProblemKind::OtherDateOrder { text }, &[Advice::Correct]);
            }
            Meaning::Numbers(_) if column.is_ambiguous => {
                let kind = |text| ProblemKind::AmbiguousComma { text };
                self.first_is(&column.of_numbers.ambiguous, kind, &[Advice::Decimal]);
            }
            Meaning::Numbers(notation) => {
                let decimal = notation.as_ref().map_or('.', |n| n.decimal.char());
                let kind = |text| ProblemKind::OtherNotation { text, decimal };
                self.fields_are(&others, kind, &[Advice::Correct, Advice::Decimal]);
            }
            Meaning::Text => {}
        }
        if let Some((first, second, fields)) = column.mixed_signs() {
            let kind = |text| ProblemKind::MixedSigns { text, first: first.clone(), second: second.clone() };
            let advice = if self.is_target { &STRAY_TARGET[..] } else { &STRAY };
            self.first_is(&fields, kind, advice);
        }
    }

    /// One problem of a column, with its first field.
    fn first_is(&mut self, fields: &Seen, kind: impl Fn(String) -> ProblemKind, advice: &'static [Advice]) {
        let first =
            Seen { count: fields.first.len().min(1), first: fields.first.iter().take(1).cloned().collect() };
        self.fields_are(&first, kind, advice);
    }

    fn column_is(&mut self, kind: ProblemKind, advice: &'static [Advice]) {
        let column = Some(self.column.label(self.number));
        self.problems.add(None, || TableProblem { line: None, column, kind, also: 0, advice });
    }

    fn fields_are(&mut self, fields: &Seen, kind: impl Fn(String) -> ProblemKind, advice: &'static [Advice]) {
        let listed = &fields.first[..fields.first.len().min(MOST_OF_A_COLUMN)];
        for (k, (line, text)) in listed.iter().enumerate() {
            let is_stray = [&STRAY[..], &STRAY_TARGET].contains(&advice);
            let could_be_name = is_stray && Some(*line) == self.doubtful_row;
            let is_last = k + 1 == listed.len();
            self.problems.add(Some(*line), || TableProblem {
                line: Some(*line),
                column: Some(self.column.label(self.number)),
                kind: kind(text.clone()),
                also: if is_last { fields.count - listed.len() } else { 0 },
                advice: if could_be_name { &[Advice::Names, Advice::Correct] } else { advice },
            });
        }
    }
}
