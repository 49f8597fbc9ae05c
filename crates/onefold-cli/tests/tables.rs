//! Tables of one's own: from a file to a model, to predictions and scores.

mod common;

use common::{failure, files, json, onefold, prices, stdout, with_model, words};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use tempfile::TempDir;

#[test]
fn a_table_is_summarised_and_leaves_a_model() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(
        folder.join("prices.csv"),
        prices().replace("id,size", "id,same,size").lines().enumerate().fold(
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
        "prices.csv  60 rows of 5 columns separated by commas, with a header",
        "numbers   size",
        "text      colour (3 categories)",
        "target    price: numbers from 1000 to 3830",
        "ignored   id",
        "constant  same: ignored, as all training rows have the same value",
        "rows      48 to train, 12 to test (random, split seed 1)",
        "network   4-2-1",
        "auto: local descents with successive halving, 5 candidates per start",
        "until     no further improvement",
        "finished after",
        " derivatives, equivalent to ",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert_eq!(files(folder), ["prices-4-2-1-auto-1.json", "prices.csv"]);
    let shown = stdout(folder, &["show", "prices-4-2-1-auto-1.json", "--weights"]);
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
        note.starts_with("note: 1 row has words that training did not, the first in line 2: \"pink\""),
        "{note}"
    );
    assert_eq!(fs::read_to_string(folder.join("out.csv")).unwrap().lines().count(), 2);
}

#[test]
fn unknown_words_of_test_rows_and_of_rows_for_importance_are_noted() {
    let folder = with_model();
    let folder = folder.path();
    fs::write(folder.join("new.csv"), "colour,size,price\npink,3,10\nred,,20\nblue,2,30\n").unwrap();
    let unknown = "1 row has words that training did not, the first in line 2: \"pink\" in column colour";
    let gap = "1 row lacks a value that all training rows had, the first in line 3: column size";
    let output = onefold(folder, &["importance", "m.json", "new.csv"]).assert().success();
    let notes = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(
        notes.contains(&format!("note: {unknown}")) && notes.contains(&format!("note: {gap}")),
        "{notes}"
    );
    let fit =
        "fit prices.csv --target-column price --id-column id --hidden 2 --decay 0.01 --seed 1 --test new.csv";
    let report = stdout(folder, &words(fit));
    assert!(report.contains(&format!("new.csv: {unknown}")), "{report}");
    let output = onefold(folder, &words(&format!("{fit} --json"))).assert().success();
    let notes = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(notes.contains(unknown) && notes.contains(gap), "{notes}");
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
    assert!((scores["accuracy"].as_f64().unwrap() - diagonal as f64 / 150.0).abs() < 1e-12);
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
    let ratio = on_test["mse"].as_f64().unwrap() / shown["metrics"]["test_mse"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 1e-12, "{on_test}");
    assert_eq!(json(folder, &["evaluate", "b.json", "iris", "--part", "all", "--json"])["rows"], 150);
    assert_eq!(json(folder, &["evaluate", "b.json", "iris.csv", "--json"])["rows"], 150);
    assert_eq!(
        failure(folder, &["evaluate", "b.json", "sinc"], 2),
        "the model has 4 inputs, and sinc 1; it was trained on iris"
    );
}

#[test]
fn folds_another_file_and_random_splits() {
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
    assert!(text.contains("  fold 3    9") && text.contains(" on 50 rows"), "{text}");
    fs::write(folder.join("test.csv"), iris.lines().take(60).fold(String::new(), |t, l| t + l + "\n"))
        .unwrap();
    let text = stdout(folder, &words(&format!("fit iris.csv --test test.csv {short}")));
    assert!(text.contains("150 to train, 60 to test from test.csv"), "{text}");
    let text = stdout(folder, &words(&format!("fit iris.csv --test-fraction 0.5 --split-seed 9 {short}")));
    assert!(text.contains("75 to train, 75 to test") && text.contains("split seed 9"), "{text}");
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
        let _ = writeln!(text, "{i};{missing};{};{};{}", ["lo", "hi"][i % 2], i % 5, i * i);
    }
    fs::write(folder.join("t.csv"), text).unwrap();
    let args = "fit t.csv --delimiter ; --header no --target-column 4,column5 --id-column 1 --categories ordinal --missing mean \
                --split 3/1 --output-bias=no --scaling min-max --target-scaling standard --hidden 2 --seed 1 \
                --max-evaluations 2e3 -o m.json";
    let text = stdout(folder, &words(args));
    assert!(text.contains("numbers   column2 (1 missing)") && text.contains("3/1 strict"), "{text}");
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
    assert!(lines[1].split(',').all(|f| f.parse::<f64>().is_ok()) && lines[2] == "9,,", "{lines:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 row has missing values"));
}

