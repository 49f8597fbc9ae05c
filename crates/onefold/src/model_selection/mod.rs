//! Model selection: the size of a network, cross-validation and metrics.
//!
//! - [`select`] selects the size of a network and its L2 penalty;
//! - [`cross_validate`] trains once for each fold and tests on it;
//! - [`Evaluation`] collects predictions row by row and computes [`Scores`] from them.

mod by_cross_validation;
mod by_race;
mod by_threshold;
mod candidates;
mod cross_validation;
mod metric;
mod race;
mod scores;
mod selection;
mod settings;
mod trials;
mod validation;

pub use cross_validation::{Fold, cross_validate};
pub use scores::{ClassScore, Evaluation, Scores};
pub use selection::{End, Reason, Selection, Tried, Verdict, select};
pub use settings::SelectionSettings;

#[cfg(test)]
mod tests;
