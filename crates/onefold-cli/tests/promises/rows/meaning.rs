//! Random tables, written together with what they mean: `fit` reads that, refuses, or says what it assumed.

use crate::common::{onefold, words};
use crate::random::Random;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// What is wrong with a table.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// A mark of a missing value among numbers.
    Mark,
    /// Something else that is no number among numbers.
    Stray,
    /// Wrong quotes.
    Quote,
    /// The names once more.
    RepeatedNames,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Header {
    None,
    Plain,
    /// Years among the names.
    Years,
    /// The first name is empty.
    FirstEmpty,
}

#[derive(Debug)]
struct Meaning {
    rows: usize,
    header: Header,
    delimiter: char,
    /// Whether each column holds words; the last is the target.
    has_words: Vec<bool>,
    names: Vec<String>,
    fault: Fault,
}

const MARKS: [&str; 9] = ["None", "#N/A", "-", "NaN", "null", "?", "\u{2014}", "<NA>", "."];
const STRAYS: [&str; 12] = [
    "1.5%",
    "1 23",
    "$5\u{20ac}",
    "\u{2212}\u{2212}4",
    "\u{ff11}O",
    "1.2.3",
    "1O",
    "12abc",
    "inf",
    "3 m",
    "1_00",
    "0x1F",
];

/// A table and what it means.
fn table(random: &mut Random) -> (String, Meaning) {
    let columns = 2 + random.below(4);
    let mut has_words: Vec<bool> = (0..columns).map(|_| random.below(3) == 0).collect();
    let number = random.below(columns);
    has_words[number] = false;
    let rows = 10 + random.below(25);
    let header =
        random.pick(&[Header::None, Header::Plain, Header::Plain, Header::Years, Header::FirstEmpty]);
    let delimiter = random.pick(&[',', ';', '\t', '|']);
    let mut fault = random.pick(&[
        Fault::None,
        Fault::None,
        Fault::Mark,
        Fault::Stray,
        Fault::Quote,
        Fault::RepeatedNames,
    ]);
    if header == Header::None && fault == Fault::RepeatedNames {
        fault = Fault::None;
    }
    let mut names: Vec<String> =
        (0..columns).map(|i| ["size", "id", "weight", "kind", "price"][i].to_string()).collect();
    match header {
        Header::Years if columns > 2 => names[1] = "2020".into(),
        Header::FirstEmpty => names[0] = String::new(),
        _ => {}
    }
    let mut cells: Vec<Vec<String>> = (0..rows)
        .map(|row| {
            let cell = |has_words: &bool| match has_words {
                true => {
                    ["red", "blue", "dark green"][if row < 3 { row } else { random.below(3) }].to_string()
                }
                false => format!("{:.3}", random.between(-50.0, 50.0)),
            };
            has_words.iter().map(cell).collect()
        })
        .collect();
    // The first three rows have all words, and they come again.
    for row in 0..3 {
        cells.push(cells[row].clone());
    }
    let at = random.below(cells.len());
    match fault {
        Fault::Mark => cells[at][number] = random.pick(&MARKS).into(),
        Fault::Stray => cells[at][number] = random.pick(&STRAYS).into(),
        Fault::RepeatedNames => cells.insert(at.max(1), names.clone()),
        _ => {}
    }
    let count = cells.len();
    let quotes = random.below(3);
    let line = |random: &mut Random, fields: &[String]| {
        let field = |f: &String| match quotes {
            2 => format!("\"{f}\""),
            1 if random.below(2) == 0 => format!(" {f} "),
            _ => f.clone(),
        };
        fields.iter().map(field).collect::<Vec<_>>().join(&delimiter.to_string())
    };
    let mut lines: Vec<String> = Vec::new();
    if header != Header::None {
        lines.push(line(random, &names));
    }
    for (i, row) in cells.iter().enumerate() {
        let mut text = line(random, row);
        if fault == Fault::Quote && i == at {
            text = random.pick(&["\"2\"3", "4\"5", "\"6", "\"\"7\""]).to_string()
                + &text[text.find(delimiter).unwrap()..];
        }
        lines.push(text);
        if random.below(20) == 0 {
            lines.push(String::new());
        }
    }
    let end = random.pick(&["\n", "\r\n", "\r"]);
    let mut text = lines.join(end);
    if random.below(2) == 0 {
        text += end;
    }
    if random.below(5) == 0 {
        text.insert(0, '\u{feff}');
    }
    (text, Meaning { rows: count, header, delimiter, has_words, names, fault })
}

