//! Training methods by name, and each with its settings.

use crate::{
    Alignment, CmaEs, CmaSettings, DeSettings, DifferentialEvolution, Error, Optimizer, RestartRule,
    Restarts, Topology,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A training method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Differential Evolution.
    De,
    /// Differential Evolution with the paper's symmetry breaking.
    #[default]
    DeSb,
    /// CMA-ES.
    CmaEs,
    /// CMA-ES, restarted with a doubled population whenever it is finished.
    CmaEsIpop,
    /// CMA-ES, restarted with large and small populations in turn.
    CmaEsBipop,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::De, Self::DeSb, Self::CmaEs, Self::CmaEsIpop, Self::CmaEsBipop];

    /// Those that are Differential Evolution, and nothing else.
    pub const OF_DE: [Self; 2] = [Self::De, Self::DeSb];

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::De => "de",
            Self::DeSb => "de-sb",
            Self::CmaEs => "cma-es",
            Self::CmaEsIpop => "cma-es-ipop",
            Self::CmaEsBipop => "cma-es-bipop",
        }
    }

    /// What it is, in words.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::De => "Differential Evolution",
            Self::DeSb => "Differential Evolution with symmetry breaking",
            Self::CmaEs => "CMA-ES",
            Self::CmaEsIpop => "CMA-ES with restarts of doubled population (IPOP)",
            Self::CmaEsBipop => "CMA-ES with restarts of large and small population (BIPOP)",
        }
    }

    /// Whether it is a form of CMA-ES.
    #[must_use]
    pub fn is_cma_es(self) -> bool {
        matches!(self, Self::CmaEs | Self::CmaEsIpop | Self::CmaEsBipop)
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

/// A training method with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodSettings {
    /// See [`Method::De`].
    De(DeSettings),
    /// See [`Method::DeSb`].
    DeSb(DeSettings),
    /// See [`Method::CmaEs`].
    CmaEs(CmaSettings),
    /// See [`Method::CmaEsIpop`]; the population is that of the first run.
    CmaEsIpop(CmaSettings),
    /// See [`Method::CmaEsBipop`]; the population is that of the first run.
    CmaEsBipop(CmaSettings),
}

impl MethodSettings {
    /// The default settings of a method.
    #[must_use]
    pub fn default_of(method: Method) -> Self {
        match method {
            Method::De => Self::De(DeSettings::default()),
            Method::DeSb => Self::DeSb(DeSettings::default()),
            Method::CmaEs => Self::CmaEs(CmaSettings::default()),
            Method::CmaEsIpop => Self::CmaEsIpop(CmaSettings::default()),
            Method::CmaEsBipop => Self::CmaEsBipop(CmaSettings::default()),
        }
    }

    /// Which method.
    #[must_use]
    pub fn method(&self) -> Method {
        match self {
            Self::De(_) => Method::De,
            Self::DeSb(_) => Method::DeSb,
            Self::CmaEs(_) => Method::CmaEs,
            Self::CmaEsIpop(_) => Method::CmaEsIpop,
            Self::CmaEsBipop(_) => Method::CmaEsBipop,
        }
    }

    /// The settings of a form of Differential Evolution.
    #[must_use]
    pub fn de_mut(&mut self) -> Option<&mut DeSettings> {
        match self {
            Self::De(de) | Self::DeSb(de) => Some(de),
            _ => None,
        }
    }

    /// The settings of a form of CMA-ES.
    #[must_use]
    pub fn cma_mut(&mut self) -> Option<&mut CmaSettings> {
        match self {
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => Some(cma),
            _ => None,
        }
    }

    /// Candidates per generation in `dim` dimensions, of the first run where there are several.
    #[must_use]
    pub fn population(&self, dim: usize) -> usize {
        match self {
            Self::De(de) | Self::DeSb(de) => de.population,
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => cma.population_in(dim),
        }
    }

    /// Sets the candidates per generation.
    pub fn set_population(&mut self, population: usize) {
        match self {
            Self::De(de) | Self::DeSb(de) => de.population = population,
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => {
                cma.population = Some(population);
            }
        }
    }

    /// The seed of the search.
    #[must_use]
    pub fn seed(&self) -> u64 {
        match self {
            Self::De(de) | Self::DeSb(de) => de.seed,
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => cma.seed,
        }
    }

    /// Sets the seed of the search.
    pub fn set_seed(&mut self, seed: u64) {
        match self {
            Self::De(de) | Self::DeSb(de) => de.seed = seed,
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => cma.seed = seed,
        }
    }

    /// Sets the interval of the initial population or mean, and the one that no parameter may leave.
    pub fn set_region(&mut self, start: (f64, f64), bounds: Option<(f64, f64)>) {
        match self {
            Self::De(de) | Self::DeSb(de) => (de.start, de.bounds) = (start, bounds),
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => {
                (cma.start, cma.bounds) = (start, bounds);
            }
        }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Self::De(de) => de.validate(),
            Self::DeSb(de) => match de.bounds {
                Some((low, high)) if low.to_bits() != (-high).to_bits() => {
                    let expected = "must be symmetric about 0 with de-sb, which flips signs";
                    de.validate()?;
                    Err(Error::setting("bounds", format!("{low}..{high}"), expected))
                }
                _ => de.validate(),
            },
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => cma.validate(),
        }
    }

    /// The optimiser that these settings describe, for networks of one topology; `align` is how `de-sb` breaks symmetries.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn optimizer(&self, topology: &Topology, align: Alignment) -> Result<Box<dyn Optimizer>, Error> {
        let dim = topology.dim();
        Ok(match self {
            Self::De(de) => Box::new(DifferentialEvolution::new(dim, de.clone(), None)?),
            Self::DeSb(de) => Box::new(DifferentialEvolution::new(dim, de.clone(), align.build(topology))?),
            Self::CmaEs(cma) => Box::new(CmaEs::new(dim, cma.clone())?),
            Self::CmaEsIpop(cma) => Box::new(Restarts::of_cma_es(dim, cma.clone(), RestartRule::Ipop)?),
            Self::CmaEsBipop(cma) => Box::new(Restarts::of_cma_es(dim, cma.clone(), RestartRule::Bipop)?),
        })
    }
}
