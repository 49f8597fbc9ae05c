//! A word that training did not have is encoded as the average, and its row is marked.

use super::common::{onefold, stdout, with_model, words};
use super::random::Random;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const COLOURS: [&str; 5] = ["red", "blue", "green", "grey", "a b"];

/// Rows of two word columns, a number and a target; some words may be unknown to training.
fn rows(random: &mut Random, n: usize, unknown: bool) -> Vec<[String; 4]> {
    let colours = 2 + random.below(4);
    (0..n)
        .map(|i| {
            let word = |random: &mut Random, known: &[&str]| {
                if unknown && random.below(3) == 0 {
                    ["violet", "None", "7", "-", "x\"y, z"][random.below(5)].to_string()
                } else {
                    // The first rows have all words, so that none is rare by accident.
                    known[if i < known.len() { i } else { random.below(known.len()) }].to_string()
                }
            };
            let (colour, kind) = (word(random, &COLOURS[..colours]), word(random, &["u", "v", "w"]));
            let size = random.between(-3.0, 9.0);
            let target = 100.0 * size + 30.0 * colour.len() as f64 - 7.0 * kind.len() as f64 + i as f64;
            [colour, format!("{size:.3}"), kind, format!("{target:.2}")]
        })
        .collect()
}

fn write(path: &Path, rows: &[[String; 4]], with_header: bool) {
    let mut text = String::new();
    if with_header {
        text += "colour,size,kind,price\n";
    }
    for [colour, size, kind, price] in rows {
        let _ = writeln!(
            text,
            "\"{}\",{size},\"{}\",{price}",
            colour.replace('"', "\"\""),
            kind.replace('"', "\"\"")
        );
    }
    fs::write(path, text).unwrap();
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// The encoding of a row by the model file alone, and its words that training did not have.
fn encode(model: &Value, row: &[String; 4]) -> (Vec<f64>, Vec<String>) {
    let (mut inputs, mut unknown) = (Vec::new(), Vec::new());
    for column in model["table"]["inputs"].as_array().unwrap() {
        let text = &row[column["number"].as_u64().unwrap() as usize - 1];
        let (kind, values) = column["kind"].as_object().unwrap().iter().next().unwrap();
        if kind == "number" {
            inputs.push(text.parse().unwrap());
            continue;
        }
        let words: Vec<&str> =
            values["words"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
        let place = words.iter().position(|word| word == text);
        if place.is_none() {
            unknown.push(format!("{}={text}", column["name"].as_str().unwrap()));
        }
        match (kind.as_str(), place) {
            ("one-hot", Some(place)) => {
                inputs.extend((0..words.len()).map(|k| f64::from(u8::from(k == place))));
            }
            ("one-hot", None) => {
                let equal = vec![1.0 / words.len() as f64; words.len()];
                inputs.extend(values.get("shares").map_or(equal, numbers));
            }
            (_, Some(place)) => inputs.push(place as f64),
            (_, None) => {
                let middle = (words.len() - 1) as f64 / 2.0;
                inputs.push(values.get("mean").map_or(middle, |mean| mean.as_f64().unwrap()));
            }
        }
    }
    (inputs, unknown)
}

/// The network's output, by the model file alone.
fn output(model: &Value, inputs: &[f64]) -> f64 {
    let (offset, scale) = (numbers(&model["scaler"]["offset"]), numbers(&model["scaler"]["scale"]));
    let x: Vec<f64> = inputs.iter().enumerate().map(|(i, x)| (x - offset[i]) / scale[i]).collect();
    let mut hidden: Vec<f64> = numbers(&model["hidden"])
        .chunks_exact(x.len() + 1)
        .map(|neuron| (neuron.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() + neuron[x.len()]).tanh())
        .collect();
    hidden.push(1.0);
    numbers(&model["readout"][0]).iter().zip(&hidden).map(|(w, h)| w * h).sum()
}

/// Predictions, marks, and what is said on standard error.
fn predict(folder: &Path, table: &str) -> (Vec<(f64, String)>, String) {
    let run = onefold(folder, &["predict", "m.json", table, "--mark-unknown"])
        .assert()
        .success()
        .get_output()
        .clone();
    let mut reader = csv::ReaderBuilder::new().has_headers(true).from_reader(&run.stdout[..]);
    let names = reader.headers().unwrap().clone();
    assert_eq!(names.iter().next_back(), Some("unknown"), "{names:?}");
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        (row[0].parse().unwrap(), row[1].to_string())
    });
    (rows.collect(), String::from_utf8(run.stderr).unwrap())
}

