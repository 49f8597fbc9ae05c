//! CSV that a spreadsheet may open.

use onefold::error::changes_terminal;
use std::io::{self, Write};

/// What a text begins with that a spreadsheet takes for a formula; full-width signs are such in some
/// languages.
const STARTS_FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Writes records of CSV. Texts are protected, unless they are wanted as they are.
pub(crate) struct Writer<W: Write> {
    csv: csv::Writer<W>,
    is_raw: bool,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(to: W, is_raw: bool) -> Self {
        Self { csv: csv::Writer::from_writer(to), is_raw }
    }

    pub(crate) fn write_record<T: AsRef<str>>(
        &mut self,
        fields: impl IntoIterator<Item = T>,
    ) -> csv::Result<()> {
        for field in fields {
            let field = field.as_ref();
            if self.is_raw { self.csv.write_field(field)? } else { self.csv.write_field(protected(field))? }
        }
        self.csv.write_record(None::<&[u8]>)
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.csv.flush()
    }
}

impl Writer<Vec<u8>> {
    /// What was written.
    pub(crate) fn into_bytes(self) -> io::Result<Vec<u8>> {
        self.csv.into_inner().map_err(|e| io::Error::other(e.to_string()))
    }
}

/// A text for a field of CSV that a spreadsheet may open: a formula gets an apostrophe in front, as OWASP
/// recommends, and what a terminal would obey is escaped. Numbers stay numbers.
fn protected(text: &str) -> String {
    let is_formula = text.starts_with(STARTS_FORMULA) || text.trim_start().starts_with(STARTS_FORMULA);
    let apostrophe = if is_formula && text.parse::<f64>().is_err() { "'" } else { "" };
    let mut escaped = String::from(apostrophe);
    for c in text.chars() {
        if changes_terminal(c) && c != '\n' && c != '\t' {
            escaped.extend(c.escape_unicode());
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text_and_numbers_stay() {
        for (text, written) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+x", "'+x"),
            ("-x", "'-x"),
            ("@SUM(A1)", "'@SUM(A1)"),
            (" =1", "' =1"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\\u{d}=1"),
            ("＝1", "'＝1"),
            ("-1.5", "-1.5"),
            ("+3e-7", "+3e-7"),
            ("a=b", "a=b"),
            ("", ""),
            ("a\u{1b}b", "a\\u{1b}b"),
        ] {
            assert_eq!(protected(text), written);
        }
    }
}
