//! All settings that determine the result of a training run, apart from the data.

mod data;
mod function;
mod output_layer;
mod overrides;
mod values;

pub use data::DataOverrides;
pub use function::FunctionSettings;
pub use output_layer::OutputLayer;
pub use overrides::{Dither, Overrides};
pub use values::Interval;

use crate::data::TargetScaling;
use crate::method::{Network, PaperMethod, Setup};
use crate::objective::cost_of_slopes;
use crate::optimizer::{LocalSettings, halvings_of_first_sample};
use crate::{
    Alignment, Builtin, CostSettings, Dataset, Derivatives, Error, Method, MethodSettings, Optimizer,
    Scaling, Stop, Topology,
};
use output_layer::{is_one, one};
use serde::{Deserialize, Serialize};

/// All settings that determine the result of a training run, apart from the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitSettings {
    /// Layers of the network.
    pub topology: Topology,
    /// Training method, with its settings and the seed.
    pub method: MethodSettings,
    /// The alignment of methods with [symmetry breaking](Method::alignment); no effect on others.
    #[serde(default, skip_serializing_if = "is_default")]
    pub align: Alignment,
    /// Settings of the cost function.
    pub cost: CostSettings,
    /// Stopping criteria.
    pub stop: Stop,
    /// Scaling of the inputs.
    pub scaling: Scaling,
    /// Scaling of the targets of a regression.
    #[serde(default, skip_serializing_if = "is_default")]
    pub target_scaling: TargetScaling,
    /// How the output layer is solved after the search.
    #[serde(default, skip_serializing_if = "is_default")]
    pub output_layer: OutputLayer,
    /// What the scores of a logistic output layer are divided by: above 1, probabilities are less certain
    /// than the training rows make them.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub temperature: f64,
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl FitSettings {
    /// The paper's settings for a built-in set. For a topology that is not in the paper, the population is
    /// ten per dimension, between 40 and 200. CMA-ES with restarts starts with its own default population.
    ///
    /// A run without success ends after 20 times the paper's mean evaluations (10^8 if it has none). DE also
    /// ends when the costs of the population differ by at most 1e-9 of the best, CMA-ES by its own
    /// termination criteria.
    ///
    /// # Errors
    /// If `hidden` is not a list of layer widths.
    pub fn for_builtin(builtin: Builtin, hidden: Option<&str>, method: Method) -> Result<Self, Error> {
        let cells = builtin.paper_cells();
        let hidden = hidden.unwrap_or(builtin.default_hidden());
        let data = builtin.load(&crate::BuiltinSettings::default())?.train;
        let topology = Topology::with_hidden(data.inputs.len(), hidden, data.outputs.len())?;
        let is_same = |text: &str| {
            Topology::with_hidden(data.inputs.len(), text, data.outputs.len())
                .is_ok_and(|paper| paper == topology)
        };
        let paper =
            cells.iter().find(|cell| is_same(cell.hidden)).map(|cell| match method.features().paper {
                PaperMethod::De => &cell.de,
                PaperMethod::DeSb => &cell.de_sb,
                PaperMethod::CmaEs => &cell.cma_es,
            });
        let max_evaluations =
            paper.and_then(|p| p.evaluations).map_or(100_000_000, |(mean, _)| (20.0 * mean) as u64);
        let population = paper.map_or_else(|| default_population(&topology), |p| p.population);
        let mut settings = MethodSettings::new(method);
        if !method.features().has_default_population {
            settings.common.population = Some(population);
        }
        Ok(Self {
            topology,
            method: settings,
            align: method.alignment().unwrap_or_default(),
            cost: CostSettings::default(),
            stop: Stop {
                threshold: Some(builtin.threshold()),
                max_evaluations: Some(max_evaluations),
                spread: method.features().spread,
                ..Stop::default()
            },
            // Every table of the paper is used as it is.
            scaling: Scaling::None,
            target_scaling: TargetScaling::None,
            output_layer: OutputLayer::LeastSquares,
            temperature: one(),
        })
    }

    /// Settings for your own data: standardised inputs and targets, output biases, no threshold, a
    /// population of ten per dimension between 40 and 200 (CMA-ES with restarts starts with its own), at
    /// most ten million evaluations. Local descents have a [patience](LocalSettings::patience) of ten, or
    /// of two where there are so many parameters that they do without the Gauss-Newton matrix (and take up
    /// to 600 steps), as without a [threshold](Stop::threshold) they would otherwise use the whole budget.
    ///
    /// # Errors
    /// If `hidden` is not a list of layer widths.
    pub fn for_data(data: &Dataset, hidden: &str, method: Method) -> Result<Self, Error> {
        let topology = Topology::with_hidden(data.inputs.len(), hidden, data.outputs.len())?;
        let mut settings = MethodSettings::new(method);
        if !method.features().has_default_population {
            settings.common.population = Some(default_population(&topology));
        }
        let spread = method.features().spread;
        let mut settings = Self {
            topology,
            method: settings,
            align: method.alignment().unwrap_or_default(),
            cost: CostSettings { output_bias: true, ..CostSettings::default() },
            stop: Stop { max_evaluations: Some(10_000_000), spread, ..Stop::default() },
            scaling: Scaling::Standard,
            target_scaling: TargetScaling::Standard,
            output_layer: OutputLayer::LeastSquares,
            temperature: one(),
        };
        let is_cheap = settings.has_cheap_matrix(data.rows());
        if let Some(local) = settings.method.own_mut::<LocalSettings>() {
            if is_cheap {
                local.patience = Some(PATIENCE_WITHOUT_THRESHOLD);
            } else {
                (local.patience, local.max_steps) = (Some(PATIENCE_WITH_GRADIENTS), STEPS_WITH_GRADIENTS);
            }
        }
        Ok(settings)
    }

    /// Whether descents use the Gauss-Newton matrix. What that takes is counted, not timed, so that the same
    /// seed gives the same network on all machines.
    fn has_cheap_matrix(&self, rows: usize) -> bool {
        let Self { topology, cost, .. } = self;
        let sample = rows >> halvings_of_first_sample(topology, rows);
        let matrices = if topology.hidden().len() == 1 { 1 } else { topology.outputs() };
        let multiplications = (matrices * sample) as f64 * (topology.dim() as f64).powi(2) / 2.0;
        // A linear part makes evaluations take longer, but does not make a descent by gradients worse.
        let layers = topology.clone().with_linear_part(false);
        multiplications <= MOST_MULTIPLICATIONS
            && cost_of_slopes(Derivatives::Matrix, &layers, rows, cost.output_bias) <= MOST_FOR_MATRIX
    }

    /// Candidates per generation, with restarts those of the first run; for local descents, candidates per
    /// start. One without hidden layers, where there is nothing to search.
    #[must_use]
    pub fn population(&self) -> usize {
        match self.topology.dim() {
            0 => 1,
            dim => self.method.population(dim),
        }
    }

    /// Checks every range, independently of the data.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        if let Some(threshold) = self.stop.threshold.filter(|threshold| *threshold < 0.0) {
            return Err(Error::setting("target", threshold, "a mean squared error is never negative"));
        }
        self.method.validate()?;
        self.method.check_align(self.align)?;
        if !self.method.method().has_population() && self.stop.spread.is_some() {
            let expected = "must be left out with local descents, which have no population";
            return Err(Error::setting("spread", self.stop.spread.unwrap_or_default(), expected));
        }
        self.cost.validate()?;
        self.topology.check_columns(self.cost.output_bias)?;
        self.scaling.validate()?;
        self.validate_output_layer()?;
        self.stop.validate()?;
        self.stop.check_first_generation(self.population())
    }

    /// The optimiser that these settings describe, for data with this many rows.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn optimizer(&self, rows: usize) -> Result<Box<dyn Optimizer>, Error> {
        self.method.optimizer(&Setup {
            dim: self.topology.dim(),
            network: Some(Network {
                topology: &self.topology,
                rows,
                has_cheap_matrix: self.has_cheap_matrix(rows),
                radius: self.cost.penalty_radius.of(self.topology.dim()),
            }),
            common: &self.method.common,
            align: self.align,
            stop: &self.stop,
        })
    }
}

