//! Rows that belong together: groups that are not divided, and times, where later rows test.

use crate::Error;
use crate::rng::{Purpose, Streams};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// How rows belong together, which splits and folds respect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Related {
    /// The group of each row, from 0. Rows of a group all train or all test.
    Groups(Vec<usize>),
    /// The time of each row. No row is tested by a network that was trained on later rows.
    Times(Vec<f64>),
}

/// The rows that train and those that test.
type TrainAndTest = (Vec<usize>, Vec<usize>);

impl Related {
    /// The same for some of the rows.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Groups(of_rows) => Self::Groups(rows.iter().map(|row| of_rows[*row]).collect()),
            Self::Times(of_rows) => Self::Times(rows.iter().map(|row| of_rows[*row]).collect()),
        }
    }

    /// The order of two rows.
    pub(super) fn compare(&self, a: usize, b: usize) -> Ordering {
        match self {
            Self::Groups(of_rows) => of_rows[a].cmp(&of_rows[b]),
            Self::Times(of_rows) => of_rows[a].total_cmp(&of_rows[b]),
        }
    }

    /// Parts of rows that are not divided: groups in random order, or times in theirs.
    fn parts(&self, seed: u64) -> Vec<Vec<usize>> {
        match self {
            Self::Groups(of_rows) => {
                let mut parts = vec![Vec::new(); of_rows.iter().max().map_or(0, |most| most + 1)];
                of_rows.iter().enumerate().for_each(|(row, group)| parts[*group].push(row));
                parts.retain(|part| !part.is_empty());
                let mut rng = Streams::new(seed, Purpose::Data, 0x5012).long(0);
                for k in (1..parts.len()).rev() {
                    parts.swap(k, rng.below(k + 1));
                }
                parts
            }
            Self::Times(of_rows) => {
                let mut rows: Vec<usize> = (0..of_rows.len()).collect();
                rows.sort_by(|a, b| of_rows[*a].total_cmp(&of_rows[*b]));
                rows.chunk_by(|a, b| of_rows[*a].total_cmp(&of_rows[*b]).is_eq())
                    .map(<[usize]>::to_vec)
                    .collect()
            }
        }
    }

    /// Number of groups, or of different times.
    #[must_use]
    pub fn count(&self) -> usize {
        self.parts(0).len()
    }

    /// A split with about this fraction of test rows: whole groups, or the latest rows. At least one part
    /// trains.
    #[must_use]
    pub fn split(&self, fraction: f64, seed: u64) -> TrainAndTest {
        let mut parts = self.parts(seed);
        let rows: usize = parts.iter().map(Vec::len).sum();
        let wanted = fraction * rows as f64;
        let mut test = Vec::new();
        while parts.len() > 1
            && parts.last().is_some_and(|part| test.len() as f64 + part.len() as f64 / 2.0 < wanted)
        {
            test.extend(parts.pop().unwrap_or_default());
        }
        sorted(parts.concat(), test)
    }

    /// One of `k` folds, from 0. Groups: every row tests once. Times: `k + 1` parts one after the other, of
    /// which one tests what is learnt from those before it.
    ///
    /// # Errors
    /// If there are too few groups or times.
    pub fn fold(&self, fold: usize, k: usize, seed: u64) -> Result<TrainAndTest, Error> {
        let parts = self.parts(seed);
        let (least, what) = match self {
            Self::Groups(_) => (k, "groups"),
            Self::Times(_) => (k + 1, "different times minus one"),
        };
        if k < 2 || parts.len() < least {
            let most = parts.len() + k - least;
            let expected = format!("must be at least 2 and at most the number of {what}, {most}");
            return Err(Error::setting("folds", k, expected));
        }
        let (mut train, mut test) = (Vec::new(), Vec::new());
        match self {
            Self::Groups(_) => {
                // The largest groups first, each into the smallest fold.
                let mut parts = parts;
                parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
                let mut sizes = vec![0; k];
                for part in parts {
                    let smallest = (0..k).min_by_key(|i| sizes[*i]).unwrap_or(0);
                    sizes[smallest] += part.len();
                    if smallest == fold { test.extend(part) } else { train.extend(part) }
                }
            }
            Self::Times(_) => {
                let end = |i: usize| i * parts.len() / (k + 1);
                train.extend(parts[..end(fold + 1)].concat());
                test.extend(parts[end(fold + 1)..end(fold + 2)].concat());
            }
        }
        Ok(sorted(train, test))
    }
}

fn sorted(mut train: Vec<usize>, mut test: Vec<usize>) -> TrainAndTest {
    train.sort_unstable();
    test.sort_unstable();
    (train, test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_not_divided() {
        let groups: Vec<usize> = (0..100).map(|i| i * i % 17).collect();
        let related = Related::Groups(groups.clone());
        let are_apart = |(train, test): &TrainAndTest| {
            assert_eq!(train.len() + test.len(), 100);
            test.iter().all(|t| train.iter().all(|r| groups[*r] != groups[*t]))
        };
        let split = related.split(0.2, 1);
        assert!(are_apart(&split) && (8..=32).contains(&split.1.len()), "{}", split.1.len());
        assert_eq!(split, related.split(0.2, 1));
        let folds: Vec<TrainAndTest> = (0..4).map(|fold| related.fold(fold, 4, 1).unwrap()).collect();
        assert!(folds.iter().all(are_apart));
        assert_eq!(folds.iter().map(|(_, test)| test.len()).sum::<usize>(), 100);
        assert!(related.fold(0, 10, 1).is_err());
        assert_eq!(Related::Groups(vec![0; 5]).split(0.5, 1), ((0..5).collect(), Vec::new()));
    }

    #[test]
    fn later_rows_test() {
        let times: Vec<f64> = (0..60).map(|i| f64::from(i * 7 % 30)).collect();
        let related = Related::Times(times.clone());
        let is_later = |(train, test): &TrainAndTest| {
            test.iter().all(|t| train.iter().all(|r| times[*r] < times[*t])) && !test.is_empty()
        };
        let split = related.split(0.2, 1);
        assert!(is_later(&split) && split.1.len() == 12);
        for fold in 0..5 {
            assert!(is_later(&related.fold(fold, 5, 1).unwrap()), "{fold}");
        }
        assert!(related.fold(0, 30, 1).is_err());
        assert_eq!(related.select(&[3, 0]), Related::Times(vec![21.0, 0.0]));
    }
}
