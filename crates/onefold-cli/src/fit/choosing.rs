//! The size of the network where none is given, and what was tried to find it.

use super::{Keeping, settings};
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::fit::Input;
use crate::output::{self, error, grouped, percent, short};
use indicatif::{ProgressBar, ProgressDrawTarget};
use onefold::{
    Choice, ChooseSettings, Dataset, End, FitSettings, LocalSettings, Note, Reason, TrainTest, Tried,
};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The network that is chosen is trained until this many descents in a row bring nothing.
const PATIENCE: u64 = 20;
/// Where a target decides, as long as it was looked for while choosing.
const PATIENCE_FOR_TARGET: u64 = 50;
/// How often the line moves that says that work goes on.
const TICK: Duration = Duration::from_millis(100);

/// A size that was chosen, now or before.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) hidden: usize,
    decay: f64,
}

impl From<&Choice> for Size {
    fn from(choice: &Choice) -> Self {
        Self { hidden: choice.hidden, decay: choice.decay }
    }
}

impl Size {
    /// That of a run that is continued.
    pub(super) fn of(settings: &FitSettings) -> Self {
        Self { hidden: settings.topology.last_hidden(), decay: settings.cost.decay }
    }

    pub(super) fn apply(self, s: &mut FitSettings) {
        s.cost.decay = self.decay;
        s.stop.max_seconds = s.stop.max_seconds.map(|seconds| seconds / 2.0);
        if let Some(local) = s.method.own_mut::<LocalSettings>() {
            local.patience = Some(PATIENCE);
            local.patience_with_threshold = Some(PATIENCE_FOR_TARGET);
        }
    }
}

/// Chooses sizes.
pub(super) struct Chooser<'a> {
    args: &'a FitArgs,
    data: &'a TrainTest,
    seed: u64,
    interrupted: &'a AtomicBool,
}

impl<'a> Chooser<'a> {
    /// Where the data is a table and no size is given. Settings that cannot be are refused at once.
    pub(super) fn needed(
        args: &'a FitArgs,
        input: &'a Input,
        seed: u64,
        interrupted: &'a AtomicBool,
    ) -> Result<Option<Self>, Failure> {
        if input.builtin().is_some() || args.hidden.is_some() || args.topology.is_some() {
            return Ok(None);
        }
        let chooser = Self { args, data: &input.data, seed, interrupted };
        chooser.template(&input.data.train)?;
        Ok(Some(chooser))
    }

    /// Finds files that cannot be written before the work, not after it.
    pub(super) fn check_files(&self) -> Result<(), Failure> {
        let output = self.args.output.as_deref();
        if let Some(path) = output {
            onefold::check_writable(path).map_err(|e| Failure::bad_input(format!("--output {e}")))?;
        }
        let template = self.template(&self.data.train)?;
        Keeping::prepare(self.args, "", self.data, &template, None, output).map(drop)
    }

    /// The settings of a run with this size.
    pub(super) fn settings(&self, data: &Dataset, size: Size) -> Result<FitSettings, Failure> {
        settings(self.args, None, data, self.seed, Some(size))
    }

    fn template(&self, data: &Dataset) -> Result<FitSettings, Failure> {
        self.settings(data, Size { hidden: 1, decay: self.args.decay.unwrap_or(0.0) })
    }

