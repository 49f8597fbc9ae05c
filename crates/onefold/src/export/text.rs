//! What the formats of source text share: numbers, tables, names in comments.

use super::{Network, Precision};
use std::fmt::Write as _;

/// Longest line of numbers.
const WIDTH: usize = 100;

impl Network<'_> {
    /// The shortest decimal number that gives back every bit, also when it is read as a double and rounded
    /// then.
    pub(super) fn number(&self, v: f64) -> String {
        let (single, rounded) = (v as f32, self.rounded(v));
        let short = format!("{single:?}");
        let exact = short.parse::<f64>().is_ok_and(|v| (v as f32).to_bits() == single.to_bits());
        if self.precision == Precision::Float && exact { short } else { format!("{rounded:?}") }
    }

    /// Numbers between brackets, on as many lines as they need, all but the first indented; `suffix` behind
    /// each.
    pub(super) fn list(&self, values: &[f64], brackets: [&str; 2], suffix: &str, indent: usize) -> String {
        let items = values.iter().map(|v| self.number(*v) + suffix);
        wrap(items, brackets, indent)
    }

    /// One list for each row.
    pub(super) fn rows(&self, rows: &[Vec<f64>], brackets: [&str; 2], suffix: &str, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let mut text = brackets[0].to_string();
        for row in rows {
            let _ = write!(text, "\n{pad}    {},", self.list(row, brackets, suffix, indent + 4));
        }
        text + "\n" + &pad + brackets[1]
    }

    /// Lines on what the file is, for a comment: no line begins or ends a comment in any language.
    fn about(&self, what: &str) -> String {
        let model = self.model;
        let mut text = format!(
            "{}: a {} {}network, trained on {}.\n{what}, {}. Written by onefold {}.\n\nInputs:\n",
            self.name,
            model.topology(),
            if self.hidden.is_empty() { "" } else { "tanh " },
            comment(&model.origin().data),
            self.precision,
            env!("CARGO_PKG_VERSION"),
        );
        let of_outputs = if model.is_classification() { "Classes:\n" } else { "Outputs:\n" };
        for (title, names) in [("", &model.input_names()), (of_outputs, &model.output_names())] {
            text += title;
            for (i, name) in names.iter().enumerate() {
                let _ = writeln!(text, "  {i}  {}", comment(name));
            }
        }
        text
    }

    /// The lines of [`about`](Self::about) behind a mark.
    pub(super) fn comment_lines(&self, what: &str, mark: &str) -> String {
        let lines = self.about(what);
        lines.lines().map(|line| format!("{mark} {line}").trim_end().to_string() + "\n").collect()
    }
}

/// A template with values in the places of their keys, of which longer ones come first. Values are not looked
/// at again: they may contain keys, as names of networks, files and columns may.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let (mut text, mut rest) = (String::new(), template);
    let next = |rest: &str| {
        let places = values.iter().filter_map(|(key, value)| Some((rest.find(key)?, *key, *value)));
        places.min_by_key(|(place, ..)| *place)
    };
    while let Some((place, key, value)) = next(rest) {
        text += &rest[..place];
        text += value;
        rest = &rest[place + key.len()..];
    }
    text + rest
}

/// Doubles between brackets, whatever the precision of the network.
pub(super) fn doubles(values: &[f64], brackets: [&str; 2], indent: usize) -> String {
    wrap(values.iter().map(|v| format!("{v:?}")), brackets, indent)
}

/// Items between brackets, in lines that are not too long.
pub(super) fn wrap(items: impl Iterator<Item = String>, brackets: [&str; 2], indent: usize) -> String {
    let items: Vec<String> = items.collect();
    let short = items.join(", ");
    if short.len() + indent < WIDTH {
        return format!("{}{short}{}", brackets[0], brackets[1]);
    }
    let pad = " ".repeat(indent);
    let (mut text, mut line) = (brackets[0].to_string(), String::new());
    for item in items {
        if !line.is_empty() && indent + line.len() + item.len() > WIDTH {
            let _ = write!(text, "\n{pad}   {line}");
            line.clear();
        }
        let _ = write!(line, " {item},");
    }
    let _ = write!(text, "\n{pad}   {line}\n{pad}{}", brackets[1]);
    text
}

/// Any text for a comment in any language: in quotes, on one line, in ASCII, without an asterisk.
pub(super) fn comment(text: &str) -> String {
    literal(text).replace('*', "\\u{2a}").replace('?', "\\u{3f}")
}

/// A string literal of Rust, and of JavaScript: that in a page too, where `</script>` would end it.
pub(super) fn literal(text: &str) -> String {
    format!("\"{}\"", text.escape_default().to_string().replace("\\'", "'").replace('<', "\\u{3c}"))
}
