//! A cell as written in a campaign file: its keys are those of campaigns and the options of `onefold fit`.

use super::{nearest, unknown_dataset};
use crate::cell::{Cell, Paper};
use crate::source::{NoisySamples, Rows, Source};
use onefold::data::{Missing, SplitKind, SplitRule, TableNotice};
use onefold::{Builtin, DataOverrides, Error, FitSettings, Overrides, Split, Table};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use toml::Value;

/// The most trials of a cell.
const MOST_RUNS: usize = 1_000_000;
/// The longest name of a cell or table.
const LONGEST_NAME: usize = 200;

/// A cell as written in the file. A missing key means the paper's setting, or the default of `onefold fit`.
#[derive(Clone, Debug)]
pub struct CellFile {
    keys: CellKeys,
    settings: Overrides,
    data: DataOverrides,
    /// The whole cell, to be written to another file.
    table: toml::Table,
}

/// The keys that are not options of `onefold fit`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct CellKeys {
    name: Option<String>,
    /// Name of a built-in data set or of a file.
    data: Option<String>,
    runs: Option<usize>,
    /// Runs in the quick subset.
    quick: Option<usize>,
    /// The table that it belongs to.
    table: Option<String>,
    /// Another cell, by name, that this one is compared with.
    versus: Option<String>,
    paper: Option<Paper>,
    /// `"run"`: a new noisy sample of a generated set in each trial.
    data_seed: Option<String>,
    /// Number of noisy samples of a generated set, which the trials use in rotation.
    data_seeds: Option<u64>,
}

/// Why cells have no probabilities of classes.
const LEAST_SQUARES: &str = "trials end at a target, which is a mean squared error of least squares";

/// Options of `onefold fit` that cells must not have, and why.
const NOT_IN_CELLS: [(&str, &str); 7] = [
    ("seed", "trials have the seeds 0, 1, 2 and so on"),
    ("threads", "each trial uses one thread, and trials run in parallel"),
    ("time", "the result of a trial must not depend on the machine; use max_evaluations"),
    ("test", "use test_fraction, folds or split"),
    ("output_layer", LEAST_SQUARES),
    ("temperature", LEAST_SQUARES),
    ("id_column", "trials make no predictions; use ignore_column"),
];

/// An error in a cell, and the key that it concerns.
pub(super) struct Wrong {
    pub(super) key: Option<String>,
    pub(super) message: String,
}

impl Wrong {
    fn new(message: impl Into<String>) -> Self {
        Self { key: None, message: message.into() }
    }

    fn at(key: &str, message: impl Into<String>) -> Self {
        Self { key: Some(key.into()), message: message.into() }
    }
}

impl From<Error> for Wrong {
    /// The names of settings are the keys of the cell.
    fn from(error: Error) -> Self {
        let key = match &error {
            Error::Setting { name, .. }
            | Error::NoEffect { name, .. }
            | Error::NoEffectOnData { name, .. } => *name,
            Error::Topology { .. } => "hidden",
            Error::UnknownDataset { .. } => "data",
            _ => return Self::new(error.to_string()),
        };
        let message = match &error {
            Error::UnknownDataset { name } => unknown_dataset(name),
            other => other.to_string(),
        };
        Self::at(key, message)
    }
}

impl CellFile {
    /// Divides the keys into those of the cell, of the training settings and of the data.
    pub(super) fn read(table: toml::Table) -> Result<Self, Wrong> {
        let [of_cell, of_settings, of_data] =
            [names_of::<CellKeys>(), Overrides::names(), DataOverrides::names()];
        let [mut keys, mut settings, mut data] = [toml::Table::new(), toml::Table::new(), toml::Table::new()];
        for (key, value) in &table {
            if let Some((_, why)) = NOT_IN_CELLS.iter().find(|(name, _)| name == key) {
                return Err(Wrong::at(key, format!("{key} is not for campaigns: {why}")));
            }
            let is_seed_of_run = key == "data_seed" && value.is_str();
            let (part, read): (_, Check) = match key.as_str() {
                name if of_settings.iter().any(|n| n == name) || name == "reference" => {
                    (&mut settings, check::<Overrides>)
                }
                name if of_data.iter().any(|n| n == name) && !is_seed_of_run => {
                    (&mut data, check::<DataOverrides>)
                }
                "ignore" | "words" => (&mut data, check::<DataOverrides>),
                name if of_cell.iter().any(|n| n == name) => (&mut keys, check::<CellKeys>),
                unknown => {
                    let all: Vec<_> = [of_cell, of_settings, of_data].concat();
                    let hint =
                        nearest(&all, unknown).map_or(String::new(), |n| format!("; did you mean {n}?"));
                    return Err(Wrong::at(unknown, format!("there is no key {unknown}{hint}")));
                }
            };
            read(key, value)?;
            part.insert(key.clone(), value.clone());
        }
        Ok(Self { keys: parse(keys)?, settings: parse(settings)?, data: parse(data)?, table })
    }

