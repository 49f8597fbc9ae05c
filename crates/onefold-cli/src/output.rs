//! Printing, and numbers as people read them.

use onefold::error::{is_unsafe_to_show, shown};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Styles that the command itself prints, on a terminal.
const STYLES: [&str; 6] = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[36m"];

/// Prints text for people to standard output. A pipe whose reader has ended is no failure.
///
/// Names from files are escaped where a line is made of them (`shown`), since here a line break in a name
/// looks like any other. Whatever else a terminal would obey is escaped here.
pub(crate) fn print(text: &str) -> io::Result<()> {
    print_bytes(clean(text, console::colors_enabled()).as_bytes())
}

/// The same, but a reader that has ended before is a failure.
pub(crate) fn print_to_its_end(text: &str) -> io::Result<()> {
    write_out(clean(text, console::colors_enabled()).as_bytes())
}

/// Prints a line for people to standard error.
pub(crate) fn tell(line: &str) {
    // If standard error is closed, nobody is left to tell.
    let _ = writeln!(io::stderr(), "{}", shown(line));
}

/// Prints the bytes of a file that need not be text.
pub(crate) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    unless_closed(write_out(bytes))
}

/// A pipe whose reader has ended is no failure.
pub(crate) fn unless_closed(printed: io::Result<()>) -> io::Result<()> {
    match printed {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    written.map_err(|e| io::Error::new(e.kind(), format!("standard output: {e}")))
}

/// Escapes what a terminal would obey, except line breaks, tabs and, where there are colours, our styles.
fn clean(text: &str, has_colours: bool) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let style = STYLES.iter().find(|style| has_colours && rest.starts_with(**style));
        if let Some(style) = style {
            cleaned += style;
            rest = &rest[style.len()..];
            continue;
        }
        if is_unsafe_to_show(c) && c != '\n' && c != '\t' {
            cleaned.extend(c.escape_unicode());
        } else {
            cleaned.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    cleaned
}

/// A JSON document in which strings have no character that a terminal would obey; its meaning is the same.
pub(crate) fn json(value: &Value) -> String {
    let mut text = String::new();
    for c in format!("{value:#}\n").chars() {
        // Only strings contain such characters.
        if is_unsafe_to_show(c) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
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

/// A number with four significant digits and no zeros after them: `0.412`, `1234`, `3.1e-7`.
pub(crate) fn readable(v: f64) -> String {
    if !is_plain(v) || v == 0.0 || !v.is_finite() {
        return if v == 0.0 { "0".into() } else { format!("{v:.3e}") };
    }
    let digits = (3.0 - v.abs().log10().floor()).max(0.0) as usize;
    let text = format!("{v:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
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

/// A table with aligned columns, two spaces apart; columns of numbers to the right. Entries are shown on one
/// line.
pub(crate) fn table(rows: &[Vec<String>], right: &[bool]) -> String {
    let columns = right.len();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|entry| shown(entry).into_owned()).collect()).collect();
    let widths: Vec<usize> = (0..columns)
        .map(|c| rows.iter().map(|r| console::measure_text_width(&r[c])).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in &rows {
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

/// A point in time, in universal time to the minute.
pub(crate) fn date(time: SystemTime) -> Option<String> {
    let seconds = Duration::from_secs(time.duration_since(UNIX_EPOCH).ok()?.as_secs());
    let text = humantime::format_rfc3339_seconds(UNIX_EPOCH + seconds).to_string();
    Some(format!("{} {} UTC", text.get(..10)?, text.get(11..16)?))
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
    fn terminals_get_only_our_styles() {
        let text = "\u{1b}[1mbold\u{1b}[0m\n\u{1b}[2J\u{1b}]0;x\u{7}\r\u{9b}31m\u{202e}\t.";
        let cleaned = "bold\u{1b}[0m\n\\u{1b}[2J\\u{1b}]0;x\\u{7}\\u{d}\\u{9b}31m\\u{202e}\t.";
        assert_eq!(clean(text, true), format!("\u{1b}[1m{cleaned}"));
        assert!(!clean(text, false).contains('\u{1b}'));
    }

    #[test]
    fn json_keeps_its_meaning() {
        let value = serde_json::json!({"a\u{9b}\u{202e}": ["\u{1b}[0m\n", "\u{e0001}", "é"]});
        let text = json(&value);
        assert!(!text.contains(|c| is_unsafe_to_show(c) && c != '\n'), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

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
        for (v, text) in [
            (0.412, "0.412"),
            (1234.5, "1234"),
            (0.0, "0"),
            (3.1e-7, "3.100e-7"),
            (12.3456, "12.35"),
            (-2.0, "-2"),
        ] {
            assert_eq!(readable(v), text);
        }
    }

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["a".into(), "1".into()], vec!["long".into(), "10".into()]];
        assert_eq!(table(&rows, &[false, true]), "a      1\nlong  10\n");
    }
}
