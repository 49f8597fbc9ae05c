//! Signals and the time limit: the first Ctrl-C, or the end of `--time`, ends any command within a second.
//!
//! A command that has nothing to keep ends at once. One that has says so with [`keep`]: then the first signal
//! only sets a flag, which the library polls through a [`Cancellation`], and the second one ends the program.
//! A thread watches that the command really ends in time.

use crate::failure::{FAILED, Failure, INTERRUPTED};
use crate::output;
use onefold::Cancellation;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// A command that still runs this long after a signal or the end of its time is ended.
const PATIENCE: Duration = Duration::from_millis(850);
/// The same where there is nothing to keep: data that is nearly read can still be trained on.
const LITTLE_PATIENCE: Duration = Duration::from_millis(400);
/// Time between two looks of the watching thread.
const TICK: Duration = Duration::from_millis(40);

/// The stack of a thread, whatever the environment says.
const STACK: usize = 1 << 20;

/// Nothing would be lost if the command ended now.
const NOTHING: u8 = 0;
/// There is something to keep, and the computation ends by itself when it is asked to.
const WORKING: u8 = 1;
/// What was computed is written to a file.
const FINISHING: u8 = 2;
/// It is written, and the report is printed, for which nobody may be waiting.
const REPORTING: u8 = 3;

struct State {
    /// Set by the first signal.
    interrupted: Arc<AtomicBool>,
    /// Whether the next signal ends the program.
    ends_at_once: Arc<AtomicBool>,
    phase: AtomicU8,
    /// What the computation obeys at the moment.
    current: Mutex<Cancellation>,
    started: Instant,
    /// The time limit, and when it is over.
    limit: Mutex<Option<(Duration, Instant)>>,
}

static STATE: LazyLock<State> = LazyLock::new(|| {
    let interrupted = Arc::new(AtomicBool::new(false));
    State {
        current: Mutex::new(Cancellation::from(Arc::clone(&interrupted))),
        interrupted,
        ends_at_once: Arc::new(AtomicBool::new(true)),
        phase: AtomicU8::new(NOTHING),
        started: Instant::now(),
        limit: Mutex::new(None),
    }
});

/// Handles signals from now on: on a thread of their own or, where the system allows none, by flags alone, in
/// which case a second signal may leave a temporary file.
pub(crate) fn install() -> Result<(), Failure> {
    let state = &*STATE;
    let failed = |e: std::io::Error| Failure::failed(format!("signals cannot be handled: {e}"));
    let without_thread = if is_handled_by_thread() { Vec::new() } else { signals() };
    for signal in without_thread {
        flag::register_conditional_shutdown(signal, INTERRUPTED.into(), Arc::clone(&state.ends_at_once))
            .map_err(failed)?;
        flag::register(signal, Arc::clone(&state.interrupted)).map_err(failed)?;
        flag::register(signal, Arc::clone(&state.ends_at_once)).map_err(failed)?;
    }
    // A file that grows beyond the system's limit is an error of the write, not the end of the program.
    #[cfg(unix)]
    flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false))).map_err(failed)?;
    Ok(())
}