    /// A size for these rows; none if that was interrupted.
    pub(super) fn choose(&self, data: &Dataset) -> Result<Option<Choice>, Failure> {
        let template = self.template(data)?;
        let mut how = ChooseSettings {
            threads: self.args.threads.unwrap_or(0),
            patience_for_target: PATIENCE_FOR_TARGET,
            ..ChooseSettings::default()
        };
        if let Some(decay) = self.args.decay {
            how.decays = vec![decay];
        }
        let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        spinner.set_message("choosing the size of the network");
        spinner.enable_steady_tick(TICK);
        let started = Instant::now();
        let may_go_on = || {
            let is_over = template.stop.max_seconds.is_some_and(|s| started.elapsed().as_secs_f64() >= s);
            let is_ended = is_over || self.interrupted.load(Ordering::Relaxed);
            if is_ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let tell = |tried: &Tried| {
            spinner.set_message(format!("{} has error {}", tried.topology, error(tried.error)));
        };
        let choice = onefold::choose(data, &template, &how, may_go_on, tell);
        spinner.finish_and_clear();
        let choice = choice?;
        if self.interrupted.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match choice {
            Some(choice) => Ok(Some(choice)),
            None => Err(Failure::bad_input(
                "--time: half of it was over before a single size had been tried; give more, or a size with --hidden",
            )),
        }
    }
}

/// What was tried, and why one was chosen.
pub(super) fn report(choice: &Choice, classification: bool) -> String {
    let share = match choice.folds {
        Some(_) if classification => "correct",
        Some(_) => "explained",
        None => "",
    };
    let names = ["  tried", "parameters", "decay", "error", share, "time", ""];
    let mut rows = vec![names.map(String::from).to_vec()];
    for tried in choice.tried.iter().filter(|t| t.note != Note::OtherDecay) {
        let (mut mse, mut share) = (error(tried.error), tried.share.map_or(String::new(), percent));
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
            note(tried, choice).into(),
        ]);
    }
    let mut text = String::from("\n");
    text += &output::table(&rows, &[false, true, true, true, true, true, false]);
    let _ = writeln!(text, "  {}\n  {}\n", why(choice, classification), end(choice));
    text
}

fn note(tried: &Tried, choice: &Choice) -> &'static str {
    match tried.note {
        Note::Chosen if choice.reason == Reason::Target => "reached, chosen",
        Note::Chosen if matches!(choice.reason, Reason::Lowest) => "best, chosen",
        Note::Chosen => "chosen",
        Note::Best => "best",
        Note::OtherDecay => "",
        Note::Worse => "worse",
        Note::Larger => "no worse, but larger",
        Note::Missed => "not reached",
    }
}

fn why(choice: &Choice, classification: bool) -> String {
    let chosen = choice.tried.iter().find(|t| t.note == Note::Chosen);
    let chosen = chosen.map_or(String::new(), |t| t.topology.to_string());
    match &choice.reason {
        Reason::Target => format!("{chosen} is the smallest that reaches the target on the training rows."),
        Reason::Nearest => format!("None reaches the target; {chosen} comes nearest."),
        Reason::Lowest => {
            format!("{chosen} is the best on rows not trained on, and no smaller one is as good.")
        }
        Reason::NotWorse { best, difference, standard_error } => {
            let (what, by) = if classification {
                (
                    "share of wrong answers",
                    format!("{:.1} ± {}", 100.0 * difference, percent(*standard_error)),
                )
            } else {
                ("error", format!("{} ± {}", error(*difference), error(*standard_error)))
            };
            format!(
                "{chosen} is the smallest that is no worse than {best}: row by row its {what} is higher by {by}."
            )
        }
    }
}

fn end(choice: &Choice) -> String {
    let how = match choice.folds {
        Some(folds) => {
            let rows = grouped(choice.rows as u64);
            let dealt =
                if choice.repeats > 1 { format!(", {} deals", choice.repeats) } else { String::new() };
            format!("By {folds}-fold cross-validation on {rows} training rows{dealt}")
        }
        None => format!("On {} training rows", grouped(choice.rows as u64)),
    };
    let end = match choice.end {
        End::Reached => "until one reached the target",
        End::NoBetter => "until two sizes in a row brought nothing",
        End::List => "for all sizes up to the largest",
        End::Rows => "as long as there were no more parameters than numbers to learn",
        End::Effort => "until the next size would have taken too long",
        End::Observer => "until half of --time was over",
    };
    format!("{how}, {end}.")
}
