//! Global search by local descents.

use super::Method;
use super::entry::{Entry, Features, PaperMethod, ProblemSize};
use super::settings::{MethodSettings, Setup};
use crate::Error;
use crate::optimizer::{CmaSettings, CommonSettings, Covariance, LocalSearch, LocalSettings, Optimizer};
use crate::symmetry::Alignment;
use serde_json::{Map, Value};

pub(super) static AUTO: Local = Local { kind: Kind::Auto };
pub(super) static MULTISTART: Local = Local { kind: Kind::Multistart };
pub(super) static HYBRID: Local = Local { kind: Kind::Hybrid };

/// Beyond this the linear algebra of a local step takes seconds.
const MOST_DIMENSIONS: usize = 2000;
/// Memory that [`Method::AUTO`] takes for derivatives.
const MOST_BYTES: usize = 2 << 30;
/// Beyond this CMA-ES with a full matrix spends most of its time on it.
const FULL_COVARIANCE: usize = 400;

/// Local descents, and from where they start.
pub(super) struct Local {
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Auto,
    Multistart,
    Hybrid,
}

impl Entry for Local {
    type Settings = LocalSettings;

    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Auto => "auto",
            Kind::Multistart => "multistart",
            Kind::Hybrid => "hybrid",
        }
    }

    fn description(&self) -> &'static str {
        match self.kind {
            Kind::Auto => "racing local descents",
            Kind::Multistart => "local descents from random starts",
            Kind::Hybrid => "racing local descents, half of them between known optima",
        }
    }

    fn features(&self) -> Features {
        Features {
            alignment: None,
            has_population: false,
            has_default_population: true,
            spread: None,
            paper: PaperMethod::DeSb,
        }
    }

    fn defaults(&self) -> LocalSettings {
        match self.kind {
            Kind::Auto => LocalSettings::default(),
            Kind::Multistart => LocalSettings::multistart(),
            Kind::Hybrid => LocalSettings { recombination: 0.5, ..LocalSettings::default() },
        }
    }

    fn validate(&self, common: &CommonSettings, own: &LocalSettings) -> Result<(), Error> {
        own.validate(common)
    }

    fn population(&self, common: &CommonSettings, own: &LocalSettings, _: usize) -> usize {
        own.population(common)
    }

    fn optimizer(&self, setup: &Setup<'_>, own: &LocalSettings) -> Result<Box<dyn Optimizer>, Error> {
        let mut own = LocalSettings { radius: Some(setup.radius), ..own.clone() };
        if setup.stop.threshold.is_some() {
            own.patience = own.patience_with_threshold;
        }
        let scales_by_fan_in = self.kind != Kind::Multistart;
        if scales_by_fan_in {
            own.threshold = setup.stop.threshold;
        }
        let align = Alignment::Ideal.build(setup.topology);
        let search = LocalSearch::new(setup.dim(), setup.common.clone(), own, align)?;
        Ok(Box::new(if scales_by_fan_in {
            // The net input of a neuron varies as much at the start as it does with one input and a shift.
            let scales = setup.topology.fan_in().map(|n| (2.0 / n as f64).sqrt()).collect();
            search.with_scales(scales)?
        } else {
            search
        }))
    }

    /// CMA-ES with restarts, where derivatives or the linear algebra of a step would take too much.
    fn substitute(&self, common: &CommonSettings, size: &ProblemSize) -> Option<MethodSettings> {
        let is_too_large = size.dim > MOST_DIMENSIONS || size.bytes_of_slopes > MOST_BYTES;
        if self.kind != Kind::Auto || !is_too_large {
            return None;
        }
        let mut settings = MethodSettings::new(Method::CMA_ES_BIPOP);
        settings.common = CommonSettings { population: None, bounds: None, ..common.clone() };
        if let Some(cma) = settings.own_mut::<CmaSettings>() {
            cma.covariance = if size.dim > FULL_COVARIANCE { Covariance::Diagonal } else { Covariance::Full };
        }
        Some(settings)
    }

    /// Earlier versions called the population candidates, and had one patience with and without a threshold.
    fn migrate(&self, fields: &mut Map<String, Value>) {
        if let (Some(patience), None) = (fields.get("patience"), fields.get("patience_with_threshold")) {
            fields.insert("patience_with_threshold".into(), patience.clone());
        }
        if let Some(candidates) = fields.remove("candidates") {
            fields.entry("population").or_insert(candidates);
        }
    }
}
