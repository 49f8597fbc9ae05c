//! From data to a verified model in one call.

use crate::model::{Metrics, Origin};
use crate::network::plain;
use crate::{
    Alignment, Builtin, CostSettings, Dataset, Error, Method, MethodSettings, Model, NetworkCost, Optimizer,
    Progress, Report, Scaler, Scaling, Stop, TargetScaler, TargetScaling, Topology, TrainTest, search_from,
};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

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
                target: Some(builtin.target()),
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
    pub fn set_target(&mut self, target: f64) {
        self.stop.target = Some(target);
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
        if let Some(target) = self.stop.target.filter(|target| *target < 0.0) {
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
            local.target = self.stop.target;
        }
        if let Some(local) = method.local_mut() {
            local.radius = Some(self.cost.penalty_radius.of(self.topology.dim()));
        }
        method.optimizer(&self.topology, self.align)
    }
}

/// Descents in a row without improvement that end a search for which nothing is known about the error to be reached.
const PATIENCE_WITHOUT_TARGET: u64 = 10;

/// The stop rules in the units of the search.
fn stop_of_search(stop: &Stop, targets: Option<&TargetScaler>) -> Stop {
    let mut stop = stop.clone();
    if let Some(targets) = targets {
        // A little less, so that rounding in the output weights never takes back what was reached.
        stop.target = stop.target.map(|target| (target / targets.unit() * (1.0 - 1e-12)).min(f64::MAX));
    }
    stop
}

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

/// A trained model and how the search went.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// The search.
    pub report: Report,
}

/// Trains a network on `data.train` and scores it on both parts. `name` says in words what the data is.
///
/// ```
/// use onefold::{Builtin, FitSettings, Method, fit};
/// use std::ops::ControlFlow;
///
/// let data = Builtin::Iris.load(&Default::default())?;
/// let settings = FitSettings::for_builtin(Builtin::Iris, None, Method::DeSb)?;
/// let fitted = fit("iris", &data, &settings, |_| ControlFlow::Continue(()))?;
/// assert!(fitted.report.reached);
/// assert_eq!(fitted.model.classify(&[5.1, 3.5, 1.4, 0.2]), Some("Iris-setosa"));
/// # Ok::<(), onefold::Error>(())
/// ```
///
/// # Errors
/// If settings are out of range or do not fit the data.
pub fn fit(
    name: &str,
    data: &TrainTest,
    settings: &FitSettings,
    observer: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Fitted, Error> {
    Training::prepare(name, data, settings)?.run(observer)
}

/// A training run that has passed all checks and waits to be started.
pub struct Training<'a> {
    name: &'a str,
    data: &'a TrainTest,
    settings: &'a FitSettings,
    scaler: Scaler,
    targets: Option<TargetScaler>,
    cost: NetworkCost,
    optimizer: Box<dyn Optimizer>,
}

impl<'a> Training<'a> {
    /// Checks everything and takes the memory that is needed.
    ///
    /// # Errors
    /// As [`fit`].
    pub fn prepare(name: &'a str, data: &'a TrainTest, settings: &'a FitSettings) -> Result<Self, Error> {
        settings.validate()?;
        let scaler = Scaler::learn(settings.scaling, &data.train)?;
        let targets = TargetScaler::learn(settings.target_scaling, &data.train);
        let mut scaled = scaler.apply_all(&data.train);
        if let Some(targets) = &targets {
            targets.apply(&mut scaled);
        }
        let cost = NetworkCost::new(settings.topology.clone(), &scaled, &settings.cost)?;
        let searched =
            FitSettings { stop: stop_of_search(&settings.stop, targets.as_ref()), ..settings.clone() };
        let optimizer = searched.optimizer(data.train.rows())?;
        Ok(Self { name, data, settings, scaler, targets, cost, optimizer })
    }

