//! The file that describes a campaign.

use super::cell::{Cell, NoisySamples, Paper, Source};
use crate::failure::Failure;
use crate::values;
use onefold::{
    Alignment, Builtin, BuiltinSettings, Categories, CmaPreset, Crossover, Error, FitSettings, Interval,
    Method, Missing, Mutation, Overrides, Reference, Split, SplitKind, SplitRule, Table, TableSettings,
    TargetScaling, Task,
};
use serde::Deserialize;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;

/// A campaign, checked.
#[derive(Clone, Debug)]
pub(crate) struct Campaign {
    /// What it is called; its store has that name by default.
    pub(crate) name: String,
    /// Its cells, in the order of the file.
    pub(crate) cells: Vec<Cell>,
    /// Cells that were not selected, which selected ones may be set beside.
    pub(crate) others: Vec<Cell>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Spanned<String>,
    #[serde(default = "default_runs")]
    runs: usize,
    cell: Vec<Spanned<CellFile>>,
}

fn default_runs() -> usize {
    50
}

/// A cell as the file has it. What is left out is the paper's setting, or the default of `onefold fit`.
#[derive(Clone, Debug, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CellFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) data: String,
    pub(crate) hidden: String,
    pub(crate) method: Method,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) population: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) runs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quick: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_evaluations: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_column: Option<OneOrMore>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore: Option<OneOrMore>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Task>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Categories>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Missing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data_seed: Option<DataSeed>,
    /// Noisy samples of a generated set that the trials take in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    data_seeds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split_kind: Option<SplitKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scaling: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_scaling: Option<TargetScaling>,
    #[serde(skip_serializing_if = "Option::is_none")]
    align: Option<Alignment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<Reference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mutation: Option<Mutation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crossover: Option<Crossover>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crossover_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sigma: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<CmaPreset>,
    #[serde(skip_serializing_if = "Option::is_none")]
    penalty_weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    penalty_radius: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank_tolerance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_bias: Option<bool>,
    /// Another cell, by name, that this one is set beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) versus: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) paper: Option<Paper>,
}

/// One name, or a list of them.
#[derive(Clone, Debug, Deserialize, serde::Serialize)]
#[serde(untagged, expecting = "expected the name of a column, its number, or a list of them")]
enum OneOrMore {
    One(String),
    Number(usize),
    More(Vec<String>),
}

impl OneOrMore {
    fn to_vec(&self) -> Vec<String> {
        match self {
            Self::One(name) => vec![name.clone()],
            Self::Number(number) => vec![number.to_string()],
            Self::More(names) => names.clone(),
        }
    }
}

/// The seed of a generated data set: a number, or `"run"` for another one in each trial.
#[derive(Clone, Debug, Deserialize, serde::Serialize)]
#[serde(untagged, expecting = "expected a number, or \"run\" for another data set in each trial")]
enum DataSeed {
    Fixed(u64),
    Word(String),
}

