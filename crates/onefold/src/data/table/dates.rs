//! Dates and times as people write them, in seconds after 1 January 1970.
//!
//! `03/04/2021` is 3 April or 4 March, so a date is read with the day first and with the month first, and the
//! whole column decides. Times with an offset are converted to UTC.

use super::date_text::read_text;
use serde::{Deserialize, Serialize};

/// Which comes first in dates that are written with numbers, the year apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateOrder {
    /// The day, as in 31/12/2021.
    #[default]
    DayFirst,
    /// The month, as in 12/31/2021.
    MonthFirst,
}

impl DateOrder {
    pub(super) fn index(self) -> usize {
        usize::from(self == Self::MonthFirst)
    }
}

/// What a date or time can stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DateRead {
    /// With the day first and with the month first; NaN where it cannot be read so.
    pub(super) readings: [f64; 2],
    /// Whether it is a time of day without a date.
    pub(super) is_clock: bool,
}

/// Reads a date, a time, or both.
pub(super) fn read_date(text: &str) -> Option<DateRead> {
    read_text(text).map(|(readings, is_clock)| DateRead { readings, is_clock })
}

/// The seconds of a text that is a date or a time.
pub(crate) fn seconds_of(text: &str, month_first: bool) -> Option<f64> {
    let (readings, _) = read_text(text)?;
    Some(readings[usize::from(month_first)]).filter(|seconds| !seconds.is_nan())
}

#[cfg(test)]
mod tests;
