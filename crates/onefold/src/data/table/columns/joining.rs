//! Columns that are read piece by piece, on several threads, and joined to what one thread would have read.
//!
//! A part is read with what is known of the column before a batch of pieces. Codes below the number of texts
//! known then are those of the column; codes from there on are places among the part's own texts, which
//! become texts of the column when the part is joined to it.

use super::{Column, Counts, FieldKind, NONE, Places, Seen, Text, Values, number_of};
use crate::data::table::MOST_CATEGORIES;
use crate::error::MOST_LISTED;

impl Seen {
    /// Appends what was seen later.
    fn append(&mut self, later: Self) {
        self.count += later.count;
        let room = MOST_LISTED.saturating_sub(self.first.len());
        self.first.extend(later.first.into_iter().take(room));
    }
}

impl Counts {
    /// Adds those of a part, which does not know what is different.
    fn append(&mut self, part: &Self) {
        self.numbers += part.numbers;
        self.disguised += part.disguised;
        self.words += part.words;
    }
}

impl Column {
    /// An empty part that is read after this column, as far as it is known, with room for so many rows.
    pub(in crate::data::table) fn part(&self, rows: usize) -> Self {
        let values = match &self.values {
            Values::Coded { texts, .. } => {
                let (codes, known) = (Vec::with_capacity(rows), texts.len());
                Values::Coded { texts: Vec::new(), places: Places::default(), codes, known }
            }
            Values::Numbers(_) => Values::Numbers(Vec::with_capacity(rows)),
            Values::TooMany => Values::TooMany,
        };
        Self { values, ..Self::default() }
    }

    /// Forgets the texts that codes of parts could stand for; all parts so far were joined.
    pub(in crate::data::table) fn forget_texts(&mut self) {
        self.former = Vec::new();
    }

    /// Memory of a row, in bytes.
    pub(in crate::data::table) fn row_size(&self) -> usize {
        match self.values {
            Values::Coded { .. } => size_of::<u16>(),
            Values::Numbers(_) => size_of::<f64>(),
            Values::TooMany => 0,
        }
    }

    /// Appends a part.
    pub(in crate::data::table) fn append(&mut self, part: Self) {
        let Self { values, former, texts, missing, marks, bad_numbers, rounded, counts, .. } = part;
        let is_number = texts.count == 0 && self.texts.count == 0;
        match values {
            Values::Coded { texts, codes, known, .. } => self.append_codes(&texts, &codes, known, is_number),
            Values::Numbers(numbers) => {
                self.add_texts(&former, is_number);
                if let Values::Numbers(all) = &mut self.values {
                    extend(all, &numbers);
                }
            }
            Values::TooMany => {
                self.add_texts(&former, false);
                self.values = Values::TooMany;
            }
        }
        self.counts.append(&counts);
        self.texts.append(texts);
        self.missing.append(missing);
        self.marks.append(marks);
        self.bad_numbers.append(bad_numbers);
        self.rounded.append(rounded);
    }

    /// Appends the codes of a part, whose own texts are `texts`, after those of the column, of which it knows
    /// the first ones.
    fn append_codes(&mut self, texts: &[Text], part: &[u16], known: usize, is_number: bool) {
        let own = self.add_texts(texts, is_number);
        match &mut self.values {
            Values::Coded { codes, .. } if texts.is_empty() => codes.extend_from_slice(part),
            Values::Coded { codes, .. } => codes.extend(part.iter().map(|code| match code {
                &NONE => NONE,
                code => usize::from(*code).checked_sub(known).map_or(*code, |place| own[place]),
            })),
            Values::Numbers(_) if !is_number => self.values = Values::TooMany,
            Values::Numbers(numbers) => {
                let known = &self.former[..known];
                let more: Vec<f64> = part.iter().map(|code| number_of(*code, known, texts)).collect();
                extend(numbers, &more);
            }
            Values::TooMany => {}
        }
    }

    /// Adds the texts of a part in the order in which they stand there, and gives their codes. Where they
    /// become too many, the column becomes one of numbers, or of nothing that could be used.
    fn add_texts(&mut self, new: &[Text], is_number: bool) -> Vec<u16> {
        let mut added = Vec::with_capacity(new.len());
        let mut has_numbers = self.counts.numbers > 0;
        for text in new {
            let Values::Coded { texts, places, codes, .. } = &mut self.values else { break };
            has_numbers |= matches!(text.kind, FieldKind::Number | FieldKind::BadNumber);
            if let Some(place) = places.get(&text.field) {
                added.push(*place);
            } else if texts.len() < MOST_CATEGORIES {
                let place = texts.len() as u16;
                places.insert(text.field.clone(), place);
                texts.push(text.clone());
                self.counts.add_different(text.kind);
                added.push(place);
            } else {
                self.former = std::mem::take(texts);
                self.values = if is_number && has_numbers {
                    Values::Numbers(codes.iter().map(|code| number_of(*code, &self.former, &[])).collect())
                } else {
                    Values::TooMany
                };
            }
        }
        added
    }
}

/// Appends numbers. A column grows by less than `Vec` would make it: it may be most of the memory there is.
fn extend(numbers: &mut Vec<f64>, more: &[f64]) {
    if numbers.capacity() - numbers.len() < more.len() {
        numbers.reserve_exact(more.len().max(numbers.len() / 4));
    }
    numbers.extend_from_slice(more);
}
