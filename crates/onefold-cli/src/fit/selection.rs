//! The size of the network where none is given, and what was tried to select it.

use super::plan::Plan;
use crate::failure::Failure;
use crate::output::{self, error, grouped, percent, short};
use indicatif::{ProgressBar, ProgressDrawTarget};
use onefold::model_selection::{End, Reason, Selection, SelectionSettings, Tried, Verdict, select};
use onefold::optimizer::LocalSettings;
use onefold::{Dataset, FitSettings};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The network that is selected is trained until this many descents in a row bring no improvement.
const PATIENCE: u64 = 20;
/// With a threshold, until as many as while selecting.
const PATIENCE_WITH_THRESHOLD: u64 = 50;
/// How often the line moves that says that work goes on.
const TICK: Duration = Duration::from_millis(100);

/// A size and an L2 penalty that were selected, now or before.
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
    /// The smallest network, from which a selection begins.
    pub(super) fn smallest(decay: Option<f64>) -> Self {
        Self { hidden: 1, decay: decay.unwrap_or(0.0) }
    }

    /// That of a run that is continued.
    fn of(settings: &FitSettings) -> Self {
        Self { hidden: settings.topology.last_hidden(), decay: settings.cost.decay }
    }

    /// Sets the penalty and what differs in training after a selection: half of the time, and more patience.
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
    /// Its size, where that was selected.
    pub(super) size: Option<Size>,
    /// The selection, where it was made in this run.
    pub(super) selection: Option<Selection>,
}

/// The network that was given, was selected before, or is selected now; none if that was interrupted.
pub(super) fn network(plan: &Plan<'_>) -> Result<Option<Network>, Failure> {
    if !plan.selects_size() {
        return Ok(Some(Network { size: None, selection: None }));
    }
    if let Some(checkpoint) = &plan.resumed {
        return Ok(Some(Network { size: Some(Size::of(&checkpoint.settings)), selection: None }));
    }
    plan.print(&plan.input.describe())?;
    let train = &plan.input.data.train;
    let Some(selection) = select_size(plan, train)? else {
        eprintln!("interrupted while the size of the network was selected; there is no model yet");
        return Ok(None);
    };
    plan.print(&report(&selection, train.classification))?;
    Ok(Some(Network { size: Some(Size::from(&selection)), selection: Some(selection) }))
}

/// A size for these rows; none if that was interrupted.
pub(super) fn select_size(plan: &Plan<'_>, data: &Dataset) -> Result<Option<Selection>, Failure> {
    let template = plan.template(data)?;
    let mut how = SelectionSettings {
        threads: plan.args.threads.unwrap_or(0),
        patience_for_threshold: PATIENCE_WITH_THRESHOLD,
        ..SelectionSettings::default()
    };
    if let Some(decay) = plan.args.decay {
        how.decays = vec![decay];
    }
    let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    spinner.set_message("selecting the size of the network");
    spinner.enable_steady_tick(TICK);
    let started = Instant::now();
    let may_go_on = || {
        let is_over = template.stop.max_seconds.is_some_and(|s| started.elapsed().as_secs_f64() >= s);
        if is_over || plan.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let tell = |tried: &Tried| {
        spinner.set_message(format!("{} has error {}", tried.topology, error(tried.error)));
    };
    let selection = select(data, &template, &how, may_go_on, tell);
    spinner.finish_and_clear();
    match selection? {
        _ if plan.is_interrupted() => Ok(None),
        Some(selection) => Ok(Some(selection)),
        None => Err(Failure::bad_input(
            "--time: half of it was over before a single size had been tried; give more, or a size with --hidden",
        )),
    }
}

/// What was tried, and why one was selected.
pub(super) fn report(selection: &Selection, classification: bool) -> String {
    let share = match selection.folds {
        Some(_) if classification => "correct",
        Some(_) => "explained",
        None => "",
    };
    let names = ["  tried", "parameters", "decay", "error", share, "time", ""];
    let mut rows = vec![names.map(String::from).to_vec()];
    for tried in selection.tried.iter().filter(|t| t.verdict != Verdict::OtherDecay) {
        let (mut mse, mut share) = (error(tried.error), tried.fraction.map_or(String::new(), percent));
        match tried.standard_error {
            Some(e) if classification => share = share.replace(" %", &format!(" ± {}", percent(e))),
            Some(e) => mse = format!("{mse} ± {}", error(e)),
            None => {}
        }
        rows.push(vec![
            format!("  {}", tried.topology),
            grouped(tried.parameters as u64),
            short(tried.decay),
            mse,
            share,
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
            format!("{selected} is the smallest that reaches the threshold on the training rows.")
        }
        Reason::Nearest => format!("None reaches the threshold; {selected} comes nearest."),
        Reason::Lowest => {
            format!("{selected} is the best on rows not trained on, and no smaller one is as good.")
        }
        Reason::NotWorse { best, difference, standard_error } => {
            let (what, by) = if classification {
                (
                    "fraction of wrong predictions",
                    format!("{:.1} ± {}", 100.0 * difference, percent(*standard_error)),
                )
            } else {
                ("error", format!("{} ± {}", error(*difference), error(*standard_error)))
            };
            format!(
                "{selected} is the smallest that is no worse than {best}: row by row its {what} is higher by {by}."
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
            format!("By {folds}-fold cross-validation on {rows} training rows{repeated}")
        }
        None => format!("On {} training rows", grouped(selection.rows as u64)),
    };
    let end = match selection.end {
        End::Reached => "until one reached the threshold",
        End::NoBetter => "until two sizes in a row brought no improvement",
        End::List => "for all sizes up to the largest",
        End::Rows => "as long as there were no more parameters than numbers to learn",
        End::Effort => "until the next size would have taken too long",
        End::Observer => "until half of --time was over",
    };
    format!("{how}, {end}.")
}
