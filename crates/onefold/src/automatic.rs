//! How rows of your own are fitted where layers or decay are left open: what is selected, and how the
//! selected network is trained. The command and the Python package share it.

mod fitting;

pub use fitting::{AutomaticFit, AutomaticProgress};

use crate::model_selection::{Metric, Preference, Selection, SelectionSettings, Start};
use crate::optimizer::LocalSettings;
use crate::settings::OutputLayer;
use crate::{Dataset, Error, FitSettings, Overrides, Topology};
use std::time::Duration;

/// Patience of the final training without a threshold: descents in a row without improvement.
const PATIENCE: u64 = 20;
/// Patience with a threshold, in the selection as well as in the final training.
const PATIENCE_WITH_THRESHOLD: u64 = 50;
/// Effort where only the decay is to be selected, in seconds on one core.
const EFFORT_FOR_DECAY: f64 = 4.0;
/// Of the time of a selection, so much is planned with. A machine that is slower than the one that efforts
/// were counted on has at least the rungs that come first in it, which are planned with less than half.
const FRACTION_OF_TIME: f64 = 1.0;
/// Repetitions of the cross-validation with a time limit, as long as the race is undecided.
const REPEATS_WITH_TIME: usize = 20;

/// Fraction of a time limit that is for the selection as long as it is undecided. The race has at most a
/// sample of many rows, and the training on all of them needs more time than one in the race.
const FOR_SELECTION: [f64; 2] = [0.8, 0.5];
const MANY_ROWS: usize = 20_000;

/// The part of the time of a selection and a training on so many rows that is for the selection.
#[must_use]
pub fn time_for_selection(time: Duration, rows: usize) -> Duration {
    time.mul_f64(FOR_SELECTION[usize::from(rows > MANY_ROWS)])
}

/// What there is to select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Layers and decay are given.
    Nothing,
    /// The decay of a given network.
    Decay,
    /// The layers, and their decay.
    Network,
}

/// What a user gives for rows of their own; what is left open is selected.
///
/// ```
/// use onefold::automatic::{Automatic, Choice};
/// use onefold::Overrides;
/// let given = |text: &str| {
///     let overrides: Overrides = serde_json::from_str(text).unwrap();
///     Automatic { overrides, ..Default::default() }
/// };
/// assert_eq!(given("{}").choice(), Choice::Network);
/// assert_eq!(given(r#"{"hidden": 8}"#).choice(), Choice::Decay);
/// assert_eq!(given(r#"{"hidden": 8, "decay": 1e-3}"#).choice(), Choice::Nothing);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Automatic {
    /// The settings of training.
    pub overrides: Overrides,
    /// What networks are compared by. Default the log loss for a classification, otherwise the squared error.
    pub metric: Option<Metric>,
    /// What is preferred. Default the smallest network that is no worse than the best.
    pub prefer: Preference,
    /// Effort of the selection, see [`SelectionSettings::effort`]. Default that of the selection.
    pub effort: Option<f64>,
}

/// A selected network.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// The hidden layers as text; with `+linear` they have a linear part.
    pub hidden: String,
    /// The L2 penalty.
    pub decay: f64,
    /// How the output layer is solved, if that was selected.
    pub output_layer: Option<OutputLayer>,
    /// What the scores of classes are divided by.
    pub temperature: f64,
    /// What its training begins with.
    pub start: Option<Start>,
}

impl From<&Selection> for Selected {
    fn from(selection: &Selection) -> Self {
        let (hidden, decay, start) =
            (selection.topology.hidden_text(), selection.decay, selection.start.clone());
        let output_layer = Some(selection.output_layer);
        Self { hidden, decay, output_layer, temperature: selection.temperature, start }
    }
}

impl From<&FitSettings> for Selected {
    /// The network in the settings of a resumed training.
    fn from(settings: &FitSettings) -> Self {
        let (hidden, decay) = (settings.topology.hidden_text(), settings.cost.decay);
        let output_layer = Some(settings.output_layer);
        Self { hidden, decay, output_layer, temperature: settings.temperature, start: None }
    }
}

impl Selected {
    /// Sets the penalty, the temperature unless it is given, and what differs in training after a selection:
    /// a longer patience.
    fn apply(&self, s: &mut FitSettings, choice: Choice, has_temperature: bool) {
        s.cost.decay = self.decay;
        if s.output_layer.has_probabilities() && !has_temperature {
            s.temperature = self.temperature;
        }
        s.stop.max_seconds = s.stop.max_seconds.map(|seconds| seconds / 2.0);
        let is_by_matrix = s.method.own::<LocalSettings>().is_some_and(|local| local.max_steps <= 300);
        if let Some(local) = s.method.own_mut::<LocalSettings>().filter(|_| choice == Choice::Network) {
            if is_by_matrix {
                local.patience = Some(PATIENCE);
            }
            local.patience_with_threshold = Some(PATIENCE_WITH_THRESHOLD);
        }
    }
}

