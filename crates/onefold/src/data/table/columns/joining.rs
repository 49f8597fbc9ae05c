//! Columns that are read piece by piece, on several threads, and joined to what one thread would have read.
//!
//! A part is read with what is known of the column before a batch of pieces. Codes below the number of texts
//! known then are those of the column; codes from there on are places among the part's own texts, which
//! become texts of the column when the part is joined to it. A part keeps more texts than a column, as it
//! does not know whether other parts have words.

use super::{Column, Counts, Doubt, NONE, Places, Seen, Signs, Text, Values, readings_of};
use crate::data::table::{MOST_CATEGORIES, MOST_TEXTS};
use crate::error::MOST_LISTED;

impl Seen {
    /// Appends what was seen later.
    fn append(&mut self, later: Self) {
        self.count += later.count;
        let room = MOST_LISTED.saturating_sub(self.first.len());
        self.first.extend(later.first.into_iter().take(room));
    }
}

impl Signs {
    /// Appends what was seen later.
    fn append(&mut self, later: Self) {
        for (sign, seen) in later.0 {
            match self.0.iter_mut().find(|(own, _)| *own == sign) {
                Some((_, own)) => own.append(seen),
                None => self.0.push((sign, seen)),
            }
        }
    }
}

impl Doubt {
    /// Appends what was seen later.
    fn append(&mut self, later: Self) {
        self.ambiguous.append(later.ambiguous);
        self.unread.iter_mut().zip(later.unread).for_each(|(own, seen)| own.append(seen));
    }
}

impl Counts {
    /// Adds those of a part, which does not know what is different.
    fn append(&mut self, part: &Self) {
        self.numbers += part.numbers;
        self.odd += part.odd;
        self.words += part.words;
        self.dates += part.dates;
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
            Values::Readings(_) => Values::Readings(Vec::with_capacity(rows)),
            Values::TooMany => Values::TooMany,
        };
        Self { values, keeps_readings: self.keeps_readings, ..Self::default() }
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
            Values::Readings(_) => size_of::<[f64; 2]>(),
            Values::TooMany => 0,
        }
    }

    /// Appends a part.
    pub(in crate::data::table) fn append(&mut self, mut part: Self) {
        let values = std::mem::take(&mut part.values);
        let former = std::mem::take(&mut part.former);
        match values {
            Values::Coded { texts, codes, known, .. } => self.append_codes(&texts, &codes, known, &part),
            Values::Numbers(numbers) => {
                if let Values::Numbers(all) = &mut self.values {
                    extend(all, &numbers);
                }
            }
            Values::Readings(readings) => {
                self.add_texts(&former, &part);
                self.append_readings(&readings, &part);
            }
            Values::TooMany => {
                self.add_texts(&former, &part);
                self.values = Values::TooMany;
            }
        }
        self.counts.append(&part.counts);
        self.texts += part.texts;
        self.first_text = self.first_text.or(part.first_text);
        self.first_word = self.first_word.or(part.first_word);
        self.signs.append(part.signs);
        self.of_numbers.append(part.of_numbers);
        self.of_dates.append(part.of_dates);
        let own = [
            (&mut self.plain, part.plain),
            (&mut self.written, part.written),
            (&mut self.dates, part.dates),
            (&mut self.clocks, part.clocks),
            (&mut self.words, part.words),
            (&mut self.missing, part.missing),
            (&mut self.marks, part.marks),
            (&mut self.bad_numbers, part.bad_numbers),
            (&mut self.rounded, part.rounded),
            (&mut self.leading_zeros, part.leading_zeros),
            (&mut self.negative, part.negative),
        ];
        own.into_iter().for_each(|(own, seen)| own.append(seen));
    }

    /// Appends the codes of a part, whose own texts are `texts`, after those of the column, of which it knows
    /// the first ones.
    fn append_codes(&mut self, texts: &[Text], codes: &[u16], known: usize, part: &Self) {
        let own = self.add_texts(texts, part);
        if let Values::Coded { codes: all, .. } = &mut self.values {
            all.extend(codes.iter().map(|code| match code {
                &NONE => NONE,
                code => usize::from(*code).checked_sub(known).map_or(*code, |place| own[place]),
            }));
        } else if !matches!(self.values, Values::TooMany) {
            let known = &self.former[..known];
            let read = |code: &u16| readings_of(*code, known, texts);
            self.append_readings(&codes.iter().map(read).collect::<Vec<_>>(), part);
        }
    }

    /// Appends what the fields of a part can stand for to a column of many numbers.
    fn append_readings(&mut self, readings: &[[f64; 2]], part: &Self) {
        let has_other = part.of_numbers.unread[0].count + part.dates.count + part.clocks.count > 0;
        match &mut self.values {
            // What is no number with a decimal point came after the column was found to hold such numbers.
            Values::Numbers(_) if part.words.count > 0 || has_other => self.values = Values::TooMany,
            Values::Readings(_) if part.words.count > 0 => self.values = Values::TooMany,
            Values::Numbers(all) => {
                let numbers: Vec<f64> = readings.iter().map(|v| v[0]).collect();
                extend(all, &numbers);
            }
            Values::Readings(all) => extend(all, readings),
            Values::Coded { .. } | Values::TooMany => {}
        }
    }

    /// Adds the texts of a part in the order in which they stand there, and gives their codes. Where they
    /// become too many, the column becomes one of numbers, or of nothing that could be used.
    fn add_texts(&mut self, new: &[Text], part: &Self) -> Vec<u16> {
        let mut added = Vec::with_capacity(new.len());
        for text in new {
            let Values::Coded { texts, places, codes, .. } = &mut self.values else { break };
            let is_before = |first: Option<u64>| first.is_some_and(|line| line <= text.line);
            let has_words = self.words.count > 0 || is_before(part.first_word);
            if let Some(place) = places.get(&text.field) {
                added.push(*place);
            } else if texts.len() < if has_words { MOST_TEXTS } else { MOST_CATEGORIES } {
                let place = texts.len() as u16;
                places.insert(text.field.clone(), place);
                texts.push(text.clone());
                self.counts.add_different(text.value.kind);
                added.push(place);
            } else {
                self.former = std::mem::take(texts);
                let read = |code: &u16| readings_of(*code, &self.former, &[]);
                let is_plain = self.texts == 0 && !is_before(part.first_text) && !self.keeps_readings;
                self.has_many_plain = is_plain && !has_words;
                self.values = if has_words {
                    Values::TooMany
                } else if is_plain {
                    Values::Numbers(codes.iter().map(|code| read(code)[0]).collect())
                } else {
                    Values::Readings(codes.iter().map(read).collect())
                };
            }
        }
        added
    }
}

/// Appends numbers. A column grows by less than `Vec` would make it: it may be most of the memory there is.
fn extend<T: Copy>(numbers: &mut Vec<T>, more: &[T]) {
    if numbers.capacity() - numbers.len() < more.len() {
        numbers.reserve_exact(more.len().max(numbers.len() / 4));
    }
    numbers.extend_from_slice(more);
}
