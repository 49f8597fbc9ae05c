//! Numbers as people write them: decimal commas, thousands separators, currency and percent signs, the minus
//! sign of typesetting.
//!
//! A field such as `1,234` can stand for two numbers, so each is read in both ways, and the whole column
//! decides which way is right.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What separates the fraction of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decimal {
    /// A point, as in `1,234.5`.
    #[default]
    #[serde(rename = ".")]
    Point,
    /// A comma, as in `1.234,5`.
    #[serde(rename = ",")]
    Comma,
}

impl Decimal {
    /// Its character.
    #[must_use]
    pub fn char(self) -> char {
        if self == Self::Point { '.' } else { ',' }
    }

    /// What may then separate thousands, besides spaces, apostrophes and underscores.
    fn thousands(self) -> char {
        if self == Self::Point { ',' } else { '.' }
    }

    pub(super) fn index(self) -> usize {
        usize::from(self == Self::Comma)
    }
}

/// How the numbers of a column are written, where they are not plain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notation {
    /// What separates the fraction.
    pub decimal: Decimal,
    /// A sign that stands beside the numbers and is left out, such as `%` or `$`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign: Option<String>,
}

impl Notation {
    /// The number of a field; none if it is not written like this.
    pub(super) fn read(&self, text: &str) -> Option<f64> {
        let written = read_written(text)?;
        let has_percent = self.sign.as_deref() == Some("%") || self.sign.as_deref() == Some("\u{2030}");
        let sign = written.sign.map(|sign| sign.to_string());
        // A currency may be left out, a percent sign is part of the value.
        let is_right = if has_percent { sign == self.sign } else { sign.is_none() || sign == self.sign };
        let value = written.readings[self.decimal.index()];
        (is_right && !value.is_nan()).then_some(value)
    }
}

/// A sign beside a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Char(char),
    /// The code of a currency.
    Code(&'static str),
}

impl Sign {
    /// Whether numbers with it and without it are different quantities.
    pub(super) fn is_part_of_value(self) -> bool {
        matches!(self, Self::Char('%' | '\u{2030}'))
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Char(c) => c.fmt(f),
            Self::Code(code) => f.write_str(code),
        }
    }
}

/// The codes of currencies that are read.
const CODES: [&str; 16] = [
    "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "BRL", "CAD", "AUD",
    "kr",
];

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Written {
    /// With a decimal point and with a decimal comma; NaN where it cannot be read so.
    pub(super) readings: [f64; 2],
    pub(super) sign: Option<Sign>,
}

/// Longest text that is a number.
const LONGEST: usize = 64;

/// Reads a number in both ways; none if it is none in either.
pub(super) fn read_written(text: &str) -> Option<Written> {
    if text.len() > LONGEST || !text.contains(|c: char| digit(c).is_some()) {
        return None;
    }
    let mut plain: String = text.chars().filter_map(plain_char).collect();
    let mut sign = None;
    let mut is_negative = false;
    let inner = plain.strip_prefix('(').and_then(|t| t.strip_suffix(')')).map(str::to_string);
    if let Some(inner) = inner {
        (is_negative, plain) = (true, inner);
    }
    let mut rest = plain.trim();
    // Minus and signs may stand in any order before the digits, and after them.
    for _ in 0..4 {
        if let Some(after) = rest.strip_prefix('-').or_else(|| rest.strip_suffix('-')) {
            if is_negative {
                return None;
            }
            (is_negative, rest) = (true, after.trim());
        } else if let Some(after) = rest.strip_prefix('+') {
            rest = after.trim();
        } else if let Some((found, after)) = strip_sign(rest) {
            if sign.is_some() {
                return None;
            }
            (sign, rest) = (Some(found), after.trim());
        }
    }
    let value = |decimal: Decimal| {
        let v = read_digits(rest, decimal).unwrap_or(f64::NAN);
        if is_negative { -v } else { v }
    };
    let readings = [value(Decimal::Point), value(Decimal::Comma)];
    readings.iter().any(|v| !v.is_nan()).then_some(Written { readings, sign })
}

/// The value of a decimal digit, also of full width and Arabic ones.
fn digit(c: char) -> Option<u32> {
    let zero = match c {
        '0'..='9' => '0',
        '\u{ff10}'..='\u{ff19}' => '\u{ff10}',
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6f0}'..='\u{6f9}' => '\u{6f0}',
        _ => return None,
    };
    Some(c as u32 - zero as u32)
}

/// The character that one of typesetting stands for; none if it stands for nothing.
fn plain_char(c: char) -> Option<char> {
    Some(match c {
        '\u{200b}'..='\u{200f}' | '\u{feff}' => return None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{ff0b}' => '+',
        '\u{ff0e}' => '.',
        '\u{ff0c}' => ',',
        '\u{ff05}' => '%',
        '\u{2019}' | '`' | '_' => '\'',
        c if c.is_whitespace() => ' ',
        c => digit(c).and_then(|d| char::from_digit(d, 10)).unwrap_or(c),
    })
}

