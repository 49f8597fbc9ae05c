//! From flags to settings.

use super::choosing::Size;
use crate::args::{Dither, FitArgs};
use crate::failure::Failure;
use onefold::{Builtin, Dataset, FitSettings, Method, MethodSettings, Weight};

/// The settings of a run on these rows.
pub(super) fn settings(
    args: &FitArgs,
    builtin: Option<Builtin>,
    data: &Dataset,
    seed: u64,
    size: Option<Size>,
) -> Result<FitSettings, Failure> {
    let hidden = match size {
        Some(size) => Some(size.hidden.to_string()),
        None => args.hidden(data.inputs.len(), data.outputs.len())?,
    };
    let mut s = match builtin {
        Some(builtin) => FitSettings::for_builtin(builtin, hidden.as_deref(), args.method)?,
        None => FitSettings::for_data(data, hidden.as_deref().unwrap_or_default(), args.method)?,
    };
    s.method.set_seed(seed);
    if let Some(population) = args.population {
        s.method.set_population(population);
    }
    s.method.set_region(args.start, args.bounds);
    if let Some(align) = args.align {
        if !args.method.breaks_symmetries() {
            let only = "de-sb, cma-es-sb, jade, shade, l-shade and jso";
            return refuse(&[("--align", true)], args.method, only).map(|()| s);
        }
        s.align = align;
    }
    if args.method.is_local() {
        let given = [("--bounds", args.bounds.is_some()), ("--spread", args.spread.is_some())];
        refuse(&given, args.method, "methods with a population")?;
    }
    set_de(&mut s.method, args)?;
    set_cma(&mut s.method, args)?;
    s.cost.threads = args.threads.unwrap_or(1);
    s.cost.output_bias = args.output_bias.unwrap_or(s.cost.output_bias);
    s.cost.penalty_weight = args.penalty_weight;
    s.cost.penalty_radius = args.penalty_radius;
    s.cost.rank_tolerance = args.rank_tolerance;
    s.cost.decay = args.decay.unwrap_or(s.cost.decay);
    if let Some(target) = args.target {
        s.set_threshold(target);
    }
    // A population larger than the paper's gets a larger budget.
    let default_budget = s.stop.max_evaluations.map(|n| n.max((s.population() as u64).saturating_mul(1000)));
    s.stop.max_evaluations = args.max_evaluations.or(default_budget);
    s.stop.max_generations = args.max_generations;
    s.stop.max_seconds = args.time.map(|t| t.as_secs_f64());
    s.stop.stagnation = args.stagnation;
    s.stop.spread = args.spread.or(s.stop.spread);
    s.scaling = args.scaling.unwrap_or(s.scaling);
    s.target_scaling = args.target_scaling.map_or(s.target_scaling, Into::into);
    if let Some(size) = size {
        size.apply(&mut s);
    }
    s.validate()?;
    Ok(s)
}

/// The flags that only Differential Evolution has.
fn set_de(method: &mut MethodSettings, args: &FitArgs) -> Result<(), Failure> {
    let given = [
        ("--mutation", args.mutation.is_some()),
        ("--weight", args.weight.is_some()),
        ("--dither", args.dither.is_some()),
        ("--crossover", args.crossover.is_some()),
        ("--crossover-rate", args.crossover_rate.is_some()),
        ("--align-to", args.align_to.is_some()),
    ];
    let name = method.method();
    let Some(de) = method.de_mut() else { return refuse(&given, name, "de and de-sb") };
    de.reference = args.align_to.map_or(de.reference, Into::into);
    de.mutation = args.mutation.map_or(de.mutation, Into::into);
    de.crossover = args.crossover.map_or(de.crossover, Into::into);
    de.crossover_rate = args.crossover_rate.unwrap_or(de.crossover_rate);
    de.weight = match (args.weight, args.dither.unwrap_or(Dither::Generation)) {
        (None, _) => de.weight,
        (Some((low, high)), _) if low.to_bits() == high.to_bits() => Weight::Fixed(low),
        (Some((low, high)), Dither::Generation) => Weight::DitherGeneration(low, high),
        (Some((low, high)), Dither::Trial) => Weight::DitherTrial(low, high),
    };
    Ok(())
}

/// The flags that only CMA-ES has.
fn set_cma(method: &mut MethodSettings, args: &FitArgs) -> Result<(), Failure> {
    let given = [
        ("--sigma", args.sigma.is_some()),
        ("--preset", args.preset.is_some()),
        ("--covariance", args.covariance.is_some()),
    ];
    let name = method.method();
    let Some(cma) = method.cma_mut() else { return refuse(&given, name, "the forms of cma-es") };
    cma.sigma = args.sigma.unwrap_or(cma.sigma);
    cma.preset = args.preset.map_or(cma.preset, Into::into);
    cma.covariance = args.covariance.map_or(cma.covariance, Into::into);
    Ok(())
}

/// A flag that would have no effect is a mistake.
fn refuse(given: &[(&str, bool)], method: Method, only: &str) -> Result<(), Failure> {
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::bad_input(format!(
            "{flag} is for {only} and has no effect with --method {method}; leave it out"
        ))),
        None => Ok(()),
    }
}
