//! The seeded runner: `make fuzz ARGS="--runs 1e6 --seed 2"`.

use clap::Parser;
use onefold_fuzz::runner::{self, Outcome};
use onefold_fuzz::{TARGETS, Target};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Read damaged files of every kind, to see that none does harm
#[derive(Parser, Debug)]
struct Args {
    /// What reads the inputs: csv, model, checkpoint, campaign or store [default: each in turn]
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
    /// Threads; the inputs do not depend on it
    #[arg(long, value_name = "N", default_value_t = threads(), value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Read this file only, such as one that libFuzzer left in fuzz/artifacts
    #[arg(long, value_name = "FILE", requires = "target")]
    input: Option<PathBuf>,
    /// Also write the counts to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Only write the good inputs that libFuzzer starts from to FOLDER/TARGET/
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
}

fn threads() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
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
    let mut counts = serde_json::Map::new();
    for target in targets {
        let started = Instant::now();
        let cases = args.first..args.first + args.runs;
        let outcome = runner::run(target, args.seed, cases, args.threads as usize);
        for finding in &outcome.findings {
            println!("{} case {}: {}\n  {:?}", target.name, finding.case, finding.what, finding.input);
        }
        found += outcome.findings.len();
        let seconds = started.elapsed().as_secs_f64();
        println!("{}: {}", target.name, described(&outcome, seconds));
        counts.insert(target.name.into(), counted(&outcome, args.seed, seconds));
    }
    if let Some(file) = &args.json {
        let text = format!("{:#}\n", serde_json::Value::from(counts));
        std::fs::write(file, text).map_err(|e| format!("--json {}: {e}", file.display()))?;
    }
    if found > 0 { Err(format!("{found} inputs do harm")) } else { Ok(()) }
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn counted(outcome: &Outcome, seed: u64, seconds: f64) -> serde_json::Value {
    serde_json::json!({
        "seed": seed,
        "inputs": outcome.inputs,
        "accepted": outcome.accepted,
        "findings": outcome.findings.len(),
        "most_mib": mib(outcome.most_bytes.0),
        "longest_ms": outcome.longest.0.as_secs_f64() * 1e3,
        "seconds": seconds,
    })
}

fn described(outcome: &Outcome, seconds: f64) -> String {
    let ((bytes, largest), (time, slowest)) = (outcome.most_bytes, outcome.longest);
    format!(
        "{} inputs in {seconds:.0} s, {} accepted, {} findings; at most {:.1} MiB (case {largest}) and {:.1} ms (case {slowest})",
        outcome.inputs,
        outcome.accepted,
        outcome.findings.len(),
        mib(bytes),
        time.as_secs_f64() * 1e3
    )
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
