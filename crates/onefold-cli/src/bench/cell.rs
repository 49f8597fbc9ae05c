//! One cell of the paper, measured.

use crate::failure::Failure;
use onefold::data::Scaler;
use onefold::kernel::{Isa, Limits};
use onefold::rng::{Purpose, Streams};
use onefold::symmetry::Heuristic;
use onefold::{
    Align as _, Builtin, CostSettings, Evaluations, FitSettings, Method, NetworkCost, Objective as _,
    TrainTest,
};
use std::time::Instant;

/// A data set and a topology.
pub(super) struct Cell {
    pub(super) builtin: Builtin,
    pub(super) hidden: &'static str,
}

/// What was measured; parts of the time as fractions of it.
pub(super) struct Measured {
    pub(super) cell: String,
    pub(super) method: Method,
    /// Evaluations per second with early rejection, median, and half the range of the repeats relative to it.
    pub(super) rate: f64,
    pub(super) spread: f64,
    /// Runs to the threshold.
    pub(super) whole: WholeRuns,
    /// Evaluations per second with every candidate evaluated in full.
    pub(super) full_rate: f64,
    /// Evaluations per second of `tanh` and multiply-adds alone.
    pub(super) limit: f64,
    pub(super) limit_f32: f64,
    pub(super) tanh: f64,
    pub(super) layers: f64,
    pub(super) readout: f64,
    pub(super) optimiser: f64,
    pub(super) symmetry: f64,
}

/// Runs to the threshold with early rejection, one after the other.
#[derive(Default)]
pub(super) struct WholeRuns {
    /// Seeds from 1 on, as many as runs.
    pub(super) runs: u64,
    /// How many of them reached the threshold in the time that they had.
    pub(super) reached: u64,
    pub(super) evaluations: u64,
    pub(super) seconds: f64,
}

/// Time for all whole runs of a cell, in times that of the run with which a measurement begins.
const WHOLE: f64 = 10.0;

/// A search, timed.
struct Timed {
    seconds: f64,
    optimiser: f64,
    evaluations: u64,
    generations: u64,
    population: onefold::Population,
    best: Vec<f64>,
    cost: f64,
}

impl Cell {
    pub(super) fn of_the_paper() -> Vec<Self> {
        let sets = Builtin::ALL.into_iter().filter(|b| b.variant_of().is_none());
        sets.flat_map(|builtin| builtin.paper_cells().iter().map(move |c| Self { builtin, hidden: c.hidden }))
            .collect()
    }

    pub(super) fn measure(
        &self,
        method: Method,
        isa: Isa,
        limits: &Limits,
        seconds: f64,
        repeats: usize,
    ) -> Result<Measured, Failure> {
        let settings = FitSettings::for_builtin(self.builtin, Some(self.hidden), method)?;
        let data = self.builtin.load(&Default::default())?;
        // A first run sets the number of generations for all others: to the threshold, or as far as the time
        // allows.
        let first = search(&settings, &data, isa, true, |elapsed, best| {
            elapsed < seconds && best > settings.stop.threshold.unwrap_or(0.0)
        })?;
        let run = |early: bool| {
            let mut generations = 0;
            search(&settings, &data, isa, early, |_, _| {
                generations += 1;
                generations < first.generations
            })
        };
        let (mut rates, mut full_rates, mut optimiser) = (Vec::new(), Vec::new(), 0.0);
        for _ in 0..repeats {
            let (early, full) = (run(true)?, run(false)?);
            rates.push(early.evaluations as f64 / early.seconds);
            full_rates.push(full.evaluations as f64 / full.seconds);
            optimiser += full.optimiser / full.seconds / repeats as f64;
        }
        let (rate, spread) = median(&mut rates);
        let (full_rate, _) = median(&mut full_rates);

        let (topology, rows) = (&settings.topology, data.train.rows() as f64);
        let total = (topology.last_hidden() + topology.outputs()) as f64;
        let tanhs = rows * topology.hidden().iter().sum::<usize>() as f64;
        let shifts = topology.hidden().iter().sum::<usize>();
        let multiply_adds = rows * ((topology.dim() - shifts) as f64 + total * (total + 1.0) / 2.0);
        let profile = cost(&settings, &data, isa, false)?.profile(&first.population);
        let evaluation = 1.0 - optimiser;
        let share = profile.map_or(f64::NAN, |p| p.forward / (p.forward + p.readout));
        let forward = evaluation * share;
        let tanh = (tanhs * limits.tanh * full_rate).min(forward);
        Ok(Measured {
            cell: format!("{} {topology}", self.builtin),
            method,
            rate,
            spread,
            whole: WholeRuns::measure(&settings, &data, isa, WHOLE * seconds, repeats)?,
            full_rate,
            limit: 1.0 / (tanhs * limits.tanh + multiply_adds * limits.multiply_add),
            limit_f32: 1.0 / (tanhs * limits.tanh_f32 + multiply_adds * limits.multiply_add_f32),
            tanh,
            layers: forward - tanh,
            readout: evaluation - forward,
            optimiser,
            symmetry: if method == Method::DE_SB { seconds_per_align(&settings, &first) * rate } else { 0.0 },
        })
    }
}