impl Campaign {
    /// Reads and checks a file.
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        Self::parse(&super::read(path)?, &path.display().to_string())
    }

    /// Reads and checks the text of a file; `origin` names it in messages.
    pub(crate) fn parse(text: &str, origin: &str) -> Result<Self, Failure> {
        let at = |offset: usize, message: &str| {
            let line = 1 + text[..offset.min(text.len())].matches('\n').count();
            Failure::bad_input(format!("{origin} line {line}: {}", one_line(message)))
        };
        let file: File =
            toml::from_str(text).map_err(|e| at(e.span().map_or(0, |span| span.start), e.message()))?;
        let is_word = |name: &str| {
            !name.is_empty()
                && !name.starts_with('.')
                && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
        };
        if !is_word(file.name.get_ref()) {
            let message = "the campaign's name must be a word of letters, digits and dashes, since its store is named after it";
            return Err(at(file.name.span().start, message));
        }
        if file.cell.is_empty() {
            return Err(at(0, "there is no cell; add one beginning with [[cell]]"));
        }
        let (mut cells, mut starts, mut names) = (Vec::new(), Vec::new(), HashSet::new());
        for spanned in file.cell {
            let start = spanned.span().start;
            let cell = spanned.into_inner().resolve(file.runs);
            let cell =
                cell.map_err(|failure| at(start, &format!("in this cell, {}", as_key(failure.message()))))?;
            if !names.insert(cell.name.clone()) {
                return Err(at(
                    start,
                    &format!("there are two cells named {}; give one another name", cell.name),
                ));
            }
            cells.push(cell);
            starts.push(start);
        }
        for (cell, start) in cells.iter().zip(starts) {
            if let Some(other) = cell.given.versus.as_ref().filter(|other| !names.contains(*other)) {
                let message = format!("in this cell, versus names {other}, and there is no such cell");
                return Err(at(start, &message));
            }
        }
        Ok(Self { name: file.name.into_inner(), cells, others: Vec::new() })
    }

    /// Keeps the cells that match: `*` in a pattern stands for anything, slashes included; tables are
    /// separated by commas.
    pub(crate) fn select(&mut self, pattern: Option<&str>, table: Option<&str>) -> Result<(), Failure> {
        if let Some(tables) = table {
            let wanted: Vec<&str> = tables.split(',').map(str::trim).collect();
            let mut known: Vec<&str> = Vec::new();
            for cell in &self.cells {
                if !known.contains(&cell.table.as_str()) {
                    known.push(&cell.table);
                }
            }
            if let Some(unknown) = wanted.iter().find(|name| !known.contains(name)) {
                return Err(Failure::bad_input(format!("--table {unknown}: there are {}", known.join(", "))));
            }
            self.keep(|cell| wanted.contains(&cell.table.as_str()));
        }
        if let Some(pattern) = pattern {
            let names: Vec<_> = self.cells.iter().map(|c| c.name.clone()).collect();
            self.keep(|cell| matches(pattern, &cell.name));
            if self.cells.is_empty() {
                let near = names.iter().max_by(|a, b| {
                    strsim::jaro_winkler(a, pattern).total_cmp(&strsim::jaro_winkler(b, pattern))
                });
                let hint = near.map_or(String::new(), |name| format!("; the nearest is {name}"));
                return Err(Failure::bad_input(format!("--cells {pattern}: no cell matches{hint}")));
            }
        }
        Ok(())
    }

    fn keep(&mut self, is_selected: impl Fn(&Cell) -> bool) {
        let (selected, others): (Vec<_>, Vec<_>) = self.cells.drain(..).partition(is_selected);
        self.cells = selected;
        self.others.extend(others);
    }
}

/// A message without line breaks, in the words of a campaign file.
fn one_line(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    words
        .join(" ")
        .replace("expected usize", "expected a whole number")
        .replace("expected u64", "expected a whole number")
        .replace("expected f64", "expected a number")
}

/// A message about a flag as one about a key: `--crossover-rate 2` becomes `crossover_rate 2`.
fn as_key(message: &str) -> String {
    match message.strip_prefix("--").and_then(|rest| rest.split_once(' ')) {
        Some((flag, rest)) => format!("{} {rest}", flag.replace('-', "_")),
        None => message.into(),
    }
}

/// Whether `name` matches a pattern in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, rest)) => match name.strip_prefix(head) {
            None => false,
            Some(tail) => {
                (0..=tail.len()).filter(|i| tail.is_char_boundary(*i)).any(|i| matches(rest, &tail[i..]))
            }
        },
    }
}

