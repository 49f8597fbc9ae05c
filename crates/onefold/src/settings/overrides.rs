//! The settings given by a user: the common schema of flags and campaign cells.

use super::values::{Interval, count, number, number_or_text, size};
use super::{FitSettings, OutputLayer};
use crate::data::{Builtin, Dataset, Scaling, TargetScaling};
use crate::error::Error;
use crate::method::{Method, MethodSettings};
use crate::objective::Radius;
use crate::optimizer::{CmaPreset, Covariance, Crossover, Mutation, Reference, Weight};
use crate::search::Stop;
use crate::symmetry::Alignment;
use crate::topology::Topology;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The settings of a training run given by a user; the others keep their defaults.
///
/// Flags of the command line have the same names with dashes, keys of campaign cells have the same names.
///
/// ```
/// use onefold::{Builtin, Method, Overrides};
/// let overrides = Overrides { method: Some(Method::DE_SB), population: Some(60), ..Default::default() };
/// let data = Builtin::Sinc.load(&Default::default())?;
/// let settings = overrides.for_builtin(Builtin::Sinc, &data.train)?;
/// assert_eq!(settings.population(), 60);
/// let wrong = Overrides { sigma: Some(0.3), ..overrides };
/// let error = wrong.for_builtin(Builtin::Sinc, &data.train).unwrap_err();
/// assert!(error.to_string().starts_with("sigma is for cma-es"));
/// # Ok::<(), onefold::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Overrides {
    /// Widths of the hidden layers, such as `5` or `3-1-3`, or `none`; `5+linear` has a linear part. Default
    /// the first network that the paper lists for the data set; required for your own data.
    #[serde(deserialize_with = "number_or_text")]
    pub hidden: Option<String>,
    /// All layers, such as `1-5-1`, instead of the hidden ones.
    pub topology: Option<String>,
    /// Whether there is a linear part: weights from each input to each output, solved by least squares
    /// together with the output weights. Default no, as in the paper.
    pub linear_part: Option<bool>,
    /// Whether each output has a bias. Default no, as in the paper; for your own data yes.
    pub output_bias: Option<bool>,

    /// How the output layer of a classification is solved after the search. Default least squares.
    pub output_layer: Option<OutputLayer>,
    /// What the scores of a logistic output layer are divided by. Default 1.
    #[serde(deserialize_with = "number")]
    pub temperature: Option<f64>,

    /// Training method. Default [`Method::AUTO`].
    pub method: Option<Method>,
    /// Candidates per generation; with local descents, candidates per start. Default the paper's, or the
    /// method's.
    #[serde(deserialize_with = "size")]
    pub population: Option<usize>,
    /// Seed of the search. Default 0.
    #[serde(deserialize_with = "count")]
    pub seed: Option<u64>,
    /// Interval from which the initial population or mean is drawn. Default -1..1.
    pub start: Option<Interval>,
    /// Interval that no parameter may leave; only for methods with a population. Default none.
    pub bounds: Option<Interval>,
    /// Kind of alignment; only for methods with symmetry breaking. Default the method's.
    pub align: Option<Alignment>,
    /// Worker threads, 0 for one per core. Default 1 for built-in sets and trials of a campaign, otherwise
    /// 0. The result does not depend on it.
    #[serde(deserialize_with = "size")]
    pub threads: Option<usize>,

    /// Reference that individuals are aligned to. Only `de` and `de-sb`; default the best.
    #[serde(alias = "reference")]
    pub align_to: Option<Reference>,
    /// Mutation strategy. Only `de` and `de-sb`; default `rand1`.
    pub mutation: Option<Mutation>,
    /// Weight `F` of difference vectors, a number or an interval. Only `de` and `de-sb`; default 0.5.
    pub weight: Option<Interval>,
    /// How often a weight is drawn from its interval. Only with an interval; default once per generation.
    pub dither: Option<Dither>,
    /// Crossover of parent and mutant. Only `de` and `de-sb`; default binomial.
    pub crossover: Option<Crossover>,
    /// Probability that a coordinate comes from the mutant. Only `de` and `de-sb`; default 0.9.
    #[serde(deserialize_with = "number")]
    pub crossover_rate: Option<f64>,

    /// Initial step size. Only forms of CMA-ES; default 0.5.
    #[serde(deserialize_with = "number")]
    pub sigma: Option<f64>,
    /// Strategy constants and termination criteria. Only forms of CMA-ES; default `reference`.
    pub preset: Option<CmaPreset>,
    /// Form of the covariance matrix. Only forms of CMA-ES; default full.
    pub covariance: Option<Covariance>,

    /// Stop when the mean squared error is at most this, in the units of the data. Default the paper's
    /// threshold; for your own data none.
    #[serde(deserialize_with = "number")]
    pub target: Option<f64>,
    /// Maximum number of evaluated networks. Default 20 times the paper's mean, otherwise 1e8; for your own
    /// data 1e7; at least 1000 generations.
    #[serde(deserialize_with = "count")]
    pub max_evaluations: Option<u64>,
    /// Stop after this many generations. Default none.
    #[serde(deserialize_with = "count")]
    pub max_generations: Option<u64>,
    /// Stop after this many seconds. Default none.
    #[serde(deserialize_with = "number")]
    pub time: Option<f64>,
    /// Stop after this many generations without improvement. Default none.
    #[serde(deserialize_with = "count")]
    pub stagnation: Option<u64>,
    /// Stop when no cost of the population exceeds the best by more than this fraction; only for methods with
    /// a population. Default 1e-9 with `de` and `de-sb`.
    #[serde(deserialize_with = "number")]
    pub spread: Option<f64>,

    /// Penalty per unit of distance outside the sphere. Default 50.
    #[serde(deserialize_with = "number")]
    pub penalty_weight: Option<f64>,
    /// Radius of the sphere. Default the square root of the dimension.
    #[serde(deserialize_with = "number_or_text")]
    pub penalty_radius: Option<Radius>,
    /// L2 penalty on all weights except output biases. Default 0.
    #[serde(deserialize_with = "number")]
    pub decay: Option<f64>,
    /// A hidden output is dropped when no more than this fraction of its squared norm is left after
    /// projecting out the others. Default 1e-13.
    #[serde(deserialize_with = "number")]
    pub rank_tolerance: Option<f64>,

    /// Scaling of the inputs, estimated from the training rows. Default none; for your own data standard.
    #[serde(deserialize_with = "number_or_text")]
    pub scaling: Option<Scaling>,
    /// Scaling of the target of a regression, estimated from the training rows and reversed by the model.
    /// Default none; for your own data standard.
    pub target_scaling: Option<TargetScaling>,
}

