//! What a column holds, decided once all fields are known.

use super::value::FieldKind;
use super::{Column, Counts, Doubt, Meaning, Seen, Values};
use crate::data::table::dates::DateOrder;
use crate::data::table::notation::{Decimal, Notation};

/// What somebody says that a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::data::table) enum Declared {
    /// Anything but text.
    Numbers,
    Text,
}

/// What is known about a column before it is decided on.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::data::table) struct Rules {
    pub(in crate::data::table) declared: Option<Declared>,
    /// Dates of a target are text.
    pub(in crate::data::table) is_target: bool,
    pub(in crate::data::table) decimal: Option<Decimal>,
    pub(in crate::data::table) order: Option<DateOrder>,
}

impl Column {
    /// Decides what it holds: what is declared, or else text where words are the majority of both the fields
    /// and the different ones. What else is no number, or no date, is a mistake, or missing.
    pub(in crate::data::table) fn decide(&mut self, rules: Rules) {
        let Counts { numbers, different_numbers, dates, different_dates, words, different_words, .. } =
            self.counts;
        let (dates, different_dates, words, different_words) = if rules.is_target {
            (0, 0, words + dates, different_words + different_dates)
        } else {
            (dates, different_dates, words, different_words)
        };
        let values = numbers + dates;
        let has_values =
            values > 0 && (values >= words || different_numbers + different_dates >= different_words);
        let is_text = match rules.declared {
            Some(declared) => declared == Declared::Text,
            None => !has_values && (words > 0 || self.marks.count > 0),
        };
        self.is_declared = rules.declared == Some(Declared::Text);
        if is_text {
            self.meaning = Meaning::Text;
            return;
        }
        let marks = std::mem::take(&mut self.marks);
        self.missing.merge(&marks);
        if dates > numbers {
            self.decide_on_order(rules.order);
        } else {
            self.decide_on_decimal(rules.decimal);
        }
    }

    /// Decides how its numbers are written.
    fn decide_on_decimal(&mut self, given: Option<Decimal>) {
        if self.has_many_plain {
            let notation = (self.written.count > 0).then(|| self.notation_with(Decimal::Point));
            self.meaning = Meaning::Numbers(notation);
            return;
        }
        let by_itself = if self.written.count == 0 { Some(0) } else { which(&self.of_numbers) };
        self.is_ambiguous = given.is_none() && by_itself.is_none();
        let decimal = given.unwrap_or(if by_itself == Some(1) { Decimal::Comma } else { Decimal::Point });
        self.read_with_decimal(decimal);
    }

    /// Reads its numbers in one way.
    pub(in crate::data::table) fn read_with_decimal(&mut self, decimal: Decimal) {
        let is_plain = self.written.count == 0 && decimal == Decimal::Point;
        self.meaning = Meaning::Numbers((!is_plain).then(|| self.notation_with(decimal)));
        self.choose(decimal.index(), |kind| {
            matches!(kind, FieldKind::Number | FieldKind::BadNumber | FieldKind::Written)
        });
    }

    fn notation_with(&self, decimal: Decimal) -> Notation {
        Notation { decimal, sign: self.signs.0.first().map(|(sign, _)| sign.to_string()) }
    }

    /// Decides on the order of day and month.
    fn decide_on_order(&mut self, given: Option<DateOrder>) {
        let by_itself = which(&self.of_dates);
        self.is_ambiguous = given.is_none() && by_itself.is_none();
        let by_itself = if by_itself == Some(1) { DateOrder::MonthFirst } else { DateOrder::DayFirst };
        let order = given.unwrap_or(by_itself);
        self.meaning = Meaning::Dates(order);
        let has_clocks = self.has_clocks();
        self.choose(order.index(), |kind| {
            kind == if has_clocks { FieldKind::Clock } else { FieldKind::Date }
        });
    }

    /// Whether it holds times of day without dates.
    pub(in crate::data::table) fn has_clocks(&self) -> bool {
        self.clocks.count > self.dates.count
    }

