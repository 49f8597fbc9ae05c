//! CMA-ES on classic functions, one JSON line for each run: the other half of
//! `benchmarks/cma_functions.py`, which sets pycma beside it.
//!
//! `cargo run --release -p onefold --example cma_functions -- SEEDS` prints evaluations to 1e-9, then
//! seconds per generation.

use onefold::optimizer::CmaPreset;
use onefold::{CmaEs, CmaSettings, CommonSettings, Evaluations, Function, Optimizer, Stop, search};
use std::f64::consts::TAU;
use std::time::Instant;

/// A function, the interval of its initial mean, the initial step size, and candidates per dimension where
/// not the default.
struct Case {
    name: &'static str,
    f: fn(&[f64]) -> f64,
    start: f64,
    sigma: f64,
    per_dimension: Option<usize>,
}

const CASES: [Case; 5] = [
    Case { name: "sphere", f: sphere, start: 3.0, sigma: 1.0, per_dimension: None },
    Case { name: "ellipsoid", f: ellipsoid, start: 3.0, sigma: 1.0, per_dimension: None },
    Case { name: "rosenbrock", f: rosenbrock, start: 1.0, sigma: 0.5, per_dimension: None },
    Case { name: "rastrigin", f: rastrigin, start: 5.0, sigma: 2.0, per_dimension: Some(20) },
    Case { name: "schaffer", f: schaffer, start: 10.0, sigma: 5.0, per_dimension: Some(10) },
];

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn ellipsoid(x: &[f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    x.iter().enumerate().map(|(i, v)| 1e6_f64.powf(i as f64 / last) * v * v).sum()
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum()
}

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|v| 10.0 + v * v - 10.0 * (TAU * v).cos()).sum()
}

/// Schaffer's F7 over neighbouring pairs, as Hansen and Kern 2004 have it. Near its minimum it is a square
/// root: 1e-9 is reached where the distribution is 1e-18 wide, so both libraries run without a tolerance on
/// it.
fn schaffer(x: &[f64]) -> f64 {
    let f7 = |p: &[f64]| {
        let s = p[0] * p[0] + p[1] * p[1];
        s.powf(0.25) * ((50.0 * s.powf(0.1)).sin().powi(2) + 1.0)
    };
    x.windows(2).map(f7).sum()
}

fn main() -> Result<(), onefold::Error> {
    let seeds = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    for case in CASES {
        for dim in [5, 10, 20] {
            let population = case.per_dimension.map(|n| n * dim);
            for seed in 0..seeds {
                let start = (-case.start, case.start);
                let common = CommonSettings { population, start, seed, ..CommonSettings::default() };
                let settings = CmaSettings {
                    sigma: case.sigma,
                    preset: CmaPreset::Pycma,
                    tol_x: Some(0.0),
                    ..CmaSettings::default()
                };
                let mut cma = CmaEs::new(dim, common, settings)?;
                let stop =
                    Stop { threshold: Some(1e-9), max_evaluations: Some(1_000_000), ..Stop::default() };
                let report = search(&mut Function::new(dim, case.f), &mut cma, &stop)?;
                println!(
                    "{{\"function\": \"{}\", \"dim\": {dim}, \"seed\": {seed}, \"start\": {}, \"sigma\": {}, \"population\": {}, \"reached\": {}, \"evaluations\": {}}}",
                    case.name,
                    case.start,
                    case.sigma,
                    cma.ask().candidates.len(),
                    report.reached,
                    report.evaluations
                );
            }
        }
    }
    for dim in [10, 20, 40] {
        println!("{{\"dim\": {dim}, \"seconds_per_generation\": {}}}", seconds_per_generation(dim)?);
    }
    Ok(())
}

/// Seconds that asking and telling take on the ellipsoid, at the default population, from the start for
/// 1000 generations.
fn seconds_per_generation(dim: usize) -> Result<f64, onefold::Error> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let mut cma = CmaEs::new(
            dim,
            CommonSettings::default(),
            CmaSettings { preset: CmaPreset::Pycma, ..CmaSettings::default() },
        )?;
        let (mut found, mut seconds) = (Evaluations::default(), 0.0);
        for _ in 0..1000 {
            let asked = Instant::now();
            let candidates = cma.ask().candidates;
            seconds += asked.elapsed().as_secs_f64();
            found.costs.clear();
            found.costs.extend(candidates.rows().map(ellipsoid));
            let told = Instant::now();
            cma.tell(&mut found);
            seconds += told.elapsed().as_secs_f64();
        }
        best = best.min(seconds / 1000.0);
    }
    Ok(best)
}