impl Automatic {
    /// What is to be selected.
    #[must_use]
    pub fn choice(&self) -> Choice {
        let Overrides { hidden, topology, decay, target, .. } = &self.overrides;
        let is_given = hidden.is_some() || topology.is_some();
        // Of a constant answer nothing is penalised.
        let is_constant = self.given_layers().as_deref() == Some("none");
        if !is_given {
            Choice::Network
        } else if decay.is_none() && target.is_none() && !is_constant {
            Choice::Decay
        } else {
            Choice::Nothing
        }
    }

    /// The hidden layers that are given, as text.
    #[must_use]
    pub fn given_layers(&self) -> Option<String> {
        let Overrides { hidden, topology, linear_part, .. } = &self.overrides;
        let layers = |topology: &String| Some(topology.parse::<Topology>().ok()?.hidden_text());
        let given = hidden.clone().or_else(|| topology.as_ref().and_then(layers));
        let has_linear_part = *linear_part == Some(true);
        given.map(|text| if has_linear_part && !text.ends_with("+linear") { text + "+linear" } else { text })
    }

    /// The network that a selection begins with, where there is one.
    #[must_use]
    pub fn smallest(&self) -> Option<Selected> {
        let hidden = self.given_layers().unwrap_or_else(|| "1".into());
        let decay = self.overrides.decay.unwrap_or(0.0);
        (self.choice() != Choice::Nothing).then_some(Selected {
            hidden,
            decay,
            output_layer: None,
            temperature: 1.0,
            start: None,
        })
    }

    /// How the output layer is solved where the user does not say it: for classes as it was selected,
    /// otherwise by logistic regression, unless there is a threshold of least squares.
    fn default_output_layer(&self, data: &Dataset, selected: Option<&Selected>) -> Option<OutputLayer> {
        let selected = selected.and_then(|selected| selected.output_layer);
        (data.classification && self.overrides.target.is_none())
            .then_some(selected.unwrap_or(OutputLayer::Logistic))
    }

    /// The settings of training on these rows, with the selected network if there is one. The output layer of
    /// a classification gives probabilities, unless the overrides say otherwise or there is a threshold.
    ///
    /// # Errors
    /// As [`Overrides::for_data`].
    pub fn settings(&self, data: &Dataset, selected: Option<&Selected>) -> Result<FitSettings, Error> {
        let mut overrides = self.overrides.clone();
        if let Some(selected) = selected.filter(|_| self.choice() == Choice::Network) {
            overrides.hidden = Some(selected.hidden.clone());
            overrides.linear_part = None;
        }
        overrides.output_layer = overrides.output_layer.or_else(|| self.default_output_layer(data, selected));
        let mut settings = overrides.for_data(data)?;
        if let Some(selected) = selected {
            selected.apply(&mut settings, self.choice(), self.overrides.temperature.is_some());
        }
        Ok(settings)
    }

    /// The settings with which networks are trained during a selection.
    ///
    /// # Errors
    /// As [`settings`](Self::settings).
    pub fn template(&self, data: &Dataset) -> Result<FitSettings, Error> {
        let template = self.settings(data, self.smallest().as_ref())?;
        // Networks are trained by what the search minimises; a race computes probabilities by itself.
        Ok(FitSettings { output_layer: OutputLayer::LeastSquares, temperature: 1.0, ..template })
    }

    /// The settings of the selection, which may take this time, if there is a limit.
    #[must_use]
    pub fn selection_settings(&self, time: Option<Duration>) -> SelectionSettings {
        let Overrides { linear_part, decay, output_layer, threads, .. } = self.overrides;
        let threads = threads.unwrap_or(0);
        let default = SelectionSettings::default();
        let cores =
            if threads == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { threads };
        let time = time.map(|time| time.as_secs_f64() * cores as f64 * FRACTION_OF_TIME);
        // Without a penalty there may be no minimum of the cross-entropy.
        let positive = |decay: f64| if decay > 0.0 { vec![decay] } else { Vec::new() };
        let of_decay = (self.choice() == Choice::Decay).then_some(EFFORT_FOR_DECAY);
        SelectionSettings {
            metric: self.metric,
            prefer: self.prefer,
            hidden: self.given_layers(),
            linear_part,
            decays: decay.map_or(default.decays, |decay| vec![decay]),
            cross_entropy_decays: decay.map_or(default.cross_entropy_decays, positive),
            output_layer: output_layer.or(default.output_layer),
            patience_for_threshold: PATIENCE_WITH_THRESHOLD,
            repeats: if self.overrides.time.is_some() { REPEATS_WITH_TIME } else { default.repeats },
            effort: time.map(|time| time.max(0.01)).or(self.effort).or(of_decay),
            threads,
            ..SelectionSettings::default()
        }
    }
}
