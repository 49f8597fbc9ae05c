//! The fields of a line.
//!
//! By hand, since the `csv` crate reads `"2"3` as 23, `a"b` as it stands and a quote that is never closed to
//! the end of the file, all without a word, and does not count lines that end with a carriage return alone.

/// Where the fields of a line stand.
#[derive(Default)]
pub(super) struct Record {
    /// First byte of each field, and the byte after it.
    places: Vec<(usize, usize)>,
    /// The fields of a line with quotes, one after the other, without them.
    unquoted: String,
    has_quotes: bool,
}

/// The fields of a line.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    text: &'a str,
    places: &'a [(usize, usize)],
}

impl<'a> Fields<'a> {
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn get(&self, i: usize) -> &'a str {
        let (start, end) = self.places[i];
        &self.text[start..end]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a str> {
        let Self { text, places } = *self;
        places.iter().map(|(start, end)| &text[*start..*end])
    }
}

impl Record {
    /// Finds the fields of a line; where quotes are wrong, as [`split`].
    pub(super) fn split(&mut self, line: &str, delimiter: u8) -> Result<(), (usize, QuoteProblem)> {
        let Self { places, unquoted, has_quotes } = self;
        places.clear();
        *has_quotes = memchr::memchr(b'"', line.as_bytes()).is_some();
        if *has_quotes {
            unquoted.clear();
            return split(line, delimiter, |field, _| {
                let start = unquoted.len();
                unquoted.push_str(field);
                places.push((start, unquoted.len()));
            });
        }
        let mut start = 0;
        for end in memchr::memchr_iter(delimiter, line.as_bytes()) {
            places.push((start, end));
            start = end + 1;
        }
        places.push((start, line.len()));
        Ok(())
    }

    /// The fields of the line that was split last.
    pub(super) fn fields<'a>(&'a self, line: &'a str) -> Fields<'a> {
        Fields { text: if self.has_quotes { &self.unquoted } else { line }, places: &self.places }
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
    fn records_have_the_fields_of_lines() {
        let mut record = Record::default();
        for line in ["", "a,b", "a,", ",,", "\"a,b\",c", " 1 ,\"\"\"x\" ,é", "x"] {
            record.split(line, b',').unwrap();
            let found = record.fields(line);
            let expected: Vec<String> = fields(line, b',').unwrap().into_iter().map(|f| f.0).collect();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{line}");
            assert_eq!((found.len(), found.get(0)), (expected.len(), expected[0].as_str()));
        }
    }
}
