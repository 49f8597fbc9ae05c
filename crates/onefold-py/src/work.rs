//! Long work on a thread of its own, without the interpreter's lock. The caller looks for signals meanwhile.

use onefold::Cancellation;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::{PyErr, PyResult, Python};
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Time between two looks for signals.
const TICK: Duration = Duration::from_millis(10);
/// Looks for signals between two calls of `tick`.
const LOOKS: usize = 5;
/// The stack of the thread, whatever the environment says.
const STACK: usize = 8 << 20;

/// The result of work that Ctrl-C can end early.
pub(crate) struct Done<T> {
    pub(crate) result: T,
    /// Whether Ctrl-C ended it, so that the result is the best so far.
    pub(crate) is_interrupted: bool,
}

/// Runs `work`, which must end soon after its cancellation. The first Ctrl-C cancels it and is not raised;
/// the second is, and so is what the handler of another signal or `tick` raises. `tick` is called every
/// few looks for signals, with the interpreter's lock.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Cancellation) -> T + Send,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()> + Send,
) -> PyResult<Done<T>> {
    let cancellation = Cancellation::default();
    let (mut is_interrupted, mut raised, mut looks) = (false, None::<PyErr>, 0_usize);
    let mut look = |py: Python<'_>| {
        looks += 1;
        let tick = |()| if looks.is_multiple_of(LOOKS) { tick(py) } else { Ok(()) };
        let Err(error) = py.check_signals().and_then(tick) else { return };
        cancellation.cancel();
        if error.is_instance_of::<PyKeyboardInterrupt>(py) && !is_interrupted {
            is_interrupted = true;
        } else {
            raised = Some(error);
        }
    };
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (done, waiting) = channel();
            let cancellation = &cancellation;
            let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                let result = work(cancellation);
                // The receiver waits for it.
                let _ = done.send(());
                result
            })?;
            while waiting.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) && !worker.is_finished() {
                Python::attach(&mut look);
            }
            Ok::<_, std::io::Error>(worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })
    })?;
    match raised {
        Some(error) => Err(error),
        None => Ok(Done { result, is_interrupted }),
    }
}
