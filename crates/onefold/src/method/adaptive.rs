//! Adaptive Differential Evolution: JADE and its successors.

use super::entry::{Entry, Features, PaperMethod};
use super::settings::Setup;
use crate::Error;
use crate::optimizer::{AdaptiveDe, AdaptiveSettings, CommonSettings, Optimizer, Variant};
use crate::symmetry::Alignment;
use serde_json::{Map, Value};

pub(super) static JADE: Adaptive = Adaptive(Variant::Jade);
pub(super) static SHADE: Adaptive = Adaptive(Variant::Shade);
pub(super) static L_SHADE: Adaptive = Adaptive(Variant::LShade);
pub(super) static JSO: Adaptive = Adaptive(Variant::Jso);

/// One of the variants.
pub(super) struct Adaptive(Variant);

impl Entry for Adaptive {
    type Settings = AdaptiveSettings;

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn description(&self) -> &'static str {
        match self.0 {
            Variant::Jade => "adaptive Differential Evolution JADE",
            Variant::Shade => "adaptive Differential Evolution SHADE",
            Variant::LShade => "adaptive Differential Evolution L-SHADE",
            Variant::Jso => "adaptive Differential Evolution jSO",
        }
    }

    fn features(&self) -> Features {
        Features {
            alignment: Some(Alignment::Heuristic),
            has_population: true,
            is_for_functions: true,
            has_default_population: true,
            spread: None,
            paper: PaperMethod::DeSb,
        }
    }

    fn defaults(&self) -> AdaptiveSettings {
        AdaptiveSettings::default()
    }

    fn validate(&self, common: &CommonSettings, own: &AdaptiveSettings) -> Result<(), Error> {
        own.validate(self.0, common)
    }

    fn population(&self, common: &CommonSettings, _: &AdaptiveSettings, dim: usize) -> usize {
        self.0.population(common, dim)
    }

    fn optimizer(&self, setup: &Setup<'_>, own: &AdaptiveSettings) -> Result<Box<dyn Optimizer>, Error> {
        // The schedules end with the evaluation budget of the search.
        let horizon = own.horizon.or(setup.stop.max_evaluations);
        let own = AdaptiveSettings { horizon, ..own.clone() };
        let align = setup.build_align();
        Ok(Box::new(AdaptiveDe::new(setup.dim, self.0, setup.common.clone(), own, align)?))
    }

    /// Up to version 0.2.0 the variant was a setting as well as the name of the method.
    fn migrate(&self, fields: &mut Map<String, Value>) {
        if fields.get("variant").and_then(Value::as_str) == Some(self.0.name()) {
            fields.remove("variant");
        }
    }
}
