//! Tables of one's own: from a file to a model, to predictions, and what is said about bad ones.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;

fn onefold(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("onefold").unwrap();
    command.current_dir(folder).args(args);
    command
}

fn stdout(folder: &Path, args: &[&str]) -> String {
    String::from_utf8(onefold(folder, args).assert().success().get_output().stdout.clone()).unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&stdout(folder, args)).unwrap()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Exit code and message of a command that must fail and write nothing.
fn failure(folder: &Path, args: &[&str], code: i32) -> String {
    let before = files(folder);
    let output = onefold(folder, args).assert().code(code).get_output().clone();
    assert_eq!(files(folder), before, "{args:?} wrote something");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: ") && message.trim_end().lines().count() == 1, "{message}");
    message.trim_end().trim_start_matches("error: ").to_string()
}

/// Rows of a small regression: number, word, identifier and target.
fn prices() -> String {
    let mut text = "id,size,colour,price\n".to_string();
    for i in 0..60_u32 {
        let (size, colour) = (i % 12, ["red", "blue", "green"][(i % 3) as usize]);
        text += &format!("r{i},{size},{colour},{}\n", 1000 + 250 * size + 40 * (i % 3));
    }
    text
}

/// A folder with prices.csv and a model that was trained on it.
fn with_model() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("prices.csv"), prices()).unwrap();
    let args =
        "fit prices.csv --target-column price --id-column id --hidden 2 --seed 1 --target 100 -o m.json";
    let text = stdout(folder.path(), &words(args));
    assert!(text.contains("reached 100"), "{text}");
    folder
}

#[test]
fn a_table_is_summarised_and_leaves_a_model() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(
        folder.join("prices.csv"),
        prices().replace("id,size", "id,same,size").replace(",", ",").lines().enumerate().fold(
            String::new(),
            |text, (i, line)| {
                // A column that is the same everywhere, behind the identifier.
                let line = if i == 0 { line.to_string() } else { line.replacen(',', ",7,", 1) };
                text + &line + "\n"
            },
        ),
    )
    .unwrap();
    let args = "fit prices.csv --id-column id --hidden 2 --seed 1 --max-evaluations 2e4";
    let text = stdout(folder, &words(args));
    for expected in [
        "prices.csv  60 rows of 5 columns separated by commas, names in the first line",
        "numbers   size",
        "words     colour (3 words)",
        "target    price: numbers from 1000 to 3830",
        "left out  id",
        "constant  same: the same in all training rows, so left out",
        "rows      48 to train, 12 to test by lot, split seed 1",
        "network   4-2-1",
        "finished after",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert_eq!(files(folder), ["prices-4-2-1-de-sb-1.json", "prices.csv"]);
    let shown = stdout(folder, &["show", "prices-4-2-1-de-sb-1.json", "--weights"]);
    for expected in
        ["regression", "colour=blue", "2 tanh", "condition about", "bias", "the readout undoes it"]
    {
        assert!(shown.contains(expected), "{expected} in {shown}");
    }
}

