//! Scores, prediction intervals and importance, as a user meets them.

use crate::common::{failure, json, stdout, words};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Two targets that follow from a number and a word with some noise, and a number that does not matter.
fn write_tables(folder: &Path) {
    let noise = |i: usize, k: usize| ((i * (7 + k) * 131 + 17 * k) % 101) as f64 / 50.0 - 1.0;
    let (mut one, mut two, mut class) =
        (String::from("size,colour,other,price\n"), String::new(), String::from("size,colour,other,kind\n"));
    two += "size,colour,other,price,weight\n";
    for i in 0..200_usize {
        let (size, colour) = (i * 37 % 50, ["red", "blue", "grey"][i * 11 % 3]);
        let price = 3.0 * size as f64 + if colour == "blue" { 40.0 } else { 0.0 } + 5.0 * noise(i, 1);
        let weight = 0.01 * size as f64 + 0.05 * noise(i, 2);
        let inputs = format!("{size},{colour},{}", i * 13 % 40);
        let _ = writeln!(one, "{inputs},{price:.3}");
        let _ = writeln!(two, "{inputs},{price:.3},{weight:.4}");
        let _ = writeln!(class, "{inputs},{}", if price > 90.0 { "dear" } else { "cheap" });
    }
    fs::write(folder.join("one.csv"), one).unwrap();
    fs::write(folder.join("two.csv"), two).unwrap();
    fs::write(folder.join("class.csv"), class).unwrap();
}

/// The fields of a CSV text below its header, as numbers.
fn numbers(text: &str) -> Vec<Vec<f64>> {
    text.lines().skip(1).map(|line| line.split(',').map(|v| v.parse().unwrap()).collect()).collect()
}

fn model(folder: &Path, file: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap()
}

#[test]
fn intervals_come_from_folds_or_from_the_selection() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_tables(folder);
    let fit = "fit one.csv --seed 1 --hidden none+linear --target-column price";
    let report = stdout(folder, &words(&format!("{fit} --decay 0 --folds 5 -o folds.json")));
    assert!(
        report.contains("  interval  price ± ") && report.contains("held-out rows (predict --interval 0.9)")
    );
    assert!(report.contains("            all held-out rows: R² 0.99"), "{report}");
    let answers = stdout(folder, &words("predict folds.json one.csv --interval 0.9"));
    assert!(answers.starts_with("price,price_lower,price_upper\n"), "{answers}");
    let (rows, table) = (numbers(&answers), fs::read_to_string(folder.join("one.csv")).unwrap());
    let actual: Vec<f64> =
        table.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    let inside = rows.iter().zip(&actual).filter(|(row, y)| row[1] <= **y && **y <= row[2]).count();
    assert!((180..=190).contains(&inside), "{inside} of 200 at the level 0.9");
    let half = model(folder, "folds.json")["intervals"].clone();
    let place = half["levels"].as_array().unwrap().iter().position(|l| *l == 0.9).unwrap();
    let half_width = half["half_widths"][0][place].as_f64().unwrap();
    assert!(rows.iter().all(|row| ((row[2] - row[0]) - half_width).abs() < 1e-9));
    assert_eq!(half["rows"], 200);
    // The race of decays has held-out rows of its own, of the training rows.
    stdout(folder, &words(&format!("{fit} -o race.json")));
    assert_eq!(model(folder, "race.json")["intervals"]["rows"], 160);
    let wide = numbers(&stdout(folder, &words("predict race.json one.csv --interval 0.99")));
    assert!(wide.iter().zip(&rows).all(|(wide, row)| wide[2] - wide[1] > row[2] - row[1]));
    assert!(stdout(folder, &words("show race.json")).contains("  interval  price ± "));
}

#[test]
fn each_of_several_targets_has_its_interval_and_scores() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_tables(folder);
    let fit = "fit two.csv --target-column price,weight --hidden none+linear --seed 1 -o m.json";
    stdout(folder, &words(fit));
    let answers = stdout(folder, &words("predict m.json two.csv --interval 0.8"));
    assert!(answers.starts_with("price,price_lower,price_upper,weight,weight_lower,weight_upper\n"));
    let row = &numbers(&answers)[0];
    assert!(row[2] - row[1] > 3.0 && row[5] - row[4] < 0.2, "{row:?}");
    let evaluated = stdout(folder, &words("evaluate m.json two.csv"));
    assert!(evaluated.contains("  Each target:\n"), "{evaluated}");
    let scores = json(folder, &words("evaluate m.json two.csv --json"));
    let r2 = |k: usize| scores["targets"][k]["r2"].as_f64().unwrap();
    assert!((r2(0) + r2(1) - 2.0 * scores["r2"].as_f64().unwrap()).abs() < 1e-12, "{scores}");
    assert_eq!(scores["targets"][1]["target"], "weight");
}

