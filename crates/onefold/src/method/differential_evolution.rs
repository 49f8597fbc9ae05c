//! Differential Evolution as in the paper.

use super::entry::{Entry, Features, PaperMethod};
use super::settings::Setup;
use crate::Error;
use crate::optimizer::{CommonSettings, DeSettings, DifferentialEvolution, Optimizer};
use crate::symmetry::Alignment;

pub(super) static DE: Classic = Classic { breaks_symmetries: false };
pub(super) static DE_SB: Classic = Classic { breaks_symmetries: true };

/// Differential Evolution with constant parameters.
pub(super) struct Classic {
    breaks_symmetries: bool,
}

impl Entry for Classic {
    type Settings = DeSettings;

    fn name(&self) -> &'static str {
        if self.breaks_symmetries { "de-sb" } else { "de" }
    }

    fn description(&self) -> &'static str {
        if self.breaks_symmetries {
            "Differential Evolution with symmetry breaking"
        } else {
            "Differential Evolution"
        }
    }

    fn features(&self) -> Features {
        Features {
            alignment: self.breaks_symmetries.then_some(Alignment::Heuristic),
            has_population: true,
            is_for_functions: !self.breaks_symmetries,
            has_default_population: false,
            spread: Some(1e-9),
            paper: if self.breaks_symmetries { PaperMethod::DeSb } else { PaperMethod::De },
        }
    }

    fn defaults(&self) -> DeSettings {
        DeSettings::default()
    }

    fn validate(&self, common: &CommonSettings, own: &DeSettings) -> Result<(), Error> {
        own.validate(common)
    }

    fn population(&self, common: &CommonSettings, _: &DeSettings, _: usize) -> usize {
        DeSettings::population(common)
    }

    fn optimizer(&self, setup: &Setup<'_>, own: &DeSettings) -> Result<Box<dyn Optimizer>, Error> {
        let align = if self.breaks_symmetries { setup.build_align() } else { None };
        Ok(Box::new(DifferentialEvolution::new(setup.dim, setup.common.clone(), own.clone(), align)?))
    }
}
