//! How a function of the user's is minimised: a method and stopping criteria, without a network.

use super::{Overrides, population_of_dimension};
use crate::method::Setup;
use crate::optimizer::{CmaPreset, CmaSettings, DeSettings};
use crate::{Alignment, Error, Method, MethodSettings, Optimizer, Stop};

/// Default number of evaluations for each dimension.
const EVALUATIONS: u64 = 10_000;

/// How a function of the user's is minimised.
///
/// ```
/// use onefold::{Function, Method, Overrides, search};
/// let overrides = Overrides { method: Some(Method::L_SHADE), target: Some(1e-9), ..Default::default() };
/// let settings = overrides.for_function(5)?;
/// let mut sphere = Function::new(5, |x: &[f64]| x.iter().map(|v| v * v).sum());
/// let report = search(&mut sphere, &mut *settings.optimizer()?, &settings.stop)?;
/// assert!(report.reached);
/// # Ok::<(), onefold::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionSettings {
    /// Dimension of the points.
    pub dim: usize,
    /// Method, with its settings and the seed.
    pub method: MethodSettings,
    /// Stopping criteria.
    pub stop: Stop,
}

impl FunctionSettings {
    /// The optimiser that these settings describe.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn optimizer(&self) -> Result<Box<dyn Optimizer>, Error> {
        self.method.optimizer(&Setup {
            dim: self.dim,
            network: None,
            common: &self.method.common,
            align: Alignment::None,
            stop: &self.stop,
        })
    }
}

impl Overrides {
    /// The settings with which a function of `dim` numbers is minimised: by default CMA-ES with restarts
    /// ([`Method::CMA_ES_BIPOP`]) and at most 10,000 evaluations for each dimension. Differential Evolution
    /// has a population of ten per dimension, between 40 and 200; other methods have their own. CMA-ES has
    /// the constants of pycma, a mean that is drawn from [-0.8, 0.8], and a step size of 0.4.
    ///
    /// # Errors
    /// If the method needs a network, or an option is out of range or has no effect.
    pub fn for_function(&self, dim: usize) -> Result<FunctionSettings, Error> {
        self.refuse_options_of_networks()?;
        let method = self.method.unwrap_or(Method::CMA_ES_BIPOP);
        if !method.is_for_functions() {
            let methods = Method::listed(Method::is_for_functions);
            let expected = format!("it needs the derivatives or symmetries of a network; use {methods}");
            return Err(Error::setting("method", method, expected));
        }
        if dim == 0 {
            return Err(Error::setting("dim", dim, "must be at least 1"));
        }
        let mut settings = MethodSettings::new(method);
        if settings.own::<DeSettings>().is_some() {
            settings.common.population = Some(population_of_dimension(dim));
        }
        if let Some(own) = settings.own_mut::<CmaSettings>() {
            // As Hansen (2009) began in the box [-5, 5]; the paper's constants are for networks.
            (own.preset, own.sigma) = (CmaPreset::Pycma, 0.4);
            settings.common.start = (-0.8, 0.8);
        }
        let max_evaluations = Some(EVALUATIONS.saturating_mul(dim as u64));
        let mut stop = Stop { max_evaluations, spread: method.features().spread, ..Stop::default() };
        self.set_method(&mut settings, &mut Alignment::None)?;
        self.set_stop(&mut stop);
        settings.validate()?;
        stop.validate()?;
        stop.check_first_generation(settings.population(dim))?;
        Ok(FunctionSettings { dim, method: settings, stop })
    }

    /// The names of the options that have an effect on the search for a function's minimum.
    #[must_use]
    pub fn names_for_functions() -> Vec<String> {
        let of_networks = Self::default().options_of_networks();
        let is_for_functions = |name: &String| of_networks.iter().all(|(other, _)| other != name);
        Self::names().into_iter().filter(is_for_functions).collect()
    }

    /// The options that only networks have, and whether they are given.
    fn options_of_networks(&self) -> [(&'static str, bool); 15] {
        [
            ("hidden", self.hidden.is_some()),
            ("topology", self.topology.is_some()),
            ("linear_part", self.linear_part.is_some()),
            ("output_bias", self.output_bias.is_some()),
            ("output_layer", self.output_layer.is_some()),
            ("temperature", self.temperature.is_some()),
            ("align", self.align.is_some()),
            ("align_to", self.align_to.is_some()),
            ("threads", self.threads.is_some()),
            ("penalty_weight", self.penalty_weight.is_some()),
            ("penalty_radius", self.penalty_radius.is_some()),
            ("decay", self.decay.is_some()),
            ("rank_tolerance", self.rank_tolerance.is_some()),
            ("scaling", self.scaling.is_some()),
            ("target_scaling", self.target_scaling.is_some()),
        ]
    }

    fn refuse_options_of_networks(&self) -> Result<(), Error> {
        match self.options_of_networks().into_iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                Err(Error::NoEffectOnData { name, only: "networks", data: "a function".into() })
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Function, search};

    fn read(text: &str) -> Overrides {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn every_method_for_functions_minimises_one() {
        for method in Method::all().filter(|method| method.is_for_functions()) {
            let given = Overrides { method: Some(method), seed: Some(3), ..Overrides::default() };
            let settings = given.for_function(4).unwrap();
            assert_eq!(settings.stop.max_evaluations, Some(40_000), "{method}");
            let mut sphere = Function::new(4, |x: &[f64]| x.iter().map(|v| (v - 0.3).powi(2)).sum());
            let report = search(&mut sphere, &mut *settings.optimizer().unwrap(), &settings.stop).unwrap();
            assert!(report.cost < if method.name() == "random-search" { 1.0 } else { 1e-8 }, "{method}");
        }
    }

    #[test]
    fn what_only_networks_have_is_refused() {
        let message = |text: &str| read(text).for_function(4).unwrap_err().to_string();
        assert_eq!(
            message(r#"{"hidden": 3}"#),
            "hidden is for networks and has no effect on a function; leave it out"
        );
        for method in ["auto", "multistart", "hybrid", "de-sb", "cma-es-sb"] {
            let text = message(&format!(r#"{{"method": "{method}"}}"#));
            assert!(text.contains("of a network; use de, cma-es, cma-es-ipop"), "{text}");
        }
        assert!(message(r#"{"method": "jade", "sigma": 1}"#).starts_with("sigma is for cma-es"));
        assert!(message(r#"{"population": 200, "max_evaluations": 100}"#).contains("needs 200"));
        assert!(message(r#"{"method": "de", "population": 2}"#).starts_with("population is 2"));
    }
}
