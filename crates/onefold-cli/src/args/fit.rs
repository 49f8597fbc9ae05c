//! Flags of `onefold fit`: the options of [`Overrides`] and [`DataOverrides`](onefold::DataOverrides), under
//! the same names.

use super::choices::{
    CovarianceArg, CrossoverArg, DitherArg, MutationArg, OutputLayerArg, PreferArg, PresetArg, ReferenceArg,
    TargetScalingArg,
};
use super::{DataArgs, TableArgs};
use crate::values::{align, count, data_name, duration, method, metric, size, yes_or_no};
use clap::Args;
use onefold::model_selection::Metric;
use onefold::objective::Radius;
use onefold::settings::Interval;
use onefold::{Alignment, Method, Overrides, Scaling};
use std::path::PathBuf;
use std::time::Duration;

const FIT_EXAMPLES: &str = "\
Examples:
  onefold fit sinc                                   the paper's sinc network, in about a millisecond
  onefold fit sinc --method de-sb                    the same network by the paper's method
  onefold fit iris --seed 7 --output iris.json       reproducible: the same seed gives the same network
  onefold fit sinc2d --hidden 3-1-3 --method de      plain Differential Evolution
  onefold fit sinc --hidden 6 --method cma-es        CMA-ES with the paper's population
  onefold fit two-spirals --time 60s --json          at most a minute; the result as JSON
  onefold fit data.csv --target-column price         your own table; add --folds 5 for cross-validation
  onefold fit data.csv --hidden none --linear-part   the linear model
  sort -R data.csv | onefold fit - --header no       from standard input

Network: for a file without --hidden or --topology, hidden layers, linear part and L2 penalty (--decay) are \
selected. With --target it is the smallest network with one hidden layer that reaches the target on the training \
rows. Without, candidates take part in a race: all are compared on held-out rows of a few folds, those that are \
left on more. The result is the smallest network that is no worse than the best by one standard error (--prefer), \
or the constant answer or the linear model if no network is better beyond chance. With --hidden, only the decay is \
selected. With --folds the selection is repeated in each fold. A selection that Ctrl-C or its part of --time cuts \
short keeps the best network so far; one that was saved with --checkpoint can be resumed. Without hidden layers \
nothing is searched, and least squares or logistic regression gives all weights.

Data: of a file, a random fifth of the rows is the test set unless --split, --test-fraction, --test or --folds \
is given. Inputs, and the target of a regression, are standardised with means and standard deviations of the \
training rows. The model reverses this: errors, predictions and --target are in the units of the data. With \
several targets, the search minimises the mean over targets of error divided by variance, and --target is the \
mean of their squared errors, as onefold evaluate prints it.

End: a run ends when the target is reached, the budget is spent, or the method has converged. With auto, hybrid and \
multistart the descent that reached the target then continues to its minimum; for classes a search for a smoother \
network follows, on inputs scaled to [-1, 1] with a small L2 penalty. What the report counts until the target does \
not include this, and the error on the training rows never rises by it. On a file without --target, auto, hybrid \
and multistart end after 10 descents in a row (20 if the network was selected) that improve the error by less than \
0.1 %. The best network found is saved in any case. Ctrl-C and the end of --time end the command within a second, \
whatever it does; a second Ctrl-C ends it at once. --time is for the whole command: each fold has \
an equal part, and selection and training together one, most of which is for the selection. To resume a run that was interrupted with --checkpoint FILE, repeat the command and add \
--resume FILE; with both from the start, one command can be repeated until its run has ended. The checkpoint is \
deleted when a run ends other than by Ctrl-C or --time.

Exit code: 0 after a run, whether or not the target was reached; 1 on failure; 2 for bad input; 130 when \
interrupted.";

#[derive(Args, Debug)]
#[command(after_help = FIT_EXAMPLES)]
pub(crate) struct FitArgs {
    /// Built-in data set (`onefold datasets` lists them), CSV file, or - for standard input
    #[arg(add = data_name())]
    pub(crate) data: String,

