//! Does early rejection ever change a decision? Computes the costs of each of the paper's cells with and
//! without it, and compares which trial vectors replace their parents, from the first generation to the
//! threshold or the given number of trial vectors.
//!
//! `cargo run --release -p onefold --example decisions -- 1e6` compares a million trial vectors for each cell
//! and method. A second number, such as 1e8, is for the late phases: each run first goes on with early
//! rejection alone for that many trial vectors, or until its cost is less than twice the threshold.

use onefold::data::Scaler;
use onefold::{Builtin, CostSettings, Evaluations, FitSettings, Method, NetworkCost, Objective};

fn main() -> Result<(), onefold::Error> {
    let number = |i: usize| std::env::args().nth(i).and_then(|n| n.parse::<f64>().ok());
    let (count, before) = (number(1).unwrap_or(1e6), number(2).unwrap_or(0.0));
    let (mut total, mut all_different) = (0_u64, 0_u64);
    for builtin in Builtin::ALL {
        for cell in builtin.paper_cells() {
            for method in [Method::DE, Method::DE_SB] {
                let settings = FitSettings::for_builtin(builtin, Some(cell.hidden), method)?;
                let Compared { candidates, different, rejected, from } =
                    compare(builtin, &settings, count as u64, before as u64)?;
                let cell = format!("{builtin} {} {method}", settings.topology);
                let since =
                    if from.is_finite() { format!(" from a cost of {from:.2e} on") } else { String::new() };
                println!(
                    "{cell}: {candidates} candidates{since}, {rejected} rejected, {different} decisions differ"
                );
                total += candidates;
                all_different += different;
            }
        }
    }
    println!("{total} candidates in all, {all_different} decisions differ");
    Ok(())
}

struct Compared {
    candidates: u64,
    different: u64,
    /// Candidates that did not replace their parents.
    rejected: u64,
    /// The lowest cost at which comparing began.
    from: f64,
}

fn compare(
    builtin: Builtin,
    settings: &FitSettings,
    count: u64,
    before: u64,
) -> Result<Compared, onefold::Error> {
    let train = builtin.load(&Default::default())?.train;
    let train = Scaler::learn(settings.scaling, &train)?.apply_all(&train);
    let cost = |early_rejection| {
        let cost = CostSettings { early_rejection, ..settings.cost.clone() };
        NetworkCost::new(settings.topology.clone(), &train, &cost)
    };
    let (mut early, mut full) = (cost(true)?, cost(false)?);
    let mut compared = Compared { candidates: 0, different: 0, rejected: 0, from: f64::INFINITY };
    let mut seed = 0;
    while compared.candidates < count {
        // A new run each time the threshold is reached: early and late phases alternate.
        let mut settings = settings.clone();
        settings.method.common.seed = seed;
        let threshold = settings.stop.threshold.unwrap_or(0.0);
        let mut optimizer = settings.optimizer(train.rows())?;
        let population = settings.population();
        let [mut screened, mut exact] = [Evaluations::default(), Evaluations::default()];
        for _ in 0..before / population as u64 {
            if optimizer.best().cost <= 2.0 * threshold {
                break;
            }
            let request = optimizer.ask();
            screened.make_room(&request);
            early.evaluate(&request, &mut screened);
            optimizer.tell(&mut screened);
        }
        compared.from = compared.from.min(optimizer.best().cost);
        while compared.candidates < count && optimizer.best().cost > threshold {
            let request = optimizer.ask();
            screened.make_room(&request);
            exact.make_room(&request);
            early.evaluate(&request, &mut screened);
            full.evaluate(&request, &mut exact);
            for ((a, b), cutoff) in screened.costs.iter().zip(&exact.costs).zip(request.cutoffs) {
                let differs = (a < cutoff) != (b < cutoff) || (a < cutoff && a.to_bits() != b.to_bits());
                compared.different += u64::from(differs);
                compared.rejected += u64::from(b >= cutoff);
            }
            compared.candidates += exact.costs.len() as u64;
            optimizer.tell(&mut exact);
        }
        seed += 1;
    }
    Ok(compared)
}
