//! Tables from files: comma-separated values with numbers and words, to inputs and outputs.
//!
//! A file is read twice, first to find out what its columns hold, then to keep the numbers: nothing else of it stays in memory.

use super::{Dataset, SplitRule, TrainTest};
use crate::Error;
use crate::error::check_size;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;
use std::path::Path;

/// How a file becomes a data set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TableSettings {
    /// What separates fields. Default: whichever of comma, semicolon, tab and bar occurs most often in the first line.
    pub delimiter: Option<char>,
    /// Whether the first line holds names. Default: if it has words and no numbers.
    pub header: Option<bool>,
    /// Target columns by name, or by number from 1. Default the last column.
    pub targets: Vec<String>,
    /// Columns to leave out, by name or by number from 1, such as identifiers. Default none.
    pub ignore: Vec<String>,
    /// What is to be learnt. Default: classification if there is one target and it holds words, otherwise regression.
    pub task: Option<Task>,
    /// How input columns of words become numbers. Default one column for each word.
    pub words: Words,
    /// What becomes of rows with empty fields. Default they are refused.
    pub missing: Missing,
}

/// What is to be learnt from a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Numbers.
    Regression,
    /// Classes.
    Classification,
}

/// How an input column of words becomes numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Words {
    /// One column for each word, 1 where it stands and 0 elsewhere.
    #[default]
    OneHot,
    /// One column with the word's place in alphabetical order, from 0.
    Ordinal,
}

/// What becomes of rows with empty fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The table is refused, with the place of the first one.
    #[default]
    Refuse,
    /// The row is left out.
    Drop,
    /// The mean of the column's numbers in all rows; a column of words has none, so there the row is left out.
    Mean,
}

/// Most different words that a column may have, to tell words from identifiers.
const MOST_WORDS: usize = 1000;
/// What stands for a missing value.
const EMPTY: [&str; 5] = ["", "?", "NA", "N/A", "nan"];

/// A column while the file is looked through.
#[derive(Clone, Debug, Default)]
struct Column {
    name: String,
    /// The different texts in it, numbers too, since these are words where there are words beside them. No longer kept up where
    /// there are too many.
    words: BTreeSet<String>,
    /// The line of the first word, for messages.
    first_word: Option<(u64, String)>,
    numbers: u64,
    sum: f64,
    missing: u64,
}

/// What a field says.
enum Field<'a> {
    Number(f64),
    Word(&'a str),
    Missing,
}

fn is_missing(text: &str) -> bool {
    EMPTY.iter().any(|empty| empty.eq_ignore_ascii_case(text))
}

fn read_field(text: &str) -> Field<'_> {
    let text = text.trim();
    if is_missing(text) {
        return Field::Missing;
    }
    match text.parse::<f64>() {
        Ok(v) => Field::Number(v),
        Err(_) => Field::Word(text),
    }
}

impl Dataset {
    /// Reads a file.
    ///
    /// # Errors
    /// Says what is wrong, with line and column.
    pub fn from_csv(path: &Path, settings: &TableSettings) -> Result<Self, Error> {
        let name = path.display().to_string();
        if path.is_dir() {
            return Err(Error::Data(format!("{name}: this is a directory, not a file")));
        }
        Self::from_reader(&name, settings, || std::fs::File::open(path))
    }

    /// Reads text that `open` gives from its beginning, each time it is called; `name` stands for it in messages.
    ///
    /// # Errors
    /// Says what is wrong, with line and column.
    pub fn from_reader<R: Read>(
        name: &str,
        settings: &TableSettings,
        open: impl Fn() -> std::io::Result<R>,
    ) -> Result<Self, Error> {
        let failed = |e: std::io::Error| Error::Data(format!("{name}: {e}"));
        let mut head = Vec::new();
        open().and_then(|r| r.take(1 << 16).read_to_end(&mut head)).map_err(failed)?;
        let layout = Layout::find(name, settings, &head)?;
        let mut table = Table::look_through(name, layout, settings, open().map_err(failed)?)?;
        table.choose(settings)?;
        table.fill(open().map_err(failed)?)
    }
}

