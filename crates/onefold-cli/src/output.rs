//! Printing, and numbers as people read them.

use std::io::{self, Write as _};

/// Prints to standard output. A pipe whose reader has ended is no failure.
pub(crate) fn print(text: &str) -> io::Result<()> {
    print_bytes(text.as_bytes())
}

/// The same for a file that need not be text.
pub(crate) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|e| io::Error::new(e.kind(), format!("standard output: {e}"))),
    }
}

/// Prints a line to standard error. Where that is closed or full, nobody is left to tell.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// An error with four significant digits: `4.987e-5`, or `0.01099` where that is as short.
pub(crate) fn error(v: f64) -> String {
    if is_plain(v) { format!("{v:.5}") } else { format!("{v:.3e}") }
}

/// A number as a person would type it: `5e-5`, `0.011`.
pub(crate) fn short(v: f64) -> String {
    if is_plain(v) { v.to_string() } else { format!("{v:e}") }
}

/// Whether a number is read more easily without an exponent.
fn is_plain(v: f64) -> bool {
    v == 0.0 || !v.is_finite() || (1e-3..1e9).contains(&v.abs())
}

/// A fraction as a percentage.
pub(crate) fn percent(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

/// A table with aligned columns, two spaces apart; columns of numbers to the right.
pub(crate) fn table(rows: &[Vec<String>], right: &[bool]) -> String {
    let columns = right.len();
    let widths: Vec<usize> = (0..columns)
        .map(|c| rows.iter().map(|r| console::measure_text_width(&r[c])).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for c in 0..columns {
            let side = if right[c] { console::Alignment::Right } else { console::Alignment::Left };
            line += &console::pad_str(&row[c], widths[c], side, None);
            line += "  ";
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A time, in the unit that suits it.
pub(crate) fn time(seconds: f64) -> String {
    if seconds < 1e-3 {
        format!("{:.2} ms", 1e3 * seconds)
    } else if seconds < 0.1 {
        format!("{:.1} ms", 1e3 * seconds)
    } else {
        format!("{seconds:.2} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(error(4.9876e-5), "4.988e-5");
        assert_eq!(error(0.069_581), "0.06958");
        assert_eq!(error(0.0), "0.00000");
        assert_eq!((short(5e-5), short(0.011), short(0.0)), ("5e-5".into(), "0.011".into(), "0".into()));
        assert_eq!(
            (error(2.2e77), short(-1e39), short(1e6)),
            ("2.200e77".into(), "-1e39".into(), "1000000".into())
        );
        assert_eq!((error(f64::NAN), short(f64::INFINITY)), ("NaN".into(), "inf".into()));
        assert_eq!(percent(0.9072), "90.7 %");
    }

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["a".into(), "1".into()], vec!["long".into(), "10".into()]];
        assert_eq!(table(&rows, &[false, true]), "a      1\nlong  10\n");
    }
}