#[test]
fn a_run_on_a_table_can_be_cut_off_and_continued() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("prices.csv"), prices()).unwrap();
    let base = words(
        "fit prices.csv --ignore-column id --hidden 3 --decay 0 --method de-sb --seed 3 --max-generations 4000 --spread 0",
    );
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

#[test]
fn without_a_target_methods_by_local_steps_end_by_themselves() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("prices.csv"), prices()).unwrap();
    for method in ["auto", "hybrid", "multistart"] {
        let text = format!(
            "fit prices.csv --ignore-column id --hidden 3 --method {method} --seed 1 --threads 2 -o m.json --json"
        );
        let result = json(folder, &words(&text));
        let stop = result["stop"].as_str().unwrap();
        assert!(["patience", "all-optima"].contains(&stop), "{result}");
        assert!(result["evaluation_equivalents"].as_f64().unwrap() < 1e6, "{result}");
        assert!(result["target"].is_null() && result["reached"] == false, "{result}");
        // Costs of optima are in the units of the data, as all others: none is below the best, which is one
        // of them or on its way to one.
        let cost = result["cost"].as_f64().unwrap();
        for optimum in result["optima"].as_array().unwrap() {
            assert!(optimum["cost"].as_f64().unwrap() >= cost * (1.0 - 1e-9), "{result}");
        }
        let model: Value = serde_json::from_str(&fs::read_to_string(folder.join("m.json")).unwrap()).unwrap();
        assert_eq!(model["origin"]["settings"]["method"][method]["patience"], 10);
        assert_eq!(
            (&model["origin"]["cost"], &model["origin"]["slopes"]),
            (&result["cost"], &result["slopes"])
        );
    }
    // A target is searched for until it is reached or the budget is spent.
    let text = "fit prices.csv --ignore-column id --hidden 3 --target 0 --max-evaluations 2e4 --seed 1 -o m.json --json";
    let result = json(folder, &words(text));
    assert!(["evaluations", "all-optima"].contains(&result["stop"].as_str().unwrap()), "{result}");
    let model: Value = serde_json::from_str(&fs::read_to_string(folder.join("m.json")).unwrap()).unwrap();
    assert!(model["origin"]["settings"]["method"]["auto"]["patience_with_threshold"].is_null());
}

/// Tables that are unusual, but as good as any other.
#[test]
fn what_is_legal_works() {
    let plain = (0..20).fold(String::new(), |t, i| t + &format!("{},{},{}\n", i, i * i % 7, 3 * i));
    let named = format!("a,b,y\n{plain}");
    let quoted =
        (0..20).fold(String::new(), |t, i| t + &format!("\"{}\",\"{}\",\"{}\"\n", i, i * i % 7, 3 * i));
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

/// Groups are not divided, and later rows test, in splits, in folds and in the race.
#[test]
fn groups_and_times_are_respected() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let mut text = "patient,day,x,y\n".to_string();
    for i in 0..60_u32 {
        let (day, month) = (1 + i * 7 % 28, 1 + i / 28);
        let _ =
            writeln!(text, "p{},2021-{month:02}-{day:02},{},{}", i % 9, i * 5 % 13, i * 5 % 13 * 2 + i % 3);
    }
    fs::write(path.join("t.csv"), text).unwrap();
    let fit = "fit t.csv --seed 1 --hidden none --linear-part -o m.json";
    let text = stdout(path, &words(&format!("{fit} --group-column patient")));
    assert!(text.contains("to test (random by groups of patient, split seed 1)"), "{text}");
    assert!(text.contains("ignored   patient"), "{text}");
    let text = stdout(path, &words(&format!("{fit} --split-by-time day --folds 3 --ignore-column patient")));
    assert!(text.contains("fold 3"), "{text}");
    let text =
        stdout(path, &words(&format!("{fit} --split-by-time day --decay 0 --ignore-column patient,day")));
    assert!(text.contains("49 to train, 11 to test (the latest by day)"), "{text}");
    for (flags, expected) in [
        ("--group-column none", "--group-column \"none\": there is no such column; t.csv has the columns"),
        ("--split-by-time patient", "--split-by-time \"patient\": this column has texts that are neither"),
        ("--group-column patient --split 2/1", "cannot be used with"),
        (
            "--group-column patient --folds 10",
            "--folds 10: must be at least 2 and at most the number of groups, 9",
        ),
    ] {
        let message = failure(path, &words(&format!("fit t.csv --hidden 1 --decay 0 {flags}")), 2);
        assert!(message.contains(expected), "{message}");
    }
}

