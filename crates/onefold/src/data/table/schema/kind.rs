//! What an input column holds, and how a field becomes numbers.

use super::super::booleans;
use super::super::calendar::{self, DAY, DatePart};
use super::super::dates::{DateOrder, read_date};
use super::super::field::{Field, check_number, is_missing, is_missing_number, read_field};
use super::super::notation::Notation;
use crate::error::ProblemKind;
use serde::{Deserialize, Serialize};

/// What an input column holds, and how that becomes numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum InputKind {
    /// Numbers as they are.
    Number {
        /// What stands for a missing one; none if rows without it are refused or left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mean: Option<f64>,
        /// How they are written, if not plainly.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notation: Option<Notation>,
    },
    /// One input for each of these categories, 1 where it stands and 0 elsewhere.
    OneHot {
        /// The categories, in alphabetical order. Model files call them words.
        #[serde(rename = "words", alias = "categories")]
        categories: Vec<String>,
        /// The share of each in the training rows, which stands for a text that is none of them. Files of
        /// older versions do not have it; all shares are then equal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shares: Option<Vec<f64>>,
        /// The share of texts that are none of the categories, because each is in few training rows. They
        /// have one more input in common, which any other text has, too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other: Option<f64>,
    },
    /// The place of a category in this list, from 0.
    Ordinal {
        /// The categories, in alphabetical order. Model files call them words.
        #[serde(rename = "words", alias = "categories")]
        categories: Vec<String>,
        /// The mean place in the training rows, which stands for a text that is none of them. Files of older
        /// versions do not have it; the middle of the list is then taken.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mean: Option<f64>,
    },
    /// Yes or no, in small letters: 1 or 0.
    Boolean {
        /// What stands for 1.
        yes: String,
        /// What stands for 0.
        no: String,
        /// The share of the former in the training rows, which stands for a text that is neither.
        share: f64,
    },
    /// Dates and times: days after the first training row, and the sine and cosine of the parts that come
    /// again.
    Date {
        /// The earliest time of the training rows, in seconds after 1 January 1970.
        origin: f64,
        /// Whether these are times of day without a date.
        #[serde(default)]
        clock: bool,
        /// Whether day or month comes first where both are numbers.
        #[serde(default)]
        order: DateOrder,
        /// The parts that vary in the training rows.
        parts: Vec<DatePart>,
        /// What stands for a missing one, for each input; none if rows without it are refused or left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mean: Option<Vec<f64>>,
    },
}

impl InputKind {
    /// The mean of the training rows' encodings, which stands for a text that none of them has. None for
    /// numbers and dates.
    #[must_use]
    pub fn average(&self) -> Option<Vec<f64>> {
        match self {
            Self::Number { .. } | Self::Date { .. } => None,
            Self::OneHot { categories, other: Some(_), .. } => {
                // Texts that are no category have an input of their own.
                Some((0..=categories.len()).map(|k| f64::from(u8::from(k == categories.len()))).collect())
            }
            Self::OneHot { shares: Some(shares), .. } => Some(shares.clone()),
            Self::OneHot { categories, shares: None, .. } => {
                Some(vec![1.0 / categories.len() as f64; categories.len()])
            }
            Self::Ordinal { mean: Some(mean), .. } => Some(vec![*mean]),
            Self::Ordinal { categories, mean: None } => {
                Some(vec![categories.len().saturating_sub(1) as f64 / 2.0])
            }
            Self::Boolean { share, .. } => Some(vec![*share]),
        }
    }

    /// What stands for a missing value: means, or the most frequent category.
    #[must_use]
    pub fn filling(&self) -> Option<Vec<f64>> {
        match self {
            Self::Number { mean, .. } => mean.map(|mean| vec![mean]),
            Self::Date { mean, .. } => mean.clone(),
            Self::Boolean { share, .. } => Some(vec![f64::from(u8::from(*share >= 0.5))]),
            Self::Ordinal { .. } => self.average(),
            Self::OneHot { shares, other, .. } => {
                let mut all = shares.clone().unwrap_or_default();
                all.extend(*other);
                let mut most = 0;
                for place in 1..all.len() {
                    if all[place] > all[most] {
                        most = place;
                    }
                }
                Some((0..self.width()).map(|k| f64::from(u8::from(k == most))).collect())
            }
        }
    }

    /// Number of inputs, without that for missing values.
    #[must_use]
    pub fn width(&self) -> usize {
        match self {
            Self::OneHot { categories, other, .. } => categories.len() + usize::from(other.is_some()),
            Self::Date { parts, .. } => 1 + 2 * parts.len(),
            _ => 1,
        }
    }

    /// Names of the inputs of a column of this name.
    pub(super) fn input_names(&self, name: &str) -> Vec<String> {
        match self {
            Self::OneHot { categories, other, .. } => {
                let known = categories.iter().map(|category| format!("{name}={category}"));
                known.chain(other.map(|_| format!("{name}=(other)"))).collect()
            }
            Self::Boolean { yes, .. } => vec![format!("{name}={yes}")],
            Self::Date { parts, .. } => {
                let parts = parts.iter().flat_map(|part| {
                    ["sin", "cos"].map(|function| format!("{name} {} {function}", part.name()))
                });
                [format!("{name} days")].into_iter().chain(parts).collect()
            }
            Self::Number { .. } | Self::Ordinal { .. } => vec![name.to_string()],
        }
    }

