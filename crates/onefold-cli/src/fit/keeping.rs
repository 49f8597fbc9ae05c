//! Checkpoints of a run: where it is saved, and where it continues from.

use crate::args::FitArgs;
use crate::failure::Failure;
use onefold::{Checkpoint, Error, FitSettings, Fitted, Progress, StopReason, TrainTest};
use std::path::Path;
use std::time::Duration;

/// Where the run is saved on its way, and where it continues from.
pub(super) struct Keeping<'a> {
    file: Option<&'a Path>,
    pub(super) every: Duration,
    pub(super) from: Option<&'a Path>,
    pub(super) state: Option<Vec<u8>>,
    name: &'a str,
    data: &'a TrainTest,
    settings: &'a FitSettings,
}

impl<'a> Keeping<'a> {
    pub(super) fn prepare(
        args: &'a FitArgs,
        name: &'a str,
        data: &'a TrainTest,
        settings: &'a FitSettings,
        resumed: Option<&Checkpoint>,
        output: Option<&Path>,
    ) -> Result<Self, Failure> {
        if args.resume.is_some() && is_same(args.resume.as_deref(), output) {
            return Err(Failure::bad_input(
                "--resume and --output name the same file; the model needs another one",
            ));
        }
        let file = args.checkpoint.as_deref();
        if let Some(path) = file {
            onefold::check_writable(path).map_err(|e| Failure::bad_input(format!("--checkpoint {e}")))?;
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
                    Err(_) => {
                        format!("--checkpoint {shown}: this file exists and is no checkpoint; name another")
                    }
                }));
            }
        }
        let from = args.resume.as_deref();
        let state = match resumed {
            Some(checkpoint) => {
                checkpoint.check(name, data, settings).map_err(|e| not_resumed(from, &e))?;
                Some(checkpoint.state().map_err(|e| not_resumed(from, &e))?)
            }
            None => None,
        };
        Ok(Self { file, every: args.checkpoint_every, from, state, name, data, settings })
    }

    /// A run that is not kept.
    pub(super) fn nowhere(name: &'a str, data: &'a TrainTest, settings: &'a FitSettings) -> Self {
        Self { file: None, every: Duration::MAX, from: None, state: None, name, data, settings }
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
fn is_same(a: Option<&Path>, b: Option<&Path>) -> bool {
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
