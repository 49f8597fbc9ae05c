//! A table in memory, from its file to training and test rows.

use super::columns::Column;
use super::lines::Lines;
use super::schema::TableSchema;
use super::{MOST_WORDS, Missing, TableSettings, Task, Words, has_decimal_comma, list_of};
use crate::Error;
use crate::data::Partition;
use crate::error::check_size;
use std::collections::HashSet;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A table that has been read and understood, and waits to be parted into training and test rows.
///
/// ```
/// use onefold::{Partition, Table, TableSettings};
/// let text = "size,colour,price\n1,red,10\n2,blue,20.5\n3,red,-1e1\n";
/// let table = Table::from_reader("shop.csv", &TableSettings::default(), text.as_bytes())?;
/// let data = table.split(&Partition::All)?;
/// assert_eq!(data.train.input_names, ["size", "colour=blue", "colour=red"]);
/// # Ok::<(), onefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) name: String,
    pub(super) settings: TableSettings,
    pub(super) delimiter: char,
    pub(super) header: bool,
    /// Shared, so that folds need no copy, and freed one by one when they become inputs.
    pub(super) columns: Vec<Arc<Column>>,
    /// Indices of columns.
    pub(super) inputs: Vec<usize>,
    pub(super) targets: Vec<usize>,
    pub(super) ids: Vec<usize>,
    /// Columns without name and content, as a delimiter at the end of lines makes them.
    pub(super) blank: Vec<usize>,
    pub(super) task: Task,
    /// Classes in their order, with the codes of their texts.
    pub(super) classes: Vec<(String, usize)>,
    /// Rows of the file.
    pub(super) all_rows: usize,
    /// Those without missing values, or with such as can be filled in.
    pub(super) rows: Vec<usize>,
}

/// Where training and test rows come from, when it is a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSource {
    /// How the columns became inputs and outputs.
    pub schema: TableSchema,
    /// How the file was read.
    pub settings: TableSettings,
    /// Which rows train.
    pub partition: Partition,
    /// Columns that were left out because all training rows have the same in them.
    pub constant: Vec<String>,
}

impl Table {
    /// Reads a file.
    ///
    /// # Errors
    /// Says what is wrong, with line and column.
    pub fn read(path: &Path, settings: &TableSettings) -> Result<Self, Error> {
        Self::from_reader(&path.display().to_string(), settings, crate::files::open(path)?)
    }