/// A weight is as good as repetitions, and is neither an input nor silently wrong.
#[test]
fn weights_of_rows_and_of_classes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let (mut weighted, mut repeated) = ("w,x,y\n".to_string(), "x,y\n".to_string());
    for i in 0..40_u32 {
        let (w, x) = ((i + i / 4) % 4, f64::from(i * 7 % 40) / 10.0);
        let y = f64::from(i % 5) / 10.0 + x * x;
        let _ = writeln!(weighted, "{w},{x},{y}");
        for _ in 0..w {
            let _ = writeln!(repeated, "{x},{y}");
        }
    }
    fs::write(path.join("w.csv"), &weighted).unwrap();
    fs::write(path.join("r.csv"), &repeated).unwrap();
    let fit = |rest: &str| stdout(path, &words(&format!("fit {rest} --test-fraction 0 --hidden 2 --seed 1")));
    let text = fit("w.csv --weight-column w --decay 1e-3 -o w.json");
    assert!(text.contains("weights   w; 10 rows with weight 0 left out\n"), "{text}");
    assert!(text.contains("numbers   x\n") && !text.contains("missing values"), "{text}");
    fit("r.csv --decay 1e-3 -o r.json");
    let model = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(path.join(name)).unwrap()).unwrap()
    };
    let error = |name: &str| model(name)["metrics"]["train_mse"].as_f64().unwrap();
    assert!((error("w.json") / error("r.json") - 1.0).abs() < 1e-6);
    assert_eq!(model("w.json")["origin"]["weighted"], true);
    assert_eq!(model("w.json")["origin"]["table_settings"]["weight_column"], "w");
    // Merged, both are the same rows, whatever is selected.
    fit("w.csv --weight-column w --merge-duplicates -o w.json");
    let text = fit("r.csv --merge-duplicates -o r.json");
    assert!(text.contains("rows that are the same as others (--merge-duplicates)"), "{text}");
    for part in ["hidden", "readout", "metrics"] {
        assert_eq!(model("w.json")[part], model("r.json")[part]);
    }
    let text = stdout(path, &words("show w.json"));
    assert!(text.contains("weights   of rows by column w, those of equal rows added"), "{text}");
    // Scores are weighted where the table has the weights.
    let scores = |rest: &str| json(path, &words(&format!("evaluate w.json {rest} --json")));
    let (by_weight, by_rows) = (scores("w.csv"), scores("r.csv"));
    for metric in ["mse", "r2", "mae"] {
        let (a, b) = (by_weight[metric].as_f64().unwrap(), by_rows[metric].as_f64().unwrap());
        assert!((a - b).abs() < 1e-9, "{metric}: {a} {b}");
    }
    assert_eq!((&by_weight["weight_column"], &by_rows["weight_column"]), (&Value::from("w"), &Value::Null));
    assert_eq!(scores("w.csv --weight-column x")["weight_column"], "x");
    let text = stdout(path, &words("evaluate w.json w.csv"));
    assert!(text.contains("weights   column w: scores are weighted"), "{text}");
    let text = stdout(path, &words("evaluate w.json r.csv"));
    assert!(text.contains("weights   none, as the file has no column w, the one of training"), "{text}");
    let with =
        |from: &str, to: &str| fs::write(path.join("bad.csv"), weighted.replacen(from, to, 1)).unwrap();
    for (from, to, expected) in [
        ("\n1,0.7,", "\n-1,0.7,", "bad.csv line 3, column w: the weight -1 is negative; correct it"),
        ("\n1,0.7,", "\nmany,0.7,", "bad.csv line 3, column w: \"many\" is not a number; correct it"),
        ("\n1,0.7,", "\n,0.7,", "bad.csv line 3, column w: the weight is missing; fill it in"),
        ("\n1,0.7,", "\ninf,0.7,", "bad.csv line 3, column w: inf is not a finite number"),
    ] {
        with(from, to);
        for command in ["fit bad.csv --weight-column w --hidden 1 --decay 0", "evaluate w.json bad.csv"] {
            let message = failure(path, &words(command), 2);
            assert!(message.contains(expected), "{command}: {message}");
        }
    }
    for (flags, expected) in [
        ("--weight-column w,x", "--weight-column \"w,x\": must be one column; write the product of several"),
        (
            "--weight-column v",
            "--weight-column \"v\": there is no such column; w.csv has the columns w, x, y",
        ),
        ("--weight-column y --target-column y", "this column is left out, so it cannot be learnt"),
        ("--class-weight balanced", "--class-weight balanced: must be left out of a regression"),
        ("--class-weight many", "is neither balanced nor NAME=WEIGHT"),
    ] {
        let message = failure(path, &words(&format!("fit w.csv --hidden 1 --decay 0 {flags}")), 2);
        assert!(message.contains(expected), "{message}");
    }
    fs::write(path.join("zero.csv"), "w,x,y\n0,1,2\n0,2,3\n0,3,5\n").unwrap();
    let message = failure(path, &words("fit zero.csv --weight-column w --hidden 1"), 2);
    assert!(message.contains("all weights in column w are 0"), "{message}");
    let message = failure(path, &words("fit iris --class-weight balanced"), 2);
    assert!(
        message.contains("--class-weight is for files and has no effect on the built-in iris"),
        "{message}"
    );
}

