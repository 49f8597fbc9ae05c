//! The paper's cells over many seeds, beside the paper's numbers.
//!
//! `cargo run --release -p onefold --example seeds -- 20` runs the quick cells with seeds 0 to 19; a second argument chooses a data
//! set, `all` includes the cells that take minutes.

use onefold::{Builtin, FitSettings, Fitted, Method, fit};
use std::ops::ControlFlow;

/// Data set, hidden layers, method, and the paper's mean and deviation of evaluations.
const CELLS: [(Builtin, &str, Method, &str); 14] = [
    (Builtin::Syn5, "3", Method::De, "7.30e4 ± 1.8e4"),
    (Builtin::Syn5, "3", Method::DeSb, "3.20e4 ± 9.4e3"),
    (Builtin::Sinc, "5", Method::DeSb, "4.47e5 ± 2.8e5"),
    (Builtin::Sinc, "6", Method::DeSb, "1.52e5 ± 4.5e4"),
    (Builtin::Incsinc, "5", Method::DeSb, "8.04e5 ± 1.8e5"),
    (Builtin::Incsinc, "6", Method::DeSb, "1.18e5 ± 5.0e4"),
    (Builtin::Sinc2d, "3-1-3", Method::De, "1.93e5 ± 4.2e4"),
    (Builtin::Sinc2d, "3-1-3", Method::DeSb, "1.22e5 ± 2.4e4"),
    (Builtin::Iris, "3", Method::De, "1.46e4 ± 3.3e3"),
    (Builtin::Iris, "3", Method::DeSb, "1.24e4 ± 2.5e3"),
    (Builtin::TicTacToe, "8", Method::DeSb, "9.74e5 ± 2.2e4"),
    (Builtin::Balance, "5-1-5", Method::DeSb, "8.06e5 ± 3.2e5"),
    (Builtin::TwoSpirals, "10-1-10", Method::DeSb, "6.74e6 ± 2.5e6"),
    (Builtin::TwoSpirals, "9-1-9", Method::DeSb, "8.40e6 ± 2.6e6"),
];

fn main() -> Result<(), onefold::Error> {
    let mut args = std::env::args().skip(1);
    let seeds: u64 = args.next().and_then(|n| n.parse().ok()).unwrap_or(20);
    let choice = args.next();
    println!(
        "| data set | hidden | method | population | reached | evaluations | paper | verified within | test |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (builtin, hidden, method, paper) in CELLS {
        let long = matches!(builtin, Builtin::TicTacToe | Builtin::Balance | Builtin::TwoSpirals);
        let wanted = match choice.as_deref() {
            Some("all") => true,
            Some(name) => builtin.name() == name,
            None => !long,
        };
        if wanted {
            let settings = FitSettings::for_builtin(builtin, Some(hidden), method)?;
            println!("{}", row(builtin, &settings, hidden, paper, seeds)?);
        }
    }
    Ok(())
}

/// One line of the table.
fn row(
    builtin: Builtin,
    settings: &FitSettings,
    hidden: &str,
    paper: &str,
    seeds: u64,
) -> Result<String, onefold::Error> {
    let data = builtin.load(&Default::default())?;
    let runs: Result<Vec<Fitted>, _> = (0..seeds)
        .map(|seed| {
            let mut settings = settings.clone();
            settings.method.set_seed(seed);
            fit(builtin.name(), &data, &settings, |_| ControlFlow::Continue(()))
        })
        .collect();
    let runs = runs?;
    let reached: Vec<&Fitted> = runs.iter().filter(|run| run.report.reached).collect();
    let mean =
        |f: &dyn Fn(&Fitted) -> f64| reached.iter().map(|run| f(run)).sum::<f64>() / reached.len() as f64;
    let evaluations = mean(&|run| run.report.evaluations as f64);
    let deviation = mean(&|run| (run.report.evaluations as f64 - evaluations).powi(2)).sqrt();
    let difference = |run: &Fitted| (run.report.verified_cost / run.report.cost - 1.0).abs();
    let worst = runs.iter().map(difference).fold(0.0, f64::max);
    let test = if data.test.classification {
        format!("{:.1} %", 100.0 * mean(&|run| run.model.metrics.test_accuracy.unwrap_or(0.0)))
    } else {
        format!("{:.2e}", mean(&|run| run.model.metrics.test_mse.unwrap_or(0.0)))
    };
    Ok(format!(
        "| {builtin} | {hidden} | {} | {} | {} of {seeds} | {evaluations:.2e} ± {deviation:.1e} | {paper} | {worst:.0e} | {test} |",
        settings.method.method(),
        settings.population(),
        reached.len(),
    ))
}
