//! What cannot be read is refused with its place, and what is assumed is said.

use crate::common::{failure, json, onefold, stdout, words};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const FIT: &str = "fit t.csv --hidden 1 --seed 1 --max-evaluations 10 --test-fraction 0 -o m.json";

fn report(folder: &Path, text: &str, more: &str) -> String {
    fs::write(folder.join("t.csv"), text).unwrap();
    stdout(folder, &words(&format!("{FIT} {more}")))
}

#[test]
fn wrong_quotes_are_refused_with_line_and_column() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for (cell, expected) in [
        ("\"2\"3", "text follows the closing quote"),
        ("\"2\" 3", "text follows the closing quote"),
        ("\"\"5", "text follows the closing quote"),
        ("5\" pipe", "a quote stands in a field"),
        ("2\"3\"", "a quote stands in a field"),
        ("\"2", "is a quote not closed?"),
        ("\"2\"\"", "is a quote not closed?"),
    ] {
        for (before, after) in [("", ",7"), ("7,", "")] {
            for end in ["\n", "\r\n", "\r"] {
                let row = format!("{before}{cell}{after}");
                let text = ["a,y", "1,2", "", "3,4", &row, "5,6", ""].join(end);
                fs::write(folder.join("t.csv"), text).unwrap();
                let message = failure(folder, &words(FIT), 2);
                let column = if before.is_empty() { "a" } else { "y" };
                assert!(message.starts_with(&format!("t.csv line 5, column {column}: ")), "{row}: {message}");
                assert!(message.contains(expected), "{row}: {message}");
            }
        }
    }
    // Spaces around quotes, and quotes in quotes, are as good as ever.
    let text = "a,y\n1, \"2\"\n\"3\" ,4\n\"5\",6\n";
    assert!(report(folder, text, "").contains("3 rows of 2 columns"));
}

#[test]
fn what_is_no_text_is_refused_wherever_it_stands() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let many = (0..30_000).fold("a,y\n".to_string(), |t, i| t + &format!("{i},{}\n", i % 97));
    for (bad, expected) in [(&b"\x00"[..], "NUL"), (b"\xE4", "not UTF-8"), (b"\xFF\xFE", "not UTF-8")] {
        let bytes = [many.as_bytes(), b"7", bad, b",8\n9,9\n"].concat();
        fs::write(folder.join("t.csv"), bytes).unwrap();
        let message = failure(folder, &words(FIT), 2);
        assert!(message.contains("line 30002, column a") && message.contains(expected), "{message}");
    }
    for big_endian in [false, true] {
        let wide = "\u{feff}a,y\n1,2\n3,4\n".encode_utf16();
        let bytes = wide.flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() });
        fs::write(folder.join("t.csv"), bytes.collect::<Vec<_>>()).unwrap();
        assert!(failure(folder, &words(FIT), 2).contains("not UTF-8"));
    }
    // NUL bytes may stand in UTF-8 as well, so they are named.
    for bytes in [&b"a,y\n1,2\n3\0,4\n"[..], b"a\0,\0y\0\n\x001\0,\x002\0\n\0"] {
        fs::write(folder.join("t.csv"), bytes).unwrap();
        let message = failure(folder, &words(FIT), 2);
        assert!(message.contains("NUL bytes") && message.contains("UTF-16") && message.contains("as UTF-8"));
    }
}

