//! How much effort the networks of a race get.
//!
//! Effort is time in nanoseconds that is counted from operations, not measured, so that a race does not
//! depend on the machine or on what else it does.

use super::rungs::Rung;
use super::settings::SelectionSettings;
use crate::Dataset;
use crate::settings::OutputLayer;

/// The effort for a table, in seconds on one core: at least, for each number of the inputs, and at most.
const LEAST: f64 = 10.0;
const PER_NUMBER: f64 = 4e-4;
const MOST: f64 = 50.0;
/// The same as a multiple, where networks are trained for cross-entropy, too: each of the two ways gets about
/// what it would get alone.
const FOR_CROSS_ENTROPY: f64 = 2.0;
/// Fraction of the effort for rungs that are not optional.
const OBLIGATORY: f64 = 0.7;
/// Effort of the intensified rung, as a multiple of that of all others, or, where the effort is given, as a
/// fraction of it.
const INTENSIFIED: f64 = 1.5;
const INTENSIFIED_OF_GIVEN: f64 = 0.4;

/// The effort of a race, in seconds on one core.
pub(super) struct Budget {
    /// For all rungs but the intensified one.
    pub(super) regular: f64,
    /// For the intensified rung.
    pub(super) intensified: f64,
}

impl Budget {
    /// For a table, unless the effort is given.
    pub(super) fn new(data: &Dataset, settings: &SelectionSettings) -> Self {
        if let Some(effort) = settings.effort {
            let intensified = INTENSIFIED_OF_GIVEN * effort;
            return Self { regular: effort - intensified, intensified };
        }
        let numbers = data.rows() as f64 * data.inputs.len() as f64;
        let is_for_all = settings.output_layer.is_none_or(|layer| layer == OutputLayer::CrossEntropy);
        let factor = if data.classification && is_for_all { FOR_CROSS_ENTROPY } else { 1.0 };
        let (regular, most) = (factor * (LEAST + PER_NUMBER * numbers).min(MOST), factor * MOST);
        Self { regular, intensified: (INTENSIFIED * regular).min(most - regular) }
    }
}

/// The fraction of the regular effort that is for one fold of a rung.
pub(super) fn fraction_of_fold(rungs: &[Rung], rung: usize) -> f64 {
    let optional = rungs.iter().filter(|rung| rung.is_optional && !rung.is_intensified).count();
    let obligatory = rungs.iter().filter(|rung| !rung.is_optional).count() as f64;
    let of_rung = match (rungs[rung].is_optional, optional) {
        (true, _) => (1.0 - OBLIGATORY) / optional as f64,
        (false, 0) => 1.0 / obligatory,
        (false, _) => OBLIGATORY / obligatory,
    };
    of_rung / rungs[rung].folds.len() as f64
}

/// The limit for each network with which all of them together take about `total`, if they would take so much
/// without a limit: what small networks leave is for the large ones.
pub(super) fn limit(total: f64, needs: &[f64]) -> f64 {
    let mut sorted = needs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut left = total;
    for (place, need) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - place) as f64;
        if *need > share {
            return share;
        }
        left -= need;
    }
    // Nothing needs a limit, but needs are only expected.
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_small_needs_leave_is_for_the_large_ones() {
        assert!((limit(10.0, &[1.0, 2.0, 100.0, 100.0]) - 3.5).abs() < 1e-12);
        assert!((limit(10.0, &[5.0, 5.0, 5.0, 5.0]) - 2.5).abs() < 1e-12);
        assert!((limit(10.0, &[1.0, 2.0]) - 10.0).abs() < 1e-12);
    }
}
