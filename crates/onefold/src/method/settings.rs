//! A method with its settings.

use super::Method;
use super::entry::AnySettings;
use crate::optimizer::{Align, CommonSettings, Optimizer};
use crate::symmetry::Alignment;
use crate::topology::Topology;
use crate::{Error, Stop};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A training method with its settings: those common to all methods, and its own.
///
/// ```
/// use onefold::{DeSettings, Method, MethodSettings};
/// let mut settings = MethodSettings::new(Method::DE_SB);
/// settings.common.seed = 7;
/// settings.own_mut::<DeSettings>().unwrap().crossover_rate = 0.8;
/// ```
#[derive(Debug)]
pub struct MethodSettings {
    method: Method,
    /// The settings that every method has.
    pub common: CommonSettings,
    own: Box<dyn AnySettings>,
}

/// The problem that an optimiser is made for, and the common settings.
#[derive(Clone, Debug)]
pub(crate) struct Setup<'a> {
    /// Number of searched parameters.
    pub(crate) dim: usize,
    /// The network, unless it is a function of the user's.
    pub(crate) network: Option<Network<'a>>,
    /// The settings that every method has.
    pub(crate) common: &'a CommonSettings,
    /// The alignment of methods with symmetry breaking.
    pub(crate) align: Alignment,
    /// The stopping criteria.
    pub(crate) stop: &'a Stop,
}

/// What methods need to know about a network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Network<'a> {
    /// Its topology.
    pub(crate) topology: &'a Topology,
    /// Whether descents use the Gauss-Newton matrix.
    pub(crate) has_cheap_matrix: bool,
    /// Number of training rows.
    pub(crate) rows: usize,
    /// Radius of the sphere outside which the cost has a penalty.
    pub(crate) radius: f64,
}

impl Setup<'_> {
    /// The alignment for networks of this topology; none for functions.
    pub(super) fn build_align(&self) -> Option<Box<dyn Align>> {
        self.align.build(self.network?.topology)
    }
}

impl MethodSettings {
    /// The default settings of a method.
    #[must_use]
    pub fn new(method: Method) -> Self {
        Self { method, common: CommonSettings::default(), own: method.0.defaults() }
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The settings of this kind of method, such as [`DeSettings`](crate::DeSettings); none if it is of
    /// another kind.
    #[must_use]
    pub fn own<S: 'static>(&self) -> Option<&S> {
        self.own.as_any().downcast_ref()
    }

    /// The same, mutable.
    #[must_use]
    pub fn own_mut<S: 'static>(&mut self) -> Option<&mut S> {
        self.own.as_any_mut().downcast_mut()
    }

    /// Sets one of the method's own settings by its name in files.
    ///
    /// # Errors
    /// If the method has no such setting, or the value has the wrong type.
    pub fn set_own(&mut self, name: &'static str, value: Value) -> Result<(), Error> {
        if !self.method.has_setting(name) {
            return Err(Error::NoEffect {
                name,
                method: self.method.name(),
                methods: Method::listed(|method| method.has_setting(name)),
            });
        }
        let shown = value.to_string();
        let mut fields = object(self.own.to_json());
        fields.insert(name.into(), value);
        self.own = self.method.0.read(fields).map_err(|e| Error::setting(name, shown, e.to_string()))?;
        Ok(())
    }

    /// Candidates per generation in `dim` dimensions, with restarts those of the first run; for local
    /// descents, candidates per start.
    #[must_use]
    pub fn population(&self, dim: usize) -> usize {
        self.method.0.population(&self.common, &*self.own, dim)
    }

    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        self.method.0.validate(&self.common, &*self.own)
    }

    /// Checks that points stay within the bounds when alignment flips signs.
    pub(crate) fn check_align(&self, align: Alignment) -> Result<(), Error> {
        let flips = self.method.alignment().is_some() && align != Alignment::None;
        match self.common.bounds {
            Some((low, high)) if flips && low.to_bits() != (-high).to_bits() => {
                let expected = format!(
                    "must be symmetric about 0 with {}, which flips signs unless align is none",
                    self.method
                );
                Err(Error::setting("bounds", format!("{low}..{high}"), expected))
            }
            _ => Ok(()),
        }
    }

    /// The optimiser that these settings describe.
    pub(crate) fn optimizer(&self, setup: &Setup<'_>) -> Result<Box<dyn Optimizer>, Error> {
        self.check_align(setup.align)?;
        self.method.0.optimizer(setup, &*self.own)
    }
}

impl Clone for MethodSettings {
    fn clone(&self) -> Self {
        Self { method: self.method, common: self.common.clone(), own: self.own.clone_boxed() }
    }
}

impl PartialEq for MethodSettings {
    fn eq(&self, other: &Self) -> bool {
        self.method == other.method && self.common == other.common && self.own.equals(&*other.own)
    }
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(fields) = value { fields } else { Map::new() }
}

/// `{"de-sb": {...}}`, with common and own settings side by side.
impl Serialize for MethodSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = object(serde_json::to_value(&self.common).unwrap_or(Value::Null));
        fields.extend(object(self.own.to_json()));
        serializer.collect_map([(self.method.name(), fields)])
    }
}

impl<'de> Deserialize<'de> for MethodSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let named = Map::<String, Value>::deserialize(deserializer)?;
        let mut named = named.into_iter();
        let (Some((name, Value::Object(mut fields))), None) = (named.next(), named.next()) else {
            return Err(D::Error::custom("expected one method with its settings"));
        };
        let method: Method =
            serde_json::from_value(Value::String(name)).map_err(|e| D::Error::custom(e.to_string()))?;
        method.0.migrate(&mut fields);
        let mut common = Map::new();
        for name in ["population", "start", "bounds", "seed"] {
            common.extend(fields.remove(name).map(|value| (name.to_owned(), value)));
        }
        let custom = |e: serde_json::Error| D::Error::custom(e.to_string());
        Ok(Self {
            method,
            common: serde_json::from_value(Value::Object(common)).map_err(custom)?,
            own: method.0.read(fields).map_err(custom)?,
        })
    }
}
