//! Everything that decides the result of a training run, besides the data.

use crate::{
    Alignment, Builtin, CostSettings, Dataset, Error, Method, MethodSettings, Optimizer, Scaling, Stop,
    TargetScaling, Topology,
};
use serde::{Deserialize, Serialize};

/// Everything that decides the result of a training run, besides the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitSettings {
    /// Layers of the network.
    pub topology: Topology,
    /// Training method, with its settings and the seed.
    pub method: MethodSettings,
    /// How methods that [break symmetries](Method::breaks_symmetries) do so; others do not look at it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub align: Alignment,
    /// Settings of the cost function.
    pub cost: CostSettings,
    /// When to stop.
    pub stop: Stop,
    /// Scaling of the inputs.
    pub scaling: Scaling,
    /// Scaling of the targets of a regression.
    #[serde(default, skip_serializing_if = "is_default")]
    pub target_scaling: TargetScaling,
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl FitSettings {
    /// The paper's settings for a built-in set; for a topology that the paper does not have, a population of ten per
    /// dimension between 40 and 200. CMA-ES with restarts begins with its own default population.
    ///
    /// A run without success ends after 20 times the paper's mean evaluations (10^8 where it has none). DE also ends when the
    /// costs of the population differ by less than 1e-9 of the best, CMA-ES by its own rules.
    ///
    /// # Errors
    /// If `hidden` is no list of layer widths.
    pub fn for_builtin(builtin: Builtin, hidden: Option<&str>, method: Method) -> Result<Self, Error> {
        let cells = builtin.paper_cells();
        let hidden = hidden.unwrap_or(cells[0].hidden);
        let data = builtin.load(&crate::BuiltinSettings::default())?.train;
        let topology = Topology::with_hidden(data.inputs.len(), hidden, data.outputs.len())?;
        let is_papers = |text: &str| {
            Topology::with_hidden(data.inputs.len(), text, data.outputs.len())
                .is_ok_and(|paper| paper == topology)
        };
        let paper = cells.iter().find(|cell| is_papers(cell.hidden)).map(|cell| match method {
            Method::De => &cell.de,
            _ if method.is_cma_es() => &cell.cma_es,
            _ => &cell.de_sb,
        });
        let max_evaluations =
            paper.and_then(|p| p.evaluations).map_or(100_000_000, |(mean, _)| (20.0 * mean) as u64);
        let population = paper.map_or_else(|| default_population(&topology), |p| p.population);
        let mut settings = MethodSettings::default_of(method);
        if !has_own_population(method) {
            settings.set_population(population);
        }
        Ok(Self {
            topology,
            method: settings,
            align: default_align(method),
            cost: CostSettings::default(),
            stop: Stop {
                threshold: Some(builtin.target()),
                max_evaluations: Some(max_evaluations),
                spread: Method::OF_DE.contains(&method).then_some(1e-9),
                ..Stop::default()
            },
            scaling: builtin.scaling(),
            target_scaling: TargetScaling::None,
        })
    }

    /// Settings for data of your own: standardised inputs and targets, output biases, no target error, a population of ten per dimension between 40 and 200 (CMA-ES
    /// with restarts begins with its own), at most ten million evaluations. Methods by local steps have a [patience](crate::LocalSettings::patience) of ten
    /// descents: without a [target error](Self::set_target) nothing else would end them for long.
    ///
    /// # Errors
    /// If `hidden` is no list of layer widths.
    pub fn for_data(data: &Dataset, hidden: &str, method: Method) -> Result<Self, Error> {
        let topology = Topology::with_hidden(data.inputs.len(), hidden, data.outputs.len())?;
        let mut settings = MethodSettings::default_of(method);
        if !has_own_population(method) {
            settings.set_population(default_population(&topology));
        }
        if let Some(local) = settings.local_mut() {
            local.patience = Some(PATIENCE_WITHOUT_TARGET);
        }
        let spread = Method::OF_DE.contains(&method).then_some(1e-9);
        Ok(Self {
            topology,
            method: settings,
            align: default_align(method),
            cost: CostSettings { output_bias: true, ..CostSettings::default() },
            stop: Stop { max_evaluations: Some(10_000_000), spread, ..Stop::default() },
            scaling: Scaling::Standard,
            target_scaling: TargetScaling::Standard,
        })
    }

    /// Sets the error to be reached. The search then goes on until it is, or its budget is spent: no [patience](crate::LocalSettings::patience) ends it.
    pub fn set_threshold(&mut self, target: f64) {
        self.stop.threshold = Some(target);
        if let Some(local) = self.method.local_mut() {
            local.patience = None;
        }
    }

    /// Candidates per generation, of the first run where there are several.
    #[must_use]
    pub fn population(&self) -> usize {
        self.method.population(self.topology.dim())
    }

    /// Checks every range, without looking at data.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        if let Some(target) = self.stop.threshold.filter(|target| *target < 0.0) {
            return Err(Error::setting("target", target, "a mean squared error is never negative"));
        }
        self.method.validate()?;
        self.method.check_align(self.align)?;
        if self.method.method().is_local() && self.stop.spread.is_some() {
            let expected = "must be left out with a method by local steps, which has no population";
            return Err(Error::setting("spread", self.stop.spread.unwrap_or_default(), expected));
        }
        self.cost.validate()?;
        self.scaling.validate()?;
        self.stop.validate()?;
        self.stop.check_first_generation(self.population())
    }

    /// The method that is used for data with this many rows: what [`Method::Auto`] comes down to.
    #[must_use]
    pub fn method_for(&self, rows: usize) -> MethodSettings {
        let dim = self.topology.dim();
        let bytes = rows.saturating_mul(8).saturating_mul(dim + 4 * self.topology.outputs());
        self.method.clone().resolved(dim, bytes)
    }

    /// The optimiser that these settings describe, for data with this many rows.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn optimizer(&self, rows: usize) -> Result<Box<dyn Optimizer>, Error> {
        let mut method = self.method_for(rows);
        if let (Some(cma), Some(max)) = (method.cma_mut(), self.stop.max_evaluations) {
            let generations = max / cma.population_in(self.topology.dim()).max(1) as u64;
            cma.horizon.get_or_insert(generations);
        }
        if let (Some(adaptive), Some(max)) = (method.adaptive_mut(), self.stop.max_evaluations) {
            adaptive.horizon.get_or_insert(max);
        }
        if let MethodSettings::Auto(local) | MethodSettings::Hybrid(local) = &mut method {
            local.threshold = self.stop.threshold;
        }
        if let Some(local) = method.local_mut() {
            local.radius = Some(self.cost.penalty_radius.of(self.topology.dim()));
        }
        method.optimizer(&self.topology, self.align)
    }
}

/// Descents in a row without improvement that end a search for which nothing is known about the error to be reached.
const PATIENCE_WITHOUT_TARGET: u64 = 10;

/// Whether the population need not be set to begin with.
fn has_own_population(method: Method) -> bool {
    method.is_local()
        || method.variant().is_some()
        || matches!(method, Method::CmaEsIpop | Method::CmaEsBipop)
}

/// The paper's for DE. CMA-ES would learn little from single random operators.
fn default_align(method: Method) -> Alignment {
    if method == Method::CmaEsSb { Alignment::Ideal } else { Alignment::default() }
}

/// Ten per dimension, between 40 and 200.
fn default_population(topology: &Topology) -> usize {
    (10 * topology.dim()).clamp(40, 200)
}
