//! From settings and data to a verified model.

mod continuation;
mod cross_entropy;
mod least_squares;
mod output_layer;
mod stored;

use crate::data::{Scaler, TargetScaler};
use crate::kernel::Isa;
use crate::model::{Metrics, Model, Origin, Parts};
use crate::rows::Columns;
use crate::search::Search;
use crate::settings::OutputLayer;
use crate::{
    Cancellation, Error, FitSettings, NetworkCost, Optimizer, Progress, Report, Stop, StopReason, TrainTest,
};
use std::ops::ControlFlow;
use std::time::Instant;
use stored::{Stored, Verified};

pub use continuation::{Continuation, Destination};
pub use cross_entropy::CrossEntropyDescent;
pub(crate) use cross_entropy::descend;

/// A trained model and the report of its search.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// The report of the search; where it was continued, of the search until the threshold.
    pub report: Report,
    /// What was done after the threshold was reached, where [`Training::continue_after_threshold`] asked for
    /// it: the model is the network that it led to.
    pub continuation: Option<Continuation>,
    /// The descent of all weights on the cross-entropy, with [`OutputLayer::CrossEntropy`].
    pub descent: Option<CrossEntropyDescent>,
}

impl Fitted {
    /// Whether the search or what followed it was ended by an observer or a [`Cancellation`].
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        let continued = self.continuation.as_ref().map(|continuation| continuation.stop);
        [Some(self.report.stop), continued].contains(&Some(StopReason::Observer))
    }
}

/// Trains a network on `data.train` and evaluates it on training and test rows. `name` is the name of the
/// data. Local descents [continue](Training::continue_after_threshold) after the threshold.
///
/// ```
/// use onefold::{Builtin, FitSettings, Method, fit};
///
/// let data = Builtin::Iris.load(&Default::default())?;
/// let settings = FitSettings::for_builtin(Builtin::Iris, None, Method::DE_SB)?;
/// let fitted = fit("iris", &data, &settings)?;
/// assert!(fitted.report.reached);
/// assert_eq!(fitted.model.classify(&[5.1, 3.5, 1.4, 0.2]), Some("Iris-setosa"));
/// # Ok::<(), onefold::Error>(())
/// ```
///
/// # Errors
/// If settings are out of range or do not fit the data.
pub fn fit(name: &str, data: &TrainTest, settings: &FitSettings) -> Result<Fitted, Error> {
    Training::new(name, data, settings)?.continue_after_threshold().run()
}

/// A training run that has passed all checks and is ready to [run](Self::run).
///
/// Costs passed to an observer and those of the [`Report`] are in the units of the data, as
/// [`Stop::threshold`] is: mean squared errors of the unscaled target. Several scaled targets have no common
/// unit; then costs are those of the scaled targets, except the verified one.
///
/// The threshold is reached only if the model that is stored reaches it, by the error that
/// [`Model::score`] computes on the training rows; otherwise the search goes on.
///
/// Costs are those of least squares, also where the [output layer](OutputLayer) gives probabilities in the
/// end; the metrics of the model are then those of its probabilities.
///
/// A network without hidden layers has nothing to search: whatever the method, least squares gives its
/// weights at once, which counts as one evaluation, and observers are not called.
pub struct Training<'a> {
    name: &'a str,
    data: &'a TrainTest,
    settings: &'a FitSettings,
    cost: Verified<'a>,
    /// None where there is nothing to search.
    optimizer: Option<Box<dyn Optimizer>>,
    observer: Option<Observer<'a>>,
    saved: Option<&'a [u8]>,
    cancellation: Cancellation,
    /// Whether local descents continue after the threshold.
    continues: bool,
    /// Whether the model keeps all scores.
    has_scores: bool,
    /// Whether nobody needs the model of a run that is cancelled.
    is_dispensable: bool,
    /// Hidden parameters that are used without a search; with cross-entropy, all weights descend from them.
    given: Option<Vec<f64>>,
}

type Observer<'a> = Box<dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'a>;

