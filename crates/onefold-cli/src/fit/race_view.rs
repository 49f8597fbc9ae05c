//! A race as it goes on: on a terminal one table and one bar, otherwise a line for each rung.

use crate::output::{self, error, grouped, percent, short, tell};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use onefold::model_selection::{Metric, RaceProgress, SelectionProgress, Tried};
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// Networks in the table.
const SHOWN: usize = 6;
/// Steps of the bar.
const STEPS: u64 = 1000;
/// The table is drawn at most this often.
const REDRAW: Duration = Duration::from_millis(150);

/// The view of one selection.
pub(super) struct RaceView {
    bar: ProgressBar,
    has_lines: bool,
    started: Instant,
    /// When the current rung began, and when the table was drawn, after the start.
    rung_began: Duration,
    redrawn: Option<Duration>,
    table: String,
}

impl RaceView {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{msg}{bar:30.cyan/dim} {prefix}") {
            bar.set_style(style.progress_chars("━╸─"));
        }
        let has_lines = !std::io::stderr().is_terminal();
        let (started, rung_began) = (Instant::now(), Duration::ZERO);
        Self { bar, has_lines, started, rung_began, redrawn: None, table: String::new() }
    }

    /// The bar, for messages above it.
    pub(super) fn bar(&self) -> ProgressBar {
        self.bar.clone()
    }

    pub(super) fn update(&mut self, progress: &SelectionProgress<'_>) {
        match progress {
            SelectionProgress::Tried(tried) => {
                self.bar.set_prefix(format!("{} has error {}", tried.topology, error(tried.score)));
            }
            SelectionProgress::Race(race) => self.update_race(race),
        }
    }

    fn update_race(&mut self, race: &RaceProgress<'_>) {
        let elapsed = self.started.elapsed();
        if race.is_rung_complete {
            if self.has_lines {
                tell(&line_of_rung(race, elapsed.saturating_sub(self.rung_began)));
            } else {
                self.table = table(&race.leaders(SHOWN), race.metric());
            }
            self.rung_began = elapsed;
        }
        if self.has_lines || self.redrawn.is_some_and(|at| elapsed < at + REDRAW) && !race.is_rung_complete {
            return;
        }
        self.redrawn = Some(elapsed);
        self.bar.set_position((race.fraction * STEPS as f64) as u64);
        let mut text = format!(
            "rung {} of at most {}  {} of {} candidates left  {} s",
            race.rung,
            race.rungs,
            grouped(race.left as u64),
            grouped(race.candidates as u64),
            elapsed.as_secs()
        );
        // Before that a rate says little.
        if race.fraction > 0.05 && race.fraction < 1.0 {
            let left = elapsed.as_secs_f64() * (1.0 - race.fraction) / race.fraction;
            let _ = write!(text, "  about {:.0} s to go", left.ceil());
        }
        self.bar.set_prefix(text);
        self.bar.set_message(self.table.clone());
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A rung in one line.
fn line_of_rung(race: &RaceProgress<'_>, time: Duration) -> String {
    let best = race.leaders(1).into_iter().next();
    let best = best.map_or(String::new(), |tried| {
        format!("; best so far {} with {} {}", tried.topology, race.metric(), score(&tried, race.metric()))
    });
    format!(
        "rung {} of at most {} ({} training rows): {} of {} candidates left{best}; {}",
        race.rung,
        race.rungs,
        grouped(race.training_rows as u64),
        grouped(race.left as u64),
        grouped(race.candidates as u64),
        output::time(time.as_secs_f64())
    )
}

/// A score and its standard error.
pub(super) fn score(tried: &Tried, metric: Metric) -> String {
    let is_fraction = !matches!(metric, Metric::LogLoss | Metric::Rmse | Metric::Mae | Metric::R2);
    match tried.standard_error {
        Some(e) if is_fraction => format!("{:.1} ± {}", 100.0 * tried.score, percent(e)),
        Some(e) => format!("{} ± {}", error(tried.score), error(e)),
        None => error(tried.score),
    }
}

/// The networks that lead, and the baselines.
fn table(leaders: &[Tried], metric: Metric) -> String {
    let mut rows = vec![["  network", "parameters", "decay", metric.name()].map(String::from).to_vec()];
    rows.extend(leaders.iter().map(|tried| {
        let name = super::selection_report::name(&tried.topology);
        vec![format!("  {name}"), grouped(tried.parameters as u64), short(tried.decay), score(tried, metric)]
    }));
    output::table(&rows, &[false, true, true, true])
}
