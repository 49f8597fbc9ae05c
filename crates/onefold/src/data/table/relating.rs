//! Which rows of a table belong together, by a column of groups or of times.

use super::Table;
use super::columns::Meaning;
use crate::data::Related;
use crate::error::Error;
use std::collections::HashMap;

impl Table {
    /// How its usable rows belong together, if a column says so.
    pub(super) fn related(&self) -> Result<Option<Related>, Error> {
        if let Some(i) = self.group_column {
            let column = &self.columns[i];
            if column.has_too_many() {
                return Err(self.not_usable("group_column", i, "has too many different texts"));
            }
            let mut known: HashMap<(bool, u64), usize> = HashMap::new();
            let group = |row: &usize| {
                let key = match (column.is_missing(*row), column.code(*row)) {
                    // A row without a group is one of its own.
                    (true, _) => (true, *row as u64),
                    (false, Some(code)) => (false, code as u64),
                    (false, None) => (false, column.number(*row).to_bits()),
                };
                let next = known.len();
                *known.entry(key).or_insert(next)
            };
            let groups: Vec<usize> = self.rows.iter().map(group).collect();
            if known.len() < 2 {
                return Err(self.not_usable("group_column", i, "has one group only"));
            }
            return Ok(Some(Related::Groups(groups)));
        }
        let Some(i) = self.time_column else { return Ok(None) };
        let column = &self.columns[i];
        if column.meaning == Meaning::Text || column.strangers().count > 0 || column.has_too_many() {
            return Err(self.not_usable("split_by_time", i, "has texts that are neither dates nor numbers"));
        }
        if column.is_ambiguous || column.written_otherwise().count > 0 {
            let what = "can be read in two ways; say which by date_order or decimal";
            return Err(self.not_usable("split_by_time", i, what));
        }
        let times: Vec<f64> = self.rows.iter().map(|row| column.number(*row)).collect();
        if times.iter().any(|v| v.is_nan()) {
            return Err(self.not_usable("split_by_time", i, "has rows without a value"));
        }
        Ok(Some(Related::Times(times)))
    }

    fn not_usable(&self, setting: &'static str, i: usize, what: &str) -> Error {
        Error::setting(setting, format!("\"{}\"", self.columns[i].name), format!("this column {what}"))
    }
}