#[test]
fn errors_and_targets_are_in_the_units_of_the_data() {
    let folder = with_model();
    let folder = folder.path();
    let model: Value = serde_json::from_str(&fs::read_to_string(folder.join("m.json")).unwrap()).unwrap();
    let mse = model["metrics"]["train_mse"].as_f64().unwrap();
    assert!(mse <= 100.0 && mse > 0.0);
    assert_eq!(model["format_version"], 2);
    assert_eq!(model["origin"]["settings"]["target_scaling"], "standard");
    assert!(model["origin"]["target_scaler"]["scale"][0].as_f64().unwrap() > 100.0);
    assert_eq!(model["table"]["ids"][0]["name"], "id");
    let scores = json(folder, &["evaluate", "m.json", "prices.csv", "--json"]);
    assert_eq!(scores["rows"], 60);
    assert!(scores["r2"].as_f64().unwrap() > 0.99 && scores["mae"].as_f64().unwrap() < 30.0, "{scores}");
    assert!((scores["rmse"].as_f64().unwrap().powi(2) / scores["mse"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert!(scores["accuracy"].is_null() && scores["confusion"].is_null() && scores["f1"].is_null());
    // Without scaling the target means the same.
    let plain = "fit prices.csv --id-column id --hidden 2 --seed 1 --target 100 --target-scaling none --json";
    assert_eq!(json(folder, &words(plain))["reached"], true);
}

#[test]
fn predictions_stand_beside_identifiers_whatever_the_order_of_columns() {
    let folder = with_model();
    let folder = folder.path();
    let whole = stdout(folder, &["predict", "m.json", "prices.csv"]);
    assert_eq!(whole.lines().count(), 61);
    assert!(whole.starts_with("id,price\nr0,"), "{whole}");
    let value = |text: &str, row: usize| -> f64 {
        text.lines().nth(row).unwrap().rsplit(',').next().unwrap().parse().unwrap()
    };
    // Another order, more columns, no target; a semicolon; from standard input.
    let other = "colour;more;size\nred;x;0\nblue;\"a;b\";1\n";
    fs::write(folder.join("new.csv"), other).unwrap();
    let new = stdout(folder, &["predict", "m.json", "new.csv"]);
    assert_eq!(
        (value(&new, 1).to_bits(), value(&new, 2).to_bits()),
        (value(&whole, 1).to_bits(), value(&whole, 2).to_bits())
    );
    let piped = onefold(folder, &["predict", "m.json", "-", "--id-column", "more"])
        .write_stdin(other)
        .assert()
        .success();
    let piped = String::from_utf8(piped.get_output().stdout.clone()).unwrap();
    assert!(piped.starts_with("more,price\nx,") && piped.contains("\na;b,"), "{piped}");
    // By position where there are no names.
    fs::write(folder.join("plain.csv"), "r0,0,red\nr1,1,blue\n").unwrap();
    let plain = stdout(folder, &["predict", "m.json", "plain.csv"]);
    assert_eq!(value(&plain, 2).to_bits(), value(&whole, 2).to_bits());
    // To a file, whole; a word that training did not know is noted.
    fs::write(folder.join("new.csv"), "colour,size\npink,3\n").unwrap();
    let output = onefold(folder, &["predict", "m.json", "new.csv", "-o", "out.csv"]).assert().success();
    let note = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(
        note.starts_with("note: 1 rows have words that training did not, the first in line 2: \"pink\""),
        "{note}"
    );
    assert_eq!(fs::read_to_string(folder.join("out.csv")).unwrap().lines().count(), 2);
}

#[test]
fn classifications_have_classes_scores_and_a_confusion_matrix() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("iris.csv"), stdout(folder, &["datasets", "iris", "--csv"])).unwrap();
    let args = "fit iris.csv --hidden 2 --seed 1 --target 0.03 --split 1/1 -o m.json --json";
    let result = json(folder, &words(args));
    assert_eq!((result["reached"].as_bool(), result["data"].as_str()), (Some(true), Some("iris.csv")));
    let scores = json(folder, &["evaluate", "m.json", "iris.csv", "--json"]);
    let confusion = scores["confusion"].as_array().unwrap();
    let diagonal: u64 = (0..3).map(|i| confusion[i][i].as_u64().unwrap()).sum();
    assert_eq!(scores["accuracy"].as_f64().unwrap(), diagonal as f64 / 150.0);
    assert!(scores["f1"].as_f64().unwrap() > 0.9 && scores["log_loss"].as_f64().unwrap() < 0.5, "{scores}");
    assert_eq!(scores["classes"][0]["class"], "Iris-setosa");
    assert!(scores["r2"].is_null() && scores["mse"].is_number());
    assert!(stdout(folder, &["evaluate", "m.json", "iris.csv"]).contains("macro F1"));
    let first = stdout(folder, &["predict", "m.json", "iris.csv"]);
    assert!(
        first.starts_with(
            "column5,score_Iris-setosa,score_Iris-versicolor,score_Iris-virginica\nIris-setosa,"
        ),
        "{first}"
    );
    // The same model on the built-in set, and the built-in model on both.
    assert_eq!(stdout(folder, &["predict", "m.json", "iris"]).lines().count(), 151);
    stdout(folder, &words("fit iris --seed 1 -o b.json"));
    let on_test = json(folder, &["evaluate", "b.json", "iris", "--json"]);
    let shown = json(folder, &["show", "b.json", "--json"]);
    assert_eq!(on_test["mse"], shown["metrics"]["test_mse"]);
    assert_eq!(json(folder, &["evaluate", "b.json", "iris", "--part", "all", "--json"])["rows"], 150);
    assert_eq!(json(folder, &["evaluate", "b.json", "iris.csv", "--json"])["rows"], 150);
    assert_eq!(
        failure(folder, &["evaluate", "b.json", "sinc"], 2),
        "the model has 4 inputs, and sinc 1; it was trained on iris"
    );
}

#[test]
fn folds_another_file_and_lots() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let iris = stdout(folder, &["datasets", "iris", "--csv"]);
    fs::write(folder.join("iris.csv"), &iris).unwrap();
    let short = "--hidden 2 --seed 1 --max-evaluations 5e3";
    let result = json(folder, &words(&format!("fit iris.csv --folds 5 {short} --json -o m.json")));
    let folds = &result["cross_validation"];
    assert_eq!((folds["folds"].as_u64(), folds["accuracy"].as_array().unwrap().len()), (Some(5), 5));
    let mean = folds["accuracy"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).sum::<f64>() / 5.0;
    assert!((folds["accuracy_mean"].as_f64().unwrap() - mean).abs() < 1e-12 && mean > 0.8);
    assert!(result["test_mse"].is_null(), "the last training has all rows");
    assert!(stdout(folder, &["show", "m.json"]).contains("folds     5, error"));
    let text = stdout(folder, &words(&format!("fit iris.csv --folds 3 {short}")));
    assert!(text.contains("fold 3    error") && text.contains("on 50 rows"), "{text}");
    fs::write(folder.join("test.csv"), iris.lines().take(60).fold(String::new(), |t, l| t + l + "\n"))
        .unwrap();
    let text = stdout(folder, &words(&format!("fit iris.csv --test test.csv {short}")));
    assert!(text.contains("150 to train, 60 to test from test.csv"), "{text}");
    let text = stdout(folder, &words(&format!("fit iris.csv --test-fraction 0.5 --split-seed 9 {short}")));
    assert!(text.contains("75 to train, 75 to test by lot, classes in their shares, split seed 9"), "{text}");
    let text =
        onefold(folder, &words(&format!("fit - {short} -o p.json"))).write_stdin(iris).assert().success();
    assert!(String::from_utf8_lossy(&text.get_output().stdout).contains("standard input  150 rows"));
}

