//! Days and dates of the Gregorian calendar.

// From here on also a part of exported Rust modules: nothing but `core`.

/// Whether a year has a 29 February.
fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days of a month, from 1.
pub(super) fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1 January of year 0 to that of another year.
fn days_before_year(year: i64) -> i64 {
    let before = year - 1;
    365 * year + before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400) + 1
}

/// Days from 1 January 1970 to a date.
pub(super) fn days(year: i64, month: u32, day: u32) -> i64 {
    let months: u32 = (1..month).map(|m| days_in_month(year, m)).sum();
    days_before_year(year) - days_before_year(1970) + i64::from(months + day) - 1
}

/// Year, month and day of a number of days after 1 January 1970.
pub(super) fn civil(days: i64) -> (i64, u32, u32) {
    let all = days + days_before_year(1970);
    let mut year = all.div_euclid(366);
    while days_before_year(year + 1) <= all {
        year += 1;
    }
    let mut left = (all - days_before_year(year)) as u32;
    let mut month = 1;
    while left >= days_in_month(year, month) {
        left -= days_in_month(year, month);
        month += 1;
    }
    (year, month, left + 1)
}