/// Headers with numbers, and first lines that could be either.
#[test]
fn headers_with_numbers_are_recognised_and_doubts_are_said_with_the_flag() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let numbers = (0..12)
        .fold(String::new(), |t, i| t + &format!("{i},{}.5,{},{}\n", i * 5 % 7, i * 3 % 11, i * i % 17));
    for header in [
        "id,2020,2021,y",
        "id,1st,2nd,y",
        "x1,2019,2020,2021",
        "\"1\",\"2\",\"3\",\"4\"",
        ",a,b,y",
        "id,2020,,y",
    ] {
        let text = report(folder, &format!("{header}\n{numbers}"), "");
        assert!(text.contains("12 rows of 4 columns separated by commas, with a header"), "{header}: {text}");
        let has_digits = header.contains("20") && !header.contains('"');
        assert_eq!(text.contains("--header no"), has_digits, "{header}: {text}");
        let model: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("m.json")).unwrap()).unwrap();
        assert_eq!(model["table"]["header"], true);
    }
    let words = (0..12).fold(String::new(), |t, i| {
        t + &format!("{},{},{},{}\n", ["north", "south"][i % 2], i * 5 % 7, i * 3 % 11, ["u", "v"][i / 2 % 2])
    });
    let text = report(folder, &format!("region,2020,2021,class\n{words}"), "");
    assert!(
        text.contains("12 rows") && text.contains("class: 2 classes") && text.contains("--header no"),
        "{text}"
    );
    let text = report(folder, &words, "");
    assert!(
        text.contains("12 rows") && text.contains("without a header") && !text.contains("note"),
        "{text}"
    );
    for header in ["2018,2019,2020,2021", "2021,2020,2019,2018", "100,110,120,130", ",0,1,2"] {
        let text = report(folder, &format!("{header}\n{numbers}"), "");
        assert!(text.contains("12 rows") && text.contains("--header no"), "{header}: {text}");
    }
    let counts = (0..12).fold(String::new(), |t, i| {
        t + &format!("{},{},{},{}\n", i * 4 % 9, i * 5 % 7, i * 3 % 11, i * i % 17)
    });
    let text = report(folder, &counts, "");
    assert!(text.contains("12 rows") && !text.contains("note"), "{text}");
    let text = report(folder, &format!("1,2,3,4\n{counts}"), "");
    assert!(text.contains("13 rows") && text.contains("--header yes"), "{text}");
    // With --json the report is on standard output, and the note on standard error.
    let run = onefold(folder, &crate::common::words(&format!("{FIT} --json")))
        .assert()
        .success()
        .get_output()
        .clone();
    assert!(String::from_utf8_lossy(&run.stderr).contains("--header yes"));
    let repeated = format!("a,a,b,y\n{numbers}");
    fs::write(folder.join("t.csv"), repeated).unwrap();
    assert!(failure(folder, &crate::common::words(FIT), 2).contains("several columns have this name"));
}

#[test]
fn categories_with_numbers_among_them_work_or_are_refused_with_the_flag() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let table = |values: &[&str]| {
        let rows = (0..24).map(|i| format!("{},{i},{}\n", values[i % values.len()], i * 7 % 5));
        "size,b,y\n".to_string() + &rows.collect::<String>()
    };
    for values in [&["S", "M", "L", "10"][..], &["1A", "2", "3B"], &["yes", "no", "None"], &["a", "-", "b"]] {
        let text = report(folder, &table(values), "");
        assert!(text.contains(&format!("text      size ({} categories)", values.len())), "{text}");
    }
    for values in [&["S", "M", "10", "12"][..], &["4", "6", "rotary"], &["$1", "2%"]] {
        fs::write(folder.join("t.csv"), table(values)).unwrap();
        let message = failure(folder, &words(FIT), 2);
        assert!(message.contains("column size"), "{message}");
        let text = stdout(folder, &words(&format!("{FIT} --text-column size")));
        assert!(text.contains(&format!("text      size ({} categories)", values.len())), "{text}");
    }
}

#[test]
fn rounded_numbers_and_columns_of_identifiers_are_said() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let ids = (0..12)
        .fold("id,x,y\n".to_string(), |t, i| t + &format!("90071992547409{}3,{i},{}\n", i + 10, i * 5 % 7));
    let text = report(folder, &ids, "");
    assert!(text.contains("is rounded") && text.contains("--id-column"), "{text}");
    assert!(!report(folder, &ids, "--id-column id").contains("is rounded"));
    let rows = stdout(folder, &words("predict m.json t.csv"));
    assert!(rows.starts_with("id,y\n90071992547409103,"), "{rows}");
    let days = (0..12)
        .fold("day,x,y\n".to_string(), |t, i| t + &format!("2024-05-{:02},{i},{}\n", i + 1, i * 5 % 7));
    let text = report(folder, &days, "");
    assert!(text.contains("dates     day (2024-05-01 to 2024-05-12)"), "{text}");
    let text = report(folder, &days.replace("2024-", "day "), "");
    assert!(text.contains("column day is left out, as it has 12 different texts in 12 rows"), "{text}");
    assert!(text.contains("--text-column"), "{text}");
    assert_eq!(json(folder, &words(&format!("{FIT} --json")))["topology"], "1-1-1");
}