    /// Widths of the hidden layers, such as 5 or 3-1-3, or none for a constant, with --linear-part for the
    /// linear model [default: the first network that the paper lists for the data set; for a file
    /// selected]
    #[arg(
        long,
        value_name = "WIDTHS",
        conflicts_with = "topology",
        allow_hyphen_values = true,
        help_heading = "Network"
    )]
    pub(crate) hidden: Option<String>,
    /// Widths of all layers, inputs and outputs included, such as 1-5-1, or 1-5-1+linear with a linear part
    #[arg(long, value_name = "WIDTHS", allow_hyphen_values = true, help_heading = "Network")]
    pub(crate) topology: Option<String>,
    /// Whether there are weights from each input to each output beside the hidden layers; least squares
    /// solves them together with the output weights [default: no; for a file without --hidden selected]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no, num_args = 0..=1, require_equals = true, default_missing_value = "yes", help_heading = "Network")]
    pub(crate) linear_part: Option<bool>,
    /// What networks are compared by where one is selected [default: log-loss for classes, otherwise rmse]
    #[arg(long, value_name = "METRIC", value_parser = metric(), help_heading = "Network")]
    pub(crate) metric: Option<Metric>,
    /// Which network is selected [default: size]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Network")]
    pub(crate) prefer: Option<PreferArg>,
    /// Whether outputs have a bias [default: no, as in the paper; for a file yes]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no, num_args = 0..=1, require_equals = true, default_missing_value = "yes", help_heading = "Network")]
    pub(crate) output_bias: Option<bool>,
    /// How the output layer is solved after the search [default: logistic for a classification of a file
    /// without --target, otherwise least-squares]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Network")]
    pub(crate) output_layer: Option<OutputLayerArg>,
    /// Divide the scores of a logistic output layer by this; above 1, probabilities are less certain
    /// [default: 1]
    #[arg(long, value_name = "T", allow_negative_numbers = true, help_heading = "Network")]
    pub(crate) temperature: Option<f64>,

    /// Training method
    #[arg(long, default_value_t = Method::AUTO, value_parser = method(), help_heading = "Search")]
    pub(crate) method: Method,
    /// Candidates per generation, for D parameters [default: the paper's, otherwise 10 D from 40 to 200;
    /// cma-es-ipop and cma-es-bipop initially 4 + 3 ln D; jade 30 to 400; shade 100; l-shade initially 18 D;
    /// jso initially 25 ln(D) sqrt(D)]; with auto, hybrid and multistart, candidates per start [default: 5;
    /// multistart 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size, help_heading = "Search")]
    pub(crate) population: Option<usize>,
    /// Seed of the search; the same seed gives the same result [default: random, printed]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, help_heading = "Search")]
    pub(crate) seed: Option<u64>,
    /// Interval from which the initial population or mean is drawn [default: -1..1]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true, help_heading = "Search")]
    pub(crate) start: Option<Interval>,
    /// Interval that no parameter may leave [default: none]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true, help_heading = "Search")]
    pub(crate) bounds: Option<Interval>,
    /// Worker threads, 0 for one per core; the result does not depend on it [default: 0 for files, 1 for
    /// built-in data sets]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size, help_heading = "Search")]
    pub(crate) threads: Option<usize>,

    /// How methods with symmetry breaking align individuals [default: heuristic, as in the paper; cma-es-sb
    /// ideal]
    #[arg(long, value_name = "HOW", value_parser = align(), help_heading = "Search")]
    pub(crate) align: Option<Alignment>,
    /// Reference that individuals are aligned to [default: best]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Differential Evolution")]
    pub(crate) align_to: Option<ReferenceArg>,
    /// Mutation strategy [default: rand1]
    #[arg(long, value_enum, help_heading = "Differential Evolution")]
    pub(crate) mutation: Option<MutationArg>,
    /// Weight F of difference vectors: a number, or LOW..HIGH for a random one (dither) [default: 0.5]
    #[arg(long, value_name = "F", allow_negative_numbers = true, help_heading = "Differential Evolution")]
    pub(crate) weight: Option<Interval>,
    /// How often a weight is drawn from LOW..HIGH [default: generation]
    #[arg(long, value_enum, help_heading = "Differential Evolution")]
    pub(crate) dither: Option<DitherArg>,
    /// Crossover of parent and mutant [default: binomial]
    #[arg(long, value_enum, help_heading = "Differential Evolution")]
    pub(crate) crossover: Option<CrossoverArg>,
    /// Crossover rate CR: probability that a coordinate comes from the mutant [default: 0.9]
    #[arg(long, value_name = "CR", allow_negative_numbers = true, help_heading = "Differential Evolution")]
    pub(crate) crossover_rate: Option<f64>,

    /// Initial step size [default: 0.5]
    #[arg(long, value_name = "SIGMA", allow_negative_numbers = true, help_heading = "CMA-ES")]
    pub(crate) sigma: Option<f64>,
    /// Strategy constants and termination criteria [default: reference]
    #[arg(long, value_enum, help_heading = "CMA-ES")]
    pub(crate) preset: Option<PresetArg>,
    /// Form of the covariance matrix [default: full]
    #[arg(long, value_enum, help_heading = "CMA-ES")]
    pub(crate) covariance: Option<CovarianceArg>,

    /// Stop when the mean squared error on the training rows is at most this [default: the paper's; for a
    /// file none]
    #[arg(long, value_name = "MSE", allow_negative_numbers = true, help_heading = "Stop")]
    pub(crate) target: Option<f64>,
    /// Maximum number of evaluated networks, such as 1e6; derivatives count as the evaluations that take
    /// equal time [default: 20 times the paper's mean, otherwise 1e8; for a file 1e7; at least 1000
    /// generations]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, help_heading = "Stop")]
    pub(crate) max_evaluations: Option<u64>,
    /// Stop after this many generations
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, help_heading = "Stop")]
    pub(crate) max_generations: Option<u64>,
    /// End the whole command after this time, such as 60s or 5min
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration, help_heading = "Stop")]
    pub(crate) time: Option<Duration>,
    /// Stop after this many generations without improvement
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, help_heading = "Stop")]
    pub(crate) stagnation: Option<u64>,
    /// Stop when no cost of the population exceeds the best by more than this fraction [default: 1e-9 with
    /// de and de-sb, otherwise none]
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true, help_heading = "Stop")]
    pub(crate) spread: Option<f64>,

    /// Penalty per unit of distance outside the sphere [default: 50]
    #[arg(long, value_name = "C", allow_negative_numbers = true, help_heading = "Cost")]
    pub(crate) penalty_weight: Option<f64>,
    /// Radius of the sphere: sqrt-dim, a number, or off [default: sqrt-dim]
    #[arg(long, value_name = "R", allow_negative_numbers = true, help_heading = "Cost")]
    pub(crate) penalty_radius: Option<Radius>,
    /// L2 penalty on all weights except output biases [default: 0; for a file without --target selected]
    #[arg(long, value_name = "C", allow_negative_numbers = true, help_heading = "Cost")]
    pub(crate) decay: Option<f64>,
    /// Drop the output of a hidden neuron if at most this fraction of its squared norm remains after
    /// projecting out the others [default: 1e-13]
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true, help_heading = "Cost")]
    pub(crate) rank_tolerance: Option<f64>,

    #[command(flatten)]
    pub(crate) input: DataArgs,
    /// Input scaling, estimated from the training rows: none, min-max, standard, or a number to divide by
    /// [default: none; for a file standard]
    #[arg(long, value_name = "HOW", allow_negative_numbers = true, help_heading = "Data")]
    pub(crate) scaling: Option<Scaling>,
    /// Scaling of the target of a regression, estimated from the training rows and reversed by the model
    /// [default: none; for a file standard]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Data")]
    pub(crate) target_scaling: Option<TargetScalingArg>,
    #[command(flatten)]
    pub(crate) table: TableArgs,

    /// Model file [default: named after data, topology, method and seed; none with --json]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Save the state of the run to this file, from which --resume continues; if that fails, you are told at
    /// once
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Time between checkpoints; one is also written on Ctrl-C
    #[arg(long, value_name = "TIME", default_value = "1min", allow_hyphen_values = true, value_parser = duration, help_heading = "Output")]
    pub(crate) checkpoint_every: Duration,
    /// Continue from this checkpoint, with the same data and settings; the result is that of an
    /// uninterrupted run. If it does not exist and is that of --checkpoint, the run starts anew
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) resume: Option<PathBuf>,
    /// Print one JSON object instead of a report
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

impl FitArgs {
    /// The settings given on the command line.
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            hidden: self.hidden.clone(),
            topology: self.topology.clone(),
            linear_part: self.linear_part,
            output_bias: self.output_bias,
            output_layer: self.output_layer.map(Into::into),
            temperature: self.temperature,
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
