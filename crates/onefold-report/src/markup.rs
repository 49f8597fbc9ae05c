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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(escape("</script>\"'&"), "&lt;/script&gt;&quot;&#39;&amp;");
        assert_eq!(escape("a\u{202e}b\n"), "a\\u{202e}b\\n");
        assert_eq!((shortened("abcdef", 4), shortened("abcd", 4)), ("abc…".into(), "abcd".into()));
    }
}