/// How often a weight is drawn from its interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dither {
    /// Once per generation.
    Generation,
    /// Once per trial vector.
    Trial,
}

impl Overrides {
    /// The names of all options.
    #[must_use]
    pub fn names() -> Vec<String> {
        let fields = serde_json::to_value(Self::default()).unwrap_or(Value::Null);
        fields.as_object().map_or(Vec::new(), |fields| fields.keys().cloned().collect())
    }

    /// The paper's settings for a built-in set, with these overrides; `data` are its training rows.
    ///
    /// # Errors
    /// If an option is out of range, has no effect with the method, or does not fit the data.
    pub fn for_builtin(&self, builtin: Builtin, data: &Dataset) -> Result<FitSettings, Error> {
        if self.output_layer.is_some_and(OutputLayer::has_probabilities) {
            // Built-in sets have a threshold.
            let data = format!("the built-in {builtin}");
            return Err(Error::NoEffectOnData { name: "output_layer", only: "files", data });
        }
        let hidden = self.hidden_layers(data, Some(builtin.default_hidden()))?;
        let mut settings =
            FitSettings::for_builtin(builtin, hidden.as_deref(), self.method.unwrap_or_default())?;
        self.complete(&mut settings, data)?;
        Ok(settings)
    }

    /// The settings for your own data, with these overrides; `data` are its training rows.
    ///
    /// # Errors
    /// As [`for_builtin`](Self::for_builtin), and if no hidden layers are given.
    pub fn for_data(&self, data: &Dataset) -> Result<FitSettings, Error> {
        let hidden = self.hidden_layers(data, None)?.unwrap_or_default();
        let mut settings = FitSettings::for_data(data, &hidden, self.method.unwrap_or_default())?;
        settings.cost.threads = 0;
        self.complete(&mut settings, data)?;
        Ok(settings)
    }

    /// Applies these overrides, and raises a default budget to at least 1000 generations.
    fn complete(&self, settings: &mut FitSettings, data: &Dataset) -> Result<(), Error> {
        self.set(settings)?;
        settings.check_output_layer(data)?;
        if self.max_evaluations.is_none() {
            let least = (settings.population() as u64).saturating_mul(1000);
            settings.stop.max_evaluations = settings.stop.max_evaluations.map(|n| n.max(least));
        }
        settings.validate()
    }

    /// Hidden layers and linear part as text, for [`FitSettings::for_builtin`] and [`FitSettings::for_data`].
    /// `default` are the hidden layers that get a linear part where none are given.
    ///
    /// # Errors
    /// If a complete topology does not fit the data, or the text has a linear part and there must be none.
    pub fn hidden_layers(&self, data: &Dataset, default: Option<&str>) -> Result<Option<String>, Error> {
        let Some(text) = &self.topology else {
            let default = default.filter(|_| self.linear_part == Some(true));
            let hidden = self.hidden.as_deref().or(default);
            return hidden.map(|hidden| self.with_linear_part(hidden.into())).transpose();
        };
        if let Some(hidden) = &self.hidden {
            return Err(Error::setting("hidden", hidden, "must be left out where topology is given"));
        }
        let topology: Topology = text.parse()?;
        topology.check_fits(data.inputs.len(), data.outputs.len())?;
        self.with_linear_part(topology.hidden_text()).map(Some)
    }

