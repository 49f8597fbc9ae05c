//! What a field says: a number, text, or nothing.

use super::LARGEST;
use super::notation::read_written;
use crate::error::ProblemKind;

/// What stands for a missing value in any column, in letters of any size.
pub(crate) const EMPTY: [&str; 6] = ["", "?", "NA", "N/A", "nan", "null"];
/// What stands for a missing value among numbers and dates, too; among words it may be one of them.
pub(crate) const MARKS: [&str; 31] = [
    "None",
    "-",
    "--",
    "---",
    "\u{2013}",
    "\u{2014}",
    ".",
    "..",
    "...",
    "#N/A",
    "#NA",
    "<NA>",
    "n.a.",
    "n/d",
    "nil",
    "NaT",
    "-nan",
    "+nan",
    "1.#QNAN",
    "1.#IND",
    "-1.#IND",
    "\\N",
    "(null)",
    "missing",
    "unknown",
    "undefined",
    "#NULL!",
    "#VALUE!",
    "#DIV/0!",
    "#NUM!",
    "#REF!",
];

/// All whole numbers below it are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// What a field says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Field {
    Number(f64),
    /// A number in a notation that is not read: `1.5%`, `$5`, `1,234`, a minus sign of typesetting.
    Disguised,
    /// Any other text.
    Word,
    /// A usual mark of a missing number, which may be a word among words.
    Mark,
    Missing,
}

/// Whether a field is missing in any column.
pub(super) fn is_missing(text: &str) -> bool {
    EMPTY.iter().any(|empty| empty.eq_ignore_ascii_case(text))
}

/// Whether a field is missing in a column of numbers.
pub(super) fn is_missing_number(text: &str) -> bool {
    is_missing(text) || MARKS.iter().any(|mark| mark.eq_ignore_ascii_case(text))
}

/// What a field says, without the spaces around it.
pub(super) fn read_field(text: &str) -> Field {
    let text = text.trim();
    if let Ok(v) = text.parse::<f64>()
        && !v.is_nan()
    {
        return Field::Number(v);
    }
    if is_missing(text) {
        Field::Missing
    } else if is_missing_number(text) {
        Field::Mark
    } else if is_disguised(text) || read_written(text).is_some() {
        Field::Disguised
    } else {
        Field::Word
    }
}

/// The number of a field where nothing else has to be said about it: an exact one without spaces.
pub(super) fn read_plain_number(text: &str) -> Option<f64> {
    read_few_digits(text.as_bytes()).or_else(|| text.parse().ok().filter(|v: &f64| v.abs() < EXACT))
}

/// Maximum number of digits of which every number is exact, as their powers of ten are.
const FEW_DIGITS: usize = 15;

/// A number of few digits without an exponent, faster than the standard library: digits and power of ten are
/// exact, so that their quotient is rounded once (Clinger 1990).
fn read_few_digits(text: &[u8]) -> Option<f64> {
    const POWERS: [f64; FEW_DIGITS + 1] =
        [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    // The point is one more.
    if digits.len() > FEW_DIGITS + 1 {
        return None;
    }
    let (mut number, mut point) = (0_u64, None);
    for (place, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => number = 10 * number + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(place),
            _ => return None,
        }
    }
    let count = digits.len() - usize::from(point.is_some());
    if count == 0 || count > FEW_DIGITS {
        return None;
    }
    let decimals = point.map_or(0, |place| count - place);
    let number = number as f64 / POWERS[decimals];
    Some(if is_negative { -number } else { number })
}

/// Whether a text that is no number would be one without what people, spreadsheets and typesetting add.
fn is_disguised(text: &str) -> bool {
    if !text.chars().any(char::is_numeric) {
        return false;
    }
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let mut plain = String::new();
    for c in inner.chars() {
        match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => plain.push('-'),
            '\u{ff0b}' => plain.push('+'),
            '\u{ff0e}' | '\u{66b}' => plain.push('.'),
            '\u{ff0c}' | '\u{66c}' => plain.push(','),
            '$'
            | '\u{a2}'..='\u{a5}'
            | '\u{20a0}'..='\u{20cf}'
            | '%'
            | '\u{2030}'
            | '\u{b0}'
            | '\''
            | '\u{2019}'
            | '_'
            | '`'
            | '\u{200b}'..='\u{200f}'
            | '\u{feff}' => {}
            c if c.is_whitespace() => {}
            c if c.is_numeric() && !c.is_ascii() => plain.push('0'),
            c => plain.push(c),
        }
    }
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let is_hex = |text: &str| {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let unsigned = plain.strip_suffix('-').unwrap_or(&plain);
    is_number(unsigned)
        || is_number(&unsigned.replace(',', ""))
        || is_number(&unsigned.replacen(',', ".", 1))
        || unsigned.contains(',') && is_number(&unsigned.replace('.', "").replacen(',', ".", 1))
        || is_hex(unsigned.trim_start_matches(['-', '+']))
}

