//! Whether a screen pays: one that rejects too few candidates is paused.

/// Candidates after which it is decided whether a screen pays.
pub(super) const OBSERVED: u32 = 512;
/// Candidates that are not screened after it did not; twice as many each time in a row that it does not.
pub(super) const PAUSE: u32 = 16 * OBSERVED;
/// Times that the pause is doubled at most.
const DOUBLINGS: u32 = 4;

/// One worker's experience with one screen. It decides what is computed, never what the result is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Experience {
    seen: u32,
    rejected: u32,
    /// Share of the candidates that it rejected when that was last decided; zero before.
    share: f64,
    /// Candidates that are still to be left out.
    pause: u32,
    /// Times in a row that the screen did not pay.
    failures: u32,
}

impl Experience {
    /// Whether the next candidate should be screened.
    pub(super) fn is_due(&mut self) -> bool {
        let due = self.pause == 0;
        self.pause = self.pause.saturating_sub(1);
        due
    }

    /// Whether the next candidate would be left out.
    pub(super) fn is_paused(&self) -> bool {
        self.pause > 0
    }

    /// The share of the candidates that it rejected, as far as it is known.
    pub(super) fn rejected_share(&self) -> f64 {
        self.share
    }

    /// Learns how many of how many candidates were rejected; whether it is time to
    /// [`decide`](Self::decide).
    pub(super) fn learn(&mut self, seen: usize, rejected: usize) -> bool {
        self.seen += seen as u32;
        self.rejected += rejected as u32;
        self.seen >= OBSERVED
    }

    /// The screen pays if the share that it rejects reaches its price, as a fraction of what it saves.
    pub(super) fn decide(&mut self, price: f64) {
        self.share = f64::from(self.rejected) / f64::from(self.seen);
        if self.share < price {
            self.pause = PAUSE << self.failures;
            self.failures = (self.failures + 1).min(DOUBLINGS);
        } else {
            self.failures = 0;
        }
        (self.seen, self.rejected) = (0, 0);
    }
}
