//! Training of the candidates of one shape on some rows, from the weakest to the strongest decay.

use super::candidates::{Shape, Variant};
use super::probabilities::{Classifier, LEAST_PENALTY};
use super::settings::SelectionSettings;
use crate::objective::{CrossEntropy, time_of_cross_entropy, time_of_evaluation};
use crate::request::Slopes;
use crate::settings::OutputLayer;
use crate::training::descend;
use crate::{Cancellation, Dataset, Error, FitSettings, Fitted, Model, Topology, TrainTest, Training};

/// Patience of descents with a decay that begins at the network of the decay before.
const PATIENCE_AFTER: u64 = 1;
/// Fraction of a task's effort for the first decay.
const FRACTION_OF_FIRST: f64 = 0.4;
/// Every training has at least this many evaluations.
const LEAST_EVALUATIONS: f64 = 60.0;
/// Fraction of what is left of the effort for a decay that is for the search, where all weights then descend
/// on the cross-entropy.
const FRACTION_OF_SEARCH: f64 = 0.5;
/// Where all weights descend on the cross-entropy, a chain begins with a search with at most this decay. With a
/// strong one, least squares of networks with several layers may lead to zero weights, a saddle point of the
/// cross-entropy that no descent leaves.
const WEAK_DECAY: f64 = 1e-4;
/// Least and largest number of evaluations of such a descent, and how many it is expected to take.
const DESCENT: [f64; 2] = [20.0, 400.0];
const EXPECTED_OF_DESCENT: f64 = 100.0;
/// The evaluations, derivatives counted as such, that a network is expected to take with one decay.
const EXPECTED_EVALUATIONS: f64 = 2000.0;
/// Time of the logistic output layer in nanoseconds, for each row, column and class.
const TIME_OF_LOGISTIC: f64 = 60.0;
/// Columns of the output layer that double the time of an evaluation: the more there are, the more often they
/// are nearly collinear and need a slower factorisation.
const COLUMNS_THAT_DOUBLE: f64 = 64.0;

/// How long candidates are trained.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Descents in a row without improvement that end the search for the weakest decay.
    pub(super) patience: u64,
    /// The limit for all decays of a shape, in nanoseconds that are counted.
    pub(super) limit: f64,
}

/// Times in nanoseconds that are counted, on some rows.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// Of an evaluation.
    evaluation: f64,
    /// Of the logistic output layer.
    logistic: f64,
    /// Of an evaluation of the cross-entropy with its gradient.
    cross_entropy: f64,
}

impl Times {
    fn new(topology: &Topology, data: &Dataset, rows: usize, template: &FitSettings) -> Self {
        let columns = topology.readout_columns() as f64;
        let bias = template.cost.output_bias;
        let evaluation = time_of_evaluation(topology, rows, bias) * (1.0 + columns / COLUMNS_THAT_DOUBLE);
        let of_logistic = if data.classification { TIME_OF_LOGISTIC } else { 0.0 };
        Self {
            evaluation: evaluation.max(1.0),
            logistic: (rows * data.outputs.len()) as f64 * columns * of_logistic,
            cross_entropy: time_of_cross_entropy(topology, rows, bias).max(1.0),
        }
    }
}

/// The least effort for a network with one decay on this many of the rows.
pub(super) fn least_effort(topology: &Topology, data: &Dataset, rows: usize, template: &FitSettings) -> f64 {
    let times = Times::new(topology, data, rows, template);
    LEAST_EVALUATIONS * times.evaluation + times.logistic
}

/// What some candidates of a shape are expected to take on this many of the rows.
pub(super) fn expected_effort(
    shape: &Shape,
    candidates: &[usize],
    data: &Dataset,
    rows: usize,
    template: &FitSettings,
) -> f64 {
    let times = Times::new(&shape.topology, data, rows, template);
    let searched = if shape.topology.dim() == 0 { 0.0 } else { EXPECTED_EVALUATIONS };
    let of_step = |(place, step): (usize, &Step)| {
        let descent = if step.cross_entropy.is_some() { EXPECTED_OF_DESCENT } else { 0.0 };
        let search = if place == 0 || step.searched.is_some() { 1.0 + searched } else { 0.0 };
        search * times.evaluation + times.logistic + descent * times.cross_entropy
    };
    steps(shape, candidates).iter().enumerate().map(of_step).sum()
}

