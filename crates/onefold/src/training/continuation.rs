//! What local descents do after the threshold is reached: the search has ended and is counted, but a network
//! that has just crossed a threshold is not yet a good one.

use super::Training;
use super::stored::{Stored, Verified};
use crate::data::{Scaler, Scaling};
use crate::kernel::Isa;
use crate::optimizer::LocalSettings;
use crate::rows::Columns;
use crate::search::Search;
use crate::{
    Cancellation, CostSettings, Error, FitSettings, NetworkCost, Report, Stop, StopReason, Topology,
    TrainTest,
};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// L2 penalty of the search for a smooth network.
///
/// Measured on two-spirals with seeds 1000 to 1011: 92.5 % of the test rows correct; with 1e-6 91.7 %, with
/// 1e-5 83.8 %; without a penalty 91.7 %, with test errors six times as large.
const SMOOTHING: f64 = 1e-7;
/// Descents in a row without improvement after which that search ends.
const PATIENCE: u64 = 300;
/// Evaluations of that search, times rows and parameters: one or two seconds on one core. On two-spirals
/// these are half a million evaluations.
const MOST_WORK: f64 = 4e9;

/// Which network a continuation led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Destination {
    /// None was better: the network is the one that reached the threshold.
    Threshold,
    /// The minimum of the descent that reached the threshold.
    Minimum,
    /// The best network of a search on inputs scaled to [-1, 1], with a small L2 penalty.
    Smooth,
}

/// What was done after the threshold was reached. Its effort is not part of the [`Report`].
#[derive(Clone, Debug, PartialEq)]
pub struct Continuation {
    /// Which network it led to.
    pub destination: Destination,
    /// The verified cost of that network, at most that of the [`Report`].
    pub verified_cost: f64,
    /// Candidates evaluated.
    pub evaluations: u64,
    /// Candidates whose slopes were computed.
    pub slopes: u64,
    /// Evaluations, with slopes counted as the evaluations that take equal time.
    pub evaluation_equivalents: f64,
    /// Generations done.
    pub generations: u64,
    /// Elapsed seconds.
    pub seconds: f64,
    /// Why it ended.
    pub stop: StopReason,
}

impl Continuation {
    /// Whether it was interrupted or ran out of time, so that the network might have become better.
    #[must_use]
    pub fn is_cut_short(&self) -> bool {
        matches!(self.stop, StopReason::Observer | StopReason::Time)
    }

    fn count(&mut self, report: &Report) {
        self.evaluations += report.evaluations;
        self.slopes += report.slopes;
        self.evaluation_equivalents += report.evaluation_equivalents;
        self.generations += report.generations;
        self.stop = report.stop;
    }

    fn replace(&mut self, stored: &mut Stored, by: Stored, destination: Destination) {
        self.destination = destination;
        self.verified_cost = by.verified_cost;
        *stored = by;
    }
}

impl Training<'_> {
    /// Replaces `stored`, which has reached the threshold, by a better network; `started` is when the run
    /// was. None where the method has no descents, or nothing is left of the limits.
    pub(super) fn continue_from(
        &mut self,
        report: &Report,
        stored: &mut Stored,
        started: Instant,
    ) -> Result<Option<Continuation>, Error> {
        if self.settings.method.own::<LocalSettings>().is_none() {
            return Ok(None);
        }
        let begun = Instant::now();
        let mut continuation = Continuation {
            destination: Destination::Threshold,
            verified_cost: stored.verified_cost,
            evaluations: 0,
            slopes: 0,
            evaluation_equivalents: 0.0,
            generations: 0,
            seconds: 0.0,
            stop: StopReason::Threshold,
        };
        let Some(stop) = self.stop_after(report, &continuation, started) else { return Ok(None) };
        let crossing = stored.clone();
        self.descend(stop, stored, &mut continuation)?;
        let is_smoothed = self.data.train.classification && self.settings.cost.decay == 0.0;
        if is_smoothed
            && !continuation.is_cut_short()
            && let Some(stop) = self.stop_after(report, &continuation, started)
        {
            self.search_smooth(stop, &crossing, stored, &mut continuation)?;
        }
        continuation.seconds = begun.elapsed().as_secs_f64();
        Ok(Some(continuation))
    }

    /// What the limits of the search leave after it and what was continued so far; none if that is nothing.
    fn stop_after(&self, report: &Report, so_far: &Continuation, started: Instant) -> Option<Stop> {
        let Stop { max_evaluations, max_generations, max_seconds, .. } = self.settings.stop;
        let used = report.evaluation_equivalents + so_far.evaluation_equivalents;
        let max_evaluations = max_evaluations.map(|max| max.saturating_sub(used.ceil() as u64));
        let max_generations =
            max_generations.map(|max| max.saturating_sub(report.generations + so_far.generations));
        let max_seconds = max_seconds.map(|max| max - started.elapsed().as_secs_f64());
        let is_over = self.cancellation.is_cancelled()
            || max_evaluations.is_some_and(|max| max < self.settings.population() as u64)
            || max_generations == Some(0)
            || max_seconds.is_some_and(|max| max <= 0.0);
        let stop = Stop { max_evaluations, max_generations, max_seconds, ..Stop::default() };
        (!is_over).then_some(stop)
    }

    /// The descent from the best point of the search to its minimum.
    fn descend(
        &mut self,
        stop: Stop,
        stored: &mut Stored,
        continuation: &mut Continuation,
    ) -> Result<(), Error> {
        let settings = settings_without_threshold(self.settings, stop, 1);
        let report = search(&mut self.cost, &settings, self.data, &stored.hidden, &self.cancellation)?;
        continuation.count(&report);
        let found = self.cost.stored(&report.best);
        if self.cost.is_reached(&found) && found.verified_cost <= stored.verified_cost {
            continuation.replace(stored, found, Destination::Minimum);
        }
        Ok(())
    }

    /// A search on inputs scaled to [-1, 1], with a small L2 penalty, from the network that reached the
    /// threshold and from new starts: inputs of large numbers saturate the neurons of a start, whose descent
    /// then leads to a rugged network, and collinear hidden outputs have large output weights.
    fn search_smooth(
        &mut self,
        mut stop: Stop,
        crossing: &Stored,
        stored: &mut Stored,
        continuation: &mut Continuation,
    ) -> Result<(), Error> {
        let Self { data, settings, .. } = *self;
        let topology = &settings.topology;
        let work = data.train.rows() as f64 * topology.parameters(settings.cost.output_bias) as f64;
        let most = (MOST_WORK / work) as u64;
        stop.max_evaluations = Some(stop.max_evaluations.map_or(most, |max| max.min(most)));
        let settings = FitSettings {
            cost: CostSettings { decay: SMOOTHING, ..settings.cost.clone() },
            ..settings_without_threshold(settings, stop, PATIENCE)
        };
        if settings.stop.check_first_generation(settings.population()).is_err() {
            return Ok(());
        }
        let scaler = Scaler::learn(Scaling::MinMax, &data.train)?;
        let start = rescaled(topology, &crossing.hidden, &crossing.scaler, &scaler);
        let columns = Columns::scaled(&data.train, &scaler, None);
        let cost = NetworkCost::of_columns(topology.clone(), columns, &settings.cost, Isa::detect())?;
        let mut cost = Verified {
            cost,
            topology,
            train: &data.train,
            scaler,
            targets: None,
            threshold: self.cost.threshold,
        };
        let report = search(&mut cost, &settings, data, &start, &self.cancellation)?;
        continuation.count(&report);
        let mut found = cost.stored(&report.best);
        // The penalty is no error.
        found.verified_cost = found.train_mse;
        if cost.is_reached(&found) && found.verified_cost <= crossing.verified_cost {
            continuation.replace(stored, found, Destination::Smooth);
        }
        Ok(())
    }
}

