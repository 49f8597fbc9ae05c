//! How the output layer of a classification is solved.

use super::FitSettings;
use crate::{Dataset, Error};
use serde::{Deserialize, Serialize};

/// How the output layer is solved after the search, which always solves it by least squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputLayer {
    /// By least squares, as in the search.
    #[default]
    LeastSquares,
    /// By logistic regression: the outputs are probabilities of the classes.
    Logistic,
    /// By logistic regression; then all weights, those of hidden layers among them, descend together to a
    /// minimum of the same cross-entropy. The L2 penalty is on all weights, not on shifts and biases.
    CrossEntropy,
}

impl OutputLayer {
    /// Whether the outputs are probabilities of the classes.
    #[must_use]
    pub fn has_probabilities(self) -> bool {
        self != Self::LeastSquares
    }

    /// The name in settings and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LeastSquares => "least-squares",
            Self::Logistic => "logistic",
            Self::CrossEntropy => "cross-entropy",
        }
    }
}

/// Least L2 penalty of probabilities: without one, weights grow without limit where classes can be separated.
const LEAST_PENALTY: f64 = 1e-6;

impl FitSettings {
    /// L2 penalty of the logistic output layer, and of cross-entropy.
    pub(crate) fn logistic_penalty(&self) -> f64 {
        self.cost.decay.max(LEAST_PENALTY)
    }

    /// Checks the output layer, independently of the data.
    pub(super) fn validate_output_layer(&self) -> Result<(), Error> {
        let has_probabilities = self.output_layer.has_probabilities();
        if has_probabilities && let Some(threshold) = self.stop.threshold {
            let expected = format!(
                "must be least-squares where the run ends at a target ({threshold:e}), which is a mean squared \
                 error of least squares; leave one of both out"
            );
            return Err(Error::setting("output_layer", self.output_layer.name(), expected));
        }
        let temperature = self.temperature;
        if !(temperature > 0.0 && temperature.is_finite()) {
            return Err(Error::setting("temperature", temperature, "must be a positive number"));
        }
        if !has_probabilities && !is_one(&temperature) {
            let expected = "must be left out unless output_layer is logistic or cross-entropy";
            return Err(Error::setting("temperature", temperature, expected));
        }
        Ok(())
    }

    /// Checks that the output layer fits these rows.
    pub(crate) fn check_output_layer(&self, data: &Dataset) -> Result<(), Error> {
        if self.output_layer.has_probabilities() && !data.classification {
            let name = self.output_layer.name();
            let expected =
                format!("must be least-squares for a regression: {name} gives probabilities of classes");
            return Err(Error::setting("output_layer", name, expected));
        }
        Ok(())
    }
}

/// The temperature that changes nothing.
pub(super) fn one() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) fn is_one(temperature: &f64) -> bool {
    temperature.to_bits() == one().to_bits()
}
