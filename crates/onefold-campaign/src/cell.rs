//! A cell of a campaign: all settings of its trials except the seed.

use super::source::{NoisySamples, Source};
use super::spec::CellFile;
use crate::Error;
use onefold::data::TargetScaling;
use onefold::files::digest;
use onefold::optimizer::{Covariance, Reference};
use onefold::{Alignment, Builtin, CmaSettings, CommonSettings, DeSettings, FitSettings, Method, TrainTest};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// The spread that readings omit, because all records of earlier versions were made with it.
const DEFAULT_SPREAD: f64 = 1e-9;

/// A cell: a data set, a network and a method, with all settings of its trials except the seed.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its name, unique in the campaign.
    pub name: String,
    /// Its data.
    pub source: Source,
    /// Whether its trials learn classes.
    pub is_classification: bool,
    /// The settings of its trials, except the seed.
    pub settings: FitSettings,
    /// Number of trials: the seeds are 0, 1, 2 and so on.
    pub runs: usize,
    /// Runs in the quick subset; none if not part of it.
    pub quick: Option<usize>,
    /// The table that it belongs to.
    pub table: String,
    /// The paper's results for it.
    pub paper: Option<Paper>,
    /// The cell as given in the file, to be written to another one.
    pub given: CellFile,
}

/// The paper's results for a cell.
#[derive(Clone, Debug, Default, Deserialize, serde::Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Mean evaluations to the threshold (MFE).
    pub evaluations: Option<f64>,
    /// Their standard deviation.
    pub deviation: Option<f64>,
    /// Fraction of runs that reached the threshold.
    pub robustness: f64,
    /// Test error, or fraction of test rows classified correctly.
    pub test: Option<f64>,
    /// Its standard deviation.
    pub test_deviation: Option<f64>,
}

impl Paper {
    /// Checks the numbers.
    ///
    /// # Errors
    ///
    /// If one is out of its range.
    pub fn validate(&self) -> Result<(), Error> {
        let is_positive = |v: Option<f64>| v.is_none_or(|v| v > 0.0 && v.is_finite());
        let is_deviation = |v: Option<f64>| v.is_none_or(|v| v >= 0.0 && v.is_finite());
        let wrong = |message: &str| Err(Error::input(format!("in paper, {message}")));
        if !(0.0..=1.0).contains(&self.robustness) {
            return wrong("robustness must lie between 0 and 1");
        }
        if !is_positive(self.evaluations) {
            return wrong("evaluations must be positive");
        }
        if !is_deviation(self.deviation) || !is_deviation(self.test_deviation) || !is_deviation(self.test) {
            return wrong("deviations and test results must be numbers of at least 0");
        }
        Ok(())
    }
}

impl Cell {
    /// The data of a trial.
    ///
    /// # Errors
    ///
    /// If the data cannot be read or made.
    pub fn load(&self, seed: u64) -> Result<Arc<TrainTest>, Error> {
        match &self.source {
            Source::Builtin { builtin, settings, samples } => {
                let mut settings = settings.clone();
                if *samples != NoisySamples::One {
                    settings.data_seed = self.data_seed(seed);
                }
                Ok(Arc::new(builtin.load(&settings)?))
            }
            Source::File { rows, .. } => Ok(rows.of_trial(seed)?),
        }
    }

    /// Seed of a trial's data, if it is generated.
    #[must_use]
    pub fn data_seed(&self, seed: u64) -> Option<u64> {
        match &self.source {
            Source::Builtin { samples: NoisySamples::PerTrial, .. } => Some(1 + seed),
            Source::Builtin { samples: NoisySamples::InTurn(count), .. } => Some(1 + seed % count),
            Source::Builtin { builtin, settings, .. } if builtin.split().is_none() => {
                Some(settings.data_seed.unwrap_or(1))
            }
            _ => None,
        }
    }

    /// The file that its data is read from, if it is one.
    #[must_use]
    pub fn data_file(&self) -> Option<&Path> {
        matches!(self.source, Source::File { .. }).then(|| self.given.data().map(Path::new)).flatten()
    }

    /// Another cell that this one is compared with.
    #[must_use]
    pub fn versus(&self) -> Option<&str> {
        self.given.versus()
    }

