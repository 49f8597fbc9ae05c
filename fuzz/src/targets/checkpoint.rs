//! Checkpoints of runs.

use super::{Seeds, run_on_iris};
use onefold::files::digest;
use onefold::{Checkpoint, FitSettings, Method, TrainTest, Training};
use serde_json::Value;
use std::ops::ControlFlow;
use std::sync::LazyLock;

/// The first byte of an input says whether the digest of the state is made to fit, as a forger would do.
pub(crate) const CHOICES: usize = 1;

/// Runs whose states have all kinds of parts.
static RUNS: LazyLock<Vec<(TrainTest, FitSettings)>> = LazyLock::new(|| {
    let with = |method| {
        let (data, mut settings) = run_on_iris(method);
        settings.stop.threshold = None;
        settings.stop.max_generations = Some(4);
        (data, settings)
    };
    ["de-sb", "l-shade", "cma-es-bipop", "auto"]
        .map(|name| with(name.parse::<Method>().expect("a method")))
        .into()
});

pub(crate) fn seeds() -> Seeds {
    RUNS.iter().map(|(data, settings)| saved(data, settings)).collect()
}

/// The checkpoint after the third generation.
fn saved(data: &TrainTest, settings: &FitSettings) -> Vec<u8> {
    let mut text = String::new();
    let training = Training::new("iris", data, settings).expect("good settings");
    let training = training.observe(|progress| {
        text = Checkpoint::new("iris", data, settings, progress).to_json();
        if progress.generation < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let run = training.run();
    run.expect("a good run");
    text.into_bytes()
}

/// Whether bytes are accepted as a checkpoint from which a run can go on; it does.
///
/// # Panics
///
/// Never of itself: the settings of its runs are good.
#[must_use]
pub fn checkpoint(bytes: &[u8]) -> bool {
    let (choices, text) = bytes.split_at(CHOICES.min(bytes.len()));
    let text = String::from_utf8_lossy(text);
    let is_sealed = choices.first().is_some_and(|byte| byte % 2 == 1);
    let text = if is_sealed { seal(&text).unwrap_or(text.into_owned()) } else { text.into_owned() };
    let Ok(checkpoint) = Checkpoint::from_json(&text) else { return false };
    let Ok(state) = checkpoint.state() else { return false };
    let is_of =
        |(data, settings): &&(TrainTest, FitSettings)| checkpoint.check("iris", data, settings).is_ok();
    let Some((data, settings)) = RUNS.iter().find(is_of) else { return false };
    let training = Training::new("iris", data, settings).expect("good settings");
    training.resume(&state).run().is_ok()
}

/// The text with the digest of its state, if it has one.
fn seal(text: &str) -> Option<String> {
    let mut tree: Value = serde_json::from_str(text).ok()?;
    let sum = digest(tree.get("state")?.as_str()?.as_bytes());
    *tree.get_mut("state_digest")? = sum.into();
    Some(tree.to_string())
}
