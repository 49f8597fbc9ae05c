//! Model selection: the network for a table, cross-validation and metrics.
//!
//! - [`select`] selects hidden layers, linear part and L2 penalty by a race; [`Selector`] also resumes it;
//! - [`cross_validate`] trains once for each fold and tests on it;
//! - [`Evaluation`] collects predictions row by row and computes [`Scores`] from them.

mod association;
mod by_threshold;
mod candidates;
mod chain;
mod course;
mod cross_validation;
mod driver;
mod effort;
mod elsewhere;
mod probabilities;
mod progress;
mod race;
mod rungs;
mod selection;
mod selector;
mod settings;
mod standings;
mod summary;
mod trials;

pub use cross_validation::{CrossValidated, Fold, cross_validate};
pub use elsewhere::{Elsewhere, RaceFits, RaceWorker};
pub use progress::{RaceProgress, SelectionProgress};
pub use selection::{End, Note, Reason, Selection, Start, Tried, Verdict};
pub use selector::{Selector, select};
pub use settings::{Preference, SelectionSettings};

pub use crate::scores::{ClassScore, Evaluation, Metric, Scores, TargetScore};

#[cfg(test)]
mod tests;
