//! What separates the fields of a file.

use crate::error::Error;

/// What may separate fields where nobody says it; where several would do equally well, the first.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];

/// A title has at most so many lines, and a table below it at least so many.
const MOST_ABOVE: usize = 10;
const LEAST_BELOW: usize = 3;
/// What the first line says in files of spreadsheets before it names the delimiter.
const SEPARATOR: &[u8] = b"sep=";

/// What separates fields, and another character that would do as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delimiter {
    pub(super) byte: u8,
    pub(super) rival: Option<u8>,
}

/// The delimiter that a first line names, as spreadsheets write it: `sep=;`.
pub(super) fn named_delimiter(line: &[u8]) -> Option<char> {
    let line = line.trim_ascii_start();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_prefix(b"\"").and_then(|l| l.strip_suffix(b"\"")).unwrap_or(line);
    match line.split_at_checked(SEPARATOR.len())? {
        (prefix, [byte]) if prefix.eq_ignore_ascii_case(SEPARATOR) => {
            Some(char::from(*byte)).filter(|c| can_separate(*c))
        }
        _ => None,
    }
}

/// Whether a character can separate fields: no number contains it.
fn can_separate(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_alphanumeric() && !"\"\n\r.+-".contains(c)
}

/// The delimiter that is given, or that of these lines.
pub(super) fn find_delimiter(given: Option<char>, lines: &[&[u8]]) -> Result<Delimiter, Error> {
    match given {
        Some(c) if can_separate(c) => Ok(Delimiter { byte: c as u8, rival: None }),
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
    let regular = regular(&lines);
    if regular.is_empty()
        && let Some((_, delimiter)) = CANDIDATES
            .into_iter()
            .filter_map(|d| Some((lines_above(&lines, d)?, d)))
            .min_by_key(|(above, _)| *above)
    {
        return Delimiter { byte: delimiter, rival: None };
    }
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

/// The candidates that occur equally often in all lines.
fn regular(lines: &[&[u8]]) -> Vec<u8> {
    let Some(first) = lines.first() else { return Vec::new() };
    let is_regular = |d: &u8| count(first, *d) > 0 && lines.iter().all(|l| count(l, *d) == count(first, *d));
    CANDIDATES.into_iter().filter(is_regular).collect()
}

/// How many lines above a table have fewer fields than it, as a title has; none if there are more than a few,
/// or too few lines below them are alike.
pub(super) fn lines_above(lines: &[&[u8]], delimiter: u8) -> Option<usize> {
    let counts: Vec<usize> = lines.iter().map(|line| count(line, delimiter)).collect();
    let last = *counts.last()?;
    let alike = counts.iter().rev().take_while(|n| **n == last).count();
    let (above, below) = counts.split_at(counts.len() - alike);
    let is_above = above.len() <= MOST_ABOVE && above.iter().all(|n| *n < last);
    (last > 0 && below.len() >= LEAST_BELOW && is_above).then_some(above.len())
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

    #[test]
    fn a_title_above_a_table_is_counted() {
        for (text, byte, above) in [
            ("Sales of 2024\na;b;c\n1;2,5;3\n4;5,5;6", b';', Some(1)),
            ("Sales, by month\nof 2024\na,b,c\n1,2,3\n4,5,6", b',', Some(2)),
            ("a,b\n1,2\n3,4", b',', Some(0)),
            // Too little to tell, rows that are too short, and a first line that is too long.
            ("Sales\na,b,c\n1,2,3", b',', None),
            ("a,b,c\n1,2,3\n4,5\n6,7", b',', None),
            ("a,b,c\n1,2\n3,4\n5,6", b',', None),
        ] {
            let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
            assert_eq!(find_delimiter(None, &lines).unwrap().byte, byte, "{text}");
            assert_eq!(lines_above(&lines, byte), above, "{text}");
        }
    }

    #[test]
    fn a_first_line_may_name_the_delimiter() {
        for (line, named) in [
            ("sep=;", Some(';')),
            ("\"SEP=\t\"\r", Some('\t')),
            ("sep=", None),
            ("sep=x", None),
            ("sep=;;", None),
            ("separator;b", None),
        ] {
            assert_eq!(named_delimiter(line.as_bytes()), named, "{line}");
        }
    }
}
