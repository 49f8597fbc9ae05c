//! The report before and after a run, as text or as JSON.

use crate::output::{self, error, grouped, short};
use crate::scores;
use console::style;
use onefold::error::shown;
use onefold::model_selection::Selection;
use onefold::optimizer::{Optimum, Restart, Termination};
use onefold::settings::OutputLayer;
use onefold::{Continuation, Dataset, Destination, FitSettings, Fitted, Method, StopReason};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// The network, the method and the stopping criteria of the run.
pub(super) fn introduction(s: &FitSettings) -> String {
    let mut text = String::new();
    let t = &s.topology;
    let solved = t.parameters(s.cost.output_bias) - t.dim();
    let has_probabilities = s.output_layer.has_probabilities();
    if t.dim() == 0 {
        let what = if t.has_linear_part() { "the linear model" } else { "a constant answer" };
        let parameters = if solved == 1 { "parameter" } else { "parameters" };
        let how = if has_probabilities { "logistic regression" } else { "least squares" };
        return format!("  network   {t}, {what}: {solved} {parameters} solved by {how}\n\n");
    }
    let linear = if t.has_linear_part() { " with a linear part" } else { "" };
    let layers = t.clone().with_linear_part(false);
    let budget =
        s.stop.max_evaluations.map_or(String::new(), |n| format!(", at most {} evaluations", grouped(n)));
    let then = match s.output_layer {
        OutputLayer::LeastSquares => "",
        OutputLayer::Logistic => " and then by logistic regression",
        OutputLayer::CrossEntropy => " and by logistic regression, and then all trained for cross-entropy",
    };
    let _ = writeln!(
        text,
        "  network   {layers}{linear}, {} parameters searched, {solved} solved by least squares{then}, {} mirror images",
        t.dim(),
        count_like(t.symmetric_equivalents())
    );
    let used = &s.method;
    let auto = if s.method.method() == Method::AUTO { "auto: " } else { "" };
    let method = used.method().description();
    let population = match (used.method().has_population(), used.population(t.dim())) {
        (true, n) => format!("population {n}"),
        (false, n) => format!("{n} candidates per start"),
    };
    let _ = writeln!(text, "  method    {auto}{method}, {population}, seed {}", s.method.common.seed);
    let until =
        s.stop.threshold.map_or("no further improvement".into(), |mse| format!("error {}", short(mse)));
    let _ = writeln!(text, "  until     {until}{budget}\n");
    text
}

/// A warning where the threshold is below what rounding of the outputs alone makes of the error.
pub(super) fn rounding_warning(s: &FitSettings, train: &Dataset) -> Option<String> {
    let threshold = s.stop.threshold.filter(|threshold| *threshold > 0.0)?;
    let largest = |column: &Vec<f64>| column.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    let (size, name) = (train.outputs.iter().map(largest).zip(&train.output_names))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|_| !train.classification)?;
    // Rounding errors are uniform between plus and minus half a unit in the last place.
    let unit = size.next_up() - size;
    let rounding = unit * unit / 12.0 / train.outputs.len() as f64;
    (threshold < rounding).then(|| {
        format!(
            "warning: --target {} is below what rounding makes of numbers as large as {} (column {name}, about {rounding:.0e}) \
             and may never be reached; subtract a constant from the column",
            short(threshold),
            short(size),
        )
    })
}

/// An exact count below ten million, otherwise a rounded one.
fn count_like(v: f64) -> String {
    if v < 1e7 { grouped(v as u64) } else { format!("{v:.1e}") }
}

