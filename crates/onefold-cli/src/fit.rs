//! `onefold fit`.

mod choosing;
mod folds;
mod input;

pub(crate) use folds::summary as summary_of_folds;

use crate::args::{Dither, FitArgs};
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt;
use crate::output::{self, error, grouped, percent, short};
use crate::progress::Bar;
use choosing::{Chooser, Size};
use console::style;
use input::Input;
use onefold::{
    Builtin, Checkpoint, Choice, Dataset, Error, FitSettings, Fitted, Method, MethodSettings, Optimum,
    Progress, Restart, Stop, StopReason, Termination, TrainTest, Training, Weight,
};
use serde_json::json;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Failure> {
    let input = Input::load(args)?;
    let data = &input.data;
    let resumed =
        args.resume.as_deref().map(|path| Checkpoint::load(path).map_err(|e| not_resumed(Some(path), &e)));
    let resumed = resumed.transpose()?;
    let seed = args.seed.or_else(|| resumed.as_ref().map(|c| c.settings.method.seed()));
    let seed = seed.unwrap_or_else(random_seed);
    if let (Some(k), Some(table)) = (args.table.folds, &input.table) {
        // A number of folds that cannot be is found before anything is printed or trained.
        table.fold(0, k, args.table.seed())?;
    }
    let interrupted = interrupt::flag()?;
    // A table without --hidden: in each fold anew, and then for all rows.
    let chooser = Chooser::needed(args, &input, seed, &interrupted)?;
    let mut validated = None;
    let (size, choice) = match (&chooser, &resumed) {
        (None, _) => (None, None),
        (Some(_), Some(checkpoint)) => (Some(Size::of(&checkpoint.settings)), None),
        (Some(chooser), None) => {
            chooser.check_files()?;
            if !args.json {
                output::print(&input.describe())?;
            }
            if let (Some(k), Some(table)) = (args.table.folds, &input.table) {
                validated = folds::run(args, k, (&input.name, table), None, Some(chooser), &interrupted)?;
                if validated.is_none() {
                    return Ok(ExitCode::from(INTERRUPTED));
                }
            }
            let Some(choice) = chooser.choose(&data.train)? else {
                eprintln!("interrupted while the size of the network was chosen; there is no model yet");
                return Ok(ExitCode::from(INTERRUPTED));
            };
            if !args.json {
                output::print(&choosing::report(&choice, data.train.classification))?;
            }
            (Some(Size::from(&choice)), Some(choice))
        }
    };
    let settings = settings(args, input.builtin(), &data.train, seed, size)?;
    let file = match &args.output {
        Some(path) => Some(path.clone()),
        None if args.json => None,
        None => Some(default_name(&input.source.stem(), &settings)),
    };
    if let Some(path) = &file {
        // Now, not after the run.
        onefold::check_writable(path).map_err(|e| Failure::bad_input(format!("--output {e}")))?;
    }
    let keeping = Keeping::prepare(args, &input.name, data, &settings, resumed.as_ref(), file.as_deref())?;
    let training = Training::prepare(&input.name, data, &settings)?;
    if !args.json {
        let described = if choice.is_some() { String::new() } else { input.describe() };
        output::print(&(described + &introduction(&settings, data.train.rows())))?;
    }
    if let (Some(k), Some(table), None) = (args.table.folds, &input.table, &validated) {
        let again = chooser.as_ref();
        validated = folds::run(args, k, (&input.name, table), Some(&settings), again, &interrupted)?;
        if validated.is_none() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
    }
    let mut fitted = search(training, &settings.stop, &keeping, &interrupted)?;
    fitted.model.metrics.cross_validation = validated;
    let saved = file.as_deref().map(|path| fitted.model.save(path));
    let file = file.as_deref().filter(|_| matches!(saved, Some(Ok(()))));
    output::print(&if args.json {
        as_json(&input.name, &settings, &fitted, choice.as_ref(), file)
    } else {
        conclusion(&fitted, file)
    })?;
    saved.transpose()?;
    keeping.end(&fitted);
    Ok(match fitted.report.stop {
        StopReason::Observer => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

fn settings(
    args: &FitArgs,
    builtin: Option<Builtin>,
    data: &Dataset,
    seed: u64,
    size: Option<Size>,
) -> Result<FitSettings, Failure> {
    let hidden = match size {
        Some(size) => Some(size.hidden.to_string()),
        None => args.hidden(data.inputs.len(), data.outputs.len())?,
    };
    let mut s = match builtin {
        Some(builtin) => FitSettings::for_builtin(builtin, hidden.as_deref(), args.method)?,
        None => FitSettings::for_data(data, hidden.as_deref().unwrap_or_default(), args.method)?,
    };
    s.method.set_seed(seed);
    if let Some(population) = args.population {
        s.method.set_population(population);
    }
    s.method.set_region(args.start, args.bounds);
    if let Some(align) = args.align {
        if !args.method.breaks_symmetries() {
            let only = "de-sb, cma-es-sb, jade, shade, l-shade and jso";
            return refuse(&[("--align", true)], args.method, only).map(|()| s);
        }
        s.align = align;
    }
    if args.method.is_local() {
        let given = [("--bounds", args.bounds.is_some()), ("--spread", args.spread.is_some())];
        refuse(&given, args.method, "methods with a population")?;
    }
    set_de(&mut s.method, args)?;
    set_cma(&mut s.method, args)?;
    s.cost.threads = args.threads.unwrap_or(1);
    s.cost.output_bias = args.output_bias.unwrap_or(s.cost.output_bias);
    s.cost.penalty_weight = args.penalty_weight;
    s.cost.penalty_radius = args.penalty_radius;
    s.cost.rank_tolerance = args.rank_tolerance;
    s.cost.decay = args.decay.unwrap_or(s.cost.decay);
    if let Some(target) = args.target {
        s.set_target(target);
    }
    // A population larger than the paper's gets a larger budget.
    let default_budget = s.stop.max_evaluations.map(|n| n.max((s.population() as u64).saturating_mul(1000)));
    s.stop.max_evaluations = args.max_evaluations.or(default_budget);
    s.stop.max_generations = args.max_generations;
    s.stop.max_seconds = args.time.map(|t| t.as_secs_f64());
    s.stop.stagnation = args.stagnation;
    s.stop.spread = args.spread.or(s.stop.spread);
    s.scaling = args.scaling.unwrap_or(s.scaling);
    s.target_scaling = args.target_scaling.map_or(s.target_scaling, Into::into);
    if let Some(size) = size {
        size.apply(&mut s);
    }
    s.validate()?;
    Ok(s)
}

/// The flags that only Differential Evolution has.
fn set_de(method: &mut MethodSettings, args: &FitArgs) -> Result<(), Failure> {
    let given = [
        ("--mutation", args.mutation.is_some()),
        ("--weight", args.weight.is_some()),
        ("--dither", args.dither.is_some()),
        ("--crossover", args.crossover.is_some()),
        ("--crossover-rate", args.crossover_rate.is_some()),
        ("--align-to", args.align_to.is_some()),
    ];
    let name = method.method();
    let Some(de) = method.de_mut() else { return refuse(&given, name, "de and de-sb") };
    de.reference = args.align_to.map_or(de.reference, Into::into);
    de.mutation = args.mutation.map_or(de.mutation, Into::into);
    de.crossover = args.crossover.map_or(de.crossover, Into::into);
    de.crossover_rate = args.crossover_rate.unwrap_or(de.crossover_rate);
    de.weight = match (args.weight, args.dither.unwrap_or(Dither::Generation)) {
        (None, _) => de.weight,
        (Some((low, high)), _) if low.to_bits() == high.to_bits() => Weight::Fixed(low),
        (Some((low, high)), Dither::Generation) => Weight::DitherGeneration(low, high),
        (Some((low, high)), Dither::Trial) => Weight::DitherTrial(low, high),
    };
    Ok(())
}

/// The flags that only CMA-ES has.
fn set_cma(method: &mut MethodSettings, args: &FitArgs) -> Result<(), Failure> {
    let given = [
        ("--sigma", args.sigma.is_some()),
        ("--preset", args.preset.is_some()),
        ("--covariance", args.covariance.is_some()),
    ];
    let name = method.method();
    let Some(cma) = method.cma_mut() else { return refuse(&given, name, "the forms of cma-es") };
    cma.sigma = args.sigma.unwrap_or(cma.sigma);
    cma.preset = args.preset.map_or(cma.preset, Into::into);
    cma.covariance = args.covariance.map_or(cma.covariance, Into::into);
    Ok(())
}

/// A flag that would have no effect is a mistake.
fn refuse(given: &[(&str, bool)], method: Method, only: &str) -> Result<(), Failure> {
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::bad_input(format!(
            "{flag} is for {only} and has no effect with --method {method}; leave it out"
        ))),
        None => Ok(()),
    }
}

/// A seed that a person can type again.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(std::process::id()) % 1_000_000
}

