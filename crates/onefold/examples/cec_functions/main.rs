//! JADE, SHADE, L-SHADE and jSO beside the tables of their papers: the tables of `docs/adaptive-de.md`.
//!
//! `cargo run --release -p onefold --example cec_functions -- [METHOD]... [--runs N] [--dim N] [--function
//! N] [--dense]`
//!
//! Protocol of the competitions: 10000 D evaluations, 51 runs, search in [-100, 100], errors below 1e-8
//! count as 0 (a run ends there). The organisers' shifts and matrices are random numbers in files; ours are
//! random numbers of the same distribution, new ones for each run. So a row is an average over the kind of
//! instance of which the published row is one example.

mod functions;
mod pipe;
mod published;

use functions::{Instance, Rotation, classic};
use onefold::optimizer::{AdaptiveSettings, Variant};
use onefold::{AdaptiveDe, CommonSettings, Error, Function, Stop, search};
use published::{JADE, JSO, L_SHADE, Row, Spread};
use rayon::prelude::*;

const DIMS: [usize; 2] = [10, 30];
/// Errors below this are 0 in the competitions.
const ZERO: f64 = 1e-8;

/// What was asked for.
struct Wish {
    methods: Vec<String>,
    runs: u64,
    dim: Option<usize>,
    function: Option<usize>,
    /// Instead of each function's own.
    rotation: Option<Rotation>,
}

fn main() -> Result<(), Error> {
    let mut wish = Wish { methods: Vec::new(), runs: 51, dim: None, function: None, rotation: None };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|n| n.parse().ok()).unwrap_or_else(|| usage());
        match arg.as_str() {
            "--runs" => wish.runs = number() as u64,
            "--dim" => wish.dim = Some(number()),
            "--function" => wish.function = Some(number()),
            "--pipe" => return pipe::run(&args.collect::<Vec<_>>()),
            "--dense" => wish.rotation = Some(Rotation::Dense),
            name if Variant::ALL.iter().any(|v| v.name() == name) => wish.methods.push(arg),
            _ => usage(),
        }
    }
    let is_wanted = |v: Variant| wish.methods.is_empty() || wish.methods.iter().any(|m| m == v.name());
    if is_wanted(Variant::LShade) {
        compare("L-SHADE on CEC 2014", Variant::LShade, &L_SHADE, &wish)?;
    }
    if is_wanted(Variant::Jso) {
        compare("jSO on CEC 2017", Variant::Jso, &JSO, &wish)?;
    }
    if is_wanted(Variant::Shade) {
        compare("SHADE on CEC 2014, beside L-SHADE's paper", Variant::Shade, &L_SHADE, &wish)?;
    }
    if is_wanted(Variant::Jade) {
        compare_jade(&wish)?;
    }
    Ok(())
}

fn usage() -> ! {
    eprintln!(
        "usage: cec_functions [jade|shade|l-shade|jso]... [--runs N] [--dim 10|30] [--function N] [--dense]"
    );
    std::process::exit(2)
}

fn head(title: &str) {
    println!(
        "\n{title}\n\n| function | D | mean ± std | published | difference / standard error | verdict |"
    );
    println!("|---|---|---|---|---|---|");
}

fn compare(title: &str, variant: Variant, rows: &[Row], wish: &Wish) -> Result<(), Error> {
    head(title);
    for (at, dim) in DIMS.into_iter().enumerate().filter(|(_, d)| wish.dim.is_none_or(|w| w == *d)) {
        for row in rows.iter().filter(|r| wish.function.is_none_or(|w| w == r.number)) {
            let errors = (0..wish.runs)
                .into_par_iter()
                .map(|run| {
                    // Every method meets the same instances of a function.
                    let instance = Instance::new(
                        row.kind,
                        wish.rotation.unwrap_or(row.rotation),
                        dim,
                        1000 * row.number as u64 + run,
                    );
                    let (optimizer, stop) = protocol(variant, dim, run)?;
                    final_error(dim, optimizer, &stop, |x| instance.error(x))
                })
                .collect::<Result<Vec<f64>, Error>>()?;
            let errors: Vec<f64> = errors.into_iter().map(|e| if e <= ZERO { 0.0 } else { e }).collect();
            print(&format!("F{} {:?}", row.number, row.kind), dim, &errors, row.published[at]);
        }
    }
    Ok(())
}

/// The rules of the competitions.
fn protocol(variant: Variant, dim: usize, seed: u64) -> Result<(AdaptiveDe, Stop), Error> {
    let evaluations = Some(10_000 * dim as u64);
    let settings = AdaptiveSettings { horizon: evaluations, ..AdaptiveSettings::default() };
    let optimizer = AdaptiveDe::new(dim, variant, within(100.0, seed), settings, None)?;
    Ok((optimizer, Stop { threshold: Some(ZERO), max_evaluations: evaluations, ..Stop::default() }))
}

/// The whole interval of a function, which no coordinate may leave.
fn within(range: f64, seed: u64) -> CommonSettings {
    let interval = (-range, range);
    CommonSettings { start: interval, bounds: Some(interval), seed, ..CommonSettings::default() }
}

fn compare_jade(wish: &Wish) -> Result<(), Error> {
    head("JADE on the functions of its paper");
    let dim = 30;
    for (number, generations, published) in
        JADE.into_iter().filter(|j| wish.function.is_none_or(|w| w == j.0))
    {
        let (range, f) = classic(number);
        let errors = (0..wish.runs)
            .into_par_iter()
            .map(|seed| {
                let settings = AdaptiveSettings::default();
                let jade = AdaptiveDe::new(dim, Variant::Jade, within(range, seed), settings, None)?;
                let stop = Stop { max_generations: Some(generations), ..Stop::default() };
                final_error(dim, jade, &stop, f)
            })
            .collect::<Result<Vec<f64>, Error>>()?;
        print(&format!("f{number}, {generations} generations"), dim, &errors, published);
    }
    Ok(())
}

fn final_error(
    dim: usize,
    mut optimizer: AdaptiveDe,
    stop: &Stop,
    f: impl FnMut(&[f64]) -> f64,
) -> Result<f64, Error> {
    let report = search(&mut Function::new(dim, f), &mut optimizer, stop)?;
    Ok(report.cost)
}

fn print(name: &str, dim: usize, errors: &[f64], published: Spread) {
    let n = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / n;
    // Of the runs themselves, as the authors' programs have it.
    let std = (errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / n).sqrt();
    let difference = mean - published.0;
    let standard_error = (std * std / n + published.1 * published.1 / 51.0).sqrt();
    println!(
        "| {name} | {dim} | {mean:.2e} ± {std:.1e} | {:.2e} ± {:.1e} | {} | {} |",
        published.0,
        published.1,
        if standard_error > 0.0 { format!("{:.1}", difference / standard_error) } else { "0".into() },
        verdict(difference, standard_error, std.max(published.1)),
    );
}

/// The test: means differ by no more than three standard errors, as two samples of one distribution would;
/// or else by no more than the larger of the two standard deviations, which is what one instance may differ
/// from another by; or they differ.
fn verdict(difference: f64, standard_error: f64, deviation: f64) -> &'static str {
    if difference.abs() <= 3.0 * standard_error {
        "agrees"
    } else if difference.abs() <= deviation {
        "within the spread"
    } else if difference < 0.0 {
        "differs: lower error"
    } else {
        "differs: higher error"
    }
}