/// What is trained with one decay: the places of its candidates among those of the chain. Without any, it is
/// only where the others begin.
struct Step {
    decay: f64,
    /// The one whose hidden layers are those of least squares.
    searched: Option<usize>,
    /// The one whose weights then descend on the cross-entropy.
    cross_entropy: Option<usize>,
}

/// The steps of some candidates of a shape, from the weakest to the strongest decay.
fn steps(shape: &Shape, candidates: &[usize]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (place, candidate) in candidates.iter().enumerate() {
        let Variant { decay, output_layer } = shape.variants[candidate - shape.first];
        let at = steps.partition_point(|step| step.decay < decay);
        if steps.get(at).is_none_or(|step| step.decay > decay) {
            steps.insert(at, Step { decay, searched: None, cross_entropy: None });
        }
        let step = &mut steps[at];
        match output_layer {
            OutputLayer::CrossEntropy => step.cross_entropy = Some(place),
            _ => step.searched = Some(place),
        }
    }
    let has_descent = steps.iter().any(|step| step.cross_entropy.is_some());
    if has_descent && steps[0].decay > WEAK_DECAY {
        steps.insert(0, Step { decay: WEAK_DECAY, searched: None, cross_entropy: None });
    }
    steps
}

/// A network of a chain.
pub(super) enum Network<'a> {
    /// As the search found it.
    Searched(&'a Fitted),
    /// After a descent on the cross-entropy, and whether that was cut short.
    Descended(&'a Classifier, &'a Model, bool),
}

/// Networks of one shape, trained with one decay after the other, each from the network before.
pub(super) struct Chain<'a> {
    template: &'a FitSettings,
    shape: &'a Shape,
    data: &'a TrainTest,
    effort: Effort,
    cancellation: &'a Cancellation,
    times: Times,
    /// What it took so far, in nanoseconds that are counted.
    taken: f64,
    /// The network that was searched last; none if it could not be trained.
    fitted: Option<Fitted>,
    /// The hidden parameters to search from.
    start: Option<Vec<f64>>,
    /// The last one that descended on the cross-entropy, or the one that the first descent may begin at.
    descended: Option<Classifier>,
}

impl<'a> Chain<'a> {
    pub(super) fn new(
        template: &'a FitSettings,
        shape: &'a Shape,
        data: &'a TrainTest,
        effort: Effort,
        cancellation: &'a Cancellation,
    ) -> Self {
        let times = Times::new(&shape.topology, &data.train, data.train.rows(), template);
        let (fitted, start, descended) = (None, None, None);
        Self { template, shape, data, effort, cancellation, times, taken: 0.0, fitted, start, descended }
    }