impl CellFile {
    fn resolve(self, runs: usize) -> Result<Cell, Failure> {
        let (source, is_classification, mut settings) =
            if is_file(&self.data) { self.file()? } else { self.builtin()? };
        if let Some(max) = self.max_evaluations {
            if !(max >= 1.0 && max.fract() == 0.0 && max < 1e18) {
                return Err(Failure::bad_input(format!(
                    "max_evaluations {max}: must be a whole number of at least 1"
                )));
            }
            settings.stop.max_evaluations = Some(max as u64);
        }
        self.overrides()?.apply(&mut settings)?;
        self.check_plain_keys(runs)?;
        let name = self.name.clone();
        let name = name.unwrap_or_else(|| format!("{}/{}/{}", source.name(), settings.topology, self.method));
        Ok(Cell {
            name,
            source,
            is_classification,
            settings,
            runs: self.runs.unwrap_or(runs),
            quick: self.quick,
            table: self.table.clone().unwrap_or_else(|| "cells".into()),
            paper: self.paper.clone(),
            given: self,
        })
    }

    /// Checks what needs no data set.
    fn check_plain_keys(&self, runs: usize) -> Result<(), Failure> {
        if self.runs.unwrap_or(runs) == 0 || self.quick == Some(0) {
            return Err(Failure::bad_input("runs and quick must be at least 1"));
        }
        let is_bad = |text: &str| text.trim().is_empty() || text.chars().any(char::is_control);
        if self.name.as_deref().is_some_and(is_bad) {
            return Err(Failure::bad_input("name must be a plain text"));
        }
        if self.table.as_deref().is_some_and(|table| is_bad(table) || table.contains(',')) {
            return Err(Failure::bad_input("table must be a plain text without commas"));
        }
        self.paper.as_ref().map_or(Ok(()), Paper::validate)
    }

    /// The parts of a cell that a built-in set decides.
    fn builtin(&self) -> Result<(Source, bool, FitSettings), Failure> {
        let builtin: Builtin = self.data.parse()?;
        let of_file = [
            ("target_column", self.target_column.is_some()),
            ("ignore", self.ignore.is_some()),
            ("task", self.task.is_some()),
            ("words", self.words.is_some()),
            ("missing", self.missing.is_some()),
            ("delimiter", self.delimiter.is_some()),
            ("header", self.header.is_some()),
        ];
        refuse(&of_file, "a file")?;
        let mut data = BuiltinSettings { samples: self.samples, noise: self.noise, ..Default::default() };
        let samples = self.noisy_samples(builtin)?;
        if let Some(DataSeed::Fixed(seed)) = self.data_seed {
            data.data_seed = Some(seed);
        }
        data.split = self.split_rule()?;
        if let (Some(rule), Some(default)) = (&mut data.split, builtin.split()) {
            rule.kind = default.kind;
        }
        if let (Some(kind), Some(mut rule)) = (self.split_kind, data.split.or(builtin.split())) {
            rule.kind = kind;
            data.split = Some(rule);
        }
        if let Some(text) = &self.encoding {
            data.set_encoding(builtin, text)?;
        }
        builtin.load(&data)?;
        let settings = FitSettings::for_builtin(builtin, Some(&self.hidden), self.method)?;
        Ok((Source::Builtin { builtin, settings: data, samples }, !builtin.is_regression(), settings))
    }

    fn noisy_samples(&self, builtin: Builtin) -> Result<NoisySamples, Failure> {
        match (&self.data_seed, self.data_seeds) {
            (None | Some(DataSeed::Fixed(_)), None) => Ok(NoisySamples::One),
            (Some(DataSeed::Word(word)), None) if word == "run" && builtin.is_regression() => {
                Ok(NoisySamples::PerTrial)
            }
            (Some(DataSeed::Word(word)), None) => Err(Failure::bad_input(format!(
                "data_seed \"{word}\": must be a number, or \"run\" for a generated data set"
            ))),
            (Some(_), Some(_)) => {
                Err(Failure::bad_input("data_seed and data_seeds exclude each other; leave one out"))
            }
            (None, Some(count)) if count >= 2 && builtin.is_regression() => Ok(NoisySamples::InTurn(count)),
            (None, Some(count)) => Err(Failure::bad_input(format!(
                "data_seeds {count}: must be a number of noisy samples, at least 2, of a generated data set"
            ))),
        }
    }

