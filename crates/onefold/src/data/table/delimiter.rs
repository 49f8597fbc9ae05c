//! What separates the fields of a file.

use crate::error::Error;

/// What may separate fields where nobody says it; where several would do equally well, the first.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];

/// What separates fields, and another character that would do as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delimiter {
    pub(super) byte: u8,
    pub(super) rival: Option<u8>,
}

/// The delimiter that is given, or that of these lines.
pub(super) fn find_delimiter(given: Option<char>, lines: &[&[u8]]) -> Result<Delimiter, Error> {
    match given {
        Some(c) if c.is_ascii() && !c.is_ascii_alphanumeric() && !"\"\n\r.+-".contains(c) => {
            Ok(Delimiter { byte: c as u8, rival: None })
        }
        Some(c) => Err(Error::setting(
            "delimiter",
            format!("{c:?}"),
            "must be one plain character that no number contains, such as , or ;",
        )),
        None => Ok(detect(lines)),
    }
}

/// The candidate that occurs most often in the first line, among those that occur equally often in all lines
/// if there are any. A comma between digits may be a decimal one where another candidate would do.
fn detect(lines: &[&[u8]]) -> Delimiter {
    let lines: Vec<&[u8]> = lines.iter().copied().filter(|l| !l.trim_ascii().is_empty()).collect();
    let Some(first) = lines.first() else { return Delimiter { byte: b',', rival: None } };
    let regular: Vec<u8> = CANDIDATES
        .into_iter()
        .filter(|d| count(first, *d) > 0 && lines.iter().all(|l| count(l, *d) == count(first, *d)))
        .collect();
    let others: Vec<u8> = regular.iter().copied().filter(|d| *d != b',').collect();
    let has_decimal_commas = others.iter().any(|d| lines.iter().all(|l| are_decimal_commas(l, *d)));
    let choice = match (&regular[..], &others[..]) {
        ([], _) => &CANDIDATES[..],
        (_, [_, ..]) if has_decimal_commas => &others[..],
        (regular, _) => regular,
    };
    let best = choice.iter().rev().max_by_key(|d| count(first, **d)).copied().unwrap_or(b',');
    Delimiter { byte: best, rival: choice.iter().copied().find(|d| *d != best && !regular.is_empty()) }
}

/// How often a byte stands outside quotes.
pub(super) fn count(line: &[u8], wanted: u8) -> usize {
    let mut is_quoted = false;
    line.iter()
        .filter(|b| {
            is_quoted ^= **b == b'"';
            **b == wanted && !is_quoted
        })
        .count()
}

/// Whether each field has at most one comma, and that between digits.
fn are_decimal_commas(line: &[u8], delimiter: u8) -> bool {
    line.split(|b| *b == delimiter).all(|field| {
        let mut commas = field.iter().enumerate().filter(|(_, b)| **b == b',').map(|(i, _)| i);
        let is_digit = |i: Option<usize>| i.and_then(|i| field.get(i)).is_some_and(u8::is_ascii_digit);
        match (commas.next(), commas.next()) {
            (None, _) => true,
            (Some(i), None) => is_digit(i.checked_sub(1)) && is_digit(Some(i + 1)),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_those_that_make_regular_lines() {
        for (text, byte, rival) in [
            ("a,b\n1,2", b',', None),
            ("a;b\n1,5;2", b';', None),
            ("1,5;2,5;3\n4,5;5,5;6", b';', None),
            ("a,b;c\n1,2\n3,4", b',', None),
            ("a|b;c\n1|2\n3|4", b'|', None),
            ("\"x;y;z\",b\n1,2", b',', None),
            ("a\n1", b',', None),
            ("u|1,2\nv|2,x", b',', Some(b'|')),
        ] {
            let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
            assert_eq!(find_delimiter(None, &lines).unwrap(), Delimiter { byte, rival }, "{text}");
        }
    }
}
