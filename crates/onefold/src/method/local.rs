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

/// Maximum dimension of local descents with [`Method::AUTO`]: above, the linear algebra of a step takes
/// seconds.
const MOST_DIMENSIONS: usize = 2000;
/// Maximum memory of derivatives with [`Method::AUTO`].
const MOST_BYTES: usize = 2 << 30;
/// Maximum dimension of a full covariance matrix: above, CMA-ES spends most of its time on it.
const FULL_COVARIANCE: usize = 400;

/// A method with local descents.
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
            Kind::Auto => "local descents with successive halving",
            Kind::Multistart => "local descents from random starts",
            Kind::Hybrid => "local descents with successive halving, half of them between known optima",
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
            // The variance of a neuron's net input is that of a neuron with one input and a bias.
            let scales = setup.topology.fan_in().map(|n| (2.0 / n as f64).sqrt()).collect();
            search.with_scales(scales)?
        } else {
            search
        }))
    }

    /// CMA-ES with restarts, if derivatives need too much memory or the linear algebra of a step too much
    /// time.
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

    /// Earlier versions called the population `candidates`, and had one patience for both cases.
    fn migrate(&self, fields: &mut Map<String, Value>) {
        if let (Some(patience), None) = (fields.get("patience"), fields.get("patience_with_threshold")) {
            fields.insert("patience_with_threshold".into(), patience.clone());
        }
        if let Some(candidates) = fields.remove("candidates") {
            fields.entry("population").or_insert(candidates);
        }
    }
}