/// How the run ended, and its results.
pub(super) fn conclusion(fitted: &Fitted, times: &str, file: Option<&Path>) -> String {
    let Fitted { model, report, continuation, .. } = fitted;
    let verdict = match model.origin().settings.stop.threshold.map(short) {
        Some(threshold) if report.reached => style(format!("reached {threshold}")).green().bold(),
        Some(threshold) => style(format!("did not reach {threshold}")).yellow().bold(),
        None => style("finished".into()).green().bold(),
    };
    let why = why(fitted);
    let mut text = if report.stop == StopReason::NothingToSearch {
        format!("{verdict} in {}{why}\n", output::time(report.seconds))
    } else if report.slopes > 0 {
        format!(
            "{verdict} after {} evaluations and {} derivatives, equivalent to {} evaluations, in {}{why}\n",
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
    text += &continuation.as_ref().map_or(String::new(), continued);
    text += &optima(&report.optima, what_is_minimised(&model.origin().settings));
    text += &restarts(&report.restarts);
    for (part, scores) in scores::lines_of(model) {
        let _ = writeln!(text, "  {part:<9} {scores}");
    }
    text += &verified(fitted);
    if let Some(intervals) = scores::about_intervals(model) {
        let _ = writeln!(text, "  interval  {}", shown(&intervals));
    }
    text += times;
    if let Some(path) = file {
        let _ = writeln!(text, "  model     {}", shown(&path.to_string_lossy()));
    }
    text
}

/// The time of the whole command, and what it was spent on.
pub(super) fn times(all: Duration, selection: Duration, fitted: &Fitted) -> String {
    let (all, selection) = (all.as_secs_f64(), selection.as_secs_f64());
    let continued = fitted.continuation.as_ref().map_or(0.0, |continuation| continuation.seconds);
    let training = fitted.report.seconds + continued;
    let rest = (all - selection - training).max(0.0);
    format!(
        "  time      {}: selection {}, training {}, all else {}\n",
        output::time(all),
        output::time(selection),
        output::time(training),
        output::time(rest)
    )
}

/// What was done after the target was reached.
fn continued(continuation: &Continuation) -> String {
    let Continuation { destination, verified_cost, evaluation_equivalents, seconds, .. } = continuation;
    let to = match destination {
        Destination::Threshold => "found nothing better than",
        Destination::Minimum => "to its minimum:",
        Destination::Smooth => "to a smoother network:",
    };
    let cut_short = if continuation.is_cut_short() { ", cut short" } else { "" };
    format!(
        "  continued {to} error {}, {} more evaluations in {}{cut_short}\n",
        error(*verified_cost),
        grouped(*evaluation_equivalents as u64),
        output::time(*seconds),
    )
}

fn continuation_as_json(continuation: &Continuation) -> Value {
    json!({
        "destination": continuation.destination,
        "verified_cost": continuation.verified_cost,
        "evaluations": continuation.evaluations,
        "slopes": continuation.slopes,
        "evaluation_equivalents": continuation.evaluation_equivalents,
        "generations": continuation.generations,
        "seconds": continuation.seconds,
        "stop": continuation.stop,
    })
}

/// What the stored model's error is, beside that of the search; or what a descent on the cross-entropy led
/// to.
fn verified(Fitted { model, report, continuation, descent }: &Fitted) -> String {
    if let Some(descent) = descent {
        let evaluations = grouped(descent.evaluations);
        let cost = error(descent.cost);
        return format!(
            "  descent   of all weights to cross-entropy with L2 penalty {cost} in {evaluations} evaluations\n"
        );
    }
    let what = what_is_minimised(&model.origin().settings);
    if let Some(continuation) = continuation {
        let (now, then) = (error(continuation.verified_cost), error(report.verified_cost));
        return format!("  verified  {what} {now}, {then} when the target was reached\n");
    }
    let verified = format!("  verified  {what} {}", error(report.verified_cost));
    if report.stop == StopReason::NothingToSearch {
        return verified + "\n";
    }
    let difference = (report.verified_cost - report.cost).abs() / report.cost.max(f64::MIN_POSITIVE);
    match (&model.origin().target_scaler, report.slopes) {
        (Some(scaler), _) if scaler.scale.len() > 1 => {
            format!("{verified}; {} of scaled targets in the search\n", error(report.cost))
        }
        // Near zero, digits differ that do not matter.
        (_, 0) if report.cost.max(report.verified_cost) >= 1e-12 || difference == 0.0 => {
            format!("{verified}, relative difference to the search {difference:.0e}\n")
        }
        _ => format!("{verified}, {} in the search\n", error(report.cost)),
    }
}

/// The error, or with an L2 penalty the sum of both; of least squares, where the model's own error is
/// another.
fn what_is_minimised(s: &FitSettings) -> &'static str {
    match (s.output_layer, s.cost.decay > 0.0) {
        (OutputLayer::LeastSquares, false) => "error",
        (OutputLayer::LeastSquares, true) => "error with L2 penalty",
        (_, false) => "error of least squares",
        (_, true) => "error of least squares with L2 penalty",
    }
}

/// Why the run ended, and what may help.
fn why(fitted: &Fitted) -> String {
    let Fitted { model, report, .. } = fitted;
    let is_single = model.origin().target_scaler.as_ref().is_none_or(|scaler| scaler.scale.len() == 1);
    match model.origin().settings.stop.threshold {
        Some(threshold) if is_single && !report.reached && report.cost <= threshold => format!(
            "{}; the search had an error of {}, but rounding gives the stored model {}",
            why_it_ended(fitted),
            error(report.cost),
            error(report.verified_cost)
        ),
        _ => why_it_ended(fitted),
    }
}

fn why_it_ended(Fitted { model, report, descent, .. }: &Fitted) -> String {
    match report.stop {
        StopReason::Threshold => String::new(),
        StopReason::Evaluations => ": maximum number of evaluations (--max-evaluations)".into(),
        StopReason::Generations => ": maximum number of generations (--max-generations)".into(),
        StopReason::Time => ": time limit (--time)".into(),
        StopReason::Stagnation => ": too many generations without improvement (--stagnation)".into(),
        StopReason::Converged => {
            ": the population has converged to a local optimum; try another --seed or a larger --population"
                .into()
        }
        StopReason::Observer => ": interrupted".into(),
        StopReason::NothingToSearch if descent.is_some() => {
            ": all weights descended from the network of the selection".into()
        }
        StopReason::NothingToSearch if model.topology().dim() > 0 => {
            ": trained as long as in the selection, where the effort was limited; more --time trains longer"
                .into()
        }
        StopReason::NothingToSearch => {
            let how = if model.has_probabilities() { "logistic regression" } else { "least squares" };
            format!(": there was nothing to search, {how} gave all weights")
        }
        // With an L2 penalty, a larger network does not always reach a lower cost.
        StopReason::Optimizer(reason @ Termination::AllOptima)
            if model.origin().settings.cost.decay == 0.0 =>
        {
            format!(": {reason}; a larger network can reach a lower error")
        }
        StopReason::Optimizer(reason @ (Termination::AllOptima | Termination::Patience)) => {
            format!(": {reason}")
        }
        StopReason::Optimizer(reason) => format!(
            ": {reason}, a local optimum; try another --seed, a larger --population or restarts (cma-es-bipop)"
        ),
    }
}

/// The number of local optima found, and how often the best of them.
fn optima(optima: &[Optimum], what: &str) -> String {
    let Some(best) = optima.first() else { return String::new() };
    let times = match best.found {
        1 => "once".into(),
        n => format!("{} times", grouped(n)),
    };
    let at = error(best.cost);
    match optima.len() {
        1 => format!("  optima    one local optimum up to symmetry, at {what} {at}, found {times}\n"),
        n => format!("  optima    {n} local optima up to symmetry, the best at {what} {at} found {times}\n"),
    }
}

/// The last restarts of a method with restarts, and their reasons.
fn restarts(restarts: &[Restart]) -> String {
    const SHOWN: usize = 8;
    let mut text = String::new();
    let hidden = restarts.len().saturating_sub(SHOWN);
    if hidden > 0 {
        let _ = writeln!(text, "  restart   {hidden} earlier ones");
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

/// The result as one JSON object.
pub(super) fn as_json(
    name: &str,
    s: &FitSettings,
    fitted: &Fitted,
    selection: Option<&Selection>,
    file: Option<&Path>,
) -> Value {
    let Fitted { model, report, continuation, descent } = fitted;
    let m = &model.metrics();
    json!({
        "data": name,
        "topology": s.topology,
        "parameters": model.parameters(),
        "decay": s.cost.decay,
        "output_layer": s.output_layer,
        "temperature": s.temperature,
        "choice": selection,
        "method": s.method.method(),
        "population": s.population(),
        "seed": s.method.common.seed,
        "target": s.stop.threshold,
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
        "continuation": continuation.as_ref().map(continuation_as_json),
        "descent": descent.map(|descent| json!({"cost": descent.cost, "evaluations": descent.evaluations})),
        "train_mse": m.train_mse,
        "test_mse": m.test_mse,
        "train_accuracy": m.train_accuracy,
        "test_accuracy": m.test_accuracy,
        "cross_validation": m.cross_validation.as_ref().map(scores::of_folds_as_json),
        "train_scores": m.train,
        "test_scores": m.test,
        "intervals": model.intervals(),
        "rank": model.origin().rank,
        "least_share": model.origin().least_share,
        "instructions": onefold::kernel::Isa::detect().name(),
        "version": env!("CARGO_PKG_VERSION"),
        "model": file.map(Path::to_string_lossy),
    })
}
