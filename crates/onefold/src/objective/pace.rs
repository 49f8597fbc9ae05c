//! When to share a generation among threads.

use std::time::Duration;

/// How long a candidate takes, and so whether other threads are worth waking. It decides who computes, never what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    seconds: f64,
    /// Generations until one is timed again.
    timed_in: u32,
}

impl Pace {
    /// A generation shorter than this is over before another thread is awake.
    const WORTH_SHARING: f64 = 60e-6;
    /// One in so many generations is computed alone, to see whether that has become faster.
    const INTERVAL: u32 = 256;

    /// Always share, for tests.
    #[cfg(test)]
    pub(super) const ALWAYS: Self = Self { seconds: f64::INFINITY, timed_in: u32::MAX };

    pub(super) fn is_worth_sharing(&mut self, candidates: usize) -> bool {
        if self.timed_in == 0 || self.seconds * (candidates as f64) < Self::WORTH_SHARING {
            return false;
        }
        self.timed_in -= 1;
        true
    }

    pub(super) fn learn(&mut self, candidates: usize, elapsed: Duration) {
        self.seconds = elapsed.as_secs_f64() / candidates.max(1) as f64;
        self.timed_in = Self::INTERVAL;
    }
}
