//! Texts of dates and times.

use super::days::{days, days_in_month};

// From here on also a part of exported Rust modules: nothing but `core`.

/// Longest text that is a date.
const LONGEST: usize = 48;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Reads a date, a time, or both: seconds with the day first and with the month first, NaN where it cannot be
/// read so, and whether it is a time of day without a date.
pub(super) fn read_text(text: &str) -> Option<([f64; 2], bool)> {
    let text = text.trim();
    if text.len() > LONGEST || !text.is_ascii() || !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let clock = Cursor { rest: text };
    if let Some(seconds) = clock.whole_clock() {
        return Some(([seconds; 2], true));
    }
    let mut cursor = Cursor { rest: text };
    cursor.weekday();
    let days = cursor.date()?;
    let seconds = if cursor.rest.is_empty() {
        0.0
    } else {
        cursor.before_time()?;
        cursor.whole_clock()?
    };
    Some((days.map(|day| day * 86_400.0 + seconds), false))
}

/// What is left of a text.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// Takes bytes as long as they are of a kind.
    fn take(&mut self, is_it: impl Fn(u8) -> bool) -> &'a str {
        let end = self.rest.bytes().position(|b| !is_it(b)).unwrap_or(self.rest.len());
        let (found, rest) = self.rest.split_at(end);
        self.rest = rest;
        found
    }

    fn digits(&mut self) -> &'a str {
        self.take(|b| b.is_ascii_digit())
    }

    fn skip(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The place of a name, of which at least three letters stand here.
    fn name(&mut self, names: &[&str]) -> Option<usize> {
        let before = self.rest;
        let word = self.take(|b| b.is_ascii_alphabetic());
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        let found =
            names.iter().position(|name| is(name) || is(&name[..3]) || (is("sept") && *name == "september"));
        if found.is_none() {
            self.rest = before;
        }
        found
    }

    fn weekday(&mut self) {
        if self.name(&WEEKDAYS).is_some() {
            let _ = self.skip(".") || self.skip(",");
            self.rest = self.rest.trim_start();
        }
    }

    /// Days after 1 January 1970, with the day first and with the month first.
    fn date(&mut self) -> Option<[f64; 2]> {
        if let Some(month) = self.name(&MONTHS) {
            return self.after_month(month as u32 + 1);
        }
        let first = self.digits();
        if !matches!(first.len(), 1 | 2 | 4) {
            return None;
        }
        let separator = self.take(|b| matches!(b, b'-' | b'/' | b'.' | b' '));
        if let Some(month) = self.name(&MONTHS) {
            let _ = self.skip(".");
            self.take(|b| matches!(b, b'-' | b'/' | b' ' | b','));
            let year = self.year()?;
            return day_of(year, month as u32 + 1, first);
        }
        if !matches!(separator, "-" | "/" | ".") {
            return None;
        }
        let second = self.digits();
        if !matches!(second.len(), 1 | 2) {
            return None;
        }
        let has_third = self.skip(separator);
        if first.len() == 4 {
            let year = first.parse().ok()?;
            let day = if has_third { self.digits() } else { "1" };
            let may_lack_day = has_third || (separator != "." && second.len() == 2);
            return if may_lack_day { day_of(year, second.parse().ok()?, day) } else { None };
        }
        if !has_third {
            return None;
        }
        let before = self.rest;
        let year = self.year()?;
        let is_short = before.len() - self.rest.len() == 2;
        // A version number has points and few digits, too.
        if is_short && separator == "." && (first.len(), second.len()) != (2, 2) {
            return None;
        }
        let read = |day: &str, month: &str| {
            let month = month.parse().ok()?;
            day_of(year, month, day).map(|days| days[0])
        };
        let day_first = read(first, second).unwrap_or(f64::NAN);
        let month_first = if separator == "." { None } else { read(second, first) };
        let month_first = month_first.unwrap_or(f64::NAN);
        (!day_first.is_nan() || !month_first.is_nan()).then_some([day_first, month_first])
    }

    /// After the name of a month: day and year, or the year alone.
    fn after_month(&mut self, month: u32) -> Option<[f64; 2]> {
        let _ = self.skip(".");
        self.take(|b| matches!(b, b'-' | b'/' | b' '));
        let first = self.digits();
        if first.len() == 4 {
            return day_of(first.parse().ok()?, month, "1");
        }
        for ending in ["st", "nd", "rd", "th"] {
            let _ = self.skip(ending);
        }
        let separator = self.take(|b| matches!(b, b'-' | b'/' | b' ' | b','));
        if separator.is_empty() {
            return None;
        }
        let year = self.year()?;
        day_of(year, month, first)
    }

    /// A year of four digits, or of two from 1969 to 2068.
    fn year(&mut self) -> Option<i64> {
        let digits = self.digits();
        let number: i64 = digits.parse().ok()?;
        match digits.len() {
            4 => Some(number),
            2 => Some(number + if number < 69 { 2000 } else { 1900 }),
            _ => None,
        }
    }

    /// What stands between date and time.
    fn before_time(&mut self) -> Option<()> {
        let is_iso =
            (self.skip("T") || self.skip("t")) && self.rest.starts_with(|c: char| c.is_ascii_digit());
        if is_iso {
            return Some(());
        }
        let found = self.take(|b| matches!(b, b' ' | b',' | b'_'));
        (!found.is_empty()).then_some(())
    }

    /// A time of day to the end of the text, in seconds; minus the offset to UTC where there is one.
    fn whole_clock(mut self) -> Option<f64> {
        let hours = self.digits();
        let mut hour: f64 = hours.parse().ok()?;
        if hours.len() > 2 || !self.skip(":") {
            return None;
        }
        let two = |digits: &str| -> Option<f64> {
            digits.parse().ok().filter(|v: &f64| digits.len() == 2 && *v < 60.0)
        };
        let minute = two(self.digits())?;
        let mut second = 0.0;
        if self.skip(":") {
            second = two(self.digits())?;
            if self.skip(".") || self.skip(",") {
                second += fraction(self.digits());
            }
        }
        self.rest = self.rest.trim_start();
        let half = self.rest.get(..2).unwrap_or("");
        let is_afternoon = half.eq_ignore_ascii_case("pm");
        if is_afternoon || half.eq_ignore_ascii_case("am") {
            if !(1.0..=12.0).contains(&hour) {
                return None;
            }
            hour = hour % 12.0 + if is_afternoon { 12.0 } else { 0.0 };
            self.rest = self.rest[2..].trim_start();
        }
        let offset = self.offset()?;
        (hour < 24.0 && self.rest.is_empty()).then_some(hour * 3600.0 + minute * 60.0 + second - offset)
    }

    /// The offset to UTC in seconds.
    fn offset(&mut self) -> Option<f64> {
        if self.skip("Z") || self.skip("z") || self.skip("UTC") || self.skip("GMT") || self.rest.is_empty() {
            return Some(0.0);
        }
        let sign = if self.skip("-") { -1.0 } else { 1.0 };
        if sign > 0.0 && !self.skip("+") {
            return None;
        }
        let digits = self.digits();
        let (hours, minutes) = match digits.len() {
            2 if self.skip(":") => (digits, self.digits()),
            2 => (digits, "00"),
            4 => digits.split_at(2),
            _ => return None,
        };
        let (hours, minutes): (f64, f64) = (hours.parse().ok()?, minutes.parse().ok()?);
        (hours < 24.0 && minutes < 60.0).then_some(sign * (hours * 3600.0 + minutes * 60.0))
    }
}

/// The number of the first 15 digits behind a decimal point, whose quotient is rounded once.
fn fraction(digits: &str) -> f64 {
    let (mut number, mut power) = (0.0, 1.0);
    for digit in digits.bytes().take(15) {
        number = number * 10.0 + f64::from(digit - b'0');
        power *= 10.0;
    }
    number / power
}

/// Days of a date, the same in both orders, if there is such a day.
fn day_of(year: i64, month: u32, day: &str) -> Option<[f64; 2]> {
    let of_month: u32 = day.parse().ok().filter(|_| day.len() < 3)?;
    let is_right = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&of_month);
    is_right.then(|| [days(year, month, of_month) as f64; 2])
}
