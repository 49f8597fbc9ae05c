//! The settings of data: how it is loaded, read and split.

use super::values::{columns, count, number, size, text};
use crate::data::{
    Builtin, BuiltinSettings, Categories, ClassWeights, DateOrder, Decimal, Missing, Split, SplitKind,
    SplitRule, TableSettings, Task,
};
use crate::error::{Error, short};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The settings of data given by a user; the others keep their defaults.
///
/// Flags of the command line have the same names with dashes, keys of campaign cells have the same names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataOverrides {
    /// Training rows of a generated set. Default 200.
    #[serde(deserialize_with = "size")]
    pub samples: Option<usize>,
    /// Test rows of a generated set. Default 200.
    #[serde(deserialize_with = "size")]
    pub test_samples: Option<usize>,
    /// Standard deviation of the noise of a generated set. Default 0.005.
    #[serde(deserialize_with = "number")]
    pub noise: Option<f64>,
    /// Seed of a generated set. Default 1.
    #[serde(deserialize_with = "count")]
    pub data_seed: Option<u64>,
    /// Encoding of balance or tic-tac-toe. Default the paper's.
    pub encoding: Option<String>,

    /// Split by a pattern `A/B`: A training rows, then B test rows, and so on. Default that of the built-in
    /// set; for a file none.
    #[serde(deserialize_with = "text")]
    pub split: Option<SplitRule>,
    /// Where the pattern starts. Default that of the built-in set; for a file strict.
    pub split_kind: Option<SplitKind>,

    /// Columns to be predicted, by name or by number from 1. Only for files; default the last.
    #[serde(deserialize_with = "columns")]
    pub target_column: Vec<String>,
    /// Columns to ignore. Only for files; default none.
    #[serde(deserialize_with = "columns", alias = "ignore")]
    pub ignore_column: Vec<String>,
    /// Columns that identify rows. Only for files; default none.
    #[serde(deserialize_with = "columns")]
    pub id_column: Vec<String>,
    /// Columns of text, whose numbers are categories, too. Only for files; default detected.
    #[serde(deserialize_with = "columns")]
    pub text_column: Vec<String>,
    /// Column of groups, whose rows all train or all test. Only for files; default none.
    #[serde(deserialize_with = "text")]
    pub group_column: Option<String>,
    /// Column by which later rows test. Only for files; default none.
    #[serde(deserialize_with = "text")]
    pub split_by_time: Option<String>,
    /// Column with the weight of each row. Only for files; default none.
    #[serde(deserialize_with = "text")]
    pub weight_column: Option<String>,
    /// Weights of classes: "balanced", "NAME=WEIGHT,NAME=WEIGHT", or a map. Only for files; default none.
    pub class_weight: Option<ClassWeights>,
    /// Whether rows that are the same become one row with the sum of their weights. Only for files; default
    /// false.
    pub merge_duplicates: Option<bool>,
    /// Kind of task. Only for files; default classification if a target is text or numbers that look like
    /// labels, otherwise regression.
    pub task: Option<Task>,
    /// Encoding of text columns. Only for files; default one-hot.
    #[serde(alias = "words")]
    pub categories: Option<Categories>,
    /// Treatment of missing values. Only for files; default they are filled in, with an input that says
    /// where.
    pub missing: Option<Missing>,
    /// What separates the fraction of numbers: a point or a comma. Only for files; default detected for each
    /// column.
    pub decimal: Option<Decimal>,
    /// What separates the thousands of numbers, besides spaces and apostrophes: a comma or a point. Only for
    /// files; default detected for each column.
    pub thousands: Option<char>,
    /// Order of day and month in dates of numbers. Only for files; default detected for each column.
    pub date_order: Option<DateOrder>,
    /// Field delimiter. Only for files; default detected.
    pub delimiter: Option<char>,
    /// Whether the first line contains column names. Only for files; default detected.
    pub header: Option<bool>,
    /// Fraction of test rows in a random split, stratified by class. Only for files; default 0.2.
    #[serde(deserialize_with = "number")]
    pub test_fraction: Option<f64>,
    /// Seed of the random split, or of the folds. Only for files; default 1.
    #[serde(deserialize_with = "count")]
    pub split_seed: Option<u64>,
    /// Separate file with the test rows. Only for files; default none.
    pub test: Option<String>,
    /// Number of folds of a cross-validation. Only for files; default none.
    #[serde(deserialize_with = "size")]
    pub folds: Option<usize>,
}

