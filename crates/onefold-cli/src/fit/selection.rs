//! Selection of the size of the network where none is given, and its report.

use super::plan::Plan;
use super::time::Step;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{self, error, grouped, percent, short};
use indicatif::{ProgressBar, ProgressDrawTarget};
use onefold::model_selection::{End, Reason, Selection, SelectionSettings, Tried, Verdict, select};
use onefold::optimizer::LocalSettings;
use onefold::{Dataset, FitSettings};
use std::fmt::Write as _;
use std::time::Duration;

/// Patience of the final training without a threshold: descents in a row without improvement.
const PATIENCE: u64 = 20;
/// Patience with a threshold, in the selection as well as in the final training.
const PATIENCE_WITH_THRESHOLD: u64 = 50;
/// Time between two frames of the spinner.
const TICK: Duration = Duration::from_millis(100);

/// A selected size with its L2 penalty.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) hidden: usize,
    decay: f64,
}

impl From<&Selection> for Size {
    fn from(selection: &Selection) -> Self {
        Self { hidden: selection.hidden, decay: selection.decay }
    }
}

impl Size {
    /// The smallest network, with which a selection starts.
    pub(super) fn smallest(decay: Option<f64>) -> Self {
        Self { hidden: 1, decay: decay.unwrap_or(0.0) }
    }

    /// The size in the settings of a resumed run.
    fn of(settings: &FitSettings) -> Self {
        Self { hidden: settings.topology.last_hidden(), decay: settings.cost.decay }
    }

    /// Sets the penalty and what differs in training after a selection: half of the time limit, and a longer
    /// patience.
    pub(super) fn apply(self, s: &mut FitSettings) {
        s.cost.decay = self.decay;
        s.stop.max_seconds = s.stop.max_seconds.map(|seconds| seconds / 2.0);
        if let Some(local) = s.method.own_mut::<LocalSettings>() {
            local.patience = Some(PATIENCE);
            local.patience_with_threshold = Some(PATIENCE_WITH_THRESHOLD);
        }
    }
}

/// The network to be trained.
pub(super) struct Network {
    /// Its size, if it was selected.
    pub(super) size: Option<Size>,
    /// The selection, unless the run is resumed.
    pub(super) selection: Option<Selection>,
}

/// The network given by the user, the one selected before a checkpoint, or one selected now. A selection that
/// is cut short keeps the best network so far; before there is one, the smallest.
pub(super) fn network(plan: &Plan<'_>) -> Result<Network, Failure> {
    if !plan.selects_size() {
        return Ok(Network { size: None, selection: None });
    }
    if let Some(checkpoint) = &plan.resumed {
        return Ok(Network { size: Some(Size::of(&checkpoint.settings)), selection: None });
    }
    plan.print(&plan.input.describe())?;
    let train = &plan.input.data.train;
    let selection = select_size(plan, train, &Step::selection(plan))?;
    plan.print(&match &selection {
        Some(selection) => report(selection, train.classification),
        None => format!(
            "\n  The selection of a size ended {} before one was compared; the smallest network is trained.\n\n",
            cut_short()
        ),
    })?;
    let size = selection.as_ref().map_or(plan.smallest(), |selection| Some(Size::from(selection)));
    Ok(Network { size, selection })
}

/// What ended a selection.
fn cut_short() -> &'static str {
    if interrupt::is_interrupted() { "by an interrupt" } else { "by its part of --time" }
}

