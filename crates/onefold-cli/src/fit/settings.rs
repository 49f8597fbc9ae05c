//! From flags to settings.

use super::choosing::Size;
use crate::args::FitArgs;
use crate::failure::Failure;
use onefold::{Builtin, Dataset, FitSettings};

/// The settings of a run on these rows.
pub(super) fn settings(
    args: &FitArgs,
    builtin: Option<Builtin>,
    data: &Dataset,
    seed: u64,
    size: Option<Size>,
) -> Result<FitSettings, Failure> {
    let mut overrides = args.overrides();
    overrides.seed = Some(seed);
    if let Some(size) = size {
        overrides.hidden = Some(size.hidden.to_string());
    }
    let mut s = match builtin {
        Some(builtin) => overrides.for_builtin(builtin, data)?,
        None => overrides.for_data(data)?,
    };
    if overrides.max_evaluations.is_none() {
        // A population larger than the paper's gets a larger budget.
        let least = (s.population() as u64).saturating_mul(1000);
        s.stop.max_evaluations = s.stop.max_evaluations.map(|n| n.max(least));
    }
    if let Some(size) = size {
        size.apply(&mut s);
    }
    Ok(s)
}