impl DataOverrides {
    /// The names of all options.
    #[must_use]
    pub fn names() -> Vec<String> {
        let fields = serde_json::to_value(Self::default()).unwrap_or(Value::Null);
        fields.as_object().map_or(Vec::new(), |fields| fields.keys().cloned().collect())
    }

    /// The settings of a built-in set.
    ///
    /// # Errors
    /// Names the first option that is only for files, or does not apply to this data set.
    pub fn for_builtin(&self, builtin: Builtin) -> Result<BuiltinSettings, Error> {
        let of_file = [
            ("target_column", !self.target_column.is_empty()),
            ("ignore_column", !self.ignore_column.is_empty()),
            ("id_column", !self.id_column.is_empty()),
            ("text_column", !self.text_column.is_empty()),
            ("group_column", self.group_column.is_some()),
            ("split_by_time", self.split_by_time.is_some()),
            ("weight_column", self.weight_column.is_some()),
            ("class_weight", self.class_weight.is_some()),
            ("merge_duplicates", self.merge_duplicates.is_some()),
            ("task", self.task.is_some()),
            ("categories", self.categories.is_some()),
            ("missing", self.missing.is_some()),
            ("decimal", self.decimal.is_some()),
            ("thousands", self.thousands.is_some()),
            ("date_order", self.date_order.is_some()),
            ("delimiter", self.delimiter.is_some()),
            ("header", self.header.is_some()),
            ("test_fraction", self.test_fraction.is_some()),
            ("split_seed", self.split_seed.is_some()),
            ("test", self.test.is_some()),
            ("folds", self.folds.is_some()),
        ];
        refuse(&of_file, "files", || format!("the built-in {builtin}"))?;
        let mut split = self.split.map(|rule| match builtin.split() {
            Some(default) => SplitRule { kind: default.kind, ..rule },
            None => rule,
        });
        if let Some(kind) = self.split_kind {
            let wrong = || {
                let expected = format!("{builtin} is generated in two parts and has no split");
                Error::setting("split_kind", kind.name(), expected)
            };
            split = Some(SplitRule { kind, ..split.or(builtin.split()).ok_or_else(wrong)? });
        }
        let mut settings = BuiltinSettings {
            samples: self.samples,
            test_samples: self.test_samples,
            noise: self.noise,
            data_seed: self.data_seed,
            split,
            ..BuiltinSettings::default()
        };
        if let Some(text) = &self.encoding {
            settings.set_encoding(builtin, text)?;
        }
        Ok(settings)
    }

    /// How a file is read.
    ///
    /// # Errors
    /// Names the first option that is only for built-in sets.
    pub fn for_table(&self) -> Result<TableSettings, Error> {
        let of_builtin = [
            ("samples", self.samples.is_some()),
            ("test_samples", self.test_samples.is_some()),
            ("noise", self.noise.is_some()),
            ("data_seed", self.data_seed.is_some()),
            ("encoding", self.encoding.is_some()),
            ("split_kind", self.split_kind.is_some() && self.split.is_none()),
        ];
        refuse(&of_builtin, "built-in data sets", || "a file".into())?;
        Ok(TableSettings {
            delimiter: self.delimiter,
            header: self.header,
            target_column: self.target_column.clone(),
            ignore_column: self.ignore_column.clone(),
            id_column: self.id_column.clone(),
            text_column: self.text_column.clone(),
            group_column: self.group_column.clone(),
            split_by_time: self.split_by_time.clone(),
            weight_column: self.weight_column.clone(),
            class_weight: self.class_weight.clone(),
            merge_duplicates: self.merge_duplicates.unwrap_or(false),
            task: self.task,
            categories: self.categories.unwrap_or_default(),
            missing: self.missing.unwrap_or_default(),
            decimal: self.decimal_separator()?,
            date_order: self.date_order,
        })
    }

    /// What separates the fraction of numbers, as far as the two settings about it say.
    fn decimal_separator(&self) -> Result<Option<Decimal>, Error> {
        let by_thousands = match self.thousands {
            None => None,
            Some(',') => Some(Decimal::Point),
            Some('.') => Some(Decimal::Comma),
            Some(other) => {
                let expected = "must be a comma or a point; spaces and apostrophes need no setting";
                return Err(Error::setting("thousands", format!("{other:?}"), expected));
            }
        };
        match (self.decimal, by_thousands) {
            (Some(decimal), Some(other)) if decimal != other => {
                let value = format!("{:?}", decimal.char());
                Err(Error::setting("thousands", value, "must be another character than decimal"))
            }
            (decimal, by_thousands) => Ok(decimal.or(by_thousands)),
        }
    }