/// Descents from `start` on; costs are those of the search.
fn search(
    cost: &mut Verified<'_>,
    settings: &FitSettings,
    data: &TrainTest,
    start: &[f64],
    cancellation: &Cancellation,
) -> Result<Report, Error> {
    let mut optimizer = settings.optimizer(data.train.rows())?;
    optimizer.start_at(start);
    Search::new(cost, &mut *optimizer, &settings.stop)?.cancel_by(cancellation).run()
}

/// The same settings for a search that ends after so many descents in a row without improvement.
fn settings_without_threshold(settings: &FitSettings, stop: Stop, patience: u64) -> FitSettings {
    let mut settings = FitSettings { stop, ..settings.clone() };
    if let Some(local) = settings.method.own_mut::<LocalSettings>() {
        local.patience = Some(patience);
    }
    settings
}

/// The hidden parameters of the same network for inputs that are scaled by `to` instead of `from`.
fn rescaled(topology: &Topology, hidden: &[f64], from: &Scaler, to: &Scaler) -> Vec<f64> {
    let mut rescaled = hidden.to_vec();
    for neuron in 0..topology.hidden().first().copied().unwrap_or(0) {
        let parameters = &mut rescaled[topology.neuron(0, neuron)];
        let Some((shift, weights)) = parameters.split_last_mut() else { continue };
        for (i, weight) in weights.iter_mut().enumerate() {
            let of_input = *weight / from.scale[i];
            *shift += of_input * (to.offset[i] - from.offset[i]);
            *weight = of_input * to.scale[i];
        }
    }
    rescaled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::OutputActivation;
    use crate::network::Plain;

    #[test]
    fn rescaled_parameters_are_the_same_network() {
        let topology: Topology = "3-4-2-1".parse().unwrap();
        let mut rng = crate::rng::Streams::new(1, crate::rng::Purpose::Start, 0).of(0);
        let mut random =
            |n: usize, low: f64, high: f64| -> Vec<f64> { (0..n).map(|_| rng.between(low, high)).collect() };
        for _ in 0..50 {
            let hidden = random(topology.dim(), -2.0, 2.0);
            let readout = vec![random(2, -1.0, 1.0)];
            let from = Scaler { offset: random(3, -5.0, 5.0), scale: random(3, 0.1, 9.0) };
            let to = Scaler { offset: random(3, -5.0, 5.0), scale: random(3, 0.1, 9.0) };
            let row = random(3, -5.0, 5.0);
            let outputs = |hidden: &[f64], scaler: &Scaler| {
                let activation = OutputActivation::Identity;
                let network = Plain { topology: &topology, hidden, readout: &readout, activation };
                network.outputs(scaler.apply(&row))[0]
            };
            let other = outputs(&rescaled(&topology, &hidden, &from, &to), &to);
            assert!((outputs(&hidden, &from) - other).abs() < 1e-9);
        }
    }
}
