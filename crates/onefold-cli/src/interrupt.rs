//! Handling of Ctrl-C.

use crate::failure::{Failure, INTERRUPTED};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the first Ctrl-C sets; the second one ends the program.
pub(crate) fn flag() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            onefold::files::remove_unfinished();
            std::process::exit(INTERRUPTED.into());
        }
    })
    .map_err(|e| Failure::failed(e.to_string()))?;
    Ok(interrupted)
}
