//! Input columns that nothing can be learnt from, and what other columns tell about a column.

use super::Table;
use super::columns::{Column, Meaning};
use super::dates::DateOrder;
use super::notation::{Decimal, Notation};
use super::notice::TableNotice;
use crate::data::Missing;
use crate::error::{Advice, Error, ProblemKind, TableError};
use std::sync::Arc;

/// Texts that are all different are identifiers only where there are more.
const FEW: usize = 10;

impl Table {
    /// Numbers that could have thousands separators or decimal ones are read as those of the other columns,
    /// where these agree; what is not written plainly is noticed.
    pub(super) fn settle_decimals(&mut self) {
        let used: Vec<usize> = self.inputs.iter().chain(&self.targets).copied().collect();
        let shown = used.iter().filter(|i| !self.columns[**i].is_ambiguous);
        let shown: Vec<Decimal> = shown.filter_map(|i| self.columns[*i].shows_decimal()).collect();
        let common = shown.first().copied().filter(|first| shown.iter().all(|other| other == first));
        let mut said: Vec<TableNotice> = Vec::new();
        let mut orders: Vec<(DateOrder, Vec<String>)> = Vec::new();
        for i in used {
            let mut by_others = false;
            if let (Some(decimal), Some(column)) = (common, Arc::get_mut(&mut self.columns[i]))
                && column.is_ambiguous
                && matches!(column.meaning, Meaning::Numbers(_))
            {
                column.read_with_decimal(decimal);
                (column.is_ambiguous, by_others) = (false, true);
            }
            let column = &self.columns[i];
            let name = column.label(i + 1);
            // What somebody has said is not assumed.
            if let Some(notation) = column.notation() {
                if self.settings.decimal.is_none() || notation.sign.is_some() {
                    note_numbers(&mut said, name, &notation, (by_others, column));
                }
            } else if let Meaning::Dates(order) = column.meaning
                && column.of_dates.ambiguous.count > 0
                && self.settings.date_order.is_none()
            {
                match orders.iter_mut().find(|(o, _)| *o == order) {
                    Some((_, names)) => names.push(name),
                    None => orders.push((order, vec![name])),
                }
            }
        }
        let dates = orders.into_iter().map(|(order, columns)| TableNotice::OrderOfDates { columns, order });
        self.notices.extend(said.into_iter().chain(dates));
    }

    /// Leaves out inputs that are empty or like identifiers, unless somebody says that they are text.
    pub(super) fn leave_out(&mut self) -> Result<(), Error> {
        let mut empty = Vec::new();
        for i in self.inputs.clone() {
            let column = &self.columns[i];
            let rows = self.all_rows - column.missing.count;
            let different = column.different();
            let is_empty = column.is_empty() && self.settings.missing != Missing::Refuse;
            let is_identifier = column.has_text()
                && (column.has_too_many()
                    || !column.is_declared && different.is_some_and(|n| n > FEW && 2 * n > rows));
            if is_empty {
                empty.push(column.label(i + 1));
            } else if is_identifier {
                let column = column.label(i + 1);
                self.notices.push(TableNotice::LikeIdentifiers { column, different, rows });
            } else {
                continue;
            }
            self.left_out.push(i);
        }
        self.inputs.retain(|i| !self.left_out.contains(i));
        if self.inputs.is_empty() {
            let columns = self.left_out.iter().map(|i| self.columns[*i].label(i + 1)).collect();
            return Err(TableError::of(
                &self.name,
                ProblemKind::NoUsableInputs { columns },
                &[Advice::TextColumn],
            ));
        }
        if !empty.is_empty() {
            self.notices.push(TableNotice::EmptyColumns { columns: empty });
        }
        Ok(())
    }
}

/// Notices a column of numbers that are not plain, together with others that are written in the same way.
fn note_numbers(said: &mut Vec<TableNotice>, name: String, own: &Notation, (by, column): (bool, &Column)) {
    for notice in said.iter_mut() {
        if let TableNotice::NumbersAsWritten { columns, notation, by_others, .. } = notice
            && (&*notation, *by_others) == (own, by)
        {
            columns.push(name);
            return;
        }
    }
    let mut seen = column.written.clone();
    seen.merge(&column.plain);
    let first = column.written.first.first().or(seen.first.first()).cloned().unwrap_or_default();
    let (columns, notation) = (vec![name], own.clone());
    said.push(TableNotice::NumbersAsWritten { columns, notation, first, by_others: by });
}
