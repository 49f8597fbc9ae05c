//! Flags of the commands that use a model file.

use super::LinesArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const PREDICT_EXAMPLES: &str = "\
Examples:
  onefold predict model.json new.csv                 one line of CSV for each row, on standard output
  onefold predict model.json new.csv -o out.csv --id-column name
  onefold predict model.json - < new.csv             from standard input

A text that a spreadsheet would take for a formula gets an apostrophe in front: one that begins, also after spaces,
with =, +, - or @, with one of these in full width, or with a tab or a line end. Numbers do not. Characters that
control a terminal are written as escapes. --raw writes texts as they are.

If both the model and the file have column names, columns are found by name, in any order, and others are ignored.
Otherwise they are found by position: the file has all columns of the training file, all but the targets, or only
the inputs. A row with a missing value gets an empty prediction if such rows were dropped in training, and is an
error if they were an error in training. A text that was not in the training rows counts as their average: the row
is counted on standard error, and named in a column of its own with --mark-unknown.";

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

For a classification the error is that of the scores, whose targets are 1 for the row's class and 0 for the others.
Scores are least-squares outputs, not probabilities; for the log loss they are clipped to [1e-6, 1] and divided by
their sum.";

#[derive(Args, Debug)]
#[command(after_help = EVALUATE_EXAMPLES)]
pub(crate) struct EvaluateArgs {
    /// Model file, as `onefold fit` writes it
    pub(crate) model: PathBuf,
    /// CSV file that contains the targets, - for standard input, or built-in data set
    pub(crate) data: String,
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
