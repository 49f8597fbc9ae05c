//! The description of a method in the registry.

use super::settings::Setup;
use crate::Error;
use crate::optimizer::{CommonSettings, Optimizer};
use crate::symmetry::Alignment;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::any::Any;
use std::fmt::Debug;

/// A method in the registry.
pub(super) trait Entry: Sync + 'static {
    /// The settings that only this kind of method has.
    type Settings: Clone + PartialEq + Debug + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The name in files and on the command line.
    fn name(&self) -> &'static str;

    /// A short description.
    fn description(&self) -> &'static str;

    /// Properties that other parts of the library depend on.
    fn features(&self) -> Features;

    /// Its default settings.
    fn defaults(&self) -> Self::Settings;

    /// Checks every range.
    fn validate(&self, common: &CommonSettings, own: &Self::Settings) -> Result<(), Error>;

    /// Candidates per generation in `dim` dimensions.
    fn population(&self, common: &CommonSettings, own: &Self::Settings, dim: usize) -> usize;

    /// The optimiser that these settings describe.
    fn optimizer(&self, setup: &Setup<'_>, own: &Self::Settings) -> Result<Box<dyn Optimizer>, Error>;

    /// Converts settings written by earlier versions.
    fn migrate(&self, fields: &mut Map<String, Value>) {
        let _ = fields;
    }
}

/// Properties of a method that other parts of the library depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Features {
    /// Default alignment; none for methods without symmetry breaking.
    pub(crate) alignment: Option<Alignment>,
    /// Whether it has a population, which can converge and be kept within bounds.
    pub(crate) has_population: bool,
    /// Whether it minimises functions that are no networks.
    pub(crate) is_for_functions: bool,
    /// Whether its optimiser has a default population for every network.
    pub(crate) has_default_population: bool,
    /// Default of [`Stop::spread`](crate::Stop::spread).
    pub(crate) spread: Option<f64>,
    /// The method of the paper whose populations and budgets are its defaults.
    pub(crate) paper: PaperMethod,
}

/// The methods of the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PaperMethod {
    De,
    DeSb,
    CmaEs,
}

/// The settings of any method, with their type erased.
pub(super) trait AnySettings: Any + Debug + Send + Sync {
    fn clone_boxed(&self) -> Box<dyn AnySettings>;
    fn equals(&self, other: &dyn AnySettings) -> bool;
    fn to_json(&self) -> Value;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<S: Clone + PartialEq + Debug + Serialize + Send + Sync + 'static> AnySettings for S {
    fn clone_boxed(&self) -> Box<dyn AnySettings> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn AnySettings) -> bool {
        other.as_any().downcast_ref::<S>() == Some(self)
    }

    fn to_json(&self) -> Value {
        // Plain structs of numbers and names.
        serde_json::to_value(self).unwrap_or(Value::Null)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// An [`Entry`] with the type of its settings erased, so that one list can contain all of them.
pub(super) trait Registered: Sync {
    fn name(&self) -> &'static str;
    fn description(&self) -> &'static str;
    fn features(&self) -> Features;
    fn defaults(&self) -> Box<dyn AnySettings>;
    fn setting_names(&self) -> Vec<String>;
    fn read(&self, fields: Map<String, Value>) -> Result<Box<dyn AnySettings>, serde_json::Error>;
    fn migrate(&self, fields: &mut Map<String, Value>);
    fn validate(&self, common: &CommonSettings, own: &dyn AnySettings) -> Result<(), Error>;
    fn population(&self, common: &CommonSettings, own: &dyn AnySettings, dim: usize) -> usize;
    fn optimizer(&self, setup: &Setup<'_>, own: &dyn AnySettings) -> Result<Box<dyn Optimizer>, Error>;
}

impl<E: Entry> Registered for E {
    fn name(&self) -> &'static str {
        Entry::name(self)
    }

    fn description(&self) -> &'static str {
        Entry::description(self)
    }

    fn features(&self) -> Features {
        Entry::features(self)
    }

    fn defaults(&self) -> Box<dyn AnySettings> {
        Box::new(Entry::defaults(self))
    }

    fn setting_names(&self) -> Vec<String> {
        let fields = serde_json::to_value(Entry::defaults(self)).unwrap_or(Value::Null);
        fields.as_object().map_or(Vec::new(), |fields| fields.keys().cloned().collect())
    }

    fn read(&self, fields: Map<String, Value>) -> Result<Box<dyn AnySettings>, serde_json::Error> {
        Ok(Box::new(serde_json::from_value::<E::Settings>(Value::Object(fields))?))
    }

    fn migrate(&self, fields: &mut Map<String, Value>) {
        Entry::migrate(self, fields);
    }

    fn validate(&self, common: &CommonSettings, own: &dyn AnySettings) -> Result<(), Error> {
        Entry::validate(self, common, typed::<E>(own))
    }

    fn population(&self, common: &CommonSettings, own: &dyn AnySettings, dim: usize) -> usize {
        Entry::population(self, common, typed::<E>(own), dim)
    }

    fn optimizer(&self, setup: &Setup<'_>, own: &dyn AnySettings) -> Result<Box<dyn Optimizer>, Error> {
        Entry::optimizer(self, setup, typed::<E>(own))
    }
}

fn typed<E: Entry>(own: &dyn AnySettings) -> &E::Settings {
    own.as_any().downcast_ref().expect("MethodSettings keeps a method and its own settings together")
}
