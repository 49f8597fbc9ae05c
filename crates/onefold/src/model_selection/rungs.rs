//! The rungs of a race: which rows candidates are trained on and compared on, from few to many.

use super::settings::SelectionSettings;
use crate::data::{Related, folds, stratified, winner};
use crate::{Dataset, Error, TrainTest};

/// A race uses at most this many rows; of more, a random sample.
const MOST_ROWS: usize = 50_000;
/// Candidates are compared on at most this many rows of a fold.
const MOST_TESTED: usize = 4_000;
/// Training rows of the first rung of a large table; each following rung has four times as many.
const FIRST_SAMPLE: usize = 1_000;
const GROWTH: usize = 4;
/// Cross-validation is repeated only with fewer rows than this.
const REPEATED_ROWS: usize = 2_000;
/// With fewer rows than that, the intensified rung has so many times as many folds: what few rows hardly show,
/// still fewer may not show at all.
const MORE_FOLDS: usize = 2;
/// The folds of the first rungs on all rows; those that are left are tried in the last one.
const FIRST_FOLDS: [usize; 2] = [1, 2];

/// Rows to train on, and rows to compare candidates on.
pub(super) struct Part {
    /// Without test rows.
    pub(super) data: TrainTest,
    pub(super) test: Dataset,
    /// The places of the latter among the rows of the race.
    pub(super) rows: Vec<usize>,
}

/// A rung: some folds, and how many of their rows are trained on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rung {
    /// Repetition and number of each fold.
    pub(super) folds: Vec<(usize, usize)>,
    /// How many folds the rows are divided into.
    count: usize,
    /// Maximum number of training rows.
    pub(super) rows: usize,
    /// Whether a later rung has more training rows.
    pub(super) is_sample: bool,
    /// Whether the race goes on to it only while it is undecided.
    pub(super) is_optional: bool,
    /// Whether only the best few networks are trained, with more restarts: the last rung of all.
    pub(super) is_intensified: bool,
}

/// The rows of a race and its rungs.
pub(super) struct Rungs<'a> {
    data: std::borrow::Cow<'a, Dataset>,
    classes: Option<Vec<usize>>,
    related: Option<Related>,
    count: usize,
    seed: u64,
    pub(super) list: Vec<Rung>,
}

impl<'a> Rungs<'a> {
    pub(super) fn new(data: &'a Dataset, settings: &SelectionSettings, seed: u64) -> Self {
        let related = settings.related.as_deref();
        let (data, related) = match sample(data, MOST_ROWS, seed) {
            Some(rows) => (std::borrow::Cow::Owned(data.select(&rows)), related.map(|r| r.select(&rows))),
            None => (std::borrow::Cow::Borrowed(data), related.cloned()),
        };
        // Of times the first part only trains, and other seeds make no other folds.
        let (most, repeats) = match &related {
            None => (data.rows(), settings.repeats),
            Some(groups @ Related::Groups(_)) => (groups.count(), settings.repeats),
            Some(times @ Related::Times(_)) => (times.count().saturating_sub(1), 1),
        };
        let count = settings.folds.min(most).max(1);
        let of_fold = |count: usize| data.rows() - data.rows().div_ceil(count);
        let all = Rung {
            folds: Vec::new(),
            count,
            rows: of_fold(count),
            is_sample: false,
            is_optional: false,
            is_intensified: false,
        };
        let mut list = Vec::new();
        let mut rows = FIRST_SAMPLE;
        // A last step by less than half is not worth a rung.
        while rows * GROWTH / 2 < all.rows {
            list.push(Rung { folds: vec![(0, 0)], rows, is_sample: true, ..all.clone() });
            rows *= GROWTH;
        }
        let mut first = 0;
        for folds in FIRST_FOLDS.into_iter().chain([count]) {
            let end = (first + folds).min(count);
            let folds: Vec<(usize, usize)> = (first..end).map(|fold| (0, fold)).collect();
            if !folds.is_empty() {
                list.push(Rung { folds, ..all.clone() });
            }
            first = end;
        }
        let is_small = data.rows() < REPEATED_ROWS;
        let repeats = if is_small { repeats } else { 1 };
        for repeat in 1..=repeats {
            let is_intensified = repeat == repeats;
            let factor = if is_intensified && is_small { MORE_FOLDS } else { 1 };
            let count = (factor * count).min(most).max(1);
            let folds = (0..count).map(|fold| (repeat, fold)).collect();
            list.push(Rung {
                folds,
                count,
                rows: of_fold(count),
                is_optional: true,
                is_intensified,
                ..all.clone()
            });
        }
        Self { classes: classes(&data), related, data, count, seed, list }
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.data.rows()
    }

    pub(super) fn data(&self) -> &Dataset {
        &self.data
    }