/// Descents in a row without improvement that end a search without a threshold.
const PATIENCE_WITHOUT_THRESHOLD: u64 = 10;
/// The same for networks with so many parameters that descents do without the Gauss-Newton matrix. The
/// optima of such networks differ little: on digits with 16 neurons, ten instead of two descents without
/// improvement take three times as long, decrease the cost by less than 1 % and do not change the accuracy
/// on test rows.
const PATIENCE_WITH_GRADIENTS: u64 = 2;
/// Time of the Gauss-Newton matrix and the linear algebra of a step, in evaluations, above which descents do
/// without it.
const MOST_FOR_MATRIX: f64 = 60.0;
/// Multiplications of the matrix, on the first sample of the rows, above which descents do without it: about
/// 50 ms for each step on one core, and a search takes hundreds.
const MOST_MULTIPLICATIONS: f64 = 2e9;
/// Maximum number of steps of descents without it: a step takes little time and gains little.
const STEPS_WITH_GRADIENTS: u32 = 600;

/// Ten per dimension, between 40 and 200.
fn population_of_dimension(dim: usize) -> usize {
    dim.saturating_mul(10).clamp(40, 200)
}

/// The same for networks of this topology.
fn default_population(topology: &Topology) -> usize {
    population_of_dimension(topology.dim())
}

#[cfg(test)]
mod tests;