#[test]
fn every_option_reaches_the_run() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut text = String::new();
    for i in 0..40 {
        let missing = if i == 5 { String::new() } else { (i % 7).to_string() };
        text += &format!("{i};{missing};{};{};{}\n", ["lo", "hi"][i % 2], i % 5, i * i);
    }
    fs::write(folder.join("t.csv"), text).unwrap();
    let args = "fit t.csv --delimiter ; --header no --target-column 4,column5 --id-column 1 --categories ordinal --missing mean \
                --split 3/1 --output-bias=no --scaling min-max --target-scaling standard --hidden 2 --seed 1 \
                --max-evaluations 2e3 -o m.json";
    let text = stdout(folder, &words(args));
    assert!(
        text.contains("numbers   column2 (1 missing)") && text.contains("by the split 3/1 strict"),
        "{text}"
    );
    let model: Value = serde_json::from_str(&fs::read_to_string(folder.join("m.json")).unwrap()).unwrap();
    assert_eq!(model["input_names"], serde_json::json!(["column2", "column3"]));
    assert_eq!(model["output_names"], serde_json::json!(["column4", "column5"]));
    assert_eq!(model["table"]["inputs"][1]["kind"]["ordinal"]["words"], serde_json::json!(["hi", "lo"]));
    assert!(model["table"]["inputs"][0]["kind"]["number"]["mean"].is_number());
    assert_eq!(model["origin"]["settings"]["cost"]["output_bias"], false);
    assert_eq!(model["readout"][0].as_array().unwrap().len(), 3, "the offset of the targets");
    assert_eq!(model["origin"]["partition"]["rule"]["train"], 3);
    // A missing value is filled in with the mean of training, a missing word gets no answer.
    fs::write(folder.join("n.csv"), "9;;hi\n9;3;\n").unwrap();
    let output = onefold(folder, &["predict", "m.json", "n.csv"]).assert().success().get_output().clone();
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect();
    assert!(lines[1].split(',').all(|f| f.parse::<f64>().is_ok()) && lines[2] == ",", "{lines:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 rows have missing values"));
}

