//! What a run will do. Every flag is checked here, before anything is printed or trained; where the size of
//! the network is to be selected, with the smallest network.

use super::checkpoints;
use super::input::Input;
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::output;
use crate::paths::{check_file, check_output, check_standard_output, standard_input};
use onefold::automatic::{Automatic, Choice, Selected};
use onefold::files::check_writable;
use onefold::{Checkpoint, Dataset, FitSettings};
use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};

/// A run whose flags, data and files have passed all checks.
pub(super) struct Plan<'a> {
    pub(super) args: &'a FitArgs,
    pub(super) input: Input,
    /// The checkpoint that it resumes from.
    pub(super) resumed: Option<Checkpoint>,
    /// The settings that are given, and what is selected of the others.
    pub(super) given: Automatic,
    /// Why a part of the report could not be printed.
    pub(super) unprinted: Cell<Option<io::Error>>,
}

impl<'a> Plan<'a> {
    pub(super) fn resolve(args: &'a FitArgs) -> Result<Self, Failure> {
        let input = Input::load(args)?;
        if let (Some(folds), Some(table)) = (args.table.folds, &input.table) {
            table.fold(0, folds, input.seed)?;
        }
        let resumed = checkpoints::load(args)?;
        let mut given = Automatic {
            overrides: args.overrides(),
            metric: args.metric,
            prefer: args.prefer.map(Into::into).unwrap_or_default(),
            effort: None,
        };
        let overrides = &mut given.overrides;
        let seed = args.seed.or_else(|| resumed.as_ref().map(|c| c.settings.method.common.seed));
        overrides.seed = Some(seed.unwrap_or_else(random_seed));
        // The settings of a race are those of its trainings, which all use least squares.
        let training = resumed.as_ref().filter(|checkpoint| checkpoint.selection.is_none());
        overrides.output_layer = overrides.output_layer.or_else(|| training.map(|c| c.settings.output_layer));
        let plan = Self { args, input, resumed, given, unprinted: Cell::new(None) };
        plan.check_selection()?;
        let settings = plan.template(&plan.input.data.train)?;
        plan.check_outputs(&settings)?;
        checkpoints::check_files(args)?;
        Ok(plan)
    }

    /// Refuses flags about a selection where there is none, or where they would change nothing.
    fn check_selection(&self) -> Result<(), Failure> {
        let choice = if self.args.target.is_some() { Choice::Nothing } else { self.choice() };
        let refused = match choice {
            Choice::Nothing if self.args.metric.is_some() => {
                "--metric: nothing is selected by a race here, which takes a file without --target, and without --hidden or --decay"
            }
            Choice::Nothing | Choice::Decay if self.args.prefer.is_some() => {
                "--prefer: no layers are selected by a race here, which takes a file without --target, --hidden and --topology"
            }
            _ => return Ok(()),
        };
        Err(Failure::bad_input(format!("{refused}; leave the flag out")))
    }

    /// Refuses outputs that cannot be written, or that would replace what is read: before the run, not
    /// after it.
    fn check_outputs(&self, settings: &FitSettings) -> Result<(), Failure> {
        let args = self.args;
        let test = args.table.test.as_deref();
        let test = if test == Some(Path::new("-")) { Some(standard_input()) } else { test };
        let inputs = [("the data", self.input.source.file()), ("the test data", test)];
        if let Some(path) = &args.output {
            check_output(path, &inputs)?;
        } else if !args.json {
            let is_free = |path: &PathBuf| std::fs::symlink_metadata(path).is_err();
            let free = super::default_names(self, settings).find(is_free).unwrap_or_default();
            check_writable(&free)
                .map_err(|e| Failure::bad_input(format!("{e}; name another file with --output")))?;
        }
        if let Some(path) = &args.checkpoint {
            check_file("--checkpoint", path, &inputs)?;
        }
        check_standard_output(&[inputs[0], inputs[1], ("the checkpoint", args.resume.as_deref())])
    }

    /// What is to be selected.
    pub(super) fn choice(&self) -> Choice {
        if self.input.builtin().is_some() { Choice::Nothing } else { self.given.choice() }
    }

    /// The network that a selection begins with, where there is one.
    pub(super) fn smallest(&self) -> Option<Selected> {
        if self.input.builtin().is_some() { None } else { self.given.smallest() }
    }

    /// The settings of a run on these rows, with the selected network if there is one.
    pub(super) fn settings(
        &self,
        data: &Dataset,
        selected: Option<&Selected>,
    ) -> Result<FitSettings, Failure> {
        Ok(match self.input.builtin() {
            Some(builtin) => self.given.overrides.for_builtin(builtin, data)?,
            None => self.given.settings(data, selected)?,
        })
    }

    /// The settings with which networks are trained during a selection.
    pub(super) fn template(&self, data: &Dataset) -> Result<FitSettings, Failure> {
        match self.input.builtin() {
            Some(_) => self.settings(data, None),
            None => Ok(self.given.template(data)?),
        }
    }

    /// Prints a part of the report, unless `--json` is given. Where that fails, the run goes on, so that its
    /// model is saved, and fails at its end.
    pub(super) fn print(&self, text: &str) {
        if self.args.json {
            return;
        }
        if let Err(error) = output::print(text) {
            self.unprinted.set(Some(error));
        }
    }
}

/// A random seed with few digits, easy to type again.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(std::process::id()) % 1_000_000
}
