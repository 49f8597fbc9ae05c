//! CMA-ES, with symmetry breaking or restarts.

use super::entry::{Entry, Features, PaperMethod};
use super::settings::Setup;
use crate::Error;
use crate::optimizer::{CmaEs, CmaSettings, CommonSettings, Optimizer, RestartRule, Restarts};
use crate::symmetry::Alignment;

pub(super) static CMA_ES: Cma = Cma { kind: Kind::Plain };
pub(super) static CMA_ES_SB: Cma = Cma { kind: Kind::SymmetryBreaking };
pub(super) static CMA_ES_IPOP: Cma = Cma { kind: Kind::Restarted(RestartRule::Ipop) };
pub(super) static CMA_ES_BIPOP: Cma = Cma { kind: Kind::Restarted(RestartRule::Bipop) };

/// CMA-ES in one of its forms.
pub(super) struct Cma {
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    SymmetryBreaking,
    Restarted(RestartRule),
}

impl Entry for Cma {
    type Settings = CmaSettings;

    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Plain => "cma-es",
            Kind::SymmetryBreaking => "cma-es-sb",
            Kind::Restarted(RestartRule::Ipop) => "cma-es-ipop",
            Kind::Restarted(RestartRule::Bipop) => "cma-es-bipop",
        }
    }

    fn description(&self) -> &'static str {
        match self.kind {
            Kind::Plain => "CMA-ES",
            Kind::SymmetryBreaking => "CMA-ES with symmetry breaking",
            Kind::Restarted(RestartRule::Ipop) => "CMA-ES with restarts of doubled population (IPOP)",
            Kind::Restarted(RestartRule::Bipop) => {
                "CMA-ES with restarts of large and small population (BIPOP)"
            }
        }
    }

    fn features(&self) -> Features {
        Features {
            // The heuristic applies a single random operator, which changes the distribution too little.
            alignment: (self.kind == Kind::SymmetryBreaking).then_some(Alignment::Ideal),
            has_population: true,
            is_for_functions: self.kind != Kind::SymmetryBreaking,
            has_default_population: matches!(self.kind, Kind::Restarted(_)),
            spread: None,
            paper: PaperMethod::CmaEs,
        }
    }

    fn defaults(&self) -> CmaSettings {
        CmaSettings::default()
    }

    fn validate(&self, common: &CommonSettings, own: &CmaSettings) -> Result<(), Error> {
        own.validate(common)
    }

    fn population(&self, common: &CommonSettings, _: &CmaSettings, dim: usize) -> usize {
        CmaSettings::population(common, dim)
    }

    fn optimizer(&self, setup: &Setup<'_>, own: &CmaSettings) -> Result<Box<dyn Optimizer>, Error> {
        let (dim, common) = (setup.dim, setup.common.clone());
        let per_generation = CmaSettings::population(&common, dim).max(1) as u64;
        let generations = setup.stop.max_evaluations.map(|max| max / per_generation);
        let own = CmaSettings { horizon: own.horizon.or(generations), ..own.clone() };
        Ok(match self.kind {
            Kind::Plain => Box::new(CmaEs::new(dim, common, own)?),
            Kind::SymmetryBreaking => Box::new(CmaEs::new(dim, common, own)?.aligned(setup.build_align())),
            Kind::Restarted(rule) => Box::new(Restarts::of_cma_es(dim, common, own, rule)?),
        })
    }
}
