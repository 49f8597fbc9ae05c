//! The command line's grammar.

mod data;
mod model;
mod table;

pub(crate) use data::DataArgs;
pub(crate) use model::{EvaluateArgs, Part, PredictArgs, ShowArgs};
pub(crate) use table::{LinesArgs, TableArgs};

use crate::campaign::table::{Format, View};
use crate::values::{align, at_least_one, count, method, positive, size, yes_or_no};
use clap::{Args, Parser, Subcommand, ValueEnum};
use onefold::{
    Alignment, Categories, CmaPreset, Covariance, Crossover, Dither, Interval, Method, Missing, Mutation,
    Overrides, Radius, Reference, Scaling, SplitKind, TargetScaling, Task,
};
use std::path::PathBuf;
use std::time::Duration;

/// Train small neural networks by global search, in one fold of their symmetric parameter space.
#[derive(Parser, Debug)]
#[command(
    name = "onefold",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    max_term_width = 110
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Train a network
    Fit(Box<FitArgs>),
    /// List the built-in data sets, or show one
    Datasets(DatasetsArgs),
    /// Answers of a model for the rows of a table
    Predict(PredictArgs),
    /// How well a model does on the rows of a table
    Evaluate(EvaluateArgs),
    /// Show a model file
    Show(ShowArgs),
    /// Write a model for other programs: ONNX, C, Rust, JavaScript or Python
    Export(crate::export::ExportArgs),
    /// Measure how fast this machine trains, beside what it could do at best
    Bench(BenchArgs),
    /// Run the paper's experiments, or your own campaign, and set the numbers beside the paper's
    Reproduce(ReproduceArgs),
    /// Find the population size of a cell as the paper did: no run fails, fewest evaluations
    Tune(TuneArgs),
    /// Make tables, figures or one page of the records of a campaign
    Report(ReportArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

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

    /// Training method: auto, hybrid, multistart, de, de-sb, cma-es, cma-es-sb, cma-es-ipop, cma-es-bipop,
    /// jade, shade, l-shade or jso
    #[arg(long, default_value_t = Method::AUTO, value_parser = method, help_heading = "Search")]
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

    /// How de-sb, cma-es-sb, jade, shade, l-shade and jso break symmetries: none, heuristic (the paper's),
    /// ideal or canonical
    /// [default: heuristic; cma-es-sb ideal]
    #[arg(long, value_name = "HOW", value_parser = align, help_heading = "Search")]
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
    /// out the others [default: 1e-12]
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

#[derive(Args, Debug)]
pub(crate) struct DatasetsArgs {
    /// A data set
    pub(crate) name: Option<String>,
    /// Print its rows as the classic file has them, without a header
    #[arg(long, requires = "name", conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) input: DataArgs,
}

#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Only the cells of this data set
    #[arg(conflicts_with = "scaling")]
    pub(crate) data: Option<String>,
    /// Time against samples, width, depth, population and dimension instead
    #[arg(long)]
    pub(crate) scaling: bool,
    /// What slopes cost, in evaluations, instead
    #[arg(long, conflicts_with = "scaling")]
    pub(crate) slopes: bool,
    /// Longest time of one run, in seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 0.5, value_parser = positive)]
    pub(crate) seconds: f64,
    /// Runs of each kind
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 3, value_parser = at_least_one)]
    pub(crate) repeats: usize,
    /// Instruction set: portable, avx2 or avx512 [default: the fastest there is]
    #[arg(long, value_name = "NAME")]
    pub(crate) isa: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  onefold reproduce --quick                          seconds: a subset that shows DE-SB ahead of DE
  onefold reproduce --cells 'iris/*'                 all methods on iris; * stands for anything
  onefold reproduce                                  everything: hours; finished trials are never repeated
  onefold reproduce --shard 3/8                      the third of eight array jobs, on one store
  onefold reproduce --campaign mine.toml             a campaign of your own, written like experiments/paper.toml

Ctrl-C stops at once and loses at most the trials that were running; long ones continue where they were.";

#[derive(Args, Debug)]
#[command(after_help = REPRODUCE_EXAMPLES)]
pub(crate) struct ReproduceArgs {
    /// A campaign file [default: the paper's, built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) campaign: Option<PathBuf>,
    /// Only cells whose name matches, such as 'sinc/*'; * stands for anything
    #[arg(long, value_name = "PATTERN")]
    pub(crate) cells: Option<String>,
    /// Only the cells of these tables, separated by commas, such as regression or classification
    #[arg(long, value_name = "NAMES")]
    pub(crate) table: Option<String>,
    /// At most this many runs of each cell
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) runs: Option<usize>,
    /// Only a subset that takes less than a minute
    #[arg(long)]
    pub(crate) quick: bool,
    /// Folder of the records [default: results/ and the campaign's name]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Only this share of the trials: I of N, from 1
    #[arg(long, value_name = "I/N", value_parser = crate::values::shard)]
    pub(crate) shard: Option<(usize, usize)>,
    /// Trials at a time, 0 for one per core
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = size)]
    pub(crate) threads: usize,
    /// How often a running trial saves its state, to go on from there
    #[arg(long, value_name = "TIME", default_value = "1min", allow_hyphen_values = true, value_parser = humantime::parse_duration)]
    pub(crate) checkpoint_every: Duration,
    /// How the tables are written
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    pub(crate) format: Format,
    /// The same as --format json
    #[arg(long)]
    pub(crate) json: bool,
}