#[test]
fn a_run_on_a_table_can_be_cut_off_and_continued() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("prices.csv"), prices()).unwrap();
    let base =
        words("fit prices.csv --ignore-column id --hidden 3 --seed 3 --max-generations 4000 --spread 0");
    let limited = words("--time 20ms --checkpoint c -o part.json");
    stdout(folder, &[&base[..], &limited].concat());
    assert!(folder.join("c").exists());
    let resumed = |more: &[&'static str]| [&base[..], &limited, &["--resume", "c"], more].concat();
    let text = fs::read_to_string(folder.join("prices.csv")).unwrap();
    fs::write(folder.join("prices.csv"), text.replacen(",1000", ",1001", 1)).unwrap();
    assert!(
        failure(folder, &resumed(&[]), 2).contains("the rows of prices.csv have changed since it was made")
    );
    fs::write(folder.join("prices.csv"), text).unwrap();
    assert!(failure(folder, &resumed(&["--split-seed", "4"]), 2).contains("have changed"));
    assert!(failure(folder, &resumed(&["--target-scaling", "none"]), 2).contains("target_scaling"));
    while folder.join("c").exists() {
        stdout(folder, &resumed(&[]));
    }
    stdout(folder, &[&base[..], &words("--time 1h -o whole.json")].concat());
    let read = |file: &str| {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        text.lines().filter(|line| !line.contains("max_seconds")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(read("part.json"), read("whole.json"));
}

/// Tables that are unusual, but as good as any other.
#[test]
fn what_is_legal_works() {
    let plain: String = (0..20).map(|i| format!("{},{},{}\n", i, i * i % 7, 3 * i)).collect();
    let named = format!("a,b,y\n{plain}");
    let quoted: String = (0..20).map(|i| format!("\"{}\",\"{}\",\"{}\"\n", i, i * i % 7, 3 * i)).collect();
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let run = |bytes: Vec<u8>| {
        fs::write(folder.join("t.csv"), bytes).unwrap();
        json(folder, &words("fit t.csv --hidden 1 --seed 1 --max-evaluations 1e3 --json"))["cost"].clone()
    };
    let expected = run(named.clone().into_bytes());
    for (what, text) in [
        ("no names", plain.clone()),
        ("a byte order mark", format!("\u{feff}{named}")),
        ("line ends of another system", named.replace('\n', "\r\n")),
        ("old line ends", named.replace('\n', "\r")),
        ("quotes", quoted.clone()),
        ("quoted names", format!("\"a\",\"b, c\",\"y \"\"z\"\"\"\n{quoted}")),
        ("no line end at the end", named.trim_end().into()),
        ("empty lines", named.replace("\n1,", "\n\n1,") + "\n\n  \n"),
        ("spaces", named.replace(',', " , ")),
        ("semicolons", named.replace(',', ";")),
        ("tabs", named.replace(',', "\t")),
        ("bars", named.replace(',', "|")),
        ("a delimiter at the end", named.replace('\n', ",\n")),
        ("an explicit plus and exponents", named.replace("\n1,", "\n+1.0e0,")),
    ] {
        assert_eq!(run(text.into_bytes()), expected, "{what}");
    }
}

/// Tables and requests that are refused: content, arguments, message. Exit code 2, nothing written.
#[test]
fn what_is_refused_is_said_with_its_place() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("folder.csv")).unwrap();
    let good = "a,b,y\n1,2,3\n2,3,5\n3,1,4\n4,4,8\n5,0,5\n";
    let long = "x".repeat(70_000);
    let many = (0..1200).fold("k,y\n".to_string(), |t, i| t + &format!("w{i},{i}\n"));
    let classes = (0..1200).fold("k,y\n".to_string(), |t, i| t + &format!("{i},w{i}\n"));
    let cases: Vec<(&[u8], &str, &str)> = vec![
        (b"", "", "t.csv: the file is empty"),
        (b"\xEF\xBB\xBF", "", "t.csv: the file is empty"),
        (b"\n \n", "", "t.csv: the file is empty"),
        (b"a,b,y\n", "", "t.csv: there are no rows below the header"),
        (
            b"a,b,y\n1,2,3\n4,5\n",
            "",
            "t.csv line 3: 2 fields instead of 3; every row needs as many as the first line",
        ),
        (b"a,b,y\n1,2,3\n4,5,6,7\n", "", "t.csv line 3: 4 fields instead of 3"),
        (b"a,y\n1,2\nNaN,3\n", "", "t.csv line 3, column a: the value is missing; fill it in, or choose"),
        (b"a,y\n1,2\n,3\n", "", "t.csv line 3, column a: the value is missing"),
        (b"a,y\n1,2\n3,\n", "", "t.csv line 3, column y: the value is missing"),
        (
            b"a,y\n1,2\n,3\n",
            "--missing drop",
            "t.csv: the target y is the same in all rows; there is nothing to learn",
        ),
        (b"a,y\n1,\n,3\n", "--missing drop", "t.csv: no row is left after those with missing values"),
        (b"a,y\n1,2\ninf,3\n", "", "t.csv: line 3, column a: inf is not a finite number"),
        (b"a,y\n1,2\n2,1e400\n", "", "t.csv: line 3, column y: 1e400 is not a finite number"),
        (
            b"a,y\n1,2\n2,-1e200\n",
            "",
            "t.csv: line 3, column y: -1e200 is too large; at most 1e150 is accepted",
        ),
        (
            b"a,b,y\n1,1,1\n1,1,2\n1,1,3\n1,1,4\n1,1,5\n",
            "",
            "t.csv: every input is the same in all training rows (a, b)",
        ),
        (
            b"a,y\n1,7\n2,7\n3,7\n",
            "",
            "t.csv: the target y is the same in all rows; there is nothing to learn",
        ),
        (b"a,y\n1,k\n2,k\n3,k\n", "", "t.csv: all rows have the class k; there is nothing to learn"),
        (b"a,a,y\n1,2,3\n4,5,6\n", "", "t.csv line 1: two columns are named a; rename one"),
        (b"a,y\n1,2\n\xE4,3\n", "", "t.csv line 3: column 1 is not UTF-8 text; save the file as UTF-8"),
        (b"\xFF\xFEa\0,\0y\0", "", "t.csv: this is not UTF-8 text; save the file as UTF-8"),
        (b"PK\x03\x04\x00\x00", "", "t.csv: this is not UTF-8 text"),
        (
            b"a,y\n1,\"2\n3,4\n",
            "",
            "t.csv line 2: the field of column 2 goes on over the end of the line; is a quote not closed?",
        ),
        (b"a\n1\n2\n", "", "t.csv: there is no input column besides the target; is the delimiter right?"),
        (
            b"a;b;y\n1;2;3\n4;5;6\n",
            "--delimiter ,",
            "t.csv: there is no input column besides the target; is the delimiter right?",
        ),
        (
            b"x;y\n1,5;2\n2,5;3\n",
            "",
            "t.csv: line 2, column x: 1,5 seems to be a number with a decimal comma; write it with a point",
        ),
        (b"a,b,y\n,1,2\n,3,4\n", "--missing mean", "t.csv: column a is empty; leave it out (ignore)"),
        (
            b"a,y\nred,2\nblue,3\n",
            "--categories refuse",
            "t.csv: line 2, column a: \"red\" is not a number; leave the column out",
        ),
        (
            b"a,y\n1,red\n2,blue\n",
            "--task regression",
            "t.csv: line 2, column y: \"red\" is not a number, and the target of a regression must be",
        ),
        (
            many.as_bytes(),
            "",
            "t.csv: column k has more than 1000 different words; leave it out (ignore) if it holds identifiers",
        ),
        (classes.as_bytes(), "", "t.csv: column y has more than 1000 different words"),
        (
            good.as_bytes(),
            "--target-column price",
            "--target-column \"price\": t.csv has the columns a, b, y",
        ),
        (good.as_bytes(), "--target-column 4", "--target-column \"4\": t.csv has the columns a, b, y"),
        (good.as_bytes(), "--target-column 0", "--target-column \"0\": t.csv has the columns a, b, y"),
        (good.as_bytes(), "--target-column y,y", "--target-column \"y\": this column is named twice"),
        (good.as_bytes(), "--ignore-column z", "--ignore-column \"z\": t.csv has the columns a, b, y"),
        (good.as_bytes(), "--id-column z", "--id-column \"z\": t.csv has the columns a, b, y"),
        (
            good.as_bytes(),
            "--target-column y --ignore-column y",
            "--target-column \"y\": this column is left out",
        ),
        (good.as_bytes(), "--target-column a,b,y", "t.csv: there is no input column besides the target"),
        (
            good.as_bytes(),
            "--target-column a,y --task classification",
            "t.csv: a classification has one target column",
        ),
        (good.as_bytes(), "--delimiter ab", "expected one character, or tab, comma, semicolon, bar or space"),
        (good.as_bytes(), "--delimiter 1", "--delimiter '1': must be one plain character"),
        (good.as_bytes(), "--header maybe", "expected yes or no"),
        (good.as_bytes(), "--test-fraction 1", "--test-fraction 1: must be at least 0 and below 1"),
        (good.as_bytes(), "--test-fraction -0.1", "--test-fraction -0.1: must be at least 0 and below 1"),
        (good.as_bytes(), "--test-fraction nan", "--test-fraction NaN: must be at least 0 and below 1"),
        (good.as_bytes(), "--folds 1", "--folds 1: must be at least 2 and at most the number of rows, 5"),
        (good.as_bytes(), "--folds 6", "--folds 6: must be at least 2"),
        (good.as_bytes(), "--folds 2 --split 1/1", "cannot be used with"),
        (good.as_bytes(), "--folds 2 --test t.csv", "cannot be used with"),
        (
            good.as_bytes(),
            "--split 1/4",
            "--split 1/4 strict: then the target y is the same in all training rows",
        ),
        (good.as_bytes(), "--test none.csv", "--test none.csv: there is no such file"),
        (good.as_bytes(), "--test folder.csv", "--test folder.csv: this is a directory, not a file"),
        (
            good.as_bytes(),
            "--samples 3",
            "--samples is for built-in data sets and has no effect on a file; leave it out",
        ),
        (good.as_bytes(), "--topology 3-2-1", "the topology 3-2-1 has 3 inputs, but the data has 2"),
        (good.as_bytes(), "--target -1", "--target -1: a mean squared error is never negative"),
        (
            b"a,y\n1,u\n2,v\n3,u\n4,u\n5,u\n",
            "--folds 2",
            "--folds 2: then the training rows have all or none of the class v",
        ),
        (long.as_bytes(), "", "t.csv: there are no rows below the header"),
    ];
    for (bytes, more, expected) in cases {
        fs::write(folder.join("t.csv"), bytes).unwrap();
        let args =
            [&["fit", "t.csv", "--hidden", "2", "--max-evaluations", "1e3"][..], &words(more)].concat();
        let message = failure(folder, &args, 2);
        assert!(
            message.contains(expected),
            "{:?} {more}: {message}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(40)])
        );
    }
    for (args, expected) in [
        ("fit none.csv", "none.csv: there is no such file"),
        ("fit folder.csv", "folder.csv: this is a directory, not a file"),
        (
            "fit iris --target-column 2",
            "--target-column is for files and has no effect on the built-in iris; leave it out",
        ),
        ("fit sinc --folds 3", "--folds is for files and has no effect on the built-in sinc; leave it out"),
        (
            "datasets t.csv",
            "there is no built-in data set \"t.csv\"; a file is trained on with onefold fit t.csv",
        ),
    ] {
        assert_eq!(failure(folder, &words(args), 2), expected);
    }
}

