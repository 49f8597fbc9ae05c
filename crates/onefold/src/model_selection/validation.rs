//! Cross-validation on training rows, to compare networks.

use super::selection::{Tried, Verdict, parameters};
use super::settings::{SelectionSettings, operations};
use crate::data::{folds, stratified, winner};
use crate::resources::pool;
use crate::{Cancellation, Dataset, Error, FitSettings, Topology, TrainTest, Training};
use rayon::prelude::*;

/// Cross-validation is repeated only with fewer rows than this.
const REPEATED_ROWS: usize = 2000;
/// Number of decays that are tried first.
const FIRST: usize = 5;
/// Smaller decays are tried as long as the best is among the last this many.
const SLACK: usize = 2;

/// The folds, and the settings of training on them.
pub(super) struct Validation<'a> {
    template: &'a FitSettings,
    settings: &'a SelectionSettings,
    /// The folds of all repetitions, with the indices of their test rows.
    folds: Vec<(TrainTest, Vec<usize>)>,
    repeats: usize,
    rows: usize,
    /// Weight of the squared error of each output.
    weights: Vec<f64>,
    /// None where the system does not allow another thread.
    pool: Option<rayon::ThreadPool>,
}

/// The result of a network on all folds.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) topology: Topology,
    pub(super) decay: f64,
    /// The selection criterion of each row, by networks that were not trained on it: the squared error, for
    /// classes the 0-1 loss. The squared error would favour scores near 0 and 1, although networks with
    /// smaller weights classify as well.
    losses: Vec<f64>,
    /// Mean of the losses.
    pub(super) mean: f64,
    /// Mean squared error.
    error: f64,
    steps: f64,
    pub(super) operations: f64,
    seconds: f64,
}

/// The result of a network on one fold.
#[derive(Default)]
struct Part {
    losses: Vec<f64>,
    squares: f64,
    steps: u64,
    seconds: f64,
}

impl<'a> Validation<'a> {
    pub(super) fn new(
        data: &Dataset,
        template: &'a FitSettings,
        settings: &'a SelectionSettings,
    ) -> Result<Self, Error> {
        let seed = template.method.common.seed;
        let classes = |data: &Dataset| -> Option<Vec<usize>> {
            data.classification.then(|| (0..data.rows()).map(|row| winner(&data.output(row))).collect())
        };
        let drawn;
        let data = if data.rows() > settings.rows {
            let dropped = 1.0 - settings.rows as f64 / data.rows() as f64;
            drawn = data.select(&stratified(data.rows(), classes(data).as_deref(), dropped, seed).0);
            &drawn
        } else {
            data
        };
        // With many rows one repetition is precise enough.
        let repeats = settings.repeats.min(REPEATED_ROWS.div_ceil(data.rows()));
        let mut all = Vec::new();
        for repeat in 0..repeats as u64 {
            let count = settings.folds.min(data.rows());
            let tests = folds(data.rows(), classes(data).as_deref(), count, seed.wrapping_add(repeat))?;
            all.extend(tests.into_iter().map(|test| {
                let train: Vec<usize> =
                    (0..data.rows()).filter(|row| test.binary_search(row).is_err()).collect();
                let (train, rows) = (data.select(&train), data.select(&test));
                (TrainTest { train, test: rows, ..TrainTest::default() }, test)
            }));
        }
        let threads = match settings.threads {
            0 => std::thread::available_parallelism().map_or(1, Into::into),
            n => n,
        };
        Ok(Self {
            template,
            settings,
            folds: all,
            repeats,
            rows: data.rows(),
            weights: weights(data),
            pool: pool(threads),
        })
    }

