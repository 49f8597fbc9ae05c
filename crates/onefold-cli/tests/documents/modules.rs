//! The dependency rule of CONTRIBUTING.md, compared with the sources.

use super::{document, root};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The rows of the table: a module may use modules of earlier rows.
fn rows() -> Vec<Vec<String>> {
    let text = document("CONTRIBUTING.md").text;
    let (_, rest) = text.split_once("| modules | contents |\n|---|---|\n").unwrap();
    let table = rest.lines().take_while(|line| line.starts_with('|'));
    table
        .map(|line| line.split('|').nth(1).unwrap().split('`').skip(1).step_by(2).map(String::from).collect())
        .collect()
}

/// The code of a module without comments and tests.
fn code(path: &Path) -> String {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        return entries.map(|path| code(&path)).collect();
    }
    let is_test = ["tests.rs", "contract.rs", "random_search.rs"].iter().any(|name| path.ends_with(name));
    if is_test || path.extension().is_none_or(|ending| ending != "rs") {
        return String::new();
    }
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .fold(String::new(), |all, line| all + line + "\n")
}

/// The first name of each path behind `crate::`, groups in braces included.
fn used(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, prefix) in code.match_indices("crate::") {
        let rest = &code[at + prefix.len()..];
        let (mut depth, mut name, mut is_first) = (0, String::new(), true);
        for c in rest.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ if c.is_alphanumeric() || c == '_' => name.push(c),
                _ => {}
            }
            if !(c.is_alphanumeric() || c == '_') {
                if is_first && !name.is_empty() {
                    names.push(name.clone());
                }
                name.clear();
                // In a group only what follows a comma at its top is a first name.
                is_first = depth == 1 && (matches!(c, ',' | '{') || (is_first && c.is_whitespace()));
                if depth == 0 {
                    break;
                }
            }
        }
    }
    names
}

#[test]
fn modules_use_only_those_above_them() {
    let src = root().join("crates/onefold/src");
    let rows = rows();
    let row_of = |module: &str| rows.iter().position(|row| row.iter().any(|name| name == module));
    let lib = fs::read_to_string(src.join("lib.rs")).unwrap();
    // Names at the root belong to the module that they come from.
    let mut origin: HashMap<String, String> = HashMap::new();
    for statement in lib.split("pub use ").skip(1) {
        let statement = statement.split(';').next().unwrap();
        let (module, names) = statement.split_once("::").unwrap();
        for name in names.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            origin.insert(name.into(), module.into());
        }
    }
    let modules = lib.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    let mut wrong = String::new();
    for module in modules.filter(|module| *module != "oracle") {
        let Some(own) = row_of(module) else {
            let _ = writeln!(wrong, "{module} is missing in the table");
            continue;
        };
        let (folder, file) = (src.join(module), src.join(format!("{module}.rs")));
        let code =
            [folder, file].iter().filter(|path| path.exists()).map(|path| code(path)).collect::<String>();
        for name in used(&code) {
            let other = if row_of(&name).is_some() { Some(&name) } else { origin.get(&name) };
            let Some(other) = other.filter(|other| *other != module) else { continue };
            if row_of(other).is_some_and(|row| row >= own) {
                let _ = writeln!(wrong, "{module} uses {name} of {other}");
            }
        }
    }
    assert!(wrong.is_empty(), "against the table in CONTRIBUTING.md:\n{wrong}");
}
