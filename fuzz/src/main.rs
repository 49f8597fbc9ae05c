//! The seeded runner: `make fuzz ARGS="--runs 1e6 --seed 2"`.

use clap::Parser;
use onefold_fuzz::{TARGETS, Target, runner};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Read damaged files of every kind, to see that none does harm
#[derive(Parser, Debug)]
struct Args {
    /// What reads the inputs: csv, model, checkpoint or toml [default: each in turn]
    #[arg(value_parser = target)]
    target: Option<Target>,
    /// Inputs for each
    #[arg(long, value_name = "N", default_value = "1e6", value_parser = count)]
    runs: u64,
    /// Seed of the mutations
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of the first input, to repeat one
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Read this file only, such as one that libFuzzer left in fuzz/artifacts
    #[arg(long, value_name = "FILE", requires = "target")]
    input: Option<PathBuf>,
    /// Only write the good inputs that libFuzzer starts from to FOLDER/TARGET/
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
}

fn target(name: &str) -> Result<Target, String> {
    TARGETS.into_iter().find(|target| target.name == name).ok_or_else(|| {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        format!("expected {}", names.join(", "))
    })
}

/// A whole number, also as `1e6`.
fn count(text: &str) -> Result<u64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number")?;
    let is_count = number >= 0.0 && number.fract() == 0.0 && number < 2f64.powi(53);
    if is_count { Ok(number as u64) } else { Err("expected a whole number".into()) }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let targets = args.target.map_or(TARGETS.to_vec(), |target| vec![target]);
    let done = match (&args.corpus, &args.input) {
        (Some(folder), _) => targets.iter().try_for_each(|target| write_corpus(folder, target)),
        (None, Some(file)) => targets.iter().try_for_each(|target| read_one(file, target)),
        (None, None) => run(&args, &targets),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args, targets: &[Target]) -> Result<(), String> {
    let mut found = 0;
    for target in targets {
        let started = Instant::now();
        let outcome = runner::run(target, args.seed, args.first..args.first + args.runs);
        for finding in &outcome.findings {
            println!("{} case {}: {}\n  {:?}", target.name, finding.case, finding.what, finding.input);
        }
        found += outcome.findings.len();
        println!(
            "{}: {} inputs, {} accepted, {} findings, {:.0} s",
            target.name,
            args.runs,
            outcome.accepted,
            outcome.findings.len(),
            started.elapsed().as_secs_f64()
        );
    }
    if found > 0 { Err(format!("{found} inputs do harm")) } else { Ok(()) }
}

fn write_corpus(folder: &Path, target: &Target) -> Result<(), String> {
    let folder = folder.join(target.name);
    let failed = |e: std::io::Error| format!("--corpus {}: {e}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for (number, input) in target.corpus().iter().enumerate() {
        std::fs::write(folder.join(number.to_string()), input).map_err(failed)?;
    }
    Ok(())
}

/// A panic is not caught, so that it shows where it happened.
fn read_one(file: &Path, target: &Target) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|e| format!("--input {}: {e}", file.display()))?;
    let answer = if (target.check)(&bytes) { "accepted" } else { "refused" };
    println!("{}: {answer}", file.display());
    Ok(())
}
