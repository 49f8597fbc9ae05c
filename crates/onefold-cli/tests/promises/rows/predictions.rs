//! As many predictions as rows, whether model and table have names or not.

use crate::common::{onefold, stdout, words};
use crate::random::Random;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Kinds of the input columns: `w` for words, `n` for numbers. The target is a number.
fn row(random: &mut Random, kinds: &str, with_target: bool, i: usize) -> String {
    let cell = |kind: char| match kind {
        'w' => ["red", "blue", "green"][if i < 3 { i } else { random.below(3) }].to_string(),
        _ => format!("{:.2}", random.between(0.0, 9.0)),
    };
    let mut cells: Vec<String> = kinds.chars().map(cell).collect();
    if with_target {
        cells.push(format!("{:.1}", i as f64 + random.between(0.0, 3.0)));
    }
    cells.join(",") + "\n"
}

fn names(kinds: &str, with_target: bool) -> String {
    let mut names: Vec<String> = (0..kinds.len()).map(|i| ["left", "2020", "right"][i].to_string()).collect();
    if with_target {
        names.push("price".into());
    }
    names.join(",") + "\n"
}

/// Number of predictions, and what is said.
fn predict(folder: &Path, more: &str) -> (Option<usize>, String) {
    let output = onefold(folder, &words(&format!("predict m.json new.csv {more}"))).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let count = String::from_utf8(output.stdout).unwrap().lines().count().saturating_sub(1);
    ((output.status.code() == Some(0)).then_some(count), said)
}

#[test]
fn there_is_a_prediction_for_every_row_or_the_assumption_is_said_with_its_flag() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(3);
    for kinds in ["w", "n", "ww", "wn", "nn", "nw", "wwn", "www", "nnn"] {
        for trained_with_names in [true, false] {
            let mut text = if trained_with_names { names(kinds, true) } else { String::new() };
            text.extend((0..24).map(|i| row(&mut random, kinds, true, i)));
            fs::write(folder.join("t.csv"), text).unwrap();
            let how = if trained_with_names { "yes" } else { "no" };
            let fit = format!("fit t.csv --header {how} --hidden 1 --seed 1 --max-evaluations 10 -o m.json");
            stdout(folder, &words(&fit));
            for (has_names, with_target, count) in
                [(false, false, 1), (false, true, 5), (true, false, 1), (true, true, 4), (false, false, 30)]
            {
                let mut text = if has_names { names(kinds, with_target) } else { String::new() };
                text.extend((0..count).map(|i| row(&mut random, kinds, with_target, i)));
                fs::write(folder.join("new.csv"), &text).unwrap();
                let about = format!("{kinds}, names {trained_with_names} and {has_names}\n{text}");
                let (found, said) = predict(folder, "");
                let is_decided = !has_names || trained_with_names;
                if is_decided {
                    assert_eq!((found, said.as_str()), (Some(count), ""), "{about}");
                } else {
                    // Names that the model does not know.
                    assert!(found == Some(count) || said.contains("--header"), "{about}\n{found:?} {said}");
                }
                let flag = if has_names { "--header yes" } else { "--header no" };
                assert_eq!(predict(folder, flag).0, Some(count), "{flag} {about}");
            }
        }
    }
}

/// The reported case: the first row of words was taken for names.
#[test]
fn the_first_row_of_words_is_not_swallowed() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(4);
    let text: String = (0..30).map(|i| row(&mut random, "ww", true, i)).collect();
    fs::write(folder.join("t.csv"), text).unwrap();
    stdout(folder, &words("fit t.csv --hidden 1 --seed 1 --max-evaluations 10 -o m.json"));
    for (text, count) in
        [("red,blue\n", 1), ("red,blue\ngreen,red\nblue,green\n", 3), ("violet,blue\nred,red\n", 2)]
    {
        fs::write(folder.join("new.csv"), text).unwrap();
        assert_eq!(predict(folder, "").0, Some(count), "{text}");
    }
    fs::write(folder.join("new.csv"), "violet,pink\nred,red\n").unwrap();
    let (found, said) = predict(folder, "");
    assert!(
        found == Some(2) && said.contains("is taken for data") && said.contains("--header yes"),
        "{said}"
    );
}

/// A wrong cell in the first line is no name.
#[test]
fn a_first_row_with_a_wrong_cell_is_refused_and_not_dropped() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(5);
    let text: String = (0..30).map(|i| row(&mut random, "nwn", true, i)).collect();
    fs::write(folder.join("t.csv"), &text).unwrap();
    stdout(folder, &words("fit t.csv --hidden 1 --seed 1 --max-evaluations 10 -o m.json"));
    for first in ["oops,red,3", "1O,red,4", "\u{2212}x,blue,5", "1,red,x"] {
        fs::write(folder.join("new.csv"), format!("{first}\n1,red,2\n3,blue,4\n")).unwrap();
        let (found, said) = predict(folder, "");
        assert!(found.is_none() && said.contains("line 1, column "), "{first}: {found:?} {said}");
        assert!(said.contains("--header yes"), "{first}: {said}");
        // The same in training.
        fs::write(folder.join("new.csv"), format!("{first},7\n{text}")).unwrap();
        let output =
            onefold(folder, &words("fit new.csv --hidden 1 --max-evaluations 10 --json")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{first}");
    }
}

/// Columns are found by number, so those after the target have another place in a table without it.
#[test]
fn identifiers_stay_beside_the_predictions_in_a_table_without_names_and_target() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for (target, id) in [(1, 2), (3, 1), (2, 3), (1, 3)] {
        let table = |with_target: bool| {
            let row = |i: usize| {
                let cell = |k: usize| match k {
                    k if k == target => format!("{}.5", i * 5 % 7),
                    k if k == id => format!("{}", 7001 + i * 13),
                    _ => format!("{}.25", i * 3 % 11),
                };
                let columns = (1..=3).filter(|k| with_target || *k != target);
                columns.map(cell).collect::<Vec<_>>().join(",") + "\n"
            };
            (0..24).map(row).collect::<String>()
        };
        fs::write(folder.join("t.csv"), table(true)).unwrap();
        fs::write(folder.join("new.csv"), table(false)).unwrap();
        let fit = "fit t.csv --header no --hidden 1 --seed 1 --max-evaluations 10 -o m.json";
        stdout(folder, &words(&format!("{fit} --target-column {target} --id-column {id}")));
        let with_target = stdout(folder, &words("predict m.json t.csv --header no"));
        let without = stdout(folder, &words("predict m.json new.csv --header no"));
        let rows = |text: &str| text.lines().skip(1).map(str::to_string).collect::<Vec<_>>();
        assert!(rows(&without)[1].starts_with("7014,"), "{target} {id}: {without}");
        assert_eq!(rows(&without), rows(&with_target), "{target} {id}");
    }
}
