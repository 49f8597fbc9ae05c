//! Training methods by name, and each with its settings.

use crate::{
    AdaptiveDe, AdaptiveSettings, Alignment, CmaEs, CmaSettings, DeSettings, DifferentialEvolution, Error,
    Optimizer, RestartRule, Restarts, Topology, Variant,
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
    /// JADE: Differential Evolution that learns `F` and `CR`, with an archive.
    Jade,
    /// SHADE: as JADE, with a memory of what had success.
    Shade,
    /// L-SHADE: as SHADE, with a population that shrinks.
    LShade,
    /// jSO: as L-SHADE, with schedules for what is learnt.
    Jso,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::De,
        Self::DeSb,
        Self::CmaEs,
        Self::CmaEsIpop,
        Self::CmaEsBipop,
        Self::Jade,
        Self::Shade,
        Self::LShade,
        Self::Jso,
    ];

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
            Self::Jade => "jade",
            Self::Shade => "shade",
            Self::LShade => "l-shade",
            Self::Jso => "jso",
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
            Self::Jade => "adaptive Differential Evolution JADE",
            Self::Shade => "adaptive Differential Evolution SHADE",
            Self::LShade => "adaptive Differential Evolution L-SHADE",
            Self::Jso => "adaptive Differential Evolution jSO",
        }
    }

    /// Whether it is a form of CMA-ES.
    #[must_use]
    pub fn is_cma_es(self) -> bool {
        matches!(self, Self::CmaEs | Self::CmaEsIpop | Self::CmaEsBipop)
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

    /// Whether it breaks symmetries, in the way that [`FitSettings::align`](crate::FitSettings) says.
    #[must_use]
    pub fn breaks_symmetries(self) -> bool {
        self == Self::DeSb || self.variant().is_some()
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
    /// See [`Method::Jade`]; the variant must be the method's own, here and below.
    Jade(AdaptiveSettings),
    /// See [`Method::Shade`].
    Shade(AdaptiveSettings),
    /// See [`Method::LShade`]; the population is that of the start.
    LShade(AdaptiveSettings),
    /// See [`Method::Jso`]; the population is that of the start.
    Jso(AdaptiveSettings),
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
            Method::Jade => Self::Jade(AdaptiveSettings::of(Variant::Jade)),
            Method::Shade => Self::Shade(AdaptiveSettings::of(Variant::Shade)),
            Method::LShade => Self::LShade(AdaptiveSettings::of(Variant::LShade)),
            Method::Jso => Self::Jso(AdaptiveSettings::of(Variant::Jso)),
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
            Self::Jade(_) => Method::Jade,
            Self::Shade(_) => Method::Shade,
            Self::LShade(_) => Method::LShade,
            Self::Jso(_) => Method::Jso,
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

    /// The settings of an adaptive Differential Evolution.
    #[must_use]
    pub fn adaptive_mut(&mut self) -> Option<&mut AdaptiveSettings> {
        match self {
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => Some(a),
            _ => None,
        }
    }

    /// Candidates per generation in `dim` dimensions, of the first run where there are several.
    #[must_use]
    pub fn population(&self, dim: usize) -> usize {
        match self {
            Self::De(de) | Self::DeSb(de) => de.population,
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => cma.population_in(dim),
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => a.population_in(dim),
        }
    }

    /// Sets the candidates per generation.
    pub fn set_population(&mut self, population: usize) {
        match self {
            Self::De(de) | Self::DeSb(de) => de.population = population,
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => {
                cma.population = Some(population);
            }
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => {
                a.population = Some(population);
            }
        }
    }

    /// The seed of the search.
    #[must_use]
    pub fn seed(&self) -> u64 {
        match self {
            Self::De(de) | Self::DeSb(de) => de.seed,
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => cma.seed,
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => a.seed,
        }
    }

    /// Sets the seed of the search.
    pub fn set_seed(&mut self, seed: u64) {
        match self {
            Self::De(de) | Self::DeSb(de) => de.seed = seed,
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => cma.seed = seed,
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => a.seed = seed,
        }
    }

    /// Sets the interval of the initial population or mean, and the one that no parameter may leave.
    pub fn set_region(&mut self, start: (f64, f64), bounds: Option<(f64, f64)>) {
        match self {
            Self::De(de) | Self::DeSb(de) => (de.start, de.bounds) = (start, bounds),
            Self::CmaEs(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => {
                (cma.start, cma.bounds) = (start, bounds);
            }
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => {
                (a.start, a.bounds) = (start, bounds);
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
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => {
                if self.method().variant() != Some(a.variant) {
                    let expected = format!("must be {}, as the method", self.method());
                    return Err(Error::setting("variant", a.variant.name(), expected));
                }
                a.validate()
            }
        }
    }

    /// Checks that points stay within the bounds of an adaptive Differential Evolution when signs are flipped.
    pub(crate) fn check_align(&self, align: Alignment) -> Result<(), Error> {
        match self {
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => match a.bounds {
                Some((low, high)) if align != Alignment::None && low.to_bits() != (-high).to_bits() => {
                    let expected =
                        "must be symmetric about 0 unless align is none: symmetry breaking flips signs";
                    Err(Error::setting("bounds", format!("{low}..{high}"), expected))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// The optimiser that these settings describe, for networks of one topology; `align` is how `de-sb` and the adaptive methods
    /// break symmetries.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn optimizer(&self, topology: &Topology, align: Alignment) -> Result<Box<dyn Optimizer>, Error> {
        let dim = topology.dim();
        self.check_align(align)?;
        Ok(match self {
            Self::De(de) => Box::new(DifferentialEvolution::new(dim, de.clone(), None)?),
            Self::DeSb(de) => Box::new(DifferentialEvolution::new(dim, de.clone(), align.build(topology))?),
            Self::CmaEs(cma) => Box::new(CmaEs::new(dim, cma.clone())?),
            Self::CmaEsIpop(cma) => Box::new(Restarts::of_cma_es(dim, cma.clone(), RestartRule::Ipop)?),
            Self::CmaEsBipop(cma) => Box::new(Restarts::of_cma_es(dim, cma.clone(), RestartRule::Bipop)?),
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => {
                Box::new(AdaptiveDe::new(dim, a.clone(), align.build(topology))?)
            }
        })
    }
}
