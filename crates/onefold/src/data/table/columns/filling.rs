//! Columns are filled field by field.
//!
//! The first different texts are kept as they are. Where there are many and no words among them, only the
//! numbers that they can stand for are kept; words may be more.

use super::value::{FieldKind, Value};
use super::{Column, NONE, Text, Values, readings_of};
use crate::data::table::field::{has_leading_zero, is_rounded, read_plain_number};
use crate::data::table::{MOST_CATEGORIES, MOST_TEXTS};

impl Column {
    /// Appends a field.
    pub(in crate::data::table) fn push(&mut self, line: u64, field: &str) {
        self.push_after(None, line, field);
    }

    /// Appends a field to a part of a column that is known as far as `before`.
    pub(in crate::data::table) fn push_after(&mut self, before: Option<&Self>, line: u64, field: &str) {
        if let Values::Numbers(numbers) = &mut self.values
            && let Some(number) = read_plain_number(field)
        {
            numbers.push(number);
            self.counts.numbers += 1;
            if number < 0.0 {
                self.negative.add(line, field);
            }
            return;
        }
        let field = field.trim();
        if let Some((code, value)) = self.find(before, field) {
            if let Values::Coded { codes, .. } = &mut self.values {
                codes.push(code);
            }
            self.note(line, field, value);
            return;
        }
        let Some(value) = Value::read(field) else {
            self.missing.add(line, field);
            match &mut self.values {
                Values::Coded { codes, .. } => codes.push(NONE),
                Values::Numbers(numbers) => numbers.push(f64::NAN),
                Values::Readings(readings) => readings.push([f64::NAN; 2]),
                Values::TooMany => {}
            }
            return;
        };
        if matches!(value.kind, FieldKind::Number | FieldKind::BadNumber)
            && is_rounded(value.readings[0], field)
        {
            self.rounded.add(line, field);
        }
        // In the first rows of a file only, so that it does not depend on how the rest is divided.
        if before.is_none() && value.kind == FieldKind::Number && has_leading_zero(field) {
            self.leading_zeros.add(line, field);
        }
        self.note(line, field, value);
        self.add_value(before, Text { field: field.to_string(), line, number: value.readings[0], value });
    }

    /// The code of a text that is known.
    fn find(&self, before: Option<&Self>, field: &str) -> Option<(u16, Value)> {
        let Values::Coded { texts, places, known, .. } = &self.values else { return None };
        if let Some(Values::Coded { texts, places, .. }) = before.map(|column| &column.values)
            && let Some(place) = places.get(field)
        {
            return Some((*place, texts[usize::from(*place)].value));
        }
        let place = *places.get(field)?;
        Some((place + *known as u16, texts[usize::from(place)].value))
    }

    /// Appends a text that is new, or a number among many.
    fn add_value(&mut self, before: Option<&Self>, text: Text) {
        // Whether a part's column has words is known when they are joined.
        let most = if before.is_some() || self.words.count > 0 { MOST_TEXTS } else { MOST_CATEGORIES };
        let (value, has_words) = (text.value, self.words.count > 0);
        match &mut self.values {
            Values::Coded { texts, places, codes, known } if *known + texts.len() < most => {
                codes.push((*known + texts.len()) as u16);
                places.insert(text.field.clone(), texts.len() as u16);
                if before.is_none() {
                    self.counts.add_different(value.kind);
                }
                texts.push(text);
            }
            Values::Coded { texts, codes, .. } => {
                let mut all = std::mem::take(texts);
                let known = before.map_or(&[][..], Self::all_texts);
                let is_plain = before.is_none() && self.texts == 0 && !self.keeps_readings;
                let codes = std::mem::take(codes);
                self.has_many_plain = is_plain && !has_words;
                self.values = if has_words {
                    Values::TooMany
                } else if is_plain {
                    let first = |code: &u16| readings_of(*code, known, &all)[0];
                    Values::Numbers(codes.iter().map(first).chain([value.readings[0]]).collect())
                } else {
                    let read = |code: &u16| readings_of(*code, known, &all);
                    Values::Readings(codes.iter().map(read).chain([value.readings]).collect())
                };
                all.push(text);
                self.former = all;
            }
            Values::Numbers(numbers) if can_follow_numbers(value) => numbers.push(value.readings[0]),
            Values::Readings(readings) if !value.is_word() => readings.push(value.readings),
            values => *values = Values::TooMany,
        }
    }

    pub(super) fn all_texts(&self) -> &[Text] {
        match &self.values {
            Values::Coded { texts, .. } => texts,
            _ => &self.former,
        }
    }

    fn note(&mut self, line: u64, field: &str, value: Value) {
        let kind = value.kind;
        self.counts.add(kind);
        if value.readings.iter().any(|v| *v < 0.0) {
            self.negative.add(line, field);
        }
        if value.is_text() {
            self.texts += 1;
            self.first_text.get_or_insert(line);
        }
        match kind {
            FieldKind::Number => self.plain.add(line, field),
            FieldKind::BadNumber => self.bad_numbers.add(line, field),
            FieldKind::Written => {
                self.written.add(line, field);
                if let Some(sign) = value.sign {
                    self.signs.add(sign, line, field);
                }
            }
            FieldKind::Date => self.dates.add(line, field),
            FieldKind::Clock => self.clocks.add(line, field),
            FieldKind::Word | FieldKind::Odd => {
                self.words.add(line, field);
                self.first_word.get_or_insert(line);
            }
            FieldKind::Mark => self.marks.add(line, field),
        }
        let doubt = match kind {
            FieldKind::Number | FieldKind::Written => &mut self.of_numbers,
            FieldKind::Date => &mut self.of_dates,
            _ => return,
        };
        if value.lacks_reading() {
            doubt.unread[usize::from(value.readings[1].is_nan())].add(line, field);
        } else if value.is_ambiguous() {
            doubt.ambiguous.add(line, field);
        }
    }
}

/// Whether a column of many plain numbers, with decimal points where they have any, can hold it.
pub(super) fn can_follow_numbers(value: Value) -> bool {
    match value.kind {
        FieldKind::Number | FieldKind::BadNumber | FieldKind::Mark => true,
        FieldKind::Written => !value.readings[0].is_nan(),
        _ => false,
    }
}
