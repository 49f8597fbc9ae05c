//! The lines of a file, and the fields of a line.
//!
//! By hand, since the `csv` crate reads `"2"3` as 23, `a"b` as it stands and a quote that is never closed to
//! the end of the file, all without a word, and does not count lines that end with a carriage return alone.

use std::io::{self, BufRead as _, BufReader, Read};

/// What some programs put in front of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The longest line: one that does not end would take all memory.
const LONGEST_LINE: usize = 16 << 20;

/// The lines of a file, which end with LF, CR LF or CR.
pub(super) struct RawLines<R> {
    source: BufReader<R>,
    /// Number of the last line, from 1.
    number: u64,
    /// A line ended with CR; LF after it belongs to the same end.
    after_return: bool,
}

impl<R: Read> RawLines<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source: BufReader::with_capacity(1 << 16, source), number: 0, after_return: false }
    }

    /// Reads the next line without its end, and gives its number; none at the end of the file.
    pub(super) fn next_line(&mut self, line: &mut Vec<u8>) -> io::Result<Option<u64>> {
        line.clear();
        let mut has_bytes = false;
        loop {
            let buffer = match self.source.fill_buf() {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if buffer.is_empty() {
                self.number += u64::from(has_bytes);
                break;
            }
            if std::mem::take(&mut self.after_return) && buffer[0] == b'\n' {
                self.source.consume(1);
                continue;
            }
            has_bytes = true;
            let end = buffer.iter().position(|b| *b == b'\n' || *b == b'\r');
            if line.len() + end.unwrap_or(buffer.len()) > LONGEST_LINE {
                let (number, most) = (self.number + 1, LONGEST_LINE >> 20);
                return Err(io::Error::other(format!("line {number} is longer than {most} MiB")));
            }
            line.extend_from_slice(&buffer[..end.unwrap_or(buffer.len())]);
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.after_return = end.is_some_and(|end| buffer[end] == b'\r');
            self.source.consume(used);
            if end.is_some() {
                self.number += 1;
                break;
            }
        }
        if self.number == 1 && line.starts_with(MARK) {
            line.drain(..MARK.len());
        }
        Ok(has_bytes.then_some(self.number))
    }
}

/// What is wrong with the quotes of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuoteProblem {
    /// The line ends before the quote is closed.
    Open,
    /// Something follows the closing quote.
    TextAfter,
    /// A quote in a field that does not begin with one.
    Inside,
}

/// Gives every field of a line to `push`, with whether it is quoted. Spaces around quotes do not count.
///
/// Where quotes are wrong, the answer is the field, from 0, and what is wrong with it.
pub(super) fn split(
    line: &str,
    delimiter: u8,
    mut push: impl FnMut(&str, bool),
) -> Result<(), (usize, QuoteProblem)> {
    let delimiter = char::from(delimiter);
    if !line.contains('"') {
        line.split(delimiter).for_each(|field| push(field, false));
        return Ok(());
    }
    let is_space = |c: char| c != delimiter && (c == ' ' || c == '\t');
    let mut rest = line;
    for i in 0.. {
        let quoted = rest.trim_start_matches(is_space).strip_prefix('"');
        let Some(mut inner) = quoted else {
            let (field, after) = rest.split_once(delimiter).map_or((rest, None), |(f, r)| (f, Some(r)));
            if field.contains('"') {
                return Err((i, QuoteProblem::Inside));
            }
            push(field, false);
            match after {
                Some(after) => rest = after,
                None => return Ok(()),
            }
            continue;
        };
        let mut field = String::new();
        loop {
            let Some((text, after)) = inner.split_once('"') else { return Err((i, QuoteProblem::Open)) };
            field.push_str(text);
            // Two quotes stand for one.
            let Some(more) = after.strip_prefix('"') else {
                inner = after;
                break;
            };
            field.push('"');
            inner = more;
        }
        push(&field, true);
        let after = inner.trim_start_matches(is_space);
        match after.strip_prefix(delimiter) {
            Some(after) => rest = after,
            None if after.is_empty() => return Ok(()),
            None => return Err((i, QuoteProblem::TextAfter)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str, delimiter: u8) -> Result<Vec<(String, bool)>, (usize, QuoteProblem)> {
        let mut all = Vec::new();
        split(line, delimiter, |field, is_quoted| all.push((field.to_string(), is_quoted)))?;
        Ok(all)
    }

    #[test]
    fn quotes_are_read_or_refused_but_never_repaired() {
        let good: [(&str, &[(&str, bool)]); 8] = [
            ("", &[("", false)]),
            ("a,b", &[("a", false), ("b", false)]),
            ("a,", &[("a", false), ("", false)]),
            ("\"a,b\",c", &[("a,b", true), ("c", false)]),
            ("\"a\"\"b\",\"\"", &[("a\"b", true), ("", true)]),
            (" \"a\" , \"b\"\t,", &[("a", true), ("b", true), ("", false)]),
            ("\"\"\"\"", &[("\"", true)]),
            (" 1 , 2", &[(" 1 ", false), (" 2", false)]),
        ];
        for (line, expected) in good {
            let expected: Vec<_> = expected.iter().map(|(t, q)| (t.to_string(), *q)).collect();
            assert_eq!(fields(line, b','), Ok(expected), "{line}");
        }
        for (line, i, problem) in [
            ("\"2\"3", 0, QuoteProblem::TextAfter),
            ("1,\"2\" 3,4", 1, QuoteProblem::TextAfter),
            ("1,\"2\"\"", 1, QuoteProblem::Open),
            ("1,2,\"", 2, QuoteProblem::Open),
            ("1,5\" pipe", 1, QuoteProblem::Inside),
            ("\"a\",b\"c\"", 1, QuoteProblem::Inside),
        ] {
            assert_eq!(fields(line, b','), Err((i, problem)), "{line}");
        }
        // A tab that separates fields is no space around a quote.
        assert_eq!(fields("\t\"a\"", b'\t'), Ok(vec![(String::new(), false), ("a".into(), true)]));
    }

    #[test]
    fn lines_end_with_all_three_ends_and_are_counted() {
        let mut lines = RawLines::new("\u{feff}a\r\nb\rc\n\n\rd".as_bytes());
        let (mut line, mut all) = (Vec::new(), Vec::new());
        while let Some(number) = lines.next_line(&mut line).unwrap() {
            all.push((number, String::from_utf8(line.clone()).unwrap()));
        }
        let expected = [(1, "a"), (2, "b"), (3, "c"), (4, ""), (5, ""), (6, "d")];
        assert_eq!(all, expected.map(|(n, t)| (n, t.to_string())));
    }
}
