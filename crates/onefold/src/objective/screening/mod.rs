//! Exact early rejection: proofs that a candidate costs more than its cutoff, cheaper than its cost.
//!
//! First a few of the samples are looked at, then all of them in single precision, then more and more of them in double precision. With one input and one hidden layer a
//! few condensed samples take the place of all that where they prove enough. What no look rejects is evaluated in full, so a search takes the same path with screening and without. Each look is given up for
//! a while where it does not pay.

mod condensed;
mod growing;
mod sampled;
mod single;

pub(super) use growing::Growing;
pub(super) use sampled::Sampled;
pub(super) use single::Single;

/// Relative slack of every comparison: covers rounding in the full evaluation.
const SLACK: f64 = 1e-6;
/// Candidates after which it is decided whether a look pays.
const TRIAL: u32 = 512;
/// Candidates that are not looked at after it did not; twice as many each time in a row that it does not.
const PAUSE: u32 = 16 * TRIAL;
/// Times that the pause is doubled at most.
const DOUBLINGS: u32 = 4;

/// One worker's experience with one look.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Experience {
    seen: u32,
    rejected: u32,
    pause: u32,
    failures: u32,
}

impl Experience {
    /// Whether the next candidate should be looked at.
    pub(super) fn is_due(&mut self) -> bool {
        let due = self.pause == 0;
        self.pause = self.pause.saturating_sub(1);
        due
    }

    /// Learns how many of how many candidates were rejected, of which a share must be for the look to pay.
    pub(super) fn learn(&mut self, seen: usize, rejected: usize, worthwhile: f64) {
        self.seen += seen as u32;
        self.rejected += rejected as u32;
        if self.seen >= TRIAL {
            if f64::from(self.rejected) < worthwhile * f64::from(self.seen) {
                self.pause = PAUSE << self.failures;
                self.failures = (self.failures + 1).min(DOUBLINGS);
            } else {
                self.failures = 0;
            }
            (self.seen, self.rejected) = (0, 0);
        }
    }
}

/// Candidates that wait to be looked at together, by their numbers.
#[derive(Clone, Debug)]
pub(super) struct Queue<const N: usize> {
    waiting: [usize; N],
    count: usize,
}

impl<const N: usize> Queue<N> {
    pub(super) const EMPTY: Self = Self { waiting: [0; N], count: 0 };

    /// Whether it is full with this one.
    pub(super) fn push(&mut self, candidate: usize) -> bool {
        self.waiting[self.count] = candidate;
        self.count += 1;
        self.count == N
    }

    /// Those that wait; then none does.
    pub(super) fn take(&mut self) -> Taken<N> {
        let Self { waiting, count } = std::mem::replace(self, Self::EMPTY);
        Taken { waiting, count }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }
}

/// Candidates to be looked at together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken<const N: usize> {
    waiting: [usize; N],
    count: usize,
}

impl<const N: usize> Taken<N> {
    pub(super) fn numbers(&self) -> &[usize] {
        &self.waiting[..self.count]
    }

    /// What is found at each one's number; lanes without a candidate repeat the last.
    pub(super) fn all<T>(&self, find: impl Fn(usize) -> T) -> [T; N] {
        std::array::from_fn(|lane| find(self.waiting[lane.min(self.count - 1)]))
    }
}

#[cfg(test)]
mod tests;