impl TrainTest {
    /// The parts of a data set by an `a/b` split.
    ///
    /// # Errors
    /// If no row would be trained on.
    pub fn by_rule(data: &Dataset, rule: SplitRule) -> Result<Self, Error> {
        let parts = rule.apply(data);
        if parts.train.rows() == 0 {
            return Err(Error::setting("split", rule, "must train on at least one row"));
        }
        let is_constant = |column: &Vec<f64>| column.iter().all(|v| v.to_bits() == column[0].to_bits());
        if let Some(i) = parts.train.outputs.iter().position(is_constant) {
            let name = &data.output_names[i];
            let expected = if data.classification {
                format!(
                    "then the training rows have all or none of the class {name}; there is nothing to learn"
                )
            } else {
                format!("then the target {name} is the same in all training rows; there is nothing to learn")
            };
            return Err(Error::setting("split", rule, expected));
        }
        Ok(parts)
    }
}

/// Whether a word is a number but for a comma in the place of the point; whole numbers are, too.
fn has_decimal_comma(word: &str) -> bool {
    word.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// How the lines of a file are made up.
struct Layout {
    delimiter: u8,
    has_header: bool,
}

impl Layout {
    fn find(name: &str, settings: &TableSettings, head: &[u8]) -> Result<Self, Error> {
        let wrong = |reason: &str| Err(Error::Data(format!("{name}: {reason}")));
        let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
        if text.iter().all(u8::is_ascii_whitespace) {
            return wrong("the file is empty");
        }
        if text.contains(&0) {
            return wrong("this is not UTF-8 text; save the file as UTF-8");
        }
        let first = text.split(|b| *b == b'\n' || *b == b'\r').find(|l| !l.is_empty()).unwrap_or(text);
        let delimiter = match settings.delimiter {
            Some(c) if c.is_ascii() && c != '"' && c != '\n' && c != '\r' => c as u8,
            Some(c) => {
                return Err(Error::setting("delimiter", format!("{c:?}"), "must be one plain character"));
            }
            // Commas first: where several occur equally often, that is the usual one.
            None => [b',', b';', b'\t', b'|']
                .into_iter()
                .rev()
                .max_by_key(|d| first.split(|b| b == d).count())
                .unwrap_or(b','),
        };
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(delimiter)
            .flexible(true)
            .from_reader(text);
        let mut record = csv::ByteRecord::new();
        let found = reader.read_byte_record(&mut record).unwrap_or(false);
        let texts: Vec<String> =
            record.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
        let is_word = |text: &String| matches!(read_field(text), Field::Word(_));
        let is_number = |text: &String| matches!(read_field(text), Field::Number(_));
        let looks_like_names = found && texts.iter().any(is_word) && !texts.iter().any(is_number);
        let has_header = settings.header.unwrap_or(looks_like_names);
        Ok(Self { delimiter, has_header })
    }

    fn reader<R: Read>(&self, source: R) -> csv::Reader<WithoutMark<R>> {
        csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .from_reader(WithoutMark { source, started: false, kept: Vec::new() })
    }
}

/// A source without the byte order mark that some programs put in front.
struct WithoutMark<R> {
    source: R,
    started: bool,
    kept: Vec<u8>,
}

impl<R: Read> Read for WithoutMark<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if !self.started {
            self.started = true;
            (&mut self.source).take(3).read_to_end(&mut self.kept)?;
            if self.kept == b"\xEF\xBB\xBF" {
                self.kept.clear();
            }
        }
        if self.kept.is_empty() {
            return self.source.read(out);
        }
        let n = out.len().min(self.kept.len());
        out[..n].copy_from_slice(&self.kept[..n]);
        self.kept.drain(..n);
        Ok(n)
    }
}

/// A file that has been looked through.
struct Table {
    name: String,
    layout: Layout,
    columns: Vec<Column>,
    rows: u64,
    /// Indices of input and target columns.
    inputs: Vec<usize>,
    targets: Vec<usize>,
    task: Task,
    words: Words,
    missing: Missing,
}

