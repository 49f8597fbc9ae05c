//! Text from files as it may be shown: on one line, without characters that a terminal obeys.

use std::borrow::Cow;

/// A text from a file or a name, for a message or a terminal: control characters, line breaks, invisible ones
/// and those that change the direction of text are written as `\u{1b}`.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe_to_show) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unsafe_to_show(c) { escaped.extend(c.escape_unicode()) } else { escaped.push(c) }
    }
    Cow::Owned(escaped)
}

/// Whether a terminal may obey a character instead of showing it, or show nothing: control characters, line
/// and paragraph separators, controls of direction, and characters without width.
#[must_use]
pub fn is_unsafe_to_show(c: char) -> bool {
    changes_terminal(c)
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character can move, overwrite or reorder what a terminal shows: control characters, line and
/// paragraph separators, and controls of direction.
#[must_use]
pub fn changes_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_has_one_line_and_no_control() {
        assert_eq!(shown("Größe [°C] 東京 🎲"), "Größe [°C] 東京 🎲");
        assert_eq!(shown("a\u{1b}[2Jb\nc\td\u{9b}"), "a\\u{1b}[2Jb\\u{a}c\\u{9}d\\u{9b}");
        assert_eq!(shown("\u{202e}x\u{2069}\u{200b}\u{feff}"), "\\u{202e}x\\u{2069}\\u{200b}\\u{feff}");
        for c in (0..=0x0010_ffff).filter_map(char::from_u32).filter(|c| changes_terminal(*c)) {
            assert!(is_unsafe_to_show(c) && shown(&c.to_string()).is_ascii(), "{c:?}");
        }
    }
}
