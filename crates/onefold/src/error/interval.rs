//! Why a model has no prediction interval.

/// Why there is no prediction interval.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoInterval {
    /// The model is a classification.
    #[error(
        "a prediction interval is for numbers, and this model predicts classes, whose probabilities say how certain it is"
    )]
    Classes,
    /// The model has no errors on held-out rows.
    #[error(
        "the model has no errors of held-out rows, from which prediction intervals follow; train it anew with cross-validation (folds), or let the network or its decay be selected"
    )]
    NoErrors,
    /// There are too few held-out rows for the level.
    #[error("an interval at the level {level} needs the errors of at least {} held-out rows, and the model has those of {rows}; take a level of at most {}", least_rows(*level), highest(*rows))]
    TooFewRows {
        /// The level.
        level: f64,
        /// Held-out rows.
        rows: u64,
    },
}

/// The number of held-out rows for an interval at a level.
fn least_rows(level: f64) -> u64 {
    (level / (1.0 - level) - 1e-9).ceil() as u64
}

/// The highest level that so many rows have, with few digits.
fn highest(rows: u64) -> f64 {
    (1e4 * rows as f64 / (rows as f64 + 1.0)).floor() / 1e4
}
