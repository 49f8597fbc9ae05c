//! Networks with a linear part and without hidden layers, as a user meets them.

use crate::common::{files, json, onefold, stdout};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A table whose target is linear in a and b, and a little bent in a.
fn write_table(folder: &Path) {
    let mut text = String::from("a,b,kind,y\n");
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    for i in 0..90 {
        let (a, b, noise) = (4.0 * random() - 2.0, 100.0 + 20.0 * random(), random());
        let y = 7.0 + 3.0 * a - 0.5 * b + (2.0 * a).tanh() + 0.2 * noise;
        let _ = writeln!(text, "{a:.5},{b:.5},{},{y:.5}", ["x", "z"][i / 2 % 2]);
    }
    fs::write(folder.join("t.csv"), text).unwrap();
}

#[test]
fn the_report_says_what_is_searched_and_what_is_solved() {
    let folder = TempDir::new().unwrap();
    write_table(folder.path());
    let fit = |args: &[&str]| stdout(folder.path(), &[&["fit", "t.csv", "--seed", "1"], args].concat());
    let text = fit(&["--hidden", "2", "--linear-part"]);
    let network = "network   4-2-1 with a linear part, 10 parameters searched, 7 solved by least squares, 8 mirror images";
    assert!(text.contains(network), "{text}");
    let text = fit(&["--hidden", "none", "--linear-part", "--checkpoint", "c.json"]);
    assert!(
        text.contains("network   4-1+linear, the linear model: 5 parameters solved by least squares"),
        "{text}"
    );
    assert!(text.contains("\nfinished in ") && text.contains("there was nothing to search"), "{text}");
    let text = fit(&["--topology", "4-1", "--method", "jso", "--target", "1", "--time", "1s"]);
    assert!(text.contains("network   4-1, a constant answer: 1 parameter solved by least squares"), "{text}");
    assert!(text.contains("\ndid not reach 1 in "), "{text}");
    let expected = ["t-4-1+linear-auto-1.json", "t-4-1-jso-1.json", "t-4-2-1+linear-auto-1.json", "t.csv"];
    assert_eq!(files(folder.path()), expected);
    let shown = stdout(folder.path(), &["show", "t-4-2-1+linear-auto-1.json", "--weights"]);
    for expected in ["2 tanh + linear", "17 parameters", "with a linear part and output bias", "  linear "] {
        assert!(shown.contains(expected), "{expected} in {shown}");
    }
    let shown = stdout(folder.path(), &["show", "t-4-1-jso-1.json", "--weights"]);
    for expected in ["── constant ──", "1 parameter, 8 bytes", "least squares alone", "output y  bias "]
    {
        assert!(shown.contains(expected), "{expected} in {shown}");
    }
}

#[test]
fn a_linear_model_is_kept_predicted_evaluated_and_exported() {
    let folder = TempDir::new().unwrap();
    write_table(folder.path());
    let fit = |hidden: &str| {
        let args = ["fit", "t.csv", "--test-fraction", "0", "--hidden", hidden, "--seed", "1", "--json"];
        json(folder.path(), &[&args[..], &["-o", "m.json"]].concat())
    };
    let mut errors = Vec::new();
    for hidden in ["none", "none+linear", "2+linear"] {
        let told = fit(hidden);
        let evaluated = json(folder.path(), &["evaluate", "m.json", "t.csv", "--json"]);
        assert_eq!(told["train_mse"], evaluated["mse"], "{hidden}");
        let predicted = stdout(folder.path(), &["predict", "m.json", "t.csv"]);
        assert_eq!(predicted.lines().count(), 91);
        for format in ["onnx", "c", "rust", "javascript", "python"] {
            let output = format!("m.{format}");
            stdout(folder.path(), &["export", "m.json", "--format", format, "-o", &output]);
            assert!(folder.path().join(output).exists());
        }
        if hidden != "2+linear" {
            assert_eq!((&told["stop"], &told["evaluations"]), (&"nothing-to-search".into(), &1.into()));
            assert_eq!((&told["slopes"], &told["population"]), (&0.into(), &1.into()));
        }
        errors.push(told["train_mse"].as_f64().unwrap());
    }
    assert!(errors[1] < 0.1 * errors[0] && errors[2] < 0.5 * errors[1], "{errors:?}");
}

