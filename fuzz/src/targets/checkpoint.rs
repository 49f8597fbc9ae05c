//! Checkpoints of runs.

use super::{Seeds, run_on_iris};
use onefold::{Checkpoint, Training};
use std::ops::ControlFlow;

pub(crate) fn seeds() -> Seeds {
    let (data, settings) = run_on_iris();
    let mut text = String::new();
    let training = Training::new("iris", &data, &settings).expect("good settings");
    let training = training.observe(|progress| {
        text = Checkpoint::new("iris", &data, &settings, progress).to_json();
        ControlFlow::Continue(())
    });
    let run = training.run();
    run.expect("a good run");
    vec![text.into_bytes()]
}

/// Whether bytes are accepted as a checkpoint from which a run could go on.
#[must_use]
pub fn checkpoint(bytes: &[u8]) -> bool {
    Checkpoint::from_json(&String::from_utf8_lossy(bytes)).is_ok_and(|checkpoint| checkpoint.state().is_ok())
}
