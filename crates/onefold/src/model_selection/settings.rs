//! Settings of a selection.

use crate::optimizer::LocalSettings;
use crate::{Error, FitSettings, Method, MethodSettings, Stop, Topology};
use serde::{Deserialize, Serialize};

/// Settings of [`select`](super::select).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelectionSettings {
    /// Widths of the hidden layer, increasing. Default 1, 2, 3, 4, 6, 8, 12, 16, 24, 32; at least one.
    pub widths: Vec<usize>,
    /// Decays to select from without a threshold, decreasing. Default from 0.1 to 1e-6, and 0; at least one.
    pub decays: Vec<f64>,
    /// Folds of the cross-validation. Default 5; at least 2.
    pub folds: usize,
    /// Repetitions of the cross-validation with other folds, to reduce its variance; with `n` rows at most
    /// 2000 / n, rounded up. Default 3; at least 1.
    pub repeats: usize,
    /// Maximum number of rows; of more rows a random sample is used. Default 5000; at least 10.
    pub rows: usize,
    /// Stops after this many sizes in a row without improvement. Default 2; at least 1.
    pub waiting: usize,
    /// [Patience](LocalSettings::patience) of searches in cross-validation. Default 4; at least 1.
    pub patience: u64,
    /// Patience of searches for a threshold. Default 50; at least 1.
    pub patience_for_threshold: u64,
    /// Maximum number of multiplications, about 4e9 per second. They are counted, not timed, so that the
    /// selection does not depend on the machine. Default 2e11; positive.
    pub operations: f64,
    /// Worker threads, 0 for one per core. Default 1. The selection does not depend on it.
    pub threads: usize,
}

impl Default for SelectionSettings {
    fn default() -> Self {
        Self {
            widths: vec![1, 2, 3, 4, 6, 8, 12, 16, 24, 32],
            decays: vec![1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 0.0],
            folds: 5,
            repeats: 3,
            rows: 5000,
            waiting: 2,
            patience: 4,
            patience_for_threshold: 50,
            operations: 2e11,
            threads: 1,
        }
    }
}

impl SelectionSettings {
    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        let is_increasing = self.widths.windows(2).all(|w| w[0] < w[1]);
        if self.widths.is_empty() || self.widths[0] == 0 || !is_increasing {
            let expected = "must be increasing numbers of neurons, at least 1";
            return Err(Error::setting("widths", format!("{:?}", self.widths), expected));
        }
        let is_decreasing = self.decays.windows(2).all(|d| d[0] > d[1]);
        if self.decays.is_empty() || !self.decays.iter().all(|d| *d >= 0.0 && d.is_finite()) || !is_decreasing
        {
            let expected = "must be decreasing numbers of at least 0";
            return Err(Error::setting("decays", format!("{:?}", self.decays), expected));
        }
        if self.operations.is_nan() || self.operations <= 0.0 {
            return Err(Error::setting("operations", self.operations, "must be positive"));
        }
        for (name, value, least) in [
            ("folds", self.folds as u64, 2),
            ("repeats", self.repeats as u64, 1),
            ("rows", self.rows as u64, 10),
            ("waiting", self.waiting as u64, 1),
            ("patience", self.patience, 1),
            ("patience_for_threshold", self.patience_for_threshold, 1),
        ] {
            if value < least {
                return Err(Error::setting(name, value, format!("must be at least {least}")));
            }
        }
        Ok(())
    }

    /// The settings with which a network is trained during the selection.
    pub(super) fn fit_settings(
        template: &FitSettings,
        topology: Topology,
        decay: f64,
        patience: u64,
    ) -> FitSettings {
        let mut template = template.clone();
        let mut method = MethodSettings::new(Method::AUTO);
        method.common.seed = template.method.common.seed;
        if !template.method.method().has_population() {
            method.common.start = template.method.common.start;
        }
        if let Some(local) = method.own_mut::<LocalSettings>() {
            (local.patience, local.patience_with_threshold) = (Some(patience), Some(patience));
        }
        template.cost.decay = decay;
        template.cost.threads = 1;
        FitSettings {
            topology,
            method,
            stop: Stop {
                threshold: template.stop.threshold,
                max_evaluations: Some(10_000_000),
                ..Stop::default()
            },
            ..template
        }
    }
}

/// Approximate number of multiplications of a local step.
pub(super) fn operations(topology: &Topology, rows: usize) -> f64 {
    let (dim, rows) = (topology.dim() as f64, rows as f64);
    let columns = (topology.readout_columns() + topology.outputs()) as f64;
    rows * dim * (dim / 2.0 + columns) + dim * dim * dim / 6.0 + 2.0 * dim * dim
}
