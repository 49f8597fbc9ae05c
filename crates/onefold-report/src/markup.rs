//! Text from strangers in markup.

use onefold::error::shown;

/// A text for HTML and SVG: markup is escaped, and characters that are invisible or change the direction of
/// what follows are written as escapes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in shown(text).chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}

/// At most so many characters, the last one an ellipsis where it is longer. Not escaped.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    let text = shown(text);
    if text.chars().count() <= most {
        return text.into_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// At most so many characters, an ellipsis in the middle where it is longer. Not escaped.
#[must_use]
pub fn without_middle(text: &str, most: usize) -> String {
    let letters: Vec<char> = shown(text).chars().collect();
    if letters.len() <= most {
        return letters.into_iter().collect();
    }
    let (head, tail) = (most / 2, most.saturating_sub(1 + most / 2));
    letters[..head]
        .iter()
        .copied()
        .chain(['…'])
        .chain(letters[letters.len() - tail..].iter().copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(escape("</script>\"'&"), "&lt;/script&gt;&quot;&#39;&amp;");
        assert_eq!(escape("a\u{202e}b\n"), "a\\u{202e}b\\u{a}");
        assert_eq!((shortened("abcdef", 4), shortened("abcd", 4)), ("abc…".into(), "abcd".into()));
        assert_eq!(
            (without_middle("abcdefgh", 5), without_middle("abcde", 5)),
            ("ab…gh".into(), "abcde".into())
        );
    }
}