/// A number above words is as little a row as a word above numbers.
#[test]
fn column_numbers_above_words_are_names() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let rows = (0..40).fold(String::new(), |t, i| {
        t + &format!("{},{},{},{}\n", i * 7 % 9, i * 5 % 7, i * 3 % 11, ["cat", "dog"][i * i % 3 % 2])
    });
    for header in ["0,1,2,3", "1,2,3,4", "10,20,30,40"] {
        let text = report(folder, &format!("{header}\n{rows}"), "");
        assert!(text.contains("40 rows") && text.contains("2 classes"), "{header}: {text}");
        assert!(text.contains("--header no"), "{header}: {text}");
    }
    let text = report(folder, &rows, "");
    assert!(text.contains("40 rows") && !text.contains("note"), "{text}");
}

/// The whole column tells what its commas are; where it does not, it is refused with the flag.
#[test]
fn commas_are_read_as_the_whole_column_says_or_refused() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let write = |cells: &[&str]| {
        let rows = (0..12).map(|i| format!("\"{}\",{}\n", cells[i % cells.len()], i * 5 % 7));
        fs::write(folder.join("t.csv"), "size,y\n".to_string() + &rows.collect::<String>()).unwrap();
    };
    for cells in [&["1,113", "2,126", "12,500"][..], &["1,113", "999", "-2,000"]] {
        write(cells);
        let message = failure(folder, &words(FIT), 2);
        assert!(message.contains("1,113 may have a thousands separator or a decimal separator"), "{message}");
        assert!(message.contains("--decimal"), "{message}");
        for (flag, decimal) in [("--decimal ,", ","), ("--thousands ,", ".")] {
            let text = stdout(folder, &words(&format!("{FIT} {flag}")));
            assert!(!text.contains("read with a decimal"), "what is given is no assumption: {text}");
            let model: serde_json::Value =
                serde_json::from_str(&fs::read_to_string(folder.join("m.json")).unwrap()).unwrap();
            assert!(model.to_string().contains(&format!("\"decimal\":\"{decimal}\"")), "{model}");
        }
    }
    for (cells, decimal) in [
        (&["1,113,117", "2,126"][..], "point"),
        (&["1,5", "2,126"], "comma"),
        (&["0,113", "0,126"], "comma"),
        (&["1,1134", "2"], "comma"),
        (&["5%", "6%", "7%"], "point and the sign %"),
    ] {
        write(cells);
        let text = stdout(folder, &words(FIT));
        assert!(text.contains("numbers   size"), "{text}");
        assert!(text.contains(&format!("read with a decimal {decimal}")), "{text}");
    }
    write(&["5", "6", "7%"]);
    let message = failure(folder, &words(FIT), 2);
    assert!(
        message.contains("7% has % beside it, and other numbers of the column have no sign"),
        "{message}"
    );
}

#[test]
fn zero_is_the_same_with_either_sign() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let table = |row: fn(usize) -> String| (0..12).map(row).collect::<String>();
    let zero_target = table(|i| format!("{i},{}\n", ["0", "-0", "0.0"][i % 3]));
    fs::write(folder.join("t.csv"), "x,y\n".to_string() + &zero_target).unwrap();
    assert!(failure(folder, &words(FIT), 2).contains("y is the same in all rows"));
    let zero_input = table(|i| format!("{},{i},{}\n", ["0", "-0"][i % 2], i * 5 % 7));
    fs::write(folder.join("t.csv"), "z,x,y\n".to_string() + &zero_input).unwrap();
    assert_eq!(json(folder, &words(&format!("{FIT} --json")))["topology"], "1-1-1");
}
