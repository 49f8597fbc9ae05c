//! Control characters and formulas from files do not reach the terminal, LaTeX or spreadsheets.

use crate::common::{binary, stdout, words};
use crate::random::Random;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// What an attacker may write into a name.
const PIECES: [&str; 30] = [
    "\u{1b}[2J",
    "\u{1b}]0;title\u{7}",
    "\u{1b}[31m",
    "\u{1b}[0m",
    "\u{9b}1m",
    "\u{9d}0;x\u{9c}",
    "\r",
    "\u{8}\u{8}",
    "\u{7f}",
    "\u{0}",
    "\u{85}",
    "\u{202e}",
    "\u{202a}",
    "\u{2066}",
    "\u{2069}",
    "\u{200b}",
    "\u{feff}",
    "\u{2028}",
    "\n",
    "\nreached 0\n",
    "\\input{/etc/passwd}",
    "\\write18{x}",
    "%",
    "&",
    "|",
    "*/",
    "??/",
    "</script><script>",
    "\"",
    "é",
];
/// What a spreadsheet takes for a formula.
const FORMULAS: [&str; 8] =
    ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"x\")", "-"];

/// A name with some of both; `n` keeps names apart.
fn hostile(random: &mut Random, n: usize, without: &[char]) -> String {
    let mut name = if random.below(2) == 0 { random.pick(&FORMULAS).to_string() } else { String::new() };
    for _ in 0..=random.below(3) {
        name += random.pick(&PIECES);
    }
    let name: String = name.chars().filter(|c| !without.contains(c)).collect();
    format!("{name}n{n}")
}

