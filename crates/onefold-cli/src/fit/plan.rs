//! What a run will do. Every flag is checked here, before anything is printed or trained; where the size of
//! the network is to be selected, with the smallest network.

use super::checkpoints;
use super::input::Input;
use super::selection::{Choice, Selected};
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::output;
use crate::paths::{check_file, check_output, check_standard_output, standard_input};
use onefold::files::check_writable;
use onefold::settings::OutputLayer;
use onefold::{Checkpoint, Dataset, FitSettings, Overrides, Topology};
use std::path::{Path, PathBuf};

/// A run whose flags, data and files have passed all checks.
pub(super) struct Plan<'a> {
    pub(super) args: &'a FitArgs,
    pub(super) input: Input,
    /// The checkpoint that it resumes from.
    pub(super) resumed: Option<Checkpoint>,
    overrides: Overrides,
}

impl<'a> Plan<'a> {
    pub(super) fn resolve(args: &'a FitArgs) -> Result<Self, Failure> {
        let input = Input::load(args)?;
        if let (Some(folds), Some(table)) = (args.table.folds, &input.table) {
            table.fold(0, folds, input.seed)?;
        }
        let resumed = checkpoints::load(args)?;
        let mut overrides = args.overrides();
        let seed = args.seed.or_else(|| resumed.as_ref().map(|c| c.settings.method.common.seed));
        overrides.seed = Some(seed.unwrap_or_else(random_seed));
        overrides.output_layer = overrides
            .output_layer
            .or_else(|| resumed.as_ref().map(|c| c.settings.output_layer))
            .or_else(|| default_output_layer(args, &input));
        let plan = Self { args, input, resumed, overrides };
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
        let is_given = self.args.hidden.is_some() || self.args.topology.is_some();
        if self.input.builtin().is_some() {
            Choice::Nothing
        } else if !is_given {
            Choice::Network
        } else if self.args.decay.is_none() && self.args.target.is_none() && !self.is_constant() {
            Choice::Decay
        } else {
            Choice::Nothing
        }
    }

    /// Whether a constant answer is given, of which nothing is penalised.
    fn is_constant(&self) -> bool {
        self.given_layers().as_deref() == Some("none")
    }

    /// The hidden layers that are given, as text.
    pub(super) fn given_layers(&self) -> Option<String> {
        let layers = |topology: &String| Some(topology.parse::<Topology>().ok()?.hidden_text());
        let given = self.args.hidden.clone().or_else(|| self.args.topology.as_ref().and_then(layers));
        let has_linear_part = self.args.linear_part == Some(true);
        given.map(|text| if has_linear_part && !text.ends_with("+linear") { text + "+linear" } else { text })
    }

    /// The network that a selection begins with, where there is one.
    pub(super) fn smallest(&self) -> Option<Selected> {
        let hidden = self.given_layers().unwrap_or_else(|| "1".into());
        (self.choice() != Choice::Nothing).then(|| Selected::smallest(hidden, self.overrides.decay))
    }

    /// The settings of a run on these rows, with the selected network if there is one.
    pub(super) fn settings(
        &self,
        data: &Dataset,
        selected: Option<&Selected>,
    ) -> Result<FitSettings, Failure> {
        let mut overrides = self.overrides.clone();
        if let Some(selected) = selected.filter(|_| self.choice() == Choice::Network) {
            overrides.hidden = Some(selected.hidden.clone());
            overrides.linear_part = None;
        }
        let mut s = match self.input.builtin() {
            Some(builtin) => overrides.for_builtin(builtin, data)?,
            None => overrides.for_data(data)?,
        };
        if let Some(selected) = selected {
            selected.apply(&mut s, self.choice(), self.overrides.temperature.is_some());
        }
        Ok(s)
    }

    /// The settings with which networks are trained during a selection.
    pub(super) fn template(&self, data: &Dataset) -> Result<FitSettings, Failure> {
        let template = self.settings(data, self.smallest().as_ref())?;
        // Networks are trained by what the search minimises; a race computes probabilities by itself.
        Ok(FitSettings { output_layer: OutputLayer::LeastSquares, temperature: 1.0, ..template })
    }

    /// Prints a part of the report, unless `--json` is given.
    pub(super) fn print(&self, text: &str) -> Result<(), Failure> {
        if self.args.json { Ok(()) } else { Ok(output::print(text)?) }
    }
}

/// How the output layer is solved where no flag says it.
fn default_output_layer(args: &FitArgs, input: &Input) -> Option<OutputLayer> {
    let has_probabilities =
        input.builtin().is_none() && input.data.train.classification && args.target.is_none();
    has_probabilities.then_some(OutputLayer::Logistic)
}

/// A random seed with few digits, easy to type again.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(std::process::id()) % 1_000_000
}
