//! A table in memory, from its file to training and test rows.

use super::columns::Column;
use super::lines::Lines;
use super::schema::{self, InputKind, TableColumn, TableSchema};
use super::{MOST_WORDS, Missing, TableSettings, Task, Words, has_decimal_comma, list_of};
use crate::Error;
use crate::data::{Dataset, Partition, TrainTest, partition};
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

    /// The class of each usable row, for a classification.
    fn class_of_rows(&self) -> Option<Vec<usize>> {
        (self.task == Task::Classification).then(|| {
            let column = &self.columns[self.targets[0]];
            let mut of_code = vec![0; column.different().unwrap_or(0)];
            self.classes.iter().enumerate().for_each(|(class, (_, code))| of_code[*code] = class);
            self.rows.iter().map(|row| column.code(*row).map_or(0, |code| of_code[code])).collect()
        })
    }

    /// Training and test rows.
    ///
    /// # Errors
    /// If nothing could be learnt from the training rows.
    pub fn split(self, partition: &Partition) -> Result<TrainTest, Error> {
        let classes = self.class_of_rows();
        let (train, test) = partition.apply(self.rows.len(), classes.as_deref())?;
        let refused = |expected: String| match partition {
            Partition::Rule(rule) => Error::setting("split", rule, expected),
            Partition::Fraction { test, .. } => Error::setting("test_fraction", test, expected),
            _ => Error::Data(expected),
        };
        if train.is_empty() {
            return Err(refused("must train on at least one row".into()));
        }
        self.parts(&train, &test, classes.as_deref(), partition.clone(), refused)
    }

    /// Training and test rows of fold `fold`, from 0, of `folds`: every row tests in one of them. Classes keep their shares.
    ///
    /// # Errors
    /// If there are fewer than two folds, fewer rows than folds, or nothing could be learnt from the training rows.
    pub fn fold(&self, fold: usize, folds: usize, seed: u64) -> Result<TrainTest, Error> {
        let classes = self.class_of_rows();
        let all = partition::folds(self.rows.len(), classes.as_deref(), folds, seed)?;
        let Some(test) = all.get(fold) else {
            return Err(Error::setting("fold", fold, format!("must be below {folds}")));
        };
        let mut tests = vec![false; self.rows.len()];
        test.iter().for_each(|row| tests[*row] = true);
        let train: Vec<usize> = (0..self.rows.len()).filter(|row| !tests[*row]).collect();
        let refused = |expected| Error::setting("folds", folds, expected);
        self.clone().parts(&train, test, classes.as_deref(), Partition::All, refused)
    }

    /// Encodes rows, given by their places among those that can be used; columns are let go as they are done with.
    fn parts(
        mut self,
        train: &[usize],
        test: &[usize],
        classes: Option<&[usize]>,
        partition: Partition,
        refused: impl Fn(String) -> Error,
    ) -> Result<TrainTest, Error> {
        let lines = |rows: &[usize]| -> Vec<usize> { rows.iter().map(|row| self.rows[*row]).collect() };
        let (in_train, in_test) = (lines(train), lines(test));
        if let Some(expected) = self.nothing_to_learn(train, &in_train, classes) {
            return Err(refused(expected));
        }
        let (inputs, constant) = self.learn(&in_train)?;
        let column = |i: &usize| TableColumn { name: self.columns[*i].name.clone(), number: i + 1 };
        let schema = TableSchema {
            header: self.header,
            columns: self.columns.len(),
            inputs,
            targets: self.targets.iter().map(column).collect(),
            ids: self.ids.iter().map(column).collect(),
            missing: self.settings.missing,
        };
        let is_classification = classes.is_some();
        let output_names: Vec<String> = match classes {
            Some(_) => self.classes.iter().map(|(name, _)| name.clone()).collect(),
            None => schema.targets.iter().map(|c| c.name.clone()).collect(),
        };
        let mut parts = [Dataset::default(), Dataset::default()];
        for part in &mut parts {
            part.input_names = schema.input_names();
            part.output_names.clone_from(&output_names);
            part.classification = is_classification;
        }
        let [on_train, on_test] = &mut parts;
        for i in 0..output_names.len() {
            for (part, rows, lines) in [(&mut *on_train, train, &in_train), (&mut *on_test, test, &in_test)] {
                part.outputs.push(match classes {
                    Some(of_rows) => rows.iter().map(|r| f64::from(u8::from(of_rows[*r] == i))).collect(),
                    None => lines.iter().map(|line| self.columns[self.targets[i]].number(*line)).collect(),
                });
            }
        }
        // Columns that are not inputs are no longer needed.
        let used: HashSet<usize> = schema.inputs.iter().map(|c| c.number - 1).collect();
        for i in (0..self.columns.len()).filter(|i| !used.contains(i)) {
            self.columns[i] = Arc::default();
        }
        for input in &schema.inputs {
            let column = std::mem::take(&mut self.columns[input.number - 1]);
            on_test.inputs.extend(encode(&input.kind, Arc::clone(&column), &in_test, self.all_rows));
            on_train.inputs.extend(encode(&input.kind, column, &in_train, self.all_rows));
        }
        let [train, test] = parts;
        let source = TableSource { schema, settings: self.settings, partition, constant };
        Ok(TrainTest { train, test, settings: None, table: Some(Box::new(source)) })
    }

    /// Says so if a target, or whether a row has some class, is the same in all training rows.
    fn nothing_to_learn(
        &self,
        train: &[usize],
        lines: &[usize],
        classes: Option<&[usize]>,
    ) -> Option<String> {
        if let Some(of_rows) = classes {
            let mut counts = vec![0; self.classes.len()];
            train.iter().for_each(|row| counts[of_rows[*row]] += 1);
            let i = counts.iter().position(|n| *n == 0)?;
            let class = &self.classes[i].0;
            return Some(format!(
                "then no training row has the class {class}; there is nothing to learn about it"
            ));
        }
        let is_constant = |column: &&Arc<Column>| {
            let first = column.number(lines[0]).to_bits();
            lines.iter().all(|line| column.number(*line).to_bits() == first)
        };
        let column = self.targets.iter().map(|i| &self.columns[*i]).find(is_constant)?;
        let name = &column.name;
        Some(format!("then the target {name} is the same in all training rows; there is nothing to learn"))
    }

    /// The input columns as the training rows have them, and the names of those that are the same in all.
    fn learn(&self, train: &[usize]) -> Result<(Vec<schema::InputColumn>, Vec<String>), Error> {
        let (mut inputs, mut constant) = (Vec::new(), Vec::new());
        for i in &self.inputs {
            let how = (self.settings.words, self.settings.missing);
            match schema::learn(&self.columns[*i], i + 1, how, (train, &self.rows)) {
                Some(input) => inputs.push(input),
                None => constant.push(self.columns[*i].name.clone()),
            }
        }
        if inputs.is_empty() {
            let names = list_of(constant.iter().map(String::as_str));
            return Err(self.wrong(&format!(
                "every input is the same in all training rows ({names}); there is nothing to learn from"
            )));
        }
        Ok((inputs, constant))
    }
}

/// The inputs that a column becomes, for these rows of `all`.
fn encode(kind: &InputKind, column: Arc<Column>, rows: &[usize], all: usize) -> Vec<Vec<f64>> {
    let words = match kind {
        InputKind::Number { mean } => {
            let mut numbers = column.into_numbers(rows, all);
            if let Some(mean) = mean {
                numbers.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = *mean);
            }
            return vec![numbers];
        }
        InputKind::OneHot { words } | InputKind::Ordinal { words } => words,
    };
    let place_of = |code| words.binary_search_by(|w| w.as_str().cmp(column.text(code))).ok();
    let places: Vec<Option<usize>> = (0..column.different().unwrap_or(0)).map(place_of).collect();
    let place = |row: &usize| column.code(*row).and_then(|code| places[code]);
    if let InputKind::Ordinal { .. } = kind {
        return vec![rows.iter().map(|row| place(row).map_or(-1.0, |p| p as f64)).collect()];
    }
    let mut inputs = vec![vec![0.0; rows.len()]; words.len()];
    for (k, row) in rows.iter().enumerate() {
        if let Some(place) = place(row) {
            inputs[place][k] = 1.0;
        }
    }
    inputs
}