    /// The parts of a cell that a file decides.
    fn file(&self) -> Result<(Source, bool, FitSettings), Failure> {
        let of_builtin = [
            ("samples", self.samples.is_some()),
            ("noise", self.noise.is_some()),
            ("data_seed", self.data_seed.is_some()),
            ("data_seeds", self.data_seeds.is_some()),
            ("encoding", self.encoding.is_some()),
        ];
        refuse(&of_builtin, "built-in data sets")?;
        if self.target.is_none() {
            return Err(Failure::bad_input(
                "a cell with a file needs a target, the mean squared error to be reached",
            ));
        }
        let table = TableSettings {
            delimiter: self.delimiter,
            header: self.header,
            target_column: self.target_column.as_ref().map_or(Vec::new(), OneOrMore::to_vec),
            ignore_column: self.ignore.as_ref().map_or(Vec::new(), OneOrMore::to_vec),
            task: self.task,
            categories: self.words.unwrap_or_default(),
            missing: self.missing.unwrap_or_default(),
            id_column: Vec::new(),
        };
        let path = Path::new(&self.data);
        let mut split =
            self.split_rule()?.unwrap_or(SplitRule { train: 1, test: 1, kind: SplitKind::Strict });
        split.kind = self.split_kind.unwrap_or_default();
        // A campaign file has keys, not flags.
        let named = |e: Error| match e {
            Error::Table(wrong) => Failure::bad_input(wrong.to_string()),
            other => other.into(),
        };
        let data = Table::read(path, &table).and_then(|t| t.split(&Split::Rule(split))).map_err(named)?;
        let settings = FitSettings::for_data(&data.train, &self.hidden, self.method)?;
        let is_classification = data.train.classification;
        let bytes = std::fs::read(path).map_err(|e| Failure::bad_input(format!("{}: {e}", self.data)))?;
        let stem = path.file_stem().map_or(self.data.clone(), |s| s.to_string_lossy().into_owned());
        let data = Arc::new(data);
        let source = Source::File { stem, data, split, digest: onefold::digest(&bytes), table };
        Ok((source, is_classification, settings))
    }

    fn split_rule(&self) -> Result<Option<SplitRule>, Failure> {
        self.split
            .as_deref()
            .map(|text| values::split(text).map_err(|e| Failure::bad_input(format!("split \"{text}\": {e}"))))
            .transpose()
    }

    /// What is given of the settings of a training run.
    fn overrides(&self) -> Result<Overrides, Failure> {
        let radius = self.penalty_radius.as_deref().map(|text| parsed("penalty_radius", text));
        let scaling = self.scaling.as_deref().map(|text| parsed("scaling", text));
        Ok(Overrides {
            population: self.population,
            align: self.align,
            align_to: self.reference,
            mutation: self.mutation,
            weight: self.weight.map(|v| Interval { low: v, high: v }),
            crossover: self.crossover,
            crossover_rate: self.crossover_rate,
            sigma: self.sigma,
            preset: self.preset,
            target: self.target,
            penalty_weight: self.penalty_weight,
            penalty_radius: radius.transpose()?,
            rank_tolerance: self.rank_tolerance,
            output_bias: self.output_bias,
            scaling: scaling.transpose()?,
            target_scaling: self.target_scaling,
            ..Overrides::default()
        })
    }
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(key: &str, text: &str) -> Result<T, Failure> {
    text.parse().map_err(|e| Failure::bad_input(format!("{key} \"{text}\": {e}")))
}

/// Whether the name of a data set is that of a file.
fn is_file(data: &str) -> bool {
    data.contains(['/', '\\', '.'])
}

/// A key that would have no effect is a mistake.
fn refuse(given: &[(&str, bool)], only: &str) -> Result<(), Failure> {
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failure::bad_input(format!("{name} is for {only}, and has no effect here"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