#[test]
fn what_has_no_interval_is_refused() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_tables(folder);
    stdout(folder, &words("fit one.csv --hidden none+linear --decay 0 --seed 1 -o none.json"));
    stdout(folder, &words("fit class.csv --hidden 1 --decay 0.1 --seed 1 -o class.json"));
    stdout(folder, &words("fit one.csv --hidden none+linear --decay 0 --folds 5 --seed 1 -o m.json"));
    let refused = |text: &str| failure(folder, &words(text), 2);
    assert_eq!(
        refused("predict none.json one.csv --interval 0.9"),
        "--interval 0.9: none.json has no errors of held-out rows, from which intervals follow; train it anew with \
         fit --folds 5, or let fit select the network (leave out --hidden or --decay)"
    );
    assert_eq!(
        refused("predict class.json class.csv --interval 0.9"),
        "--interval 0.9: a prediction interval is for numbers, and this model predicts classes, whose probabilities \
         say how certain it is"
    );
    assert_eq!(
        refused("predict m.json one.csv --interval 0.999"),
        "--interval 0.999: an interval at the level 0.999 needs the errors of at least 999 held-out rows, and the \
         model has those of 200; take a level of at most 0.995"
    );
    for wrong in ["0", "1", "-0.5", "90", "nan"] {
        let message = refused(&format!("predict m.json one.csv --interval {wrong}"));
        assert!(message.ends_with("must be above 0 and below 1, such as 0.9"), "{message}");
    }
}

#[test]
fn all_scores_are_printed_and_stored() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_tables(folder);
    let report = stdout(folder, &words("fit class.csv --hidden 1 --decay 0.1 --seed 1 -o c.json"));
    assert!(report.contains("% correct, AUC ") && report.contains(", log loss "), "{report}");
    let told =
        json(folder, &words("fit class.csv --hidden 1 --decay 0.1 --folds 3 --seed 1 --json -o c.json"));
    let of_folds = &told["cross_validation"]["scores"];
    assert_eq!((&of_folds["rows"], &told["test_scores"]), (&Value::from(200), &Value::Null));
    for score in [
        "accuracy",
        "balanced_accuracy",
        "f1",
        "auc",
        "average_precision",
        "log_loss",
        "brier",
        "calibration_error",
    ] {
        assert!(told["train_scores"][score].is_number() && of_folds[score].is_number(), "{score}: {told}");
    }
    assert_eq!(model(folder, "c.json")["metrics"]["train"], told["train_scores"]);
    let evaluated = json(folder, &words("evaluate c.json class.csv --json"));
    for score in ["mse", "auc", "brier", "log_loss"] {
        assert_eq!(evaluated[score], told["train_scores"][score]);
    }
    assert!(evaluated["classes"][0]["auc"].is_number() && evaluated["confusion"].is_array());
    let shown = stdout(folder, &words("evaluate c.json class.csv"));
    for score in ["balanced accuracy", "AUC", "average precision", "Brier score", "calibration error"] {
        assert!(shown.contains(&format!("  {score} ")), "{score}: {shown}");
    }
    let numbers = stdout(folder, &words("fit one.csv --hidden 1 --decay 0 --seed 1 -o n.json"));
    assert!(numbers.contains("  test      R² ") && numbers.contains(", RMSE ") && numbers.contains(", MAE "));
}

#[test]
fn columns_that_matter_are_important() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write_tables(folder);
    stdout(folder, &words("fit one.csv --hidden none+linear --decay 0 --seed 1 -o m.json"));
    let found = json(folder, &words("importance m.json one.csv --json --repeats 3 --seed 4"));
    let columns = found["columns"].as_array().unwrap();
    let names: Vec<&str> = columns.iter().map(|c| c["column"].as_str().unwrap()).collect();
    assert_eq!(names, ["size", "colour", "other"]);
    assert!(
        columns[1]["lower"].as_f64().unwrap() > 1.0 && columns[2]["upper"].as_f64().unwrap() < 1.0,
        "{found}"
    );
    assert_eq!(
        found,
        json(folder, &words("importance m.json one.csv --json --repeats 3 --seed 4 --threads 1"))
    );
    assert_ne!(found, json(folder, &words("importance m.json one.csv --json --repeats 3 --seed 5")));
    let shown = stdout(folder, &words("importance m.json one.csv --metric r2 --rows 50"));
    assert!(shown.contains("50 of 200 rows") && shown.contains("the R² falls below 0.99"), "{shown}");
    stdout(folder, &words("fit iris --seed 1 -o iris.json"));
    let flowers = json(folder, &words("importance iris.json iris --metric accuracy --json"));
    assert_eq!((flowers["rows"].as_u64(), flowers["columns"].as_array().unwrap().len()), (Some(75), 4));
    let refused = |text: &str| failure(folder, &words(text), 2);
    assert_eq!(
        refused("importance m.json one.csv --metric auc"),
        "--metric auc: must be one of rmse, mae, r2 for a regression"
    );
    assert_eq!(refused("importance m.json one.csv --repeats 0"), "--repeats 0: must be at least 1");
    assert!(refused("importance m.json one.csv --part all").starts_with("--part is for built-in"));
    assert!(refused("importance m.json iris").contains("inputs"), "rows of another table");
}
