//! Columns are filled field by field.

use super::{Column, FieldKind, NONE, Text, Values, number_of};
use crate::data::table::MOST_CATEGORIES;
use crate::data::table::field::{Field, check_number, is_rounded, read_field, read_plain_number};

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
            return;
        }
        let field = field.trim();
        if let Some((code, kind)) = self.find(before, field) {
            if let Values::Coded { codes, .. } = &mut self.values {
                codes.push(code);
            }
            self.note(line, field, kind);
            return;
        }
        let (number, kind) = match read_field(field) {
            Field::Missing => {
                self.missing.add(line, field);
                match &mut self.values {
                    Values::Coded { codes, .. } => codes.push(NONE),
                    Values::Numbers(numbers) => numbers.push(f64::NAN),
                    Values::TooMany => {}
                }
                return;
            }
            Field::Number(v) if check_number(v, field).is_ok() => (v, FieldKind::Number),
            Field::Number(v) => (v, FieldKind::BadNumber),
            Field::Disguised => (f64::NAN, FieldKind::Disguised),
            Field::Word => (f64::NAN, FieldKind::Word),
            Field::Mark => (f64::NAN, FieldKind::Mark),
        };
        if is_rounded(number, field) {
            self.rounded.add(line, field);
        }
        self.note(line, field, kind);
        self.add_value(before, Text { field: field.to_string(), number, kind });
    }

    /// The code of a text that is known.
    fn find(&self, before: Option<&Self>, field: &str) -> Option<(u16, FieldKind)> {
        let Values::Coded { texts, places, known, .. } = &self.values else { return None };
        if let Some(Values::Coded { texts, places, .. }) = before.map(|column| &column.values)
            && let Some(place) = places.get(field)
        {
            return Some((*place, texts[usize::from(*place)].kind));
        }
        let place = *places.get(field)?;
        Some((place + *known as u16, texts[usize::from(place)].kind))
    }

    /// Appends a text that is new, or a number among many.
    fn add_value(&mut self, before: Option<&Self>, text: Text) {
        let is_number = self.texts.count == 0 && before.is_none_or(|column| column.texts.count == 0);
        // Whether a part's column has numbers is known when they are joined.
        let has_numbers = is_number && (before.is_some() || self.counts.numbers > 0);
        match &mut self.values {
            Values::Coded { texts, places, codes, known } if *known + texts.len() < MOST_CATEGORIES => {
                codes.push((*known + texts.len()) as u16);
                places.insert(text.field.clone(), texts.len() as u16);
                if before.is_none() {
                    self.counts.add_different(text.kind);
                }
                texts.push(text);
            }
            Values::Coded { texts, codes, .. } => {
                let number = text.number;
                texts.push(text);
                let texts = std::mem::take(texts);
                self.values = if has_numbers {
                    let known = before.map_or(&[][..], Self::all_texts);
                    let mut numbers: Vec<f64> =
                        codes.iter().map(|code| number_of(*code, known, &texts)).collect();
                    numbers.push(number);
                    Values::Numbers(numbers)
                } else {
                    Values::TooMany
                };
                self.former = texts;
            }
            Values::Numbers(numbers) if is_number => numbers.push(text.number),
            values => *values = Values::TooMany,
        }
    }

    fn all_texts(&self) -> &[Text] {
        match &self.values {
            Values::Coded { texts, .. } => texts,
            _ => &self.former,
        }
    }

    fn note(&mut self, line: u64, field: &str, kind: FieldKind) {
        match kind {
            FieldKind::Number | FieldKind::BadNumber | FieldKind::Disguised => self.counts.numbers += 1,
            FieldKind::Word => self.counts.words += 1,
            FieldKind::Mark => {}
        }
        match kind {
            FieldKind::Number => {}
            FieldKind::BadNumber => self.bad_numbers.add(line, field),
            FieldKind::Disguised | FieldKind::Word => self.texts.add(line, field),
            FieldKind::Mark => self.marks.add(line, field),
        }
        self.counts.disguised += usize::from(matches!(kind, FieldKind::Disguised));
    }
}
