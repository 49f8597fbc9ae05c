//! Names of columns as identifiers of C, C++ and Rust.

use std::collections::HashSet;

/// Words of C, C++ and Rust, and names that headers and compilers define as macros, that cannot be fields of
/// a struct everywhere. Only those in lower case: identifiers have no other letters.
const RESERVED: &str = "
    abstract alignas alignof and and_eq as asm assert async atomic_cancel auto await become bitand bitor bool
    box break case catch char char8_t char16_t char32_t class compl complex concept const const_cast consteval
    constexpr constinit continue co_await co_return co_yield crate decltype default delete do double dyn
    dynamic_cast else enum errno explicit export extern false far final float fn for friend gen goto huge i386
    if imaginary impl import in inline int interface isnan let linux long loop macro match mod module move mut
    mutable namespace near new noexcept noreturn not not_eq nullptr operator or or_eq override pascal priv
    private protected pub ref reflexpr register reinterpret_cast requires restrict return self short signed
    sizeof small static static_assert static_cast stderr stdin stdout struct super switch synchronized template
    this thread_local throw trait true try type typedef typeid typename typeof typeof_unqual union unix unsafe
    unsigned unsized use using virtual void volatile wchar_t where while xor xor_eq yield";

/// Longest identifier that is made of a name.
const LONGEST: usize = 40;

/// An identifier for each name, all different: small letters, digits and underscores. `column_3` stands for a
/// name in which there is nothing to be made of; the numbers are those of the columns in the table.
pub(super) fn identifiers<'a>(names: impl Iterator<Item = (&'a str, usize)>) -> Vec<String> {
    let reserved: HashSet<&str> = RESERVED.split_whitespace().collect();
    let mut used = HashSet::new();
    let mut identifiers = Vec::new();
    for (name, number) in names {
        let plain = plain(name, number);
        let plain = if reserved.contains(plain.as_str()) { plain + "_value" } else { plain };
        let numbered = (2..).map(|n| format!("{plain}_{n}"));
        let free = [plain.clone()].into_iter().chain(numbered).find(|name| !used.contains(name));
        let free = free.unwrap_or(plain);
        used.insert(free.clone());
        identifiers.push(free);
    }
    identifiers
}

/// Letters, digits and single underscores, a letter first.
fn plain(name: &str, number: usize) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            text.push(c.to_ascii_lowercase());
        } else if !text.ends_with('_') && !text.is_empty() {
            text.push('_');
        }
        if text.len() == LONGEST {
            break;
        }
    }
    let text = text.trim_end_matches('_');
    match text.chars().next() {
        None => format!("column_{number}"),
        Some(first) if first.is_ascii_digit() => format!("column_{text}"),
        Some(_) => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_safe_and_different() {
        let names = [
            ("age", "age"),
            ("Age", "age_2"),
            ("AGE!", "age_3"),
            ("age_2", "age_2_2"),
            ("int", "int_value"),
            ("Self", "self_value"),
            ("int value", "int_value_2"),
            ("2 spirals", "column_2_spirals"),
            ("\u{6f22}", "column_9"),
            ("", "column_10"),
            ("*/ system(\"x\"); /*", "system_x"),
            ("gr\u{f6}\u{df}e", "gr_e"),
            ("__proto__", "proto"),
        ];
        let found = identifiers(names.iter().enumerate().map(|(i, (name, _))| (*name, i + 1)));
        assert_eq!(found, names.map(|(_, expected)| expected));
        let long = "x".repeat(100);
        let found = identifiers([(long.as_str(), 1), (long.as_str(), 2)].into_iter());
        assert_eq!(found, ["x".repeat(40), "x".repeat(40) + "_2"]);
    }
}