    /// Reads text; `name` stands for it in messages.
    ///
    /// # Errors
    /// Says what is wrong, with line and column.
    pub fn from_reader<R: Read>(name: &str, settings: &TableSettings, source: R) -> Result<Self, Error> {
        let mut lines = Lines::open(name, settings.delimiter, settings.header, &[], source)?;
        let has_name = |i: usize| lines.header.as_ref().is_some_and(|names| !names[i].is_empty());
        let mut columns: Vec<Column> =
            lines.names().into_iter().enumerate().map(|(i, n)| Column::new(n, has_name(i))).collect();
        let mut seen = HashSet::new();
        if let Some(twice) = columns.iter().find(|c| !seen.insert(&c.name)) {
            let advice = "rename one, or take the first line for a row (header)";
            return Err(Error::Data(format!(
                "{name} line 1: two columns are named {}; {advice}",
                twice.name
            )));
        }
        let mut rows = 0;
        while let Some((line, fields)) = lines.next_row()? {
            rows += 1;
            columns.iter_mut().zip(fields).for_each(|(column, field)| column.push(line, field));
        }
        if rows == 0 {
            return Err(Error::Data(format!("{name}: there are no rows below the header")));
        }
        let mut table = Self {
            name: name.into(),
            settings: settings.clone(),
            delimiter: lines.delimiter,
            header: lines.header.is_some(),
            columns: columns.into_iter().map(Arc::new).collect(),
            inputs: Vec::new(),
            targets: Vec::new(),
            ids: Vec::new(),
            blank: Vec::new(),
            task: Task::Regression,
            classes: Vec::new(),
            all_rows: rows,
            rows: Vec::new(),
        };
        table.choose()?;
        table.check_columns()?;
        table.choose_rows()?;
        table.check_targets()?;
        Ok(table)
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

    pub(super) fn wrong(&self, message: &str) -> Error {
        Error::Data(format!("{}: {message}", self.name))
    }

    /// Columns by name or by number from 1; a text that is no column may be several, joined by commas.
    fn find(&self, setting: &'static str, texts: &[String]) -> Result<Vec<usize>, Error> {
        let one = |text: &str| {
            let by_name = self.columns.iter().position(|c| c.name == text);
            let number = || text.parse::<usize>().ok().filter(|n| (1..=self.columns.len()).contains(n));
            by_name.or_else(|| number().map(|n| n - 1))
        };
        let mut found = Vec::new();
        for text in texts {
            let parts: Vec<&str> = match one(text) {
                Some(_) => vec![text],
                None => text.split(',').map(str::trim).collect(),
            };
            for part in parts {
                let i = one(part).ok_or_else(|| {
                    let names =
                        list_of(self.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().into_iter());
                    let expected = format!("{} has the columns {names}", self.name);
                    Error::setting(setting, format!("\"{part}\""), expected)
                })?;
                if found.contains(&i) {
                    return Err(Error::setting(setting, format!("\"{part}\""), "this column is named twice"));
                }
                found.push(i);
            }
        }
        Ok(found)
    }

    /// Decides on targets, inputs and task.
    fn choose(&mut self) -> Result<(), Error> {
        let ignored = self.find("ignore", &self.settings.ignore)?;
        self.ids = self.find("id_column", &self.settings.ids)?;
        self.targets = self.find("target_column", &self.settings.targets)?;
        let is_blank = |i: &usize| !self.columns[*i].is_named && self.header && self.columns[*i].is_empty();
        self.blank = (0..self.columns.len()).filter(is_blank).collect();
        let mut taken: HashSet<usize> = ignored.iter().chain(&self.ids).chain(&self.blank).copied().collect();
        if let Some(i) = self.targets.iter().find(|i| taken.contains(i)) {
            let name = format!("\"{}\"", self.columns[*i].name);
            return Err(Error::setting(
                "target_column",
                name,
                "this column is left out, so it cannot be learnt",
            ));
        }
        if self.targets.is_empty() {
            self.targets.extend((0..self.columns.len()).rev().find(|i| !taken.contains(i)));
        }
        taken.extend(&self.targets);
        self.inputs = (0..self.columns.len()).filter(|i| !taken.contains(i)).collect();
        if self.inputs.is_empty() {
            return Err(self.wrong("there is no input column besides the target; is the delimiter right?"));
        }
        let has_words = self.targets.iter().any(|i| self.columns[*i].has_words());
        let by_itself = if has_words { Task::Classification } else { Task::Regression };
        self.task = self.settings.task.unwrap_or(by_itself);
        Ok(())
    }

    /// Whether every column that is used can be.
    fn check_columns(&self) -> Result<(), Error> {
        let wrong = |message: String| Err(self.wrong(&message));
        for i in self.targets.iter().chain(&self.inputs) {
            let column = &self.columns[*i];
            let name = &column.name;
            if column.has_too_many() {
                return wrong(format!(
                    "column {name} has more than {MOST_WORDS} different words; leave it out (ignore) if it holds identifiers"
                ));
            }
            if let Some((line, word)) = &column.first_word
                && (0..column.different().unwrap_or(0)).all(|c| has_decimal_comma(column.text(c)))
            {
                return wrong(format!(
                    "line {line}, column {name}: {word} seems to be a number with a decimal comma; write it with a point"
                ));
            }
            if column.is_empty() {
                return wrong(format!("column {name} is empty; leave it out (ignore)"));
            }
            if let Some((line, reason)) = column.bad_number.as_ref().filter(|_| !column.has_words()) {
                return wrong(format!("line {line}, column {name}: {reason}"));
            }
        }
        if self.settings.words == Words::Refuse {
            let words = self.inputs.iter().find_map(|i| Some((i, self.columns[*i].first_word.as_ref()?)));
            if let Some((i, (line, word))) = words {
                return wrong(format!(
                    "line {line}, column {}: \"{word}\" is not a number; leave the column out (ignore), or choose how words become numbers (one-hot, ordinal)",
                    self.columns[*i].name
                ));
            }
        }
        if self.task == Task::Classification {
            if self.targets.len() > 1 {
                return wrong("a classification has one target column".into());
            }
            return Ok(());
        }
        for i in &self.targets {
            if let Some((line, word)) = &self.columns[*i].first_word {
                return wrong(format!(
                    "line {line}, column {}: \"{word}\" is not a number, and the target of a regression must be",
                    self.columns[*i].name
                ));
            }
        }
        Ok(())
    }

    /// Leaves out rows with missing values, as chosen.
    fn choose_rows(&mut self) -> Result<(), Error> {
        let used = self.targets.iter().chain(&self.inputs).map(|i| &self.columns[*i]);
        if self.settings.missing == Missing::Refuse {
            let first = used.filter_map(|c| Some((c.first_missing?, &c.name))).min_by_key(|(line, _)| *line);
            if let Some((line, name)) = first {
                return Err(Error::Data(format!(
                    "{} line {line}, column {name}: the value is missing; fill it in, or choose what to do with missing values (drop, mean)",
                    self.name
                )));
            }
        }
        let fills = |i: &usize| self.settings.missing == Missing::Mean && !self.columns[*i].has_words();
        let needed: Vec<&Arc<Column>> = self
            .targets
            .iter()
            .chain(self.inputs.iter().filter(|i| !fills(i)))
            .map(|i| &self.columns[*i])
            .filter(|c| c.missing > 0)
            .collect();
        self.rows = (0..self.all_rows).filter(|row| !needed.iter().any(|c| c.is_missing(*row))).collect();
        if self.rows.is_empty() {
            return Err(self.wrong("no row is left after those with missing values"));
        }
        let width: usize = self.inputs.iter().map(|i| self.columns[*i].width(self.settings.words)).sum();
        let rows = self.rows.len();
        let what = || format!("{rows} rows of {width} inputs");
        check_size(&[rows, width + self.targets.len()], what, "use fewer rows")
    }

    /// Whether there is something to learn.
    fn check_targets(&mut self) -> Result<(), Error> {
        if self.task == Task::Classification {
            let column = &self.columns[self.targets[0]];
            let Some(different) = column.different() else {
                return Err(self.wrong(&format!("there are more than {MOST_WORDS} classes")));
            };
            let counts = column.counts(&self.rows);
            let mut classes: Vec<(String, usize)> =
                (0..different).filter(|c| counts[*c] > 0).map(|c| (column.text(c).to_string(), c)).collect();
            // Classes in alphabetical order, or that of numbers, so that the order of rows does not matter.
            let number =
                |text: &str| text.parse::<f64>().ok().filter(|v| !v.is_nan()).unwrap_or(f64::INFINITY);
            classes.sort_by(|a, b| number(&a.0).total_cmp(&number(&b.0)).then_with(|| a.0.cmp(&b.0)));
            if let [(only, _)] = &classes[..] {
                return Err(self.wrong(&format!("all rows have the class {only}; there is nothing to learn")));
            }
            self.classes = classes;
            return Ok(());
        }
        for i in &self.targets {
            let column = &self.columns[*i];
            let first = column.number(self.rows[0]).to_bits();
            if self.rows.iter().all(|row| column.number(*row).to_bits() == first) {
                let name = &column.name;
                return Err(self.wrong(&format!(
                    "the target {name} is the same in all rows; there is nothing to learn"
                )));
            }
        }
        Ok(())
    }
}