/// Rows of a rare class can count more, and its probability need not be the larger one.
#[test]
fn rare_classes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let mut text = "x,kind\n".to_string();
    for i in 0..200_u32 {
        let kind = if i % 20 < 3 && i * 37 % 100 > 55 { "rare" } else { "common" };
        let _ = writeln!(text, "{},{kind}", f64::from(i * 37 % 100) / 10.0);
    }
    fs::write(path.join("t.csv"), text).unwrap();
    let fit = "fit t.csv --test-fraction 0 --hidden 1 --decay 1e-3 --seed 1 -o m.json";
    let found = |flags: &str, predict: &str| {
        let text = stdout(path, &words(&format!("{fit} {flags}")));
        let predicted = stdout(path, &words(&format!("predict m.json t.csv {predict}")));
        (text, predicted.lines().filter(|line| line.starts_with("rare,")).count())
    };
    let (_, alone) = found("", "");
    let (text, balanced) = found("--class-weight balanced", "");
    assert!(text.contains("weights   of classes: balanced"), "{text}");
    assert!(stdout(path, &words("show m.json")).contains("weights   of classes: balanced"));
    let (_, given) = found("--class-weight rare=20,common=1", "");
    let (_, lower) = found("", "--threshold 0.05");
    assert!(alone < 20 && balanced > 30 && given > 30 && lower > alone, "{alone} {balanced} {given} {lower}");
    assert_eq!((found("", "--threshold 0").1, found("", "--threshold 1").1), (200, 0));
    let output = onefold(path, &words("predict m.json t.csv --threshold 0.3")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("note: rare is predicted where its probability is at least 0.3"), "{said}");
    let message = failure(path, &words(&format!("{fit} --class-weight Rar=3")), 2);
    let expected = "--class-weight Rar=3: there is no class \"Rar\"; the nearest is \"rare\" of common, rare";
    assert!(message.contains(expected), "{message}");
    let message = failure(path, &words("predict m.json t.csv --threshold 1.5"), 2);
    assert!(message.contains("expected a probability from 0 to 1"), "{message}");
    stdout(path, &words("fit iris --seed 1 -o iris.json"));
    let message = failure(path, &words("predict iris.json iris --threshold 0.5"), 2);
    assert!(
        message.contains("--threshold is for two classes, and the model has 3; leave it out"),
        "{message}"
    );
}
