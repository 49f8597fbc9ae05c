//! Days, and the parts of a time that come again: hour, weekday, month.

use super::days::{civil, days_in_month};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Seconds of a day.
pub(super) const DAY: f64 = 86_400.0;

/// A part of a time that comes again. It becomes two inputs, the sine and the cosine of its angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatePart {
    /// The time of day.
    Hour,
    /// The day of the week.
    Weekday,
    /// The time of year: month and day of the month.
    Month,
}

impl DatePart {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Hour, Self::Weekday, Self::Month];

    /// Its name in the names of inputs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Weekday => "weekday",
            Self::Month => "month",
        }
    }

    /// The part of a time in seconds, where two times have the same part exactly if these are equal.
    pub(super) fn key(self, seconds: f64) -> f64 {
        let day = (seconds / DAY).floor();
        match self {
            Self::Hour => seconds - day * DAY,
            // The first day, 1 January 1970, was a Thursday; weeks begin with Monday.
            Self::Weekday => (day + 3.0).rem_euclid(7.0),
            Self::Month => f64::from(civil(day as i64).1),
        }
    }

    /// The sine and the cosine of its angle.
    pub(super) fn angle(self, seconds: f64) -> [f64; 2] {
        let turn = match self {
            Self::Hour => self.key(seconds) / DAY,
            Self::Weekday => self.key(seconds) / 7.0,
            Self::Month => {
                let (year, month, day) = civil((seconds / DAY).floor() as i64);
                (f64::from(month - 1) + f64::from(day - 1) / f64::from(days_in_month(year, month))) / 12.0
            }
        };
        // The same bits on every machine.
        let (sin, cos) = libm::sincos(TAU * turn);
        [sin, cos]
    }
}

/// A time as ISO 8601 writes it, without the time of day at midnight.
pub(crate) fn iso(seconds: f64) -> String {
    let day = (seconds / DAY).floor();
    let (year, month, of_month) = civil(day as i64);
    let rest = (seconds - day * DAY) as u32;
    let date = format!("{year:04}-{month:02}-{of_month:02}");
    if rest == 0 { date } else { format!("{date} {:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60) }
}

#[cfg(test)]
mod tests {
    use super::super::days::days;
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        assert_eq!((days(1970, 1, 1), days(2000, 3, 1), days(1969, 12, 31)), (0, 11_017, -1));
        assert_eq!((days(1600, 2, 29), days(0, 1, 1), days(9999, 12, 31)), (-135_081, -719_528, 2_932_896));
        for day in (-719_528..2_932_897).step_by(97) {
            let (year, month, of_month) = civil(day);
            assert_eq!(days(year, month, of_month), day);
        }
    }

    #[test]
    fn parts_come_again() {
        let time = |day: i64, hour: f64| day as f64 * DAY + 3600.0 * hour;
        let monday = days(2024, 1, 1);
        let key = |part: DatePart, seconds: f64| part.key(seconds) as i64;
        let angle = |part: DatePart, seconds: f64| part.angle(seconds).map(f64::to_bits);
        assert_eq!(key(DatePart::Weekday, time(monday, 13.0)), 0);
        let weekday = |seconds| angle(DatePart::Weekday, seconds);
        assert_eq!(weekday(time(monday, 1.0)), weekday(time(monday + 70, 9.0)));
        assert_eq!(angle(DatePart::Hour, time(5, 6.0)), angle(DatePart::Hour, time(-77, 6.0)));
        assert!((DatePart::Hour.angle(time(5, 6.0))[0] - 1.0).abs() < 1e-15);
        assert_eq!(key(DatePart::Month, time(days(2023, 7, 9), 0.0)), 7);
        assert_eq!(iso(time(days(2024, 2, 29), 0.0)), "2024-02-29");
        assert_eq!(iso(time(days(1969, 2, 1), 6.5)), "1969-02-01 06:30:00");
    }
}
