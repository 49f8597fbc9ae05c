//! Flags of the commands that use a model file.

use super::LinesArgs;
use crate::values::{count, metric, size};
use clap::{Args, ValueEnum};
use onefold::scores::Metric;
use std::path::PathBuf;

const PREDICT_EXAMPLES: &str = "\
Examples:
  onefold predict model.json new.csv                 one line of CSV for each row, on standard output
  onefold predict model.json new.csv -o out.csv --id-column name
  onefold predict model.json - < new.csv             from standard input
  onefold predict model.json new.csv --interval 0.9  with the interval that contains 9 of 10 true values

A text that a spreadsheet would take for a formula gets an apostrophe in front: one that begins, also after spaces, \
with =, +, - or @, with one of these in full width, or with a tab or a line end. Numbers do not. Characters that \
control a terminal are written as escapes. --raw writes texts as they are.

If both the model and the file have column names, columns are found by name, in any order, and others are ignored. \
Otherwise they are found by position: the file has all columns of the training file, all but the targets, or only \
the inputs. A row with a missing value gets an empty prediction if such rows were dropped in training, and is an \
error if they were an error in training. A text that was not in the training rows counts as their average: the row \
is counted on standard error, and named in a column of its own with --mark-unknown.

An interval is the prediction plus and minus a constant of the model, from errors on held-out rows: those of --folds, \
else those of the selection of the network. It holds for rows like those of training, on average over them.";

#[derive(Args, Debug)]
#[command(after_help = PREDICT_EXAMPLES)]
pub(crate) struct PredictArgs {
    /// Model file, as `onefold fit` writes it
    pub(crate) model: PathBuf,
    /// CSV file, - for standard input, or built-in data set
    #[arg(add = crate::values::data_name())]
    pub(crate) data: String,
    /// Write to this file instead of standard output; a file of this name is replaced
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Add columns TARGET_lower and TARGET_upper, between which this fraction of true values is expected:
    /// above 0 and below 1, such as 0.9; for numbers
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    pub(crate) interval: Option<f64>,
    /// For two classes: predict the second one, in the order of the columns, where its probability is at
    /// least this, instead of where it is the larger one; from 0 to 1
    #[arg(long, value_name = "P", allow_negative_numbers = true, value_parser = crate::values::probability)]
    pub(crate) threshold: Option<f64>,
    /// Add a column `unknown` that lists the row's texts that were not in the training rows, such as
    /// colour=violet
    #[arg(long)]
    pub(crate) mark_unknown: bool,
    /// Write texts as they are, for programs, also where a spreadsheet would take them for formulas
    #[arg(long)]
    pub(crate) raw: bool,
    #[command(flatten)]
    pub(crate) lines: LinesArgs,
}

const EVALUATE_EXAMPLES: &str = "\
Examples:
  onefold evaluate model.json test.csv
  onefold evaluate model.json test.csv --json
  onefold evaluate model.json iris --part all        all rows of a built-in data set, not only its test rows

R² is the fraction of the variance explained, RMSE the root of the mean squared error (MSE), MAE the mean absolute \
error, all in the units of the target. AUC and average precision are means over classes, each against all others. \
The Brier score is the mean of the squared differences between probabilities and classes, summed over classes, of two \
classes half of that; the calibration error is the mean distance between probabilities of predicted classes and how \
often they are right, in ten bins of equal width. The MSE of a classification is against 1 for the row's class and 0 \
for the others. Where outputs are least-squares scores and not probabilities, they are clipped to [1e-6, 1] and \
divided by their sum for log loss, Brier score and calibration error. --json has all of them, and those of each class \
or target.";

#[derive(Args, Debug)]
#[command(after_help = EVALUATE_EXAMPLES)]
pub(crate) struct EvaluateArgs {
    /// Model file, as `onefold fit` writes it
    pub(crate) model: PathBuf,
    /// CSV file that contains the targets, - for standard input, or built-in data set
    pub(crate) data: String,
    /// Column with the weight of each row, by name or by number from 1 [default: that of training, where the
    /// file has it]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight_column: Option<String>,
    /// Rows of a built-in data set [default: test]
    #[arg(long, value_enum)]
    pub(crate) part: Option<Part>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) lines: LinesArgs,
}

const IMPORTANCE_EXAMPLES: &str = "\
Examples:
  onefold importance model.json test.csv
  onefold importance model.json test.csv --metric auc --repeats 20
  onefold importance model.json iris --json

The values of one column at a time are exchanged at random between rows, all inputs that the column becomes together, \
and the model is measured again. What it loses is the column's importance; near 0, the model does without the column. \
Use rows that were not in training. Of columns that say the same, each may seem unimportant, as the model has the \
other. The interval is for other rows like these.";

#[derive(Args, Debug)]
#[command(after_help = IMPORTANCE_EXAMPLES)]
pub(crate) struct ImportanceArgs {
    /// Model file, as `onefold fit` writes it
    pub(crate) model: PathBuf,
    /// CSV file that contains the targets, - for standard input, or built-in data set
    #[arg(add = crate::values::data_name())]
    pub(crate) data: String,
    /// What the model is measured by [default: log-loss for classes, otherwise rmse]
    #[arg(long, value_name = "METRIC", value_parser = metric())]
    pub(crate) metric: Option<Metric>,
    /// How often each column is permuted [default: 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size)]
    pub(crate) repeats: Option<usize>,
    /// Seed of the permutations [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) seed: Option<u64>,
    /// The most rows that are used, of more a random sample [default: 10000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size)]
    pub(crate) rows: Option<usize>,
    /// Worker threads, 0 for one per core [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = size)]
    pub(crate) threads: Option<usize>,
    /// Rows of a built-in data set [default: test]
    #[arg(long, value_enum)]
    pub(crate) part: Option<Part>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) lines: LinesArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// the training rows
    Train,
    /// the test rows
    Test,
    /// all rows
    All,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// Model file, as `onefold fit` writes it
    pub(crate) model: PathBuf,
    /// Print all weights
    #[arg(long, conflicts_with = "json")]
    pub(crate) weights: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
