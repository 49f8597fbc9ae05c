//! Flags of `onefold fit`: the options of [`Overrides`] and [`DataOverrides`](onefold::DataOverrides), by the same names.

use super::choices::{
    CovarianceArg, CrossoverArg, DitherArg, MutationArg, PresetArg, ReferenceArg, TargetScalingArg,
};
use super::{DataArgs, TableArgs};
use crate::values::{align, count, data_name, method, size, yes_or_no};
use clap::Args;
use onefold::objective::Radius;
use onefold::settings::Interval;
use onefold::{Alignment, Method, Overrides, Scaling};
use std::path::PathBuf;
use std::time::Duration;

const FIT_EXAMPLES: &str = "\
Examples:
  onefold fit sinc                                   the paper's smallest sinc network, in a millisecond
  onefold fit sinc --method de-sb                    the same by the paper's method
  onefold fit iris --seed 7 --output iris.json       the same result every time
  onefold fit sinc2d --hidden 3-1-3 --method de      plain Differential Evolution
  onefold fit sinc --hidden 6 --method cma-es        CMA-ES, as the paper ran it
  onefold fit two-spirals --time 60s --json          for a program to read
  onefold fit data.csv --target-column price         a table of your own; --folds 5 for cross-validation
  sort -R data.csv | onefold fit - --header no       from standard input

Of a file without --hidden, the smallest network is chosen that reaches --target on the training rows or, without a target, is
no worse than larger ones in cross-validation on the training rows; its decay is chosen in the same way. With --folds that
happens in each fold anew. --time is for each run: half of it for the choice, half for the training. A checkpoint keeps the
last training, and with it the choice.

Of a file, one row in five tests unless --split, --test-fraction, --test or --folds says otherwise. Inputs are standardised
and so is the target of a regression, both learnt on training rows, and the model undoes it: errors, predictions and
--target are in the units of the data. With several targets, --target is the mean over targets of error divided by variance.

A run ends when its target is reached, its budget is spent or the method can get no further. On a file without --target
auto, hybrid and multistart end after 10 descents in a row that find nothing better by a thousandth. A run
leaves the best network found either way, and says which it was. Ctrl-C ends it early with the best so far.
With --checkpoint a run that was cut off, in whatever way, goes on where it was: repeat the command and add
--resume FILE. The file is removed when the run ends by itself.
Exit code: 0 after a run, 1 on failure, 2 for bad input, 130 when interrupted.";

#[derive(Args, Debug)]
#[command(after_help = FIT_EXAMPLES)]
pub(crate) struct FitArgs {
    /// A built-in data set (`onefold datasets` lists them), a CSV file, or - for standard input
    #[arg(add = data_name())]
    pub(crate) data: String,