impl<'a> Training<'a> {
    /// Checks settings and data, and allocates the memory needed.
    ///
    /// # Errors
    /// As [`fit`].
    pub fn new(name: &'a str, data: &'a TrainTest, settings: &'a FitSettings) -> Result<Self, Error> {
        settings.validate()?;
        settings.check_output_layer(&data.train)?;
        data.train.check_usable()?;
        data.train.check_variation()?;
        let scaler = Scaler::learn(settings.scaling, &data.train)?;
        let targets = TargetScaler::learn(settings.target_scaling, &data.train);
        let columns = Columns::scaled(&data.train, &scaler, targets.as_ref());
        let topology = settings.topology.clone();
        let cost = NetworkCost::of_columns(topology, columns, &settings.cost, Isa::detect())?;
        let cost = Verified {
            cost,
            topology: &settings.topology,
            train: &data.train,
            scaler,
            targets,
            threshold: settings.stop.threshold,
        };
        let searched = FitSettings { stop: stop_of_search(settings, &cost), ..settings.clone() };
        let has_parameters = settings.topology.dim() > 0;
        let optimizer = has_parameters.then(|| searched.optimizer(data.train.rows())).transpose()?;
        let (observer, saved, cancellation) = (None, None, Cancellation::default());
        Ok(Self {
            name,
            data,
            settings,
            cost,
            optimizer,
            observer,
            saved,
            cancellation,
            continues: false,
            has_scores: false,
            is_dispensable: false,
            given: None,
        })
    }