    /// Seed of the random split, or of the folds.
    #[must_use]
    pub fn split_seed(&self) -> u64 {
        self.split_seed.unwrap_or(1)
    }

    /// The split of a file, or `default` if none is given. With folds, all rows are training rows.
    ///
    /// # Errors
    /// If two options contradict each other.
    pub fn split_of_table(&self, default: Split) -> Result<Split, Error> {
        let given = [
            ("split", self.split.map(|rule| rule.to_string())),
            ("test", self.test.clone()),
            ("folds", self.folds.map(|folds| folds.to_string())),
            ("test_fraction", self.test_fraction.map(short)),
        ];
        let mut given = given.into_iter().filter_map(|(name, value)| Some((name, value?)));
        if let (Some((first, _)), Some((name, value))) = (given.next(), given.next()) {
            return Err(Error::setting(name, value, format!("must be left out where {first} is given")));
        }
        for (name, column) in [("group_column", &self.group_column), ("split_by_time", &self.split_by_time)] {
            if let Some(column) = column
                && (self.split.is_some() || self.test.is_some())
            {
                let expected = "must be left out where split or test says which rows test";
                return Err(Error::setting(name, format!("\"{column}\""), expected));
            }
        }
        if let (Some(column), Some(_)) = (&self.split_by_time, &self.group_column) {
            let expected = "must be left out where group_column is given";
            return Err(Error::setting("split_by_time", format!("\"{column}\""), expected));
        }
        let seed = self.split_seed();
        Ok(match (self.split, &self.test, self.folds) {
            (Some(rule), _, _) => {
                Split::Rule(SplitRule { kind: self.split_kind.unwrap_or(SplitKind::Strict), ..rule })
            }
            (None, Some(path), _) => Split::File(path.clone()),
            (None, None, Some(_)) => Split::All,
            (None, None, None) if self.test_fraction.is_some() || self.split_seed.is_some() => {
                Split::Fraction { test: self.test_fraction.unwrap_or(DEFAULT_TEST_FRACTION), seed }
            }
            (None, None, None) => default,
        })
    }

    /// The default split of a file: random, stratified by class, with a fifth of the rows as test rows.
    #[must_use]
    pub fn random_split(&self) -> Split {
        Split::Fraction { test: DEFAULT_TEST_FRACTION, seed: self.split_seed() }
    }
}

/// Default fraction of test rows of a file.
const DEFAULT_TEST_FRACTION: f64 = 0.2;

/// Returns an error if an option without effect on this kind of data is given.
fn refuse(
    given: &[(&'static str, bool)],
    only: &'static str,
    data: impl FnOnce() -> String,
) -> Result<(), Error> {
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Error::NoEffectOnData { name, only, data: data() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> DataOverrides {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn options_without_effect_are_refused() {
        let message = |e: Error| e.to_string();
        let table = read(r#"{"target_column": 2, "ignore": ["a", "b"], "words": "ordinal"}"#);
        let settings = table.for_table().unwrap();
        assert_eq!((settings.target_column, settings.categories), (vec!["2".into()], Categories::Ordinal));
        assert_eq!(
            message(table.for_builtin(Builtin::Sinc).unwrap_err()),
            "target_column is for files and has no effect on the built-in sinc; leave it out"
        );
        assert_eq!(
            message(read(r#"{"samples": 50}"#).for_table().unwrap_err()),
            "samples is for built-in data sets and has no effect on a file; leave it out"
        );
        let kind = read(r#"{"split_kind": "strict"}"#).for_builtin(Builtin::Sinc).unwrap_err();
        assert!(message(kind).contains("has no split"));
    }

    #[test]
    fn one_way_to_split_at_a_time() {
        let split = |text: &str| read(text).split_of_table(Split::All);
        assert_eq!(split("{}").unwrap(), Split::All);
        assert_eq!(split(r#"{"test_fraction": 0.5}"#).unwrap(), Split::Fraction { test: 0.5, seed: 1 });
        assert_eq!(split(r#"{"split_seed": 7}"#).unwrap(), Split::Fraction { test: 0.2, seed: 7 });
        assert_eq!(split(r#"{"split": "2/1"}"#).unwrap().to_string(), "2/1 strict");
        let both = split(r#"{"split": "2/1", "folds": 3}"#).unwrap_err().to_string();
        assert_eq!(both, "folds is 3, but must be left out where split is given");
    }
}