    /// Widths of the hidden layers, such as 5 or 3-1-3 [default: the paper's smallest; for a file one
    /// layer, as small as is good enough]
    #[arg(
        long,
        value_name = "WIDTHS",
        conflicts_with = "topology",
        allow_hyphen_values = true,
        help_heading = "Network"
    )]
    pub(crate) hidden: Option<String>,
    /// All layers, inputs and outputs included, such as 1-5-1
    #[arg(long, value_name = "WIDTHS", allow_hyphen_values = true, help_heading = "Network")]
    pub(crate) topology: Option<String>,
    /// Give each output a bias, or =no for none [default: no, as the paper; for a file yes]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no, num_args = 0..=1, require_equals = true, default_missing_value = "yes", help_heading = "Network")]
    pub(crate) output_bias: Option<bool>,

    /// Training method
    #[arg(long, default_value_t = Method::AUTO, value_parser = method(), help_heading = "Search")]
    pub(crate) method: Method,
    /// Candidates per generation [default: the paper's; elsewhere 10 per parameter, 40 to 200; cma-es-ipop
    /// and cma-es-bipop begin with 4 + 3 ln D; jade has 30 to 400, shade 100; l-shade begins with 18 D, jso
    /// with 25 ln(D) sqrt(D)]; with auto and hybrid, candidates per start [default: 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size, help_heading = "Search")]
    pub(crate) population: Option<usize>,
    /// Seed of the search; the same seed gives the same result [default: random, printed]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, help_heading = "Search")]
    pub(crate) seed: Option<u64>,
    /// Interval of the initial population, or of the initial mean [default: -1..1]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true, help_heading = "Search")]
    pub(crate) start: Option<Interval>,
    /// Interval that no parameter may leave [default: none]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true, help_heading = "Search")]
    pub(crate) bounds: Option<Interval>,
    /// Worker threads, 0 for one per core; the result does not depend on it [default: 1; one per core while
    /// the size of a network is chosen]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size, help_heading = "Search")]
    pub(crate) threads: Option<usize>,

    /// How methods that break symmetries do so [default: heuristic, the paper's; cma-es-sb ideal]
    #[arg(long, value_name = "HOW", value_parser = align(), help_heading = "Search")]
    pub(crate) align: Option<Alignment>,
    /// What individuals are aligned to: best, mean (of the population) or elite (one of the best tenth)
    /// [default: best]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Differential Evolution")]
    pub(crate) align_to: Option<ReferenceArg>,
    /// How mutants are built [default: rand1]
    #[arg(long, value_enum, help_heading = "Differential Evolution")]
    pub(crate) mutation: Option<MutationArg>,
    /// Weight F of difference vectors: a number, or LOW..HIGH to draw it anew [default: 0.5]
    #[arg(long, value_name = "F", allow_negative_numbers = true, help_heading = "Differential Evolution")]
    pub(crate) weight: Option<Interval>,
    /// How often a weight LOW..HIGH is drawn [default: generation]
    #[arg(long, value_enum, help_heading = "Differential Evolution")]
    pub(crate) dither: Option<DitherArg>,
    /// Which coordinates come from the mutant [default: binomial]
    #[arg(long, value_enum, help_heading = "Differential Evolution")]
    pub(crate) crossover: Option<CrossoverArg>,
    /// Probability that a coordinate comes from the mutant [default: 0.9]
    #[arg(long, value_name = "CR", allow_negative_numbers = true, help_heading = "Differential Evolution")]
    pub(crate) crossover_rate: Option<f64>,

    /// Initial step size [default: 0.5]
    #[arg(long, value_name = "SIGMA", allow_negative_numbers = true, help_heading = "CMA-ES")]
    pub(crate) sigma: Option<f64>,
    /// Constants and stop rules [default: reference]
    #[arg(long, value_enum, help_heading = "CMA-ES")]
    pub(crate) preset: Option<PresetArg>,
    /// What is adapted besides the step size [default: full]
    #[arg(long, value_enum, help_heading = "CMA-ES")]
    pub(crate) covariance: Option<CovarianceArg>,

    /// Stop when the mean squared error is at most this, in the units of the data [default: the paper's;
    /// for a file none]
    #[arg(long, value_name = "MSE", allow_negative_numbers = true, help_heading = "Stop")]
    pub(crate) target: Option<f64>,
    /// Never evaluate more networks than this, such as 1e6; slopes count as the evaluations that take as
    /// long [default: 20 times what the paper needed; elsewhere 1e8; for a file 1e7]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, help_heading = "Stop")]
    pub(crate) max_evaluations: Option<u64>,
    /// Stop after this many generations
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, help_heading = "Stop")]
    pub(crate) max_generations: Option<u64>,
    /// Stop after this time, such as 60s or 5min
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = humantime::parse_duration, help_heading = "Stop")]
    pub(crate) time: Option<Duration>,
    /// Stop after this many generations without improvement
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, help_heading = "Stop")]
    pub(crate) stagnation: Option<u64>,
    /// Stop when all costs lie within this share of the best [default: 1e-9 with DE; others have their own
    /// rules]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, help_heading = "Stop")]
    pub(crate) spread: Option<f64>,

    /// Penalty per unit of length outside the sphere [default: 50]
    #[arg(long, value_name = "C", allow_negative_numbers = true, help_heading = "Cost")]
    pub(crate) penalty_weight: Option<f64>,
    /// Radius of the sphere: sqrt-dim, a number, or off [default: sqrt-dim]
    #[arg(long, value_name = "R", allow_negative_numbers = true, help_heading = "Cost")]
    pub(crate) penalty_radius: Option<Radius>,
    /// L2 penalty on all weights except output biases [default: 0; without --hidden, for a file, chosen by
    /// cross-validation]
    #[arg(long, value_name = "C", allow_negative_numbers = true, help_heading = "Cost")]
    pub(crate) decay: Option<f64>,
    /// Drop a hidden output when no more than this fraction of its squared norm is left after projecting
    /// out the others [default: 1e-13]
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true, help_heading = "Cost")]
    pub(crate) rank_tolerance: Option<f64>,

    #[command(flatten)]
    pub(crate) input: DataArgs,
    /// Input scaling, learnt on the training rows: none, min-max, standard, or a number to divide by
    /// [default: none; for a file standard]
    #[arg(long, value_name = "HOW", allow_negative_numbers = true, help_heading = "Data")]
    pub(crate) scaling: Option<Scaling>,
    /// Scaling of the target of a regression, learnt on the training rows and undone by the model
    /// [default: none; for a file standard]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Data")]
    pub(crate) target_scaling: Option<TargetScalingArg>,
    #[command(flatten)]
    pub(crate) table: TableArgs,

    /// Model file [default: named after data, topology, method and seed; none with --json]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Save the run to this file now and then, to be continued with --resume
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// How often, besides on Ctrl-C
    #[arg(long, value_name = "TIME", default_value = "1min", allow_hyphen_values = true, value_parser = humantime::parse_duration, help_heading = "Output")]
    pub(crate) checkpoint_every: Duration,
    /// Continue a run from its checkpoint, with the same data and settings, to the same result as if it had
    /// never stopped
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) resume: Option<PathBuf>,
    /// Print one JSON object instead of a report
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

impl FitArgs {
    /// The settings that are given.
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            hidden: self.hidden.clone(),
            topology: self.topology.clone(),
            output_bias: self.output_bias,
            method: Some(self.method),
            population: self.population,
            seed: self.seed,
            start: self.start,
            bounds: self.bounds,
            align: self.align,
            threads: self.threads,
            align_to: self.align_to.map(Into::into),
            mutation: self.mutation.map(Into::into),
            weight: self.weight,
            dither: self.dither.map(Into::into),
            crossover: self.crossover.map(Into::into),
            crossover_rate: self.crossover_rate,
            sigma: self.sigma,
            preset: self.preset.map(Into::into),
            covariance: self.covariance.map(Into::into),
            target: self.target,
            max_evaluations: self.max_evaluations,
            max_generations: self.max_generations,
            time: self.time.map(|t| t.as_secs_f64()),
            stagnation: self.stagnation,
            spread: self.spread,
            penalty_weight: self.penalty_weight,
            penalty_radius: self.penalty_radius,
            decay: self.decay,
            rank_tolerance: self.rank_tolerance,
            scaling: self.scaling,
            target_scaling: self.target_scaling.map(Into::into),
        }
    }
}