    /// Keeps one of the two ways in which fields of some kinds can be read.
    fn choose(&mut self, index: usize, is_used: impl Fn(FieldKind) -> bool) {
        match &mut self.values {
            Values::Coded { texts, .. } => {
                for text in texts {
                    let used = is_used(text.value.kind);
                    text.number = if used { text.value.readings[index] } else { f64::NAN };
                }
            }
            Values::Readings(readings) => {
                self.values = Values::Numbers(readings.iter().map(|v| v[index]).collect());
            }
            Values::Numbers(_) | Values::TooMany => {}
        }
    }

    /// Whether no fewer fields are numbers or dates than are anything else.
    pub(in crate::data::table) fn mostly_plain(&self) -> bool {
        let Counts { numbers, odd, dates, words, .. } = self.counts;
        let (own, other) = if matches!(self.meaning, Meaning::Dates(_)) {
            (dates, numbers)
        } else {
            (numbers - odd, odd + dates)
        };
        own >= other + words
    }

    /// What does not belong into a column of numbers or dates, apart from what is only written in another
    /// way.
    pub(in crate::data::table) fn strangers(&self) -> Seen {
        let mut all = self.words.clone();
        let others = match self.meaning {
            Meaning::Text => return Seen::default(),
            Meaning::Numbers(_) => vec![&self.dates, &self.clocks],
            Meaning::Dates(_) => {
                vec![&self.plain, &self.written, if self.has_clocks() { &self.dates } else { &self.clocks }]
            }
        };
        others.into_iter().for_each(|seen| all.merge(seen));
        all
    }

    /// What is written in another way than the rest of the column.
    pub(in crate::data::table) fn written_otherwise(&self) -> Seen {
        match &self.meaning {
            Meaning::Numbers(None) => self.of_numbers.unread[0].clone(),
            Meaning::Numbers(Some(notation)) => self.of_numbers.unread[notation.decimal.index()].clone(),
            Meaning::Dates(order) => self.of_dates.unread[order.index()].clone(),
            Meaning::Text => Seen::default(),
        }
    }

    /// Two signs, or one and none, that numbers of one kind do not have: what they are, and the fields of the
    /// second.
    pub(in crate::data::table) fn mixed_signs(&self) -> Option<(String, String, Seen)> {
        let (first, seen) = self.signs.0.first()?;
        if let Some((second, fields)) = self.signs.0.get(1) {
            return Some((first.to_string(), second.to_string(), fields.clone()));
        }
        let has_others = self.counts.numbers - self.counts.odd > seen.count;
        (first.is_part_of_value() && has_others).then(|| (String::new(), first.to_string(), seen.clone()))
    }

    /// How its numbers are written, if not plainly.
    pub(in crate::data::table) fn notation(&self) -> Option<Notation> {
        if let Meaning::Numbers(notation) = &self.meaning { notation.clone() } else { None }
    }

    /// Whether something in it shows how its numbers are written.
    pub(in crate::data::table) fn shows_decimal(&self) -> Option<Decimal> {
        let [no_point, no_comma] = &self.of_numbers.unread;
        match &self.meaning {
            Meaning::Numbers(_) if no_point.count > 0 && no_comma.count == 0 => Some(Decimal::Comma),
            Meaning::Numbers(_) if no_comma.count > 0 && no_point.count == 0 => Some(Decimal::Point),
            _ => None,
        }
    }
}

/// Which way of reading is right, 0 or 1; none if both are possible and differ. Where neither is, the one
/// that more fields have.
fn which(doubt: &Doubt) -> Option<usize> {
    let [first, second] = [doubt.unread[0].count, doubt.unread[1].count];
    match (first, second) {
        (0, 0) if doubt.ambiguous.count > 0 => None,
        (0, 0) => Some(0),
        _ => Some(usize::from(first > second)),
    }
}