/// A name that no file has yet: nothing is overwritten unasked.
fn default_name(data: &str, s: &FitSettings) -> PathBuf {
    let stem = format!("{data}-{}-{}-{}", s.topology, s.method.method(), s.method.seed());
    let numbered = (2..).map(|n| format!("{stem}-{n}.json"));
    let mut names = std::iter::once(format!("{stem}.json")).chain(numbered).map(PathBuf::from);
    names.find(|name| !name.exists()).unwrap_or_default()
}

/// Runs with a progress bar; Ctrl-C ends the run with the best so far, a second one ends the program.
fn search(
    training: Training<'_>,
    stop: &Stop,
    keeping: &Keeping<'_>,
    interrupted: &AtomicBool,
) -> Result<Fitted, Failure> {
    let mut bar = Bar::new(stop.target, stop.max_evaluations, training.unit());
    let started = Instant::now();
    let (mut kept, mut failed) = (Duration::ZERO, None);
    let fitted = training.run_from(keeping.state.as_deref(), |progress| {
        bar.update(progress);
        let is_interrupted = interrupted.load(Ordering::Relaxed);
        let is_last = stop.max_seconds.is_some_and(|max| started.elapsed().as_secs_f64() >= max);
        if started.elapsed() >= kept.saturating_add(keeping.every) || is_interrupted || is_last {
            kept = started.elapsed();
            failed = failed.take().or(keeping.save(progress).err());
        }
        if is_interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish();
    if let Some(failure) = failed {
        // The run goes on without it: its result is worth more.
        eprintln!("warning: the checkpoint could not be written: {failure}");
    }
    fitted.map_err(|e| match e {
        Error::State(_) => not_resumed(keeping.from, &e),
        other => other.into(),
    })
}

/// Where the run is saved on its way, and where it continues from.
struct Keeping<'a> {
    file: Option<&'a Path>,
    every: Duration,
    from: Option<&'a Path>,
    state: Option<Vec<u8>>,
    name: &'a str,
    data: &'a TrainTest,
    settings: &'a FitSettings,
}

impl<'a> Keeping<'a> {
    fn prepare(
        args: &'a FitArgs,
        name: &'a str,
        data: &'a TrainTest,
        settings: &'a FitSettings,
        resumed: Option<&Checkpoint>,
        output: Option<&Path>,
    ) -> Result<Self, Failure> {
        if args.resume.is_some() && is_same(args.resume.as_deref(), output) {
            return Err(Failure::bad_input(
                "--resume and --output name the same file; the model needs another one",
            ));
        }
        let file = args.checkpoint.as_deref();
        if let Some(path) = file {
            onefold::check_writable(path).map_err(|e| Failure::bad_input(format!("--checkpoint {e}")))?;
            let shown = path.display();
            if is_same(Some(path), output) {
                return Err(Failure::bad_input(format!(
                    "--checkpoint {shown}: the model goes to this file; name another"
                )));
            }
            if path.exists() && !is_same(Some(path), args.resume.as_deref()) {
                return Err(Failure::bad_input(match Checkpoint::load(path) {
                    Ok(_) => format!(
                        "--checkpoint {shown}: there is a run in this file; continue it with --resume {shown}, or remove it"
                    ),
                    Err(_) => {
                        format!("--checkpoint {shown}: this file exists and is no checkpoint; name another")
                    }
                }));
            }
        }
        let from = args.resume.as_deref();
        let state = match resumed {
            Some(checkpoint) => {
                checkpoint.check(name, data, settings).map_err(|e| not_resumed(from, &e))?;
                Some(checkpoint.state().map_err(|e| not_resumed(from, &e))?)
            }
            None => None,
        };
        Ok(Self { file, every: args.checkpoint_every, from, state, name, data, settings })
    }

    /// A run that is not kept.
    fn nowhere(name: &'a str, data: &'a TrainTest, settings: &'a FitSettings) -> Self {
        Self { file: None, every: Duration::MAX, from: None, state: None, name, data, settings }
    }

    fn save(&self, progress: &Progress<'_>) -> Result<(), Error> {
        match self.file {
            Some(path) => Checkpoint::new(self.name, self.data, self.settings, progress).save(path),
            None => Ok(()),
        }
    }

    /// A run that has ended by itself needs no checkpoint any more; one whose time was over may go on.
    fn end(&self, fitted: &Fitted) {
        let may_go_on = matches!(fitted.report.stop, StopReason::Observer | StopReason::Time);
        if let (Some(path), false) = (self.file, may_go_on) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether two paths lead to the same file, or would.
fn is_same(a: Option<&Path>, b: Option<&Path>) -> bool {
    let whole = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_os_string();
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::canonicalize(path)
            .or_else(|_| std::fs::canonicalize(folder).map(|f| f.join(name)))
            .unwrap_or_else(|_| path.into())
    };
    matches!((a, b), (Some(a), Some(b)) if whole(a) == whole(b))
}

/// Why a checkpoint cannot be continued.
fn not_resumed(path: Option<&Path>, error: &Error) -> Failure {
    let path = path.unwrap_or(Path::new("")).display();
    Failure::bad_input(match error {
        Error::State(reason) => format!("--resume {path}: this run cannot continue it: {reason}"),
        other => format!("--resume {other}"),
    })
}

fn introduction(s: &FitSettings, rows: usize) -> String {
    let mut text = String::new();
    let t = &s.topology;
    let solved = (t.last_hidden() + usize::from(s.cost.output_bias)) * t.outputs();
    let budget =
        s.stop.max_evaluations.map_or(String::new(), |n| format!(", at most {} evaluations", grouped(n)));
    let _ = writeln!(
        text,
        "  network   {t}, {} parameters to search, {solved} to solve, {} mirror images",
        t.dim(),
        count_like(t.symmetric_equivalents())
    );
    let used = s.method_for(rows);
    let auto = if s.method.method() == Method::Auto { "auto: " } else { "" };
    let method = used.method().description();
    let population = match (used.method().is_local(), used.population(t.dim())) {
        (true, n) => format!("{n} candidates per start"),
        (false, n) => format!("population {n}"),
    };
    let _ = writeln!(text, "  method    {auto}{method}, {population}, seed {}", s.method.seed());
    let until = s.stop.target.map_or("it gets no better".into(), |target| format!("error {}", short(target)));
    let _ = writeln!(text, "  until     {until}{budget}\n");
    text
}

/// An exact count where it is short, otherwise a rounded one.
fn count_like(v: f64) -> String {
    if v < 1e7 { grouped(v as u64) } else { format!("{v:.1e}") }
}

fn conclusion(fitted: &Fitted, file: Option<&Path>) -> String {
    let Fitted { model, report } = fitted;
    let verdict = match model.origin.settings.stop.target.map(short) {
        Some(target) if report.reached => style(format!("reached {target}")).green().bold(),
        Some(target) => style(format!("did not reach {target}")).yellow().bold(),
        None => style("finished".into()).green().bold(),
    };
    let why = match report.stop {
        StopReason::Target => "",
        StopReason::Evaluations => ": the evaluations are spent (--max-evaluations)",
        StopReason::Generations => ": the generations are spent (--max-generations)",
        StopReason::Time => ": the time is over (--time)",
        StopReason::Stagnation => ": no improvement for too long (--stagnation)",
        StopReason::Converged => {
            ": the whole population has the same cost, a local optimum; try another --seed or a larger --population"
        }
        StopReason::Observer => ": interrupted",
        // A network that was chosen is as large as it should be.
        StopReason::Optimizer(reason @ Termination::AllOptima) if model.origin.settings.cost.decay == 0.0 => {
            &format!(": {reason}; a larger network can do better")
        }
        StopReason::Optimizer(reason @ (Termination::AllOptima | Termination::Patience)) => {
            &format!(": {reason}")
        }
        StopReason::Optimizer(reason) => &format!(
            ": {reason}, a local optimum; try another --seed, a larger --population or restarts (cma-es-bipop)"
        ),
    };
    let mut text = if report.slopes > 0 {
        format!(
            "{verdict} after {} evaluations and {} slopes, worth {} evaluations, in {}{why}\n",
            grouped(report.evaluations),
            grouped(report.slopes),
            grouped(report.evaluation_equivalents as u64),
            output::time(report.seconds),
        )
    } else {
        format!(
            "{verdict} after {} evaluations in {:.2} s ({} per second){why}\n",
            grouped(report.evaluations),
            report.seconds,
            grouped((report.evaluations as f64 / report.seconds) as u64),
        )
    };
    text += &optima(&report.optima);
    text += &restarts(&report.restarts);
    let metrics = &model.metrics;
    for (part, mse, accuracy) in [
        ("train", Some(metrics.train_mse), metrics.train_accuracy),
        ("test", metrics.test_mse, metrics.test_accuracy),
    ] {
        let Some(mse) = mse else { continue };
        let correct = accuracy.map_or(String::new(), |a| format!(", {} correct", percent(a)));
        let _ = writeln!(text, "  {part:<9} error {}{correct}", error(mse));
    }
    let difference = (report.verified_cost - report.cost).abs() / report.cost.max(1e-12);
    let decay = if model.origin.settings.cost.decay > 0.0 { " with the decay's share" } else { "" };
    let verified = format!("{}{decay}", error(report.verified_cost));
    let _ = match report.slopes {
        0 => writeln!(text, "  verified  error {verified}, {difference:.0e} from the search's own"),
        _ => writeln!(text, "  verified  error {verified}, at most the search's own {}", error(report.cost)),
    };
    if let Some(path) = file {
        let _ = writeln!(text, "  model     {}", path.display());
    }
    text
}

/// How many local optima were found.
fn optima(optima: &[Optimum]) -> String {
    let Some(best) = optima.first() else { return String::new() };
    let times = match best.found {
        1 => "once".into(),
        n => format!("{} times", grouped(n)),
    };
    let at = error(best.cost);
    match optima.len() {
        1 => format!("  optima    one local optimum up to symmetry, at error {at}, found {times}\n"),
        n => format!("  optima    {n} local optima up to symmetry, the best at error {at} found {times}\n"),
    }
}

/// How often a method with restarts began anew, and why; the last few of many.
fn restarts(restarts: &[Restart]) -> String {
    const SHOWN: usize = 8;
    let mut text = String::new();
    let hidden = restarts.len().saturating_sub(SHOWN);
    if hidden > 0 {
        let _ = writeln!(text, "  restart   {hidden} times, then");
    }
    for Restart { reason, evaluations, cost, to, .. } in &restarts[hidden..] {
        let _ = writeln!(
            text,
            "  restart   after {} evaluations at error {}: {reason}; next population {}",
            grouped(*evaluations),
            error(*cost),
            to.population
        );
    }
    text
}

fn optima_as_json(optima: &[Optimum]) -> serde_json::Value {
    optima.iter().map(|o| json!({"cost": o.cost, "found": o.found})).collect()
}

fn as_json(
    name: &str,
    s: &FitSettings,
    fitted: &Fitted,
    choice: Option<&Choice>,
    file: Option<&Path>,
) -> String {
    let Fitted { model, report } = fitted;
    let m = &model.metrics;
    let object = json!({
        "data": name,
        "topology": s.topology,
        "parameters": model.parameters(),
        "decay": s.cost.decay,
        "choice": choice,
        "method": s.method.method(),
        "population": s.population(),
        "seed": s.method.seed(),
        "target": s.stop.target,
        "reached": report.reached,
        "stop": report.stop,
        "restarts": report.restarts,
        "evaluations": report.evaluations,
        "slopes": report.slopes,
        "evaluation_equivalents": report.evaluation_equivalents,
        "optima": optima_as_json(&report.optima),
        "generations": report.generations,
        "seconds": report.seconds,
        "evaluations_per_second": report.evaluations as f64 / report.seconds,
        "cost": report.cost,
        "verified_cost": report.verified_cost,
        "train_mse": m.train_mse,
        "test_mse": m.test_mse,
        "train_accuracy": m.train_accuracy,
        "test_accuracy": m.test_accuracy,
        "cross_validation": m.cross_validation.as_ref().map(folds::as_json),
        "rank": model.origin.rank,
        "least_share": model.origin.least_share,
        "instructions": onefold::kernel::Isa::detect().name(),
        "version": env!("CARGO_PKG_VERSION"),
        "model": file.map(Path::to_string_lossy),
    });
    format!("{object:#}\n")
}