    pub(super) fn template(&self) -> &'a FitSettings {
        self.template
    }

    pub(super) fn settings(&self) -> &'a SelectionSettings {
        self.settings
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn folds(&self) -> usize {
        self.folds.len() / self.repeats
    }

    pub(super) fn repeats(&self) -> usize {
        self.repeats
    }

    /// Expected number of operations for this size, estimated from the steps of the previous one.
    pub(super) fn expected_operations(&self, before: &Outcome, topology: &Topology) -> f64 {
        3.0 * before.steps * operations(topology, self.rows)
    }

    /// Outcomes with the largest decays, or with the decay at `centre` and its neighbours, and then with
    /// further ones as long as the best is near an end of the range; none if it was cancelled.
    pub(super) fn along_decays(
        &self,
        topology: &Topology,
        centre: Option<usize>,
        cancellation: &Cancellation,
    ) -> Result<Option<Vec<Outcome>>, Error> {
        let decays = &self.settings.decays;
        let (mut low, mut high) =
            centre.map_or((0, FIRST.min(decays.len())), |c| (c.saturating_sub(1), (c + 2).min(decays.len())));
        let Some(mut outcomes) = self.outcomes(topology, &decays[low..high], cancellation)? else {
            return Ok(None);
        };
        loop {
            let best = lowest(&outcomes, 0..outcomes.len());
            let next = if best == 0 && low > 0 {
                low -= 1;
                low
            } else if best + SLACK >= outcomes.len() && high < decays.len() {
                high += 1;
                high - 1
            } else {
                return Ok(Some(outcomes));
            };
            let Some(more) = self.outcomes(topology, &decays[next..=next], cancellation)? else {
                return Ok(None);
            };
            let place = if next == low { 0 } else { outcomes.len() };
            outcomes.splice(place..place, more);
        }
    }

    fn outcomes(
        &self,
        topology: &Topology,
        decays: &[f64],
        cancellation: &Cancellation,
    ) -> Result<Option<Vec<Outcome>>, Error> {
        let count = self.folds.len();
        let jobs = 0..decays.len() * count;
        let run =
            |job: usize| self.part(topology, decays[job / count], &self.folds[job % count].0, cancellation);
        let parts: Result<Vec<Option<Part>>, Error> = match &self.pool {
            Some(pool) => pool.install(|| jobs.into_par_iter().map(run).collect()),
            None => jobs.map(run).collect(),
        };
        let Some(parts) = parts?.into_iter().collect::<Option<Vec<Part>>>() else { return Ok(None) };
        let outcome = |(decay, parts): (&f64, &[Part])| {
            let rows = self.rows as f64;
            let mut losses = vec![0.0; self.rows];
            for (part, (_, places)) in parts.iter().zip(&self.folds) {
                let each = part.losses.iter().zip(places);
                each.for_each(|(loss, row)| losses[*row] += loss / self.repeats as f64);
            }
            let steps = parts.iter().map(|p| p.steps as f64).sum();
            Outcome {
                topology: topology.clone(),
                decay: *decay,
                mean: losses.iter().sum::<f64>() / rows,
                losses,
                error: parts.iter().map(|p| p.squares).sum::<f64>() / (rows * self.repeats as f64),
                steps,
                operations: steps * operations(topology, self.rows),
                seconds: parts.iter().map(|p| p.seconds).sum(),
            }
        };
        Ok(Some(decays.iter().zip(parts.chunks_exact(count)).map(outcome).collect()))
    }

    fn part(
        &self,
        topology: &Topology,
        decay: f64,
        fold: &TrainTest,
        cancellation: &Cancellation,
    ) -> Result<Option<Part>, Error> {
        let patience = self.settings.patience;
        let fit = SelectionSettings::fit_settings(self.template, topology.clone(), decay, patience);
        if cancellation.is_cancelled() {
            return Ok(None);
        }
        let fitted = Training::new("", fold, &fit)?.cancel_by(&cancellation.for_part()).run();
        if cancellation.is_cancelled() {
            return Ok(None);
        }
        let fitted = fitted?;
        let mut part =
            Part { steps: fitted.report.slopes, seconds: fitted.report.seconds, ..Part::default() };
        for row in 0..fold.test.rows() {
            let (predicted, actual) = (fitted.model.predict(&fold.test.input(row)), fold.test.output(row));
            let squares =
                predicted.iter().zip(&actual).zip(&self.weights).map(|((p, y), w)| w * (p - y).powi(2));
            let square = squares.sum::<f64>() / actual.len() as f64;
            part.squares += square;
            let is_wrong = winner(&predicted) != winner(&actual);
            part.losses.push(if fold.test.classification { f64::from(u8::from(is_wrong)) } else { square });
        }
        Ok(Some(part))
    }
}

impl Outcome {
    /// Difference of the mean to that of another outcome, and the standard error of this difference over
    /// rows.
    pub(super) fn above(&self, other: &Self) -> (f64, f64) {
        let differences: Vec<f64> = self.losses.iter().zip(&other.losses).map(|(a, b)| a - b).collect();
        mean_and_error(&differences)
    }

    /// The summary of the outcome; `data` are the rows of the cross-validation.
    pub(super) fn tried(&self, data: &Dataset, template: &FitSettings, verdict: Verdict) -> Tried {
        let fraction = if data.classification {
            1.0 - self.mean
        } else {
            let scaled = variances(data).iter().zip(weights(data)).map(|(v, w)| v * w).sum::<f64>();
            1.0 - self.mean / (scaled / data.outputs.len() as f64)
        };
        Tried {
            topology: self.topology.clone(),
            parameters: parameters(&self.topology, template),
            decay: self.decay,
            error: self.error,
            standard_error: Some(mean_and_error(&self.losses).1),
            fraction: Some(fraction).filter(|f| f.is_finite()),
            seconds: self.seconds,
            verdict,
        }
    }
}

/// The index of the lowest mean among these, the first on a tie.
pub(super) fn lowest(outcomes: &[Outcome], places: impl Iterator<Item = usize>) -> usize {
    places.min_by(|a, b| outcomes[*a].mean.total_cmp(&outcomes[*b].mean)).unwrap_or(0)
}

/// Mean, and its standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0) / n).sqrt())
}

fn variances(data: &Dataset) -> Vec<f64> {
    let variance = |column: &Vec<f64>| {
        let n = column.len() as f64;
        let mean = column.iter().sum::<f64>() / n;
        column.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n
    };
    data.outputs.iter().map(variance).collect()
}

/// Weights of the outputs' errors: several targets have no common unit, so that errors are divided by
/// variances.
fn weights(data: &Dataset) -> Vec<f64> {
    if data.classification || data.outputs.len() == 1 {
        return vec![1.0; data.outputs.len()];
    }
    variances(data).iter().map(|v| if *v > 0.0 { 1.0 / v } else { 1.0 }).collect()
}