/// Calls `each` with the line number and the fields of every row of data, all rows of the same length.
fn for_each_row<R: Read>(
    name: &str,
    layout: &Layout,
    source: R,
    mut each: impl FnMut(u64, &[&str]) -> Result<(), Error>,
) -> Result<Option<Vec<String>>, Error> {
    let mut reader = layout.reader(source);
    let mut record = csv::ByteRecord::new();
    let (mut names, mut width, mut is_first) = (None, None, true);
    loop {
        let wrong = |line: u64, reason: String| Err(Error::Data(format!("{name} line {line}: {reason}")));
        match reader.read_byte_record(&mut record) {
            Ok(false) => return Ok(names),
            Ok(true) => {}
            Err(e) => return Err(Error::Data(format!("{name}: {e}"))),
        }
        let line = record.position().map_or(0, csv::Position::line);
        let mut fields = Vec::with_capacity(record.len());
        for (i, field) in record.iter().enumerate() {
            match std::str::from_utf8(field) {
                Ok(text) if text.contains(['\n', '\r']) => {
                    let reason = format!(
                        "the field of column {} goes on over the end of the line; is a quote not closed?",
                        i + 1
                    );
                    return wrong(line, reason);
                }
                Ok(text) => fields.push(text),
                Err(_) => {
                    return wrong(
                        line,
                        format!("column {} is not UTF-8 text; save the file as UTF-8", i + 1),
                    );
                }
            }
        }
        let expected = *width.get_or_insert(fields.len());
        if fields.len() != expected {
            let found = fields.len();
            return wrong(
                line,
                format!("{found} fields instead of {expected}; every row needs as many as the first line"),
            );
        }
        if std::mem::take(&mut is_first) && layout.has_header {
            names = Some(fields.iter().map(|f| f.trim().to_string()).collect());
        } else {
            each(line, &fields)?;
        }
    }
}

impl Table {
    /// The first reading: what do the columns hold?
    fn look_through<R: Read>(
        name: &str,
        layout: Layout,
        settings: &TableSettings,
        source: R,
    ) -> Result<Self, Error> {
        let mut columns: Vec<Column> = Vec::new();
        let mut rows = 0;
        let names = for_each_row(name, &layout, source, |line, fields| {
            rows += 1;
            columns.resize(fields.len(), Column::default());
            for (i, (column, text)) in columns.iter_mut().zip(fields).enumerate() {
                match read_field(text) {
                    Field::Missing => column.missing += 1,
                    Field::Number(v) if v.is_finite() => {
                        column.numbers += 1;
                        column.sum += v;
                    }
                    Field::Number(_) => {
                        let text = text.trim();
                        let message =
                            format!("{name} line {line}, column {}: {text} is not a finite number", i + 1);
                        return Err(Error::Data(message));
                    }
                    Field::Word(word) => {
                        column.first_word.get_or_insert_with(|| (line, word.to_string()));
                    }
                }
                let text = text.trim();
                if column.words.len() <= MOST_WORDS && !is_missing(text) && !column.words.contains(text) {
                    column.words.insert(text.to_string());
                }
            }
            Ok(())
        })?;
        if rows == 0 {
            return Err(Error::Data(format!("{name}: there are no rows below the header")));
        }
        for (i, column) in columns.iter_mut().enumerate() {
            column.name = match &names {
                Some(names) if !names[i].is_empty() => names[i].clone(),
                _ => format!("column{}", i + 1),
            };
        }
        let mut seen = HashSet::new();
        if let Some(twice) = columns.iter().find(|c| !seen.insert(c.name.clone())) {
            let message = format!("{name} line 1: two columns are named {}; rename one", twice.name);
            return Err(Error::Data(message));
        }
        Ok(Self {
            name: name.into(),
            layout,
            columns,
            rows,
            inputs: Vec::new(),
            targets: Vec::new(),
            task: Task::Regression,
            words: settings.words,
            missing: settings.missing,
        })
    }

    /// The column with this name, or this number from 1.
    fn find(&self, setting: &'static str, text: &str) -> Result<usize, Error> {
        let by_name = self.columns.iter().position(|c| c.name == text);
        let by_number =
            || text.parse::<usize>().ok().filter(|n| (1..=self.columns.len()).contains(n)).map(|n| n - 1);
        by_name.or_else(by_number).ok_or_else(|| {
            let names: Vec<_> = self.columns.iter().take(20).map(|c| c.name.as_str()).collect();
            let more = if self.columns.len() > 20 { " and more" } else { "" };
            let expected = format!("{} has the columns {}{more}", self.name, names.join(", "));
            Error::setting(setting, format!("\"{text}\""), expected)
        })
    }

