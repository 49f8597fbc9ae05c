//! Settings of a selection.

use crate::data::Related;
use crate::optimizer::LocalSettings;
use crate::scores::Metric;
use crate::settings::OutputLayer;
use crate::{Error, FitSettings, Method, MethodSettings, Stop, Topology};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Settings of [`select`](super::select).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelectionSettings {
    /// What networks are compared by. Default the log loss for a classification, the squared error for a
    /// regression.
    pub metric: Option<Metric>,
    /// What is preferred. Default the smallest network that is no worse than the best.
    pub prefer: Preference,
    /// Hidden layers to select from, as in `8` or `10-1-10`; networks that are too large for the number of
    /// rows are left out, except the first. Default one layer of 1 to 128 neurons, two and three layers, and
    /// narrow layers between wide ones, as in the paper's networks for two-spirals. At least one.
    pub shapes: Vec<String>,
    /// Hidden layers that are given, as in `8` or `8+linear`, so that only the decay is selected, and
    /// baselines are shown but never selected. Default none.
    pub hidden: Option<String>,
    /// Whether networks have a linear part. Default none: both are tried.
    pub linear_part: Option<bool>,
    /// Decays to select from without a threshold, increasing. Default 0, and from 1e-6 to 0.1; at least one.
    pub decays: Vec<f64>,
    /// The same for networks that are trained for cross-entropy. Default from 1e-5 to 0.03; all positive.
    pub cross_entropy_decays: Vec<f64>,
    /// The output layer of a classification. Default none, which compares networks whose hidden layers are
    /// those of least squares ([`OutputLayer::Logistic`]) with those trained for cross-entropy.
    pub output_layer: Option<OutputLayer>,
    /// Folds of the cross-validation. Default 5; at least 2.
    pub folds: usize,
    /// Repetitions of the cross-validation with other folds, with fewer than 2000 rows and as long as the
    /// race is undecided. Default 3; at least 1.
    pub repeats: usize,
    /// Widths of the hidden layer for a threshold, increasing. Default 1, 2, 3, 4, 6, 8, 12, 16, 24, 32; at
    /// least one.
    pub widths: Vec<usize>,
    /// [Patience](LocalSettings::patience) of searches for a threshold. Default 50; at least 1.
    pub patience_for_threshold: u64,
    /// Effort in seconds on one core of the machine that the counts were made on. It is counted, not timed,
    /// so that the selection does not depend on the machine. Default 10 for a small table up to 50 for a
    /// large one; positive.
    pub effort: Option<f64>,
    /// How the rows belong together, which folds respect. Default they do not.
    #[serde(skip)]
    pub related: Option<Arc<Related>>,
    /// Worker threads, 0 for one per core. Default 1. The selection does not depend on it.
    pub threads: usize,
}

/// Which of the networks that are no worse than the best is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preference {
    /// The smallest of those whose loss exceeds the best by at most one standard error.
    #[default]
    Size,
    /// The one with the lowest loss.
    Accuracy,
}

/// Hidden layers that are tried unless others are given.
const SHAPES: [&str; 24] = [
    "1", "2", "3", "4", "6", "8", "12", "16", "24", "32", "48", "64", "128", "3-3", "6-6", "12-12", "20-20",
    "32-32", "5-1-5", "10-1-10", "12-2-12", "6-6-6", "12-12-12", "20-20-20",
];

impl Default for SelectionSettings {
    fn default() -> Self {
        Self {
            metric: None,
            prefer: Preference::Size,
            shapes: SHAPES.map(String::from).to_vec(),
            hidden: None,
            linear_part: None,
            decays: vec![0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1],
            cross_entropy_decays: vec![1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2],
            output_layer: None,
            folds: 5,
            repeats: 3,
            widths: vec![1, 2, 3, 4, 6, 8, 12, 16, 24, 32],
            patience_for_threshold: 50,
            effort: None,
            related: None,
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
        if self.shapes.is_empty() {
            return Err(Error::setting("shapes", "[]", "must have at least one entry"));
        }
        let is_increasing = |decays: &[f64]| decays.windows(2).all(|d| d[0] < d[1]);
        let are_decays = |decays: &[f64]| decays.iter().all(|d| *d >= 0.0 && d.is_finite());
        if self.decays.is_empty() || !are_decays(&self.decays) || !is_increasing(&self.decays) {
            let expected = "must be increasing numbers of at least 0";
            return Err(Error::setting("decays", format!("{:?}", self.decays), expected));
        }
        let decays = &self.cross_entropy_decays;
        if !are_decays(decays) || !is_increasing(decays) || decays.contains(&0.0) {
            let expected = "must be increasing numbers above 0";
            return Err(Error::setting("cross_entropy_decays", format!("{decays:?}"), expected));
        }
        if let Some(effort) = self.effort.filter(|effort| !(*effort > 0.0 && effort.is_finite())) {
            return Err(Error::setting("effort", effort, "must be positive"));
        }
        for (name, value, least) in [
            ("folds", self.folds as u64, 2),
            ("repeats", self.repeats as u64, 1),
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
