//! Which rows train and which test: by a pattern, at random, or in folds.

use super::SplitRule;
use crate::Error;
use crate::rng::{Purpose, Streams};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which rows of a table train and which test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// All rows train.
    All,
    /// By an `a/b` pattern.
    Rule(SplitRule),
    /// At random, stratified by class.
    Fraction {
        /// Fraction of the rows that test, at least 0 and below 1.
        test: f64,
        /// Seed of the random numbers.
        seed: u64,
    },
    /// All rows train, and those of another file test.
    File(String),
}

impl Split {
    /// The rows that train and those that test, of `rows` rows; `classes` has the class of each, for a
    /// classification.
    pub(super) fn apply(
        &self,
        rows: usize,
        classes: Option<&[usize]>,
    ) -> Result<(Vec<usize>, Vec<usize>), Error> {
        match self {
            Self::All | Self::File(_) => Ok(((0..rows).collect(), Vec::new())),
            Self::Rule(rule) => Ok((0..rows).partition(|i| rule.trains(*i))),
            Self::Fraction { test, seed } => {
                if !(0.0..1.0).contains(test) {
                    return Err(Error::setting("test_fraction", test, "must be at least 0 and below 1"));
                }
                Ok(stratified(rows, classes, *test, *seed))
            }
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all rows"),
            Self::Rule(rule) => rule.fmt(f),
            Self::Fraction { test, seed } => {
                let percent = (test * 1e4).round() / 1e2;
                write!(f, "random split, {percent} % test, split seed {seed}")
            }
            Self::File(name) => write!(f, "test rows from {name}"),
        }
    }
}

/// The rows of each class in random order; all rows together where there are no classes.
fn shuffled(rows: usize, classes: Option<&[usize]>, seed: u64) -> Vec<Vec<usize>> {
    let groups = classes.and_then(|c| c.iter().max()).map_or(1, |most| most + 1);
    let mut shuffled = vec![Vec::new(); groups];
    for row in 0..rows {
        shuffled[classes.map_or(0, |c| c[row])].push(row);
    }
    for (i, group) in shuffled.iter_mut().enumerate() {
        let mut rng = Streams::new(seed, Purpose::Data, 0x5011).long(i);
        for k in (1..group.len()).rev() {
            group.swap(k, rng.below(k + 1));
        }
    }
    shuffled
}

/// The rows that train and those that test of a random split, stratified by class where there are classes.
pub(crate) fn stratified(
    rows: usize,
    classes: Option<&[usize]>,
    fraction: f64,
    seed: u64,
) -> (Vec<usize>, Vec<usize>) {
    let mut tests = vec![false; rows];
    // Cumulative rounding, so that the total is right; every class keeps a row to train.
    let (mut wanted, mut taken) = (0.0, 0_usize);
    for group in shuffled(rows, classes, seed) {
        wanted += fraction * group.len() as f64;
        let take = ((wanted.round() as usize).saturating_sub(taken)).min(group.len().saturating_sub(1));
        taken += take;
        group[..take].iter().for_each(|row| tests[*row] = true);
    }
    (0..rows).partition(|row| !tests[*row])
}

/// For each of `k` folds the rows that test, in their order.
pub(crate) fn folds(
    rows: usize,
    classes: Option<&[usize]>,
    k: usize,
    seed: u64,
) -> Result<Vec<Vec<usize>>, Error> {
    if k < 2 || k > rows {
        let expected = format!("must be at least 2 and at most the number of rows, {rows}");
        return Err(Error::setting("folds", k, expected));
    }
    let mut folds = vec![Vec::new(); k];
    // Round robin over the folds, class after class, so that every fold is stratified.
    for (i, row) in shuffled(rows, classes, seed).into_iter().flatten().enumerate() {
        folds[i % k].push(row);
    }
    folds.iter_mut().for_each(|fold| fold.sort_unstable());
    Ok(folds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_splits_are_stratified() {
        let classes: Vec<usize> =
            (0..100).map(|i| usize::from(i % 10 == 0) + 2 * usize::from(i == 99)).collect();
        let (train, test) = stratified(100, Some(&classes), 0.2, 7);
        assert_eq!((train.len(), test.len()), (80, 20));
        assert_eq!(test.iter().filter(|row| classes[**row] == 1).count(), 2);
        assert!(train.contains(&99), "the only row of a class trains");
        assert_eq!(stratified(100, Some(&classes), 0.2, 7), (train, test.clone()));
        assert_ne!(stratified(100, Some(&classes), 0.2, 8).1, test);
        assert_eq!(stratified(5, None, 0.0, 1).1.len(), 0);
        assert_eq!(stratified(1, None, 0.9, 1).0, [0]);
    }

    #[test]
    fn folds_test_every_row_once() {
        let classes: Vec<usize> = (0..53).map(|i| usize::from(i < 13)).collect();
        let folds = folds(53, Some(&classes), 5, 1).unwrap();
        let mut all: Vec<usize> = folds.concat();
        all.sort_unstable();
        assert_eq!(all, (0..53).collect::<Vec<_>>());
        for fold in &folds {
            assert!((10..=11).contains(&fold.len()));
            assert!((2..=3).contains(&fold.iter().filter(|row| classes[**row] == 1).count()));
        }
        assert!(super::folds(3, None, 4, 1).is_err() && super::folds(3, None, 1, 1).is_err());
    }
}