    /// Decides on targets, inputs and task, and checks that something can be learnt.
    fn choose(&mut self, settings: &TableSettings) -> Result<(), Error> {
        let ignored: Vec<usize> =
            settings.ignore.iter().map(|text| self.find("ignore", text)).collect::<Result<_, _>>()?;
        self.targets =
            settings.targets.iter().map(|text| self.find("target_column", text)).collect::<Result<_, _>>()?;
        if self.targets.is_empty() {
            self.targets.extend((0..self.columns.len()).rev().find(|i| !ignored.contains(i)));
        }
        self.inputs =
            (0..self.columns.len()).filter(|i| !self.targets.contains(i) && !ignored.contains(i)).collect();
        let wrong = |message: String| Err(Error::Data(format!("{}: {message}", self.name)));
        if self.inputs.is_empty() {
            return wrong("there is no input column besides the target; is the delimiter right?".into());
        }
        let has_words = |i: &usize| self.columns[*i].first_word.is_some();
        let words_in_target = self.targets.iter().any(has_words);
        let task =
            settings.task.unwrap_or(if words_in_target { Task::Classification } else { Task::Regression });
        for i in self.targets.iter().chain(&self.inputs) {
            let column = &self.columns[*i];
            if column.first_word.is_some() && column.words.len() > MOST_WORDS {
                return wrong(format!(
                    "column {} has more than {MOST_WORDS} different words; leave it out (ignore) if it holds identifiers",
                    column.name
                ));
            }
            if let Some((line, word)) =
                column.first_word.as_ref().filter(|_| column.words.iter().all(|w| has_decimal_comma(w)))
            {
                return wrong(format!(
                    "line {line}, column {}: {word} seems to be a number with a decimal comma; write it with a point",
                    column.name
                ));
            }
            if column.numbers == 0 && column.words.is_empty() {
                return wrong(format!("column {} is empty; leave it out (ignore)", column.name));
            }
        }
        match task {
            Task::Regression => {
                for i in &self.targets {
                    if let Some((line, word)) = &self.columns[*i].first_word {
                        return wrong(format!(
                            "line {line}, column {}: \"{word}\" is not a number, and the target of a regression must be",
                            self.columns[*i].name
                        ));
                    }
                }
            }
            Task::Classification if self.targets.len() > 1 => {
                return wrong("a classification has one target column".into());
            }
            Task::Classification => {}
        }
        self.task = task;
        let width: usize = self.inputs.iter().map(|i| self.width(*i)).sum();
        let rows = self.rows as usize;
        check_size(
            &[rows, width + self.targets.len()],
            || format!("{rows} rows of {width} inputs"),
            "use fewer rows",
        )
    }

    /// Numbers that an input column becomes.
    fn width(&self, i: usize) -> usize {
        let column = &self.columns[i];
        if column.first_word.is_some() && self.words == Words::OneHot { self.labels(i).len() } else { 1 }
    }

    /// The words of a column in alphabetical order.
    fn labels(&self, i: usize) -> Vec<&str> {
        self.columns[i].words.iter().map(String::as_str).collect()
    }