/// Selects a size for these rows; none if it was cut short before one was compared.
pub(super) fn select_size(
    plan: &Plan<'_>,
    data: &Dataset,
    step: &Step,
) -> Result<Option<Selection>, Failure> {
    let template = plan.template(data)?;
    let mut settings = SelectionSettings {
        threads: plan.args.threads.unwrap_or(0),
        patience_for_threshold: PATIENCE_WITH_THRESHOLD,
        ..SelectionSettings::default()
    };
    if let Some(decay) = plan.args.decay {
        settings.decays = vec![decay];
    }
    let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    spinner.set_message("selecting the size of the network");
    // It takes a thread, which not every system allows.
    if !spinner.is_hidden() && std::thread::Builder::new().spawn(|| ()).is_ok() {
        spinner.enable_steady_tick(TICK);
    }
    let tell = |tried: &Tried| {
        spinner.set_message(format!("{} has error {}", tried.topology, error(tried.error)));
    };
    let selection = select(data, &template, &settings, &step.cancellation, tell);
    spinner.finish_and_clear();
    Ok(selection?)
}

/// The table of the networks that were tried, and the reason for the selected one.
pub(super) fn report(selection: &Selection, classification: bool) -> String {
    let fraction = match selection.folds {
        Some(_) if classification => "correct",
        Some(_) => "explained",
        None => "",
    };
    let names = ["  tried", "parameters", "decay", "error", fraction, "time", ""];
    let mut rows = vec![names.map(String::from).to_vec()];
    for tried in selection.tried.iter().filter(|t| t.verdict != Verdict::OtherDecay) {
        let (mut mse, mut fraction) = (error(tried.error), tried.fraction.map_or(String::new(), percent));
        match tried.standard_error {
            Some(e) if classification => fraction = fraction.replace(" %", &format!(" ± {}", percent(e))),
            Some(e) => mse = format!("{mse} ± {}", error(e)),
            None => {}
        }
        rows.push(vec![
            format!("  {}", tried.topology),
            grouped(tried.parameters as u64),
            short(tried.decay),
            mse,
            fraction,
            crate::output::time(tried.seconds),
            verdict(tried, selection).into(),
        ]);
    }
    let mut text = String::from("\n");
    text += &output::table(&rows, &[false, true, true, true, true, true, false]);
    let _ = writeln!(text, "  {}\n  {}\n", why(selection, classification), end(selection));
    text
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

fn why(selection: &Selection, classification: bool) -> String {
    let selected = selection.tried.iter().find(|t| t.verdict == Verdict::Selected);
    let selected = selected.map_or(String::new(), |t| t.topology.to_string());
    match &selection.reason {
        Reason::Threshold => {
            format!("{selected} is the smallest that reaches the target on the training rows.")
        }
        Reason::Nearest => format!("None reaches the target; {selected} has the lowest error."),
        Reason::Lowest => {
            let what = if classification { "fewest wrong predictions" } else { "lowest error" };
            format!(
                "{selected} has the {what} on held-out rows, and smaller ones are worse by more than one standard error."
            )
        }
        Reason::NotWorse { best, difference, standard_error } => {
            let (what, by) = if classification {
                ("classification error", format!("{:.1} ± {}", 100.0 * difference, percent(*standard_error)))
            } else {
                ("error", format!("{} ± {}", error(*difference), error(*standard_error)))
            };
            format!(
                "{selected} is the smallest within one standard error of {best}: its {what} is higher by {by}."
            )
        }
    }
}

fn end(selection: &Selection) -> String {
    let how = match selection.folds {
        Some(folds) => {
            let rows = grouped(selection.rows as u64);
            let repeated = match selection.repeats {
                1 => String::new(),
                n => format!(", repeated {n} times"),
            };
            format!("Selected by {folds}-fold cross-validation on {rows} training rows{repeated}")
        }
        None => format!("Selected by the error on {} training rows", grouped(selection.rows as u64)),
    };
    let end = match selection.end {
        End::Reached => "until one network reached the target",
        End::NoBetter => "until two sizes in a row brought no improvement",
        End::List => "up to the largest size of the list",
        End::Rows => "until the next size would have had more parameters than there are target values",
        End::Effort => "until the next size would have taken too long",
        End::Cancelled => return format!("{how}; it was cut short {}.", cut_short()),
    };
    format!("{how}, {end}.")
}
