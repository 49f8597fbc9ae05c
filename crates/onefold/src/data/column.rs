//! A column of numbers: its own, or those that somebody else keeps, which are read and not copied.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, OnceLock};

/// Numbers that stay where they are, such as a column of an array of another language.
///
/// They should not change while they are used. If they do, results are those of numbers from before and after
/// the change, or an error.
#[allow(clippy::len_without_is_empty, reason = "columns ask for the length alone")]
pub trait Numbers: Debug + Send + Sync {
    /// How many there are; this does not change.
    fn len(&self) -> usize;

    /// The number of a row.
    ///
    /// # Panics
    /// If there is no such row.
    fn get(&self, row: usize) -> f64;

    /// Copies the numbers of the rows from `first` on.
    ///
    /// # Panics
    /// If there are not so many.
    fn read(&self, first: usize, to: &mut [f64]) {
        to.iter_mut().enumerate().for_each(|(i, to)| *to = self.get(first + i));
    }
}

/// A column of numbers: a vector, or [numbers](Numbers) that are kept elsewhere and that clones share.
///
/// A column is a slice. The slice of shared numbers is a copy, made when it is first asked for and kept as
/// long as the column; training reads them by [`get`](Self::get), [`part`](Self::part) and
/// [`values`](Self::values), which leave them where they are.
///
/// ```
/// use onefold::data::{Column, Numbers};
/// use std::sync::Arc;
///
/// #[derive(Debug)]
/// struct Squares;
///
/// impl Numbers for Squares {
///     fn len(&self) -> usize {
///         4
///     }
///     fn get(&self, row: usize) -> f64 {
///         (row * row) as f64
///     }
/// }
///
/// let mut column = Column::shared(Arc::new(Squares));
/// assert_eq!((column.get(2), column.is_copied()), (4.0, false));
/// assert_eq!(column, [0.0, 1.0, 4.0, 9.0]);
/// column.push(16.0);
/// assert_eq!(column[3..], [9.0, 16.0]);
/// assert_eq!(column, Column::from(vec![0.0, 1.0, 4.0, 9.0, 16.0]));
/// ```
#[derive(Clone, Debug)]
pub struct Column(Values);

#[derive(Clone, Debug)]
enum Values {
    Own(Vec<f64>),
    Shared {
        numbers: Arc<dyn Numbers>,
        /// What the slice is of.
        copy: OnceLock<Vec<f64>>,
    },
}

impl Column {
    /// Numbers that are kept elsewhere.
    #[must_use]
    pub fn shared(numbers: Arc<dyn Numbers>) -> Self {
        Self(Values::Shared { numbers, copy: OnceLock::new() })
    }

    /// Whether it holds its numbers, or a copy of shared ones.
    #[must_use]
    pub fn is_copied(&self) -> bool {
        match &self.0 {
            Values::Own(_) => true,
            Values::Shared { copy, .. } => copy.get().is_some(),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Values::Own(values) => values.len(),
            Values::Shared { numbers, .. } => numbers.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> f64 {
        match &self.0 {
            Values::Own(values) => values[row],
            Values::Shared { numbers, .. } => numbers.get(row),
        }
    }

    /// The numbers of some rows; shared ones are copied into the buffer.
    ///
    /// # Panics
    /// If there are no such rows.
    #[must_use]
    pub fn part<'a>(&'a self, rows: Range<usize>, buffer: &'a mut Vec<f64>) -> &'a [f64] {
        match &self.0 {
            Values::Own(values) => &values[rows],
            Values::Shared { numbers, .. } => {
                buffer.resize(rows.len(), 0.0);
                numbers.read(rows.start, buffer);
                buffer
            }
        }
    }

    /// All numbers; of shared ones a copy that is not kept.
    #[must_use]
    pub fn values(&self) -> Cow<'_, [f64]> {
        match &self.0 {
            Values::Own(values) => Cow::Borrowed(values),
            Values::Shared { numbers, .. } => Cow::Owned(copied(&**numbers)),
        }
    }

    /// The numbers of some rows, copied.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        rows.iter().map(|row| self.get(*row)).collect()
    }

    /// Adds a number.
    pub fn push(&mut self, value: f64) {
        self.own().push(value);
    }

    /// Its own numbers; shared ones are copied first.
    fn own(&mut self) -> &mut Vec<f64> {
        if let Values::Shared { numbers, copy } = &mut self.0 {
            let values = copy.take().unwrap_or_else(|| copied(&**numbers));
            self.0 = Values::Own(values);
        }
        match &mut self.0 {
            Values::Own(values) => values,
            Values::Shared { .. } => unreachable!("they were copied"),
        }
    }
}

fn copied(numbers: &dyn Numbers) -> Vec<f64> {
    let mut values = vec![0.0; numbers.len()];
    numbers.read(0, &mut values);
    values
}

impl Default for Column {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl From<Vec<f64>> for Column {
    fn from(values: Vec<f64>) -> Self {
        Self(Values::Own(values))
    }
}

impl FromIterator<f64> for Column {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Vec::from_iter(values).into()
    }
}

impl Extend<f64> for Column {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        self.own().extend(values);
    }
}

impl Deref for Column {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match &self.0 {
            Values::Own(values) => values,
            Values::Shared { numbers, copy } => copy.get_or_init(|| copied(&**numbers)),
        }
    }
}

impl DerefMut for Column {
    fn deref_mut(&mut self) -> &mut [f64] {
        self.own()
    }
}

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        self.values() == other.values()
    }
}

impl<T: AsRef<[f64]> + ?Sized> PartialEq<T> for Column {
    fn eq(&self, other: &T) -> bool {
        *self.values() == *other.as_ref()
    }
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.values().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Column {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}
