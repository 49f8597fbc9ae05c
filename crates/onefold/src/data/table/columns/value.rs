//! What a field that is not missing holds: its kind, and the numbers that it can stand for.

use crate::data::table::dates::read_date;
use crate::data::table::field::{Field, check_number, is_missing, read_field};
use crate::data::table::notation::{Sign, read_written};

/// What a field that is not missing holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Number,
    BadNumber,
    /// A number as people write it.
    Written,
    /// Like a number, but not readable.
    Odd,
    Date,
    /// A time of day without a date.
    Clock,
    Word,
    Mark,
}

/// What a field that is not missing holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) kind: FieldKind,
    /// Of a number: with a decimal point and with a decimal comma. Of a date: with the day first and with the
    /// month first. NaN where it cannot be read so.
    pub(super) readings: [f64; 2],
    pub(super) sign: Option<Sign>,
}

impl Value {
    /// What a field without spaces around it holds; none if it is missing.
    pub(super) fn read(field: &str) -> Option<Self> {
        let plain = |kind, v: f64| Self { kind, readings: [v; 2], sign: None };
        Some(match read_field(field) {
            Field::Missing => return None,
            Field::Number(v) if check_number(v, field).is_err() => plain(FieldKind::BadNumber, v),
            Field::Number(v) => {
                Self { readings: [v, comma_reading(field, v)], ..plain(FieldKind::Number, v) }
            }
            Field::Disguised => match read_written(field) {
                Some(written)
                    if written.readings.iter().all(|v| v.is_nan() || check_number(*v, "").is_ok()) =>
                {
                    Self { kind: FieldKind::Written, readings: written.readings, sign: written.sign }
                }
                _ => plain(FieldKind::Odd, f64::NAN),
            },
            Field::Mark => plain(FieldKind::Mark, f64::NAN),
            Field::Word if is_missing(field) => return None,
            Field::Word => match read_date(field) {
                Some(date) => {
                    let kind = if date.is_clock { FieldKind::Clock } else { FieldKind::Date };
                    Self { kind, readings: date.readings, sign: None }
                }
                None => plain(FieldKind::Word, f64::NAN),
            },
        })
    }

    /// Whether it is anything but a plain number or a mark of a missing one.
    pub(super) fn is_text(self) -> bool {
        !matches!(self.kind, FieldKind::Number | FieldKind::BadNumber | FieldKind::Mark)
    }

    /// Whether a column of numbers, dates or times cannot hold it.
    pub(super) fn is_word(self) -> bool {
        matches!(self.kind, FieldKind::Word | FieldKind::Odd)
    }

    /// Whether one of its two readings is not possible.
    pub(super) fn lacks_reading(self) -> bool {
        self.readings[0].is_nan() != self.readings[1].is_nan()
    }

    /// Whether its two readings are different numbers.
    pub(super) fn is_ambiguous(self) -> bool {
        super::differs(self.readings[0], self.readings[1])
    }
}

/// A plain number, where a comma is the decimal separator and a point separates thousands.
fn comma_reading(field: &str, v: f64) -> f64 {
    if field.contains('.') { read_written(field).map_or(f64::NAN, |w| w.readings[1]) } else { v }
}
