//! Global search by local descents.

use super::entry::{Entry, Features, PaperMethod};
use super::settings::{Network, Setup};
use crate::Error;
use crate::optimizer::{
    CommonSettings, Descent, GrowingSample, Lbfgs, LevenbergMarquardt, LocalSearch, LocalSettings, Optimizer,
    halvings_of_first_sample,
};
use crate::symmetry::Alignment;
use serde_json::{Map, Value};

pub(super) static AUTO: Local = Local { kind: Kind::Auto };
pub(super) static MULTISTART: Local = Local { kind: Kind::Multistart };
pub(super) static HYBRID: Local = Local { kind: Kind::Hybrid };

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
            is_for_functions: false,
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
        let Some(network) = setup.network else { return Err(Error::Slopes) };
        let mut own = LocalSettings { radius: Some(network.radius), ..own.clone() };
        if setup.stop.threshold.is_some() {
            own.patience = own.patience_with_threshold;
        }
        let scales_by_fan_in = self.kind != Kind::Multistart;
        if scales_by_fan_in {
            own.threshold = setup.stop.threshold;
        }
        if network.has_cheap_matrix {
            search::<LevenbergMarquardt>(setup, network, own, scales_by_fan_in)
        } else {
            search::<Lbfgs>(setup, network, own, scales_by_fan_in)
        }
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

fn search<D: Descent>(
    setup: &Setup<'_>,
    network: Network<'_>,
    own: LocalSettings,
    scales_by_fan_in: bool,
) -> Result<Box<dyn Optimizer>, Error> {
    let align = Alignment::Ideal.build(network.topology);
    let has_patience = own.patience.is_some();
    let mut search = LocalSearch::<D>::new(setup.dim, setup.common.clone(), own, align)?;
    if scales_by_fan_in {
        // The variance of a neuron's net input is that of a neuron with one input and a bias.
        let scales = network.topology.fan_in().map(|n| (2.0 / n as f64).sqrt()).collect();
        search = search.with_scales(scales)?;
    }
    let halvings = halvings_of_first_sample(network.topology, network.rows);
    if halvings > 0 && has_patience {
        return Ok(Box::new(GrowingSample::new(search, halvings)));
    }
    Ok(Box::new(search))
}
