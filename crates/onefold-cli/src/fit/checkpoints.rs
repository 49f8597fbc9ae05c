//! Checkpoints of a run: the file it is saved to, and the state it resumes from.

use super::plan::Plan;
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::paths::is_same;
use onefold::{Checkpoint, Error, FitSettings, Fitted, Progress, StopReason, TrainTest};
use std::path::Path;
use std::time::Duration;

/// The checkpoint given with `--resume`, if any.
pub(super) fn load(args: &FitArgs) -> Result<Option<Checkpoint>, Failure> {
    let from = args.resume.as_deref();
    from.map(|path| Checkpoint::load(path).map_err(|e| not_resumed(Some(path), &e))).transpose()
}

/// Checks that no file that is still needed would be overwritten.
pub(super) fn check_files(args: &FitArgs) -> Result<(), Failure> {
    let output = args.output.as_deref();
    if is_same(args.resume.as_deref(), output) {
        return Err(Failure::bad_input(
            "--resume and --output name the same file; give the model another one",
        ));
    }
    let Some(path) = args.checkpoint.as_deref() else { return Ok(()) };
    onefold::files::check_writable(path).map_err(|e| Failure::bad_input(format!("--checkpoint {e}")))?;
    let shown = path.display();
    if is_same(Some(path), output) {
        return Err(Failure::bad_input(format!(
            "--checkpoint {shown}: the model is written to this file; name another"
        )));
    }
    if path.exists() && !is_same(Some(path), args.resume.as_deref()) {
        return Err(Failure::bad_input(match Checkpoint::load(path) {
            Ok(_) => format!(
                "--checkpoint {shown}: this file is the checkpoint of a run; continue it with --resume {shown}, or remove it"
            ),
            Err(_) => format!("--checkpoint {shown}: this file exists and is not a checkpoint; name another"),
        }));
    }
    Ok(())
}

/// The file that a run is saved to, and the state it resumes from.
pub(super) struct Checkpoints<'a> {
    file: Option<&'a Path>,
    pub(super) every: Duration,
    state: Option<Vec<u8>>,
    name: &'a str,
    data: &'a TrainTest,
    settings: &'a FitSettings,
}

impl<'a> Checkpoints<'a> {
    /// The checkpoints of the final training. The checkpoint of a run with other settings is an error.
    pub(super) fn of(plan: &'a Plan<'_>, settings: &'a FitSettings) -> Result<Self, Failure> {
        let (name, data) = (plan.input.name.as_str(), &plan.input.data);
        let from = plan.args.resume.as_deref();
        let state = plan.resumed.as_ref().map(|checkpoint| {
            checkpoint.check(name, data, settings)?;
            checkpoint.state()
        });
        let state = state.transpose().map_err(|e| not_resumed(from, &e))?;
        let file = plan.args.checkpoint.as_deref();
        Ok(Self { file, every: plan.args.checkpoint_every, state, name, data, settings })
    }

    /// No checkpoints, for the training of a fold.
    pub(super) fn none(name: &'a str, data: &'a TrainTest, settings: &'a FitSettings) -> Self {
        Self { file: None, every: Duration::MAX, state: None, name, data, settings }
    }

    pub(super) fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    pub(super) fn save(&self, progress: &Progress<'_>) -> Result<(), Error> {
        match self.file {
            Some(path) => Checkpoint::new(self.name, self.data, self.settings, progress).save(path),
            None => Ok(()),
        }
    }

    /// Deletes the checkpoint of a finished run; one that was interrupted or ran out of time can be resumed.
    pub(super) fn end(&self, fitted: &Fitted) {
        let is_resumable = matches!(fitted.report.stop, StopReason::Observer | StopReason::Time);
        if let (Some(path), false) = (self.file, is_resumable) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Why a checkpoint cannot be resumed.
pub(super) fn not_resumed(path: Option<&Path>, error: &Error) -> Failure {
    let path = path.unwrap_or(Path::new("")).display();
    Failure::bad_input(match error {
        Error::State(reason) => format!("--resume {path}: this checkpoint cannot be resumed: {reason}"),
        other => format!("--resume {other}"),
    })
}