    /// Its method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.settings.method.method()
    }

    /// A file name for a trial, unique for each cell and seed.
    #[must_use]
    pub fn file_name(&self, seed: u64) -> String {
        let plain: String = self
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
            .take(80)
            .collect();
        format!("{plain}.{}.{seed}", digest(self.name.as_bytes()))
    }

    /// The first setting in which a record's readings differ from this cell's.
    #[must_use]
    pub fn difference(&self, theirs: &Value) -> String {
        let ours = self.readings();
        let empty = serde_json::Map::new();
        let (a, b) = (theirs.as_object().unwrap_or(&empty), ours.as_object().unwrap_or(&empty));
        let mut keys = a.keys().chain(b.keys());
        match keys.find(|key| a.get(*key) != b.get(*key)) {
            Some(key) => {
                let shown = |v: Option<&Value>| v.map_or("nothing".into(), ToString::to_string);
                format!("{key} {} there, {} now", shown(a.get(key)), shown(b.get(key)))
            }
            None => "another data set, network or method".into(),
        }
    }

    /// Data and network, by which the rows of a table are grouped.
    #[must_use]
    pub fn network(&self) -> String {
        format!("{} {}", self.source.name(), self.settings.topology)
    }

    /// Expected number of evaluations of a trial.
    #[must_use]
    pub fn expected_evaluations(&self) -> f64 {
        let budget = self.settings.stop.max_evaluations.map_or(1e8, |max| max as f64);
        let expected = self.paper.as_ref().and_then(|p| p.evaluations).unwrap_or(1e6);
        if self.paper.as_ref().is_some_and(|p| p.robustness == 0.0) { budget } else { expected.min(budget) }
    }

    /// Digest of all settings of a trial except its seed, to detect records made with other settings.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let data = match &self.source {
            // Version 0.1.0 called the printed formula syn5; with that name its records stay valid.
            Source::Builtin { builtin: Builtin::Syn5Printed, .. } => Builtin::Syn5.name(),
            other => other.name(),
        };
        let text = json!([data, self.settings.topology, self.method(), self.readings()]).to_string();
        digest(text.as_bytes())
    }

    /// The interpretations of the paper, and all other settings of a trial. A setting that a later version
    /// added is included only if it differs from its default, so that older records stay valid.
    #[must_use]
    pub fn readings(&self) -> Value {
        let method = &self.settings.method;
        let cost = &self.settings.cost;
        let mut readings = json!({
            "population": self.settings.population(),
            "target": self.settings.stop.threshold,
            "max_evaluations": self.settings.stop.max_evaluations,
            "penalty_weight": cost.penalty_weight,
            "penalty_radius": cost.penalty_radius,
            "rank_tolerance": cost.rank_tolerance,
            "output_bias": cost.output_bias,
            "scaling": self.settings.scaling,
        });
        let mut set = |name: &str, value: Value| readings[name] = value;
        if let Some(de) = method.own::<DeSettings>() {
            set("mutation", json!(de.mutation));
            set("weight", json!(de.weight));
            set("crossover", json!(de.crossover));
            set("crossover_rate", json!(de.crossover_rate));
            if de.align_to != Reference::default() {
                set("reference", json!(de.align_to));
            }
        }
        if self.settings.align != Alignment::default() {
            set("align", json!(self.settings.align));
        }
        if self.settings.target_scaling != TargetScaling::default() {
            set("target_scaling", json!(self.settings.target_scaling));
        }
        if let Some(cma) = method.own::<CmaSettings>() {
            set("sigma", json!(cma.sigma));
            set("preset", json!(cma.preset));
            if cma.covariance != Covariance::default() {
                set("covariance", json!(cma.covariance));
            }
        }
        let common = &method.common;
        if common.start != CommonSettings::default().start {
            set("start", json!(common.start));
        }
        let stop = &self.settings.stop;
        let added_later = [
            ("bounds", common.bounds.map(|v| json!(v))),
            ("decay", Some(cost.decay).filter(|d| *d > 0.0).map(|v| json!(v))),
            ("max_generations", stop.max_generations.map(|v| json!(v))),
            ("stagnation", stop.stagnation.map(|v| json!(v))),
            ("spread", stop.spread.filter(|s| s.to_bits() != DEFAULT_SPREAD.to_bits()).map(|v| json!(v))),
        ];
        for (name, value) in added_later {
            if let Some(value) = value {
                set(name, value);
            }
        }
        self.source.add_readings(&mut readings);
        readings
    }
}
