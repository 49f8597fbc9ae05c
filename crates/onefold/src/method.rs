//! Training methods by name, and each with its settings.

mod settings;

pub use settings::MethodSettings;

use crate::{Error, Variant};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A training method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Whatever suits the problem: racing descents by local steps, or CMA-ES with restarts where slopes would take too much memory.
    #[default]
    Auto,
    /// Differential Evolution.
    De,
    /// Differential Evolution with the paper's symmetry breaking.
    DeSb,
    /// CMA-ES.
    CmaEs,
    /// CMA-ES with symmetry breaking.
    CmaEsSb,
    /// CMA-ES, restarted with a doubled population whenever it is finished.
    CmaEsIpop,
    /// CMA-ES, restarted with large and small populations in turn.
    CmaEsBipop,
    /// JADE: Differential Evolution that learns `F` and `CR`, with an archive.
    Jade,
    /// SHADE: as JADE, with a memory of what had success.
    Shade,
    /// L-SHADE: as SHADE, with a population that shrinks.
    LShade,
    /// jSO: as L-SHADE, with schedules for what is learnt.
    Jso,
    /// Random starts, each followed by local steps to its end.
    Multistart,
    /// Racing descents by local steps, half of them from between optima already found, in one fold.
    Hybrid,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Auto,
        Self::De,
        Self::DeSb,
        Self::CmaEs,
        Self::CmaEsSb,
        Self::CmaEsIpop,
        Self::CmaEsBipop,
        Self::Jade,
        Self::Shade,
        Self::LShade,
        Self::Jso,
        Self::Multistart,
        Self::Hybrid,
    ];

    /// Those that are Differential Evolution, and nothing else.
    pub const OF_DE: [Self; 2] = [Self::De, Self::DeSb];

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::De => "de",
            Self::DeSb => "de-sb",
            Self::CmaEs => "cma-es",
            Self::CmaEsSb => "cma-es-sb",
            Self::CmaEsIpop => "cma-es-ipop",
            Self::CmaEsBipop => "cma-es-bipop",
            Self::Jade => "jade",
            Self::Shade => "shade",
            Self::LShade => "l-shade",
            Self::Jso => "jso",
            Self::Multistart => "multistart",
            Self::Hybrid => "hybrid",
        }
    }

    /// What it is, in words.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Auto => "racing local descents",
            Self::De => "Differential Evolution",
            Self::DeSb => "Differential Evolution with symmetry breaking",
            Self::CmaEs => "CMA-ES",
            Self::CmaEsSb => "CMA-ES with symmetry breaking",
            Self::CmaEsIpop => "CMA-ES with restarts of doubled population (IPOP)",
            Self::CmaEsBipop => "CMA-ES with restarts of large and small population (BIPOP)",
            Self::Jade => "adaptive Differential Evolution JADE",
            Self::Shade => "adaptive Differential Evolution SHADE",
            Self::LShade => "adaptive Differential Evolution L-SHADE",
            Self::Jso => "adaptive Differential Evolution jSO",
            Self::Multistart => "local descents from random starts",
            Self::Hybrid => "racing local descents, half of them between known optima",
        }
    }

    /// Whether it is a form of CMA-ES.
    #[must_use]
    pub fn is_cma_es(self) -> bool {
        matches!(self, Self::CmaEs | Self::CmaEsSb | Self::CmaEsIpop | Self::CmaEsBipop)
    }

    /// Whether it goes by local steps.
    #[must_use]
    pub fn is_local(self) -> bool {
        matches!(self, Self::Auto | Self::Multistart | Self::Hybrid)
    }

    /// Whether [`FitSettings::align`](crate::FitSettings::align) has an effect on it.
    #[must_use]
    pub fn breaks_symmetries(self) -> bool {
        matches!(self, Self::DeSb | Self::CmaEsSb) || self.variant().is_some()
    }

    /// Which adaptive Differential Evolution it is, if any.
    #[must_use]
    pub fn variant(self) -> Option<Variant> {
        match self {
            Self::Jade => Some(Variant::Jade),
            Self::Shade => Some(Variant::Shade),
            Self::LShade => Some(Variant::LShade),
            Self::Jso => Some(Variant::Jso),
            _ => None,
        }
    }

    /// The method with the given name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
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
        Self::named(name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|m| m.name()).collect();
            Error::setting("method", format!("\"{name}\""), format!("must be one of {}", names.join(", ")))
        })
    }
}
