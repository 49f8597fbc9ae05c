//! LaTeX tables.

use onefold::error::{is_unsafe_to_show, shown};
use std::fmt::Write as _;

/// A tabular environment, with the name of the table in a comment. Neither has line breaks.
pub(super) fn tabular(name: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("% {}\n\\begin{{tabular}}{{{}}}\n", escape(name), "l".repeat(header.len()));
    let titles: Vec<String> = header.iter().map(ToString::to_string).collect();
    for row in std::iter::once(&titles).chain(rows) {
        let entries: Vec<String> = row.iter().map(|entry| escape(entry)).collect();
        // After the end of a row LaTeX looks for its options, `*` and `[`.
        let guard = if entries[0].starts_with(['*', '[', '\\']) { "{}" } else { "" };
        let _ = writeln!(text, "{guard}{} \\\\", entries.join(" & "));
    }
    text + "\\end{tabular}\n\n"
}

/// Escapes characters that are special in LaTeX or missing in its fonts. By hand, as crates for it do not
/// cover all characters of these tables.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped += "{\\textbackslash}",
            '%' | '&' | '#' | '$' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '~' => escaped += "{\\textasciitilde}",
            '^' => escaped += "{\\textasciicircum}",
            '<' => escaped += "{\\textless}",
            '>' => escaped += "{\\textgreater}",
            '|' => escaped += "{\\textbar}",
            '"' => escaped += "''",
            '±' => escaped += "$\\pm$",
            '–' => escaped += "--",
            c if is_unsafe_to_show(c) => escaped += &escape(&shown(c.encode_utf8(&mut [0; 4]))),
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
            "a\\_b \\{1\\} 50 \\% $\\pm$ -- {\\textbackslash} \\$\\&\\#"
        );
        assert_eq!(escape("x\n\\input{a}"), "x{\\textbackslash}u\\{a\\}{\\textbackslash}input\\{a\\}");
    }

    #[test]
    fn a_name_is_neither_a_command_nor_an_option_of_the_row_before() {
        let rows = ["[9cm]x", "*x", "\\x"].map(|name| vec![name.to_string(), "1".into()]);
        let text = tabular("x\n\\input{y}", &["a", "b"], &rows);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with('%') && lines[1].starts_with("\\begin{tabular}"), "{text}");
        assert!(lines[3..6].iter().all(|line| line.starts_with('{')), "{text}");
        assert_eq!(lines[6..], ["\\end{tabular}", ""]);
    }
}