    /// These hidden layers with the linear part that is given.
    fn with_linear_part(&self, hidden: String) -> Result<String, Error> {
        match (self.linear_part, hidden.contains('+')) {
            (Some(true), false) => Ok(hidden + "+linear"),
            (Some(false), true) => {
                let expected = format!("the network {hidden} has a linear part; leave one of both out");
                Err(Error::setting("linear_part", "no", expected))
            }
            _ => Ok(hidden),
        }
    }

    /// Applies these overrides and checks every range. An option without effect with the method is an error.
    ///
    /// Data, method and hidden layers stay those that `settings` were made for.
    ///
    /// # Errors
    /// Names the first option that is out of range or has no effect.
    pub fn apply(&self, settings: &mut FitSettings) -> Result<(), Error> {
        self.set(settings)?;
        settings.validate()
    }

    fn set(&self, settings: &mut FitSettings) -> Result<(), Error> {
        self.set_method(&mut settings.method, &mut settings.align)?;
        self.set_stop(&mut settings.stop);
        let FitSettings { cost, scaling, target_scaling, output_layer, temperature, .. } = settings;
        set(&mut cost.threads, self.threads);
        set(&mut cost.output_bias, self.output_bias);
        set(&mut cost.penalty_weight, self.penalty_weight);
        set(&mut cost.penalty_radius, self.penalty_radius);
        set(&mut cost.rank_tolerance, self.rank_tolerance);
        set(&mut cost.decay, self.decay);
        set(scaling, self.scaling);
        set(target_scaling, self.target_scaling);
        set(output_layer, self.output_layer);
        set(temperature, self.temperature);
        Ok(())
    }

    pub(super) fn set_stop(&self, stop: &mut Stop) {
        stop.threshold = self.target.or(stop.threshold);
        stop.max_evaluations = self.max_evaluations.or(stop.max_evaluations);
        stop.max_generations = self.max_generations.or(stop.max_generations);
        stop.max_seconds = self.time.or(stop.max_seconds);
        stop.stagnation = self.stagnation.or(stop.stagnation);
        stop.spread = self.spread.or(stop.spread);
    }

    pub(super) fn set_method(
        &self,
        settings: &mut MethodSettings,
        alignment: &mut Alignment,
    ) -> Result<(), Error> {
        let method = settings.method();
        if !method.has_population() {
            refuse("bounds", self.bounds.is_some(), method, Method::has_population)?;
            refuse("spread", self.spread.is_some(), method, Method::has_population)?;
        }
        if let Some(align) = self.align {
            let breaks_symmetries = |method: Method| method.alignment().is_some();
            refuse("align", !breaks_symmetries(method), method, breaks_symmetries)?;
            *alignment = align;
        }
        let common = &mut settings.common;
        common.population = self.population.or(common.population);
        set(&mut common.seed, self.seed);
        set(&mut common.start, self.start.map(Into::into));
        common.bounds = self.bounds.map(Into::into).or(common.bounds);
        let given = [
            ("align_to", self.align_to.map(|v| json!(v))),
            ("mutation", self.mutation.map(|v| json!(v))),
            ("weight", self.weight()?.map(|v| json!(v))),
            ("crossover", self.crossover.map(|v| json!(v))),
            ("crossover_rate", self.crossover_rate.map(|v| json!(v))),
            ("sigma", self.sigma.map(|v| json!(v))),
            ("preset", self.preset.map(|v| json!(v))),
            ("covariance", self.covariance.map(|v| json!(v))),
        ];
        for (name, value) in given {
            if let Some(value) = value {
                settings.set_own(name, value)?;
            }
        }
        Ok(())
    }

    fn weight(&self) -> Result<Option<Weight>, Error> {
        let interval = self.weight.filter(|Interval { low, high }| low.to_bits() != high.to_bits());
        Ok(match (interval, self.dither) {
            (Some(Interval { low, high }), None | Some(Dither::Generation)) => {
                Some(Weight::DitherGeneration(low, high))
            }
            (Some(Interval { low, high }), Some(Dither::Trial)) => Some(Weight::DitherTrial(low, high)),
            (None, Some(dither)) => {
                let value = json!(dither).as_str().unwrap_or_default().to_owned();
                return Err(Error::setting("dither", value, "needs a weight LOW..HIGH to draw from"));
            }
            (None, None) => self.weight.map(|weight| Weight::Fixed(weight.low)),
        })
    }
}

fn set<T>(field: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *field = value;
    }
}

/// Returns an error if an option without effect with the method is given.
fn refuse(
    name: &'static str,
    given: bool,
    method: Method,
    has_effect: impl Fn(Method) -> bool,
) -> Result<(), Error> {
    if given {
        let methods = Method::listed(has_effect);
        return Err(Error::NoEffect { name, method: method.name(), methods });
    }
    Ok(())
}
