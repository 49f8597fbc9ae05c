//! Differential Evolution on a function of your own: where does the Rosenbrock valley end?
//!
//! `cargo run --release -p onefold --example your_own_objective`

use onefold::{CommonSettings, DeSettings, DifferentialEvolution, Function, Search, Stop};
use std::ops::ControlFlow;

fn main() -> Result<(), onefold::Error> {
    let dim = 10;
    let mut rosenbrock = Function::new(dim, |x: &[f64]| {
        x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum()
    });
    let common = CommonSettings { population: Some(60), start: (-5.0, 5.0), seed: 1, ..Default::default() };
    let mut de = DifferentialEvolution::new(dim, common, DeSettings::default(), None)?;
    let stop = Stop { threshold: Some(1e-10), max_evaluations: Some(1_000_000), ..Stop::default() };
    let search = Search::new(&mut rosenbrock, &mut de, &stop)?.observe(|progress| {
        if progress.generation % 500 == 0 {
            println!("{:>8} evaluations, best {:.3e}", progress.evaluations, progress.best.cost);
        }
        ControlFlow::Continue(())
    });
    let report = search.run()?;
    println!("{:?} after {} evaluations: {:.6?}", report.stop, report.evaluations, report.best);
    Ok(())
}