impl WholeRuns {
    /// At most this many runs: those that begin before the time, in seconds, is used up, and end with it.
    fn measure(
        settings: &FitSettings,
        data: &TrainTest,
        isa: Isa,
        seconds: f64,
        most: usize,
    ) -> Result<Self, Failure> {
        let threshold = settings.stop.threshold.unwrap_or(0.0);
        let mut whole = Self::default();
        while whole.runs < most as u64 && whole.seconds < seconds {
            whole.runs += 1;
            let mut settings = settings.clone();
            settings.method.common.seed = whole.runs;
            let left = seconds - whole.seconds;
            let run = search(&settings, data, isa, true, |elapsed, best| elapsed < left && best > threshold)?;
            whole.reached += u64::from(run.cost <= threshold);
            whole.evaluations += run.evaluations;
            whole.seconds += run.seconds;
        }
        Ok(whole)
    }

    /// Evaluations per second.
    pub(super) fn rate(&self) -> f64 {
        self.evaluations as f64 / self.seconds
    }
}

fn cost(
    settings: &FitSettings,
    data: &TrainTest,
    isa: Isa,
    early: bool,
) -> Result<NetworkCost<'static>, Failure> {
    let train = Scaler::learn(settings.scaling, &data.train)?.apply_all(&data.train);
    let settings_of_cost = CostSettings { early_rejection: early, ..settings.cost.clone() };
    Ok(NetworkCost::with_isa(settings.topology.clone(), train, &settings_of_cost, isa)?)
}

/// Searches while `go_on(seconds, best cost)`.
fn search(
    settings: &FitSettings,
    data: &TrainTest,
    isa: Isa,
    early: bool,
    mut go_on: impl FnMut(f64, f64) -> bool,
) -> Result<Timed, Failure> {
    let mut cost = cost(settings, data, isa, early)?;
    let mut optimizer = settings.optimizer(data.train.rows())?;
    let mut evaluations = Evaluations::default();
    let (mut optimiser, mut generations) = (0.0, 0);
    let started = Instant::now();
    loop {
        let asked = Instant::now();
        let ask = optimizer.ask();
        let asking = asked.elapsed();
        evaluations.make_room(&ask);
        cost.evaluate(&ask, &mut evaluations);
        let told = Instant::now();
        optimizer.tell(&mut evaluations);
        optimiser += (asking + told.elapsed()).as_secs_f64();
        generations += 1;
        let seconds = started.elapsed().as_secs_f64();
        if !go_on(seconds, optimizer.best().cost) {
            let evaluations = generations * settings.population() as u64;
            let population = optimizer.population().0.clone();
            let (best, cost) = (optimizer.best().x.to_vec(), optimizer.best().cost);
            return Ok(Timed { seconds, optimiser, evaluations, generations, population, best, cost });
        }
    }
}

/// Seconds that symmetry breaking takes for one individual, its random stream included.
fn seconds_per_align(settings: &FitSettings, run: &Timed) -> f64 {
    let heuristic = Heuristic::new(settings.topology.clone());
    let mut population = run.population.clone();
    let started = Instant::now();
    let mut count = 0;
    while started.elapsed().as_secs_f64() < 0.02 {
        let streams = Streams::new(1, Purpose::Align, count);
        for (i, row) in population.rows_mut().enumerate() {
            heuristic.align(row, &run.best, &mut streams.of(i));
        }
        count += 1;
    }
    started.elapsed().as_secs_f64() / (count as f64 * population.len() as f64)
}

/// The median, and half the range relative to it.
pub(super) fn median(values: &mut [f64]) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let median = values[values.len() / 2];
    (median, (values[values.len() - 1] - values[0]) / 2.0 / median)
}
