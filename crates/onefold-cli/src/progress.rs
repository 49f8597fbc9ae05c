//! The progress bar of a run, on a terminal only.

use crate::output::{error, grouped};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use onefold::Progress;
use std::time::Duration;

/// The bar is redrawn at most this often.
const REDRAW: Duration = Duration::from_millis(60);
/// Steps of the bar.
const STEPS: u64 = 1000;

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
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:30.cyan/dim} {msg}") {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self { drawn: bar, threshold, budget, first: None, redrawn: Duration::ZERO }
    }

    pub(crate) fn update(&mut self, progress: &Progress<'_>) {
        let cost = progress.best.cost;
        let first = *self.first.get_or_insert(cost);
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
