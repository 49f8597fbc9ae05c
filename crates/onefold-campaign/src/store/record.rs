//! A finished trial, and its line in a store.

use crate::{Cell, Error};
use onefold::StopReason;
use serde::{Deserialize, Serialize};

/// Version of the record format.
const FORMAT: u32 = 1;

/// Convergence history of a search: evaluations and best cost.
pub type Trace = Vec<(u64, f64)>;

/// A finished trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    format: u32,
    /// Name of its cell.
    pub cell: String,
    /// Its seed.
    pub seed: u64,
    /// Seed of its data, if that is generated.
    pub data_seed: Option<u64>,
    /// Whether the threshold was reached.
    pub reached: bool,
    /// Evaluations of the cost.
    pub evaluations: u64,
    /// Candidates whose derivatives (gradient and Gauss-Newton matrix) were computed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub slopes: u64,
    /// Evaluations, with derivatives counted as the evaluations that take equal time; none without
    /// derivatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation_equivalents: Option<f64>,
    /// Number of local optima found, up to symmetry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optima: Option<usize>,
    /// Generations.
    pub generations: u64,
    /// Cost of the best candidate.
    pub cost: f64,
    /// Mean squared error of the model on the training rows, by a plain forward pass.
    pub verified_cost: f64,
    /// Fraction of training rows classified correctly; records of 0.1.0 do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_accuracy: Option<f64>,
    /// Mean squared error on the test rows.
    pub test_mse: Option<f64>,
    /// Fraction of test rows classified correctly.
    pub test_accuracy: Option<f64>,
    /// Why the search ended.
    pub stop: StopReason,
    /// Restarts of the search.
    pub restarts: usize,
    /// Seconds of the search.
    pub seconds: f64,
    /// Version that made the record.
    pub version: String,
    /// Fingerprint of all settings.
    pub settings: String,
    /// Interpretations of the paper, and all other settings.
    pub readings: serde_json::Value,
    /// Convergence history: evaluations and best cost.
    pub trace: Trace,
    /// Weights and biases of the hidden neurons.
    pub parameters: Vec<f64>,
}

/// The result of a trial, from which its record is made.
pub(crate) struct Outcome<'a> {
    pub(crate) cell: &'a Cell,
    pub(crate) seed: u64,
    pub(crate) fitted: &'a onefold::Fitted,
    pub(crate) trace: Trace,
}

impl Record {
    pub(crate) fn new(outcome: Outcome<'_>) -> Self {
        let Outcome { cell, seed, fitted, trace } = outcome;
        let (report, metrics) = (&fitted.report, &fitted.model.metrics());
        Self {
            format: FORMAT,
            cell: cell.name.clone(),
            seed,
            data_seed: cell.data_seed(seed),
            reached: report.reached,
            evaluations: report.evaluations,
            slopes: report.slopes,
            evaluation_equivalents: (report.slopes > 0).then_some(report.evaluation_equivalents),
            optima: (report.slopes > 0).then_some(report.optima.len()),
            generations: report.generations,
            cost: report.cost,
            verified_cost: report.verified_cost,
            train_accuracy: metrics.train_accuracy,
            test_mse: metrics.test_mse,
            test_accuracy: metrics.test_accuracy,
            stop: report.stop,
            restarts: report.restarts.len(),
            seconds: report.seconds,
            version: env!("CARGO_PKG_VERSION").into(),
            settings: cell.fingerprint(),
            readings: cell.readings(),
            trace,
            parameters: fitted.model.hidden().to_vec(),
        }
    }
}

impl Record {
    /// Its line in a store, with the line break.
    ///
    /// # Errors
    ///
    /// Never, as it consists of numbers and text.
    pub fn line(&self) -> Result<Vec<u8>, Error> {
        let mut line = serde_json::to_vec(self).map_err(|e| Error::input(e.to_string()))?;
        line.push(b'\n');
        Ok(line)
    }

    /// Reads a line of a store.
    ///
    /// # Errors
    ///
    /// If it is not a record.
    pub fn from_line(line: &[u8]) -> Result<Self, Error> {
        parse(line).map_err(Error::Input)
    }

    /// The record without what tables of results do not show, which is nearly all of it: its settings, its
    /// convergence history and the parameters of its network.
    pub(super) fn without_details(self) -> Self {
        let (trace, parameters) = (Trace::new(), Vec::new());
        let (version, settings, readings) = (String::new(), String::new(), serde_json::Value::Null);
        Self { version, settings, readings, trace, parameters, ..self }
    }

    /// Evaluations of the trial, derivatives included.
    #[must_use]
    pub fn effort(&self) -> f64 {
        self.evaluation_equivalents.unwrap_or(self.evaluations as f64)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How every record begins.
const BEGIN: &[u8] = b"{\"format\":";

/// The message about a line that is not a record.
pub(super) const NOT_A_RECORD: &str = "this is not the record of a trial; remove the line";

/// Whether a last line may be a part of a record, whose end is missing or not yet written.
pub(super) fn may_be_partial(line: &[u8]) -> bool {
    line.starts_with(BEGIN) || BEGIN.starts_with(line) || line.trim_ascii().is_empty()
}

/// Parses the record in a line, or says why that fails.
pub(super) fn parse(line: &[u8]) -> Result<Record, String> {
    // After merging stores, a complete record may follow a partial one in the same line.
    let last = line.windows(BEGIN.len()).rposition(|part| part == BEGIN).filter(|at| *at > 0);
    let value: serde_json::Value = serde_json::from_slice(line)
        .or_else(|e| last.map_or(Err(e), |at| serde_json::from_slice(&line[at..])))
        .map_err(|_| NOT_A_RECORD.to_string())?;
    match value.get("format").and_then(serde_json::Value::as_u64) {
        Some(format) if format == u64::from(FORMAT) => {}
        Some(format) => {
            return Err(format!(
                "this record has format {format}, but this version reads {FORMAT}; use another store, or the version that wrote it"
            ));
        }
        None => return Err(NOT_A_RECORD.into()),
    }
    serde_json::from_value(value).map_err(|e| format!("this record is damaged ({e}); remove the line"))
}
