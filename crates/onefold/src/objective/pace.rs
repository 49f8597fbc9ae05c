//! When to divide a generation between threads.

use std::time::Duration;

/// How long a candidate takes, and so whether other threads are worth waking. It decides which thread
/// computes a cost, never the cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// Seconds for one candidate.
    seconds: f64,
    /// Generations until one is timed again.
    timed_in: u32,
}

impl Pace {
    /// A generation that takes fewer seconds is over before another thread is awake.
    const WORTH_SPLITTING: f64 = 60e-6;
    /// One in so many generations is computed by one thread, to see whether that has become faster.
    const INTERVAL: u32 = 256;

    /// Always divide, for tests.
    #[cfg(test)]
    pub(super) const ALWAYS: Self = Self { seconds: f64::INFINITY, timed_in: u32::MAX };

    /// Whether several threads should compute the costs of the next generation.
    pub(super) fn is_worth_splitting(&mut self, candidates: usize) -> bool {
        if self.timed_in == 0 || self.seconds * (candidates as f64) < Self::WORTH_SPLITTING {
            return false;
        }
        self.timed_in -= 1;
        true
    }

    /// Learns how long one thread took for a generation.
    pub(super) fn learn(&mut self, candidates: usize, elapsed: Duration) {
        self.seconds = elapsed.as_secs_f64() / candidates.max(1) as f64;
        self.timed_in = Self::INTERVAL;
    }
}
