//! What is left after training: a network that predicts, and its file.

use crate::data::winner;
use crate::network::plain;
use crate::{BuiltinSettings, Dataset, Error, FitSettings, Scaler, StopReason, Topology};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// First field of every model file.
const FORMAT: &str = "onefold-model";
/// Version of the file format that this version of the library writes.
const FORMAT_VERSION: u32 = 1;

/// A trained network with everything needed to use it.
///
/// Predictions are made in plain `f64` arithmetic with the standard library's `tanh`, one row at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    format: String,
    format_version: u32,
    /// Version of onefold that made it.
    pub made_by: String,
    /// Layers.
    pub topology: Topology,
    /// Weights and shifts of the hidden neurons, in the order of [`Topology::neuron`].
    pub hidden: Vec<f64>,
    /// For each output the weights of the last hidden layer, and a bias at the end where the network has one.
    pub readout: Vec<Vec<f64>>,
    /// Scaling of the inputs.
    pub scaler: Scaler,
    /// Names of the inputs.
    pub input_names: Vec<String>,
    /// Names of the outputs, or the classes.
    pub output_names: Vec<String>,
    /// Whether the outputs stand for classes; the largest one wins.
    pub classification: bool,
    /// How well it does.
    pub metrics: Metrics,
    /// Where it came from.
    pub origin: Origin,
}

/// Errors and accuracies of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// Mean squared error over training rows and outputs.
    pub train_mse: f64,
    /// The same over test rows, where there are any.
    pub test_mse: Option<f64>,
    /// Share of training rows classified correctly.
    pub train_accuracy: Option<f64>,
    /// Share of test rows classified correctly.
    pub test_accuracy: Option<f64>,
}

/// How a model was made: enough to make it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// What it was trained on, in words.
    pub data: String,
    /// How that data was loaded, where it is built in: size, noise, data seed, split, encoding.
    pub data_settings: Option<BuiltinSettings>,
    /// Whether the target was reached.
    pub reached: bool,
    /// Why the search ended.
    pub stop: StopReason,
    /// Candidates evaluated.
    pub evaluations: u64,
    /// Cost as the search saw it.
    pub cost: f64,
    /// Cost by a plain forward pass.
    pub verified_cost: f64,
    /// Columns of the least-squares problem that were kept.
    pub rank: usize,
    /// Smallest share of its squared norm that a kept column had left: how near to collinear the hidden outputs are.
    pub least_share: f64,
    /// All settings, the seed among them.
    pub settings: FitSettings,
}

impl Model {
    pub(crate) fn new(
        topology: Topology,
        hidden: Vec<f64>,
        readout: Vec<Vec<f64>>,
        scaler: Scaler,
        train: &Dataset,
        origin: Origin,
    ) -> Self {
        Self {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            made_by: format!("onefold {}", env!("CARGO_PKG_VERSION")),
            topology,
            hidden,
            readout,
            scaler,
            input_names: train.input_names.clone(),
            output_names: train.output_names.clone(),
            classification: train.classification,
            metrics: Metrics {
                train_mse: f64::NAN,
                test_mse: None,
                train_accuracy: None,
                test_accuracy: None,
            },
            origin,
        }
    }

    /// The outputs for one row of unscaled inputs.
    ///
    /// # Panics
    /// If the row has not as many inputs as the network.
    #[must_use]
    pub fn predict(&self, input: &[f64]) -> Vec<f64> {
        assert_eq!(input.len(), self.topology.inputs(), "inputs of a row");
        plain(&self.topology, &self.hidden, &self.readout, &self.scaler.apply(input))
    }

    /// The class that wins for one row of unscaled inputs, or none for a regression.
    ///
    /// # Panics
    /// As [`predict`](Self::predict).
    #[must_use]
    pub fn classify(&self, input: &[f64]) -> Option<&str> {
        self.classification.then(|| self.output_names[winner(&self.predict(input))].as_str())
    }

    /// Mean squared error and, for a classification, accuracy over all rows of `data`; none without rows.
    #[must_use]
    pub fn score(&self, data: &Dataset) -> Option<(f64, Option<f64>)> {
        let (mut squared, mut correct) = (0.0, 0);
        for row in 0..data.rows() {
            let (predicted, output) = (self.predict(&data.input(row)), data.output(row));
            squared += predicted.iter().zip(&output).map(|(p, y)| (y - p).powi(2)).sum::<f64>();
            correct += usize::from(winner(&predicted) == winner(&output));
        }
        let rows = data.rows() as f64;
        (rows > 0.0).then(|| {
            (squared / (rows * data.outputs.len() as f64), self.classification.then(|| correct as f64 / rows))
        })
    }

