//! The progress bars of a run, on a terminal only.

use crate::output::{error, grouped};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use onefold::Progress;
use onefold::error::shown;
use onefold::files::DataFile;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The bar is redrawn at most this often.
const REDRAW: Duration = Duration::from_millis(60);
/// Steps of the bar.
const STEPS: u64 = 1000;

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:30.cyan/dim} {msg}") {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}

/// Progress on a logarithmic scale from the first cost to the threshold, or in evaluations without one.
pub(crate) struct Bar {
    drawn: ProgressBar,
    threshold: Option<f64>,
    budget: Option<u64>,
    first: Option<f64>,
    redrawn: Duration,
}

impl Bar {
    pub(crate) fn new(threshold: Option<f64>, budget: Option<u64>) -> Self {
        Self { drawn: new_bar(), threshold, budget, first: None, redrawn: Duration::ZERO }
    }

    pub(crate) fn update(&mut self, progress: &Progress<'_>) {
        let cost = progress.best.cost;
        let first = *self.first.get_or_insert(cost);
        if self.threshold.is_some_and(|threshold| cost <= threshold) {
            self.drawn.set_position(STEPS);
            let evaluations = grouped(progress.evaluations);
            self.drawn.set_message(format!("target reached after {evaluations} evaluations; continuing"));
            return;
        }
        if progress.elapsed < self.redrawn + REDRAW {
            return;
        }
        self.redrawn = progress.elapsed;
        self.drawn.set_position((self.fraction(first, progress) * STEPS as f64) as u64);
        let rate = progress.evaluations as f64 / progress.elapsed.as_secs_f64();
        self.drawn.set_message(format!(
            "error {}  {} evaluations  {} per second  {} s",
            error(cost),
            grouped(progress.evaluations),
            grouped(rate as u64),
            progress.elapsed.as_secs(),
        ));
    }

    fn fraction(&self, first: f64, progress: &Progress<'_>) -> f64 {
        let spent = self.budget.map_or(0.0, |budget| progress.evaluation_equivalents / budget as f64);
        match self.threshold {
            Some(threshold) if threshold > 0.0 && first > threshold => {
                ((first / progress.best.cost).ln() / (first / threshold).ln()).clamp(0.0, 1.0)
            }
            _ => spent,
        }
    }

    /// The bar alone, for messages above it.
    pub(crate) fn drawn(&self) -> ProgressBar {
        self.drawn.clone()
    }

    pub(crate) fn finish(&self) {
        self.drawn.finish_and_clear();
    }
}

/// Smaller files are read before anybody could see a bar.
const LEAST_SIZE: u64 = 16 << 20;

/// Progress of reading a file, in bytes. The bar is removed when this is dropped.
pub(crate) struct ReadingBar {
    drawn: ProgressBar,
    name: String,
    started: Instant,
    /// When it was drawn last, after the start.
    redrawn: Duration,
}

impl ReadingBar {
    /// A bar for a large file.
    pub(crate) fn of(file: &DataFile) -> Option<Self> {
        file.size().filter(|size| *size >= LEAST_SIZE)?;
        let (name, redrawn) = (shown(file.name()).into_owned(), Duration::ZERO);
        Some(Self { drawn: new_bar(), name, started: Instant::now(), redrawn })
    }

    /// Shows that so many bytes of all were read.
    pub(crate) fn update(&mut self, read: u64, size: u64) {
        let elapsed = self.started.elapsed();
        if elapsed < self.redrawn + REDRAW {
            return;
        }
        self.redrawn = elapsed;
        let fraction = read as f64 / size.max(1) as f64;
        self.drawn.set_position((fraction * STEPS as f64) as u64);
        self.drawn.set_message(reading(&self.name, fraction, elapsed));
    }
}

impl Drop for ReadingBar {
    fn drop(&mut self) {
        self.drawn.finish_and_clear();
    }
}

/// What is said about a file of which a fraction was read in some time.
fn reading(name: &str, fraction: f64, elapsed: Duration) -> String {
    let mut text = format!("reading {name}  {:.0} %  {} s", 100.0 * fraction, elapsed.as_secs());
    // Before that a rate says little.
    if fraction > 0.01 {
        let left = elapsed.as_secs_f64() * (1.0 - fraction) / fraction;
        let _ = write!(text, "  about {:.0} s to go", left.ceil());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_to_go_is_that_of_the_bytes_to_go() {
        let said = |fraction, seconds| reading("a.csv", fraction, Duration::from_secs(seconds));
        assert_eq!(said(0.25, 10), "reading a.csv  25 %  10 s  about 30 s to go");
        assert_eq!(said(1.0, 7), "reading a.csv  100 %  7 s  about 0 s to go");
        assert_eq!(said(0.0, 0), "reading a.csv  0 %  0 s");
    }
}
