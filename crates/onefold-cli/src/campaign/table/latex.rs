//! LaTeX tables.

use std::fmt::Write as _;

/// A tabular environment, with the name of the table in a comment.
pub(super) fn tabular(name: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("% {name}\n\\begin{{tabular}}{{{}}}\n", "l".repeat(header.len()));
    let titles: Vec<String> = header.iter().map(ToString::to_string).collect();
    for row in std::iter::once(&titles).chain(rows) {
        let entries: Vec<String> = row.iter().map(|entry| escape(entry)).collect();
        let _ = writeln!(text, "{} \\\\", entries.join(" & "));
    }
    text + "\\end{tabular}\n\n"
}

/// Escapes characters that are special in LaTeX or missing in its fonts. By hand, as crates for it do not
/// cover all characters of these tables.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped += "\\textbackslash ",
            '%' | '&' | '#' | '$' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '~' => escaped += "\\textasciitilde ",
            '^' => escaped += "\\textasciicircum ",
            '±' => escaped += "$\\pm$",
            '–' => escaped += "--",
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(
            escape("a_b {1} 50 % ± – \\ $&#"),
            "a\\_b \\{1\\} 50 \\% $\\pm$ -- \\textbackslash  \\$\\&\\#"
        );
    }
}
