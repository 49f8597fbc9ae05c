//! The scores by which models are compared.

use super::Scores;
use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a race compares networks by, and what the importance of a column is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Mean of `-ln p` of the actual class: the default for a classification.
    LogLoss,
    /// Fraction of rows classified correctly.
    Accuracy,
    /// The same as a mean over classes.
    BalancedAccuracy,
    /// Mean over classes of the harmonic mean of precision and recall.
    MacroF1,
    /// Area under the receiver operating characteristic, as a mean over classes against all others.
    Auc,
    /// Root mean squared error: the default for a regression.
    Rmse,
    /// Mean absolute error.
    Mae,
    /// Coefficient of determination; it orders networks as the squared error does.
    R2,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::LogLoss,
        Self::Accuracy,
        Self::BalancedAccuracy,
        Self::MacroF1,
        Self::Auc,
        Self::Rmse,
        Self::Mae,
        Self::R2,
    ];

    /// The one that is used if none is given.
    #[must_use]
    pub fn default_for(classification: bool) -> Self {
        if classification { Self::LogLoss } else { Self::Rmse }
    }

    /// Whether it is for a classification; otherwise it is for a regression.
    #[must_use]
    pub fn is_for_classes(self) -> bool {
        !matches!(self, Self::Rmse | Self::Mae | Self::R2)
    }

    /// The name on the command line and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LogLoss => "log-loss",
            Self::Accuracy => "accuracy",
            Self::BalancedAccuracy => "balanced-accuracy",
            Self::MacroF1 => "macro-f1",
            Self::Auc => "auc",
            Self::Rmse => "rmse",
            Self::Mae => "mae",
            Self::R2 => "r2",
        }
    }

    /// Whether more is better.
    #[must_use]
    pub fn is_better_if_higher(self) -> bool {
        !matches!(self, Self::LogLoss | Self::Rmse | Self::Mae)
    }

    /// Its value among scores; none if they are those of the other task, or it is not defined on their rows.
    #[must_use]
    pub fn of(self, scores: &Scores) -> Option<f64> {
        match self {
            Self::LogLoss => scores.log_loss,
            Self::Accuracy => scores.accuracy,
            Self::BalancedAccuracy => scores.balanced_accuracy,
            Self::MacroF1 => scores.f1,
            Self::Auc => scores.auc,
            Self::Rmse => scores.mae.map(|_| scores.rmse),
            Self::Mae => scores.mae,
            Self::R2 => scores.r2,
        }
    }

    /// Refuses a metric of the other task.
    pub(crate) fn check_task(self, classification: bool) -> Result<(), Error> {
        if self.is_for_classes() == classification {
            return Ok(());
        }
        let task = if classification { "classification" } else { "regression" };
        let fits = |metric: &Self| metric.is_for_classes() == classification;
        let names: Vec<&str> = Self::ALL.into_iter().filter(fits).map(Self::name).collect();
        Err(Error::setting("metric", self, format!("must be one of {} for a {task}", names.join(", "))))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let names = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|metric| metric.name() == text);
        found.ok_or_else(|| Error::setting("metric", text, format!("must be one of {names}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for metric in Metric::ALL {
            assert_eq!(metric.name().parse::<Metric>().unwrap(), metric);
        }
        assert!("f1".parse::<Metric>().is_err());
    }
}
