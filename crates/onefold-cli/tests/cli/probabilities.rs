//! Probabilities of classes, as a user meets them.

use crate::common::{failure, json, onefold, stdout, words};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn write_flowers(folder: &Path) {
    let rows = stdout(folder, &["datasets", "iris", "--csv"]);
    fs::write(folder.join("flowers.csv"), format!("a,b,c,d,species\n{rows}")).unwrap();
    let mut prices = String::from("size,price\n");
    for i in 0..40 {
        let _ = writeln!(prices, "{i},{}", i * i);
    }
    fs::write(folder.join("prices.csv"), prices).unwrap();
}

#[test]
fn a_classification_of_a_file_has_probabilities_unless_a_target_or_a_flag_says_otherwise() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_flowers(folder);
    let fit =
        |flags: &str| json(folder, &words(&format!("fit flowers.csv --hidden 2 --seed 1 --json {flags}")));
    let layer = |flags: &str| fit(flags)["output_layer"].as_str().unwrap().to_string();
    assert_eq!(layer(""), "logistic");
    assert_eq!(layer("--decay 0.01 --temperature 2"), "logistic");
    assert_eq!(layer("--target 0.05"), "least-squares");
    assert_eq!(layer("--output-layer least-squares"), "least-squares");
    assert_eq!(layer("--output-layer logistic"), "logistic");
    let whole = fit("--output-layer cross-entropy");
    assert_eq!(
        (&whole["output_layer"], &whole["choice"]["output_layer"]),
        (&"cross-entropy".into(), &"cross-entropy".into())
    );
    assert!(
        whole["descent"]["evaluations"].as_u64().unwrap() > 5
            && whole["descent"]["cost"].as_f64().unwrap() < 0.2
    );
    assert_eq!(fit("--temperature 2")["temperature"], 2.0);
    let regression = json(folder, &words("fit prices.csv --hidden 2 --seed 1 --json"));
    assert_eq!(regression["output_layer"], "least-squares");
    let builtin = json(folder, &words("fit iris --seed 1 --json"));
    assert_eq!(builtin["output_layer"], "least-squares");
}

#[test]
fn probabilities_are_predicted_evaluated_shown_and_exported() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_flowers(folder);
    let whole =
        "fit flowers.csv --hidden 2 --seed 1 --test-fraction 0 -o c.json --output-layer cross-entropy";
    let report = stdout(folder, &words(whole));
    for expected in [
        "trained for ",
        "then all trained for cross-entropy",
        "all weights descended from the network of the selection",
        "  descent   of all weights to cross-entropy with L2 penalty ",
    ] {
        assert!(report.contains(expected), "{expected} in {report}");
    }
    let shown = stdout(folder, &words("show c.json"));
    assert!(
        shown.contains("probabilities of the classes by all weights trained for cross-entropy"),
        "{shown}"
    );
    let logistic = "fit flowers.csv --hidden 2 --seed 1 --test-fraction 0 -o m.json --output-layer logistic";
    let report = stdout(folder, &words(logistic));
    assert!(report.contains("solved by least squares and then by logistic regression"), "{report}");
    assert!(report.contains("  verified  error of least squares "), "{report}");
    let answers = stdout(folder, &words("predict m.json flowers.csv"));
    let mut lines = answers.lines();
    let head = "species,probability_Iris-setosa,probability_Iris-versicolor,probability_Iris-virginica";
    assert_eq!(lines.next(), Some(head));
    let (mut loss, mut correct) = (0.0, 0.0);
    let table = fs::read_to_string(folder.join("flowers.csv")).unwrap();
    for (line, row) in lines.zip(table.lines().skip(1)) {
        let fields: Vec<&str> = line.split(',').collect();
        let p: Vec<f64> = fields[1..].iter().map(|p| p.parse().unwrap()).collect();
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p.iter().all(|p| *p >= 0.0), "{line}");
        let names: Vec<&str> =
            head.split(',').skip(1).map(|n| n.trim_start_matches("probability_")).collect();
        let largest = (0..3).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap();
        assert_eq!(fields[0], names[largest]);
        let actual = names.iter().position(|name| row.ends_with(name)).unwrap();
        loss -= p[actual].ln() / 150.0;
        correct += f64::from(u8::from(actual == largest)) / 150.0;
    }
    let scores = json(folder, &words("evaluate m.json flowers.csv --json"));
    assert!((scores["log_loss"].as_f64().unwrap() - loss).abs() < 1e-9, "{scores}");
    assert!((scores["accuracy"].as_f64().unwrap() - correct).abs() < 1e-9, "{scores}");
    let model: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("m.json")).unwrap()).unwrap();
    assert_eq!(scores["mse"], model["metrics"]["train_mse"]);
    assert!(!stdout(folder, &words("evaluate m.json flowers.csv")).contains("clipped"));
    let shown = stdout(folder, &words("show m.json"));
    assert!(shown.contains("  outputs   probabilities of the classes by logistic regression\n"), "{shown}");
    assert_eq!(json(folder, &words("show m.json --json"))["output_activation"], "softmax");
    let header = stdout(folder, &words("export m.json --format c --name m"));
    assert!(header.contains("expf(") && header.contains("OUTPUTS probabilities for"), "{header}");
    stdout(folder, &words("fit flowers.csv --hidden 2 --seed 1 --target 0.05 -o s.json"));
    let shown = stdout(folder, &words("show s.json"));
    assert!(shown.contains("  outputs   scores by least squares, 1 for the class and 0 for the others\n"));
    assert!(stdout(folder, &words("predict s.json flowers.csv")).starts_with("species,score_Iris-setosa,"));
}

#[test]
fn what_has_no_probabilities_is_refused() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_flowers(folder);
    let refused = |text: &str| failure(folder, &words(text), 2);
    assert_eq!(
        refused("fit prices.csv --hidden 2 --output-layer logistic"),
        "--output-layer logistic: must be least-squares for a regression: logistic gives probabilities of classes"
    );
    assert_eq!(
        refused("fit flowers.csv --hidden 2 --output-layer logistic --target 0.1"),
        "--output-layer logistic: must be least-squares where the run ends at a target (1e-1), which is a mean \
         squared error of least squares; leave one of both out"
    );
    assert_eq!(
        refused("fit iris --output-layer logistic"),
        "--output-layer is for files and has no effect on the built-in iris; leave it out"
    );
    assert_eq!(
        refused("fit flowers.csv --hidden 2 --target 0.1 --temperature 2"),
        "--temperature 2: must be left out unless output_layer is logistic or cross-entropy"
    );
    for wrong in ["0", "-1", "nan", "inf"] {
        let message = refused(&format!("fit flowers.csv --hidden 2 --temperature {wrong}"));
        assert!(message.ends_with("must be a positive number"), "{message}");
    }
    onefold(folder, &words("fit flowers.csv --output-layer softmax")).assert().code(2);
}