/// Whether a whole number changes when it is rounded to `f64`.
pub(super) fn is_rounded(v: f64, text: &str) -> bool {
    if v.abs() < EXACT {
        return false;
    }
    let digits = text.trim_start_matches(['+', '-']);
    let is_whole = digits.bytes().all(|b| b.is_ascii_digit());
    is_whole && digits.trim_start_matches('0') != format!("{:.0}", v.abs())
}

/// Whether a whole number is written with zeros in front, as codes are.
pub(super) fn has_leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit())
}

/// What is wrong with a number, where something is.
pub(super) fn check_number(v: f64, text: &str) -> Result<(), ProblemKind> {
    if !v.is_finite() {
        return Err(ProblemKind::NotFinite { text: text.into() });
    }
    if v.abs() > LARGEST {
        return Err(ProblemKind::TooLarge { text: text.into(), most: LARGEST });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_digits_are_read_as_the_standard_library_does() {
        let mut rng = crate::rng::Rng::stream(1, crate::rng::Purpose::Data, 0, 0);
        for case in 0..20_000 {
            let digits: String =
                (0..=rng.below(17)).map(|_| char::from(b'0' + rng.below(10) as u8)).collect();
            let mut text = digits.clone();
            if case % 3 > 0 {
                text.insert(rng.below(digits.len() + 1), '.');
            }
            let text = format!("{}{text}", ["", "-"][case % 2]);
            let (found, expected) = (read_few_digits(text.as_bytes()), text.parse::<f64>().unwrap());
            assert_eq!(found.is_some(), digits.len() <= FEW_DIGITS, "{text}");
            assert!(found.is_none_or(|v| v.to_bits() == expected.to_bits()), "{text}");
        }
        for text in ["", "-", ".", "-.", "+1", "1e5", "1..2", "--1", " 1", "1,5", "٣", "1 "] {
            assert_eq!(read_few_digits(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn numbers_marks_and_words_are_told_apart() {
        for text in ["1", "+1", "-.5", "5.", "1e5", "1E-5", " 7 ", "inf", "-Infinity", "007"] {
            assert!(matches!(read_field(text), Field::Number(_)), "{text}");
        }
        for text in ["", " ", "?", "na", "N/A", "NaN", "NULL"] {
            assert_eq!(read_field(text), Field::Missing, "{text}");
        }
        for text in ["None", "#N/A", "-", "\u{2014}", ".", "-nan", "<NA>", "\\N", "#DIV/0!"] {
            assert_eq!(read_field(text), Field::Mark, "{text}");
        }
        for text in [
            "1.5%",
            "1,234",
            "1,5",
            "$5",
            "5 €",
            "\u{2212}5",
            "\u{ff11}\u{ff12}",
            "1_000",
            "0x1F",
            "(5)",
            "1 000",
            "1.234,5",
            "'5",
            "5-",
            "\u{200b}5",
        ] {
            assert_eq!(read_field(text), Field::Disguised, "{text}");
        }
        for text in
            ["red", "1.2.3", "1O", "12abc", "1st", "5 kg", "2024-01-05", "12:30", "1A", "e5", "--5", "1/2"]
        {
            assert_eq!(read_field(text), Field::Word, "{text}");
        }
    }

    #[test]
    fn whole_numbers_beyond_the_exact_ones_are_noticed() {
        for (text, expected) in [
            ("9007199254740992", false),
            ("9007199254740993", true),
            ("-9007199254740993", true),
            ("0009007199254740992", false),
            ("1e300", false),
            ("123456789012345678.5", false),
            ("12345678901234567890", true),
        ] {
            assert_eq!(is_rounded(text.parse().unwrap(), text), expected, "{text}");
        }
    }
}
