//! Selection of a network by a race.

use super::candidates::{Candidates, Shape};
use super::metric::Metric;
use super::race::Race;
use super::trials::{Outcome, Part, Trials};
use crate::data::{folds, winner};
use crate::resources::{in_order, pool};
use crate::{Cancellation, Dataset, Error, FitSettings, Topology, TrainTest};

/// Folds of the cross-validation.
const FOLDS: usize = 5;
/// The folds of each rung.
const RUNGS: [&[usize]; 3] = [&[0], &[1, 2], &[3, 4]];

/// What a race selected.
#[derive(Clone, Debug)]
pub(super) struct Selected {
    pub(super) topology: Topology,
    pub(super) decay: f64,
}

/// Selects a network for these rows; none if it was cancelled.
pub(super) fn select_by_race(
    data: &Dataset,
    template: &FitSettings,
    metric: Metric,
    threads: usize,
    cancellation: &Cancellation,
    mut tell: impl FnMut(&str),
) -> Result<Option<Selected>, Error> {
    let candidates = Candidates::new(data, template, None)?;
    let parts = parts(data, template.method.common.seed)?;
    let weights = vec![1.0; data.outputs.len()];
    let trials = Trials { template, metric, weights: &weights };
    let mut race = Race::new(candidates.sizes.clone(), data.rows());
    let pool = pool(threads);
    for rung in RUNGS {
        let shapes: Vec<(&Shape, Vec<usize>)> = candidates
            .shapes
            .iter()
            .map(|shape| {
                let own = shape.first..shape.first + candidates.decays.len();
                (shape, race.left().filter(|c| own.contains(c)).collect())
            })
            .filter(|(_, left): &(&Shape, Vec<usize>)| !left.is_empty())
            .collect();
        for fold in rung {
            let part = &parts[*fold];
            let mut losses: Vec<Option<Vec<f64>>> = vec![None; candidates.sizes.len()];
            let mut failed = None;
            let run = |i: usize| {
                let (shape, left) = &shapes[i];
                let decays: Vec<f64> = left.iter().map(|c| candidates.decays[c - shape.first]).collect();
                trials.run(shape, &decays, part, cancellation)
            };
            let mut number = 0;
            in_order(pool.as_ref(), shapes.len(), run, |outcome: Result<Option<Outcome>, Error>| {
                let (shape, left) = &shapes[number];
                number += 1;
                match outcome {
                    Ok(Some(outcome)) => {
                        let means: Vec<String> = outcome
                            .losses
                            .iter()
                            .map(|l| format!("{:.4}", l.iter().sum::<f64>() / l.len() as f64))
                            .collect();
                        tell(&format!(
                            "fold {fold} {} {:.2} s: {}",
                            shape.topology,
                            outcome.seconds,
                            means.join(" ")
                        ));
                        for (c, l) in left.iter().zip(outcome.losses) {
                            losses[*c] = Some(l);
                        }
                    }
                    Ok(None) => {}
                    Err(error) => failed = Some(error),
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
            if cancellation.is_cancelled() {
                return Ok(None);
            }
            race.add(&part.rows, |c| losses[c].take());
        }
        race.drop_worse(true);
        tell(&format!("{} candidates left on {} rows", race.left().count(), race.rows()));
    }
    let Some(selected) = race.smallest_no_worse() else { return Ok(None) };
    let shape = candidates.shapes.iter().rfind(|shape| shape.first <= selected);
    let best = race.best().unwrap_or(selected);
    for c in [best, selected] {
        let shape = candidates.shapes.iter().rfind(|shape| shape.first <= c);
        let s = race.score(c);
        tell(&format!(
            "{:?} decay {} loss {:.4} ± {:.4}",
            shape.map(|s| s.topology.to_string()),
            candidates.sizes[c].decay,
            s.mean,
            s.standard_error
        ));
    }
    Ok(shape
        .map(|shape| Selected { topology: shape.topology.clone(), decay: candidates.sizes[selected].decay }))
}

fn parts(data: &Dataset, seed: u64) -> Result<Vec<Part>, Error> {
    let classes: Option<Vec<usize>> =
        data.classification.then(|| (0..data.rows()).map(|row| winner(&data.output(row))).collect());
    let tests = folds(data.rows(), classes.as_deref(), FOLDS, seed)?;
    let part = |rows: Vec<usize>| {
        let train: Vec<usize> = (0..data.rows()).filter(|row| rows.binary_search(row).is_err()).collect();
        let (train, test) = (data.select(&train), data.select(&rows));
        Part { data: TrainTest { train, test, ..TrainTest::default() }, rows }
    };
    Ok(tests.into_iter().map(part).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Method, Table, TableSettings};

    #[test]
    #[ignore]
    fn experiment() {
        let file = std::env::var("TABLE").unwrap();
        let table = Table::read(file.as_ref(), &TableSettings::default()).unwrap();
        let data = table.fold(0, 5, 1).unwrap();
        let mut template = FitSettings::for_data(&data.train, "1", Method::AUTO).unwrap();
        template.method.common.seed = 1;
        let metric = Metric::default_for(data.train.classification);
        let started = std::time::Instant::now();
        let selected = select_by_race(&data.train, &template, metric, 2, &Cancellation::default(), |text| {
            println!("{:.1} {text}", started.elapsed().as_secs_f64());
        });
        println!("{selected:?} {:.1} s", started.elapsed().as_secs_f64());
    }
}