fn is_control(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Runs a command, and checks that both streams can be shown on a terminal.
fn shown(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(binary());
    let output = command.current_dir(folder).args(args).output().unwrap();
    for (name, stream) in [("standard output", &output.stdout), ("standard error", &output.stderr)] {
        let text = String::from_utf8(stream.clone()).unwrap();
        // In answers of CSV, invisible characters of scripts that need them stay.
        let is_csv = args[0] == "predict" && name == "standard output";
        let wrong = text.chars().find(|c| is_control(*c) || (is_invisible(*c) && !is_csv));
        assert!(wrong.is_none(), "{args:?}: {wrong:?} on {name}: {text:?}");
    }
    assert!(matches!(output.status.code(), Some(0..=2)), "{args:?}: {output:?}");
    output
}

fn succeeds(folder: &Path, args: &[&str]) -> String {
    let output = shown(folder, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

const CLASSES: &str =
    "fit k.csv --target-column kind --id-column id --hidden 2 --seed 1 --target 0.1 -o k.json";

fn table() -> String {
    let mut text = "id,size,colour,kind\n".to_string();
    for i in 0..60 {
        let (size, colour) = (i % 12, ["red", "blue", "green"][i % 3]);
        let _ = writeln!(text, "r{i},{size},{colour},{}", ["small", "big"][usize::from(size > 5)]);
    }
    text
}

/// A folder with a table and a model of two classes.
fn with_classes() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("k.csv"), table()).unwrap();
    stdout(folder.path(), &words(CLASSES));
    folder
}

/// Replaces names everywhere in a JSON document.
fn rename(value: &mut Value, names: &[(&str, String)]) {
    match value {
        Value::String(text) => {
            for (name, hostile) in names {
                if text == name {
                    text.clone_from(hostile);
                } else if let Some(word) = text.strip_prefix("colour=") {
                    let word = names.iter().find(|(n, _)| *n == word).map_or(word, |(_, h)| h);
                    *text = format!("{}={word}", names[1].1);
                    break;
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|v| rename(v, names)),
        Value::Object(all) => all.values_mut().for_each(|v| rename(v, names)),
        _ => {}
    }
}

const NAMES: [&str; 8] = ["size", "colour", "kind", "id", "small", "big", "red", "k.csv"];

/// A hostile name for each of them; the words of a column stay in order.
fn hostile_names(random: &mut Random, without: &[char], end: &str) -> Vec<(&'static str, String)> {
    let one = |(n, name): (usize, &&'static str)| {
        let word = if *name == "red" { "red" } else { "" };
        (*name, format!("{word}{}{end}", hostile(random, n, without)))
    };
    NAMES.iter().enumerate().map(one).collect()
}

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

#[test]
fn names_in_a_model_reach_no_terminal_and_add_no_line() {
    let folder = with_classes();
    let model: Value = serde_json::from_slice(&fs::read(folder.path().join("k.json")).unwrap()).unwrap();
    let lines = |args: &str| stdout(folder.path(), &words(args)).lines().count();
    let commands = ["show k.json", "show k.json --weights", "evaluate k.json k.csv", "show k.json --json"];
    let expected = commands.map(lines);
    for seed in 0..12 {
        let mut random = Random::new(seed);
        // A table has no line breaks in fields.
        let names = hostile_names(&mut random, &['\0', '\r', '\n', '\t', '\u{85}', '\u{2028}'], "");
        let mut changed = model.clone();
        rename(&mut changed, &names);
        fs::write(folder.path().join("e.json"), changed.to_string()).unwrap();
        let mut text = table();
        // Longer names first, as `id` is a part of none.
        let mut rows: Vec<Vec<String>> =
            text.lines().map(|line| line.split(',').map(String::from).collect()).collect();
        for field in rows.iter_mut().flatten() {
            if let Some((_, hostile)) = names.iter().find(|(name, _)| name == field) {
                field.clone_from(hostile);
            }
        }
        text = rows
            .iter()
            .map(|row| row.iter().map(|f| quoted(f)).collect::<Vec<_>>().join(",") + "\n")
            .collect();
        fs::write(folder.path().join("e.csv"), &text).unwrap();
        for (command, count) in commands.iter().zip(expected) {
            let command = command.replace("k.json", "e.json").replace("k.csv", "e.csv");
            assert_eq!(
                succeeds(folder.path(), &words(&command)).lines().count(),
                count,
                "{command}, seed {seed}"
            );
        }
        let answers = succeeds(folder.path(), &words("predict e.json e.csv"));
        check_csv(&answers);
        for format in ["c", "rust", "javascript", "python"] {
            let code = succeeds(folder.path(), &["export", "e.json", "--format", format]);
            // Neither the end of a page's script nor a trigraph.
            let forbidden = if format == "c" { "??/" } else { "</script" };
            assert!(!["c", "javascript"].contains(&format) || !code.contains(forbidden), "{code}");
        }
        succeeds(folder.path(), &words("export e.json -o e.h"));
        // Messages that quote the model and the table.
        shown(folder.path(), &words("predict e.json k.csv"));
        shown(folder.path(), &words("evaluate e.json k.csv"));
        shown(folder.path(), &words("predict k.json e.csv --id-column colour"));
        shown(folder.path(), &words("evaluate k.json e.csv"));
        shown(folder.path(), &words("evaluate e.json iris"));
        succeeds(
            folder.path(),
            &words("fit e.csv --id-column 1 --hidden 1 --max-generations 1 --seed 1 -o f.json"),
        );
        shown(folder.path(), &words("fit e.csv --categories refuse --hidden 1"));
        shown(folder.path(), &words("fit e.csv --task regression --hidden 1 --max-generations 1"));
    }
}

#[test]
fn line_breaks_in_the_names_of_a_model_are_shown_as_such() {
    let folder = with_classes();
    let model: Value = serde_json::from_slice(&fs::read(folder.path().join("k.json")).unwrap()).unwrap();
    let lines = |args: &str| succeeds(folder.path(), &words(args)).lines().count();
    let [show, weights] = ["show k.json", "show k.json --weights"].map(lines);
    for seed in 0..12 {
        let mut random = Random::new(100 + seed);
        let names = hostile_names(&mut random, &[], "\n\u{1b}[1A");
        let mut changed = model.clone();
        rename(&mut changed, &names);
        fs::write(folder.path().join("e.json"), changed.to_string()).unwrap();
        assert_eq!([lines("show e.json"), lines("show e.json --weights")], [show, weights], "seed {seed}");
        let read: Value =
            serde_json::from_str(&succeeds(folder.path(), &words("show e.json --json"))).unwrap();
        assert_eq!(read["inputs"][0], names[0].1.as_str(), "JSON keeps names");
        for format in ["c", "rust", "javascript", "python"] {
            succeeds(folder.path(), &["export", "e.json", "--format", format]);
        }
        // A damaged file is quoted.
        let mut damaged = changed.clone();
        damaged["origin"]["settings"][&names[0].1] = 1.into();
        damaged["topology"] = names[1].1.as_str().into();
        fs::write(folder.path().join("d.json"), damaged.to_string()).unwrap();
        let output = shown(folder.path(), &words("show d.json"));
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(String::from_utf8(output.stderr).unwrap().trim_end().lines().count(), 1);
    }
}

/// Asserts that no field is a formula, and that numbers are numbers.
fn check_csv(text: &str) {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    for record in reader.records() {
        for field in &record.unwrap() {
            let is_formula = field.trim_start().starts_with(['=', '+', '-', '@', '\t', '\r']);
            assert!(!is_formula || field.parse::<f64>().is_ok(), "{field:?} in {text}");
            assert!(!field.chars().any(is_control), "{field:?} in {text}");
        }
    }
}

#[test]
fn answers_have_no_formulas_unless_raw_ones_are_wanted() {
    let folder = with_classes();
    let mut text = "id,size,colour\n".to_string();
    let ids = ["=1+1", "-1.5", "+7", "-x", "@a", "'a", "=cmd|' /C calc'!A0", "12"];
    ids.iter().for_each(|id| writeln!(text, "{},3,red", quoted(id)).unwrap());
    fs::write(folder.path().join("new.csv"), &text).unwrap();
    let first = |args: &str| -> Vec<String> {
        let answers = succeeds(folder.path(), &words(args));
        let mut reader = csv::Reader::from_reader(answers.as_bytes());
        reader.records().map(|record| record.unwrap()[0].to_string()).collect()
    };
    let protected = ["'=1+1", "-1.5", "+7", "'-x", "'@a", "'a", "'=cmd|' /C calc'!A0", "12"];
    assert_eq!(first("predict k.json new.csv"), protected);
    assert_eq!(first("predict k.json new.csv --raw"), ids);
    stdout(folder.path(), &words("predict k.json new.csv -o out.csv"));
    check_csv(&fs::read_to_string(folder.path().join("out.csv")).unwrap());
    // Negative numbers of a regression are as they were.
    let negative = table().replace("small", "-1.25").replace("big", "-7");
    fs::write(folder.path().join("n.csv"), negative).unwrap();
    let fit = CLASSES.replace("k.csv", "n.csv").replace("k.json", "n.json");
    stdout(folder.path(), &words(&fit.replace("--target 0.1", "--target 1")));
    let answers = succeeds(folder.path(), &words("predict n.json n.csv"));
    assert!(answers.lines().nth(1).unwrap().contains(",-"), "{answers}");
    assert!(!answers.contains('\''), "{answers}");
}

/// A string of TOML; it has the escapes of JSON.
fn in_toml(text: &str) -> String {
    let escaped = serde_json::to_string(text).unwrap().replace('\u{7f}', "\\u007f");
    escaped
        .chars()
        .map(|c| if ('\u{80}'..'\u{a0}').contains(&c) { format!("\\u{:04x}", c as u32) } else { c.into() })
        .collect()
}

#[test]
fn names_in_a_campaign_reach_neither_terminal_nor_latex() {
    for seed in 0..10 {
        let folder = TempDir::new().unwrap();
        let mut random = Random::new(seed);
        let mut campaign = "name = \"mine\"\nruns = 2\n".to_string();
        let mut names = Vec::new();
        for n in 0..3 {
            // Control characters in a given name are refused; the name of a file may have them.
            let mut plain = || hostile(&mut random, n, &[',']).replace(char::is_control, "");
            let (name, table) = (format!("{}{}", ["", "a/b/1/", ""][n], plain()), plain());
            let file = hostile(&mut random, n, &['\0', '/']) + ".csv";
            fs::write(folder.path().join(&file), crate::characters::table()).unwrap();
            if n < 2 {
                let _ = writeln!(campaign, "[[cell]]\nname = {}", in_toml(&name));
            } else {
                campaign += "[[cell]]\n";
            }
            let _ = writeln!(
                campaign,
                "table = {}\ndata = {}\nignore_column = \"id\"\nhidden = \"1\"\nmethod = \"de-sb\"\ntarget = 10\nmax_evaluations = 100\npaper = {{ evaluations = 50, deviation = 5, robustness = 1 }}",
                in_toml(&table),
                in_toml(&file)
            );
            names.push(name);
        }
        fs::write(folder.path().join("mine.toml"), campaign).unwrap();
        let at = folder.path();
        succeeds(at, &words("reproduce --campaign mine.toml --store s"));
        for args in
            ["--view verdicts", "--view gains", "--view readings", "--format terminal", "--format markdown"]
        {
            succeeds(at, &words(&format!("report s {args}")));
        }
        let html = succeeds(at, &words("report s --format html"));
        assert_eq!(html.matches("</script>").count(), 1, "only that of the page itself: {html}");
        check_csv(&succeeds(at, &words("report s --format csv")));
        let read: Value = serde_json::from_str(&succeeds(at, &words("report s --format json"))).unwrap();
        assert_eq!(read["cells"][0]["cell"], names[0].as_str());
        check_latex(&succeeds(at, &words("report s --format latex")));
        succeeds(at, &words("report s --figures f"));
        // Messages that quote names.
        shown(at, &words("report s --cells nothing"));
        shown(at, &words("report s --table nothing"));
        shown(at, &words("tune * --campaign mine.toml"));
        let bad = fs::read_to_string(at.join("mine.toml")).unwrap().replacen(
            "\ntable = \"",
            "\ntable = \"\\u001b[2J\\n",
            1,
        );
        fs::write(at.join("bad.toml"), bad).unwrap();
        assert_eq!(shown(at, &words("reproduce --campaign bad.toml")).status.code(), Some(2));
        shown(at, &["tune", "a/b/1*", "--campaign", "mine.toml", "--runs", "1", "--from", "5", "--to", "6"]);
    }
}

/// Asserts that every line is one of ours, and that commands are those that escape.
fn check_latex(text: &str) {
    for line in text.lines() {
        let is_ours = ["\\begin{tabular}", "\\end{tabular}"].iter().any(|command| line.starts_with(command));
        assert!(is_ours || !line.starts_with('\\'), "{line:?} in {text}");
        for (at, _) in line.match_indices('\\').filter(|_| !line.starts_with('%')) {
            let rest = &line[at + 1..];
            let known =
                ["begin{tabular}", "end{tabular}", "text", "pm", "\\", "%", "&", "#", "$", "_", "{", "}"];
            let is_second = at > 0 && line[..at].ends_with('\\');
            assert!(is_second || known.iter().any(|k| rest.starts_with(k)) || rest.is_empty(), "{line:?}");
        }
    }
}

#[test]
fn messages_about_files_with_hostile_names_have_one_line() {
    let folder = with_classes();
    for (seed, ending) in ["json", "csv", "toml", "html", "h"].iter().cycle().take(20).enumerate() {
        let mut random = Random::new(seed as u64);
        let name = format!("{}.{ending}", hostile(&mut random, seed, &['\0', '/', '-']));
        for args in [
            vec!["show", &name],
            vec!["predict", "k.json", &name],
            vec!["fit", &name],
            vec!["fit", "k.csv", "--hidden", "1", "-o", &format!("none/{name}")],
            vec!["reproduce", "--campaign", &name],
            vec!["report", &name],
            vec!["export", "k.json", "-o", &format!("none/{name}")],
            vec!["datasets", &name],
            vec!["fit", "iris", "--topology", &name],
        ] {
            let output = shown(folder.path(), &args);
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(
                message.trim_end().lines().count() == 1 && !output.status.success(),
                "{args:?}: {message:?}"
            );
        }
        let saved =
            ["fit", "k.csv", "--id-column", "id", "--hidden", "1", "--max-generations", "1", "-o", &name];
        let text = succeeds(folder.path(), &saved);
        assert!(text.lines().last().unwrap().starts_with("  model     "), "{text}");
        if *ending == "h" {
            succeeds(folder.path(), &["export", "k.json", "-o", &name]);
        }
    }
}
