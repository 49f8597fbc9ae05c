//! The report of a selection: what was tried, what was selected, and why.

use super::plan::Plan;
use super::race_view::score;
use super::selection::cut_short;
use crate::output::{self, error, grouped, percent, short};
use onefold::Topology;
use onefold::automatic::Choice;
use onefold::model_selection::{End, Metric, Note, Reason, Selection, Tried, Verdict};
use onefold::settings::OutputLayer;
use std::fmt::Write as _;
use std::time::Duration;

/// Networks in the table, besides baselines, the best and the selected one.
const SHOWN: usize = 5;

/// The column of what the hidden layers of a classification are trained for.
const TRAINED_FOR: usize = 2;

/// A network as people call it.
pub(super) fn name(topology: &Topology) -> String {
    match (topology.hidden().is_empty(), topology.has_linear_part()) {
        (true, false) => "constant".into(),
        (true, true) => "linear".into(),
        _ => topology.to_string(),
    }
}

/// The table of the networks that were tried, and the reason for the selected one.
pub(super) fn report(selection: &Selection, plan: &Plan<'_>, time: Duration) -> String {
    let mut text = String::from("\n");
    text += &match selection.metric {
        Some(metric) => table(selection, metric, plan.input.data.train.classification),
        None => table_for_threshold(selection),
    };
    let _ = writeln!(text, "  {}", why(selection, plan.choice()));
    for note in &selection.notes {
        let _ = writeln!(text, "  {}", advice(*note));
    }
    let _ = writeln!(text, "  {} in {}.\n", end(selection), output::time(time.as_secs_f64()));
    text
}

/// The best decay of the networks with the best scores, the baselines first.
fn table(selection: &Selection, metric: Metric, classification: bool) -> String {
    let fraction = match metric {
        Metric::Accuracy | Metric::R2 => "",
        _ if classification => "correct",
        _ => "explained",
    };
    let names = ["  tried", "parameters", "decay", metric.name(), fraction, ""];
    let mut rows = vec![names.map(String::from).to_vec()];
    for tried in shown(selection, metric) {
        rows.push(vec![
            format!("  {}", name(&tried.topology)),
            grouped(tried.parameters as u64),
            short(tried.decay),
            score(tried, metric),
            if fraction.is_empty() { String::new() } else { tried.fraction.map_or(String::new(), percent) },
            verdict(tried, selection).into(),
        ]);
    }
    let mut right = vec![false, true, true, true, true, false];
    if selection.tried.iter().any(|tried| tried.output_layer == OutputLayer::CrossEntropy) {
        let trained = shown(selection, metric).into_iter().map(trained);
        let of_rows = ["trained for"].into_iter().chain(trained);
        rows.iter_mut().zip(of_rows).for_each(|(row, trained)| row.insert(TRAINED_FOR, trained.into()));
        right.insert(TRAINED_FOR, false);
    }
    let mut text = output::table(&rows, &right);
    let networks = selection.tried.len();
    let left_out = networks - (rows.len() - 1);
    if left_out > 0 {
        let _ = writeln!(text, "  and {} others, all in the output of --json", grouped(left_out as u64));
    }
    text
}

/// What the hidden layers of a classification are trained for.
fn trained(tried: &Tried) -> &'static str {
    match tried.output_layer {
        _ if tried.topology.hidden().is_empty() => "",
        OutputLayer::CrossEntropy => "cross-entropy",
        OutputLayer::LeastSquares | OutputLayer::Logistic => "squared error",
    }
}

/// What is shown: for each network its best decay; baselines, the best scores, and what is selected.
fn shown(selection: &Selection, metric: Metric) -> Vec<&Tried> {
    let is_higher_better = !matches!(metric, Metric::LogLoss | Metric::Rmse | Metric::Mae);
    let loss = |tried: &Tried| if is_higher_better { -tried.score } else { tried.score };
    let is_important = |tried: &Tried| {
        matches!(tried.verdict, Verdict::Selected | Verdict::Best) || tried.topology.hidden().is_empty()
    };
    let mut by_loss: Vec<&Tried> = selection.tried.iter().collect();
    // Those that stayed longer were tried on more rows.
    by_loss.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| loss(a).total_cmp(&loss(b))));
    by_loss.sort_by_key(|tried| !matches!(tried.verdict, Verdict::Selected));
    let mut kept: Vec<&Tried> = Vec::new();
    for tried in by_loss {
        let is_known = kept.iter().any(|other| other.topology == tried.topology);
        if !is_known && (is_important(tried) || kept.len() < SHOWN) {
            kept.push(tried);
        }
    }
    kept.sort_by_key(|tried| (!tried.topology.hidden().is_empty(), tried.parameters));
    kept
}