/// Starts the thread that waits for signals: the first asks a command that has something to keep to end,
/// and any other ends the program, without temporary files.
#[cfg(unix)]
fn is_handled_by_thread() -> bool {
    let Ok(mut signals) = signal_hook::iterator::Signals::new(signals()) else { return false };
    let handle = move || {
        for _ in signals.forever() {
            let is_second = STATE.interrupted.swap(true, Ordering::SeqCst);
            if is_second || matches!(STATE.phase.load(Ordering::SeqCst), NOTHING | REPORTING) {
                end_program(INTERRUPTED);
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).stack_size(STACK).spawn(handle).is_ok()
}

#[cfg(not(unix))]
fn is_handled_by_thread() -> bool {
    false
}

/// Ends the program without what is half written.
fn end_program(code: u8) -> ! {
    onefold::files::remove_unfinished();
    std::process::exit(code.into())
}

/// The signals that end a program.
fn signals() -> Vec<i32> {
    #[allow(unused_mut, reason = "not on all systems")]
    let mut all = vec![SIGINT, SIGTERM];
    #[cfg(unix)]
    if !is_hangup_ignored() {
        all.push(signal_hook::consts::SIGHUP);
    }
    all
}

/// Whether the program was started with `nohup`.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0);
    mask & 1 << (signal_hook::consts::SIGHUP - 1) != 0
}

/// Limits the time of the whole command, from its start.
pub(crate) fn limit_time(limit: Duration) {
    let end = STATE.started.checked_add(limit).filter(|_| !limit.is_zero());
    *STATE.limit.lock().unwrap_or_else(PoisonError::into_inner) = end.map(|end| (limit, end));
    if end.is_some() {
        watch();
    }
}

/// When the time of the command is over, if it is limited.
pub(crate) fn end_of_time() -> Option<Instant> {
    STATE.limit.lock().unwrap_or_else(PoisonError::into_inner).map(|(_, end)| end)
}

/// From now on there is something to keep: the first signal only asks the computation to end.
pub(crate) fn keep() {
    STATE.phase.store(WORKING, Ordering::SeqCst);
    STATE.ends_at_once.store(is_interrupted(), Ordering::SeqCst);
    watch();
}

/// From now on results are written, which is not cut short.
pub(crate) fn finish() {
    STATE.phase.store(FINISHING, Ordering::SeqCst);
}

/// From now on nothing is left but to print a report.
pub(crate) fn report() {
    STATE.phase.store(REPORTING, Ordering::SeqCst);
}

/// Whether there was a signal.
pub(crate) fn is_interrupted() -> bool {
    STATE.interrupted.load(Ordering::Relaxed)
}

/// Cancelled by the first signal.
pub(crate) fn cancellation() -> Cancellation {
    STATE.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// What the rest of a command obeys after a signal that ended a part of it.
pub(crate) fn new_cancellation() -> Cancellation {
    let mut current = STATE.current.lock().unwrap_or_else(PoisonError::into_inner);
    *current = Cancellation::default();
    current.clone()
}

/// The failure of a command that a signal ended.
pub(crate) fn failure() -> Failure {
    Failure::interrupted("interrupted")
}

/// Starts the thread that ends a command which does not end by itself. Where the system allows no other
/// thread, there is none.
fn watch() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let _ = std::thread::Builder::new().name("watch".into()).stack_size(STACK).spawn(|| {
            let mut interrupted_at = None;
            loop {
                std::thread::sleep(TICK);
                let phase = match STATE.phase.load(Ordering::SeqCst) {
                    // The search has ended, and its best network is being completed: that is not lost.
                    WORKING if cancellation().is_obeyed() => FINISHING,
                    phase => phase,
                };
                if is_interrupted() {
                    let at = *interrupted_at.get_or_insert_with(Instant::now);
                    if phase == NOTHING || (phase == WORKING && at.elapsed() > PATIENCE) {
                        output::tell("error: interrupted before there was a result");
                        end_program(INTERRUPTED);
                    }
                } else if let Some((limit, end)) = time_over() {
                    let patience = if phase == NOTHING { LITTLE_PATIENCE } else { PATIENCE };
                    if matches!(phase, NOTHING | WORKING) && end.elapsed() > patience {
                        let time = humantime::format_duration(limit);
                        output::tell(&format!(
                            "error: --time {time}: the time was over before there was a result; give more time, or use a smaller network or fewer rows"
                        ));
                        end_program(FAILED);
                    }
                }
            }
        });
    });
}

/// The time limit and its end, if that has passed.
fn time_over() -> Option<(Duration, Instant)> {
    let limit = *STATE.limit.lock().unwrap_or_else(PoisonError::into_inner);
    limit.filter(|(_, end)| Instant::now() >= *end)
}
