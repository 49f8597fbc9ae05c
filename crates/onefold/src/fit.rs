//! From data to a verified model in one call.

use crate::model::{Metrics, Origin};
use crate::{
    Builtin, CostSettings, DeSettings, DifferentialEvolution, Error, Heuristic, Model, NetworkCost,
    Optimizer, Progress, Report, Scaler, Scaling, Stop, Topology, TrainTest, search,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

/// A training method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Differential Evolution.
    De,
    /// Differential Evolution with the paper's symmetry breaking.
    #[default]
    DeSb,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::De, Self::DeSb];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::De => "de",
            Self::DeSb => "de-sb",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|m| m.name() == name);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|m| m.name()).collect();
            Error::setting("method", format!("\"{name}\""), format!("must be one of {}", names.join(", ")))
        })
    }
}

/// Everything that decides the result of a training run, besides the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitSettings {
    /// Layers of the network.
    pub topology: Topology,
    /// Training method.
    pub method: Method,
    /// Settings of Differential Evolution, with the seed.
    pub de: DeSettings,
    /// Settings of the cost function.
    pub cost: CostSettings,
    /// When to stop.
    pub stop: Stop,
    /// Scaling of the inputs.
    pub scaling: Scaling,
}

impl FitSettings {
    /// The paper's settings for a built-in set; for a topology that the paper does not have, a population of ten per
    /// dimension between 40 and 200.
    ///
    /// A run without success ends after 20 times the paper's mean evaluations (10^8 where it has none), or when the
    /// costs of the population differ by less than 1e-9 of the best.
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
            Method::De => cell.de,
            Method::DeSb => cell.de_sb,
        });
        let population = paper.map_or((10 * topology.dim()).clamp(40, 200), |(population, _)| population);
        Ok(Self {
            topology,
            method,
            de: DeSettings { population, ..DeSettings::default() },
            cost: CostSettings::default(),
            stop: Stop {
                target: Some(builtin.target()),
                max_evaluations: Some(paper.map_or(100_000_000, |(_, mean)| (20.0 * mean) as u64)),
                spread: Some(1e-9),
                ..Stop::default()
            },
            scaling: builtin.scaling(),
        })
    }

    /// Checks every range, without looking at data.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        if let Some(target) = self.stop.target.filter(|target| *target < 0.0) {
            return Err(Error::setting("target", target, "a mean squared error is never negative"));
        }
        self.de.validate()?;
        if let (Method::DeSb, Some((low, high))) = (self.method, self.de.bounds)
            && low.to_bits() != (-high).to_bits()
        {
            let expected = "must be symmetric about 0 with de-sb, which flips signs";
            return Err(Error::setting("bounds", format!("{low}..{high}"), expected));
        }
        self.cost.validate()?;
        self.scaling.validate()?;
        self.stop.validate()?;
        self.stop.check_first_generation(self.de.population)
    }

    /// The optimiser that these settings describe.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn optimizer(&self) -> Result<Box<dyn Optimizer>, Error> {
        let align = match self.method {
            Method::De => None,
            Method::DeSb => Some(Box::new(Heuristic::new(self.topology.clone())) as _),
        };
        Ok(Box::new(DifferentialEvolution::new(self.topology.dim(), self.de.clone(), align)?))
    }
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
        let cost =
            NetworkCost::new(settings.topology.clone(), &scaler.apply_all(&data.train), &settings.cost)?;
        Ok(Self { name, data, settings, scaler, cost, optimizer: settings.optimizer()? })
    }

    /// Searches, and makes a model of the best network found.
    ///
    /// # Errors
    /// If no candidate has a finite cost.
    pub fn run(mut self, observer: impl FnMut(&Progress<'_>) -> ControlFlow<()>) -> Result<Fitted, Error> {
        let report = search(&mut self.cost, &mut *self.optimizer, &self.settings.stop, observer)?;
        if !report.cost.is_finite() {
            let reason = "no network has a finite error: the data, or the interval in which the search starts, is too large";
            return Err(Error::Data(reason.into()));
        }
        let solved = self.cost.solve(&report.best);
        let origin = Origin {
            data: self.name.into(),
            data_settings: self.data.settings.clone(),
            reached: report.reached,
            stop: report.stop,
            evaluations: report.evaluations,
            cost: report.cost,
            verified_cost: report.verified_cost,
            rank: solved.readout.rank,
            least_share: solved.readout.least_share,
            settings: self.settings.clone(),
        };
        let TrainTest { train, test, .. } = self.data;
        let topology = self.settings.topology.clone();
        let mut model =
            Model::new(topology, solved.hidden, solved.readout.weights, self.scaler, train, origin);
        let (on_train, on_test) = (model.score(train), model.score(test));
        model.metrics = Metrics {
            train_mse: on_train.map_or(f64::NAN, |(mse, _)| mse),
            train_accuracy: on_train.and_then(|(_, accuracy)| accuracy),
            test_mse: on_test.map(|(mse, _)| mse),
            test_accuracy: on_test.and_then(|(_, accuracy)| accuracy),
        };
        Ok(Fitted { model, report })
    }
}
