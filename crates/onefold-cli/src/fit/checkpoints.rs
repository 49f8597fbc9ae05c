//! Checkpoints of a run: where it is saved, and where it continues from.

use super::plan::Plan;
use crate::args::FitArgs;
use crate::failure::Failure;
use onefold::{Checkpoint, Error, FitSettings, Fitted, Progress, StopReason, TrainTest};
use std::path::Path;
use std::time::Duration;

/// The checkpoint that is continued, if any.
pub(super) fn load(args: &FitArgs) -> Result<Option<Checkpoint>, Failure> {
    let from = args.resume.as_deref();
    from.map(|path| Checkpoint::load(path).map_err(|e| not_resumed(Some(path), &e))).transpose()
}

/// Checks that no file would be written over another one that is needed.
pub(super) fn check_files(args: &FitArgs) -> Result<(), Failure> {
    let output = args.output.as_deref();
    if is_same(args.resume.as_deref(), output) {
        return Err(Failure::bad_input(
            "--resume and --output name the same file; the model needs another one",
        ));
    }
    let Some(path) = args.checkpoint.as_deref() else { return Ok(()) };
    onefold::files::check_writable(path).map_err(|e| Failure::bad_input(format!("--checkpoint {e}")))?;
    let shown = path.display();
    if is_same(Some(path), output) {
        return Err(Failure::bad_input(format!(
            "--checkpoint {shown}: the model goes to this file; name another"
        )));
    }
    if path.exists() && !is_same(Some(path), args.resume.as_deref()) {
        return Err(Failure::bad_input(match Checkpoint::load(path) {
            Ok(_) => format!(
                "--checkpoint {shown}: there is a run in this file; continue it with --resume {shown}, or remove it"
            ),
            Err(_) => format!("--checkpoint {shown}: this file exists and is no checkpoint; name another"),
        }));
    }
    Ok(())
}

/// Where a run is saved on its way, and the state from which it continues.
pub(super) struct Checkpoints<'a> {
    file: Option<&'a Path>,
    pub(super) every: Duration,
    state: Option<Vec<u8>>,
    name: &'a str,
    data: &'a TrainTest,
    settings: &'a FitSettings,
}

impl<'a> Checkpoints<'a> {
    /// Those of the run itself. A checkpoint of another run is refused.
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

    /// None, for a run that is not saved.
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

    /// A run that has ended by itself needs no checkpoint any more; one whose time was over may go on.
    pub(super) fn end(&self, fitted: &Fitted) {
        let may_go_on = matches!(fitted.report.stop, StopReason::Observer | StopReason::Time);
        if let (Some(path), false) = (self.file, may_go_on) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether two paths lead to the same file, or would.
pub(super) fn is_same(a: Option<&Path>, b: Option<&Path>) -> bool {
    let whole = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_os_string();
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::canonicalize(path)
            .or_else(|_| std::fs::canonicalize(folder).map(|f| f.join(name)))
            .unwrap_or_else(|_| path.into())
    };
    matches!((a, b), (Some(a), Some(b)) if whole(a) == whole(b))
}

/// Why a checkpoint cannot be continued.
pub(super) fn not_resumed(path: Option<&Path>, error: &Error) -> Failure {
    let path = path.unwrap_or(Path::new("")).display();
    Failure::bad_input(match error {
        Error::State(reason) => format!("--resume {path}: this run cannot continue it: {reason}"),
        other => format!("--resume {other}"),
    })
}