    /// The second reading: the numbers.
    fn fill<R: Read>(self, source: R) -> Result<Dataset, Error> {
        let width: usize = self.inputs.iter().map(|i| self.width(*i)).sum();
        let mut inputs: Vec<Vec<f64>> = vec![Vec::with_capacity(self.rows as usize); width];
        let mut outputs: Vec<Vec<f64>> = vec![Vec::with_capacity(self.rows as usize); self.targets.len()];
        let mut classes: BTreeMap<String, usize> = BTreeMap::new();
        let mut row_inputs = Vec::with_capacity(width);
        let mut class_of_row: Vec<usize> = Vec::new();
        let mut names_of_classes: Vec<String> = Vec::new();
        let table = &self;
        for_each_row(&self.name, &self.layout, source, |line, fields| {
            row_inputs.clear();
            for i in &table.inputs {
                if !table.encode(*i, line, fields[*i], &mut row_inputs)? {
                    return Ok(());
                }
            }
            if table.task == Task::Classification {
                let text = fields[table.targets[0]].trim();
                if let Field::Missing = read_field(text) {
                    return table.missing_at(line, table.targets[0]).map(|_| ());
                }
                let next = classes.len();
                let class = *classes.entry(text.to_string()).or_insert_with(|| {
                    names_of_classes.push(text.to_string());
                    next
                });
                if classes.len() > MOST_WORDS {
                    let message = format!("{}: there are more than {MOST_WORDS} classes", table.name);
                    return Err(Error::Data(message));
                }
                class_of_row.push(class);
            } else {
                let mut values = Vec::with_capacity(outputs.len());
                for i in &table.targets {
                    match read_field(fields[*i]) {
                        Field::Number(v) => values.push(v),
                        // A target is never made up.
                        _ => return table.missing_at(line, *i).map(|_| ()),
                    }
                }
                outputs.iter_mut().zip(values).for_each(|(column, v)| column.push(v));
            }
            inputs.iter_mut().zip(&row_inputs).for_each(|(column, v)| column.push(*v));
            Ok(())
        })?;
        let (outputs, output_names) = if self.task == Task::Classification {
            // Classes in alphabetical order, or that of numbers, so that the order of rows does not matter.
            let mut order: Vec<usize> = (0..names_of_classes.len()).collect();
            let number = |i: &usize| names_of_classes[*i].parse::<f64>().unwrap_or(f64::INFINITY);
            order.sort_by(|a, b| {
                number(a).total_cmp(&number(b)).then_with(|| names_of_classes[*a].cmp(&names_of_classes[*b]))
            });
            let columns = order.iter().map(|class| {
                class_of_row.iter().map(|c| f64::from(u8::from(c == class))).collect::<Vec<f64>>()
            });
            (columns.collect(), order.iter().map(|i| names_of_classes[*i].clone()).collect::<Vec<_>>())
        } else {
            (outputs, self.targets.iter().map(|i| self.columns[*i].name.clone()).collect())
        };
        let data = Dataset {
            inputs,
            outputs,
            input_names: self.input_names(),
            output_names,
            classification: self.task == Task::Classification,
        };
        self.check(&data)?;
        Ok(data)
    }

    /// Appends what one field of an input column becomes; false if the row is to be left out.
    fn encode(&self, i: usize, line: u64, text: &str, out: &mut Vec<f64>) -> Result<bool, Error> {
        let column = &self.columns[i];
        match read_field(text) {
            Field::Missing
                if self.missing == Missing::Mean && column.first_word.is_none() && column.numbers > 0 =>
            {
                out.push(column.sum / column.numbers as f64);
                Ok(true)
            }
            Field::Missing => self.missing_at(line, i),
            Field::Number(v) if column.first_word.is_none() => {
                out.push(v);
                Ok(true)
            }
            Field::Number(_) | Field::Word(_) => {
                let word = text.trim();
                let labels = self.labels(i);
                let place = labels.iter().position(|label| *label == word);
                match self.words {
                    Words::OneHot => {
                        out.extend((0..labels.len()).map(|k| f64::from(u8::from(Some(k) == place))));
                    }
                    Words::Ordinal => out.push(place.map_or(-1.0, |k| k as f64)),
                }
                Ok(true)
            }
        }
    }

    /// False if rows with empty fields are left out, an error if they are refused.
    fn missing_at(&self, line: u64, i: usize) -> Result<bool, Error> {
        if self.missing == Missing::Refuse {
            return Err(Error::Data(format!(
                "{} line {line}, column {}: the value is missing; fill it in, or choose what to do with missing values (drop, mean)",
                self.name, self.columns[i].name
            )));
        }
        Ok(false)
    }

    fn input_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for i in &self.inputs {
            let name = &self.columns[*i].name;
            if self.columns[*i].first_word.is_some() && self.words == Words::OneHot {
                names.extend(self.labels(*i).iter().map(|word| format!("{name}={word}")));
            } else {
                names.push(name.clone());
            }
        }
        names
    }

    /// Whether there is something to learn.
    fn check(&self, data: &Dataset) -> Result<(), Error> {
        let wrong = |message: String| Err(Error::Data(format!("{}: {message}", self.name)));
        if data.rows() == 0 {
            return wrong("no row is left after those with missing values".into());
        }
        if data.classification && data.outputs.len() < 2 {
            return wrong(format!(
                "all rows have the class {}; there is nothing to learn",
                data.output_names[0]
            ));
        }
        for (column, name) in data.outputs.iter().zip(&data.output_names) {
            if column.iter().all(|v| v.to_bits() == column[0].to_bits()) {
                return wrong(format!(
                    "the target {name} is the same in all rows; there is nothing to learn"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