    /// The cell with another population and number of runs.
    #[must_use]
    pub(crate) fn with_population(&self, population: usize, runs: usize, keeps_paper: bool) -> Self {
        let mut other = self.clone();
        other.keys.runs = Some(runs);
        other.settings.population = Some(population);
        for (key, count) in [("population", population), ("runs", runs)] {
            other.table.insert(key.into(), Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)));
        }
        if !keeps_paper {
            other.keys.paper = None;
            other.table.remove("paper");
        }
        other
    }

    /// The whole cell.
    pub(crate) fn table(&self) -> &toml::Table {
        &self.table
    }

    /// The data set or file that it names.
    #[must_use]
    pub fn data(&self) -> Option<&str> {
        self.keys.data.as_deref()
    }

    /// Another cell that this one is compared with.
    #[must_use]
    pub fn versus(&self) -> Option<&str> {
        self.keys.versus.as_deref()
    }

    pub(super) fn resolve(
        self,
        runs: usize,
        notices: &mut Vec<(String, TableNotice)>,
    ) -> Result<Cell, Wrong> {
        self.check_keys(runs)?;
        let data = self.keys.data.as_deref().ok_or_else(|| Wrong::new("data is missing"))?;
        let (source, is_classification, settings) =
            if is_file(data) { self.file(data, notices)? } else { self.builtin(data.parse()?)? };
        let method = settings.method.method();
        let keys = &self.keys;
        let name =
            keys.name.clone().unwrap_or_else(|| format!("{}/{}/{method}", source.name(), settings.topology));
        Ok(Cell {
            name,
            source,
            is_classification,
            settings,
            runs: keys.runs.unwrap_or(runs),
            quick: keys.quick,
            table: keys.table.clone().unwrap_or_else(|| "cells".into()),
            paper: keys.paper.clone(),
            given: self,
        })
    }

    /// Checks the keys that can be checked without the data.
    fn check_keys(&self, runs: usize) -> Result<(), Wrong> {
        let keys = &self.keys;
        if keys.runs.unwrap_or(runs) == 0 || keys.quick == Some(0) {
            return Err(Wrong::new("runs and quick must be at least 1"));
        }
        if keys.runs.unwrap_or(runs) > MOST_RUNS {
            return Err(Wrong::new(format!("runs must be at most {MOST_RUNS}")));
        }
        let is_bad = |text: &str| {
            text.trim().is_empty() || text.len() > LONGEST_NAME || text.chars().any(char::is_control)
        };
        if keys.name.as_deref().is_some_and(is_bad) {
            return Err(Wrong::at(
                "name",
                format!("name must be plain text of at most {LONGEST_NAME} bytes"),
            ));
        }
        if keys.table.as_deref().is_some_and(|table| is_bad(table) || table.contains(',')) {
            return Err(Wrong::at("table", "table must be plain text without commas"));
        }
        let paper = keys.paper.as_ref().map_or(Ok(()), Paper::validate);
        paper.map_err(|e| Wrong::at("paper", e.to_string()))
    }

    /// Source, kind of task and settings of a cell with a built-in data set.
    fn builtin(&self, builtin: Builtin) -> Result<(Source, bool, FitSettings), Wrong> {
        let samples = self.noisy_samples(builtin)?;
        let data = self.data.for_builtin(builtin)?;
        let rows = builtin.load(&data)?.train;
        let method = self.settings.method.unwrap_or_default();
        let hidden = self.settings.hidden_layers(&rows, Some(builtin.default_hidden()))?;
        let mut settings = FitSettings::for_builtin(builtin, hidden.as_deref(), method)?;
        self.settings.apply(&mut settings)?;
        Ok((Source::Builtin { builtin, settings: data, samples }, !builtin.is_regression(), settings))
    }

    fn noisy_samples(&self, builtin: Builtin) -> Result<NoisySamples, Wrong> {
        match (self.keys.data_seed.as_deref(), self.keys.data_seeds) {
            (None, None) => Ok(NoisySamples::One),
            (Some("run"), None) if builtin.is_regression() => Ok(NoisySamples::PerTrial),
            (Some(word), None) => Err(Wrong::at(
                "data_seed",
                format!("data_seed \"{word}\": must be a number, or \"run\" for a generated data set"),
            )),
            (seed, Some(_)) if seed.is_some() || self.data.data_seed.is_some() => {
                Err(Wrong::new("data_seed and data_seeds exclude each other; remove one"))
            }
            (_, Some(count)) if count >= 2 && builtin.is_regression() => Ok(NoisySamples::InTurn(count)),
            (_, Some(count)) => Err(Wrong::at(
                "data_seeds",
                format!(
                    "data_seeds {count}: must be a number of noisy samples, at least 2, of a generated data set"
                ),
            )),
        }
    }

    /// Source, kind of task and settings of a cell with a file.
    fn file(
        &self,
        name: &str,
        notices: &mut Vec<(String, TableNotice)>,
    ) -> Result<(Source, bool, FitSettings), Wrong> {
        for (key, given) in
            [("data_seed", self.keys.data_seed.is_some()), ("data_seeds", self.keys.data_seeds.is_some())]
        {
            if given {
                return Err(Wrong::at(
                    key,
                    format!("{key} is for built-in data sets and has no effect on a file"),
                ));
            }
        }
        for (key, is_missing) in [
            ("target, the mean squared error to be reached", self.settings.target.is_none()),
            (
                "hidden, the widths of the hidden layers",
                self.settings.hidden.is_none() && self.settings.topology.is_none(),
            ),
        ] {
            if is_missing {
                return Err(Wrong::new(format!("a cell with a file needs {key}")));
            }
        }
        let mut table_settings = self.data.for_table()?;
        // Trials of older versions refused missing values, and records are found by these settings.
        table_settings.missing = self.data.missing.unwrap_or(Missing::Refuse);
        let path = Path::new(name);
        let strict = SplitRule { train: 1, test: 1, kind: SplitKind::Strict };
        let split = self.data.split_of_table(Split::Rule(strict))?;
        let table = Table::read(path, &table_settings)?;
        notices.extend(table.notices().iter().map(|notice| (path.display().to_string(), notice.clone())));
        // Trials of versions that learnt such numbers by a regression have another fingerprint.
        if table.notices().iter().any(|notice| matches!(notice, TableNotice::TakenForClasses { .. })) {
            table_settings.task = Some(table.task());
        }
        let rows = match self.data.folds {
            Some(folds) => Rows::Folds { table: Arc::new(table), folds, seed: self.data.split_seed() },
            None => Rows::Split { data: Arc::new(table.split(&split)?), split },
        };
        let data = rows.of_trial(0)?;
        let method = self.settings.method.unwrap_or_default();
        let hidden = self.settings.hidden_layers(&data.train, None)?.unwrap_or_default();
        let mut settings = FitSettings::for_data(&data.train, &hidden, method)?;
        self.settings.apply(&mut settings)?;
        let is_classification = data.train.classification;
        let stem = path.file_stem().map_or(name.to_owned(), |s| s.to_string_lossy().into_owned());
        let digest =
            onefold::files::digest_of(path).map_err(|e| Wrong::at("data", format!("{name}: {e}")))?;
        let source = Source::File { stem, rows, digest, settings: table_settings };
        Ok((source, is_classification, settings))
    }
}

/// Looks at a key and its value.
type Check = fn(&str, &Value) -> Result<(), Wrong>;

/// Names of a struct's fields.
fn names_of<T: Default + Serialize>() -> Vec<String> {
    let fields = serde_json::to_value(T::default()).unwrap_or_default();
    fields.as_object().map_or(Vec::new(), |fields| fields.keys().cloned().collect())
}

/// Checks that a value has the type of its key.
fn check<T: DeserializeOwned>(key: &str, value: &Value) -> Result<(), Wrong> {
    let single: toml::Table = [(key.to_owned(), value.clone())].into_iter().collect();
    let read = T::deserialize(Value::Table(single));
    read.map(drop).map_err(|e| Wrong::at(key, format!("{key}: {}", e.message())))
}

fn parse<T: DeserializeOwned>(table: toml::Table) -> Result<T, Wrong> {
    T::deserialize(Value::Table(table)).map_err(|e| Wrong::new(e.message()))
}

/// Whether the value of `data` is the name of a file.
fn is_file(data: &str) -> bool {
    data.contains(['/', '\\', '.'])
}