/// A sign at either end, and what is left without it.
fn strip_sign(text: &str) -> Option<(Sign, &str)> {
    let is_sign = |c: char| matches!(c, '$' | '%' | '\u{2030}' | '\u{b0}' | '\u{a2}'..='\u{a5}' | '\u{20a0}'..='\u{20cf}');
    if let Some(c) = text.chars().next().filter(|c| is_sign(*c)) {
        return Some((Sign::Char(c), &text[c.len_utf8()..]));
    }
    if let Some(c) = text.chars().next_back().filter(|c| is_sign(*c)) {
        return Some((Sign::Char(c), &text[..text.len() - c.len_utf8()]));
    }
    let code = |code: &&'static str| {
        let rest = text.strip_prefix(*code).or_else(|| text.strip_suffix(*code))?;
        Some((Sign::Code(code), rest))
    };
    CODES.iter().find_map(code)
}

/// Digits, with separators of thousands, a fraction and an exponent.
fn read_digits(text: &str, decimal: Decimal) -> Option<f64> {
    let (body, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(b, e)| (b, Some(e)));
    let (whole, fraction) = body.split_once(decimal.char()).map_or((body, None), |(w, f)| (w, Some(f)));
    let are_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !are_digits(fraction.unwrap_or("")) || (whole.is_empty() && fraction.unwrap_or("").is_empty()) {
        return None;
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || !are_digits(digits) {
            return None;
        }
    }
    let whole = match whole.find(|c: char| !c.is_ascii_digit()) {
        None => whole.to_string(),
        Some(place) => without_separators(whole, whole[place..].chars().next()?, decimal)?,
    };
    format!("{whole}.{}e{}", fraction.unwrap_or("0"), exponent.unwrap_or("0")).parse().ok()
}

/// The digits of a number whose thousands are separated: by three, or as in India by two above the thousands.
fn without_separators(whole: &str, separator: char, decimal: Decimal) -> Option<String> {
    if ![decimal.thousands(), ' ', '\''].contains(&separator) {
        return None;
    }
    let groups: Vec<&str> = whole.split(separator).collect();
    let [first, middle @ .., last] = &groups[..] else { return None };
    let are_digits = groups.iter().all(|g| !g.is_empty() && g.bytes().all(|b| b.is_ascii_digit()));
    let by_three = first.len() <= 3 && middle.iter().all(|g| g.len() == 3);
    let by_two =
        separator == ',' && first.len() <= 2 && !middle.is_empty() && middle.iter().all(|g| g.len() == 2);
    // A zero in front of a separator would stand for nothing.
    let is_right = are_digits && !first.starts_with('0') && last.len() == 3 && (by_three || by_two);
    is_right.then(|| groups.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_a_decimal_point_and_a_decimal_comma() {
        let nan = f64::NAN;
        for (text, point, comma) in [
            ("5", 5.0, 5.0),
            ("1,5", nan, 1.5),
            ("1.5", 1.5, nan),
            ("1,234", 1234.0, 1.234),
            ("1.234", 1.234, 1234.0),
            ("1,234,567", 1_234_567.0, nan),
            ("1.234.567,89", nan, 1_234_567.89),
            ("12,34,567.8", 1_234_567.8, nan),
            ("1 234 567", 1_234_567.0, 1_234_567.0),
            ("1\u{a0}234,5", nan, 1234.5),
            ("1\u{2019}234.50", 1234.5, nan),
            ("1_000", 1000.0, 1000.0),
            ("\u{2212}3", -3.0, -3.0),
            ("(1,234.50)", -1234.5, nan),
            ("5-", -5.0, -5.0),
            ("-$1,234.5", -1234.5, nan),
            ("$-5", -5.0, -5.0),
            ("12 %", 12.0, 12.0),
            ("1.234,50 €", nan, 1234.5),
            ("CHF 5", 5.0, 5.0),
            ("\u{ff11}\u{ff12}", 12.0, 12.0),
            ("1,5e3", nan, 1500.0),
            ("0,113", nan, 0.113),
        ] {
            let found = read_written(text).unwrap_or_else(|| panic!("{text}")).readings;
            let bits = |v: f64| if v.is_nan() { None } else { Some(v.to_bits()) };
            assert_eq!(found.map(bits), [bits(point), bits(comma)], "{text}: {found:?}");
        }
        for text in
            ["", "-", "%", "abc", "1.2.3", "1O", "5 kg", "--5", "1,,2", "$5€", "12:30", "e5", "1 2", "0x1F"]
        {
            assert_eq!(read_written(text), None, "{text}");
        }
    }

    #[test]
    fn notations_ask_for_percent_signs_and_not_for_currencies() {
        let with = |sign: Option<&str>| Notation { decimal: Decimal::Comma, sign: sign.map(String::from) };
        assert_eq!(with(Some("%")).read("1,5 %"), Some(1.5));
        assert_eq!(with(Some("%")).read("1,5"), None);
        assert_eq!((with(Some("€")).read("1,5"), with(Some("€")).read("1,5 €")), (Some(1.5), Some(1.5)));
        assert_eq!((with(Some("€")).read("$5"), with(None).read("$5")), (None, None));
        assert_eq!(with(None).read("1.5"), None);
    }
}