#[test]
fn folds_and_selections_keep_the_linear_part() {
    let folder = TempDir::new().unwrap();
    write_table(folder.path());
    let args = ["fit", "t.csv", "--linear-part", "--seed", "1", "--json"];
    let selected = json(folder.path(), &args);
    let tried = selected["choice"]["tried"].as_array().unwrap();
    // All but the constant answer, which is always shown.
    let is_linear = |t: &&serde_json::Value| t["topology"].as_str().unwrap().ends_with("-1+linear");
    assert_eq!(tried.iter().filter(is_linear).count(), tried.len() - 1, "{selected}");
    assert!(selected["topology"].as_str().unwrap().ends_with("+linear"));
    let args = ["fit", "t.csv", "--hidden", "none+linear", "--folds", "3", "--seed", "1", "--json"];
    let folds = json(folder.path(), &args);
    assert_eq!(folds["cross_validation"]["folds"], 3);
    let mean = folds["cross_validation"]["mse_mean"].as_f64().unwrap();
    assert!(mean < 3.0 * folds["train_mse"].as_f64().unwrap(), "{folds}");
}

#[test]
fn campaigns_have_linear_parts_and_topologies() {
    let folder = TempDir::new().unwrap();
    write_table(folder.path());
    let cells = [
        "data = \"sinc2d\"\nhidden = \"2\"\nlinear_part = true\nmethod = \"de-sb\"\nmax_evaluations = 400",
        "data = \"iris\"\nlinear_part = true\nmethod = \"de-sb\"\nmax_evaluations = 400",
        "data = \"iris\"\nhidden = \"none+linear\"",
        "data = \"sinc\"\ntopology = \"1-3-1\"\nmethod = \"de-sb\"\nmax_evaluations = 400",
        "data = \"./t.csv\"\ntopology = \"4-1+linear\"\ntarget = 0.1",
    ];
    let write = |cells: &[&str]| {
        let text = "[[cell]]\n".to_string() + &cells.join("\n\n[[cell]]\n") + "\n";
        fs::write(folder.path().join("c.toml"), format!("name = \"mine\"\nruns = 2\n\n{text}")).unwrap();
    };
    write(&cells);
    stdout(folder.path(), &["reproduce", "--campaign", "c.toml", "--store", "s"]);
    let records = fs::read_to_string(folder.path().join("s/trials.jsonl")).unwrap();
    for cell in
        ["sinc2d/2-2-1+linear/", "iris/4-3-3+linear/", "iris/4-3+linear/", "sinc/1-3-1/", "t/4-1+linear/"]
    {
        let of_cell = records.lines().filter(|line| line.contains(&format!("\"cell\":\"{cell}"))).count();
        assert_eq!(of_cell, 2, "{cell} in {records}");
    }
    assert!(records.contains("\"stop\":\"nothing-to-search\""));
    stdout(folder.path(), &["report", "s"]);
    let args = ["tune", "iris/4-3+linear/auto", "--campaign", "c.toml", "--runs", "2"];
    let output = onefold(folder.path(), &args).assert().code(2);
    let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(message.contains("there is no population to tune"), "{message}");
    for (cell, line, expected) in [
        ("data = \"sinc\"\nhidden = \"none\"", 4, "needs output biases or a linear part"),
        ("data = \"sinc\"\nhidden = \"3+linear\"\nlinear_part = false", 7, "leave one of both out"),
        ("data = \"sinc\"\ntopology = \"2-3-1\"", 4, "has 2 inputs, but the data has 1"),
    ] {
        write(&[cell]);
        let output =
            onefold(folder.path(), &["reproduce", "--campaign", "c.toml", "--store", "s2"]).assert().code(2);
        let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(message.contains(expected) && message.contains(&format!("line {line}")), "{message}");
    }
}