    /// Number of parameters: hidden ones and output weights.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.hidden.len() + self.readout.iter().map(Vec::len).sum::<usize>()
    }

    /// Whether the outputs have biases.
    #[must_use]
    pub fn has_output_bias(&self) -> bool {
        self.readout[0].len() > self.topology.last_hidden()
    }

    /// The file's text.
    ///
    /// # Panics
    /// Never: all parts can be written as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a model is plain data") + "\n"
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// One sentence on what is wrong with it.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let what =
            if text.contains(FORMAT) { "the model file is damaged" } else { "this is not a model file" };
        let head: serde_json::Value = serde_json::from_str(text).map_err(|e| format!("{what}: {e}"))?;
        if head.get("format").and_then(|f| f.as_str()) != Some(FORMAT) {
            return Err(format!("this is not a model file: it does not say \"format\": \"{FORMAT}\""));
        }
        match head.get("format_version").map(serde_json::Value::as_u64) {
            Some(Some(v)) if v == u64::from(FORMAT_VERSION) => {}
            Some(Some(v)) => {
                return Err(format!(
                    "it has format version {v}, and this onefold reads version {FORMAT_VERSION}; use a newer one"
                ));
            }
            _ => return Err("the model file is damaged: it has no format_version".into()),
        }
        let model: Self =
            serde_json::from_str(text).map_err(|e| format!("the model file is damaged: {e}"))?;
        model.check().map_err(|e| format!("the model file is damaged: {e}"))?;
        Ok(model)
    }

    fn check(&self) -> Result<(), String> {
        let t = &self.topology;
        let width = self.readout.first().map_or(0, Vec::len);
        for (what, found, expected) in [
            ("hidden parameters", self.hidden.len(), t.dim()),
            ("readout rows", self.readout.len(), t.outputs()),
            ("input names", self.input_names.len(), t.inputs()),
            ("output names", self.output_names.len(), t.outputs()),
            ("scaler offsets", self.scaler.offset.len(), t.inputs()),
            ("scaler scales", self.scaler.scale.len(), t.inputs()),
            ("readout columns", width, t.last_hidden() + usize::from(width == t.last_hidden() + 1)),
        ] {
            if found != expected {
                return Err(format!("it has {found} {what}, and {t} needs {expected}"));
            }
        }
        if self.readout.iter().any(|row| row.len() != width) {
            return Err("its readout rows differ in length".into());
        }
        if self.scaler.scale.contains(&0.0) {
            return Err("its scaler divides by zero".into());
        }
        Ok(())
    }

    /// Loads a model file.
    ///
    /// # Errors
    /// If the file cannot be read, is foreign or damaged, or has a newer format.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let failed = |reason| Error::Model { path: path.into(), reason };
        if path.is_dir() {
            return Err(failed("this is a directory, not a model file".into()));
        }
        let text = fs::read_to_string(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::InvalidData => failed("this is not a model file: it is not text".into()),
            _ => failed(e.to_string()),
        })?;
        Self::from_json(&text).map_err(failed)
    }

    /// Saves a model file: written beside and renamed, so that there is never half a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        write_whole(path, self.to_json().as_bytes())
    }
}

/// Writes a file under a temporary name beside it and renames it. A link is followed; a pipe or device is written to directly.
///
/// # Errors
/// If that cannot be done; nothing is left behind then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |e: std::io::Error| Error::Write { path: path.into(), reason: e.to_string() };
    let Some((target, temporary)) = check_writable(path)? else {
        return fs::OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut f| f.write_all(bytes))
            .map_err(failed);
    };
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, &target));
    written.map_err(|e| {
        let _ = fs::remove_file(&temporary);
        failed(e)
    })
}

/// Finds out whether [`write_whole`] can write a file, without changing anything: the file it would replace and the temporary name
/// it would use, or none for a pipe or device.
///
/// # Errors
/// Says why the file cannot be written.
pub fn check_writable(path: &Path) -> Result<Option<(PathBuf, PathBuf)>, Error> {
    let refused = |reason: &str| Error::Write { path: path.into(), reason: reason.into() };
    let ends_in_slash = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    if path.is_dir() || path.file_name().is_none() || ends_in_slash {
        return Err(refused("this is a directory; name a file"));
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    if let Ok(metadata) = fs::metadata(&target) {
        if !metadata.is_file() {
            return Ok(None);
        }
        if metadata.permissions().readonly() {
            return Err(refused("this file is read-only; name another"));
        }
    }
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".tmp-{}", std::process::id()));
    let temporary = target.with_file_name(name);
    fs::File::create(&temporary).and_then(|_| fs::remove_file(&temporary)).map_err(|e| {
        let folder = target.parent().is_some_and(|p| !p.as_os_str().is_empty() && !p.exists());
        if folder { refused("its folder does not exist") } else { refused(&e.to_string()) }
    })?;
    Ok(Some((target, temporary)))
}

#[cfg(test)]
mod tests;