    /// Trains some candidates; for each what `make` makes of it, none if it cannot be trained, and what all
    /// took. None if it was cancelled.
    pub(super) fn run<T>(
        mut self,
        candidates: &[usize],
        make: impl Fn(&Network<'_>, f64) -> Option<T>,
    ) -> Option<(Vec<Option<T>>, f64)> {
        let mut results: Vec<Option<T>> = candidates.iter().map(|_| None).collect();
        let steps = steps(self.shape, candidates);
        let has_descent = steps.iter().any(|step| step.cross_entropy.is_some());
        for (place, step) in steps.iter().enumerate() {
            // Even the preparation of a training takes a while on a large table.
            if self.cancellation.is_cancelled() {
                return None;
            }
            let after = (steps.len() - place) as f64;
            let fraction = if place == 0 { FRACTION_OF_FIRST.max(1.0 / after) } else { 1.0 / after };
            let before = self.taken;
            let left = (self.effort.limit - before).max(0.0) * fraction;
            let is_searched = step.searched.is_some() || self.descended.is_none();
            if is_searched {
                let of_search = if step.cross_entropy.is_some() { FRACTION_OF_SEARCH } else { 1.0 };
                self.search(step.decay, left * of_search);
            }
            if place == 0 && has_descent && step.cross_entropy.is_none() {
                self.descended = self.logistic(step.decay);
                self.taken += self.times.logistic;
            }
            let make = |network: &Network<'_>| make(network, step.decay);
            if let (Some(place), Some(fitted)) = (step.searched, &self.fitted) {
                results[place] = make(&Network::Searched(fitted));
            }
            if let Some(place) = step.cross_entropy {
                let is_cut_short = self.descend(step.decay, is_searched, left - (self.taken - before));
                let trained = is_cut_short.zip(self.fitted.as_ref()).zip(self.descended.as_ref());
                results[place] = trained.and_then(|((is_cut_short, fitted), descended)| {
                    make(&Network::Descended(descended, &fitted.model, is_cut_short))
                });
            }
            if self.cancellation.is_cancelled() {
                return None;
            }
        }
        Some((results, self.taken))
    }

    /// Searches hidden layers for least squares with this decay, from the network before, with so much
    /// effort.
    fn search(&mut self, decay: f64, effort: f64) {
        let patience = if self.start.is_some() { PATIENCE_AFTER } else { self.effort.patience };
        let topology = self.shape.topology.clone();
        let mut fit = SelectionSettings::fit_settings(self.template, topology, decay, patience);
        fit.stop.max_evaluations = Some((effort / self.times.evaluation).max(LEAST_EVALUATIONS) as u64);
        self.fitted = train(self.data, &fit, self.start.as_deref(), self.cancellation).ok().flatten();
        if let Some(Fitted { report, .. }) = &self.fitted {
            self.taken += report.evaluation_equivalents * self.times.evaluation + self.times.logistic;
            self.start = Some(report.best.clone());
        }
    }

    /// The network that was searched last, with a logistic output layer.
    fn logistic(&self, decay: f64) -> Option<Classifier> {
        Classifier::logistic(&self.fitted.as_ref()?.model, decay, &self.data.train).ok()
    }

    /// Trains all weights for cross-entropy with this decay, from the network before or from the one that was
    /// just searched, whichever costs less. As for logistic regression, all classes have biases. Whether it
    /// was cut short; none if it cannot be trained.
    fn descend(&mut self, decay: f64, is_searched: bool, effort: f64) -> Option<bool> {
        let (model, train) = (&self.fitted.as_ref()?.model, &self.data.train);
        let mut cost = CrossEntropy::new(train, model.scaler(), model.topology(), true, None).ok()?;
        cost.penalty = decay.max(LEAST_PENALTY);
        let searched = is_searched.then(|| self.logistic(decay)).flatten();
        let starts = self.descended.iter().chain(&searched);
        let points = starts.map(|c| CrossEntropy::point(&c.hidden, &c.readout));
        let start = points.map(|point| (cost.cost(&point, &mut Slopes::default()), point));
        let (_, start) = start.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let most = (effort / self.times.cross_entropy).clamp(DESCENT[0], DESCENT[1]);
        let descended = descend(&mut cost, start, most as u64, self.cancellation);
        // Those of the starts, too.
        self.taken += (descended.evaluations + 2) as f64 * self.times.cross_entropy;
        let (hidden, readout) = cost.network(&descended.point);
        self.descended = Some(Classifier { hidden, readout });
        Some(descended.cut_short.is_some() && most < DESCENT[1])
    }
}

/// Trains a network from a start, if there is one; none if it was cancelled.
fn train(
    data: &TrainTest,
    fit: &FitSettings,
    start: Option<&[f64]>,
    cancellation: &Cancellation,
) -> Result<Option<Fitted>, Error> {
    let training = Training::new("", data, fit)?.cancel_by(&cancellation.for_part());
    match start {
        Some(start) => training.start_at(start).run_unless_cancelled(),
        None => training.run_unless_cancelled(),
    }
}