/// Over random tables and models: the answer is the network's at the average encoding of the training rows,
/// which the model file has; exactly the rows with unknown words are marked, and standard error counts them.
#[test]
fn unknown_words_are_the_average_of_the_training_rows_and_exactly_their_rows_are_marked() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(16);
    let mut marked = 0;
    for case in 0..24 {
        let train = rows(&mut random, 24, false);
        let with_header = case % 2 == 0;
        write(&folder.join("train.csv"), &train, with_header);
        let how = ["one-hot", "ordinal"][case / 2 % 2];
        let fit = format!(
            "fit train.csv --hidden 2 --seed {case} --max-evaluations 300 --test-fraction 0 --categories {how} -o m.json"
        );
        stdout(folder, &words(&fit));
        let mut model: Value = serde_json::from_slice(&fs::read(folder.join("m.json")).unwrap()).unwrap();
        for column in model["table"]["inputs"].as_array().unwrap() {
            let place = column["number"].as_u64().unwrap() as usize - 1;
            let Some(shares) = column["kind"]["one-hot"].get("shares") else { continue };
            let known = column["kind"]["one-hot"]["words"].as_array().unwrap();
            for (word, share) in known.iter().zip(numbers(shares)) {
                let count = train.iter().filter(|row| row[place] == word.as_str().unwrap()).count();
                assert!((share - count as f64 / 24.0).abs() < 1e-12, "the share of {word} in {shares}");
            }
        }
        let is_older = case % 3 == 2;
        if is_older {
            for column in model["table"]["inputs"].as_array_mut().unwrap() {
                for (kind, key) in [("one-hot", "shares"), ("ordinal", "mean")] {
                    if let Some(kind) = column["kind"].get_mut(kind) {
                        kind.as_object_mut().unwrap().remove(key);
                    }
                }
            }
            model["made_by"] = json!("onefold 0.2.0");
            fs::write(folder.join("m.json"), model.to_string()).unwrap();
        }
        let new = rows(&mut random, 15, true);
        write(&folder.join("new.csv"), &new, with_header);
        let (answers, said) = predict(folder, "new.csv");
        assert_eq!(answers.len(), new.len(), "case {case}");
        let mut with_unknown = 0;
        for (row, (answer, mark)) in new.iter().zip(&answers) {
            let (inputs, unknown) = encode(&model, row);
            let expected = output(&model, &inputs);
            assert!((answer - expected).abs() <= 1e-9 * expected.abs().max(1.0), "case {case}: {row:?}");
            assert_eq!(*mark, unknown.join("; "), "case {case}: {row:?}");
            with_unknown += usize::from(!unknown.is_empty());
        }
        marked += with_unknown;
        let rows = if with_unknown == 1 { "row has" } else { "rows have" };
        assert_eq!(said.contains(&format!("note: {with_unknown} {rows} words")), with_unknown > 0, "{said}");
        assert_eq!(said.contains("older version"), is_older && with_unknown > 0, "{said}");
        let scores = super::common::json(folder, &["evaluate", "m.json", "new.csv", "--json"]);
        assert_eq!(
            (scores["rows"].as_u64(), scores["unknown"].as_u64()),
            (Some(15), Some(with_unknown as u64))
        );
    }
    assert!(marked > 100, "{marked} rows are enough to mean something");
}

/// The reported case: a word that is new gave a price far from all others.
#[test]
fn a_new_word_gives_an_answer_between_those_of_the_known_words() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut text = "colour,x,y\n".to_string();
    for i in 0..60 {
        let x = f64::from(i % 12) / 4.0 - 1.5;
        let shift = [0.3, -0.2, 0.1][i as usize % 3];
        let _ = writeln!(text, "{},{x},{:.4}", COLOURS[i as usize % 3], x.sin() + shift);
    }
    fs::write(folder.join("t.csv"), text).unwrap();
    for seed in 1..=5 {
        let fit = format!("fit t.csv --hidden 3 --seed {seed} --max-evaluations 3e4 -o m.json");
        stdout(folder, &words(&fit));
        let new =
            "colour,x\nviolet,0.5\nred,0.5\nblue,0.5\ngreen,0.5\nviolet,-1\nred,-1\nblue,-1\ngreen,-1\n";
        fs::write(folder.join("new.csv"), new).unwrap();
        let answers: Vec<f64> = stdout(folder, &["predict", "m.json", "new.csv"])
            .lines()
            .skip(1)
            .map(|l| l.parse().unwrap())
            .collect();
        for part in answers.chunks_exact(4) {
            let low = part[1..].iter().copied().fold(f64::INFINITY, f64::min);
            let high = part[1..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let room = 0.3 * (high - low);
            assert!((low - room..high + room).contains(&part[0]), "seed {seed}: {part:?}");
        }
    }
}

/// Without the flag the columns of the answers do not depend on the words in the table.
#[test]
fn answers_have_the_same_columns_whether_words_are_known_or_not() {
    let folder = with_model();
    let folder = folder.path();
    fs::write(folder.join("new.csv"), "id,size,colour\na,1,red\nb,2,violet\nc,3,blue\n").unwrap();
    let run = onefold(folder, &["predict", "m.json", "new.csv"]).assert().success().get_output().clone();
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        text.starts_with("id,price\na,") && text.lines().all(|line| line.split(',').count() == 2),
        "{text}"
    );
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(
        said.contains("the first in line 3: \"violet\" in column colour") && said.contains("average"),
        "{said}"
    );
    let marked = stdout(folder, &["predict", "m.json", "new.csv", "--mark-unknown"]);
    let last: Vec<_> = marked.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(last, ["unknown", "", "colour=violet", ""]);
}