fn table_for_threshold(selection: &Selection) -> String {
    let mut rows = vec![["  tried", "parameters", "error", ""].map(String::from).to_vec()];
    rows.extend(selection.tried.iter().map(|tried| {
        vec![
            format!("  {}", tried.topology),
            grouped(tried.parameters as u64),
            error(tried.score),
            verdict(tried, selection).into(),
        ]
    }));
    output::table(&rows, &[false, true, true, false])
}

fn verdict(tried: &Tried, selection: &Selection) -> &'static str {
    match tried.verdict {
        Verdict::Selected if selection.reason == Reason::Threshold => "reached, selected",
        Verdict::Selected if matches!(selection.reason, Reason::Lowest) => "best, selected",
        Verdict::Selected => "selected",
        Verdict::Best => "best",
        Verdict::OtherDecay => "",
        Verdict::Worse => "worse",
        Verdict::Larger => "no worse, but larger",
        Verdict::NotReached => "not reached",
    }
}

fn why(selection: &Selection, choice: Choice) -> String {
    let selected = name(&selection.topology);
    let amount = |difference: f64, e: f64| format!("{} ± {}", error(difference), error(e));
    let loss = match selection.metric {
        Some(Metric::LogLoss) => "log loss",
        Some(Metric::Rmse | Metric::R2) => "mean squared error",
        Some(Metric::Mae) => "mean absolute error",
        _ => "loss",
    };
    match &selection.reason {
        Reason::Threshold => {
            format!("{selected} is the smallest that reaches the target on the training rows.")
        }
        Reason::Nearest => format!("None reaches the target; {selected} has the lowest error."),
        Reason::Lowest if choice == Choice::Decay => {
            let how = match selection.output_layer {
                OutputLayer::CrossEntropy => " with all weights trained for cross-entropy",
                OutputLayer::LeastSquares | OutputLayer::Logistic => "",
            };
            format!("Of its decays, {}{how} has the best score on held-out rows.", short(selection.decay))
        }
        Reason::Lowest => format!("{selected} has the best score on held-out rows."),
        Reason::NotWorse { best, difference, standard_error } => {
            let by = amount(*difference, *standard_error);
            format!(
                "{selected} is the smallest within one standard error of {best}: its {loss} is higher by {by}."
            )
        }
        Reason::NotBeaten { best, difference, standard_error } => {
            let model = if selection.topology.has_linear_part() { "linear model" } else { "constant answer" };
            let than = best.as_ref().map_or_else(
                || "none has a better score".into(),
                |best| {
                    let by = amount(*difference, *standard_error);
                    format!("the best, {}, has a lower {loss} by {by}, which may be chance", name(best))
                },
            );
            format!(
                "No network is better than the {model} beyond chance ({than}): the {model} is the result."
            )
        }
    }
}

fn advice(note: Note) -> &'static str {
    match note {
        Note::LargestIsBest => {
            "No network that was tried is larger than the best one: with --hidden you can give a larger one."
        }
        Note::CutShort => {
            "The training of the best network was cut short in the selection: more --time may give a better one."
        }
        Note::Intensified => {
            "The best networks were trained again with more restarts, since this could change the result."
        }
        Note::Undecided => "More than one network may be the best: more --time can decide it.",
    }
}

fn end(selection: &Selection) -> String {
    let rows = grouped(selection.rows as u64);
    let how = match selection.folds {
        Some(folds) => {
            let repeated = match selection.repeats {
                1 => String::new(),
                n => format!(", repeated {n} times"),
            };
            format!("Selected by {folds}-fold cross-validation on {rows} training rows{repeated}")
        }
        None => format!("Selected by the error on {rows} training rows"),
    };
    let end = match selection.end {
        End::Reached => "until one network reached the target",
        End::Decided => "until the result did not change",
        End::List if selection.metric.is_some() => "to its end",
        End::List => "up to the largest size of the list",
        End::Rows => "until the next size would have had more parameters than there are target values",
        End::Effort => "until the effort was spent",
        End::Cancelled => return format!("{how}, cut short {},", cut_short()),
    };
    format!("{how}, {end},")
}
