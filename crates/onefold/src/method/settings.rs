//! The settings of each method, and the optimiser that they describe.

use crate::{
    AdaptiveDe, AdaptiveSettings, Alignment, CmaEs, CmaSettings, Covariance, DeSettings,
    DifferentialEvolution, Error, LocalSearch, LocalSettings, Method, Optimizer, RestartRule, Restarts,
    Topology, Variant,
};
use serde::{Deserialize, Serialize};

/// A training method with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodSettings {
    /// See [`Method::Auto`].
    Auto(LocalSettings),
    /// See [`Method::De`].
    De(DeSettings),
    /// See [`Method::DeSb`].
    DeSb(DeSettings),
    /// See [`Method::CmaEs`].
    CmaEs(CmaSettings),
    /// See [`Method::CmaEsSb`].
    CmaEsSb(CmaSettings),
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
    /// See [`Method::Multistart`].
    Multistart(LocalSettings),
    /// See [`Method::Hybrid`].
    Hybrid(LocalSettings),
}

/// The settings by family.
enum Family<'a> {
    De(&'a DeSettings),
    Cma(&'a CmaSettings),
    Adaptive(&'a AdaptiveSettings),
    Local(&'a LocalSettings),
}

/// The settings by family, to be changed.
enum FamilyMut<'a> {
    De(&'a mut DeSettings),
    Cma(&'a mut CmaSettings),
    Adaptive(&'a mut AdaptiveSettings),
    Local(&'a mut LocalSettings),
}

impl MethodSettings {
    /// The default settings of a method.
    #[must_use]
    pub fn default_of(method: Method) -> Self {
        match method {
            Method::Auto => Self::Auto(LocalSettings::default()),
            Method::De => Self::De(DeSettings::default()),
            Method::DeSb => Self::DeSb(DeSettings::default()),
            Method::CmaEs => Self::CmaEs(CmaSettings::default()),
            Method::CmaEsSb => Self::CmaEsSb(CmaSettings::default()),
            Method::CmaEsIpop => Self::CmaEsIpop(CmaSettings::default()),
            Method::CmaEsBipop => Self::CmaEsBipop(CmaSettings::default()),
            Method::Jade => Self::Jade(AdaptiveSettings::of(Variant::Jade)),
            Method::Shade => Self::Shade(AdaptiveSettings::of(Variant::Shade)),
            Method::LShade => Self::LShade(AdaptiveSettings::of(Variant::LShade)),
            Method::Jso => Self::Jso(AdaptiveSettings::of(Variant::Jso)),
            Method::Multistart => Self::Multistart(LocalSettings::multistart()),
            Method::Hybrid => Self::Hybrid(LocalSettings { recombination: 0.5, ..LocalSettings::default() }),
        }
    }

    /// Which method.
    #[must_use]
    pub fn method(&self) -> Method {
        match self {
            Self::Auto(_) => Method::Auto,
            Self::De(_) => Method::De,
            Self::DeSb(_) => Method::DeSb,
            Self::CmaEs(_) => Method::CmaEs,
            Self::CmaEsSb(_) => Method::CmaEsSb,
            Self::CmaEsIpop(_) => Method::CmaEsIpop,
            Self::CmaEsBipop(_) => Method::CmaEsBipop,
            Self::Jade(_) => Method::Jade,
            Self::Shade(_) => Method::Shade,
            Self::LShade(_) => Method::LShade,
            Self::Jso(_) => Method::Jso,
            Self::Multistart(_) => Method::Multistart,
            Self::Hybrid(_) => Method::Hybrid,
        }
    }

    fn family(&self) -> Family<'_> {
        match self {
            Self::De(de) | Self::DeSb(de) => Family::De(de),
            Self::CmaEs(cma) | Self::CmaEsSb(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => {
                Family::Cma(cma)
            }
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => Family::Adaptive(a),
            Self::Auto(local) | Self::Multistart(local) | Self::Hybrid(local) => Family::Local(local),
        }
    }

    fn family_mut(&mut self) -> FamilyMut<'_> {
        match self {
            Self::De(de) | Self::DeSb(de) => FamilyMut::De(de),
            Self::CmaEs(cma) | Self::CmaEsSb(cma) | Self::CmaEsIpop(cma) | Self::CmaEsBipop(cma) => {
                FamilyMut::Cma(cma)
            }
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => FamilyMut::Adaptive(a),
            Self::Auto(local) | Self::Multistart(local) | Self::Hybrid(local) => FamilyMut::Local(local),
        }
    }

    /// The settings of a form of Differential Evolution.
    #[must_use]
    pub fn de_mut(&mut self) -> Option<&mut DeSettings> {
        if let FamilyMut::De(de) = self.family_mut() { Some(de) } else { None }
    }

    /// The settings of a form of CMA-ES.
    #[must_use]
    pub fn cma_mut(&mut self) -> Option<&mut CmaSettings> {
        if let FamilyMut::Cma(cma) = self.family_mut() { Some(cma) } else { None }
    }

    /// The settings of an adaptive Differential Evolution.
    #[must_use]
    pub fn adaptive_mut(&mut self) -> Option<&mut AdaptiveSettings> {
        if let FamilyMut::Adaptive(adaptive) = self.family_mut() { Some(adaptive) } else { None }
    }

    /// The settings of a method by local steps.
    #[must_use]
    pub fn local_mut(&mut self) -> Option<&mut LocalSettings> {
        if let FamilyMut::Local(local) = self.family_mut() { Some(local) } else { None }
    }

    /// Candidates per generation in `dim` dimensions, of the first run where there are several; with local steps, candidates per start.
    #[must_use]
    pub fn population(&self, dim: usize) -> usize {
        match self.family() {
            Family::De(de) => de.population,
            Family::Cma(cma) => cma.population_in(dim),
            Family::Adaptive(a) => a.population_in(dim),
            Family::Local(local) => local.candidates,
        }
    }

    /// Sets the candidates per generation.
    pub fn set_population(&mut self, population: usize) {
        match self.family_mut() {
            FamilyMut::De(de) => de.population = population,
            FamilyMut::Cma(cma) => cma.population = Some(population),
            FamilyMut::Adaptive(a) => a.population = Some(population),
            FamilyMut::Local(local) => local.candidates = population,
        }
    }

    /// The seed of the search.
    #[must_use]
    pub fn seed(&self) -> u64 {
        match self.family() {
            Family::De(de) => de.seed,
            Family::Cma(cma) => cma.seed,
            Family::Adaptive(a) => a.seed,
            Family::Local(local) => local.seed,
        }
    }

    /// Sets the seed of the search.
    pub fn set_seed(&mut self, seed: u64) {
        match self.family_mut() {
            FamilyMut::De(de) => de.seed = seed,
            FamilyMut::Cma(cma) => cma.seed = seed,
            FamilyMut::Adaptive(a) => a.seed = seed,
            FamilyMut::Local(local) => local.seed = seed,
        }
    }

    /// Sets the interval of the initial population or mean, and the one that no parameter may leave. Methods by local steps stay inside the
    /// sphere instead.
    pub fn set_region(&mut self, start: (f64, f64), bounds: Option<(f64, f64)>) {
        match self.family_mut() {
            FamilyMut::De(de) => (de.start, de.bounds) = (start, bounds),
            FamilyMut::Cma(cma) => (cma.start, cma.bounds) = (start, bounds),
            FamilyMut::Adaptive(a) => (a.start, a.bounds) = (start, bounds),
            FamilyMut::Local(local) => local.start = start,
        }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        match self.family() {
            Family::De(de) => de.validate(),
            Family::Cma(cma) => cma.validate(),
            Family::Adaptive(a) if self.method().variant() != Some(a.variant) => {
                let expected = format!("must be {}, as the method", self.method());
                Err(Error::setting("variant", a.variant.name(), expected))
            }
            Family::Adaptive(a) => a.validate(),
            Family::Local(local) => local.validate(),
        }
    }

    /// Checks that points stay within their bounds when signs are flipped.
    pub(crate) fn check_align(&self, align: Alignment) -> Result<(), Error> {
        let bounds = match self.family() {
            Family::De(de) => de.bounds,
            Family::Cma(cma) => cma.bounds,
            Family::Adaptive(a) => a.bounds,
            Family::Local(_) => None,
        };
        let flips = self.method().breaks_symmetries() && align != Alignment::None;
        match bounds {
            Some((low, high)) if flips && low.to_bits() != (-high).to_bits() => {
                let expected = format!(
                    "must be symmetric about 0 with {}, which flips signs unless align is none",
                    self.method()
                );
                Err(Error::setting("bounds", format!("{low}..{high}"), expected))
            }
            _ => Ok(()),
        }
    }

    /// What [`Method::Auto`] stands for when slopes need this many bytes; other methods are themselves.
    #[must_use]
    pub(crate) fn resolved(self, dim: usize, bytes_of_slopes: usize) -> Self {
        match self {
            Self::Auto(local) if dim > MOST_DIMENSIONS || bytes_of_slopes > MOST_BYTES => {
                let covariance = if dim > FULL_COVARIANCE { Covariance::Diagonal } else { Covariance::Full };
                let LocalSettings { start, seed, .. } = local;
                Self::CmaEsBipop(CmaSettings { covariance, start, seed, ..CmaSettings::default() })
            }
            other => other,
        }
    }

    /// The optimiser that these settings describe, for networks of one topology; `align` is how methods that [break
    /// symmetries](Method::breaks_symmetries) do so.
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
            Self::CmaEsSb(cma) => Box::new(CmaEs::new(dim, cma.clone())?.aligned(align.build(topology))),
            Self::CmaEsIpop(cma) => Box::new(Restarts::of_cma_es(dim, cma.clone(), RestartRule::Ipop)?),
            Self::CmaEsBipop(cma) => Box::new(Restarts::of_cma_es(dim, cma.clone(), RestartRule::Bipop)?),
            Self::Jade(a) | Self::Shade(a) | Self::LShade(a) | Self::Jso(a) => {
                Box::new(AdaptiveDe::new(dim, a.clone(), align.build(topology))?)
            }
            Self::Multistart(local) => {
                Box::new(LocalSearch::new(dim, local.clone(), Alignment::Ideal.build(topology))?)
            }
            Self::Auto(local) | Self::Hybrid(local) => {
                // The sum that a neuron receives varies as much at the start as it does with one input and a shift.
                let shares = topology.fan_in().map(|n| (2.0 / n as f64).sqrt()).collect();
                let search = LocalSearch::new(dim, local.clone(), Alignment::Ideal.build(topology))?;
                Box::new(search.with_shares(shares)?)
            }
        })
    }
}

/// Beyond this the linear algebra of a local step takes seconds.
const MOST_DIMENSIONS: usize = 2000;
/// Memory that [`Method::Auto`] takes for slopes.
const MOST_BYTES: usize = 2 << 30;
/// Beyond this CMA-ES with a full matrix spends most of its time on it.
const FULL_COVARIANCE: usize = 400;