#[test]
fn what_predict_and_evaluate_refuse() {
    let folder = with_model();
    let folder = folder.path();
    for (text, args, expected) in [
        (
            "size,color\n1,red\n",
            "predict m.json t.csv",
            "t.csv: there is no column colour, which the model needs; it has the columns size, color",
        ),
        ("size,colour\n1,red\n2\n", "predict m.json t.csv -o out.csv", "t.csv line 3: 1 fields instead of 2"),
        (
            "size,colour\nbig,red\n",
            "predict m.json t.csv",
            "t.csv line 2, column size: \"big\" is not a number",
        ),
        (
            "size,colour\n,red\n",
            "predict m.json t.csv",
            "t.csv line 2, column size: the value is missing; fill it in",
        ),
        (
            "size,colour\n1e400,red\n",
            "predict m.json t.csv",
            "t.csv line 2, column size: 1e400 is not a finite number",
        ),
        (
            "size,colour\n1,red\n",
            "predict m.json t.csv --id-column id",
            "--id-column \"id\": t.csv has the columns size, colour",
        ),
        (
            "size,colour\n1,red\n",
            "evaluate m.json t.csv",
            "t.csv: there is no column price, the model's target",
        ),
        (
            "size,colour,price\n1,red,much\n",
            "evaluate m.json t.csv",
            "t.csv line 2, column price: \"much\" is not a number",
        ),
        ("size,colour,price\n", "evaluate m.json t.csv", "t.csv: there are no rows to evaluate"),
        (
            "1,2\n",
            "evaluate m.json t.csv",
            "t.csv: it has 2 columns, and without names the model needs the 4 it was trained on; is the delimiter right?",
        ),
        ("", "predict m.json t.csv", "t.csv: the file is empty"),
        ("", "predict m.json none.csv", "none.csv: there is no such file"),
        ("", "predict none.json t.csv", "none.json: No such file"),
        ("", "predict prices.csv t.csv", "prices.csv: this is not a model file"),
        ("", "predict m.json .", ".: this is a directory, not a file"),
        ("", "predict m.json prices.csv -o .", "--output .: this is a directory; name a file"),
        ("", "predict m.json prices.csv -o no/where.csv", "--output no/where.csv: its folder does not exist"),
        (
            "",
            "predict m.json sinc --id-column 1",
            "--id-column is for files and has no effect on the built-in sinc; leave it out",
        ),
        (
            "",
            "evaluate m.json prices.csv --part all",
            "--part is for built-in data sets and has no effect on a file; leave it out",
        ),
        ("", "predict m.json sinc", "the model has 4 inputs, and sinc 1; it was trained on prices.csv"),
    ] {
        fs::write(folder.join("t.csv"), text).unwrap();
        let message = failure(folder, &words(args), 2);
        assert!(message.contains(expected), "{args}: {message}");
    }
    fs::write(folder.join("iris.csv"), stdout(folder, &["datasets", "iris", "--csv"])).unwrap();
    stdout(folder, &words("fit iris.csv --hidden 1 --seed 1 --max-evaluations 1e3 -o c.json"));
    fs::write(folder.join("t.csv"), "1,2,3,4,Iris-rosa\n").unwrap();
    assert_eq!(
        failure(folder, &["evaluate", "c.json", "t.csv"], 2),
        "t.csv line 1, column column5: the model does not know the class \"Iris-rosa\", only Iris-setosa, Iris-versicolor, Iris-virginica"
    );
}

