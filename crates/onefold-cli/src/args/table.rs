//! Flags that say how a table is read and split.

use super::DataArgs;
use super::choices::{CategoriesArg, DateOrderArg, MissingArg, TaskArg};
use crate::values::{count, decimal, delimiter, size, yes_or_no};
use clap::Args;
use onefold::data::{ClassWeights, Decimal};
use onefold::{DataOverrides, RowSettings};
use std::path::PathBuf;

/// The format of the lines of a file.
#[derive(Args, Debug, Default)]
pub(crate) struct LinesArgs {
    /// Field delimiter, such as , or ; or tab [default: detected]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, allow_hyphen_values = true, help_heading = "Table")]
    delimiter: Option<char>,
    /// Whether the first line contains column names: yes or no [default: detected]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no, help_heading = "Table")]
    header: Option<bool>,
    /// Column that identifies rows, by name or by number from 1: not an input, but copied to the
    /// predictions; may be repeated
    #[arg(long, value_name = "COLUMN", help_heading = "Table")]
    id_column: Vec<String>,
}

impl LinesArgs {
    /// The first of these flags that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--delimiter", self.delimiter.is_some()),
            ("--header", self.header.is_some()),
            ("--id-column", !self.id_column.is_empty()),
        ];
        flags.into_iter().find(|(_, is_given)| *is_given).map(|(flag, _)| flag)
    }

    /// How rows for a trained model are read.
    pub(crate) fn rows(&self, targets: bool) -> RowSettings {
        RowSettings {
            delimiter: self.delimiter,
            header: self.header,
            id_column: self.id_column.clone(),
            targets,
            weight_column: None,
        }
    }

    /// The options given on the command line.
    pub(crate) fn overrides(&self) -> DataOverrides {
        DataOverrides {
            delimiter: self.delimiter,
            header: self.header,
            id_column: self.id_column.clone(),
            ..DataOverrides::default()
        }
    }
}

/// How a table is divided into training and test rows.
#[derive(Args, Debug, Default)]
pub(crate) struct TableArgs {
    #[command(flatten)]
    lines: LinesArgs,
    /// Column to predict, by name or by number from 1; several separated by commas or repeated [default: the
    /// last]
    #[arg(long, value_name = "COLUMN", help_heading = "Table")]
    target_column: Vec<String>,
    /// Column to ignore; several separated by commas or repeated
    #[arg(long, value_name = "COLUMN", help_heading = "Table")]
    ignore_column: Vec<String>,
    /// Column of text, in which numbers are categories, too; several separated by commas or repeated
    /// [default: columns with more words than numbers]
    #[arg(long, value_name = "COLUMN", help_heading = "Table")]
    text_column: Vec<String>,
    /// Column of groups, by name or by number from 1: its rows all train or all test, also in folds; not an
    /// input
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["split", "test"], help_heading = "Table")]
    group_column: Option<String>,
    /// Column of dates or numbers: the latest rows test, and folds test later rows than they train on
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["split", "test", "group_column"], help_heading = "Table")]
    split_by_time: Option<String>,
    /// Column with the weight of each row, by name or by number from 1: a number of at least 0, as good as so
    /// many rows like it; not an input
    #[arg(long, value_name = "COLUMN", help_heading = "Table")]
    weight_column: Option<String>,
    /// Weights of the classes in training: balanced, where all classes count the same, or NAME=WEIGHT,...,
    /// where others count 1
    #[arg(long, value_name = "balanced|NAME=WEIGHT,...", help_heading = "Table")]
    class_weight: Option<ClassWeights>,
    /// Train on equal rows as one row with the sum of their weights, so that copies of a row never stand on
    /// both sides of a comparison between networks
    #[arg(long, help_heading = "Table")]
    merge_duplicates: bool,
    /// What to learn [default: classification if the target is text, two different numbers, or at most ten
    /// different whole numbers close together; otherwise regression]
    #[arg(long, value_enum, help_heading = "Table")]
    task: Option<TaskArg>,
    /// Encoding of text columns [default: one-hot]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Table")]
    categories: Option<CategoriesArg>,
    /// Treatment of missing values (empty, ?, NA, N/A, nan, null; among numbers also None, #N/A, - and the
    /// like) [default: indicate]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Table")]
    missing: Option<MissingArg>,
    /// What separates the fraction of numbers: . or , [default: detected for each column]
    #[arg(long, value_name = "CHAR", value_parser = decimal, help_heading = "Table")]
    decimal: Option<Decimal>,
    /// What separates the thousands of numbers, besides spaces and apostrophes: , or . [default: detected for
    /// each column]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "Table")]
    thousands: Option<char>,
    /// What comes first in dates like 03/04/2021 [default: detected for each column]
    #[arg(long, value_enum, value_name = "ORDER", help_heading = "Table")]
    date_order: Option<DateOrderArg>,
    /// Fraction of test rows in a random split, stratified by class [default: 0.2]
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true, conflicts_with_all = ["split", "test", "folds"], help_heading = "Table")]
    test_fraction: Option<f64>,
    /// Seed of the random split, or of the folds [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, conflicts_with_all = ["split", "test"], help_heading = "Table")]
    split_seed: Option<u64>,
    /// Separate file with the test rows
    #[arg(long, value_name = "FILE", conflicts_with_all = ["split", "folds"], help_heading = "Table")]
    pub(crate) test: Option<PathBuf>,
    /// K-fold cross-validation, followed by training on all rows; a checkpoint contains only this last
    /// training
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = size, conflicts_with = "split", help_heading = "Table")]
    pub(crate) folds: Option<usize>,
}

impl TableArgs {
    /// The options given on the command line, together with those of built-in data sets.
    pub(crate) fn overrides(&self, data: &DataArgs) -> DataOverrides {
        let DataOverrides { delimiter, header, id_column, .. } = self.lines.overrides();
        DataOverrides {
            delimiter,
            header,
            id_column,
            target_column: self.target_column.clone(),
            ignore_column: self.ignore_column.clone(),
            text_column: self.text_column.clone(),
            group_column: self.group_column.clone(),
            split_by_time: self.split_by_time.clone(),
            weight_column: self.weight_column.clone(),
            class_weight: self.class_weight.clone(),
            merge_duplicates: self.merge_duplicates.then_some(true),
            task: self.task.map(Into::into),
            categories: self.categories.map(Into::into),
            missing: self.missing.map(Into::into),
            decimal: self.decimal,
            thousands: self.thousands,
            date_order: self.date_order.map(Into::into),
            test_fraction: self.test_fraction,
            split_seed: self.split_seed,
            test: self.test.as_ref().map(|path| path.display().to_string()),
            folds: self.folds,
            ..data.overrides()
        }
    }

    /// How the rows of the file given with `--test` are read.
    pub(crate) fn rows(&self) -> RowSettings {
        RowSettings { id_column: Vec::new(), ..self.lines.rows(true) }
    }
}