    /// What a cost of 1 in the search is in the units of the data: the variance of a single scaled target, otherwise 1. A target error
    /// ([`Stop::target`]), the costs of a [`Report`] and those of a model's [`Origin`] are in the units of the data; the costs that an
    /// observer sees are those of the search.
    #[must_use]
    pub fn unit(&self) -> f64 {
        self.targets.as_ref().map_or(1.0, TargetScaler::unit)
    }

    /// Output weights for targets as they are.
    fn unscaled(&self, mut readout: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        if let Some(targets) = &self.targets {
            targets.unscale(&mut readout, self.settings.topology.last_hidden());
        }
        readout
    }

    /// What the network with these hidden parameters answers to rows of unscaled inputs, with output weights solved on the training
    /// rows.
    ///
    /// # Panics
    /// If the numbers of parameters or inputs do not fit the topology.
    #[must_use]
    pub fn predict(&mut self, hidden: &[f64], rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let topology = &self.settings.topology;
        assert_eq!(hidden.len(), topology.dim(), "hidden parameters");
        let solved = self.cost.solve(hidden);
        let readout = self.unscaled(solved.readout.weights);
        let answer = |row: &Vec<f64>| {
            assert_eq!(row.len(), topology.inputs(), "inputs of a row");
            plain(topology, &solved.hidden, &readout, &self.scaler.apply(row))
        };
        rows.iter().map(answer).collect()
    }

    /// Searches, and makes a model of the best network found.
    ///
    /// # Errors
    /// If no candidate has a finite cost.
    pub fn run(self, observer: impl FnMut(&Progress<'_>) -> ControlFlow<()>) -> Result<Fitted, Error> {
        self.run_from(None, observer)
    }

    /// As [`run`](Self::run), continued from a state that [`Progress::save`] gave in a run with the same data and settings.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if the state is damaged or of another method.
    pub fn run_from(
        mut self,
        saved: Option<&[u8]>,
        observer: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Fitted, Error> {
        let unit = self.unit();
        let stop = stop_of_search(&self.settings.stop, self.targets.as_ref());
        let mut report = search_from(&mut self.cost, &mut *self.optimizer, &stop, saved, observer)?;
        if !report.cost.is_finite() {
            return Err(Error::NoFiniteCost);
        }
        report.cost *= unit;
        report.verified_cost *= unit;
        report.restarts.iter_mut().for_each(|restart| restart.cost *= unit);
        report.optima.iter_mut().for_each(|optimum| optimum.cost *= unit);
        let solved = self.cost.solve(&report.best);
        let table = self.data.table.as_deref();
        let origin = Origin {
            data: self.name.into(),
            data_settings: self.data.settings.clone(),
            table_settings: table.map(|t| t.settings.clone()),
            partition: table.map(|t| t.split.clone()),
            target_scaler: self.targets.clone(),
            reached: report.reached,
            stop: report.stop,
            evaluations: report.evaluations,
            slopes: report.slopes,
            cost: report.cost,
            verified_cost: report.verified_cost,
            rank: solved.readout.rank,
            least_share: solved.readout.least_share,
            settings: self.settings.clone(),
        };
        let TrainTest { train, test, .. } = self.data;
        let topology = self.settings.topology.clone();
        let readout = self.unscaled(solved.readout.weights);
        let mut model = Model::new(topology, solved.hidden, readout, self.scaler, train, origin);
        model.table = table.map(|t| t.schema.clone());
        let (on_train, on_test) = (model.score(train), model.score(test));
        model.metrics = Metrics {
            train_mse: on_train.map_or(f64::NAN, |(mse, _)| mse),
            train_accuracy: on_train.and_then(|(_, accuracy)| accuracy),
            test_mse: on_test.map(|(mse, _)| mse),
            test_accuracy: on_test.and_then(|(_, accuracy)| accuracy),
            cross_validation: None,
        };
        if !model.metrics.train_mse.is_finite() || model.metrics.test_mse.is_some_and(|mse| !mse.is_finite())
        {
            return Err(Error::InfiniteError);
        }
        Ok(Fitted { model, report })
    }
}
