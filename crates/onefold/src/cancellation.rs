//! Long computations can be asked to end early: by a flag that any thread can set, or by a deadline.
//!
//! A search declares its [`Cancellation`] for the thread it runs on ([`Cancellation::enter`]); every long
//! loop below it, down to the kernels, calls [`poll`]. So neither optimisers nor objectives nor kernels need
//! a parameter for it. What a loop that was cut off leaves behind is of no use: whoever called it must ask
//! [`is_cut_off`] first.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Work between two looks at the flag and the clock, in multiplications: some ten microseconds.
const WORK_BETWEEN_CHECKS: usize = 200_000;

/// A request to end a computation early: a flag that can be set from anywhere, and optionally a deadline.
/// Clones share the flag.
///
/// ```
/// use onefold::{Builtin, Cancellation, FitSettings, Method, StopReason, Training};
/// use std::time::Duration;
///
/// let data = Builtin::Sinc.load(&Default::default())?;
/// let mut settings = FitSettings::for_builtin(Builtin::Sinc, None, Method::DE_SB)?;
/// settings.stop.threshold = Some(0.0);
/// let cancellation = Cancellation::default();
/// let of_other_thread = cancellation.clone();
/// std::thread::spawn(move || {
///     std::thread::sleep(Duration::from_millis(20));
///     of_other_thread.cancel();
/// });
/// let fitted = Training::new("sinc", &data, &settings)?.cancel_by(&cancellation).run()?;
/// assert_eq!(fitted.report.stop, StopReason::Observer);
/// # Ok::<(), onefold::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
    obeyed: Arc<AtomicBool>,
}

impl From<Arc<AtomicBool>> for Cancellation {
    /// Cancelled when this flag is set, for instance by a signal handler.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self { flag, ..Self::default() }
    }
}

impl Cancellation {
    /// Sets the flag, for all clones.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Whether the flag is set or the deadline has passed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.is_requested() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The same with a deadline, unless there is an earlier one.
    #[must_use]
    pub fn until(&self, deadline: Instant) -> Self {
        let deadline = self.deadline.map_or(deadline, |earlier| earlier.min(deadline));
        Self { deadline: Some(deadline), ..self.clone() }
    }

    /// The same with a deadline that is not earlier than this long from now.
    pub(crate) fn not_within(&self, time: Duration) -> Self {
        let earliest = Instant::now().checked_add(time);
        Self {
            deadline: self.deadline.map(|deadline| earliest.map_or(deadline, |e| e.max(deadline))),
            ..self.clone()
        }
    }

    /// The same with a deadline this long from now, unless there is an earlier one.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        match Instant::now().checked_add(time) {
            Some(deadline) => self.until(deadline),
            None => self.clone(),
        }
    }

    /// Whether a search has ended early and its best network is being completed.
    #[must_use]
    pub fn is_obeyed(&self) -> bool {
        self.obeyed.load(Ordering::Relaxed)
    }

    pub(crate) fn obey(&self) {
        self.obeyed.store(true, Ordering::Relaxed);
    }

    /// The same for a part of a computation, whose end is not that of the whole.
    #[must_use]
    pub fn for_part(&self) -> Self {
        Self { obeyed: Arc::default(), ..self.clone() }
    }

    /// What the computations of this thread obey at the moment; one that is never cancelled if there is none.
    pub(crate) fn current() -> Self {
        CURRENT.with_borrow(|current| current.clone().unwrap_or_default())
    }

    /// Makes the computations of this thread obey it, until the result is dropped.
    pub(crate) fn enter(&self) -> Scope {
        let before = CURRENT.replace(Some(self.clone()));
        Scope { before, was_cut_off: CUT_OFF.replace(false) }
    }
}

/// Computations of this thread are not cut off until the result is dropped.
pub(crate) fn shield() -> Scope {
    Scope { before: CURRENT.take(), was_cut_off: CUT_OFF.replace(false) }
}

/// Restores what the thread obeyed before.
pub(crate) struct Scope {
    before: Option<Cancellation>,
    was_cut_off: bool,
}

impl Drop for Scope {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
        CUT_OFF.set(self.was_cut_off);
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Cancellation>> = const { RefCell::new(None) };
    static CUT_OFF: Cell<bool> = const { Cell::new(false) };
    /// Work since the last check.
    static WORK: Cell<usize> = const { Cell::new(0) };
}

/// Reports work done, in multiplications, and tells whether to end at once.
#[inline]
pub(crate) fn poll(work: usize) -> bool {
    let work = WORK.get().saturating_add(work);
    if work < WORK_BETWEEN_CHECKS {
        WORK.set(work);
        return CUT_OFF.get();
    }
    check()
}

/// Whether a call of [`poll`] has told a loop to end.
#[inline]
pub(crate) fn is_cut_off() -> bool {
    CUT_OFF.get()
}

/// Looks at the flag and the clock.
#[cold]
#[inline(never)]
pub(crate) fn check() -> bool {
    WORK.set(0);
    if CURRENT.with_borrow(|current| current.as_ref().is_some_and(Cancellation::is_cancelled)) {
        CUT_OFF.set(true);
    }
    CUT_OFF.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_entered_is_obeyed_and_only_until_it_is_left() {
        let cancellation = Cancellation::default();
        cancellation.cancel();
        assert!(cancellation.is_cancelled() && !check());
        {
            let _scope = cancellation.enter();
            assert!(!is_cut_off() && !poll(1), "little work is not worth a look");
            assert!(poll(WORK_BETWEEN_CHECKS) && is_cut_off() && poll(0));
            {
                let _shield = shield();
                assert!(!check() && !poll(usize::MAX) && !is_cut_off());
            }
            assert!(is_cut_off());
            let other = Cancellation::default();
            let _inner = other.enter();
            assert!(!check());
        }
        assert!(!check() && !is_cut_off());
    }

    #[test]
    fn deadlines_only_become_earlier() {
        let now = Instant::now();
        let later = now + Duration::from_secs(1000);
        let cancellation = Cancellation::default().until(later);
        assert!(!cancellation.is_cancelled());
        assert!(cancellation.until(now).is_cancelled());
        assert!(cancellation.until(now).until(later).is_cancelled());
        assert!(!cancellation.within(Duration::MAX).is_cancelled());
        cancellation.until(now).cancel();
        assert!(cancellation.is_requested());
    }
}