const TUNE_EXAMPLES: &str = "\
Examples:
  onefold tune syn5/1-3-1/de-sb                      races populations around the cell's own
  onefold tune 'iris/*/de' --runs 20 -o iris.toml    the cell with its new population, as a campaign file

Populations 1.5 times apart begin with a tenth of the runs; those in which a run fails, or that need significantly more
evaluations than the best, leave the race. Every run is kept in the store, and an interrupted race goes on.";

#[derive(Args, Debug)]
#[command(after_help = TUNE_EXAMPLES)]
pub(crate) struct TuneArgs {
    /// The cell, such as sinc/1-5-1/de-sb; * stands for anything
    pub(crate) cell: String,
    /// A campaign file [default: the paper's, built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) campaign: Option<PathBuf>,
    /// Runs that must all succeed
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 50, value_parser = at_least_one)]
    pub(crate) runs: usize,
    /// Smallest population [default: a quarter of the cell's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size)]
    pub(crate) from: Option<usize>,
    /// Largest population [default: four times the cell's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size)]
    pub(crate) to: Option<usize>,
    /// Folder of the records [default: results/tune]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Trials at a time, 0 for one per core
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = size)]
    pub(crate) threads: usize,
    /// Write the cell with its new population to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

const REPORT_EXAMPLES: &str = "\
Examples:
  onefold report results/paper                       tables on the terminal
  onefold report results/paper -o report.html        one page with tables and figures, readable without network
  onefold report results/paper -o table.tex          by the ending: html, md, csv, tex, json
  onefold report results/paper --figures figures     every figure as SVG and PNG";

#[derive(Args, Debug)]
#[command(after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportArgs {
    /// The folder with the records
    pub(crate) store: PathBuf,
    /// The campaign file [default: the one in the store]
    #[arg(long, value_name = "FILE")]
    pub(crate) campaign: Option<PathBuf>,
    /// Only cells whose name matches, such as 'sinc/*'; * stands for anything
    #[arg(long, value_name = "PATTERN")]
    pub(crate) cells: Option<String>,
    /// Only the cells of these tables, separated by commas
    #[arg(long, value_name = "NAMES")]
    pub(crate) table: Option<String>,
    /// How it is written [default: by the ending of --output; terminal without]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// A short table in Markdown instead of the full ones
    #[arg(long, value_enum)]
    pub(crate) view: Option<View>,
    /// Also write every figure to this folder, as SVG and PNG
    #[arg(long, value_name = "DIR")]
    pub(crate) figures: Option<PathBuf>,
}

macro_rules! value_enum {
    ($(#[$doc:meta])* $name:ident = $target:ident { $($(#[$help:meta])* $variant:ident),* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $($(#[$help])* $variant),* }
        impl From<$name> for $target {
            fn from(arg: $name) -> Self {
                match arg { $($name::$variant => Self::$variant),* }
            }
        }
    };
}

value_enum! { MutationArg = Mutation {
    /// r1 + F (r2 - r3), the paper's
    Rand1,
    /// best + F (r1 - r2)
    Best1,
    /// parent + F (best - parent) + F (r1 - r2)
    CurrentToBest1,
    /// r1 + F (r2 - r3) + F (r4 - r5)
    Rand2,
    /// best + F (r1 - r2) + F (r3 - r4)
    Best2
} }
value_enum! { ReferenceArg = Reference {
    /// the best individual
    Best,
    /// the mean of the population
    Mean,
    /// one of the best tenth
    Elite
} }

value_enum! { CrossoverArg = Crossover {
    /// each coordinate by itself, the paper's
    Binomial,
    /// a run of neighbouring coordinates
    Exponential
} }
value_enum! { PresetArg = CmaPreset {
    /// the C reference implementation, the paper's
    Reference,
    /// Hansen's tutorial of 2023, with active update
    Tutorial,
    /// pycma 4.5: the tutorial's, with more damping for large populations
    Pycma
} }
value_enum! { CovarianceArg = Covariance {
    /// the full covariance matrix
    Full,
    /// its diagonal, for very many parameters
    Diagonal
} }
value_enum! { SplitKindArg = SplitKind {
    /// the first A rows train, the paper's words
    Strict,
    /// one row earlier, the paper's counts
    Shifted
} }

value_enum! { TargetScalingArg = TargetScaling {
    /// as they are
    None,
    /// mean 0 and standard deviation 1
    Standard
} }
value_enum! { TaskArg = Task {
    /// numbers
    Regression,
    /// classes
    Classification
} }
value_enum! { CategoriesArg = Categories {
    /// one input for each word
    OneHot,
    /// the word's place in alphabetical order
    Ordinal,
    /// words are not accepted
    Refuse
} }
value_enum! { MissingArg = Missing {
    /// the file is not accepted
    Refuse,
    /// the row is left out
    Drop,
    /// the mean of the training rows; where a word or target is missing, the row is left out
    Mean
} }

value_enum! { DitherArg = Dither {
    /// once for each generation
    Generation,
    /// for each trial vector
    Trial
} }

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_grammar_is_consistent() {
        Cli::command().debug_assert();
    }
}
