//! The registry of training methods, with their names, help texts, defaults and constructors.
//!
//! A new method is a file with an `Entry` and one line in `METHODS`. Command line, completions, campaign
//! files, figures and the tests of all methods take it from there.

mod adaptive;
mod cma_es;
mod differential_evolution;
mod entry;
mod local;
#[cfg(test)]
mod random_search;
mod settings;

pub use settings::MethodSettings;

pub(crate) use entry::PaperMethod;
pub(crate) use settings::{Network, Setup};

use crate::Error;
use crate::symmetry::Alignment;
use entry::Registered;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// All methods, in the order in which they are listed.
static METHODS: &[&dyn Registered] = &[
    &local::AUTO,
    &differential_evolution::DE,
    &differential_evolution::DE_SB,
    &cma_es::CMA_ES,
    &cma_es::CMA_ES_SB,
    &cma_es::CMA_ES_IPOP,
    &cma_es::CMA_ES_BIPOP,
    &adaptive::JADE,
    &adaptive::SHADE,
    &adaptive::L_SHADE,
    &adaptive::JSO,
    &local::MULTISTART,
    &local::HYBRID,
    #[cfg(test)]
    &random_search::RANDOM_SEARCH,
];

/// A training method.
///
/// ```
/// use onefold::Method;
/// let method: Method = "de-sb".parse()?;
/// assert_eq!(method, Method::DE_SB);
/// for method in Method::all() {
///     println!("{:12} {}", method.name(), method.description());
/// }
/// # Ok::<(), onefold::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Method(&'static dyn Registered);

impl Method {
    /// Local descents with asynchronous successive halving; CMA-ES with restarts if derivatives need too much
    /// memory.
    pub const AUTO: Self = Self(&local::AUTO);
    /// Differential Evolution.
    pub const DE: Self = Self(&differential_evolution::DE);
    /// Differential Evolution with the paper's symmetry breaking.
    pub const DE_SB: Self = Self(&differential_evolution::DE_SB);
    /// CMA-ES.
    pub const CMA_ES: Self = Self(&cma_es::CMA_ES);
    /// CMA-ES with symmetry breaking.
    pub const CMA_ES_SB: Self = Self(&cma_es::CMA_ES_SB);
    /// CMA-ES, restarted with a doubled population whenever it is finished (IPOP).
    pub const CMA_ES_IPOP: Self = Self(&cma_es::CMA_ES_IPOP);
    /// CMA-ES, restarted with large and small populations (BIPOP).
    pub const CMA_ES_BIPOP: Self = Self(&cma_es::CMA_ES_BIPOP);
    /// JADE: Differential Evolution with adaptive `F` and `CR` and an archive.
    pub const JADE: Self = Self(&adaptive::JADE);
    /// SHADE: as JADE, with a memory of successful values.
    pub const SHADE: Self = Self(&adaptive::SHADE);
    /// L-SHADE: as SHADE, with linear population size reduction.
    pub const L_SHADE: Self = Self(&adaptive::L_SHADE);
    /// jSO: as L-SHADE, with schedules for `F`, `CR` and the fraction of best individuals.
    pub const JSO: Self = Self(&adaptive::JSO);
    /// Multistart: complete local descents from random starts.
    pub const MULTISTART: Self = Self(&local::MULTISTART);
    /// Local descents with asynchronous successive halving, half of them started between known optima.
    pub const HYBRID: Self = Self(&local::HYBRID);

    /// All methods, in the order in which they are listed.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        METHODS.iter().map(|entry| Self(*entry))
    }

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// A short description.
    #[must_use]
    pub fn description(self) -> &'static str {
        self.0.description()
    }

    /// Default alignment; none for methods without symmetry breaking.
    #[must_use]
    pub fn alignment(self) -> Option<Alignment> {
        self.0.features().alignment
    }

    /// Whether it has a population, which can converge and be kept within bounds; local descents have none.
    #[must_use]
    pub fn has_population(self) -> bool {
        self.0.features().has_population
    }

    /// Whether it minimises functions that are no networks: it needs neither derivatives nor symmetries.
    #[must_use]
    pub fn is_for_functions(self) -> bool {
        self.0.features().is_for_functions
    }

    /// Whether the setting with this name is one of its own.
    #[must_use]
    pub fn has_setting(self, name: &str) -> bool {
        self.0.setting_names().iter().any(|own| own == name)
    }

    /// The names of the methods that this holds for, as one phrase.
    pub(crate) fn listed(holds: impl Fn(Self) -> bool) -> String {
        let names: Vec<_> = Self::all().filter(|method| holds(*method)).map(Self::name).collect();
        match names.as_slice() {
            [] => "no method".into(),
            [one] => (*one).into(),
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
        }
    }

    pub(crate) fn features(self) -> entry::Features {
        self.0.features()
    }
}

impl Default for Method {
    fn default() -> Self {
        Self::AUTO
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Method {}

impl Hash for Method {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::all().find(|method| method.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(Self::name).collect();
            Error::setting("method", format!("\"{name}\""), format!("must be one of {}", names.join(", ")))
        })
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(|_| {
            let names: Vec<_> = Self::all().map(|method| format!("`{method}`")).collect();
            serde::de::Error::custom(format!("unknown method `{name}`, expected one of {}", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests;
