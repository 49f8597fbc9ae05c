//! Does early rejection ever change a decision? Runs each of the paper's cells twice in step, with and without it, and compares
//! which trials replace their parents, from the first generation to the target or the given number of trials.
//!
//! `cargo run --release -p onefold --example decisions -- 1e6` compares a million trials for each cell and method.

use onefold::{Builtin, CostSettings, FitSettings, Method, NetworkCost, Objective, Scaler};

fn main() -> Result<(), onefold::Error> {
    let trials = std::env::args().nth(1).and_then(|n| n.parse::<f64>().ok()).unwrap_or(1e6);
    let (mut total, mut different) = (0_u64, 0_u64);
    for builtin in Builtin::ALL {
        for cell in builtin.paper_cells() {
            for method in Method::OF_DE {
                let settings = FitSettings::for_builtin(builtin, Some(cell.hidden), method)?;
                let (n, d) = compare(builtin, &settings, trials as u64)?;
                println!("{builtin} {} {method}: {n} trials, {d} decisions differ", settings.topology);
                total += n;
                different += d;
            }
        }
    }
    println!("{total} trials in all, {different} decisions differ");
    Ok(())
}

/// Number of trials compared, and of decisions that differ.
fn compare(builtin: Builtin, settings: &FitSettings, trials: u64) -> Result<(u64, u64), onefold::Error> {
    let train = builtin.load(&Default::default())?.train;
    let train = Scaler::learn(settings.scaling, &train)?.apply_all(&train);
    let cost = |early_rejection| {
        let cost = CostSettings { early_rejection, ..settings.cost.clone() };
        NetworkCost::new(settings.topology.clone(), &train, &cost)
    };
    let (mut early, mut full) = (cost(true)?, cost(false)?);
    let (mut compared, mut different, mut seed) = (0, 0, 0);
    while compared < trials {
        // A new run each time the target is reached: early and late phases alternate.
        let mut settings = settings.clone();
        settings.method.set_seed(seed);
        let mut optimizer = settings.optimizer(train.rows())?;
        let mut costs = [vec![0.0; settings.population()], vec![0.0; settings.population()]];
        while compared < trials && settings.stop.target.is_none_or(|target| optimizer.best().cost > target) {
            let ask = optimizer.ask();
            early.evaluate(ask.candidates, ask.cutoffs, &mut costs[0]);
            full.evaluate(ask.candidates, ask.cutoffs, &mut costs[1]);
            for ((a, b), cutoff) in costs[0].iter().zip(&costs[1]).zip(ask.cutoffs) {
                different +=
                    u64::from((a < cutoff) != (b < cutoff) || (a < cutoff && a.to_bits() != b.to_bits()));
            }
            compared += costs[0].len() as u64;
            optimizer.tell(&costs[1]);
        }
        seed += 1;
    }
    Ok((compared, different))
}