#[cfg(unix)]
#[test]
fn full_disks_fail_and_closed_pipes_end_quietly() {
    let folder = with_model();
    let folder = folder.path();
    if Path::new("/dev/full").exists() {
        for args in [
            "predict m.json prices.csv -o /dev/full",
            "fit prices.csv --id-column id --hidden 1 --seed 1 --max-evaluations 1e3 -o /dev/full",
        ] {
            assert_eq!(failure(folder, &words(args), 1), "/dev/full: No space left on device (os error 28)");
        }
        for args in [&["predict", "m.json", "prices.csv"][..], &["evaluate", "m.json", "prices.csv"]] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let output = std::process::Command::new(assert_cmd::cargo::cargo_bin("onefold"))
                .current_dir(folder)
                .args(args)
                .stdout(full)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(1), "{args:?}");
            assert!(String::from_utf8_lossy(&output.stderr).contains("No space left on device"));
        }
    }
    // More rows than a pipe holds.
    let text = prices();
    let mut many = text.clone();
    for _ in 0..200 {
        many += text.split_once('\n').unwrap().1;
    }
    fs::write(folder.join("many.csv"), many).unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("onefold"))
        .current_dir(folder)
        .args(["predict", "m.json", "many.csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "id,price\n");
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}

#[test]
fn a_hundred_thousand_columns() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let row = |f: &dyn Fn(usize) -> String| (0..100_000).map(f).collect::<Vec<_>>().join(",") + "\n";
    let mut text = row(&|i| format!("c{i}"));
    for k in 0..3 {
        text += &row(&|i| ((i * 7 + k * 13) % 101).to_string());
    }
    fs::write(folder.join("wide.csv"), text).unwrap();
    let message = failure(folder, &words("fit wide.csv --target-column none"), 2);
    assert!(message.contains("c19 and 99980 more"), "{message}");
    let args = "fit wide.csv --hidden 1 --population 4 --seed 1 --max-generations 2 --test-fraction 0 --json";
    assert_eq!(json(folder, &words(args))["topology"], "99999-1-1");
}