    /// Number of folds.
    pub(super) fn folds(&self) -> usize {
        self.count
    }

    /// The last rung of all.
    pub(super) fn intensified(&self) -> &Rung {
        &self.list[self.list.len() - 1]
    }

    /// The rung before it.
    pub(super) fn last_regular(&self) -> &Rung {
        &self.list[self.list.len() - 2]
    }

    /// The rows of one fold of a rung.
    pub(super) fn part(&self, rung: &Rung, place: usize) -> Result<Part, Error> {
        let (repeat, fold) = rung.folds[place];
        let seed = self.seed.wrapping_add(repeat as u64);
        let (train, mut rows) = if let Some(related) = &self.related {
            related.fold(fold, rung.count, seed)?
        } else {
            let mut tests = folds(self.data.rows(), self.classes.as_deref(), rung.count, seed)?;
            let rows = tests.swap_remove(fold);
            ((0..self.data.rows()).filter(|row| rows.binary_search(row).is_err()).collect(), rows)
        };
        let mut train = self.data.select(&train);
        if let Some(sample) = sample(&train, rung.rows, seed) {
            train = train.select(&sample);
        }
        let mut test = self.data.select(&rows);
        if let Some(sample) = sample(&test, MOST_TESTED, seed) {
            rows = sample.iter().map(|i| rows[*i]).collect();
            test = test.select(&sample);
        }
        Ok(Part { data: TrainTest { train, ..TrainTest::default() }, test, rows })
    }
}

/// A random sample of the rows, stratified by class; none if there are no more than that.
fn sample(data: &Dataset, most: usize, seed: u64) -> Option<Vec<usize>> {
    let rows = data.rows();
    (rows > most).then(|| stratified(rows, classes(data).as_deref(), 1.0 - most as f64 / rows as f64, seed).0)
}

fn classes(data: &Dataset) -> Option<Vec<usize>> {
    data.classification.then(|| (0..data.rows()).map(|row| winner(&data.output(row))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(rows: usize) -> Dataset {
        let column: Vec<f64> = (0..rows).map(|i| i as f64).collect();
        Dataset {
            inputs: vec![column.clone().into()],
            outputs: vec![column],
            input_names: vec!["x".into()],
            output_names: vec!["y".into()],
            classification: false,
            weights: None,
        }
    }

    #[test]
    fn small_tables_are_tried_on_folds_and_large_ones_on_samples_first() {
        let settings = SelectionSettings::default();
        let folds = |rows: usize| -> Vec<(usize, usize)> {
            let data = data(rows);
            let rungs = Rungs::new(&data, &settings, 1);
            assert!(rungs.list.iter().rev().skip(1).all(|r| !r.is_intensified));
            rungs.list.iter().filter(|r| !r.is_intensified).map(|r| (r.folds.len(), r.rows)).collect()
        };
        assert_eq!(folds(3), [(1, 2), (2, 2), (3, 2), (3, 2)]);
        assert_eq!(folds(100), [(1, 80), (2, 80), (2, 80), (5, 80), (5, 80)]);
        assert_eq!(folds(10_000), [(1, 1_000), (1, 8_000), (2, 8_000), (2, 8_000)]);
        assert_eq!(
            folds(200_000),
            [(1, 1_000), (1, 4_000), (1, 16_000), (1, 40_000), (2, 40_000), (2, 40_000)]
        );
    }

    #[test]
    fn the_intensified_rung_of_a_small_table_leaves_fewer_rows_out() {
        let intensified = |rows: usize| {
            let data = data(rows);
            let rungs = Rungs::new(&data, &SelectionSettings::default(), 1);
            let rung = rungs.intensified();
            let parts = (0..rung.folds.len()).map(|place| rungs.part(rung, place).unwrap());
            let mut held_out: Vec<usize> = parts.flat_map(|part| part.rows).collect();
            held_out.sort_unstable();
            assert_eq!(held_out, (0..rows).collect::<Vec<_>>());
            (rung.folds.len(), rung.rows)
        };
        assert_eq!(intensified(100), (10, 90));
        assert_eq!(intensified(7), (7, 6));
        assert_eq!(intensified(2_000), (5, 1_600));
    }

    #[test]
    fn rows_of_a_part_are_in_their_places() {
        let data = data(30_000);
        let rungs = Rungs::new(&data, &SelectionSettings::default(), 1);
        let part = rungs.part(&rungs.list[0], 0).unwrap();
        assert_eq!((part.data.train.rows(), part.test.rows()), (1_000, 4_000));
        for (row, place) in part.rows.iter().enumerate() {
            assert_eq!(part.test.inputs[0][row].to_bits(), data.inputs[0][*place].to_bits());
            assert!(!part.data.train.inputs[0].contains(&data.inputs[0][*place]));
        }
    }
}
