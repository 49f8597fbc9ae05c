//! Checkpoints of a run: the file it is saved to, and the state it resumes from.

use super::plan::Plan;
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::output::tell;
use crate::paths::is_same;
use crate::progress::Bar;
use indicatif::ProgressBar;
use onefold::files::WholeFile;
use onefold::model::Intervals;
use onefold::{Checkpoint, Continuation, Error, FitSettings, Fitted, Progress, StopReason, TrainTest};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes written to test for free space.
const TRIED_BYTES: usize = 1 << 16;
/// The state is copied at most for this fraction of the time, so that there is one to save if a generation is
/// cut off.
const FRACTION_FOR_COPIES: u32 = 100;

/// The checkpoint given with `--resume`, if any. One that does not exist is no error if it is the one that
/// `--checkpoint` names: so a command can be repeated until its run has ended.
pub(super) fn load(args: &FitArgs) -> Result<Option<Checkpoint>, Failure> {
    let from = args.resume.as_deref();
    let is_absent = |path: &&Path| {
        std::fs::symlink_metadata(path).is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
    };
    if let Some(path) = from.filter(is_absent) {
        let shown = path.display();
        if is_same(from, args.checkpoint.as_deref()) {
            tell(&format!("note: --resume {shown}: nothing was saved yet; the run starts anew"));
            return Ok(None);
        }
        return Err(Failure::bad_input(format!(
            "--resume {shown}: there is no such file; to start anew where nothing was saved yet, give --checkpoint {shown} as well"
        )));
    }
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
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Err(Failure::bad_input(format!(
            "--checkpoint {}: this is no file; name one",
            path.display()
        )));
    }
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
    every: Duration,
    state: Option<Vec<u8>>,
    name: &'a str,
    data: &'a TrainTest,
    settings: &'a FitSettings,
    /// What the selection found out for the model.
    intervals: Option<&'a Intervals>,
}

impl<'a> Checkpoints<'a> {
    /// The checkpoints of the final training. The checkpoint of a run with other settings is an error.
    pub(super) fn of(
        plan: &'a Plan<'_>,
        settings: &'a FitSettings,
        intervals: Option<&'a Intervals>,
    ) -> Result<Self, Failure> {
        let (name, data) = (plan.input.name.as_str(), &plan.input.data);
        let from = plan.args.resume.as_deref();
        let resumed = plan.resumed.as_ref().filter(|checkpoint| checkpoint.selection.is_none());
        let state = resumed.map(|checkpoint| {
            checkpoint.check(name, data, settings)?;
            checkpoint.state()
        });
        let state = state.transpose().map_err(|e| not_resumed(from, &e))?;
        let file = plan.args.checkpoint.as_deref();
        Ok(Self { file, every: plan.args.checkpoint_every, state, name, data, settings, intervals })
    }

    /// No checkpoints, for the training of a fold.
    pub(super) fn none(name: &'a str, data: &'a TrainTest, settings: &'a FitSettings) -> Self {
        Self { file: None, every: Duration::MAX, state: None, name, data, settings, intervals: None }
    }

    pub(super) fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    /// The state of the run.
    fn made(&self, progress: &Progress<'_>) -> Checkpoint {
        let mut checkpoint = Checkpoint::new(self.name, self.data, self.settings, progress);
        checkpoint.intervals = self.intervals.cloned();
        checkpoint
    }

    /// Saves a run whose progress `bar` shows, and tries at once whether that is possible.
    pub(super) fn keeper(&self, bar: &Bar) -> Keeper<'_> {
        let now = Instant::now();
        Keeper {
            checkpoints: self,
            saved_at: None,
            copy: None,
            copied_at: now,
            next_copy: Duration::ZERO,
            teller: Teller::new(bar.drawn(), self.file),
        }
    }

    /// Deletes the checkpoint of a finished run; one that was interrupted or ran out of time can be resumed.
    pub(super) fn end(&self, fitted: &Fitted) {
        let is_resumable = matches!(fitted.report.stop, StopReason::Observer | StopReason::Time)
            || fitted.continuation.as_ref().is_some_and(Continuation::is_cut_short);
        if let (Some(path), false) = (self.file, is_resumable) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Saves the checkpoints of one run.
pub(super) struct Keeper<'a> {
    checkpoints: &'a Checkpoints<'a>,
    saved_at: Option<Instant>,
    /// A state that is not saved yet.
    copy: Option<Checkpoint>,
    copied_at: Instant,
    /// Time after a copy until the next.
    next_copy: Duration,
    teller: Teller,
}

impl Keeper<'_> {
    /// Saves the run when it is time, and in the first and the last generation.
    pub(super) fn observe(&mut self, progress: &Progress<'_>, is_last: bool) {
        let Checkpoints { file: Some(path), every, .. } = *self.checkpoints else { return };
        let is_due = self.saved_at.is_none_or(|at| at.elapsed() >= every);
        if is_due || is_last {
            let saved = self.checkpoints.made(progress).save(path);
            self.teller.judge(saved);
            (self.saved_at, self.copy) = (Some(Instant::now()), None);
        } else if self.copied_at.elapsed() >= self.next_copy {
            let started = Instant::now();
            self.copy = Some(self.checkpoints.made(progress));
            (self.copied_at, self.next_copy) = (Instant::now(), started.elapsed() * FRACTION_FOR_COPIES);
        }
    }

    /// Saves the last state that was copied, after a run that ended in the middle of a generation.
    pub(super) fn end(&mut self) {
        let Some(path) = self.checkpoints.file else { return };
        match self.copy.take() {
            Some(copy) => self.teller.judge(copy.save(path)),
            None if self.saved_at.is_none() && self.checkpoints.state.is_none() => {
                self.teller.note("note: the run ended in its first generation; there is no checkpoint");
            }
            None => {}
        }
    }
}

/// Tells whether checkpoints can be written, above a progress bar.
pub(super) struct Teller {
    /// The failure that was told last.
    told: Option<String>,
    bar: ProgressBar,
}

impl Teller {
    /// Tries at once whether a checkpoint can be written to the file, if there is one.
    pub(super) fn new(bar: ProgressBar, file: Option<&Path>) -> Self {
        let mut teller = Self { told: None, bar };
        teller.judge(file.map_or(Ok(()), try_out));
        teller
    }

    fn note(&self, text: &str) {
        self.bar.suspend(|| tell(text));
    }

    /// Tells a failure at once, and again when it changes. It does not end the run: its result matters more.
    pub(super) fn judge(&mut self, saved: Result<(), Error>) {
        let failure = saved.err().map(|e| e.to_string());
        if failure != self.told {
            self.note(&match &failure {
                Some(failure) => format!(
                    "warning: the checkpoint cannot be written: {failure}; the run goes on, and this is tried again"
                ),
                None => "note: the checkpoint can be written again".into(),
            });
            self.told = failure;
        }
    }
}

/// Tries whether a checkpoint can be written, without changing anything.
fn try_out(path: &Path) -> Result<(), Error> {
    let mut file = WholeFile::create(path)?;
    let written = file.write_all(&vec![0; TRIED_BYTES]).and_then(|()| file.flush());
    written.map_err(|e| file.failed(&e))
}

/// Why a checkpoint cannot be resumed.
pub(super) fn not_resumed(path: Option<&Path>, error: &Error) -> Failure {
    let path = path.unwrap_or(Path::new("")).display();
    Failure::bad_input(match error {
        Error::State(reason) => format!("--resume {path}: this checkpoint cannot be resumed: {reason}"),
        other => format!("--resume {other}"),
    })
}