    /// The place of a text among the categories: of yes and no 1 and 0.
    pub(in crate::data::table) fn place(&self, text: &str) -> Option<usize> {
        match self {
            Self::Number { .. } | Self::Date { .. } => None,
            Self::OneHot { categories, .. } | Self::Ordinal { categories, .. } => {
                categories.binary_search_by(|category| category.as_str().cmp(text)).ok()
            }
            Self::Boolean { yes, no, .. } => booleans::place(text, yes, no),
        }
    }

    /// The number of a field of numbers, dates or times that is not missing, before it becomes inputs.
    pub(in crate::data::table) fn number(&self, text: &str) -> Result<f64, ProblemKind> {
        match self {
            Self::Date { clock, order, .. } => {
                let found = read_date(text).filter(|date| date.is_clock == *clock);
                let seconds = found.map_or(f64::NAN, |date| date.readings[order.index()]);
                if seconds.is_nan() { Err(ProblemKind::NotADate { text: text.into() }) } else { Ok(seconds) }
            }
            Self::Number { notation, .. } => number(text, notation.as_ref()),
            _ => number(text, None),
        }
    }

    /// Whether a field has no value.
    pub(in crate::data::table) fn is_missing(&self, text: &str) -> bool {
        match self {
            Self::Number { .. } | Self::Date { .. } => is_missing_number(text),
            _ => is_missing(text),
        }
    }

    /// Appends the inputs of a number, or of a time in seconds.
    pub(in crate::data::table) fn push_number(&self, v: f64, out: &mut Vec<f64>) {
        match self {
            Self::Date { origin, parts, .. } => {
                out.push((v - origin) / DAY);
                out.extend(parts.iter().flat_map(|part| part.angle(v)));
            }
            _ => out.push(v),
        }
    }

    /// The date, or the time of day, that is so many days after the first training row; none for other kinds.
    pub(crate) fn date_text(&self, days: f64) -> Option<String> {
        let Self::Date { origin, clock, .. } = self else { return None };
        let seconds = (origin + days * DAY).round();
        let text = calendar::iso(seconds);
        if !clock {
            return Some(text);
        }
        Some(text.split_once(' ').map_or("00:00:00", |(_, time)| time).to_string())
    }

    /// Whether it holds text and does not say how often each category occurs.
    pub(super) fn lacks_shares(&self) -> bool {
        matches!(self, Self::OneHot { shares: None, .. } | Self::Ordinal { mean: None, .. })
    }

    /// What is wrong with its numbers, when they were read from a file.
    pub(super) fn check(&self, name: &str) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("{what} of its column {name} are wrong"));
        match self {
            Self::Number { mean: Some(mean), .. } if !mean.is_finite() => {
                Err(format!("the mean of its column {name} is not a finite number"))
            }
            Self::OneHot { categories, .. } | Self::Ordinal { categories, .. }
                if categories.is_empty() || !categories.is_sorted_by(|a, b| a < b) =>
            {
                Err(format!("the words of its column {name} are not in order"))
            }
            Self::OneHot { categories, shares: Some(shares), other } => {
                let are_right = shares.len() == categories.len()
                    && shares.iter().chain(other).all(|share| (0.0..=1.0).contains(share))
                    && (shares.iter().chain(other).sum::<f64>() - 1.0).abs() < 1e-6;
                if are_right { Ok(()) } else { wrong("the shares of the words") }
            }
            Self::Ordinal { categories, mean: Some(mean) }
                if !(0.0..=categories.len() as f64 - 1.0).contains(mean) =>
            {
                wrong("the shares of the words")
            }
            Self::Boolean { yes, no, share } if yes == no || !(0.0..=1.0).contains(share) => {
                wrong("yes and no")
            }
            Self::Date { origin, parts, mean, .. } => {
                let are_right = origin.abs() < 1e15
                    && parts.len() <= DatePart::ALL.len()
                    && mean
                        .as_ref()
                        .is_none_or(|m| m.len() == self.width() && m.iter().all(|v| v.is_finite()));
                if are_right { Ok(()) } else { wrong("the dates") }
            }
            _ => Ok(()),
        }
    }
}

/// The number of a field.
pub(in crate::data::table) fn number(text: &str, notation: Option<&Notation>) -> Result<f64, ProblemKind> {
    let v = match (notation, read_field(text)) {
        (Some(notation), Field::Number(v)) if v.is_finite() => notation.read(text),
        (_, Field::Number(v)) => Some(v),
        (Some(notation), _) => notation.read(text),
        (None, _) => None,
    };
    let v = v.ok_or_else(|| ProblemKind::NotANumber { text: text.into() })?;
    check_number(v, text)?;
    Ok(v)
}