/// Exit code, report and messages of a short training.
fn fit(folder: &Path, more: &str) -> (i32, String, String) {
    let args =
        format!("fit t.csv --hidden 1 --seed 1 --max-evaluations 10 --test-fraction 0 -o m.json {more}");
    let output = onefold(folder, &words(&args)).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

impl Meaning {
    fn name(&self, i: usize) -> String {
        match self.header {
            Header::None => format!("column{}", i + 1),
            _ if self.names[i].is_empty() => format!("column{}", i + 1),
            _ => self.names[i].clone(),
        }
    }

    /// The lines of the report that this table has, if it is read as it is meant.
    fn report(&self) -> Vec<String> {
        let separated = match self.delimiter {
            ',' => "commas",
            ';' => "semicolons",
            '\t' => "tabs",
            _ => "bars",
        };
        let header = if self.header == Header::None { "without a header" } else { "with a header" };
        let columns = self.names.len();
        let mut lines = vec![format!(
            "t.csv  {} rows of {columns} columns separated by {separated}, {header}",
            self.rows
        )];
        let inputs = |words: bool| (0..columns - 1).filter(move |i| self.has_words[*i] == words);
        let numbers: Vec<String> = inputs(false).map(|i| self.name(i)).collect();
        let texts: Vec<String> = inputs(true).map(|i| format!("{} (3 categories)", self.name(i))).collect();
        if !numbers.is_empty() {
            lines.push(format!("  numbers   {}", numbers.join(", ")));
        }
        if !texts.is_empty() {
            lines.push(format!("  text      {}", texts.join(", ")));
        }
        let what = if self.has_words[columns - 1] { "3 classes" } else { "numbers from" };
        lines.push(format!("  target    {}: {what}", self.name(columns - 1)));
        lines
    }
}

#[test]
fn every_table_is_read_as_it_is_meant_or_refused_or_the_assumption_is_said() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(1616);
    let (mut read, mut noted) = (0, 0);
    for case in 0..150 {
        let (text, meaning) = table(&mut random);
        fs::write(folder.join("t.csv"), &text).unwrap();
        let (code, report, said) = fit(folder, "--missing refuse");
        let about = format!("case {case}: {meaning:?}\n{text}\n{report}\n{said}");
        if meaning.fault != Fault::None {
            assert_eq!(code, 2, "a fault is refused, {about}");
            assert!(said.contains("line "), "{about}");
            continue;
        }
        assert_eq!(code, 0, "{about}");
        read += 1;
        if meaning.report().iter().all(|line| report.contains(line)) {
            let is_doubtful = report.contains("  note      ");
            assert!(meaning.header != Header::None || !is_doubtful, "rows with words that recur, {about}");
            noted += usize::from(is_doubtful);
            continue;
        }
        panic!("neither read as it is meant nor refused, {about}");
    }
    assert!(read > 40 && noted < read / 3, "{read} read, {noted} of them with a note");
}

/// Rows of a missing value are dropped if asked for, one for each mark.
#[test]
fn marks_of_missing_values_among_numbers_drop_their_rows_only_if_asked_for() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for (i, mark) in MARKS.iter().chain(&["", "#DIV/0!", "\\N", "nil"]).enumerate() {
        let column = i % 2;
        let row = |k: usize| {
            let mut cells = [format!("{}.5", k * 7 % 13), k.to_string()];
            if k == 4 || k == 9 {
                cells[column] = (*mark).to_string();
            }
            cells.join(",") + "\n"
        };
        fs::write(folder.join("t.csv"), "a,y\n".to_string() + &(0..20).map(row).collect::<String>()).unwrap();
        let (code, _, said) = fit(folder, "--missing refuse");
        assert!(
            code == 2 && said.contains("line 6, column") && said.contains("line 11, column"),
            "{mark}: {said}"
        );
        assert!(said.contains("--missing indicate, drop or mean"), "{mark}: {said}");
        let (code, report, said) = fit(folder, "--missing drop");
        assert!(code == 0 && report.contains("2 rows with missing values dropped"), "{mark}: {report}{said}");
        assert!(report.contains("18 to train") && report.contains("y: numbers from"), "{mark}: {report}");
    }
}

/// One wrong cell among many numbers, as input and as target, wherever it stands.
#[test]
fn one_stray_cell_among_numbers_is_refused_with_its_place_and_the_flag_that_accepts_it() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let more = ["oops", "1,5x", "TRUE", "5 kg", "2024-01-05", "\u{2212}", "1e", "a,b", "5\u{20ac}%"];
    for (i, stray) in STRAYS.iter().filter(|s| **s != "inf").chain(&more).enumerate() {
        let (column, at) = (i % 2, [0, 17, 39][i % 3]);
        let row = |k: usize| {
            let mut cells = [format!("{}.25", k * 7 % 41), (k * 3 % 41).to_string()];
            if k == at {
                cells[column] = format!("\"{stray}\"");
            }
            cells.join(",") + "\n"
        };
        fs::write(folder.join("t.csv"), "a,y\n".to_string() + &(0..40).map(row).collect::<String>()).unwrap();
        let (code, _, said) = fit(folder, "");
        let place = format!("line {}, column {}: ", at + 2, ["a", "y"][column]);
        assert!(code == 2 && said.contains(&place) && said.contains(stray), "{stray}: {said}");
        let (flag, go_on) =
            [("--text-column", "--text-column a"), ("--task classification", "--task classification")]
                [column];
        assert!(said.contains(flag), "{stray}: {said}");
        let (code, report, said) = fit(folder, go_on);
        assert!(code == 0, "{stray}: {report}{said}");
    }
}
