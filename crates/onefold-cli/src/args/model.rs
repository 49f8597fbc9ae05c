//! What is done with a model file.

use super::LinesArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const PREDICT_EXAMPLES: &str = "\
Examples:
  onefold predict model.json new.csv                 one line of CSV for each row, on standard output
  onefold predict model.json new.csv -o out.csv --id-column name
  onefold predict model.json - < new.csv             from standard input

Columns are found by name where the model and the file have names, in any order, and others are ignored; without
names by number: the file has all columns of training, all but the targets, or nothing but the inputs. A row with a
missing value gets an empty answer if rows like it were left out in training, and is refused if they were refused.";

#[derive(Args, Debug)]
#[command(after_help = PREDICT_EXAMPLES)]
pub(crate) struct PredictArgs {
    /// A model file, as `onefold fit` writes it
    pub(crate) model: PathBuf,
    /// A CSV file, - for standard input, or a built-in data set
    #[arg(add = crate::values::data_name())]
    pub(crate) data: String,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) lines: LinesArgs,
}

const EVALUATE_EXAMPLES: &str = "\
Examples:
  onefold evaluate model.json test.csv
  onefold evaluate model.json test.csv --json
  onefold evaluate model.json iris --part all        a built-in set: its test rows, its training rows, or all

For a classification the error is that of the scores, 1 for the row's class and 0 for the others. Scores are
least-squares outputs and no probabilities; for the log-loss they are clipped to [1e-6, 1] and divided by their sum.";

#[derive(Args, Debug)]
#[command(after_help = EVALUATE_EXAMPLES)]
pub(crate) struct EvaluateArgs {
    /// A model file, as `onefold fit` writes it
    pub(crate) model: PathBuf,
    /// A CSV file with the targets in it, - for standard input, or a built-in data set
    pub(crate) data: String,
    /// Which rows of a built-in set [default: test]
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
    /// the rows that train
    Train,
    /// the rows that test
    Test,
    /// all rows
    All,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// A model file, as `onefold fit` writes it
    pub(crate) model: PathBuf,
    /// Print all weights
    #[arg(long, conflicts_with = "json")]
    pub(crate) weights: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