    /// Calls `observer` after each generation; it may end the search.
    #[must_use]
    pub fn observe(mut self, observer: impl FnMut(&Progress<'_>) -> ControlFlow<()> + 'a) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Ends the search when `cancellation` asks for it, see [`Search::cancel_by`].
    #[must_use]
    pub fn cancel_by(mut self, cancellation: &Cancellation) -> Self {
        self.cancellation = cancellation.clone();
        self
    }

    /// Continues after the threshold is reached, with methods whose steps are local descents; others end
    /// there.
    ///
    /// The descent that reached it goes on to its minimum. For classes, where the error is only a substitute
    /// for correct answers, the search then goes on with inputs scaled to [-1, 1] and a small L2 penalty,
    /// which prefers smooth networks. The result has at most the error of the network that reached the
    /// threshold, otherwise that one is kept. The [`Report`] is that of the search until the threshold;
    /// observers are not called after it.
    #[must_use]
    pub fn continue_after_threshold(mut self) -> Self {
        self.continues = true;
        self
    }

    /// The model keeps all scores on its rows, as [`Model::with_scores_on`] computes them. They take little
    /// time beside the error, which is computed in any case.
    #[must_use]
    pub fn with_scores(mut self) -> Self {
        self.has_scores = true;
        self
    }

    /// Begins at these hidden parameters, if the method is one of local descents; a population begins as
    /// without them. With [cross-entropy](OutputLayer::CrossEntropy) nothing is searched: all weights descend
    /// from there.
    ///
    /// # Panics
    /// If the number of parameters does not fit the topology.
    #[must_use]
    pub fn start_at(mut self, hidden: &[f64]) -> Self {
        assert_eq!(hidden.len(), self.settings.topology.dim(), "hidden parameters");
        if self.settings.output_layer == OutputLayer::CrossEntropy {
            return self.with_hidden(hidden);
        }
        if !self.settings.method.method().has_population() {
            self.optimizer.iter_mut().for_each(|optimizer| optimizer.start_at(hidden));
        }
        self
    }

    /// Uses these hidden parameters: nothing is searched, and only the output layer is solved.
    ///
    /// # Panics
    /// If the number of parameters does not fit the topology.
    #[must_use]
    pub fn with_hidden(mut self, hidden: &[f64]) -> Self {
        assert_eq!(hidden.len(), self.settings.topology.dim(), "hidden parameters");
        self.given = Some(hidden.to_vec());
        self
    }

    /// Resumes from a state saved by [`Progress::save`] in a run with the same data and settings. A state
    /// that is damaged or of another method is an error of [`run`](Self::run).
    #[must_use]
    pub fn resume(mut self, saved: &'a [u8]) -> Self {
        self.saved = Some(saved);
        self
    }

    /// Predictions of the network with these hidden parameters for rows of unscaled inputs, with output
    /// weights solved on the training rows by least squares.
    ///
    /// # Panics
    /// If the numbers of parameters or inputs do not fit the topology.
    #[must_use]
    pub fn predict(&mut self, hidden: &[f64], rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let topology = &self.settings.topology;
        assert_eq!(hidden.len(), topology.dim(), "hidden parameters");
        let stored = self.cost.stored(hidden);
        let predict = |row: &Vec<f64>| {
            assert_eq!(row.len(), topology.inputs(), "inputs of a row");
            stored.predict(topology, row)
        };
        rows.iter().map(predict).collect()
    }

    /// Runs the search, and makes a model of the best network found. An [output layer](OutputLayer) that
    /// gives probabilities is solved last.
    ///
    /// # Errors
    /// If no candidate has a finite cost, or a state to resume from is damaged or of another method.
    pub fn run(mut self) -> Result<Fitted, Error> {
        let started = Instant::now();
        let report = self.searched()?;
        self.complete(report, started)
    }

    /// The same; none if it was cancelled, which then takes no more time than the search needs to end.
    pub(crate) fn run_unless_cancelled(mut self) -> Result<Option<Fitted>, Error> {
        self.is_dispensable = true;
        let started = Instant::now();
        let report = self.searched()?;
        if self.cancellation.is_cancelled() {
            return Ok(None);
        }
        self.complete(report, started).map(Some)
    }

    fn searched(&mut self) -> Result<Report, Error> {
        match self.optimizer.take() {
            Some(mut optimizer) if self.given.is_none() => self.search(&mut *optimizer),
            _ => self.least_squares(),
        }
    }

    /// Makes a model of the network that the search found.
    fn complete(mut self, mut report: Report, started: Instant) -> Result<Fitted, Error> {
        if !report.cost.is_finite() {
            return Err(Error::NoFiniteCost);
        }
        // The error of the model is that of this network, and one prediction of all rows is enough.
        let is_scored_last =
            self.cost.threshold.is_none() && self.cost.targets.is_some() && self.given.is_none();
        let mut stored =
            if is_scored_last { self.cost.unscored(&report.best) } else { self.cost.stored(&report.best) };
        report.reached = self.cost.is_reached(&stored);
        report.verified_cost = stored.verified_cost;
        let is_continued = self.continues && report.reached && report.stop == StopReason::Threshold;
        let continuation =
            if is_continued { self.continue_from(&report, &mut stored, started)? } else { None };
        // What descends on the cross-entropy may leave the sphere of the search.
        if let Some(given) = &self.given {
            stored.hidden.clone_from(given);
        }
        let mut descent = None;
        if self.settings.output_layer.has_probabilities() {
            let begun = Instant::now();
            let stop = self.make_probabilities(&mut stored, &mut descent, started)?;
            report.stop = stop.unwrap_or(report.stop);
            report.seconds += begun.elapsed().as_secs_f64();
        }
        let mut model = self.model(&report, stored.clone());
        let Metrics { train_mse, test_mse, .. } = *model.metrics();
        let train_mse = train_mse.unwrap_or(f64::NAN);
        if is_scored_last {
            self.cost.set_error(&mut stored, train_mse);
            report.verified_cost = stored.verified_cost;
            model = model.with_verified_cost(stored.verified_cost);
        }
        if !train_mse.is_finite() || test_mse.is_some_and(|mse| !mse.is_finite()) {
            return Err(Error::InfiniteError);
        }
        Ok(Fitted { model, report, continuation, descent })
    }

    fn search(&mut self, optimizer: &mut dyn Optimizer) -> Result<Report, Error> {
        let stop = stop_of_search(self.settings, &self.cost);
        let unit = self.cost.unit();
        let mut search = Search::new(&mut self.cost, optimizer, &stop)?;
        search = search.in_units_of(unit).cancel_by(&self.cancellation);
        if let Some(saved) = self.saved {
            search = search.resume(saved)?;
        }
        if let Some(observer) = self.observer.take() {
            search = search.observe(observer);
        }
        search.run()
    }

    fn model(&self, report: &Report, stored: Stored) -> Model {
        let table = self.data.table.as_deref();
        let origin = Origin {
            data: self.name.into(),
            data_settings: self.data.settings.clone(),
            table_settings: table.map(|t| t.settings.clone()),
            partition: table.map(|t| t.split.clone()),
            weighted: self.data.train.weights.is_some(),
            target_scaler: self.cost.targets.clone(),
            reached: report.reached,
            stop: report.stop,
            evaluations: report.evaluations,
            slopes: report.slopes,
            cost: report.cost,
            verified_cost: stored.verified_cost,
            rank: stored.rank,
            least_share: stored.least_share,
            settings: self.settings.clone(),
        };
        let Stored { hidden, readout, activation, scaler, .. } = stored;
        let parts = Parts { hidden, readout, activation, scaler, origin };
        Model::new(parts, self.data, self.cost.cost.pool(), self.has_scores)
    }
}

/// The stopping criteria in the units of the search.
fn stop_of_search(settings: &FitSettings, cost: &Verified<'_>) -> Stop {
    Stop { threshold: cost.threshold_of_search(), ..settings.stop.clone() }
}
